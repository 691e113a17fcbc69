"""Benchmark Reports of llm-d: a measured point comes back but for what is told in its report, others are left out."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import catalogue
from bench.export import LeftOut, format_named, llmd_report
from bench.formats.llmd_report.own_fields import FACTS
from bench.library import Library
from bench.view import View
from tests.formats.reading_of import one_point
from tests.library.files import table
from tests.thorough import EVERY, times

LEFT_TO_THE_IMPORT = set(
    "point_id source_id deployment_id workload_id series_id source locator isl osl note flags origin restated_in"
    " source_url".split()
)
"""What an import gives a point anew, works out of the rest, or what docs/exporting.md says is in no report."""

SERVED = {
    "model": "llama-3.1-70b",
    "engine": "vllm",
    "accelerator": "h200-sxm",
    "accelerators": 8,
    "tp": 8,
    "isl_requested": 1024,
    "osl_requested": 512,
    "load_kind": "closed",
    "concurrency": 4,
}
COUNT = st.integers(1, 64) | st.sampled_from([2**31, 2**53])
FACT = {
    "model": st.sampled_from(["llama-3.1-405b", "qwen3-8b", "my-model"]),
    "checkpoint": st.sampled_from(["nvidia/Llama-3.1-405B-Instruct-FP4", "Qwen/Qwen3-8B", "llama-7b"]),
    "precision": st.sampled_from(["fp4", "bf16"]),
    "engine": st.sampled_from(["vllm", "my-engine"]),
    "engine_version": st.sampled_from(["0.11.0", "unknown build"]),
    "accelerator": st.sampled_from(["h100-sxm", "tpu-v7x", "gb200", "my-chip"]),
    **dict.fromkeys("accelerators devices nodes tp pp dp ep prefill_accelerators decode_accelerators".split(), COUNT),
    **dict.fromkeys(("prefill_tp", "prefill_ep"), COUNT),
    **dict.fromkeys(("prefill_workers", "decode_workers", "context_tokens", "repeat"), st.integers(0, 9)),
    **dict.fromkeys(("dp_attention", "disaggregated", "prefill_dp_attention", "prefix_caching"), st.booleans()),
    "speculation": st.sampled_from(["none", "mtp"]),
    "variant": st.sampled_from(["2 replicas", "a, b", "long," * 819]),
    **dict.fromkeys(("isl_requested", "osl_requested", "max_model_len"), st.integers(1, 2**31)),
    **dict.fromkeys(("isl_actual", "osl_actual"), st.floats(0, 1e6)),
    "dataset": st.sampled_from(["random", "sharegpt"]),
    "shared_prefix_share": st.floats(0, 1),
    **dict.fromkeys(("turns", "request_rate"), st.floats(1e-3, 1e6)),
    "concurrency": COUNT,
    "batch": COUNT,
    "arrivals": st.just("poisson"),
    "scenario": st.just("offline"),
    "harness": st.sampled_from(["guidellm", "AIPerf", "rvllm client not stated"]),
    "harness_version": st.just("1.2"),
}
NEVER_LOST = {*FACTS, "date", "evidence", "output_tokens_per_s", "ttft_ms_mean", "tpot_ms_mean"}
LOADS = st.sampled_from(["closed", "open", "batch", "saturated", "scenario", "unknown"])


def there_and_back(row: Mapping[str, Any], folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """The report of a measured point and the point that it is read as."""
    bare = {"point_id": "1" * 16, "evidence": "measured", "source": "a", "total_tokens_per_s": 100.0}
    report = llmd_report.report(bare | {**row})
    path = folder / "report.json"
    path.write_text(json.dumps(report))
    return report, one_point(path)


def points(held: Library, sql: str = "SELECT * FROM points") -> list[dict[str, Any]]:
    """The rows of a query, None where a value is absent."""
    rows = held.query(sql)
    found = rows.astype(object).where(rows.notna(), None).to_dict("records")
    return [{str(key): value for key, value in row.items()} for row in found]


def come_back(held: Library, sql: str, folder: Path) -> tuple[int, set[str]]:
    """How many points come back of a report, and what of any did not, all of which its own report tells.

    The others are told to be left out.
    """
    came, lost = 0, set()
    with zipfile.ZipFile(io.BytesIO(llmd_report.written(held.query(sql)))) as archive:
        members = set(archive.namelist())
        for row in points(held, sql):
            name = f"{row['point_id']}.json"
            assert (name in members) == (llmd_report.why_left_out(row) is None)
            if name in members:
                archive.extract(name, folder)
                lost |= not_back(row, folder / name)
                came += 1
    return came, lost


def not_back(row: Mapping[str, Any], report: Path) -> set[str]:
    """What of a point does not come back of its report; each with its value stands there."""
    point = one_point(report)
    described = json.loads(report.read_text())["run"]["description"]
    _, _, beyond = described.removesuffix(".").partition("Beyond this schema: ")
    told = dict(part.partition(" ")[::2] for part in beyond.split(", "))
    lost = set()
    for key in (row.keys() | point.keys()) - LEFT_TO_THE_IMPORT - set(catalogue.derivable(row)):
        value = row.get(key)
        value = value.date() if key == "date" and value is not None else value
        if point.get(key) != value:
            assert float(told[key]) == value, key
            lost.add(key)
    return lost


@pytest.mark.long
def test_every_kind_of_point_comes_back_but_for_what_its_report_tells(shipped: Library, tmp_path: Path) -> None:
    """Of the shipped sources a point of each, and of each kind of load and evidence; in the full run many more."""
    kinds = "source, evidence, load_kind, disaggregated, accelerators IS NULL, requests_failed IS NULL"
    more = ", model, precision, accelerator, devices IS NULL, scenario, prefill_accelerators IS NULL" if EVERY else ""
    of_each = f"row_number() OVER (PARTITION BY {kinds}{more} ORDER BY point_id) = 1"
    came, lost = come_back(shipped, f"SELECT * FROM points QUALIFY {of_each}", tmp_path)
    assert came >= 12
    assert not lost & NEVER_LOST


@pytest.mark.long
@settings(max_examples=times(60, 20))
@given(facts=st.fixed_dictionaries({"load_kind": LOADS}, optional=FACT))
def test_every_fact_of_a_point_comes_back_in_whatever_company(
    facts: dict[str, Any], tmp_path_factory: pytest.TempPathFactory
) -> None:
    _, point = there_and_back(facts, tmp_path_factory.mktemp("report"))
    assert {key: point.get(key) for key in FACTS} == {key: facts.get(key) for key in FACTS}


def test_prefill_and_decode_are_components_of_their_own(tmp_path: Path) -> None:
    """8 chips prefill in 2 workers of 4 devices; 16 decode in 3 workers, which are not as many devices each."""
    row = SERVED | {
        "disaggregated": True,
        "accelerators": 24,
        "prefill_accelerators": 8,
        "decode_accelerators": 16,
        "prefill_workers": 2,
        "decode_workers": 3,
        "prefill_tp": 4,
    }
    report, point = there_and_back(row, tmp_path)
    prefill, decode, beside = report["scenario"]["stack"]
    assert [(one["standardized"]["role"], one["standardized"]["replicas"]) for one in (prefill, decode)] == [
        ("prefill", 2),
        ("decode", 1),
    ]
    assert [one["standardized"]["accelerator"]["count"] for one in (prefill, decode)] == [4, 16]
    assert [one["standardized"]["accelerator"]["parallelism"]["tp"] for one in (prefill, decode)] == [4, 8]
    assert beside["standardized"]["decode_workers"] == 3
    assert {key: point[key] for key in row} == row


def test_what_was_not_measured_and_what_has_no_figure_are_left_out_and_told(tmp_path: Path) -> None:
    kinds = ("measured", "projected", "simulated", "estimated", "unverified")
    measured = [{"evidence": kind, "repeat": number} for number, kind in enumerate(kinds)]
    bare = {"output_tokens_per_s": None, "tpot_ms_p50": None}
    only = [
        bare | {"repeat": 6, "mlperf_samples_per_s": 5.0},
        bare | {"repeat": 7, "ttft_ms_p50": 5.0},
        bare | {"repeat": 8, "itl_ms_mean": 5.0, "harness": "GuideLLM"},
        bare | {"repeat": 9, "itl_ms_mean": 5.0, "harness": "vllm-bench"},
    ]
    held = Library.open(tmp_path / "library", shipped=False)
    held.add([table(tmp_path / "a.csv", *measured, *only)])
    kind = format_named("llm-d")
    with zipfile.ZipFile(io.BytesIO(kind.write(held, View()))) as archive:
        archive.extractall(tmp_path / "reports")
    left_out = kind.left_out(held, View())
    assert left_out == (LeftOut(4, llmd_report.NOT_MEASURED), LeftOut(3, llmd_report.NO_PLACE))
    back = [one_point(path) for path in (tmp_path / "reports").iterdir()]
    assert {(point["repeat"], point["evidence"]) for point in back} == {(0, "measured"), (9, "measured")}
    assert kind.left_out(held, View.of({"harness": ["vllm-bench"]})) == ()


@pytest.mark.long
@settings(max_examples=times(40, 15))
@given(
    harness=st.sampled_from([None, "kneepoint", "vllm-bench", "guidellm", "aiperf", "rvllm client not stated"]),
    version=st.none() | st.from_regex(r"[0-9]\.[0-9]{1,2}(\.post[0-9])?", fullmatch=True),
    latencies=st.fixed_dictionaries(
        {},
        optional={
            "ttft_ms_mean": st.floats(100, 102),
            "tpot_ms_mean": st.floats(10, 10.1),
            "tpot_ms_p99": st.floats(11, 12),
            "itl_ms_mean": st.floats(9.8, 9.9),
            "ntpot_ms_mean": st.floats(10.2, 10.3),
            "e2el_ms_mean": st.floats(5200, 5250),
        },
    ),
)
def test_a_report_of_llm_d_comes_back_as_measured_by_the_tool_that_measured_it(
    harness: str | None, version: str | None, latencies: dict[str, float], tmp_path_factory: pytest.TempPathFactory
) -> None:
    row = {"isl_requested": 1024, "harness": harness, "harness_version": version, **latencies}
    report, point = there_and_back(row, tmp_path_factory.mktemp("report"))
    assert (point.get("harness"), point.get("harness_version")) == (harness, version)
    back = {
        key: value for key, value in point.items() if key.split("_ms_")[0] in ("ttft", "tpot", "itl", "ntpot", "e2el")
    }
    beyond = report["run"]["description"]
    assert all(back[key] == pytest.approx(latencies[key]) for key in back)
    assert [key for key in latencies if key not in back and f"{key} " not in beyond] == []


def test_a_report_names_nothing_that_the_schema_forbids(tmp_path: Path) -> None:
    """schema_v0_2.py of llm-d-benchmark forbids further keys; these are the ones it has at each place."""
    aggregate = "results.request_performance.aggregate"
    known = {
        "": "version run scenario results",
        "run": "uid eid cid pid time user description keywords",
        "scenario": "stack load",
        "scenario.load.standardized": "tool tool_version parallelism source stage input_seq_len output_seq_len prefix"
        " multi_turn rate_qps concurrency",
        aggregate: "requests latency throughput",
        f"{aggregate}.latency.time_to_first_token": "units mean mode stddev min max p0p1 p1 p5 p10 p25 p50 p75 p90 p95"
        " p99 p99p9",
    }
    statistics = ("mean", "std", "min", "p0_1", "p1", "p50", "p90", "p99", "p99_9", "max")
    report, _ = there_and_back(SERVED | {f"ttft_ms_{name}": 5.0 for name in statistics}, tmp_path)
    for place, keys in known.items():
        here = report
        for step in filter(None, place.split(".")):
            here = here[step]
        assert set(here) <= set(keys.split()), place


def test_a_duration_and_a_random_dataset_have_a_place_in_a_report_of_llm_d(tmp_path: Path) -> None:
    """95 requests at 2.5 a second took 38 s."""
    row = {"requests_ok": 95, "requests_failed": 5, "requests_per_s": 2.5, "duration_s": 38.0, "dataset": "random"}
    report, point = there_and_back(SERVED | row, tmp_path)
    assert report["run"]["time"]["duration"] == "PT38S"
    assert report["scenario"]["load"]["standardized"]["source"] == "random"
    assert (point["duration_s"], point["dataset"], point["requests_ok"]) == (38, "random", 95)
