"""Whole columns are judged and checked as single points are."""

from __future__ import annotations

import csv
import dataclasses
import json
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.catalogue import is_metric
from bench.formats import published
from bench.formats.plausibility import Contradiction, front_door
from bench.formats.plausibility.columns import contradicted, with_doubts
from bench.formats.reading import SourceFile
from bench.formats.reading.point_table import POINT_COLUMNS
from bench.records import DEPLOYMENT_FIELDS, LOAD_FIELDS, WORKLOAD_FIELDS, Deployment, Load, Point, Workload

Row = dict[str, Any]

NUMBERS = st.none() | st.floats(0.001, 1e5)
METRICS = (
    *("output_tokens_per_s", "input_tokens_per_s", "total_tokens_per_s", "requests_per_s"),
    *("output_tokens_per_s_per_accelerator", "total_tokens_per_s_per_accelerator"),
    *("output_tokens_per_s_per_decode_accelerator", "input_tokens_per_s_per_prefill_accelerator"),
    *("requests_ok", "output_tokens", "input_tokens", "duration_s"),
    *("e2el_ms_mean", "e2el_ms_p50", "tpot_ms_mean", "tpot_ms_p50"),
    *("ttft_ms_mean", "ttft_ms_p50", "ntpot_ms_mean", "ntpot_ms_p50", "itl_ms_mean", "requests_failed"),
)
LENGTHS = st.none() | st.integers(1, 100_000)
CHIPS = st.none() | st.integers(1, 64)
LOADS = st.sampled_from(["closed", "open", "saturated", "batch", "unknown"])
ARRIVALS = st.sampled_from([None, "poisson", "constant", "gamma, burstiness 0.5"])
ABOUT = {
    "isl_requested": LENGTHS,
    "osl_requested": LENGTHS,
    "isl_actual": NUMBERS,
    "osl_actual": NUMBERS,
    "turns": st.none() | st.just(3.0),
    "shared_prefix_share": st.none() | st.just(0.5),
    "load_kind": LOADS,
    "concurrency": st.none() | st.integers(1, 5000),
    "request_rate": NUMBERS,
    "arrivals": ARRIVALS,
    "accelerators": CHIPS,
    "decode_accelerators": CHIPS,
    "prefill_accelerators": CHIPS,
}
ROWS = st.lists(st.fixed_dictionaries({**dict.fromkeys(METRICS, NUMBERS), **ABOUT}), min_size=1, max_size=4)

FACTORS = (0.001, 0.3, 0.6, 0.7, 0.94, 1.0, 1.06, 1.4, 1.6, 3.0, 150.0)


@st.composite
def nearly_true(draw: st.DrawFn) -> Row:
    """A row of figures that follow from each other, of which some are left out and two are off by a factor each."""
    isl, osl, many = draw(st.integers(1, 10_000)), draw(st.integers(2, 10_000)), draw(st.integers(1, 5000))
    chips, decode, prefill = (draw(st.integers(1, 64)) for _ in range(3))
    took, duration = draw(st.floats(1.0, 1e6)), draw(st.floats(1.0, 1e4))
    requests = many / took * 1000
    true: Row = {
        "requests_per_s": requests,
        "output_tokens_per_s": requests * osl,
        "input_tokens_per_s": requests * isl,
        "total_tokens_per_s": requests * (isl + osl),
        "output_tokens_per_s_per_accelerator": requests * osl / chips,
        "total_tokens_per_s_per_accelerator": requests * (isl + osl) / chips,
        "output_tokens_per_s_per_decode_accelerator": requests * osl / decode,
        "input_tokens_per_s_per_prefill_accelerator": requests * isl / prefill,
        "duration_s": duration,
        "requests_ok": requests * duration,
        "output_tokens": requests * duration * osl,
        "input_tokens": requests * duration * isl,
        "e2el_ms_mean": took,
        "e2el_ms_p50": took,
        "tpot_ms_mean": took / osl,
        "tpot_ms_p50": took / osl,
        "interactivity_tokens_per_s_per_user_mean": 1000 * osl / took,
        "interactivity_tokens_per_s_per_user_p50": 1000 * osl / took,
        "ttft_ms_mean": took / 2,
        "ttft_ms_p50": took / 2,
        "ntpot_ms_mean": took / osl,
        "itl_ms_mean": took / 2,
        "isl_actual": float(isl),
        "osl_actual": float(osl),
    }
    left_out = draw(st.sets(st.sampled_from(sorted(true))))
    off = draw(st.dictionaries(st.sampled_from(sorted(true)), st.sampled_from(FACTORS), max_size=2))
    row = {key: None if key in left_out else value * off.get(key, 1.0) for key, value in true.items()}
    about = {
        "isl_requested": isl,
        "osl_requested": osl,
        "turns": draw(st.sampled_from([None, 3.0])),
        "shared_prefix_share": draw(st.sampled_from([None, 0.5])),
        "load_kind": draw(LOADS),
        "concurrency": draw(st.sampled_from([None, many])),
        "request_rate": draw(st.sampled_from([None, requests])),
        "arrivals": draw(ARRIVALS),
        "accelerators": draw(st.sampled_from([None, chips])),
        "decode_accelerators": draw(st.sampled_from([None, decode])),
        "prefill_accelerators": prefill,
    }
    return {**dict.fromkeys(METRICS), **row, **about}


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


def columns_of(rows: list[Row]) -> dict[str, pa.Array]:
    return {key: pa.array([row[key] for row in rows], POINT_COLUMNS.get(key, pa.float64())) for key in rows[0]}


def point_of(row: Row) -> Point:
    """The point that a reader makes of these figures."""
    deployment, workload, load = (
        {key: row[key] for key in fields if key in row} for fields in (DEPLOYMENT_FIELDS, WORKLOAD_FIELDS, LOAD_FIELDS)
    )
    metrics = {key: float(value) for key, value in row.items() if is_metric(key) and value is not None}
    return Point(Deployment(**deployment), Workload(**workload), Load(**load), metrics, "row 2", "made")


def is_refused(row: Row) -> bool:
    """Whether a point with the figures of a row does not pass the front door."""
    try:
        front_door.check("", point_of(row))
    except Contradiction:
        return True
    return False


@given(rows=OF_A_RUN)
def test_a_row_of_a_table_is_refused_where_a_point_with_its_figures_is(
    rows: list[Row], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("table") / "own.csv"
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, ["model", *rows[0]])
        writer.writeheader()
        writer.writerows({"model": "m", **row} for row in rows)
    reading = published.read(SourceFile(path))
    taken = {row["locator"] for batch in reading.points for row in batch.to_pylist()}  # type: ignore[union-attr]
    for place, row in enumerate(rows, start=2):  # the first line is the header
        assert (f"row {place}" in taken) == (not is_refused(row)), (row, reading.refusals)


@given(ROWS | st.lists(nearly_true(), min_size=1, max_size=4))
def test_a_column_passes_the_front_door_as_its_points_do(rows: list[Row]) -> None:
    """Whatever arithmetic on whole columns leaves out has no flag and is not refused."""
    columns = columns_of(rows)
    found = with_doubts(columns, len(rows))
    refused = contradicted(columns, len(rows))
    assert refused.keys() == {place for place, row in enumerate(rows) if is_refused(row)}
    for place, row in enumerate(rows):
        wanted = [dataclasses.asdict(flag) for flag in front_door.doubts(point_of(row))]
        assert json.loads((found[place].as_py() if found is not None else None) or "[]") == wanted


OPEN = {"load_kind": "open", "request_rate": 10.0}
LET_IN = {"load_kind": "unknown", "concurrency": 64, "osl_requested": 100}
COUNTED = {"output_tokens_per_s": 1500.0, "isl_actual": 1024.0, "osl_actual": 256.0}


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ({**OPEN, "requests_per_s": 11.7, "requests_ok": 1000.0}, "more_than_sent"),
        ({**OPEN, "requests_per_s": 11.8, "requests_ok": 10.0, "arrivals": "constant"}, "more_than_sent"),
        ({**OPEN, "output_tokens_per_s_per_accelerator": 1600.0, "osl_requested": 100}, "more_than_sent"),
        ({**LET_IN, "output_tokens_per_s_per_accelerator": 9700.0, "e2el_ms_mean": 1000.0}, "littles-law"),
        ({**LET_IN, "output_tokens_per_s_per_decode_accelerator": 25_700.0, "tpot_ms_mean": 10.0}, "littles-law"),
        (
            {**LET_IN, "isl_requested": 100, "total_tokens_per_s_per_accelerator": 40_000.0, "e2el_ms_mean": 1000.0},
            "littles-law",
        ),
        ({**LET_IN, "requests_per_s": 97.0, "ttft_ms_mean": 1000.0}, "littles-law"),
        ({**LET_IN, "osl_actual": 100.0, "requests_per_s": 257.0, "tpot_ms_mean": 10.0}, "littles-law"),
        ({**LET_IN, "requests_per_s": 193.0, "ttft_ms_p50": 1000.0}, "littles-law"),
        ({**LET_IN, "requests_per_s": 257.0, "itl_ms_mean": 1000.0}, "littles-law"),
        ({**LET_IN, "output_tokens_per_s": 25_700.0, "ntpot_ms_mean": 10.0}, "littles-law"),
        ({**LET_IN, "output_tokens_per_s": 25_700.0, "ntpot_ms_p50": 10.0}, "littles-law"),
        ({**LET_IN, "output_tokens_per_s": 25_700.0, "interactivity_tokens_per_s_per_user_p50": 100.0}, "littles-law"),
        ({"output_tokens_per_s_per_accelerator": 1500.0, "output_tokens_per_s": 1400.0}, "rates_differ"),
        ({**COUNTED, "total_tokens_per_s": 8300.0}, "rates_differ"),
        ({**COUNTED, "total_tokens_per_s": 6800.0}, "rates_differ"),
        ({"output_tokens_per_s": 1500.0, "input_tokens_per_s": 6000.0, "total_tokens_per_s": 11_300.0}, "rates_differ"),
    ],
)
def test_a_column_is_looked_at_where_only_one_rule_speaks(row: Row, kind: str) -> None:
    found = with_doubts(columns_of([row]), 1)
    assert found is not None
    assert [flag["kind"] for flag in json.loads(found[0].as_py())] == [kind]


def test_a_flag_that_a_row_states_is_not_added_again() -> None:
    stated = json.dumps([{"kind": "too_fast", "seen": "a mock", "why": "", "do": ""}])
    columns = {"tpot_ms_mean": pa.array([0.001, 0.001]), "flags": pa.array([stated, None])}
    found = with_doubts(columns, 2)
    assert found is not None
    assert found[0].as_py() == stated
    assert [flag["kind"] for flag in json.loads(found[1].as_py())] == ["too_fast"]


def test_a_flag_goes_where_figures_earned_it_only_as_they_were_read() -> None:
    def flag(kind: str, seen: str = "by hand") -> dict[str, str]:
        return {"kind": kind, "seen": seen, "why": "the client pauses", "do": "d"}

    def columns(tpot: float, concurrency: int, *flags: dict[str, str]) -> dict[str, pa.Array]:
        """6,400 tokens/s in answers of 100 that take 1 s: 64 in flight."""
        return {
            "output_tokens_per_s": pa.array([6400.0]),
            "osl_requested": pa.array([100]),
            "e2el_ms_mean": pa.array([1000.0]),
            "tpot_ms_mean": pa.array([tpot]),
            "concurrency": pa.array([concurrency]),
            "load_kind": pa.array(["closed"]),
            "flags": pa.array([json.dumps(flags) if flags else None]),
        }

    earned = with_doubts(columns(10.0, 8), 1)
    assert earned is not None
    law = flag("littles-law", json.loads(earned[0].as_py())[0]["seen"])

    def judged(then: int, now: int, *flags: dict[str, str]) -> list[dict[str, str]]:
        found = with_doubts(columns(10.0, now, *flags), 1, columns(10.0, then, *flags))
        return json.loads(found[0].as_py()) if found is not None else []

    other = flag("capped")
    assert judged(8, 64, law) == []
    assert judged(8, 64, other, law) == [other]
    assert [one["kind"] for one in judged(64, 8, other)] == ["capped", "littles-law"]
    assert judged(64, 64, other, flag("littles-law")) == [other, flag("littles-law")]
    assert judged(8, 8, law) == [law]
    (still,) = judged(8, 16, law)
    assert "concurrency is 16" in still["seen"]
    assert still["why"] == "the client pauses"
    assert judged(8, 16, flag("littles-law")) == [flag("littles-law")]
