"""What lies about beside results is told in one line; what is broken, named, or all there is, is refused with why."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from bench.library import Library
from bench.library.importing.no_result import is_plainly_none
from bench.library.importing.report import ImportReport
from tests.formats.damage import SAMPLES
from tests.library.files import sweep

ASIDE = {
    "README.md": b"# Runs of May\n\nModel: llama, engine: vllm\nNote: see below\n",
    "COMMAND.txt": b"aiperf profile --concurrency 1,4,16 --model mock-model\n",
    "stdout.txt": b"2026-01-01 10:00:00,123 INFO ready\n2026-01-01 10:00:01,456 INFO 4 requests, 2 waiting\n" * 9,
    "[notes].txt": b"[2026-01-01 10:00] began\n[2026-01-01 11:00] ended\n",
    "plot.py": b"import json\n\n\ndef plot():\n    return {}\n\nplot()\n",
    "run.sh": b"set -e\nfor c in 1 4; do\n  aiperf profile --concurrency $c\ndone\n",
    "chart.png": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR",
    "index.html": b"<!doctype html>\n<p>a, b, c</p>\n",
    "utf16.txt": "What was measured in May, and how.\n".encode("utf-16"),
}
BROKEN = {
    "cut.json": b'{"model_id": "a", "total_input_toke',
    "lines.txt": b'{"a": 1}\n{"a": \n',
    "middle": b'  "ttft": 1,\n  "tpot": 2,\n  "e2el": 3\n}\n',
    "report": b"version: '0.2'\nmetrics:\n  latency: [1, 2\nscenario: x\nthis is broken\n",
    "table": b"model,tpot,ttft\na,1,2\nb,2\nc,3,4\n",
    "header.txt": b"model,tpot_ms\n",
    "semicolons.txt": b"model;tpot\na;1\nb;2\n",
    "traceback.json": b"Traceback (most recent call last):\n  File x\n",
    "noise": bytes(range(128, 256)) * 20,
    "points.dat": b"PAR1\x15\x04\x15",
    "empty": b"",
}


def folder(path: Path, *contents: dict[str, bytes]) -> Path:
    path.mkdir()
    for name, content in (pair for files in contents for pair in files.items()):
        (path / name).write_bytes(content)
    return path


def names(report: ImportReport) -> set[str]:
    """The files that were refused."""
    return {Path(refusal.file).name for refusal in report.refused}


@pytest.mark.parametrize("packed", [False, True])
def test_what_lies_beside_results_is_one_line_and_what_is_broken_is_refused(
    library: Library, tmp_path: Path, packed: bool
) -> None:
    place = folder(tmp_path / "runs", ASIDE, BROKEN)
    sweep(place, 1)
    if packed:
        place = zipped(tmp_path / "runs.zip", place)
    report = library.add([place], dry_run=True)
    assert {Path(file).name for file in report.no_results} == set(ASIDE)
    assert names(report) == set(BROKEN)
    assert ImportReport.of(report.document()) == report
    assert report.said_of_no_results().startswith(f"{len(ASIDE)} files ")


def zipped(target: Path, place: Path) -> Path:
    with zipfile.ZipFile(target, "w") as archive:
        for path in sorted(place.rglob("*")):
            if path.is_file():
                archive.write(path, path.relative_to(place))
    return target


def test_the_samples_of_every_tool_have_nothing_plain_among_their_results() -> None:
    plain = {path for path in SAMPLES.rglob("*") if path.is_file() and is_plainly_none(path)}
    assert {path.name for path in plain} == {"SOURCE.md"}
    assert len(plain) == len(list(SAMPLES.rglob("SOURCE.md"))) > 5


def test_a_file_that_was_named_is_refused_with_the_reason(library: Library, tmp_path: Path) -> None:
    place = folder(tmp_path / "runs", ASIDE)
    report = library.add([place / "README.md", place / "chart.png", sweep(place, 1)])
    assert (names(report), report.no_results) == ({"README.md", "chart.png"}, [])


@pytest.mark.parametrize("packed", [False, True])
def test_a_folder_without_a_result_says_why_of_each_file(library: Library, tmp_path: Path, packed: bool) -> None:
    """Results beside it, given in the same breath, are another folder's."""
    place = folder(tmp_path / "notes", ASIDE)
    if packed:
        place = zipped(tmp_path / "notes.zip", place)
    report = library.add([place, sweep(tmp_path / "runs", 1)])
    assert (names(report), report.no_results) == (set(ASIDE), [])
    assert len(report.imported) == 1


def test_what_a_machine_leaves_behind_is_not_even_told(library: Library, tmp_path: Path) -> None:
    place = tmp_path / "runs"
    sweep(place, 1)
    (place / "sweep1.source.toml").write_text('licence = "CC-BY-4.0"\n')  # it belongs to the table
    for name in (".DS_Store", "__MACOSX/x.json", "deep/__pycache__/plot.cpython-311.pyc", ".git/config"):
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(b"{")
    for given in (place, zipped(tmp_path / "runs.zip", place)):
        report = library.add([given], dry_run=True)
        assert (len(report.imported), report.refused, report.no_results) == (1, [], [])
