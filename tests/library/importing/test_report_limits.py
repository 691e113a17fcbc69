"""What an import lists of refused rows and unknown keys: a person's all, a stranger's millions only as a count."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.formats.table import columns
from bench.formats.table.columns import MAX_REFUSALS
from bench.library import Library
from bench.library.importing import batch
from bench.library.importing.batch import MOST_KEYS, MOST_KEYS_IN_ALL, MOST_ROWS, ListedProblems
from bench.library.importing.report import ImportReport
from bench.library.report_by_file import added, by_file
from bench.library.rows import KEY_LENGTH
from bench.records import Refusal

VLLM = Path(__file__).parents[2] / "samples" / "vllm" / "concurrency-4.json"


def rows(count: int) -> list[Refusal]:
    return [Refusal("one.csv", f"Row {row} was refused.", row=row) for row in range(2, count + 2)]


def test_there_is_room_for_two_tables_that_are_wrong_throughout() -> None:
    listed, found = ListedProblems(), rows(MAX_REFUSALS)
    assert listed.refusals("one.csv", found) == found
    assert listed.refusals("two.csv", found) == found
    assert listed.refusals("three.csv", []) == []


def test_rows_beyond_are_counted_and_what_is_said_of_the_file_stays() -> None:
    listed, of_file = ListedProblems(), Refusal("one.csv", "Its card is wrong.")
    listed.refusals("zero.csv", rows(MOST_ROWS - 3))
    told = listed.refusals("one.csv", [*rows(10), of_file])
    assert told[:4] == [*rows(3), of_file]
    assert told[4].reason.startswith("7 further rows of one.csv were refused")
    assert [refusal.row for refusal in listed.refusals("two.csv", rows(1))] == [None]


def test_keys_beyond_are_counted() -> None:
    listed, keys = ListedProblems(), [f"key{number}" for number in range(MOST_KEYS + 5)]
    first = listed.keys("one.json", "id", keys)
    assert first.keys == tuple(keys[:MOST_KEYS])
    assert first.beyond == 5
    kept = len(first.keys) + sum(len(listed.keys("more.json", "id", keys).keys) for _ in range(100))
    assert kept == MOST_KEYS_IN_ALL
    assert [len(key) for key in ListedProblems().keys("one.json", "id", ["k" * 10**6]).keys] == [KEY_LENGTH]


def test_a_result_with_many_more_keys_is_loaded_and_told_in_few(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    understood = library.add([VLLM], dry_run=True).not_understood
    file = tmp_path / "keys.json"
    file.write_text(json.dumps({**json.loads(VLLM.read_text()), **{f"key{n}": n for n in range(10 * MOST_KEYS)}}))
    report = library.add([file], dry_run=True)
    (told,) = report.not_understood
    assert len(told.keys) + told.beyond == 10 * MOST_KEYS + sum(len(one.keys) for one in understood)
    (line,) = by_file(report)
    assert len(line.not_understood) == MOST_KEYS + 1
    assert line.not_understood[-1] == f"{told.beyond:,} more"


def test_the_headline_counts_the_refused_rows_that_are_not_listed_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the first table one row is beyond what a table lists, of the third nearly all beyond what an import does."""
    monkeypatch.setattr(columns, "MAX_REFUSALS", 100)
    monkeypatch.setattr(batch, "MOST_ROWS", 200)
    tables = {"one.csv": 101, "two.csv": 99, "three.csv": 30, "none.csv": 7}
    for name, wrong in tables.items():
        good = f"{name},1,1\n" if name != "none.csv" else ""
        (tmp_path / name).write_text("model,concurrency,output_tokens_per_s\n" + good + "a,1,bad\n" * wrong)
    library = Library.open(tmp_path / "library", shipped=False)
    report = library.add([tmp_path / name for name in tables])
    assert sum(refusal.row is not None for refusal in report.refused) == 200
    of_none = 1  # that the table without a good row holds no result
    assert report.refusals == ImportReport.of(report.document()).refusals == sum(tables.values()) + of_none
    lines = by_file(report, lambda file: Path(file).name)
    assert {line.file: line.refused_rows for line in lines} == tables
    assert [line.file for line in lines if line.reason] == ["none.csv"]
    assert "230 rows were refused" in added(lines)
    assert dict(library.fetch("SELECT file, refusals FROM sources")) == {
        name: wrong for name, wrong in tables.items() if name != "none.csv"
    }
