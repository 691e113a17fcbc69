"""Archives as the tests make them, sound and hostile."""

from __future__ import annotations

import io
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

Content = Mapping[str, bytes]


def zipped(path: Path, content: Content) -> Path:
    """A zip of these files; a name that ends with / is a folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in content.items():
            archive.writestr(name, text)
    return path


def tarred(path: Path, content: Content, mode: Literal["w", "w:gz", "w:bz2", "w:xz"] = "w:gz") -> Path:
    """A tar of these files."""
    with tarfile.open(path, mode) as archive:
        for name, text in content.items():
            add(archive, name, text)
    return path


def add(archive: tarfile.TarFile, name: str, text: bytes = b"", kind: bytes = tarfile.REGTYPE, link: str = "") -> None:
    """Puts one entry of any kind into a tar."""
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = kind, link
    entry.size = len(text) if kind == tarfile.REGTYPE else 0
    archive.addfile(entry, io.BytesIO(text))


def zip_of_links(path: Path, target: str = "/etc/passwd") -> Path:
    """A zip whose entry is a symbolic link."""
    entry = zipfile.ZipInfo("results.csv")
    entry.create_system, entry.external_attr = 3, 0o120777 << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(entry, target)
    return path


def zip_bomb(path: Path, entries: int = 10, each: int = 1 << 30) -> Path:
    """A zip of 10 MB whose entries hold 10 GB of zeros; its headers and sums are true."""
    block = bytes(1 << 24)
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    again = compressor.compress(block) + compressor.flush(zlib.Z_FULL_FLUSH)
    packed = again * (each >> 24) + compressor.flush()
    total = 0
    for _ in range(each >> 24):
        total = zlib.crc32(block, total)
    directory = b""
    with path.open("wb") as out:
        for number in range(entries):
            name = b"%d.json" % number
            common = struct.pack("<HHHHHIIIHH", 20, 0, 8, 0, 33, total, len(packed), each, len(name), 0)
            directory += b"PK\x01\x02" + struct.pack("<H", 20) + common
            directory += struct.pack("<HHHII", 0, 0, 0, 0, out.tell()) + name
            out.write(b"PK\x03\x04" + common + name + packed)
        begins = out.tell()
        out.write(
            directory + b"PK\x05\x06" + struct.pack("<HHHHIIH", 0, 0, entries, entries, len(directory), begins, 0)
        )
    return path


def crowded_zip(path: Path, entries: int = 100_000) -> Path:
    """A zip of so many empty files."""
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(entries):
            archive.writestr(zipfile.ZipInfo(f"{number}.json"), b"")
    return path
