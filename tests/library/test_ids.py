"""Ids: the same for the same values, wherever they stand, and told apart by every stated value."""

from __future__ import annotations

import datetime
import hashlib
import itertools

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.library import ids
from bench.library.columns import IDENTITY, PACK_BASE, field_id
from bench.library.runs import Runs, RunSpan

TEXTS = st.none() | st.text(max_size=5)
WHOLES = st.none() | st.integers(0, 2**40)
TRUTHS = st.none() | st.booleans()
DEPLOYMENTS = st.lists(
    st.fixed_dictionaries({"model": TEXTS, "engine": TEXTS, "tp": WHOLES, "pp": WHOLES, "dp_attention": TRUTHS}),
    min_size=1,
    max_size=12,
)
DAY = datetime.date(2026, 1, 1)


def as_table(rows: list[dict[str, object]]) -> pa.Table:
    """The rows with every identity column."""
    return pa.table({name: pa.array([row.get(name) for row in rows], kind) for name, kind in IDENTITY.items()})


def test_a_point_id_is_the_sha256_of_source_and_place() -> None:
    expected = hashlib.sha256(b"ab\0row 2").hexdigest()[:16]
    assert ids.point_ids("ab", ["row 2", "row 3"]).to_pylist()[0] == expected


@settings(max_examples=40)
@given(DEPLOYMENTS)
def test_deployments_are_equal_exactly_when_all_they_state_is(rows: list[dict[str, object]]) -> None:
    numbers = ids.deployments(as_table(rows)).tolist()
    assert numbers == [int(ids.deployments(as_table([row]))[0]) for row in rows]
    stated = [tuple(sorted(row.items())) for row in rows]
    for left, number in zip(stated, numbers, strict=True):
        for right, other in zip(stated, numbers, strict=True):
            assert (left == right) == (number == other)


def test_the_same_value_in_another_column_is_another_deployment() -> None:
    numbers = ids.deployments(as_table([{"tp": 8}, {"pp": 8}, {"tp": 8, "pp": 8}, {}]))
    assert len(set(numbers.tolist())) == 4


def test_ids_stay_what_they_were() -> None:
    rows = as_table([{"model": "llama-3.1-70b", "accelerators": 8, "disaggregated": False}])
    assert ids.hex_digits(ids.deployments(rows)).to_pylist() == ["907ccadd30351302"]


def test_counted_lengths_of_a_data_set_are_no_workload_of_their_own() -> None:
    rows = [
        {"isl": 201, "dataset": "sharegpt"},
        {"isl": 203, "dataset": "sharegpt"},
        {"isl": 203},
        {"isl": 203, "isl_requested": 203, "dataset": "sharegpt"},
    ]
    numbers = ids.workloads(as_table(rows)).tolist()
    assert numbers[0] == numbers[1]
    assert len(set(numbers)) == 3


@given(st.lists(st.integers(0, 2**64 - 1), max_size=20))
def test_hex_digits_are_pythons(numbers: list[int]) -> None:
    assert ids.hex_digits(np.array(numbers, dtype=np.uint64)).to_pylist() == [f"{n:016x}" for n in numbers]


def test_no_two_columns_share_a_field_id() -> None:
    assert len({field_id(name) for name in (*PACK_BASE, "element")}) == len(PACK_BASE) + 1


def series(days: list[int | None], keys: list[int] | None = None, runs: Runs | None = None) -> list[str]:
    """The series ids of points measured so many days after a certain day."""
    dates = [None if day is None else DAY + datetime.timedelta(day) for day in days]
    numbers = np.array(keys or [1] * len(days), dtype=np.int64)
    found: list[str] = (runs or Runs()).series_ids(numbers, pa.array(dates, pa.date32())).to_pylist()
    return found


def test_points_without_a_date_are_one_run_of_their_own() -> None:
    first, second, third = series([None, 0, None])
    assert first == third != second


def test_a_later_batch_joins_the_run_it_belongs_to() -> None:
    runs = Runs()
    first = series([0], runs=runs)
    assert series([5], runs=runs) == first
    assert series([12], runs=runs) == first
    assert series([20], runs=runs) != first


def test_a_later_import_joins_the_run_the_library_holds() -> None:
    days = (DAY - datetime.date(1970, 1, 1)).days
    runs = Runs(lambda keys: [(int(key), RunSpan(days, days, "held")) for key in keys if key == 1])
    assert series([6, 30, 6], [1, 1, 2], runs)[0] == "held"
    assert "held" not in series([30, 6], [1, 2], runs)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 60)), min_size=1, max_size=40))
def test_runs_are_the_chains_of_days_at_most_seven_apart(pairs: list[tuple[int, int]]) -> None:
    found = series([day for _, day in pairs], [key for key, _ in pairs])
    for (key, day), name in zip(pairs, found, strict=True):
        for (other_key, other_day), other in zip(pairs, found, strict=True):
            between = sorted({d for k, d in pairs if k == key and min(day, other_day) <= d <= max(day, other_day)})
            chained = all(after - before <= 7 for before, after in itertools.pairwise(between))
            assert (name == other) == (key == other_key and chained)
