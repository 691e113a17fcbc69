"""SGLang's runs: what their lists of requests add, kinds of load, lengths that were asked for, facts of the server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.errors import InputError
from tests.formats.reading_of import one_point, passports, read_points

SAMPLES = Path(__file__).parents[1] / "samples" / "sglang"
LEVELS = SAMPLES / "sglang-oai-chat_1120_levels.jsonl"


def line(number: int = 1, **changes: object) -> dict[str, Any]:
    """A run as the tool writes it; a change to ... takes the key out."""
    found = json.loads(LEVELS.read_text().splitlines()[number]) | changes
    return {key: value for key, value in found.items() if value is not ...}


def written(folder: Path, *runs: dict[str, Any]) -> Path:
    path = folder / "runs.jsonl"
    path.write_text("".join(f"{json.dumps(run)}\n" for run in runs))
    return path


def test_what_the_lists_add_is_of_the_same_requests() -> None:
    four = read_points(LEVELS)[0][0]
    lists = line(0)
    assert four["ttft_ms_max"] == pytest.approx(1000 * max(lists["ttfts"]))
    ends = [first + sum(gaps) for first, gaps in zip(lists["ttfts"], lists["itls"], strict=True)]
    assert four["e2el_ms_max"] == pytest.approx(1000 * max(ends))
    tpots = [(end - first) / 127 for end, first in zip(ends, lists["ttfts"], strict=True)]
    assert four["tpot_ms_min"] == pytest.approx(1000 * min(tpots))


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, {"load_kind": "closed", "concurrency": 16}),
        ({"max_concurrency": None}, {"load_kind": "saturated"}),
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


@pytest.mark.parametrize(
    ("backend", "engine"), [("sglang", "sglang"), ("trt", "tensorrt-llm"), ("sglang-oai", None), ("vllm", None)]
)
def test_an_engine_is_known_by_an_api_that_is_its_alone(backend: str, engine: str | None, tmp_path: Path) -> None:
    assert one_point(written(tmp_path, line(backend=backend))).get("engine") == engine


def test_answers_that_hold_another_number_of_tokens_are_flagged(tmp_path: Path) -> None:
    found = one_point(written(tmp_path, line(total_output_tokens_retokenized=4096, accept_length=2.4)))
    (flag,) = json.loads(found["flags"])
    assert "8,192" in flag["seen"]
    assert "4,096" in flag["seen"]
    assert found["acceptance_length_tokens"] == 2.4


def test_runs_appended_at_one_level_are_repeats(tmp_path: Path) -> None:
    """Counted lengths differ from run to run; the load and what was asked for do not."""
    path = written(tmp_path, line(1), line(0), line(1, total_output_tokens=8000), line(1, tag="other server"))
    found, _ = read_points(path)
    assert [row.get("repeat") for row in found] == [1, None, 2, None]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"max_concurrency": -4}, r"max_concurrency in runs\.jsonl is -4"),
        ({"errors": "none"}, r"errors in runs\.jsonl is 'none'"),
        ({"server_info": 3}, r"server_info in runs\.jsonl is 3"),
    ],
)
def test_what_cannot_be_is_refused_by_name(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        read_points(written(tmp_path, line(**changes)))


def test_the_passports_tell_what_itl_is_divided_by_and_what_the_duration_holds() -> None:
    held = passports(LEVELS)
    assert "opening its connection included" in held["ttft_ms_p50"]["definition"]
    assert "with speculative decoding divided by accept_length" in held["itl_ms_p50"]["definition"]
    assert {row["window"] for row in held.values()} == {
        "the whole run, ramp, tail and the control calls after it inside"
    }
