"""Whoever waits at a terminal sees how far a command is; a file or a pipe gets nothing of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench.progress import heard_by, steps
from tests.terminal import started
from tests.test_cli import TABLE

ROOT = Path(__file__).resolve().parents[1]
BENCH = (sys.executable, "-m", "bench")
CLEARED = "\r\x1b[K"


def test_a_listener_hears_each_step_before_its_turn_and_only_within_its_block() -> None:
    heard: list[object] = []
    with heard_by(lambda *step: heard.append(step)):
        for item in steps("ab", str.upper):
            heard.append(item)
    assert heard == [(0, 2, "A"), "a", (1, 2, "B"), "b"]
    assert list(steps("cd")) == ["c", "d"]
    assert len(heard) == 4


def written_over(seen: str) -> list[str]:
    """What the last line said one after the other, and at last what stayed."""
    return [line for line in seen.replace("\r\n", "\n").split(CLEARED) if line]


@pytest.mark.long
def test_a_check_of_the_library_counts_its_files_at_a_terminal_and_leaves_one_sentence(tmp_path: Path) -> None:
    with started([*BENCH, "verify", "--library", str(tmp_path)], ROOT, COLUMNS="40") as terminal:
        *bars, last = written_over(terminal.to_the_end())
    assert bars[0] == "Checking files …"
    assert bars[1].startswith("[........................] 0 of 1  ")
    many = len(list((ROOT / "data" / "library" / "sources").iterdir()))
    assert any(bar.startswith("[#######################.] ") and f"] {many - 1} of {many}  " in bar for bar in bars)
    assert max(map(len, bars)) == 39
    assert last.count("\n") == 1


@pytest.mark.long
def test_an_import_draws_on_stderr_and_prints_json_on_stdout(tmp_path: Path) -> None:
    folder = tmp_path / "results"
    folder.mkdir()
    for number in range(3):
        (folder / f"{number}.csv").write_text(TABLE.replace("71.4", f"7{number}.4"))
    asked = [*BENCH, "import", str(folder), "--json", "--library", str(tmp_path / "library")]
    with (tmp_path / "out").open("wb") as out, started(asked, ROOT, stdout=out.fileno()) as terminal:
        bars = written_over(terminal.to_the_end())
    assert len(json.loads((tmp_path / "out").read_text())["imported"]) == 3
    assert bars[0] == "Looking for result files …"
    assert any("] 1 of 3  " in bar and bar.endswith("1.csv") for bar in bars)


@pytest.mark.long
def test_a_pipe_gets_nothing_of_it(tmp_path: Path) -> None:
    command = [*BENCH, "rebuild", "--json", "--library", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=120)
    assert (done.returncode, "\r" in done.stdout + done.stderr) == (0, False)


@pytest.mark.long
def test_whoever_waits_for_an_answer_is_told_what_for(tmp_path: Path) -> None:
    with started([*BENCH, "ask", "overview", "--library", str(tmp_path)], ROOT) as terminal:
        first, *_ = written_over(terminal.to_the_end())
    assert first == "Working out the answer …"
