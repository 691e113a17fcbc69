"""What is under way lies in a folder that goes with its process, however that ends."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from bench.library import Library
from bench.library.importing import uploads
from bench.library.store import ABANDONED_S, SCRATCH, scratch_folder

ROOT = Path(__file__).resolve().parents[2]
HOLDS = """
import sys, time
from bench.library.store import scratch_folder
with scratch_folder() as folder:
    print(folder, flush=True)
    time.sleep(60)
"""


def test_the_folder_of_a_process_that_was_killed_is_cleared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    with subprocess.Popen(
        [sys.executable, "-c", HOLDS], cwd=ROOT, env={**os.environ, "TMPDIR": str(tmp_path)}, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().decode().strip())
        assert folder.name.startswith(SCRATCH)
        old = time.time() - 10 * ABANDONED_S
        os.utime(folder, (old, old))
        uploads.clear_abandoned()
        assert folder.is_dir()  # it lives
        process.send_signal(signal.SIGKILL)
    with scratch_folder() as own:
        assert [path for path in tmp_path.iterdir() if path != own] == []
    assert list(tmp_path.iterdir()) == []


def test_what_others_put_beside_it_neither_blocks_nor_is_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    piped, theirs = tmp_path / f"{SCRATCH}piped", tmp_path / f"{SCRATCH}theirs"
    for folder in (piped, theirs):
        folder.mkdir()
    os.mkfifo(piped / "lock")
    if os.getuid() == 0:
        os.chown(theirs, 12345, 12345)
    for folder in (piped, theirs):
        os.utime(folder, (1, 1))
    uploads.clear_abandoned()
    assert list(tmp_path.iterdir()) == [theirs] * (os.getuid() == 0)


def test_opening_a_library_clears_what_killed_imports_have_left_in_it(tmp_path: Path) -> None:
    for name, age in (("left-1", 10 * ABANDONED_S), ("young-2", 0)):
        folder = tmp_path / "library" / "tmp" / name
        folder.mkdir(parents=True)
        os.utime(folder, (time.time() - age, time.time() - age))
    Library.open(tmp_path / "library", shipped=False)
    assert [path.name for path in (tmp_path / "library" / "tmp").iterdir()] == ["young-2"]
