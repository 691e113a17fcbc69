"""Opening a library is quick: nothing is loaded that only charts and data frames need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench.library import Library, index
from bench.library.query_cache import CachedResults
from tests.library.files import sweep

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
OPENED = (
    "import sys; from pathlib import Path; from bench.library import Library;"
    "library = Library.open(Path(sys.argv[1]));"
    "tables = 'points sources notes facts retractions refusals prices accelerators models'.split();"
    "print(*(library.fetch(f'SELECT count(*) FROM {name}')[0][0] > 0 for name in tables), 'pandas' in sys.modules)"
)

POINTS = "SELECT * FROM points ORDER BY point_id"
IS_TABLE = "SELECT count(*) = 1 FROM duckdb_tables() WHERE table_name = 'points'"


def with_everything(folder: Path) -> Library:
    library = Library.open(folder / "library", shipped=False)
    library.add([sweep(folder, 1)], {"usd_per_accelerator_hour": 2.5, "date": "2026-03-02"})
    (folder / "bad.csv").write_text("no,result\n1,2\n")
    library.add([folder / "bad.csv"])
    points = [name for (name,) in library.fetch("SELECT point_id FROM points ORDER BY 1")]
    library.annotate(points[0], 'said "fast"\n\u202e🚀')
    library.retract(points[1], "a doubt")
    return library


def test_opening_loads_no_pandas_whatever_is_in_the_library(tmp_path: Path) -> None:
    library = with_everything(tmp_path)
    said = subprocess.run(
        [sys.executable, "-c", OPENED, str(library.path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert said.stdout.split() == ["True"] * 9 + ["False"]


def anew(library: Library, sql: str) -> list[tuple[object, ...]]:
    """The rows of a query that is put to the index whatever was asked before."""
    library.remembered = CachedResults()
    return library.fetch(sql)


def test_few_points_are_a_table_of_what_their_files_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = with_everything(tmp_path).path
    with monkeypatch.context() as patched:
        patched.setattr(index, "FEW_POINTS", 1)
        in_files = Library.open(path, shipped=False)
        first = [anew(in_files, sql) for sql in (POINTS, "DESCRIBE points")]
    library = Library.open(path, shipped=False)
    assert [anew(library, sql) for sql in (POINTS, "DESCRIBE points", IS_TABLE)] == [*first, [(True,)]]
    (lost,) = Library.open(path, shipped=False).fetch("SELECT id FROM retractions")[0]
    library.restore(lost)
    assert {row[0] for row in anew(library, POINTS)} - {row[0] for row in first[0]} == {lost}
    assert anew(library, IS_TABLE) == [(True,)]


def test_many_points_stay_in_their_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "FEW_POINTS", 1)
    library = with_everything(tmp_path)
    for _ in range(3):
        assert anew(library, "SELECT count(*) FROM points") == [(2,)]
    assert anew(library, IS_TABLE) == [(False,)]
