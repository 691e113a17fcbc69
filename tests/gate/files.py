"""Result files of one tool: a real one, and runs of it that were slower or faster by a share."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

REAL = Path(__file__).parents[1] / "samples" / "vllm" / "concurrency-16.json"
LONGER = ("ttft", "tpot", "itl", "e2el", "duration", "latencies", "queue_time", "start_times")
RATES = ("request_throughput", "output_throughput", "total_token_throughput", "max_output_tokens_per_s")


def slowed(value: Any, by: float) -> Any:
    return [slowed(one, by) for one in value] if isinstance(value, list) else value * by


def run(path: Path, by: float = 1.0, *, day: int = 1, engine: str = "") -> Path:
    """The real file as it would be if all took `by` times as long, measured on another day."""
    result = json.loads(REAL.read_text())
    for key, value in result.items():
        if any(part in key for part in LONGER) and value is not None:
            result[key] = slowed(value, by)
        elif key in RATES:
            result[key] = value / by
    result["date"] = f"202611{day:02d}-103734"
    if engine:
        result["engine_version"] = engine
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(result))
    return path


def runs(folder: Path, by: float, many: int = 3, scatter: float = 0.003, seed: int = 1) -> Sequence[Path]:
    """Several runs, each off by a little."""
    chance = random.Random(seed)
    return [
        run(folder / f"run-{number}.json", by * (1 + chance.gauss(0, scatter)), day=number + 1)
        for number in range(many)
    ]
