"""Text files of unknown origin as UTF-8 bytes: encodings, sizes and depth are checked before anything is parsed."""

from __future__ import annotations

import codecs
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np

from bench.errors import InputError

UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
UTF32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
WINDOW = 4 << 20
MAX_DEPTH = 64
QUOTE, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT = (ord(mark) for mark in '"[]{}')


@dataclass(frozen=True)
class TextFile:
    """A text file's bytes as UTF-8 without a byte order mark; `quotes` counts its double quotation marks."""

    name: str
    stream: BinaryIO
    quotes: int

    def windows(self) -> Iterator[bytes]:
        """The bytes from the beginning, a few MB at a time."""
        self.stream.seek(0)
        while window := self.stream.read(WINDOW):
            yield window


def beginning(head: bytes) -> str | None:
    """The text a file begins with, from its first bytes; None when they are no text."""
    if head.startswith(UTF32):
        return None
    if head.startswith(UTF16):
        text = head[: len(head) // 2 * 2].decode("utf-16", errors="replace")
    else:
        text = head.removeprefix(codecs.BOM_UTF8).decode("utf-8", errors="replace")
    return None if "\0" in text else text


def open_text(path: Path, max_bytes: int) -> TextFile:
    """The file as UTF-8, transcoded when it is UTF-16 with a byte order mark; InputError when it is no text."""
    size = path.stat().st_size
    if size == 0:
        raise InputError(f"{path.name} is empty.")
    if size > max_bytes:
        raise InputError(f"{path.name} has {size:,} bytes; the limit is {max_bytes:,}, so divide it.")
    with path.open("rb") as opened:
        mark = opened.read(4)
    if mark.startswith(UTF32):
        raise InputError(f"{path.name} is UTF-32 text; save it as UTF-8.")
    stream: BinaryIO = _transcoded(path) if mark.startswith(UTF16) else path.open("rb")
    quotes = 0
    for window in TextFile(path.name, stream, 0).windows():
        quotes += window.count(b'"')
        if b"\0" in window:
            stream.close()
            raise InputError(f"{path.name} holds NUL bytes, so it is no text file; save it as UTF-8.")
    return TextFile(path.name, stream, quotes)


def _transcoded(path: Path) -> BinaryIO:
    """A temporary UTF-8 copy of a UTF-16 file."""
    copy = tempfile.TemporaryFile()  # noqa: SIM115 - the reader of the copy closes it, and closing deletes it
    try:
        with path.open("r", encoding="utf-16", newline="") as text:
            while window := text.read(WINDOW):
                copy.write(window.encode("utf-8"))
    except UnicodeError as problem:
        copy.close()
        raise InputError(f"{path.name} begins like UTF-16 text but is not; save it as UTF-8.") from problem
    return copy


def check_depth(file: TextFile) -> None:
    """Nothing when JSON text is nested at most MAX_DEPTH deep; InputError otherwise. Brackets in texts do not count."""
    depth, in_text, rest = 0, False, b""
    for window in file.windows():
        window = rest + window
        backslashes = len(window) - len(window.rstrip(b"\\"))
        rest = window[len(window) - backslashes :]
        codes = np.frombuffer(_without_escapes(window[: len(window) - backslashes]), dtype=np.uint8)
        inside = (np.cumsum(codes == QUOTE) + in_text) % 2 == 1
        rises = ((codes == OPEN_LIST) | (codes == OPEN_OBJECT)) & ~inside
        falls = ((codes == CLOSE_LIST) | (codes == CLOSE_OBJECT)) & ~inside
        course = depth + np.cumsum(rises.astype(np.int32) - falls.astype(np.int32))
        if course.size and int(course.max()) > MAX_DEPTH:
            raise InputError(f"{file.name} is nested more than {MAX_DEPTH} deep; a table of results is flat.")
        if course.size:
            depth, in_text = int(course[-1]), bool(inside[-1])


def _without_escapes(window: bytes) -> bytes:
    return re.sub(rb"\\.", b"", window, flags=re.DOTALL) if b"\\" in window else window
