"""vLLM's results: what the files' own text says, in the units of the catalogue, and nothing that it does not say."""

from __future__ import annotations

import json
import math
import statistics
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.errors import InputError
from bench.formats import recognise
from bench.formats.reading import SourceFile
from bench.library.library import Library
from tests.formats.reading_of import one_point, passports, read_points, reading

SAMPLES = Path(__file__).parents[1] / "samples" / "vllm"
LISTS = (
    "input_lens",
    "output_lens",
    "ttfts",
    "itls",
    "latencies",
    "start_times",
    "queue_times",
    "generated_texts",
    "errors",
)


def sample(name: str = "concurrency-4.json") -> dict[str, Any]:
    found: dict[str, Any] = json.loads((SAMPLES / name).read_text())
    return found


def brief(**changes: object) -> dict[str, Any]:
    """What `vllm bench serve` writes without --save-detailed; a change to ... takes the key out."""
    result = {key: value for key, value in sample().items() if key not in LISTS} | changes
    return {key: value for key, value in result.items() if value is not ...}


def written(folder: Path, *results: object, name: str = "result.json") -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps(result) for result in results))
    return path


def test_a_result_says_what_its_text_says() -> None:
    found = one_point(SAMPLES / "concurrency-4.json")
    stated = {
        "model": "mock-model",
        "checkpoint": "mock-model",
        "load_kind": "closed",
        "concurrency": 4,
        "isl_actual": 51.0,
        "osl_actual": 128.0,
        "source": "vllm-bench",
        "harness": "vllm-bench",
        "evidence": "measured",
        "origin": "imported",
        "locator": "the document",
        "duration_s": 3.5804634659998555,
        "requests_ok": 24,
        "requests_failed": 0,
        "failed_share": 0,
        "input_tokens": 1224,
        "output_tokens": 3072,
        "requests_per_s": 6.7030428400972175,
        "output_tokens_per_s": 857.9894835324438,
        "total_tokens_per_s": 1199.844668377402,
        "peak_output_tokens_per_s": 871.0,
        "ttft_ms_mean": 39.24929620833003,
        "ttft_ms_p50": 36.192476499991244,
        "ttft_ms_p99": 56.65841868008556,
        "ttft_ms_std": 6.8705843726631315,
        "tpot_ms_mean": 4.383030693570009,
        "tpot_ms_p50": 4.398776570867522,
        "tpot_ms_p90": 4.400526422047167,
        "tpot_ms_p99": 4.402957251417908,
        "itl_ms_mean": 4.348788266276493,
        "itl_ms_p50": 4.396471999825735,
        "itl_ms_p95": 4.774863100101349,
        "itl_ms_p99": 7.133596929825216,
        "e2el_ms_mean": 595.8941942917212,
        "e2el_ms_p50": 594.9412549998669,
        "e2el_ms_p99": 603.0549450901526,
    }
    assert {key: found[key] for key in stated} == stated
    assert found["date"].isoformat() == "2026-11-20"
    assert found["input_tokens_per_s"] == pytest.approx(1224 / 3.5804634659998555)
    # What nobody told the tool: the lengths asked for, the engine (any may speak this dialect), the hardware.
    assert not found.keys() & {"isl_requested", "osl_requested", "engine", "accelerator", "accelerators", "tp"}


@pytest.mark.parametrize(
    ("level", "tokens_per_s", "ttft_p50", "mean_gap_p50"),
    [(4, 860.272, 34.498, 4.39979), (16, 2728.140, 34.792, 5.59469)],
)
def test_it_is_near_what_the_server_itself_saw(
    level: int, tokens_per_s: float, ttft_p50: float, mean_gap_p50: float
) -> None:
    """The server's own clock: throughput from its first to its last byte, the mean gap of a request as TPOT. The client
    shares two cores with it, so its first tokens are some milliseconds late."""
    found = one_point(SAMPLES / f"concurrency-{level}.json")
    assert found["output_tokens_per_s"] == pytest.approx(tokens_per_s, rel=0.005)
    assert found["tpot_ms_p50"] == pytest.approx(mean_gap_p50, rel=0.005)
    assert ttft_p50 < found["ttft_ms_p50"] < ttft_p50 + 6


def test_every_metric_has_a_passport_that_tells_the_tools_own_definition() -> None:
    found, held = one_point(SAMPLES / "concurrency-4.json"), passports(SAMPLES / "concurrency-4.json")
    assert held.keys() == {key for key in found if key.split("_ms")[0] in ("ttft", "tpot", "itl", "e2el")} | {
        "duration_s",
        "requests_ok",
        "requests_failed",
        "failed_share",
        "input_tokens",
        "output_tokens",
        "requests_per_s",
        "output_tokens_per_s",
        "input_tokens_per_s",
        "total_tokens_per_s",
        "peak_output_tokens_per_s",
    }
    assert "role-only" in held["ttft_ms_p50"]["definition"]
    assert "role-only" in held["itl_ms_p99"]["definition"]
    assert held["ttft_ms_p50"]["unit_in_file"] == "ms"
    assert held["e2el_ms_max"]["unit_in_file"] == "s"  # from the list of requests
    assert {row["window"] for row in held.values()} == {"the whole run, ramp and tail inside"}
    assert all("ended well" in row["definition"] for key, row in held.items() if key.startswith(("ttft", "e2el")))


def test_failures_are_kept_and_figures_are_over_the_rest() -> None:
    found = one_point(SAMPLES / "failures-concurrency-16.json")
    assert (found["requests_ok"], found["requests_failed"]) == (135, 65)
    assert found["failed_share"] == pytest.approx(65 / 200)
    assert found["osl_actual"] == 17280 / 135 == 128
    (flag,) = json.loads(found["flags"])
    assert (flag["kind"], flag["seen"]) == ("failures", "65 of 200 requests failed (32%).")
    # A request that broke off has a first token, of 0 or more seconds, which is in the list and in no figure.
    lists = sample("failures-concurrency-16.json")
    well = [place for place, error in enumerate(lists["errors"]) if not error]
    assert found["ttft_ms_min"] == pytest.approx(1000 * min(lists["ttfts"][place] for place in well))
    assert found["ttft_ms_max"] == pytest.approx(1000 * max(lists["ttfts"][place] for place in well))


def test_older_versions_tell_failures_only_by_what_is_missing(tmp_path: Path) -> None:
    found = one_point(written(tmp_path, brief(failed=..., num_prompts=30)))
    assert (found["requests_ok"], found["requests_failed"], found["failed_share"]) == (24, 6, 0.2)


def test_a_run_in_which_everything_failed_has_no_latency(tmp_path: Path) -> None:
    nothing = {key: 0 for key in brief() if key.endswith(("_ms", "_throughput")) or key.startswith("total_")}
    found = one_point(written(tmp_path, brief(completed=0, failed=24, **nothing)))
    assert (found["requests_ok"], found["failed_share"], found["output_tokens_per_s"]) == (0, 1, 0)
    assert not [key for key in found if "_ms_" in key]
    assert not found.keys() & {"isl_actual", "osl_actual"}


def test_percentiles_the_file_lacks_come_from_its_requests(tmp_path: Path) -> None:
    """By default the tool writes p99 alone, and no E2EL at all."""
    whole = sample("concurrency-16.json")
    kept = {key: value for key, value in whole.items() if "e2el" not in key and not key.startswith(("p50", "p9"))}
    without = {key: value for key, value in kept.items() if key not in ("latencies", "queue_times")}
    for result in (kept, without):  # before 0.30 there were no latencies: TTFT and gaps make them
        found = one_point(written(tmp_path, result))
        for latency in ("ttft", "tpot", "itl", "e2el"):
            for percent in (90, 95, 99):
                expected = whole[f"p{percent}_{latency}_ms"]
                assert found[f"{latency}_ms_p{percent}"] == pytest.approx(expected, rel=1e-6)
        assert found["e2el_ms_mean"] == pytest.approx(whole["mean_e2el_ms"], rel=1e-6)
        assert found["ttft_ms_max"] == pytest.approx(1000 * max(whole["ttfts"]))


def test_lists_of_other_requests_than_the_tools_give_nothing(tmp_path: Path) -> None:
    changed = sample() | {"ttfts": [2 * one for one in sample()["ttfts"]]}
    assert "ttft_ms_min" not in one_point(written(tmp_path, changed))
    fewer = sample() | {"completed": 20}
    assert "ttft_ms_min" not in one_point(written(tmp_path, fewer))
    with pytest.raises(InputError, match=r"lists of requests in result\.json have 23 to 24 entries"):
        read_points(written(tmp_path, sample() | {"ttfts": sample()["ttfts"][1:]}))


def test_keys_without_ms_are_seconds() -> None:
    path = SAMPLES / "seconds" / "glm5_fp8_vllm_tp8_isl1024_osl128_conc4.json"
    found = one_point(path)
    stated = {
        "checkpoint": "zai-org/GLM-5-FP8",
        "concurrency": 4,
        "isl_actual": 1024.0,
        "osl_actual": 128.0,
        "tp": 8,
        "isl_requested": 1024,
        "osl_requested": 128,
        "requests_ok": 40,
        "requests_failed": 0,
        "input_tokens_per_s": 1317.8212352978426,
        "output_tokens_per_s": 164.72765441223032,
        "total_tokens_per_s": 1317.8212352978426 + 164.72765441223032,
    }
    assert {key: found[key] for key in stated} == stated
    in_ms = {
        "ttft_ms_p50": 264.99967742711306,
        "ttft_ms_p99": 584.8183088190854,
        "tpot_ms_p50": 21.372462615488082,
        "e2el_ms_p50": 3022.5854497402906,
        "e2el_ms_p99": 3720.3497649915516,
    }
    assert {key: found[key] for key in in_ms} == pytest.approx(in_ms)
    assert "accelerators" not in found
    held = passports(path)
    assert held["ttft_ms_p50"]["unit_in_file"] == "s"
    assert "opening its connection" in held["ttft_ms_p50"]["definition"]


def test_a_name_is_believed_only_where_the_file_agrees(tmp_path: Path) -> None:
    result = sample("seconds/glm5_fp8_vllm_tp8_isl1024_osl128_conc4.json")
    assert one_point(written(tmp_path, result, name="x_tp8_isl1024_osl128_conc4.json"))["tp"] == 8
    assert "tp" not in one_point(written(tmp_path, result, name="x_tp8_isl1024_osl128_conc8.json"))
    assert "tp" not in one_point(written(tmp_path, brief(), name="x_tp8_isl1024_osl128_conc4.json"))


def test_seconds_under_the_name_of_milliseconds_are_refused(tmp_path: Path) -> None:
    latencies = {key: value for key, value in brief().items() if key.endswith("_ms")}
    for wrong in (1 / 1000, 1000.0):
        result = brief(**{key: value * wrong for key, value in latencies.items()})
        with pytest.raises(InputError, match=r"result\.json: in the document .* the unit is not ms"):
            read_points(written(tmp_path, result))


def test_microseconds_are_refused_without_a_concurrency_to_hold_them_against(tmp_path: Path) -> None:
    latencies = {key: 1000 * value for key, value in brief().items() if key.endswith("_ms")}
    with pytest.raises(InputError, match=r"ttft_ms_mean is 39249\.3, but the run took 3\.58046 s: the unit is not ms"):
        read_points(written(tmp_path, brief(max_concurrency=None, **latencies)))


def test_a_ttft_above_its_e2el_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"ttft_ms_p50 is 700, but it cannot be above e2el_ms_p50"):
        read_points(written(tmp_path, brief(**{f"{s}_ttft_ms": 700.0 for s in "median p50 p90 p95 p99".split()})))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {"load_kind": "closed", "concurrency": 4}),
        ({"max_concurrency": None}, {"load_kind": "saturated"}),
        ({"max_concurrency": None, "request_rate": math.inf}, {"load_kind": "saturated"}),
        (
            {"request_rate": 2.5, "max_concurrency": None},
            {"load_kind": "open", "request_rate": 2.5, "arrivals": "poisson"},
        ),
        (
            {"request_rate": 2.5, "burstiness": 0.5, "max_concurrency": None},
            {"load_kind": "open", "request_rate": 2.5, "arrivals": "gamma, burstiness 0.5"},
        ),
        ({"request_rate": 2.5}, {"load_kind": "open", "request_rate": 2.5, "arrivals": "poisson, at most 4 under way"}),
        (
            {"ramp_up_strategy": "linear", "ramp_up_start_rps": 1, "ramp_up_end_rps": 9},
            {"load_kind": "open", "arrivals": "linear ramp from 1 to 9 requests/s"},
        ),
        ({"request_rate": ..., "max_concurrency": ...}, {"load_kind": "unknown"}),
    ],
)
def test_the_kind_of_load(changes: dict[str, Any], expected: dict[str, Any], tmp_path: Path) -> None:
    found = one_point(written(tmp_path, brief(**changes)))
    keys = ("load_kind", "concurrency", "request_rate", "arrivals")
    assert {key: found[key] for key in keys if key in found} == expected


def test_metadata_becomes_facts_where_it_has_one_meaning(tmp_path: Path) -> None:
    """`--metadata tp=8 gpu=H200 …` is written between num_prompts and request_rate, all as texts."""
    result = brief(label="nightly")
    keys = list(result)
    place = keys.index("num_prompts") + 1
    metadata = {"tp": "8", "gpu": "H200", "num_gpus": "8", "engine": "vLLM", "dtype": "auto", "isl": "100", "run": "x"}
    mixed = {key: result[key] for key in keys[:place]} | metadata | {key: result[key] for key in keys[place:]}
    found = one_point(written(tmp_path, mixed))
    expected = {
        "tp": 8,
        "accelerator": "h200-sxm",
        "accelerators": 8,
        "engine": "vllm",
        "isl_requested": 100,
        "variant": "nightly, dtype=auto, run=x",
    }
    assert {key: found[key] for key in expected} == expected


def test_a_sweep_is_its_runs_once(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    report = library.add([SAMPLES / "sweep"])
    assert sorted(Path(source.file).name for source in report.imported) == ["run=0.json", "run=0.json", "run=1.json"]
    told = {Path(row.file).name: row.reason for row in report.refused}
    assert told.keys() == {"summary.json", "warmup.json", "run=1.failure.json"}
    assert "failed and has no figures; run it again" in told["run=1.failure.json"]
    assert all("import the run=" in told[name] for name in ("summary.json", "warmup.json"))
    assert [Path(name).name for name in report.no_results] == ["summary.csv"]
    rows = library.fetch("SELECT concurrency, repeat, tp, isl, osl, variant, accelerators FROM points ORDER BY 1, 2")
    assert rows == [
        (4, 1, 2, 100, 128, "max_num_seqs=256", None),
        (4, 2, 2, 100, 128, "max_num_seqs=256", None),
        (16, 1, 2, 100, 128, "max_num_seqs=256", None),
    ]
    assert library.fetch("SELECT count(DISTINCT series_id) FROM points") == [(1,)]


def test_results_appended_to_one_file_are_points_each_and_a_last_line_may_be_cut(tmp_path: Path) -> None:
    path = written(tmp_path, brief(), brief(max_concurrency=8))
    points, _ = read_points(path)
    assert [(row["locator"], row["concurrency"]) for row in points] == [("line 1", 4), ("line 2", 8)]
    path.write_text(path.read_text() + "\n" + json.dumps(brief())[:300])
    assert len(read_points(path)[0]) == 2


def test_what_tools_are_sloppy_about_is_taken(tmp_path: Path) -> None:
    text = json.dumps(brief(request_rate=math.inf, std_itl_ms=math.nan, p99_itl_ms=math.inf))
    assert "Infinity" in text
    assert "NaN" in text
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        path = tmp_path / "result.json"
        path.write_bytes(text.encode(encoding))
        found = one_point(path)
        assert found["concurrency"] == 4
        assert not found.keys() & {"itl_ms_std", "itl_ms_p99"}


def test_what_nobody_understood_is_listed(tmp_path: Path) -> None:
    found = reading(written(tmp_path, brief(energy_joules=12.5, queue={"depth": 3})))
    assert found.not_understood == ("energy_joules", "queue")
    assert reading(SAMPLES / "concurrency-4.json").not_understood == ()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"median_ttft_ms": "36.2"}, r"median_ttft_ms in result\.json is '36\.2'; expected a number"),
        ({"completed": "24"}, r"completed in result\.json is '24'; expected a number"),
        ({"max_concurrency": 0}, r"max_concurrency in result\.json is 0; expected a number of requests"),
        ({"max_concurrency": 3.5}, r"max_concurrency in result\.json is 3\.5; expected a whole number"),
        ({"request_rate": -1}, r"request_rate in result\.json is -1\.0; expected requests per second"),
        ({"request_rate": "fast"}, r"request_rate in result\.json is 'fast'; expected a number"),
        ({"date": "yesterday"}, r"date in result\.json is 'yesterday'; expected a date such as 20261120-103734"),
        ({"model_id": ["a"]}, r"model_id in result\.json is a list; expected a text"),
        ({"output_throughput": -1.0}, r"output_tokens_per_s is -1, but no measurement is below zero"),
        ({"errors": [1], "itls": [3]}, r"itls in result\.json is 3; expected a list of numbers"),
        ({"run_number": -1}, r"result\.json is the warm-up of a sweep; import the run=….json files beside it"),
    ],
)
def test_what_cannot_be_is_refused_by_name(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    result = brief(**changes) if "errors" not in changes else brief(completed=1, errors=[""], itls=[3])
    with pytest.raises(InputError, match=said):
        read_points(written(tmp_path, result))


def test_recognition_tells_how_near_another_file_came(tmp_path: Path) -> None:
    path = written(tmp_path, {"model_id": "m", "completed": 3})
    with pytest.raises(InputError, match=r"vLLM bench serve \(2 of 5 keys, it lacks num_prompts, total_input_tokens"):
        recognise(SourceFile(path))


def test_the_lists_of_a_long_run_are_read_as_numpy_reads_them(tmp_path: Path) -> None:
    """Percentiles over a few hundred requests against Python's own, computed another way."""
    chance = np.random.default_rng(7)
    requests = 300
    ttfts = chance.gamma(2.0, 0.02, requests).tolist()
    gaps = [chance.gamma(3.0, 0.002, int(count)).tolist() for count in chance.integers(1, 40, requests)]
    duration, prompts, answers = 20.0, 100 * requests, requests + sum(len(one) for one in gaps)
    changes = {
        "completed": requests,
        "num_prompts": requests,
        "duration": duration,
        "total_input_tokens": prompts,
        "total_output_tokens": answers,
        "request_throughput": requests / duration,
        "output_throughput": answers / duration,
        "total_token_throughput": (prompts + answers) / duration,
        "ttfts": ttfts,
        "itls": gaps,
        "errors": [""] * requests,
    }
    kept = {key: value for key, value in brief(**changes).items() if not key.endswith("_ms")}
    found = one_point(written(tmp_path, kept))
    inclusive = statistics.quantiles(ttfts, n=100, method="inclusive")
    assert found["ttft_ms_p95"] == pytest.approx(1000 * inclusive[94])
    assert found["itl_ms_mean"] == pytest.approx(1000 * statistics.fmean(gap for one in gaps for gap in one))
    ends = [first + math.fsum(one) for first, one in zip(ttfts, gaps, strict=True)]
    assert found["e2el_ms_p50"] == pytest.approx(1000 * statistics.median(ends))


def test_every_whole_percentile_is_taken_and_more_figures_than_a_library_has_columns_for_are_refused(
    tmp_path: Path,
) -> None:
    def asked(*percents: float) -> dict[str, Any]:
        plain = {key: value for key, value in brief().items() if not key.endswith(("_ttft_ms", "_itl_ms"))}
        each = {f"p{percent:g}_{latency}_ms": 5 + percent / 10 for latency in ("ttft", "itl") for percent in percents}
        return plain | each

    point = one_point(written(tmp_path, asked(*range(1, 100))))
    assert (point["ttft_ms_p1"], point["itl_ms_p99"]) == (5.1, 14.9)
    parts = [[place / 10 + 1 for place in range(start, start + 300)] for start in (0, 300, 600)]
    for name, results in [
        ("one", [asked(*parts[0], *parts[1], *parts[2])]),
        ("three", [asked(*part) for part in parts]),
    ]:
        with pytest.raises(InputError, match=f"{name} has more than 1,000 different figures; leave percentiles out"):
            reading(written(tmp_path, *results, name=name))
