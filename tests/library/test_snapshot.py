"""The version of a library: the same for copies of it, another for other content."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from bench.library.snapshot import Watch
from bench.library.store import Root

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def shipped(tmp_path: Path) -> tuple[Path, Path]:
    """A copy of the shipped library and of its price books."""
    library, prices = tmp_path / "first" / "library", tmp_path / "first" / "prices"
    shutil.copytree(ROOT / "data" / "library", library)
    shutil.copytree(ROOT / "data" / "prices", prices)
    return library, prices


def version(library: Path, prices: Path) -> str:
    return Watch([Root(library, writable=False)], [prices]).look().version


def test_a_copy_made_elsewhere_and_later_has_the_same_version(shipped: tuple[Path, Path], tmp_path: Path) -> None:
    library, prices = shipped
    copied = [tmp_path / "second" / folder.name for folder in shipped]
    for folder, copy in zip(shipped, copied, strict=True):
        shutil.copytree(folder, copy)
    for path in copied[1].glob("*.csv"):
        os.utime(path, (0, 0))
    assert version(*copied) == version(library, prices)


def test_another_price_makes_another_version(shipped: tuple[Path, Path]) -> None:
    library, prices = shipped
    watch = Watch([Root(library, writable=False)], [prices])
    before = watch.look()
    book = prices / "articles.csv"
    book.write_text(book.read_text(encoding="utf-8").replace("2.49", "2.48", 1), encoding="utf-8")
    assert watch.look().version != before.version
    assert watch.look() is watch.look()


def test_a_book_that_is_only_touched_leaves_the_version(shipped: tuple[Path, Path]) -> None:
    library, prices = shipped
    before = version(library, prices)
    os.utime(prices / "articles.csv", (0, 0))
    assert version(library, prices) == before
