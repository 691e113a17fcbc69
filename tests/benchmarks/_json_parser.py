"""A fresh process that parses a JSON file, or one of JSON lines, with orjson and keeps nothing: the yardstick."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import orjson

from tests.benchmarks._process import answering, peak_megabytes

FILE = Path(sys.argv[1])


def parsed() -> dict[str, Any]:
    """Seconds from opening the file to its last value."""
    before = time.perf_counter()
    with FILE.open("rb") as stream:
        if FILE.suffix == ".jsonl":
            for line in stream:
                orjson.loads(line)
        else:
            orjson.loads(stream.read())
    return {"s": time.perf_counter() - before, "peak_mb": peak_megabytes()}


if __name__ == "__main__":
    answering({"parse": parsed})
