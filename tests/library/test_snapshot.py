"""The version of a library: the same for copies of it, another for other content."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from bench.library.snapshot import Watch
from bench.library.store import Root

DATA = Path(__file__).resolve().parents[2] / "data"


def copied(place: Path) -> Watch:
    """A watch over a copy of the shipped library and of its price books."""
    shutil.copytree(DATA / "library", place / "library")
    shutil.copytree(DATA / "prices", place / "prices")
    return Watch([Root(place / "library", writable=False)], [place / "prices"])


def test_a_copy_has_the_same_version_and_another_price_another(tmp_path: Path) -> None:
    first, second = copied(tmp_path / "first"), copied(tmp_path / "second")
    before = first.look()
    assert second.look().version == before.version
    book = tmp_path / "first" / "prices" / "articles.csv"
    os.utime(book, (0, 0))
    assert first.look().version == before.version
    book.write_text(book.read_text(encoding="utf-8").replace("2.49", "2.48", 1), encoding="utf-8")
    assert first.look().version != before.version
    assert first.look() is first.look()
