"""llm-optimizer's lines: SGLang's keys, with what was asked of the server and what the machine is beside them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from bench.errors import InputError
from tests.formats.reading_of import read_points, reading

SAMPLES = Path(__file__).parents[1] / "samples" / "llm_optimizer"
LINES = SAMPLES / "vllm_results.jsonl"


def written(folder: Path, **changes: object) -> Path:
    path = folder / "runs.jsonl"
    path.write_text(json.dumps(json.loads(LINES.read_text().splitlines()[0]) | changes) + "\n")
    return path


def test_each_line_says_what_its_text_says() -> None:
    points, refused = read_points(LINES)
    assert refused == []
    assert [point["concurrency"] for point in points] == [32, 64]
    stated = {
        "model": "qwen3-4b",
        "checkpoint": "Qwen/Qwen3-4B",
        "engine": "vllm",
        "accelerator": "l4",
        "tp": 4,
        "variant": "max_num_batched_tokens=8192",
        "load_kind": "closed",
        "dataset": "sharegpt",
        "harness": "llm-optimizer",
        "source": "llm-optimizer",
        "evidence": "measured",
        "origin": "imported",
        "isl_actual": 302.118,
        "osl_actual": 195.775,
        "requests_ok": 1000,
        "duration_s": 178.69010206999883,
        "output_tokens_per_s": 1095.6118874637414,
        "input_tokens_per_s": 1690.7371840979215,
        "total_tokens_per_s": 1095.6118874637414 + 1690.7371840979215,
        "requests_per_s": 5.5962808707125085,
        "ttft_ms_p50": 75.87540699933015,
        "ttft_ms_p99": 1222.5397153301492,
        "tpot_ms_p50": 27.28665116875758,
        "itl_ms_p95": 64.98022639971161,
        "e2el_ms_mean": 5516.473195931989,
        "e2el_ms_p99": 23288.202798799084,
    }
    assert {key: points[0][key] for key in stated} == stated
    # The machine has four; how many of them served nobody wrote.
    assert not points[0].keys() & {"accelerators", "isl_requested", "osl_requested", "requests_failed", "date"}
    assert reading(LINES).not_understood == ()


def test_the_file_that_repeats_the_lines_is_refused() -> None:
    with pytest.raises(InputError, match=r"vllm_results\.json repeats the runs of the \.jsonl beside it; import that"):
        read_points(SAMPLES / "vllm_results.json")


@pytest.mark.parametrize(
    ("command", "engine"), [("python -m sglang.launch_server --model-path m", "sglang"), ("./serve.sh --tp 4", None)]
)
def test_an_engine_is_known_by_the_command_that_starts_it(command: str, engine: str | None, tmp_path: Path) -> None:
    (point,), _ = read_points(written(tmp_path, cmd=command))
    assert point.get("engine") == engine


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"metadata": 3}, r"metadata in runs\.jsonl is 3; expected an object"),
        ({"cmd": ["vllm"]}, r"cmd in runs\.jsonl is a list; expected a text"),
    ],
)
def test_what_cannot_be_is_refused_by_name(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=said):
        read_points(written(tmp_path, **changes))


def test_a_figure_that_is_text_is_refused_with_its_path(tmp_path: Path) -> None:
    results = json.loads(LINES.read_text().splitlines()[0])["results"] | {"mean_ttft_ms": "134"}
    with pytest.raises(InputError, match=r"results\.mean_ttft_ms in runs\.jsonl is '134'; expected a number"):
        read_points(written(tmp_path, results=results))


def test_a_line_that_ran_the_same_again_is_a_repeat(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    first, second = LINES.read_text().splitlines()
    path.write_text(f"{first}\n{second}\n{first}\n")
    points, _ = read_points(path)
    assert [point.get("repeat") for point in points] == [1, None, 2]
