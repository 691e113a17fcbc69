"""The command `check` as a CI runs it: its exit statuses, its outputs, and the examples of docs/ci.md."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from bench.cli import main
from bench.library import Library
from tests.gate.files import REAL, run, runs

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three runs of main, three of a candidate that is a tenth slower, and three that are as fast."""
    folder = tmp_path_factory.mktemp("ci")
    for name, by, seed in (("baseline", 1.0, 1), ("candidate", 1.1, 2), ("alike", 1.0, 3)):
        runs(folder / name, by, seed=seed, scatter=0.002)
    return folder


def check(*words: str) -> int:
    return main(["check", *words])


def test_each_exit_status_says_what_it_means(place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sides = ["--baseline", str(place / "baseline"), "--candidate"]
    assert check(*sides, str(place / "alike"), "--allow", "output_tokens_per_s=3%") == 0
    assert "as good" in capsys.readouterr().out
    assert check(*sides, str(place / "candidate"), "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert told["verdict"] == "worse"
    assert {one["verdict"] for one in told["metrics"] if one["metric"] == "output_tokens_per_s"} == {"worse"}
    alone = ["--baseline", str(REAL), "--candidate", str(run(tmp_path / "one.json", 1.3, day=9))]
    assert check(*alone) == 3
    assert "Measure each side" in capsys.readouterr().out
    for words in (
        ["--candidate", str(REAL)],
        [*sides, "nowhere.json"],
        [*sides, str(REAL), "--allow", "ttft_ms_p99=a"],
    ):
        assert check(*words) == 2
    assert check(*alone, "--junit", str(tmp_path / "no" / "where.xml")) == 4


def test_a_side_may_be_the_newest_run_with_a_tag(
    place: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    ids = [
        one.sha256
        for one in library.add([place / "baseline" / "run-0.json", place / "baseline" / "run-2.json"]).imported
    ]
    for id in ids:
        library.tag(id, "good")
    newest = library.fetch("SELECT source_id FROM points ORDER BY date DESC LIMIT 1")[0][0]
    assert library.newest_tagged("good") == newest
    words = ["--library", str(library.path), "--no-shipped", "--candidate", str(place / "alike")]
    assert check("--baseline", "tag:good", *words, "--json") in (0, 3)
    assert json.loads(capsys.readouterr().out)["baseline"] == ["run-2.json"]
    assert check("--baseline", "tag:better", *words) == 2
    assert "No source has the tag 'better'" in capsys.readouterr().err


def commands(text: str) -> list[str]:
    """The lines of a CI's scripts that run `check`."""
    scripts: list[str] = []

    def gather(held: Any) -> None:
        for value in held.values() if isinstance(held, dict) else held if isinstance(held, list) else ():
            scripts.append(value) if isinstance(value, str) else gather(value)

    gather(yaml.safe_load(text))
    return [line for script in scripts for line in script.splitlines() if line.startswith("python -m bench check")]


@pytest.mark.long
@pytest.mark.parametrize(
    "number", [pytest.param(0, id="GitHub Actions"), pytest.param(1, id="GitLab", marks=pytest.mark.exhaustive)]
)
def test_an_example_of_a_ci_fails_where_the_candidate_is_worse(number: int, place: Path, tmp_path: Path) -> None:
    example = PAGE.split("```yaml\n")[1 + number].split("```")[0]
    (line,) = commands(example)
    shutil.copytree(place / "baseline", tmp_path / "baseline")
    shutil.copytree(place / "candidate", tmp_path / "candidate")
    summary = tmp_path / "summary.md"
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": str(ROOT), "GITHUB_STEP_SUMMARY": str(summary)}
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 1, done.stderr
    assert summary.exists() != (tmp_path / "verdict.xml").exists()
