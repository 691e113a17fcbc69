"""A small result is asked for once in a state of the library; a change makes every query new."""

from __future__ import annotations

from pathlib import Path

from bench.library import Library
from bench.library.query_cache import SMALL, CachedResults
from tests.library.files import table

COUNT = "SELECT count(*) FROM points"


def test_an_import_a_retraction_and_another_process_are_seen_at_once(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    assert library.fetch(COUNT) == [(0,)]
    library.add([table(tmp_path / "one.csv", {"concurrency": 1})])
    assert library.fetch(COUNT) == [(1,)]
    other = Library.open(tmp_path / "library", shipped=False)
    other.add([table(tmp_path / "two.csv", {"concurrency": 2})])
    library.refresh()
    assert library.fetch(COUNT) == [(2,)]
    ((point, *_),) = library.fetch("SELECT point_id FROM points WHERE concurrency = 1")
    library.retract(point, "a doubt")
    assert library.fetch(COUNT) == [(1,)]


def test_parameters_tell_queries_apart_and_what_is_given_out_is_the_askers_own(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([table(tmp_path / "one.csv", {"concurrency": 1})])
    sql = f"{COUNT} WHERE concurrency = ?"
    assert (library.fetch(sql, (1,)), library.fetch(sql, (2,)), library.fetch(sql, ("1",))) == ([(1,)], [(0,)], [(1,)])
    library.fetch(sql, (1,)).clear()
    assert library.fetch(sql, (1,)) == [(1,)]


def test_a_large_result_and_one_of_a_state_that_passed_meanwhile_are_not_kept() -> None:
    kept, state, asked = CachedResults(), [1], []

    def run(rows: int, *, then: int = 1) -> list[tuple[int]]:
        asked.append(rows)
        state[0] = then
        return [(0,)] * rows

    for _ in range(2):
        kept.ask(lambda: state[0], "large", (), lambda: run(SMALL + 1))
        kept.ask(lambda: state[0], "small", (), lambda: run(1))
    assert asked == [SMALL + 1, 1, SMALL + 1]
    kept.ask(lambda: state[0], "passed", (), lambda: run(2, then=2))
    kept.ask(lambda: state[0], "passed", (), lambda: run(2, then=2))
    assert asked[-2:] == [2, 2]
