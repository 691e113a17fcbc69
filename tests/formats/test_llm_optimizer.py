"""llm-optimizer's lines: SGLang's keys, with what was asked of the server and what the machine is beside them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.formats.reading_of import read_points

SAMPLES = Path(__file__).parents[1] / "samples" / "llm_optimizer"
LINES = SAMPLES / "vllm_results.jsonl"


def written(folder: Path, **changes: object) -> Path:
    path = folder / "runs.jsonl"
    path.write_text(json.dumps(json.loads(LINES.read_text().splitlines()[0]) | changes) + "\n")
    return path


@pytest.mark.parametrize(
    ("command", "engine"), [("python -m sglang.launch_server --model-path m", "sglang"), ("./serve.sh --tp 4", None)]
)
def test_an_engine_is_known_by_the_command_that_starts_it(command: str, engine: str | None, tmp_path: Path) -> None:
    (point,), _ = read_points(written(tmp_path, cmd=command))
    assert point.get("engine") == engine


def test_a_line_that_ran_the_same_again_is_a_repeat(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    first, second = LINES.read_text().splitlines()
    path.write_text(f"{first}\n{second}\n{first}\n")
    points, _ = read_points(path)
    assert [point.get("repeat") for point in points] == [1, None, 2]
