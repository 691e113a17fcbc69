"""A disk that takes no more: what was said to be done is done, what was not done leaves nothing, and purging works."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from bench.library import Library
from bench.library.store import append_lines
from tests.library.files import sweep

ROOT = Path(__file__).resolve().parents[2]
MOST = 300
LIMITED = """
import pathlib, resource, sys
from bench.library.store import append_lines
resource.setrlimit(resource.RLIMIT_FSIZE, (300, 300))
written = 0
try:
    while True:
        append_lines(pathlib.Path(sys.argv[1]), {"id": written}, {"text": "x" * 41})
        written += 1
except OSError as problem:
    print(written, problem.strerror)
"""
FULL = """
import json, os, pathlib, subprocess, sys
subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", sys.argv[1]], check=True)
from tests.library import test_full_disk
print(json.dumps(test_full_disk.purge(pathlib.Path(sys.argv[1]))))
"""


def on_a_full_disk(place: Path) -> object:
    """What `purge` finds, in a process of its own, on a disk of 1 MB of its own."""
    place.mkdir()
    own = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--user", "--map-root-user"])]
    try:
        subprocess.run([*own, "mount", "-t", "tmpfs", "tmpfs", place], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("This machine lets nobody mount a disk of its own.")
    command = [*own, sys.executable, "-c", FULL, str(place)]
    done = subprocess.run(command, cwd=ROOT, text=True, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_lines_that_the_disk_takes_in_part_are_cut_off_again(tmp_path: Path) -> None:
    """The kernel really writes a part of the line that reaches the limit."""
    path = tmp_path / "notes.jsonl"
    done = subprocess.run([sys.executable, "-c", LIMITED, path], cwd=ROOT, capture_output=True, text=True, timeout=60)
    written = int(done.stdout.split()[0])
    assert (written, done.stdout.split()[1:]) == (4, ["File", "too", "large"]), done.stderr
    assert len(path.read_text().splitlines()) == 2 * written
    assert MOST - 70 < path.stat().st_size < MOST
    append_lines(path, {"id": "after"})
    assert [json.loads(line) for line in path.read_text().splitlines()][-1] == {"id": "after"}


def fill(place: Path) -> None:
    """The disk takes no further byte, in no file."""
    with (place / "filler").open("ab", buffering=0) as filler:
        for size in (1 << 16, 1 << 12, 1):
            try:
                while True:
                    filler.write(b"x" * size)
            except OSError:
                continue


def purge(place: Path) -> object:
    """What is left of a source that was purged when the disk was full, its pack being that of another as well."""
    library = Library.open(place / "library", shipped=False)
    files = [sweep(place / "files", number, 50) for number in (1, 2)]
    first, second = (row.sha256 for row in library.add(files).imported)
    for number in range(30):
        library.annotate(first, f"note {number}")
    fill(place)
    library.purge(first, "personal data")
    again = Library.open(place / "library", shipped=False)
    left = [
        str(path)
        for path in (place / "library").rglob("*")
        if path.is_file() and first.encode() in path.read_bytes() and path.suffix != ".jsonl"
    ]
    points = again.fetch("SELECT source_id = $1, count(*) FROM points GROUP BY 1", [second])
    return {"left": left, "points": points, "wrong": [one.where for one in again.verify().wrong]}


@pytest.mark.long
def test_a_source_can_be_purged_on_a_full_disk(tmp_path: Path) -> None:
    assert on_a_full_disk(tmp_path / "disk") == {"left": [], "points": [[True, 50]], "wrong": []}
