"""llm-d Benchmark Reports: each value by its own unit, each name by its tool, chips only where they are known."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from bench.errors import InputError
from bench.library.library import Library
from tests.formats.reading_of import one_point, passports, read_points, reading

SAMPLES = Path(__file__).parents[1] / "samples" / "llmd_report"


def sample(name: str = "replicas_0_2.yaml") -> Any:
    """A sample as a document; JSON is YAML too."""
    return yaml.safe_load((SAMPLES / name).read_text())


def written(folder: Path, report: object) -> Path:
    path = folder / "report.json"
    path.write_text(json.dumps(report, default=str))
    return path


def test_guidellms_names_mean_other_things() -> None:
    """Its TPOT spreads the whole request over the tokens (1.2 s / 100), its ITL is (1.2 - 0.2) / 99."""
    (point,), _ = read_points(SAMPLES / "guidellm_0_2.yaml")
    assert point["ntpot_ms_mean"] == pytest.approx(12)
    assert point["tpot_ms_mean"] == pytest.approx(10.1)
    assert "itl_ms_mean" not in point
    assert (point["load_kind"], point["request_rate"], point["osl_requested"]) == ("open", 4, 100)
    assert "isl_requested" not in point


def test_several_layouts_of_those_that_decode_are_none(tmp_path: Path) -> None:
    report = sample("disaggregated_0_1.json")
    report["scenario"]["host"]["accelerator"][2]["parallelism"]["tp"] = 4
    point = one_point(written(tmp_path, report))
    assert not {"tp", "ep", "dp", "pp"} & point.keys()
    assert (point["prefill_tp"], point["decode_workers"], point["decode_accelerators"]) == (2, 2, 16)


def test_replicas_that_prefill_and_decode_count_with_their_devices(tmp_path: Path) -> None:
    """3 replicas of 2 devices prefill, 2 of 8 decode: 6 + 16 devices, one to a chip of an H200."""
    report = sample()
    (engine,) = (one for one in report["scenario"]["stack"] if "accelerator" in one["standardized"])
    parts = []
    for role, replicas, count in (("prefill", 3, 2), ("decode", 2, 8)):
        accelerator = {"model": "H200", "count": count, "parallelism": {"tp": count}}
        said = {"role": role, "replicas": replicas, "accelerator": accelerator}
        parts.append({**engine, "standardized": engine["standardized"] | said})
    report["scenario"]["stack"] = parts
    point = one_point(written(tmp_path, report))
    stated = {
        "disaggregated": True,
        "accelerators": 22,
        "devices": 22,
        "prefill_accelerators": 6,
        "prefill_workers": 3,
        "prefill_tp": 2,
        "decode_accelerators": 16,
        "decode_workers": 2,
        "tp": 8,
    }
    assert {key: point[key] for key in stated} == stated


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("tp", 2.5, "standardized.tp in report.json is 2.5"),
        ("concurrency", -1, "concurrency"),
        ("request_rate", 0, "request_rate"),
        ("isl_actual", -5, "isl_actual"),
        ("dp_attention", 1, "dp_attention"),
        ("load_kind", "steady", "load_kind"),
        ("model", ["a"], "model"),
    ],
)
def test_what_kneepoint_states_beside_the_schema_is_checked_too(
    tmp_path: Path, key: str, value: object, said: str
) -> None:
    with pytest.raises(InputError, match=said):
        read_points(with_beside(tmp_path, **{key: value}))


def test_what_kneepoint_states_beside_the_schema_counts_more_but_is_no_evidence(tmp_path: Path) -> None:
    facts = {"model": "my-model", "checkpoint": None, "load_kind": "saturated", "concurrency": None, "repeat": 2}
    beside = with_beside(tmp_path, **facts, evidence="projected", ttft_ms_p50=1)
    point = one_point(beside)
    assert {key: point.get(key) for key in facts} == facts
    assert (point["evidence"], point["ttft_ms_p50"], point["accelerators"]) == ("measured", 240, 8)
    for told in ("evidence", "ttft_ms_p50"):
        assert f"scenario.stack[].standardized.{told}" in reading(beside).not_understood


def with_beside(folder: Path, **facts: object) -> Path:
    """A report of two replicas with these facts beside the schema."""
    report = sample()
    said = {"kind": "generic", "tool": "kneepoint", "tool_version": "1", **facts}
    own = {"metadata": {"label": "kneepoint", "cfg_id": "a"}, "standardized": said, "native": {}}
    report["scenario"]["stack"].insert(0, own)
    return written(folder, report)


def test_devices_of_a_tpu_are_chips_only_where_somebody_says_so(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    (imported,) = library.add([SAMPLES / "tpu_0_2_1.json"]).imported
    figures = "accelerators, devices, tp, output_tokens_per_s_per_accelerator"
    assert library.fetch(f"SELECT {figures} FROM points") == [(None, 8, 8, None)]
    library.set_facts(imported.sha256, {"accelerators": 4})
    assert library.fetch(f"SELECT {figures} FROM points") == [(4, 8, 8, 499.0)]


@pytest.mark.parametrize("named", ["tpu7x-standard-4t", "Abacus 9000"])
def test_devices_of_an_accelerator_that_nobody_knows_are_not_its_chips(tmp_path: Path, named: str) -> None:
    report = sample("tpu_0_2_1.json")
    for component in report["scenario"]["stack"]:
        if "accelerator" in component["standardized"]:
            component["standardized"]["accelerator"]["model"] = named
    point = one_point(written(tmp_path, report))
    assert point["devices"] == 8
    assert "accelerators" not in point


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (("latency", "request_latency", "units"), "us", "is 'us'"),
        (("latency", "request_latency", "units"), "ms", "cannot be above e2el_ms_mean"),
        (("throughput", "request_rate", "units"), "queries/min", "is 'queries/min'"),
        (("throughput", "output_token_rate", "units"), "queries/s", "is 'queries/s'"),
        (("throughput", "request_rate", "units"), None, "units in report.json is None"),
        (("requests", "input_length", "units"), "bytes", "is 'bytes'"),
    ],
)
def test_what_cannot_be_is_refused(tmp_path: Path, place: tuple[str, ...], value: object, said: str) -> None:
    report = sample()
    here = report["results"]["request_performance"]["aggregate"]
    for step in place[:-1]:
        here = here[step]
    here[place[-1]] = value
    with pytest.raises(InputError, match=said):
        read_points(written(tmp_path, report))


def test_requests_still_under_way_at_the_end_have_not_failed(tmp_path: Path) -> None:
    """As GuideLLM's own file says it: of 100 requests 10 were cut off, so 90 ended well and none failed."""
    report = sample("guidellm_0_2.yaml")
    requests = report["results"]["request_performance"]["aggregate"]["requests"]
    requests |= {"total": 100, "failures": 0, "incomplete": 10}
    point = one_point(written(tmp_path, report))
    assert (point["requests_ok"], point["requests_failed"], point["failed_share"]) == (90, 0, 0)
    assert not [flag for flag in json.loads(point.get("flags") or "[]") if flag["kind"] == "failures"]
    assert "10 requests" in point["note"]
    requests["failures"] = 95  # more than the total together, so how many ended well is not known
    point = one_point(written(tmp_path, report))
    assert point["requests_failed"] == 95
    assert not {"requests_ok", "failed_share"} & point.keys()


@pytest.mark.parametrize(
    ("duration", "seconds"),
    # 800 requests ended well at 8 a second, so 100 s were measured.
    [("PT100S", 100), ("PT1M40.5S", 100.5), ("PT0H1M39.5S", 99.5), ("PT130S", None), ("100 s", None), (100, None)],
)
def test_the_time_of_an_experiment_is_the_windows_only_where_its_rate_is_over_it(
    tmp_path: Path, duration: object, seconds: float | None
) -> None:
    report = sample()
    report["run"]["time"] = {"duration": duration}
    point = one_point(written(tmp_path, report))
    assert point.get("duration_s") == seconds


def test_a_latency_of_zero_is_told_and_passports_say_which_requests_where_it_is_known(tmp_path: Path) -> None:
    report = sample("guidellm_0_2.yaml")
    latency = report["results"]["request_performance"]["aggregate"]["latency"]
    latency["time_to_first_token"]["p99"] = 0
    load = report["scenario"]["load"]["standardized"]
    for tool, over in [("guidellm", True), ("vllm-benchmark", True), ("inference-perf", True), ("other", False)]:
        load["tool"] = tool
        path = written(tmp_path, report)
        point = one_point(path)
        assert "ttft_ms_p99" in point["note"]
        said = {row["definition"] for key, row in passports(path).items() if "_ms_" in key}
        assert {"over the requests that ended well" in definition for definition in said} == {over}
