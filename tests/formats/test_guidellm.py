"""GuideLLM reports: its TPOT is normalised TPOT, its ITL is TPOT, seconds and ms by key, a point for each benchmark."""

from __future__ import annotations

import codecs
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
from tests.formats.reading_of import one_point, passports, read_points, reading
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


def test_a_report_says_what_its_text_says() -> None:
    point = one_point(sample("concurrency-4"))
    stated = {
        "model": "mock-model",
        "checkpoint": "mock-model",
        "load_kind": "closed",
        "concurrency": 4,
        "isl_requested": 100,
        "isl_actual": 46.916666666666664,
        "osl_requested": 128,
        "osl_actual": 128.0,
        "dataset": "synthetic",
        "source": "guidellm",
        "harness": "guidellm",
        "harness_version": "0.8.1",
        "evidence": "measured",
        "origin": "imported",
        "duration_s": 3.627958059310913,
        "output_tokens_per_s": 846.757308044374,
        "input_tokens_per_s": 310.36742475845216,
        "total_tokens_per_s": 1157.1247328028262,
        "requests_per_s": 6.615291469096672,
        "requests_ok": 24,
        "requests_failed": 0,
        "failed_share": 0,
        "input_tokens": 1126,
        "output_tokens": 3072,
        "locator": "benchmarks/0",
    }
    assert {key: point[key] for key in stated} == stated
    assert point["date"].isoformat() == "2026-11-20"
    latencies = {
        "ttft_ms_mean": 36.05805834134419,
        "ttft_ms_p50": 35.69483757019043,
        "ttft_ms_p99": 40.232181549072266,
        "tpot_ms_mean": 4.400452603818238,
        "tpot_ms_p50": 4.397365990586168,
        "tpot_ms_p90": 4.409048500962145,
        "ntpot_ms_mean": 4.647777648642659,
        "ntpot_ms_p50": 4.646485671401024,
        "ttft_ms_p0_1": 32.8364372253418,
        "e2el_ms_mean": 595.5950816472371,
        "e2el_ms_p50": 595.3450202941895,
        "e2el_ms_p99": 599.6990203857422,
        "e2el_ms_p99_9": 599.6990203857422,
        "e2el_ms_p1": 591.3686752319336,
        "ttft_ms_std": 1.8239064673390464,
    }
    assert {key: point[key] for key in latencies} == pytest.approx(latencies, rel=1e-12)
    assert not {"accelerator", "accelerators", "tp", "engine", "itl_ms_mean"} & point.keys()


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


@pytest.mark.parametrize(
    ("name", "ttft", "gap", "rate"),
    [("concurrency-4", 34.436, 4.39696, 846.95), ("concurrency-16", 35.854, 5.55996, 2609.5)],
)
def test_it_agrees_with_the_servers_own_log(name: str, ttft: float, gap: float, rate: float) -> None:
    """The client sees a first token later than the server sends it, by up to 6 ms at 16 requests at once."""
    (point,), _ = read_points(sample(name))
    assert ttft <= point["ttft_ms_p50"] <= ttft + 6
    assert point["tpot_ms_p50"] == pytest.approx(gap, rel=0.002)
    assert point["output_tokens_per_s"] == pytest.approx(rate, rel=0.01)


def test_failures_are_kept_and_latencies_are_of_the_others() -> None:
    (point,), _ = read_points(sample("failures-concurrency-16"))
    assert (point["requests_ok"], point["requests_failed"]) == (135, 65)
    assert point["failed_share"] == 0.325
    assert point["output_tokens"] == 135 * 128
    assert point["output_tokens_per_s"] == pytest.approx(17280 / 6.140587091445923, rel=1e-6)
    assert point["ttft_ms_p50"] == 35.31336784362793
    kinds = {flag["kind"]: flag["seen"] for flag in json.loads(point["flags"])}
    assert kinds["failures"] == "65 of 200 requests failed (32%)."
    assert "mean generation delay was 9%" in kinds["client_limited"]


def test_each_benchmark_of_a_sweep_is_a_point_at_its_own_load() -> None:
    points, _ = read_points(sample("version-1"))
    keys = ("load_kind", "concurrency", "request_rate", "arrivals")
    assert [tuple(point.get(key) for key in keys) for point in points] == [
        ("closed", 1, None, None),
        ("saturated", None, None, None),
        ("open", None, 10.0, "constant"),
    ]
    first, second, third = points
    assert first["checkpoint"] == "meta-llama/Llama-3.1-8B-Instruct"
    assert first["model"] == "llama-3.1-8b"
    assert (first["isl_requested"], first["osl_requested"]) == (1000, 5)
    assert first["harness_version"] == "0.5.1"
    assert [point["ttft_ms_p50"] for point in points] == pytest.approx([40, 130, 50], abs=0.001)
    assert [point["tpot_ms_mean"] for point in points] == pytest.approx([10, 20, 12.5], abs=0.001)
    assert [point["ntpot_ms_mean"] for point in points] == pytest.approx([16, 43, 20], abs=0.001)
    assert [point["e2el_ms_mean"] for point in points] == pytest.approx([81, 216, 101], abs=0.001)
    assert second["output_tokens_per_s"] == 80
    assert (second["requests_ok"], second["requests_failed"]) == (8, 2)
    assert "3 requests were still under way" in second["note"]
    assert "At most 512" in second["note"]
    assert "note" not in third


def test_reports_of_0_3_have_no_normalised_tpot() -> None:
    """Their label TPOT stands for (last token - first token) / n, which is neither TPOT nor the normalised one."""
    first, second = read_points(sample("version-0.3"))[0]
    document = json.loads(sample("version-0.3").read_text())["benchmarks"][0]["metrics"]
    assert document["time_per_output_token_ms"]["successful"]["mean"] == pytest.approx(15 * 4 / 5, abs=0.001)
    assert not [key for key in first if key.startswith("ntpot")]
    assert first["tpot_ms_mean"] == pytest.approx(15, abs=0.001)
    assert first["e2el_ms_mean"] == pytest.approx(60 + 4 * 15 + 1, abs=0.001)
    assert (first["requests_ok"], first["requests_failed"]) == (6, 2)
    assert (first["load_kind"], first["concurrency"]) == ("closed", 3)
    assert (second["load_kind"], second["request_rate"], second["arrivals"]) == ("open", 20.0, "poisson")
    assert (first["isl_requested"], first["osl_requested"], first["model"]) == (512, 5, "qwen2.5-7b-instruct")
    assert "harness_version" not in first
    assert first["output_tokens_per_s"] == 125
    assert "input_tokens_per_s" not in first


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ("prompt_tokens=1000,output_tokens=3", Workload(isl_requested=1000, osl_requested=3, dataset="synthetic")),
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
        ("abisee/cnn_dailymail", Workload(dataset="abisee/cnn_dailymail")),
        ("/home/someone/prompts.jsonl", Workload(dataset="prompts.jsonl")),
        ("{'prompt_tokens': 8}", Workload()),
        ('{"prompt_tokens": "many"}', Workload(dataset="synthetic")),
        (None, Workload()),
    ],
)
def test_what_was_asked_is_read_from_whatever_was_typed(data: object, expected: Workload) -> None:
    assert workload(data) == expected


@given(st.integers(1, 100_000_000), st.integers(1, 100_000_000))
def test_every_way_to_write_two_lengths_says_the_same(isl: int, osl: int) -> None:
    lengths = {"prompt_tokens": isl, "output_tokens": osl}
    written = [lengths, json.dumps(lengths), f" prompt_tokens={isl}, output_tokens = {osl} "]
    assert {workload(data) for data in written} == {Workload(isl_requested=isl, osl_requested=osl, dataset="synthetic")}


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
    assert reading(path).not_understood == ()


def test_of_a_sample_of_its_requests_nothing_is_computed(tmp_path: Path) -> None:
    def sampled(benchmark: Any) -> None:
        benchmark["metrics"]["time_to_first_token_ms"]["successful"].update(min=0.0, mean=1.0)
        del benchmark["requests"]["successful"][5:]

    (point,), _ = read_points(changed(tmp_path, sampled))
    assert not [key for key in point if key.startswith("ttft")]
    assert point["tpot_ms_mean"] > 0
    assert point["note"].startswith("ttft_ms is left out: a request without a value counts as 0 ms in it")


def with_warm_up(report: Any, version: str | None) -> None:
    """2 of 6 s are warm-up: 24 answers of 128 tokens over the 6 s, 16 of the ends within the 4 s."""
    if version is None:
        del report["metadata"]["guidellm_version"]
    else:
        report["metadata"]["guidellm_version"] = version
    benchmark = report["benchmarks"][0]
    benchmark.update(duration=4.0, warmup_duration=2.0)
    benchmark["metrics"]["requests_per_second"]["successful"]["mean"] = 4.0
    benchmark["metrics"]["output_tokens_per_second"]["successful"]["mean"] = 3072 / 6


@pytest.mark.parametrize(
    ("version", "differ"), [("0.5.1", True), ("0.7.0", True), (None, True), ("0.8.1", False), ("1.0.0", False)]
)
def test_before_0_8_a_warm_up_is_cut_from_the_rate_of_requests_only(
    version: str | None, differ: bool, tmp_path: Path
) -> None:
    report = json.loads(sample("concurrency-4").read_text())
    with_warm_up(report, version)
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report))
    held, (point,) = passports(path), read_points(path)[0]
    flags = {flag["kind"]: flag for flag in json.loads(point["flags"])}
    assert "warm-up and cool-down cut" in held["requests_per_s"]["window"]
    for key in ("output_tokens_per_s", "input_tokens_per_s", "total_tokens_per_s"):
        assert ("not cut" in held[key]["window"]) == differ, key
    assert ("windows-differ" in flags) == differ
    if differ:
        assert flags["windows-differ"]["seen"] == (
            "Tokens per second are over 6 s, requests per second over the 4 s left when 2 s of warm-up and 0 s of "
            "cool-down are cut."
        )


def test_without_a_warm_up_no_windows_differ() -> None:
    for name in ("concurrency-4", "version-1", "version-0.3"):
        for point in read_points(sample(name))[0]:
            assert "windows-differ" not in point.get("flags", "")


def test_a_latency_in_the_wrong_unit_is_refused(tmp_path: Path) -> None:
    def in_ms(benchmark: Any) -> None:
        values = benchmark["metrics"]["request_latency"]["successful"]
        for key in ("mean", "median", "min", "max"):
            values[key] *= 1000
        values["percentiles"] = {key: value * 1000 for key, value in values["percentiles"].items()}

    with pytest.raises(InputError, match=r"benchmarks/0 e2el_ms_mean is 595595, but .* the unit is not ms"):
        reading(changed(tmp_path, in_ms))


def test_a_first_token_in_seconds_is_told_from_one_in_ms(tmp_path: Path) -> None:
    def later(benchmark: Any) -> None:
        values = benchmark["metrics"]["time_to_first_token_ms"]["successful"]
        values["mean"] *= 1000

    with pytest.raises(InputError, match="cannot be above e2el_ms_mean"):
        reading(changed(tmp_path, later))


def test_a_number_that_is_text_is_refused_with_its_place(tmp_path: Path) -> None:
    def text(benchmark: Any) -> None:
        benchmark["metrics"]["inter_token_latency_ms"]["successful"]["mean"] = "4.4"

    with pytest.raises(
        InputError, match=r"benchmarks\[0\]\.metrics\.inter_token_latency_ms\.successful\.mean in report"
    ):
        reading(changed(tmp_path, text))


def test_infinite_figures_are_absent(tmp_path: Path) -> None:
    def infinite(benchmark: Any) -> None:
        benchmark["metrics"]["time_to_first_token_ms"]["successful"].update(max=float("inf"), std_dev=float("nan"))

    (point,), _ = read_points(changed(tmp_path, infinite))
    assert not {"ttft_ms_max", "ttft_ms_std"} & point.keys()
    assert point["ttft_ms_p99"] == 40.232181549072266


def test_unknown_keys_are_told_and_the_known_ones_are_not(tmp_path: Path) -> None:
    for name in ("concurrency-4", "version-1", "version-0.3"):
        assert reading(sample(name)).not_understood == ()

    def newer(benchmark: Any) -> None:
        benchmark["metrics"]["time_to_last_joke_ms"] = {"successful": {"mean": 1.0}}

    assert reading(changed(tmp_path, newer)).not_understood == ("benchmarks[].metrics.time_to_last_joke_ms",)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_other_encodings_are_taken(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(sample("version-1").read_text().encode(encoding))
    assert path.read_bytes().startswith((codecs.BOM_UTF8, codecs.BOM_UTF16))
    assert len(read_points(path)[0]) == 3


def test_a_report_cut_off_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(sample("concurrency-4").read_bytes()[:-5000])
    with pytest.raises(InputError, match=r"report\.json ends in the middle of its JSON"):
        reading(path)


def test_a_run_without_a_benchmark_is_told(tmp_path: Path) -> None:
    document = json.loads(sample("concurrency-4").read_text())
    document["benchmarks"] = []
    path = tmp_path / "report.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InputError, match="holds no benchmark"):
        reading(path)


def test_levels_of_different_files_are_one_series(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    report = library.add([sample("concurrency-4"), sample("concurrency-16")])
    assert [source.points for source in report.imported] == [1, 1]
    assert {"engine", "accelerator", "accelerators"} <= {fact.fact for fact in report.missing_facts}
    rows = library.fetch("SELECT concurrency, output_tokens_per_s_per_accelerator FROM points ORDER BY 1")
    assert rows == [(4, None), (16, None)]


@pytest.mark.parametrize("name", some(["concurrency-4", "version-1", "version-0.3"], 1))
@pytest.mark.parametrize("sort_keys", some([True, False], 1))
def test_the_same_report_as_yaml_is_the_same_points(name: str, sort_keys: bool, tmp_path: Path) -> None:
    """GuideLLM sorts the keys of its YAML, so that what tells its version comes last, far beyond the head."""
    path = tmp_path / "benchmarks.yaml"
    path.write_text(yaml.safe_dump(json.loads(sample(name).read_text()), sort_keys=sort_keys))
    assert read_points(path) == read_points(sample(name))


def test_a_run_in_json_and_yaml_counts_once_and_another_run_s_yaml_stands(tmp_path: Path) -> None:
    for name in ("concurrency-4", "concurrency-16"):
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump(json.loads(sample(name).read_text())))
    (tmp_path / "benchmarks.json").write_bytes(sample("concurrency-4").read_bytes())
    library = Library.open(tmp_path / "library", shipped=False)
    report = library.add(sorted(tmp_path.glob("*.*")))
    assert {Path(row.file).name for row in report.imported} == {"benchmarks.json", "concurrency-16.yaml"}
    assert "concurrency-4.yaml only repeats" in report.refused[0].reason
    assert library.add([tmp_path / "concurrency-4.yaml"]).already


def test_yaml_that_is_too_large_names_its_twin(tmp_path: Path) -> None:
    path = tmp_path / "benchmarks.yaml"
    text = yaml.safe_dump(json.loads(sample("concurrency-4").read_text()))
    path.write_text(text + "".join(f"more_{number}: {'x' * 90}\n" for number in range(9000)))
    with pytest.raises(InputError) as problem:
        reading(path)
    assert str(problem.value) == (
        f"benchmarks.yaml has {path.stat().st_size:,} bytes; YAML is read up to 1,000,000, so save it as JSON, or "
        "import the benchmarks.json of the same run (--output kind=json)."
    )
