"""Whole columns are judged and checked as single points are."""

from __future__ import annotations

import csv
import dataclasses
import json

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import flags
from bench.catalogue import is_metric
from bench.errors import InputError
from bench.formats import published
from bench.formats.plausibility import soundness
from bench.formats.plausibility.columns import with_doubts
from bench.formats.plausibility.lengths import doubts
from bench.formats.reading import SourceFile
from bench.records import Load, Workload

NUMBERS = st.none() | st.floats(0.001, 1e5)
METRICS = (
    *("output_tokens_per_s", "input_tokens_per_s", "total_tokens_per_s", "requests_per_s"),
    *("requests_ok", "output_tokens", "input_tokens", "duration_s"),
    *("e2el_ms_mean", "e2el_ms_p50", "tpot_ms_mean", "tpot_ms_p50"),
)
LENGTHS = st.none() | st.integers(1, 100_000)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            **dict.fromkeys(METRICS, NUMBERS),
            "isl_requested": LENGTHS,
            "osl_requested": LENGTHS,
            "isl_actual": NUMBERS,
            "osl_actual": NUMBERS,
            "load_kind": st.sampled_from(["closed", "open", "saturated", "unknown"]),
            "concurrency": st.none() | st.integers(1, 5000),
        }
    ),
    min_size=1,
    max_size=4,
)


LATENCY_MS = st.none() | st.sampled_from([0.02, 0.4, 0.9, 20.0, 900.0, 20_000.0, 900_000.0])
OF_A_RUN = st.lists(
    st.fixed_dictionaries(
        {
            "requests_ok": st.sampled_from([1.0, 8.0, 500.0]),
            "concurrency": st.none() | st.sampled_from([1, 64]),
            "load_kind": st.sampled_from(["closed", "saturated"]),
            "osl_actual": st.none() | st.sampled_from([2.0, 1000.0]),
            "duration_s": st.none() | st.sampled_from([0.0, 0.01, 60.0, 60_000.0]),
            "output_tokens_per_s": st.none() | st.sampled_from([1.0, 1000.0]),
            "requests_per_s": st.none() | st.sampled_from([0.1, 10.0]),
            **{f"{base}_ms_mean": LATENCY_MS for base in ("ttft", "tpot", "itl", "ntpot", "e2el")},
            **{f"e2el_ms_{statistic}": LATENCY_MS for statistic in ("p50", "p99", "max", "std")},
            "ttft_ms_p50": LATENCY_MS,
        }
    ),
    min_size=1,
    max_size=4,
)


@given(rows=OF_A_RUN)
def test_a_row_of_a_table_is_refused_where_a_point_with_its_figures_is(
    rows: list[dict[str, float | str | None]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("table") / "own.csv"
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, ["model", *rows[0]])
        writer.writeheader()
        writer.writerows({"model": "m", **row} for row in rows)
    reading = published.read(SourceFile(path))
    taken = {row["locator"] for batch in reading.points for row in batch.to_pylist()}  # type: ignore[union-attr]
    for place, row in enumerate(rows, start=2):  # the first line is the header
        metrics = {key: float(value) for key, value in row.items() if is_metric(key) and value is not None}
        about = {"concurrency": row["concurrency"], "osl": row["osl_actual"]}
        problem = ""
        try:
            soundness.check("", "", metrics, saturated=row["load_kind"] == "saturated", **about)  # type: ignore[arg-type]
        except InputError as found:
            problem = str(found)
        assert (f"row {place}" in taken) == (not problem), (row, problem, reading.refusals)


@given(ROWS)
def test_each_row_has_the_flags_of_a_point_with_its_figures(rows: list[dict[str, float | None]]) -> None:
    columns = {key: pa.array([row[key] for row in rows]) for key in rows[0]}
    columns = {
        key: column.cast(pa.float64()) if column.type == pa.null() else column for key, column in columns.items()
    }
    found = with_doubts(columns, len(rows))
    for place, row in enumerate(rows):
        lengths = {key: row[key] for key in ("isl_requested", "osl_requested", "isl_actual", "osl_actual")}
        metrics = {key: row[key] for key in METRICS if row[key] is not None}
        load = Load(row["load_kind"], concurrency=row["concurrency"])  # type: ignore[arg-type]
        wanted = [dataclasses.asdict(flag) for flag in doubts(metrics, Workload(**lengths), load)]  # type: ignore[arg-type]
        assert json.loads((found[place].as_py() if found is not None else None) or "[]") == wanted


def test_a_flag_that_a_row_states_is_not_added_again() -> None:
    stated = json.dumps([{"kind": "too_fast", "seen": "a mock", "why": "", "do": ""}])
    columns = {"tpot_ms_mean": pa.array([0.001, 0.001]), "flags": pa.array([stated, None])}
    found = with_doubts(columns, 2)
    assert found is not None
    assert found[0].as_py() == stated
    assert [flag["kind"] for flag in json.loads(found[1].as_py())] == ["too_fast"]


def test_what_contradicts_littles_law_ranks_nowhere_and_what_a_median_may_explain_does() -> None:
    columns = {
        "output_tokens_per_s": pa.array([1000.0, 1000.0, 1000.0]),
        "osl_requested": pa.array([100, 100, 100]),
        "concurrency": pa.array([64, 17, 20]),
        "load_kind": pa.array(["closed"] * 3),
        "e2el_ms_mean": pa.array([1000.0, None, None]),  # 10 answers a second of 1 s are 10 in flight
        "e2el_ms_p50": pa.array([None, 1000.0, 1000.0]),
    }
    found = with_doubts(columns, 3)
    assert found is not None
    kinds = [[flag["kind"] for flag in json.loads(one)] for one in found.to_pylist()]
    assert kinds == [["littles-law"], ["littles-law-by-median"], ["littles-law"]]
    assert [flags.weight(kind) for (kind,) in kinds] == ["excludes", "warns", "excludes"]


def test_more_in_flight_than_were_let_in_ranks_nowhere_however_it_is_stated() -> None:
    """6,000 tokens/s on each of 8 chips are 46.9 answers a second of 1,024 tokens, of 5 s each: 234 of 64."""
    columns = {
        "output_tokens_per_s_per_accelerator": pa.array([6000.0, 1000.0]),
        "accelerators": pa.array([8, 8]),
        "osl_requested": pa.array([1024, 1024]),
        "e2el_ms_mean": pa.array([5000.0, 5000.0]),
        "concurrency": pa.array([64, 64]),
        "load_kind": pa.array(["unknown", "unknown"]),
    }
    found = with_doubts(columns, 2)
    assert found is not None
    first, other = found.to_pylist()
    assert [flag["kind"] for flag in json.loads(first)] == ["littles-law"]
    assert other is None
