"""SGLang's runs: what the lines' own text says, by either client, and nothing that they do not say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.errors import InputError
from bench.library.library import Library
from tests.formats.reading_of import one_point, passports, read_points, reading

SAMPLES = Path(__file__).parents[1] / "samples" / "sglang"
LEVELS = SAMPLES / "sglang-oai-chat_1120_levels.jsonl"
LISTS = ("input_lens", "output_lens", "ttfts", "itls", "generated_texts", "errors")


def line(number: int = 1, **changes: object) -> dict[str, Any]:
    """A run as the tool writes it; a change to ... takes the key out."""
    found = json.loads(LEVELS.read_text().splitlines()[number]) | changes
    return {key: value for key, value in found.items() if value is not ...}


def written(folder: Path, *runs: dict[str, Any]) -> Path:
    path = folder / "runs.jsonl"
    path.write_text("".join(f"{json.dumps(run)}\n" for run in runs))
    return path


def test_each_line_says_what_its_text_says() -> None:
    (four, sixteen), refused = read_points(LEVELS)
    assert refused == []
    stated = {
        "load_kind": "closed",
        "concurrency": 16,
        "isl_requested": 100,
        "osl_requested": 128,
        "isl_actual": 100.0,
        "osl_actual": 128.0,
        "dataset": "random-ids",
        "source": "sglang-bench",
        "harness": "sglang-bench",
        "evidence": "measured",
        "origin": "imported",
        "locator": "line 2",
        "duration_s": 3.2110469050003303,
        "requests_ok": 64,
        "input_tokens": 6400,
        "output_tokens": 8192,
        "requests_per_s": 19.931194371635446,
        "input_tokens_per_s": 1993.1194371635445,
        "output_tokens_per_s": 2551.192879569337,
        "total_tokens_per_s": 4544.312316732881,
        "peak_output_tokens_per_s": 2727.0,
        "e2el_ms_mean": 794.5322688906274,
        "e2el_ms_p50": 787.0022955000877,
        "e2el_ms_p99": 848.8037037102549,
        "ttft_ms_p50": 41.322314000126426,
        "ttft_ms_p95": 77.03743490014858,
        "tpot_ms_p50": 5.747027035431887,
        "tpot_ms_p99": 6.316644236616391,
        "itl_ms_p50": 5.6065280002712825,
        "itl_ms_p99": 23.498514899947615,
    }
    assert {key: sixteen[key] for key in stated} == stated
    # The tool writes no date and no model, this one had no server_info, and without lists it counts no failures.
    assert not sixteen.keys() & {"date", "model", "engine", "accelerator", "requests_failed", "failed_share"}
    assert (four["locator"], four["concurrency"], four["requests_ok"], four["requests_failed"]) == ("line 1", 4, 24, 0)


@pytest.mark.parametrize(
    ("name", "place", "tokens_per_s", "mean_gap_p50"),
    [
        (LEVELS.name, 0, 849.524, 4.43374),
        (LEVELS.name, 1, 2561.589, 5.74423),
        ("rust-concurrency-4.jsonl", 0, 848.254, 4.42638),
    ],
)
def test_it_is_near_what_the_server_itself_saw(name: str, place: int, tokens_per_s: float, mean_gap_p50: float) -> None:
    found = read_points(SAMPLES / name)[0][place]
    assert found["output_tokens_per_s"] == pytest.approx(tokens_per_s, rel=0.005)
    assert found["tpot_ms_p50"] == pytest.approx(mean_gap_p50, rel=0.005)


def test_what_the_lists_add_is_of_the_same_requests() -> None:
    four = read_points(LEVELS)[0][0]
    lists = line(0)
    assert four["ttft_ms_max"] == pytest.approx(1000 * max(lists["ttfts"]))
    ends = [first + sum(gaps) for first, gaps in zip(lists["ttfts"], lists["itls"], strict=True)]
    assert four["e2el_ms_max"] == pytest.approx(1000 * max(ends))
    tpots = [(end - first) / 127 for end, first in zip(ends, lists["ttfts"], strict=True)]
    assert four["tpot_ms_min"] == pytest.approx(1000 * min(tpots))


@pytest.mark.parametrize(("name", "ok", "failed"), [("failures", 138, 62), ("rust-failures", 149, 51)])
def test_failures_are_counted_in_the_list_of_errors(name: str, ok: int, failed: int) -> None:
    found = one_point(SAMPLES / f"{name}-concurrency-16.jsonl")
    assert (found["requests_ok"], found["requests_failed"]) == (ok, failed)
    assert found["failed_share"] == pytest.approx(failed / 200)
    (flag,) = json.loads(found["flags"])
    assert flag["seen"].startswith(f"{failed} of 200 requests failed")
    assert found["osl_actual"] == 128


def test_the_clients_differ_in_what_ttft_holds() -> None:
    def definition(name: str) -> str:
        return str(passports(SAMPLES / name)["ttft_ms_p50"]["definition"])

    assert "opening its connection included" in definition(LEVELS.name)
    assert "pool of open connections" in definition("rust-concurrency-4.jsonl")


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {"load_kind": "closed", "concurrency": 16}),
        ({"request_rate": "inf", "max_concurrency": None}, {"load_kind": "saturated"}),
        ({"max_concurrency": None}, {"load_kind": "saturated"}),
        ({"request_rate": None}, {"load_kind": "closed", "concurrency": 16}),
        ({"request_rate": None, "max_concurrency": None}, {"load_kind": "unknown"}),
        ({"request_rate": "trace", "max_concurrency": None}, {"load_kind": "open", "arrivals": "trace"}),
        (
            {"request_rate": 4.0, "max_concurrency": None},
            {"load_kind": "open", "request_rate": 4.0, "arrivals": "poisson"},
        ),
    ],
)
def test_the_kind_of_load(changes: dict[str, Any], expected: dict[str, Any], tmp_path: Path) -> None:
    found = one_point(written(tmp_path, line(**changes)))
    keys = ("load_kind", "concurrency", "request_rate", "arrivals")
    assert {key: found[key] for key in keys if key in found} == expected


@pytest.mark.parametrize(
    ("changes", "isl", "osl"),
    [
        ({}, 100, 128),
        ({"random_range_ratio": 0.5}, None, None),  # lengths are drawn between half and all
        ({"dataset_name": "sharegpt"}, None, None),  # the random lengths are defaults that nobody used
        ({"dataset_name": "sharegpt", "sharegpt_output_len": 256}, None, 256),
    ],
)
def test_lengths_are_asked_for_only_where_every_request_asked_for_them(
    changes: dict[str, Any], isl: int | None, osl: int | None, tmp_path: Path
) -> None:
    found = one_point(written(tmp_path, line(**changes)))
    assert (found.get("isl_requested"), found.get("osl_requested")) == (isl, osl)


def test_what_the_server_says_of_itself_are_facts(tmp_path: Path) -> None:
    server = {
        "model_path": "meta-llama/Llama-3.1-70B-Instruct",
        "version": "0.5.23",
        "tp_size": 8,
        "dp_size": 1,
        "quantization": "fp8",
        "kv_cache_dtype": "auto",
        "disable_radix_cache": True,
        "mem_fraction_static": 0.8,
    }
    path = written(tmp_path, line(server_info=server, tag="nightly"))
    expected = {
        "model": "llama-3.1-70b",
        "checkpoint": "meta-llama/Llama-3.1-70B-Instruct",
        "engine": "sglang",
        "engine_version": "0.5.23",
        "tp": 8,
        "dp": 1,
        "precision": "fp8",
        "prefix_caching": False,
        "variant": "nightly, kv_cache_dtype=auto",
    }
    found = one_point(path)
    assert {key: found[key] for key in expected} == expected
    assert "accelerators" not in found
    assert reading(path).not_understood == ()


@pytest.mark.parametrize(
    ("backend", "engine"), [("sglang", "sglang"), ("trt", "tensorrt-llm"), ("sglang-oai", None), ("vllm", None)]
)
def test_an_engine_is_known_by_an_api_that_is_its_alone(backend: str, engine: str | None, tmp_path: Path) -> None:
    assert one_point(written(tmp_path, line(backend=backend))).get("engine") == engine


def test_answers_that_hold_another_number_of_tokens_are_flagged(tmp_path: Path) -> None:
    found = one_point(written(tmp_path, line(total_output_tokens_retokenized=4096, accept_length=2.4)))
    (flag,) = json.loads(found["flags"])
    assert flag["seen"] == "8,192 output tokens were counted; the text has 4,096 by the client's tokenizer."
    assert found["acceptance_length_tokens"] == 2.4


def test_a_last_line_that_was_cut_off_is_told_and_the_others_are_taken(tmp_path: Path) -> None:
    path = written(tmp_path, line(0), line(1))
    path.write_text(path.read_text() + json.dumps(line(0))[:70_000])
    found, refused = read_points(path)
    assert [row["locator"] for row in found] == ["line 1", "line 2"]
    told = "The last line of runs.jsonl is cut off and was passed over."
    assert [(one.row, one.reason) for one in refused] == [(3, told)]
    library = Library.open(tmp_path / "library", shipped=False)
    assert [one.reason for one in library.add([path]).refused] == [told]


def test_runs_appended_at_one_level_are_repeats(tmp_path: Path) -> None:
    """Counted lengths differ from run to run; the load and what was asked for do not."""
    path = written(tmp_path, line(1), line(0), line(1, total_output_tokens=8000), line(1, tag="other server"))
    found, _ = read_points(path)
    assert [row.get("repeat") for row in found] == [1, None, 2, None]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file_of_one_run_may_be_in_any_unicode(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_bytes(json.dumps(line(std_itl_ms=float("nan"))).encode(encoding))
    assert "Infinity" in path.read_bytes().decode(encoding)
    found = one_point(path)
    assert found["concurrency"] == 16
    assert "itl_ms_std" not in found


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"median_itl_ms": "5.6"}, r"median_itl_ms in runs\.jsonl is '5\.6'; expected a number"),
        ({"max_concurrency": -4}, r"max_concurrency in runs\.jsonl is -4; expected a number of requests"),
        ({"errors": "none"}, r"errors in runs\.jsonl is 'none'; expected a list"),
        ({"server_info": 3}, r"server_info in runs\.jsonl is 3; expected an object"),
        ({"mean_e2e_latency_ms": 0.79}, r"the document ttft_ms_mean is 47\.1328, but it cannot be above e2el_ms_mean"),
    ],
)
def test_what_cannot_be_is_refused_by_name(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        read_points(written(tmp_path, line(**changes)))


def test_what_nobody_understood_is_listed(tmp_path: Path) -> None:
    assert reading(written(tmp_path, line(new_figure=1.0))).not_understood == ("new_figure",)
    assert reading(LEVELS).not_understood == ()


def test_the_passports_tell_what_itl_is_divided_by_and_what_the_duration_holds() -> None:
    held = passports(LEVELS)
    assert "with speculative decoding divided by accept_length" in held["itl_ms_p50"]["definition"]
    assert {row["window"] for row in held.values()} == {
        "the whole run, ramp, tail and the control calls after it inside"
    }
