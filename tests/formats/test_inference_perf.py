"""inference-perf reports: seconds become ms, a stage is a result, and what mixes stages or requests is none."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from bench.errors import InputError
from bench.library.library import Library
from tests.formats.reading_of import one_point, passports_of, read_points, reading

SAMPLES = Path(__file__).parents[1] / "samples" / "inference_perf"
STAGE = "stage_0_lifecycle_metrics.json"


@pytest.fixture
def report(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SAMPLES / "concurrency-4", tmp_path / "report"))


def changed(report: Path, **values: object) -> Path:
    """The stage with the values at these paths (`successes__count`) replaced."""
    path = report / STAGE
    document = json.loads(path.read_text())
    for place, value in values.items():
        *parents, last = place.split("__")
        here = document
        for parent in parents:
            here = here[parent]
        here[last] = value
    path.write_text(json.dumps(document))
    return path


def test_a_stage_says_what_its_text_says() -> None:
    point = one_point(SAMPLES / "concurrency-4" / STAGE)
    stated = {
        "model": "mock-model",
        "checkpoint": "mock-model",
        "engine": "vllm",
        "load_kind": "closed",
        "concurrency": 4,
        "isl_requested": 100,
        "isl_actual": 48.375,
        "osl_requested": 32,
        "osl_actual": 32.0,
        "dataset": "random",
        "harness": "inference-perf",
        "evidence": "measured",
        "origin": "imported",
        "duration_s": 1.1487798420002946,
        "output_tokens_per_s": 668.5354076745743,
        "input_tokens_per_s": 1010.6375108205478,
        "total_tokens_per_s": 1679.172918495122,
        "requests_per_s": 20.89173148983045,
        "requests_ok": 24,
        "requests_failed": 0,
        "failed_share": 0,
        "input_tokens": 1161,
        "output_tokens": 768,
    }
    assert {key: point[key] for key in stated} == stated
    latencies = {
        "ttft_ms_mean": 35.90279358,
        "ttft_ms_p50": 35.2835915,
        "ttft_ms_p99": 41.5812651,
        "ttft_ms_p99_9": 42.12977001,
        "tpot_ms_mean": 4.31667794,
        "tpot_ms_p50": 4.32818353,
        "ntpot_ms_p50": 5.31825194,
        "ntpot_ms_mean": 5.32310045,
        "itl_ms_p50": 4.3144555,
        "itl_ms_p99": 8.77977380,
        "e2el_ms_p50": 170.184062,
        "e2el_ms_max": 174.38486900,
    }
    assert {key: point[key] for key in latencies} == pytest.approx(latencies)
    assert "accelerator" not in point
    assert "accelerators" not in point


def test_it_agrees_with_the_servers_own_log() -> None:
    """The server's log: TTFT p50 34.72 ms and 670.9 tokens/s over 1.145 s; the client is later and counts its tail."""
    (point,), _ = read_points(SAMPLES / "concurrency-4" / STAGE)
    assert point["ttft_ms_p50"] == pytest.approx(34.72, abs=1)
    assert point["tpot_ms_p50"] == pytest.approx(4.325, abs=0.01)
    assert point["output_tokens_per_s"] == pytest.approx(670.9, rel=0.01)


def test_interactivity_follows_from_tpot_and_not_from_the_normalised_one(report: Path, tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([report])
    ((interactivity, count),) = library.fetch(
        "SELECT interactivity_tokens_per_s_per_user_p50, count(*) OVER () FROM points"
    )
    assert count == 1
    assert interactivity == pytest.approx(1000 / 4.328183532262272)


def test_failures_are_kept_and_told() -> None:
    (point,), _ = read_points(SAMPLES / "failures-concurrency-16" / STAGE)
    assert (point["requests_ok"], point["requests_failed"], point["failed_share"]) == (147, 53, 0.265)
    failed, shorter = json.loads(point["flags"])
    assert failed["seen"] == "53 of 200 requests failed (26%)."
    assert shorter["kind"] == "isl_off_target"


def test_every_figure_has_a_passport_and_every_key_is_understood() -> None:
    found = reading(SAMPLES / "concurrency-4" / STAGE)
    assert found.not_understood == ()
    held = passports_of(found)
    assert (held["ttft_ms_p50"]["unit_in_file"], held["ttft_ms_p50"]["token_source"]) == ("s", "the tool's tokenizer")
    assert "last token - first token" in held["tpot_ms_p50"]["definition"]


def test_a_folder_holds_one_result_and_without_its_config_less_is_known(report: Path, tmp_path: Path) -> None:
    (report / "config.yaml").unlink()
    (point,), _ = read_points(report / STAGE)
    assert "model" not in point
    assert "isl_requested" not in point
    assert (point["load_kind"], point["concurrency"], point["isl_actual"]) == ("closed", 4, 48.375)


@pytest.mark.parametrize(
    ("file", "said"),
    [
        ("summary_lifecycle_metrics.json", "is the summary, which mixes all stages"),
        ("stage_0_prometheus_metrics.json", "holds what Prometheus saw"),
    ],
)
def test_what_is_no_result_says_what_is(report: Path, file: str, said: str) -> None:
    prometheus = {"load_summary": {"count": 60}, "successes": {"rate": 1.0, "queue_len": {"mean": 2}}, "failures": {}}
    (report / "stage_0_prometheus_metrics.json").write_text(json.dumps(prometheus))
    with pytest.raises(InputError, match=said):
        reading(report / file)


def test_an_open_stage_has_its_rate_and_tells_when_the_client_fell_behind(report: Path) -> None:
    config = (report / "config.yaml").read_text()
    (report / "config.yaml").write_text(config.replace("type: concurrent", "type: poisson"))
    path = changed(
        report, load_summary__concurrency=None, load_summary__schedule_delay={"mean": 12.57}, load_summary__count=24
    )
    (point,), _ = read_points(path)
    assert (point["load_kind"], point["request_rate"], point["arrivals"]) == ("open", 24, "poisson")
    assert json.loads(point["flags"])[0]["seen"] == "Requests were sent 12,570 ms behind their schedule on average."


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"successes__latency__request_latency__mean": 170.3}, "the unit is not ms|cannot be above"),
        ({"successes__latency__time_to_first_token__mean": "0.035"}, "time_to_first_token.mean in .* is '0.035'"),
        ({"successes__latency__time_to_first_token__median": 9.0}, "cannot be above"),
        ({"successes__count": 23.5}, None),
        ({"successes__count": 24.5}, "where load_summary.count is 24"),
        ({"successes__throughput": 12}, "successes.throughput in .* is 12; expected an object"),
        ({"successes": {"count": 0}}, "has no request"),
    ],
)
def test_what_cannot_be_is_refused(report: Path, change: dict[str, object], said: str | None) -> None:
    path = changed(report, **change)
    if said is None:
        assert read_points(path)[0]
        return
    with pytest.raises(InputError, match=said):
        read_points(path)


def test_a_new_key_is_told_and_does_no_harm(report: Path) -> None:
    found = reading(changed(report, successes__latency__time_to_think={"mean": 1}))
    assert found.not_understood == ("successes.latency.time_to_think",)
