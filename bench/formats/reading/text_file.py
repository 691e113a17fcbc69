"""Text files of unknown origin as UTF-8 bytes: encodings, sizes and depth are checked before anything is parsed."""

from __future__ import annotations

import codecs
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from bench.errors import InputError

UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
UTF32 = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
WINDOW = 4 << 20
READ_AT_ONCE = 1 << 18
"""Lines of some KB are read a sixth faster than with the 8 KB that Python takes."""

MAX_DEPTH = 64
MAX_YAML_BYTES = 1_000_000
"""Parsing it takes some 100 times as long as JSON, 3 s a megabyte; reports have a few kilobytes."""
QUOTE, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT = (ord(mark) for mark in '"[]{}')


def beginning(head: bytes) -> str | None:
    """The text a file begins with, from its first bytes; None when they are no text."""
    if head.startswith(UTF32):
        return None
    if head.startswith(UTF16):
        text = head[: len(head) // 2 * 2].decode("utf-16", errors="replace")
    else:
        text = head.removeprefix(codecs.BOM_UTF8).decode("utf-8", errors="replace")
    return None if "\0" in text else text


def check_text(path: Path, max_bytes: int) -> int:
    """How many double quotation marks a text file holds; InputError when it is empty, too large or not
    UTF-8 throughout (UTF-16 with a byte order mark is taken too)."""
    size = path.stat().st_size
    if size == 0:
        raise InputError(f"{path.name} is empty.")
    if size > max_bytes:
        raise InputError(f"{path.name} has {size:,} bytes; the limit is {max_bytes:,}, so divide it.")
    quotes = 0
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with opened(path) as stream:
            for window in windows(stream):
                quotes += window.count(b'"')
                if decoder.getstate()[0] or not window.isascii():
                    decoder.decode(window)
                if b"\0" in window:
                    raise InputError(f"{path.name} holds NUL bytes, so it is no text file; save it as UTF-8.")
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as problem:
        raise InputError(f"{path.name} is not UTF-8 text throughout; save it as UTF-8.") from problem
    return quotes


def opened(path: Path) -> BinaryIO:
    """The file as UTF-8 bytes to be read and closed; a UTF-16 file is transcoded into a temporary one."""
    with path.open("rb") as stream:
        mark = stream.read(4)
    if mark.startswith(UTF32):
        raise InputError(f"{path.name} is UTF-32 text; save it as UTF-8.")
    return _transcoded(path) if mark.startswith(UTF16) else path.open("rb", buffering=READ_AT_ONCE)


def windows(stream: BinaryIO) -> Iterator[bytes]:
    """The bytes of a stream, a few MB at a time."""
    while window := stream.read(WINDOW):
        yield window


def _transcoded(path: Path) -> BinaryIO:
    copy = tempfile.TemporaryFile()  # noqa: SIM115 - whoever reads the copy closes it, and closing deletes it
    try:
        with path.open("r", encoding="utf-16", newline="") as text:
            while window := text.read(WINDOW):
                copy.write(window.encode("utf-8"))
    except UnicodeError as problem:
        copy.close()
        raise InputError(f"{path.name} begins like UTF-16 text but is not; save it as UTF-8.") from problem
    copy.seek(0)
    return copy


def check_depth(name: str, stream: BinaryIO) -> None:
    """Check that JSON is nested at most MAX_DEPTH deep; InputError otherwise. Brackets in texts do not count."""
    depth, in_text, rest = 0, False, b""
    for window in windows(stream):
        joined = rest + window
        whole = len(joined.rstrip(b"\\"))
        rest = joined[whole:]
        codes = np.frombuffer(_without_escapes(joined[:whole]), dtype=np.uint8)
        inside = (np.cumsum(codes == QUOTE) + in_text) % 2 == 1
        rises = ((codes == OPEN_LIST) | (codes == OPEN_OBJECT)) & ~inside
        falls = ((codes == CLOSE_LIST) | (codes == CLOSE_OBJECT)) & ~inside
        course = depth + np.cumsum(rises.astype(np.int32) - falls.astype(np.int32))
        if course.size:
            if int(course.max()) > MAX_DEPTH:
                raise InputError(f"{name} is nested more than {MAX_DEPTH} deep; a table of results is flat.")
            depth, in_text = int(course[-1]), bool(inside[-1])


def _without_escapes(text: bytes) -> bytes:
    return re.sub(rb"\\.", b"", text, flags=re.DOTALL) if b"\\" in text else text
