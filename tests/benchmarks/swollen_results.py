"""Results of each tool swollen to 5 MB (more records, longer lists, unknown keys): the slowest read, and memory."""

from __future__ import annotations

import copy
import json
import resource
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.errors import InputError
from tests.benchmarks import Figure
from tests.formats.damage import SAMPLES, main_files
from tests.formats.reading_of import reading

BYTES = 5_000_000
SMALL = 300_000
"""Larger samples are of a shape that a smaller one has too."""


def measure() -> Iterator[Figure]:
    """Each is read as an import would read it, with the files of its sample beside it."""
    for name in sorted(folder.name for folder in SAMPLES.iterdir() if folder.is_dir()):
        slowest, read, count = 0.0, 0, 0
        for sample in main_files(name):
            for content in swollen(sample) if sample.stat().st_size < SMALL else ():
                took, was_read = seconds(sample, content)
                slowest, read, count = max(slowest, took), read + was_read, count + 1
        yield Figure(
            f"{name}: the slowest of {count} files of 5 MB, {read} of them read, processor time", slowest, "s", 5
        )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield Figure("peak memory of the process that read them all", peak, "MB", 1024)


def seconds(sample: Path, content: str) -> tuple[float, bool]:
    """How much processor time this content takes where the sample lies, and whether it was read or refused."""
    with tempfile.TemporaryDirectory() as folder:
        for beside in sample.parent.iterdir():
            if beside.is_file() and beside != sample:
                (Path(folder) / beside.name).write_bytes(beside.read_bytes())
        path = Path(folder) / sample.name
        path.write_text(content)
        start = time.process_time()
        try:
            rows = sum(batch.num_rows for batch in reading(path).batches())
        except InputError:
            rows = 0
        return time.process_time() - start, rows > 0


def swollen(sample: Path) -> Iterator[str]:
    """The sample's content made 5 MB long in each way its kind of file allows."""
    text = sample.read_text()
    if sample.suffix == ".csv":
        row = text.splitlines()[-1] + "\n"
        yield text + row * (BYTES // len(row))
        return
    if sample.suffix in (".yaml", ".yml"):
        yield text + "\n" + "\n".join(f"key_{place}: {{a: 1}}" for place in range(BYTES // 20))
        return
    lines = [line for line in text.splitlines() if line]
    records = [json.loads(line) for line in lines] if sample.suffix == ".jsonl" else [json.loads(text)]
    if sample.suffix == ".jsonl":
        yield "\n".join(lines * (BYTES // len(text) + 1))
    document: Any = records[0]
    if isinstance(document, list):
        yield json.dumps(document * (BYTES // len(text) + 1))
        document = document[0]
    first = json.dumps(document)
    yield "[" + ",".join([first] * (BYTES // len(first) + 1)) + "]"
    yield json.dumps({**document, **{f"key_{place}": place for place in range(BYTES // 20)}})
    for path in lists_in(document):
        longer = copy.deepcopy(document)
        held: Any = longer
        for key in path:
            held = held[key]
        held *= BYTES // (len(json.dumps(held)) + 1) + 1
        yield json.dumps(longer)


def lists_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all lists that hold something, those in the first entry of a list too."""
    if isinstance(value, list) and value:
        yield path
        yield from lists_in(value[0], (*path, 0))
    elif isinstance(value, dict):
        for key, below in value.items():
            yield from lists_in(below, (*path, key))
