"""AIPerf: its ITL is TPOT and its ICL is ITL, the unit beside a number rules, each measurement counts once.

What else its samples hold is in tests/samples/aiperf/.expected.json.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.errors import InputError
from bench.formats.aiperf import companions
from bench.library.library import Library
from tests.formats.reading_of import passports, read_points, reading

SAMPLES = Path(__file__).parents[1] / "samples" / "aiperf"
RUN, REQUESTS = "profile_export_aiperf.json", "profile_export.jsonl"
TRIALS, SWEEP = "profile_export_aiperf_aggregate.json", "profile_export_aiperf_sweep.json"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(SAMPLES / "concurrency-4", tmp_path / "run"))


def changed(path: Path, change: Callable[[Any], object]) -> Path:
    """The file with its document changed, of lines with each of them changed."""
    lines = path.suffix == ".jsonl"
    documents = [json.loads(line) for line in (path.read_text().splitlines() if lines else [path.read_text()])]
    for document in documents:
        change(document)
    path.write_text("\n".join(json.dumps(document) for document in documents))
    return path


def test_its_itl_is_tpot_and_its_icl_is_itl() -> None:
    """Of every request: (latency - TTFT) / 127 is called ITL, and the 127 gaps themselves ICL."""
    records = [json.loads(line) for line in (SAMPLES / "concurrency-4" / REQUESTS).read_text().splitlines()]
    for record in records:
        values = {tag: block["value"] for tag, block in record["metrics"].items()}
        whole = (values["request_latency"] - values["time_to_first_token"]) / 127
        assert values["inter_token_latency"] == pytest.approx(whole)
        assert sum(values["inter_chunk_latency"]) / 127 == pytest.approx(whole)
    held = passports(SAMPLES / "concurrency-4" / RUN)
    assert "inter-token latency" in held["tpot_ms_p50"]["definition"]
    assert "inter-chunk latency" in held["itl_ms_p50"]["definition"]
    assert held["output_tokens_per_s"]["denominator"] == "the whole profiling phase, failed requests included"


def test_requests_alone_give_the_runs_figures(folder: Path) -> None:
    (run,), _ = read_points(folder / RUN)
    (folder / RUN).unlink()
    (alone,), _ = read_points(folder / REQUESTS)
    same = [key for key in alone if key.startswith(("ttft", "tpot", "itl", "e2el")) and not key.endswith("std")]
    assert len(same) >= 24
    assert {key: alone[key] for key in same} == pytest.approx({key: run[key] for key in same}, rel=1e-9)
    counted = ("requests_ok", "requests_failed", "input_tokens", "output_tokens", "isl_actual", "osl_actual")
    assert {key: alone[key] for key in counted} == {key: run[key] for key in counted}
    assert alone["duration_s"] == pytest.approx(run["duration_s"], abs=1e-6)
    assert alone["output_tokens_per_s"] == pytest.approx(run["output_tokens_per_s"], rel=0.002)
    assert alone["load_kind"] == "unknown"
    assert not {"model", "concurrency", "isl_requested", "harness_version"} & alone.keys()


def test_warm_up_and_cancelled_requests_are_no_results(folder: Path) -> None:
    lines = [json.loads(line) for line in (folder / REQUESTS).read_text().splitlines()]
    for line in lines[:4]:
        line["metadata"]["benchmark_phase"] = "warmup"
    lines[4]["error"] = {"code": 499, "type": "RequestCancellationError", "message": "cancelled"}
    lines[4]["metadata"]["was_cancelled"] = True
    (folder / RUN).unlink()
    (folder / REQUESTS).write_text("\n".join(json.dumps(line) for line in lines))
    (point,), _ = read_points(folder / REQUESTS)
    assert (point["requests_ok"], point["requests_failed"]) == (19, 1)
    values = [line["metrics"]["time_to_first_token"]["value"] for line in lines[5:]]
    assert point["ttft_ms_mean"] == pytest.approx(sum(values) / 19)


def test_percentiles_a_run_lacks_are_computed_from_its_requests(folder: Path) -> None:
    (whole,), _ = read_points(folder / RUN)

    def drop(run: Any) -> None:
        del run["inter_chunk_latency"]
        for percent in ("p95", "p99"):
            del run["time_to_first_token"][percent]

    (point,), _ = read_points(changed(folder / RUN, drop))
    for key in ("ttft_ms_p95", "ttft_ms_p99", "itl_ms_mean", "itl_ms_p50", "itl_ms_p99"):
        assert point[key] == pytest.approx(whole[key], rel=1e-9)
    assert "was not used" not in point["note"]
    assert "computed from the requests" in passports(folder / RUN)["ttft_ms_p99"]["definition"]
    assert "computed from the requests" not in passports(folder / RUN)["ttft_ms_p50"]["definition"]


@pytest.mark.parametrize("damage", ["others", "broken"])
def test_a_list_of_requests_that_does_not_fit_is_told_and_not_used(folder: Path, damage: str) -> None:
    changed(folder / RUN, lambda run: run["time_to_first_token"].pop("p99"))
    content = (folder / REQUESTS).read_bytes()
    half = b"".join(content.splitlines(keepends=True)[:12])
    (folder / REQUESTS).write_bytes(half if damage == "others" else content.replace(b'"value":128,', b'"value":"x",'))
    (point,), _ = read_points(folder / RUN)
    assert "ttft_ms_p99" not in point
    assert point["ttft_ms_p50"] == 37.483002
    assert f"{REQUESTS} beside it was not used" in point["note"]


def test_the_requests_of_another_run_are_no_companion(folder: Path) -> None:
    assert companions(folder / RUN) == (folder / REQUESTS,)
    changed(folder / REQUESTS, lambda line: line["metrics"]["request_latency"].update(value=9999.0))
    assert companions(folder / RUN) == ()


def test_the_unit_beside_a_number_rules() -> None:
    """request_latency in sec, inter_token_latency in us, benchmark_duration in ms."""
    path = SAMPLES / "version-0.1" / RUN
    (point,), _ = read_points(path)
    assert point["e2el_ms_mean"] == pytest.approx((140 + 147 + 154 + 161 + 168) / 5)
    assert point["tpot_ms_p50"] == pytest.approx(11)
    assert point["ttft_ms_p50"] == 44
    assert point["duration_s"] == pytest.approx(0.4)
    assert passports(path)["tpot_ms_p50"]["unit_in_file"] == "us"


@pytest.mark.parametrize(
    ("block", "said"),
    [
        ({"unit": "furlongs"}, "furlongs"),
        ({"unit": None}, "time_to_first_token in .* has no unit"),
        ({"unit": "sec"}, "ttft_ms_mean is 40612.8"),
    ],
)
def test_a_block_that_cannot_be_is_refused(folder: Path, block: dict[str, Any], said: str) -> None:
    path = changed(folder / RUN, lambda run: run["time_to_first_token"].update(block))
    with pytest.raises(InputError, match=said):
        reading(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda line: line["metrics"]["request_latency"].update(unit="parsecs"), "request_latency in .* is 'parsecs'"),
        (lambda line: line["metrics"]["request_latency"].update(unit=None), r"request_latency\.unit in line 1 of"),
        (lambda line: line["metrics"]["request_latency"].update(value=[600.0]), r"request_latency\.value in line 1 of"),
        (lambda line: line["metadata"].update(request_start_ns="now"), r"request_start_ns in line 1 of .* 'now'"),
        (lambda line: line["metadata"].update(benchmark_phase="warmup"), "no request of the profiling phase"),
    ],
)
def test_a_request_that_cannot_be_is_refused(folder: Path, change: Callable[[Any], object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        reading(changed(folder / REQUESTS, change))


def test_a_unit_that_changes_half_way_is_refused(folder: Path) -> None:
    lines = (folder / REQUESTS).read_text().splitlines()
    record = json.loads(lines[7])
    record["metrics"]["request_latency"].update(unit="sec")
    lines[7] = json.dumps(record)
    (folder / REQUESTS).write_text("\n".join(lines))
    with pytest.raises(InputError, match=r"in line 8 of .* is 'sec'"):
        reading(folder / REQUESTS)


def test_what_the_telemetry_calls_the_accelerators_is_taken_but_no_count(folder: Path) -> None:
    gpus = {f"gpu_{n}": {"gpu_index": n, "gpu_name": "NVIDIA H100 80GB HBM3", "metrics": {}} for n in range(8)}
    telemetry = {"endpoints": {"localhost:9400": {"gpus": gpus}}}
    (point,), _ = read_points(changed(folder / RUN, lambda run: run.update(telemetry_data=telemetry)))
    assert point["accelerator"].startswith(("h100", "nvidia-h100"))
    assert "accelerators" not in point


def test_a_cancelled_run_says_so(folder: Path) -> None:
    (point,), _ = read_points(changed(folder / RUN, lambda run: run.update(was_cancelled=True)))
    assert "cancelled" in point["note"]


def test_a_sum_over_trials_alone_is_a_result(tmp_path: Path) -> None:
    path = tmp_path / "aggregate" / TRIALS
    path.parent.mkdir()
    shutil.copy(SAMPLES / "levels/aggregate/concurrency_4" / TRIALS, path)
    (point,), _ = read_points(path)
    (run,), _ = read_points(SAMPLES / "levels/concurrency_4" / RUN)
    same = [key for key in run if key.startswith(("ttft", "tpot", "itl", "e2el")) or key.endswith("_per_s")]
    assert {key: point[key] for key in same} == {key: run[key] for key in same}
    assert (point["model"], point["concurrency"], point["requests_ok"]) == ("mock-model", 4, 24)

    def three(sums: Any) -> None:
        sums["metadata"].update(num_profile_runs=3, num_successful_runs=3, single_run=False)

    (point,), _ = read_points(changed(path, three))
    assert "mean over 3 trials" in passports(path)["ttft_ms_p99"]["definition"]


def test_a_sweeps_sum_alone_has_a_point_for_each_cell(tmp_path: Path) -> None:
    path = tmp_path / SWEEP
    shutil.copy(SAMPLES / "levels/sweep_aggregate" / SWEEP, path)
    points, _ = read_points(path)
    assert [(point["load_kind"], point["concurrency"]) for point in points] == [("closed", n) for n in (1, 4, 16)]
    for point in points:
        (run,), _ = read_points(SAMPLES / f"levels/concurrency_{point['concurrency']}" / RUN)
        for key in ("ttft_ms_p50", "tpot_ms_p99", "itl_ms_mean", "e2el_ms_p90", "output_tokens_per_s", "isl_actual"):
            assert point[key] == pytest.approx(run[key])


def test_of_a_sweeps_sums_those_of_its_cells_are_the_results(tmp_path: Path) -> None:
    for part in ("aggregate", "sweep_aggregate"):
        shutil.copytree(SAMPLES / "levels" / part, tmp_path / "sums" / part)
    library = Library.open(tmp_path / "library", shipped=False)
    report = library.add([tmp_path / "sums"])
    assert [Path(source.file).name for source in report.imported] == [TRIALS] * 3
    assert [Path(row.file).name for row in report.refused] == [SWEEP]


def test_trials_of_another_sweep_are_kept(tmp_path: Path) -> None:
    """Beside a run whose mean latency is not among those of the trials, the sum is of others."""
    shutil.copy(SAMPLES / "concurrency-4" / RUN, tmp_path)
    shutil.copy(SAMPLES / "levels/aggregate/concurrency_16" / TRIALS, tmp_path)
    library = Library.open(tmp_path / "library", shipped=False)
    report = library.add([tmp_path / RUN, tmp_path / TRIALS])
    assert len(report.imported) == 2
    assert report.refused == []


def phase(name: str = "profiling", load: str = "concurrency", **more: object) -> dict[str, object]:
    return {"name": name, "type": load, **more}


@pytest.mark.parametrize(
    ("phases", "expected"),
    [
        ([phase("warmup", concurrency=1), phase(load="poisson", rate=2.5)], ("open", None, 2.5, "poisson")),
        ([phase(load="fixed_schedule")], ("open", None, None, "trace")),
        ([phase(load="user_centric", users=3, rate=1.0)], ("unknown", None, None, None)),
        ([phase(concurrency=4, adaptive_scale=True)], ("unknown", None, None, None)),
        ([phase(f"{n}", kind="profiling", concurrency=n) for n in (4, 8)], ("unknown", None, None, None)),
    ],
)
def test_the_load_is_that_of_the_profiling_phase(folder: Path, phases: list[Any], expected: tuple[Any, ...]) -> None:
    (point,), _ = read_points(changed(folder / RUN, lambda run: run["input_config"].update(phases=phases)))
    assert tuple(point.get(key) for key in ("load_kind", "concurrency", "request_rate", "arrivals")) == expected
