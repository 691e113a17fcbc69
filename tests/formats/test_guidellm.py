"""GuideLLM reports: its TPOT is normalised TPOT, its ITL is TPOT, seconds and ms by key, a point for each benchmark."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import InputError
from bench.formats.guidellm.dataset import workload
from bench.library.library import Library
from bench.records import Workload
from tests.formats.reading_of import passports, read_points, reading
from tests.thorough import some

SAMPLES = Path(__file__).parents[1] / "samples" / "guidellm"


def sample(name: str) -> Path:
    return SAMPLES / name / "benchmarks.json"


def changed(tmp_path: Path, change: Callable[[Any], object], name: str = "concurrency-4") -> Path:
    """The sample with its first benchmark changed."""
    document = json.loads(sample(name).read_text())
    change(document["benchmarks"][0])
    path = tmp_path / "report.json"
    path.write_text(json.dumps(document))
    return path


def test_the_seconds_are_seconds_and_the_milliseconds_are_not() -> None:
    """24 requests of 595.6 ms, four at a time, take 3.57 s; in another unit they would not fit into 3.63 s."""
    (point,), _ = read_points(sample("concurrency-4"))
    assert point["requests_ok"] * point["e2el_ms_mean"] / 1000 / 4 == pytest.approx(3.5736, abs=1e-4)
    assert passports(sample("concurrency-4"))["e2el_ms_mean"]["unit_in_file"] == "s"
    assert passports(sample("concurrency-4"))["ttft_ms_mean"]["unit_in_file"] == "ms"


def test_its_tpot_is_the_normalised_one_and_its_itl_is_tpot() -> None:
    """Of one request with 128 tokens: 34.65 ms to the first, 558.5 ms from there to the last."""
    request = json.loads(sample("concurrency-4").read_text())["benchmarks"][0]["requests"]["successful"][0]
    times = request["info"]["timings"]
    start, first, last = (times[key] for key in ("request_start", "first_token_iteration", "last_token_iteration"))
    assert request["time_per_output_token_ms"] == pytest.approx(1000 * (last - start) / 128)
    assert request["inter_token_latency_ms"] == pytest.approx(1000 * (last - first) / 127)
    (point,), _ = read_points(sample("concurrency-4"))
    assert point["tpot_ms_mean"] == pytest.approx((595.595 - 36.058) / 127, rel=0.002)
    assert point["ntpot_ms_mean"] == pytest.approx(595.595 / 128, rel=0.002)
    held = passports(sample("concurrency-4"))
    assert "GuideLLM's ITL" in held["tpot_ms_mean"]["definition"]
    assert "GuideLLM's TPOT" in held["ntpot_ms_mean"]["definition"]


def test_reports_of_0_3_have_no_normalised_tpot() -> None:
    """Their label TPOT stands for (last token - first token) / n, which is neither TPOT nor the normalised one."""
    first = read_points(sample("version-0.3"))[0][0]
    document = json.loads(sample("version-0.3").read_text())["benchmarks"][0]["metrics"]
    assert document["time_per_output_token_ms"]["successful"]["mean"] == pytest.approx(15 * 4 / 5, abs=0.001)
    assert not [key for key in first if key.startswith("ntpot")]
    assert first["tpot_ms_mean"] == pytest.approx(15, abs=0.001)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("prompt_tokens=1000, output_tokens = 3", Workload(isl_requested=1000, osl_requested=3, dataset="synthetic")),
        ('{"prompt_tokens": 8, "output_tokens": 9}', Workload(isl_requested=8, osl_requested=9, dataset="synthetic")),
        ({"prompt_tokens": 8, "turns": 1}, Workload(isl_requested=8, dataset="synthetic")),
        ("prompt_tokens=8,output_tokens=9,turns=3", Workload(dataset="synthetic", turns=3)),
        (
            {"prompt_tokens": 75, "output_tokens": 9, "prefix_tokens": 25},
            Workload(isl_requested=100, osl_requested=9, dataset="synthetic", shared_prefix_share=0.25),
        ),
        (
            {"prompt_tokens": 75, "output_tokens": 9, "prefix_buckets": [{"prefix_tokens": 1}]},
            Workload(osl_requested=9, dataset="synthetic"),
        ),
        ("/home/someone/prompts.jsonl", Workload(dataset="prompts.jsonl")),
        ('{"prompt_tokens": "many"}', Workload(dataset="synthetic")),
        (None, Workload()),
    ],
)
def test_what_was_asked_is_read_from_whatever_was_typed(data: object, expected: Workload) -> None:
    assert workload(data) == expected


@given(st.text() | st.dictionaries(st.text(), st.integers() | st.text() | st.none()) | st.binary())
def test_whatever_was_typed_there_is_no_crash(data: object) -> None:
    assert isinstance(workload(data), Workload)


def test_requests_without_a_value_do_not_count_as_0(tmp_path: Path) -> None:
    """GuideLLM counts them so: where a 0 is among the first tokens, the requests are asked."""

    def drop_two(benchmark: Any) -> None:
        ttft = benchmark["metrics"]["time_to_first_token_ms"]["successful"]
        ttft.update(min=0.0, mean=1.0)
        for request in benchmark["requests"]["successful"][:2]:
            request["time_to_first_token_ms"] = None

    path = changed(tmp_path, drop_two)
    (point,), _ = read_points(path)
    requests = json.loads(path.read_text())["benchmarks"][0]["requests"]["successful"]
    values = [request["time_to_first_token_ms"] for request in requests[2:]]
    assert len(values) == 22
    assert point["ttft_ms_mean"] == pytest.approx(sum(values) / 22)
    assert point["ttft_ms_max"] == max(values)
    assert "computed anew" in passports(path)["ttft_ms_mean"]["definition"]


def test_of_a_sample_of_its_requests_nothing_is_computed(tmp_path: Path) -> None:
    def sampled(benchmark: Any) -> None:
        benchmark["metrics"]["time_to_first_token_ms"]["successful"].update(min=0.0, mean=1.0)
        del benchmark["requests"]["successful"][5:]

    (point,), _ = read_points(changed(tmp_path, sampled))
    assert not [key for key in point if key.startswith("ttft")]
    assert point["tpot_ms_mean"] > 0
    assert "ttft_ms is left out" in point["note"]


def of_version(version: str | None, rates: dict[str, float], tmp_path: Path, **changes: float) -> Path:
    """The sample as a report of that version, with these rates in it."""
    report = json.loads(sample("concurrency-4").read_text())
    if version is None:
        del report["metadata"]["guidellm_version"]
    else:
        report["metadata"]["guidellm_version"] = version
    benchmark = report["benchmarks"][0]
    benchmark.update(changes)
    for name, value in rates.items():
        benchmark["metrics"][name]["successful"]["mean"] = value
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report))
    return path


RATES = {
    "output_tokens_per_s": "output_tokens_per_second",
    "input_tokens_per_s": "prompt_tokens_per_second",
    "total_tokens_per_s": "tokens_per_second",
}


@pytest.mark.parametrize("version", ["0.5.1", "0.7.0", None])
def test_before_0_8_rates_of_tokens_are_computed_over_the_time_of_the_requests(
    version: str | None, tmp_path: Path
) -> None:
    """All requests start at once: their input took no time from the first TTFT to the last, their output less than the
    run, and both have 2 of 6 s of warm-up inside, of which 4 s are measured."""
    stated = {"prompt_tokens_per_second": 6e6, "output_tokens_per_second": 1900.0, "tokens_per_second": 2200.0}
    stated["requests_per_second"] = 4.0
    path = of_version(version, stated, tmp_path, duration=4.0, warmup_duration=2.0)
    (point,), held = read_points(path)[0], passports(path)
    assert point["requests_per_s"] == 4
    assert point["output_tokens_per_s"] == pytest.approx(4 * point["osl_actual"])
    assert point["input_tokens_per_s"] == pytest.approx(4 * point["isl_actual"])
    assert point["total_tokens_per_s"] == pytest.approx(4 * (point["isl_actual"] + point["osl_actual"]))
    assert {held[key]["window"] for key in (*RATES, "requests_per_s")} == {held["duration_s"]["window"]}
    assert all("computed" in held[key]["definition"] for key in RATES)
    assert "rates_differ" not in point["flags"]


@pytest.mark.parametrize("version", ["0.8.1", "1.0.0"])
def test_from_0_8_on_rates_of_tokens_are_those_of_the_report(version: str, tmp_path: Path) -> None:
    before = read_points(sample("concurrency-4"))[0][0]
    stated = {name: before[key] * 1.01 for key, name in RATES.items()}
    (point,), _ = read_points(of_version(version, stated, tmp_path))
    assert {RATES[key]: point[key] for key in RATES} == pytest.approx(stated)


@pytest.mark.parametrize("name", some(["version-1", "version-0.3", "concurrency-4"], 1))
@pytest.mark.parametrize("sort_keys", some([True, False], 1))
def test_the_same_report_as_yaml_is_the_same_points(name: str, sort_keys: bool, tmp_path: Path) -> None:
    """GuideLLM sorts the keys of its YAML, so that what tells its version comes last, far beyond the head."""
    path = tmp_path / "benchmarks.yaml"
    path.write_text(yaml.safe_dump(json.loads(sample(name).read_text()), sort_keys=sort_keys))
    assert read_points(path) == read_points(sample(name))


def test_a_run_in_json_and_yaml_counts_once_and_another_run_s_yaml_stands(tmp_path: Path) -> None:
    for name in ("version-1", "version-0.3"):
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(json.loads(sample(name).read_text())))
    (tmp_path / "benchmarks.json").write_bytes(sample("version-1").read_bytes())
    library = Library.open(tmp_path / "library", shipped=False)
    report = library.add(sorted(tmp_path.glob("*.*")))
    assert {Path(row.file).name for row in report.imported} == {"benchmarks.json", "version-0.3.yaml"}
    assert "version-1.yaml only repeats" in report.refused[0].reason
    assert library.add([tmp_path / "version-1.yaml"]).already


def test_yaml_that_is_too_large_names_its_twin(tmp_path: Path) -> None:
    path = tmp_path / "benchmarks.yaml"
    text = yaml.safe_dump(json.loads(sample("version-1").read_text()))
    path.write_text(text + "".join(f"more_{number}: {'x' * 90}\n" for number in range(10_000)))
    with pytest.raises(InputError) as problem:
        reading(path)
    assert "import the benchmarks.json of the same run" in str(problem.value)
