"""Archives of result files -> their files in a folder: zip and tar, and what gzip, bzip2 or xz has made smaller.

An archive is a stranger's: nothing in its headers is believed. Sizes and ratios are counted while it is inflated, a
name must stay inside the folder, and what is neither a file nor a folder is refused. One bad entry refuses the whole
archive, since what else in it is right cannot be known.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import stat
import struct
import tarfile
import unicodedata
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from bench.errors import InputError
from bench.library.importing.no_result import is_aside

MAX_ENTRIES = 10_000
MAX_BYTES = 1 << 30
"""What one archive may unpack to."""

MAX_IN_ALL = 4 << 30
"""What all archives of one import may unpack to together."""

MAX_RATIO = 200
"""Measured results shrink to a tenth or a twentieth, sometimes to a hundredth; a bomb to a thousandth."""

FREE_BYTES = 32 << 20
"""So much may come out of an archive, and of each entry, at any ratio: a small file of equal rows shrinks well."""

MAX_DIRECTORY = 4 << 20
"""The bytes of a zip's directory: 10,000 entries with names of 350 letters. It is read as a whole."""

MAX_HEADER = 1 << 16
"""The bytes of a tar's extended header, which is read as a whole; it holds a name and a few attributes."""

MAX_PADDING = 1 << 20
"""The zeros that a tar may end with."""

MAX_NAME, MAX_LEVELS = 255, 32
CHUNK = 1 << 16
HEAD = 512
"""The first bytes of a file that tell an archive: a tar's first block."""

MAGIC = {b"PK\x03\x04": "zip", b"PK\x05\x06": "zip", b"\x1f\x8b": "gzip", b"BZh": "bzip2", b"\xfd7zXZ\0": "xz"}
SPREADSHEET = (b"[Content_Types].xml", b"docProps/", b"xl/", b"_rels/")
"""How the first name in a zip that is a spreadsheet begins, behind the 30 bytes of its header."""

FOREIGN = {b"7z\xbc\xaf\x27\x1c": "7z", b"Rar!": "rar", b"\x28\xb5\x2f\xfd": "zstd", b"\x04\x22\x4d\x18": "lz4"}
BROKEN = (
    zipfile.BadZipFile,
    tarfile.TarError,
    lzma.LZMAError,
    zlib.error,
    EOFError,
    OSError,
    ValueError,
    struct.error,
    NotImplementedError,
    RuntimeError,
    OverflowError,
)
"""What the standard library raises for archives that are damaged; UnicodeError is a ValueError."""


@dataclass(frozen=True)
class Unpacked:
    """One file that was in an archive: where it lies now, and its place in the archive."""

    path: Path
    place: str


def kind_of(path: Path) -> str | None:
    """What archive a file is, by its first bytes: zip, tar, gzip, bzip2, xz, or one that is not read; else None."""
    with path.open("rb") as stream:
        return kind(stream.read(HEAD))


def kind(head: bytes) -> str | None:
    """What archive begins with these bytes; None for none, and for a spreadsheet, which is a zip of its parts."""
    if head[257:262] == b"ustar":
        return "tar"
    known = next((name for mark, name in (MAGIC | FOREIGN).items() if head.startswith(mark)), None)
    if known == "zip" and head[30:].startswith(SPREADSHEET):
        return None
    return None if known == "bzip2" and head[4:10] != b"1AY&SY" else known


class Unpacking:
    """The archives of one import, unpacked one after the other below one folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._count = 0
        self._bytes = 0

    def unpack(self, path: Path) -> list[Unpacked]:
        """The files in an archive, by their places in it; hidden ones and what macOS adds are passed over.

        InputError when it is damaged, encrypted, too large, or holds what no archive of results does.
        """
        what = kind_of(path)
        if what in FOREIGN.values():
            raise InputError(f"{path.name} is a {what} archive, which is not read here; pack it as zip or tar.gz.")
        self._count += 1
        room = min(MAX_BYTES, MAX_IN_ALL - self._bytes)
        with _Metered(path) as stream:
            archive = _Archive(path, self._folder / str(self._count), stream, room)
            try:
                if what == "zip":
                    archive.unpack_zip()
                else:
                    archive.unpack_tar(what)
            except BROKEN as problem:
                raise InputError(_why_broken(path, problem)) from problem
            finally:
                self._bytes += archive.written
        if not archive.files:
            raise InputError(f"{path.name} is an archive without a file in it.")
        return sorted(archive.files, key=lambda file: file.place)


def _why_broken(path: Path, problem: Exception) -> str:
    if isinstance(problem, OSError) and problem.errno is not None:
        return f"{path.name} cannot be unpacked: {problem.strerror}."
    return f"{path.name} is damaged and cannot be unpacked whole ({str(problem)[:120] or type(problem).__name__})."


class _Metered(io.FileIO):
    """An archive's bytes as they are read, counted; no more than a zip's directory is read at once."""

    taken = 0

    def read(self, size: int | None = -1) -> bytes:
        if size is None or size < 0:
            size = os.fstat(self.fileno()).st_size - self.tell()
        if size > MAX_DIRECTORY:
            raise InputError(
                f"{Path(str(self.name)).name} has a directory of more than {MAX_DIRECTORY:,} bytes; an archive may hold"
                f" {MAX_ENTRIES:,} files."
            )
        found = super().read(size)
        self.taken += len(found)
        return found


class _Header(tarfile.TarInfo):
    """A tar's header; one that is damaged or oversized raises, where tarfile would take it for the archive's end."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str, errors: str) -> _Header:
        try:
            header = super().frombuf(buf, encoding, errors)
        except tarfile.HeaderError as problem:
            if buf and any(buf):
                raise EOFError("a header is damaged or cut off") from problem
            raise
        extended = (tarfile.XHDTYPE, tarfile.XGLTYPE, tarfile.SOLARIS_XHDTYPE)
        if header.type in (*extended, tarfile.GNUTYPE_LONGNAME, tarfile.GNUTYPE_LONGLINK):
            if not 0 <= header.size <= MAX_HEADER:
                raise EOFError(f"a header has more than {MAX_HEADER:,} bytes")
        elif header.type == tarfile.GNUTYPE_SPARSE or header.size < 0:
            raise EOFError("it holds a sparse file")
        return header


class _Archive:
    """One archive on its way into a folder, and what has come out of it so far."""

    def __init__(self, path: Path, folder: Path, stream: _Metered, room: int) -> None:
        self._name = path.name
        self._path = path
        self._folder = folder
        self._metered = stream
        self._room = room
        self._size = path.stat().st_size
        self._entries = 0
        self._places: set[str] = set()
        self.files: list[Unpacked] = []
        self.written = 0

    def unpack_zip(self) -> None:
        with zipfile.ZipFile(self._metered) as archive:
            for entry in archive.infolist():
                name = _zip_name(entry)
                place = self._admitted(name, name.endswith(("/", "\\")), self._odd(entry))
                if place is not None:
                    with archive.open(entry) as content:
                        self._write(place, content)

    def unpack_tar(self, what: str | None) -> None:
        """Unpack a tar; a single file that was only made smaller is itself the archive's one file."""
        stream = io.BufferedReader(_Inflating(self._name, self._metered, what), HEAD)
        if kind(stream.peek(HEAD)[:HEAD]) != "tar":
            place = self._admitted(_without_ending(self._name), False, None)
            if place is not None:
                self._write(place, stream)
            return
        with tarfile.open(fileobj=stream, mode="r|", tarinfo=_Header, encoding="utf-8") as found:
            for entry in found:
                place = self._admitted(entry.name, entry.isdir(), _odd_in_tar(entry))
                content = found.extractfile(entry) if place is not None else None
                if place is not None and content is not None:
                    self._write(place, content)
        stream.read(MAX_PADDING)  # reaching the end checks the sum that gzip keeps of it all

    def _odd(self, entry: zipfile.ZipInfo) -> str | None:
        """What keeps a zip's entry from being read as a file or folder; None when nothing does."""
        if entry.flag_bits & 0x1:
            raise InputError(f"{self._name} is encrypted; unpack it with its password and import the folder.")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) and not entry.is_dir():
            raise InputError(
                f"{self._name} is packed by method {entry.compress_type}, which is not read here; pack it as an "
                "ordinary zip or as tar.gz."
            )
        mode = stat.S_IFMT(entry.external_attr >> 16) if entry.create_system == 3 else 0
        if mode in (0, stat.S_IFREG, stat.S_IFDIR):
            return None
        return "a link" if mode == stat.S_IFLNK else "a device"

    def _admitted(self, name: str, folder: bool, odd: str | None) -> str | None:
        """The place of an entry that is to be written; None for a folder and what is passed over."""
        self._entries += 1
        if self._entries > MAX_ENTRIES:
            raise InputError(f"{self._name} holds more than {MAX_ENTRIES:,} entries; divide it.")
        parts = self._parts(name)
        shown = "/".join(parts)[:80]
        if odd is not None:
            raise InputError(f"{self._name} holds {odd} ({shown}); an archive of results holds files and folders only.")
        if folder or not parts or any(map(is_aside, parts)):
            return None
        place = "/".join(parts)
        if place in self._places:
            raise InputError(f"{self._name} holds {shown} twice; which of them counts is not to be known.")
        self._places.add(place)
        return place

    def _parts(self, name: str) -> list[str]:
        """The folders and the file a name consists of; InputError when it leads out of the archive or is no text."""
        try:
            name.encode()
        except UnicodeEncodeError as problem:
            raise InputError(f"{self._name} holds a name that is not UTF-8 ({name[:80]!a}); rename it.") from problem
        if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in name):
            raise InputError(f"{self._name} holds a name with control characters ({name[:80]!a}); rename it.")
        parts = [part for part in name.replace("\\", "/").split("/") if part not in ("", ".")]
        if name.startswith(("/", "\\")) or name[1:2] == ":" or ".." in parts:
            raise InputError(
                f"{self._name} holds {name[:80]!a}, which leads out of the archive; nothing in it is read."
            )
        if len(parts) > MAX_LEVELS or any(len(part.encode()) > MAX_NAME for part in parts):
            raise InputError(f"{self._name} holds a name that is too long or too deep ({name[:80]!a}); rename it.")
        return parts

    def _write(self, place: str, content: IO[bytes]) -> None:
        path = self._folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        came, began = 0, self._metered.taken
        with path.open("xb") as target:
            while chunk := content.read(CHUNK):
                came += len(chunk)
                self.written += len(chunk)
                if self.written > self._room:
                    raise InputError(
                        f"{self._name} unpacks to more than {self._room:,} bytes; unpack it and import the folder."
                    )
                _check_ratio(self._name, self.written, self._size)
                _check_ratio(f"{self._name}/{place[:80]}", came, self._metered.taken - began)
                target.write(chunk)
        self.files.append(Unpacked(path, place))


class _Inflating(io.RawIOBase):
    """What comes out of a compressed stream; the ratio is checked on all of it, a tar's headers included."""

    def __init__(self, name: str, stream: _Metered, what: str | None) -> None:
        self._name = name
        self._taken = stream
        self._stream: Any = stream
        if what == "gzip":
            self._stream = gzip.GzipFile(fileobj=stream, mode="rb")
        elif what == "bzip2":
            self._stream = bz2.BZ2File(stream)
        elif what == "xz":
            self._stream = lzma.LZMAFile(stream, format=lzma.FORMAT_XZ)  # noqa: SIM115
        self._came = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read(min(len(buffer), CHUNK))
        self._came += len(data)
        _check_ratio(self._name, self._came, self._taken.taken)
        buffer[: len(data)] = data
        return len(data)


def _check_ratio(name: str, out: int, taken: int) -> None:
    """Check that what came out is in proportion to what was read for it; InputError beyond."""
    if out > FREE_BYTES and out > MAX_RATIO * max(taken, 1):
        raise InputError(
            f"{name} inflates to more than {MAX_RATIO} times its size, as no results do; unpack it and import the "
            "folder if it is sound."
        )


def _odd_in_tar(entry: tarfile.TarInfo) -> str | None:
    """What keeps a tar's entry from being read as a file or folder; None when nothing does."""
    if entry.issym() or entry.islnk():
        return "a link"
    if entry.issparse():
        return "a sparse file"
    return None if entry.isreg() or entry.isdir() else "a device"


def _zip_name(entry: zipfile.ZipInfo) -> str:
    """The name as it was written: UTF-8 where it is, said or not (macOS does not say so)."""
    name = entry.orig_filename
    if entry.flag_bits & 0x800 or name.isascii():
        return name
    try:
        return name.encode("cp437").decode()
    except UnicodeDecodeError:
        return name.encode("cp437").decode(errors="surrogateescape")


def _without_ending(name: str) -> str:
    stem, _, ending = name.rpartition(".")
    return stem if stem and ending.lower() in ("gz", "bz2", "xz") else name
