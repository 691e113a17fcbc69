"""What is shown while packs come and go: an import is never refused for what happened to a pack meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

from bench.library import Library
from bench.library.packs import listed
from tests.library.files import sweep, table


def merged_away(place: Path) -> None:
    """Another process has made new packs of the old ones, and nobody needs these any more."""
    old = listed(place / "points")
    Library.open(place, shipped=False).rebuild()
    for name in old:
        (place / "points" / name).unlink()


def cut_short(place: Path) -> None:
    for name in listed(place / "points"):
        os.truncate(place / "points" / name, 50)


def emptied(place: Path) -> None:
    for name in listed(place / "points"):
        (place / "points" / name).write_bytes(b"")


@pytest.mark.parametrize("happens", [merged_away, cut_short, emptied])
def test_a_file_is_not_refused_for_what_happens_to_a_pack_meanwhile(
    tmp_path: Path, happens: Callable[[Path], None]
) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([sweep(tmp_path, 1)])
    done: list[str] = []

    def meanwhile(number: int, of: int, file: str) -> None:
        if file and of and not done and number == 0 and library.path.is_dir():
            done.append(file)
            happens(library.path)

    grown = table(tmp_path / "more.csv", {"concurrency": 64, "output_tokens_per_s": 9.0})
    report = library.add([grown], progress=meanwhile)
    assert (len(done), len(report.imported), report.refused) == (1, 1, [])
    if happens is merged_away:
        assert library.fetch("SELECT count(*) FROM points") == [(4,)]
        assert library.refusals().empty
    else:
        assert library.fetch("SELECT count(*) FROM points") == [(1,)]
        assert "damaged" in library.refusals().loc[0, "reason"]


def test_a_wrong_question_is_no_damage(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([sweep(tmp_path, 1)])
    with pytest.raises(duckdb.BinderException):
        library.fetch("SELECT no_such_column FROM points")
    assert library.fetch("SELECT count(*) FROM points") == [(3,)]
