"""Imports of 100 MB that other tools wrote, held against a bare parse of the same file with orjson."""

from __future__ import annotations

import json
import statistics
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks import Figure
from tests.benchmarks._process import process
from tests.benchmarks.big_csv import paired_rate
from tests.formats.damage import SAMPLES

MEGABYTES, ROUNDS = 100, 5
GUIDELLM = SAMPLES / "guidellm" / "concurrency-4" / "benchmarks.json"
AIPERF = SAMPLES / "aiperf" / "concurrency-4" / "profile_export.jsonl"


def measure() -> Iterator[Figure]:
    """In turns: one process imports the file, another parses it; both are new and have loaded their modules."""
    with tempfile.TemporaryDirectory() as folder:
        report, requests = Path(folder) / "benchmarks.json", Path(folder) / "profile_export.jsonl"
        write_report(report)
        write_requests(requests)
        yield from held_against_a_parse(report, "GuideLLM report with its requests")
        yield from held_against_a_parse(requests, "AIPerf list of requests")


def held_against_a_parse(file: Path, what: str) -> Iterator[Figure]:
    """The import's rate over the parse's, and its memory."""
    imports, parses = [], []
    for number in range(ROUNDS):
        with process("_importer", file.parent / f"{file.stem}{number}", file) as importer:
            importer.ask("warm")
            imports.append(importer.ask("import"))
        with process("_bare_import", file, file.with_suffix(".duckdb")) as parser:
            parses.append(parser.ask("parse")["s"])
    if any(answer["points"] != 1 or answer["refused"] for answer in imports):
        raise AssertionError(f"{file.name} holds one result, but {imports} were imported")
    took = [answer["s"] for answer in imports]
    name = f"{MEGABYTES} MB {what}"
    yield Figure(f"{name}: import, median of {ROUNDS}", statistics.median(took), "s")
    yield Figure(f"{name}: bare orjson parse", statistics.median(parses), "s")
    yield Figure(f"{name}: rate over the parse's", paired_rate(parses, took), "x", 0.5, at_least=True)
    yield Figure(f"{name}: peak memory", max(answer["peak_mb"] for answer in imports), "MB", 1000)


def write_report(path: Path) -> None:
    """Write a report whose requests are those of a real one, over and over."""
    document = json.loads(GUIDELLM.read_text())
    listed = document["benchmarks"][0]["requests"]
    times = MEGABYTES * 1_000_000 // len(json.dumps(listed["successful"])) + 1
    listed["successful"] *= times
    path.write_text(json.dumps(document))


def write_requests(path: Path) -> None:
    """Write the requests of a real run, over and over."""
    content = AIPERF.read_bytes()
    path.write_bytes(content * (MEGABYTES * 1_000_000 // len(content) + 1))
