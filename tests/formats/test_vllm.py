"""vLLM's results: what its lists of requests add, seconds and ms by key, kinds of load, metadata of people, sweeps."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from bench.errors import InputError
from tests.formats.reading_of import one_point, passports, read_points, reading

SAMPLES = Path(__file__).parents[1] / "samples" / "vllm"
LISTS = "input_lens output_lens ttfts itls latencies start_times queue_times generated_texts errors".split()


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


def test_figures_are_over_the_requests_that_ended_well() -> None:
    found = one_point(SAMPLES / "failures-concurrency-16.json")
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
    with pytest.raises(InputError, match="23 to 24 entries"):
        read_points(written(tmp_path, sample() | {"ttfts": sample()["ttfts"][1:]}))


def test_keys_without_ms_are_seconds() -> None:
    path = SAMPLES / "seconds" / "glm5_fp8_vllm_tp8_isl1024_osl128_conc4.json"
    found = one_point(path)
    assert found["ttft_ms_p50"] == pytest.approx(264.99967742711306)
    assert "accelerators" not in found
    held = passports(path)
    assert held["ttft_ms_p50"]["unit_in_file"] == "s"
    assert "opening its connection" in held["ttft_ms_p50"]["definition"]


def test_a_name_is_believed_only_where_the_file_agrees(tmp_path: Path) -> None:
    result = sample("seconds/glm5_fp8_vllm_tp8_isl1024_osl128_conc4.json")
    assert one_point(written(tmp_path, result, name="x_tp8_isl1024_osl128_conc4.json"))["tp"] == 8
    assert "tp" not in one_point(written(tmp_path, result, name="x_tp8_isl1024_osl128_conc8.json"))
    assert "tp" not in one_point(written(tmp_path, brief(), name="x_tp8_isl1024_osl128_conc4.json"))


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


def test_results_appended_to_one_file_are_points_each(tmp_path: Path) -> None:
    path = written(tmp_path, brief(), brief(max_concurrency=8))
    points, _ = read_points(path)
    assert [(row["locator"], row["concurrency"]) for row in points] == [("line 1", 4), ("line 2", 8)]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"max_concurrency": 0}, r"max_concurrency in result\.json is 0"),
        ({"max_concurrency": 3.5}, r"max_concurrency in result\.json is 3\.5"),
        ({"request_rate": -1}, r"request_rate in result\.json is -1\.0"),
        ({"date": "yesterday"}, r"date in result\.json is 'yesterday'"),
        ({"output_throughput": -1.0}, "below zero"),
        ({"completed": 1, "errors": [""], "itls": [3]}, r"itls in result\.json is 3"),
        ({"run_number": -1}, "warm-up of a sweep"),
    ],
)
def test_what_cannot_be_is_refused_by_name(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        read_points(written(tmp_path, brief(**changes)))


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
