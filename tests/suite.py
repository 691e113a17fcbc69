"""Run the parts of a test target, all of them whatever failed before, and report every failure once at the end.

At most five failed tests run once more, one after another, when everything else is over. What passes then is green,
and named: in the output and in test-results/flaky.txt.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RESULTS = ROOT / "test-results"
PYTEST = (sys.executable, "-m", "pytest")
SECOND_TRIES = 5
"""More failures than this are no accident."""
ROOM_BYTES = 6_000_000_000
TRACED = "KNEEPOINT_TEST_TRACES"
"""The environment variable under which browser tests record traces: these take more time than the tests."""
NO_BROWSER = "--ignore=tests/e2e"
"""Keeps a part without a browser from importing the tests that all drive one."""

LEFT_OUT = "not engine and not setup and not exhaustive and not timed and not fuzz"


@dataclass(frozen=True)
class Part:
    """A command with its name in the output; `marks` selects tests where it is a run of pytest."""

    name: str
    command: tuple[str, ...]
    marks: str = ""

    def cache(self) -> Path:
        """The folder in which pytest keeps which of this part's tests failed."""
        return RESULTS / f"cache-{self.name}"


@dataclass(frozen=True)
class Outcome:
    """How a part ended: its exit status, its seconds, the ids of the tests that failed, the end of what it printed."""

    part: Part
    status: int
    seconds: float
    failed: tuple[str, ...]


def lint() -> list[Part]:
    """Format, lint and types."""
    ruff = (sys.executable, "-m", "ruff")
    return [
        Part("format", (*ruff, "format", "--check", ".")),
        Part("lint", (*ruff, "check", ".")),
        Part("types", (sys.executable, "-m", "mypy", "--num-workers", str(os.cpu_count() or 2))),
    ]


def tests(name: str, profile: str, marks: str, workers: int, *more: str) -> Part:
    """A run of pytest over the tests with these marks."""
    workers_options = ("-n", str(workers), "--dist", "loadfile") if workers else ("-n", "0")
    options = ("-q", "--tb=short", "--durations=40", "--durations-min=2", "--hypothesis-profile", profile)
    command = (*PYTEST, *workers_options, *options, *more)
    return Part(name, command, marks)


def parts_of(target: str) -> list[Part]:
    """The parts of a target, one after another: tests that wait for a browser are alone on the machine."""
    cores = os.cpu_count() or 2
    if target == "lint":
        return lint()
    if target == "check":
        pure = f"not browser and not long and {LEFT_OUT}"
        return [*lint(), tests("pure", "quick", pure, cores, NO_BROWSER)]
    if target == "test":
        browser = tests("browser", "ci", f"browser and {LEFT_OUT}", 2, "--no-loadscope-reorder")
        return [*lint(), tests("unit", "ci", f"not browser and {LEFT_OUT}", cores + 1, NO_BROWSER), browser]
    browser = tests("browser", "thorough", "browser and not fuzz and not timed", 2, "--no-loadscope-reorder")
    unit = tests(
        "unit", "thorough", "not browser and not engine and not setup and not fuzz and not timed", cores, NO_BROWSER
    )
    rest = tests("setup", "thorough", "setup and not browser", 0, NO_BROWSER)
    timed = tests("timed", "ci", "timed and not engine and not fuzz", 0)
    return [*lint(), unit, browser, rest, timed]


def run(part: Part, place: Path, **variables: str) -> Outcome:
    """Run a part to its end with these environment variables, printing each line with the part's name before it."""
    command = list(part.command)
    if part.marks:
        shutil.rmtree(part.cache(), ignore_errors=True)
        command += ["-m", part.marks, "--basetemp", str(place / part.name), "-o", f"cache_dir={part.cache()}"]
        command += ["--junit-xml", str(RESULTS / f"{part.name}.xml")]  # the seconds of every test
    print(f"{part.name}: {shlex.join(part.command[2:])}", flush=True)
    began = time.monotonic()
    environment = {**os.environ, **variables}
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with (
        open(RESULTS / f"{part.name}.log", "w") as log,
        subprocess.Popen(command, cwd=ROOT, env=environment, text=True, **pipes) as process,
    ):
        assert process.stdout is not None
        for line in process.stdout:
            log.write(line)
            print(f"{part.name} | {line}", end="", flush=True)
    return Outcome(part, process.returncode, time.monotonic() - began, failed(part) if part.marks else ())


def failed(part: Part) -> tuple[str, ...]:
    """The ids of the tests of a part that failed when it ran last."""
    file = part.cache() / "v" / "cache" / "lastfailed"
    return tuple(json.loads(file.read_text())) if file.exists() else ()


def accidental(outcomes: Sequence[Outcome]) -> bool:
    """Whether what failed is few tests and nothing but tests, so that a second try can tell something."""
    red = [outcome for outcome in outcomes if outcome.status]
    ids = [test for outcome in red for test in outcome.failed]
    return bool(ids) and len(ids) <= SECOND_TRIES and all(one.status == 1 and one.failed for one in red)


def second_try(red: Sequence[Outcome], place: Path) -> list[str]:
    """Run the failed tests once more, one after another, and return the ids of those that failed again."""
    again: list[str] = []
    for outcome in red:
        options = [word for word in outcome.part.command if word != "--no-loadscope-reorder"]
        options[options.index("-n") + 1] = "0"
        if "--dist" in options:
            del options[options.index("--dist") : options.index("--dist") + 2]
        part = Part(f"{outcome.part.name}-again", (*options, *outcome.failed), outcome.part.marks)
        if run(part, place, **{TRACED: "yes"}).status:
            again += failed(part) or outcome.failed
    return again


def summary(outcomes: Sequence[Outcome], again: Sequence[str] | None) -> int:
    """Print the seconds of each part and every failure once, write flaky.txt, and return the exit status."""
    print("\nSeconds of each part:")
    for outcome in outcomes:
        print(f"  {outcome.part.name:10} {outcome.seconds:6.0f} s  {'failed' if outcome.status else 'passed'}")
    ids = [test for outcome in outcomes if outcome.status for test in outcome.failed]
    flaky = [test for test in ids if again is not None and test not in again]
    (RESULTS / "flaky.txt").write_text("".join(f"{test}\n" for test in flaky))
    for test in flaky:
        print(f"passed at the second try: {test}")
    lasting = [test for test in ids if test not in flaky]
    for test in lasting:
        print(f"FAILED {test}")
    broken = [one for one in outcomes if one.status and not (one.status == 1 and one.failed)]
    for outcome in broken:
        print(f"FAILED {outcome.part.name}, exit status {outcome.status}: test-results/{outcome.part.name}.log")
    return 1 if lasting or broken else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a target's parts and return 0 when everything passed, at the second try or before."""
    parser = argparse.ArgumentParser(prog="python -m tests.suite", description=__doc__)
    parser.add_argument("target", choices=("lint", "check", "test", "all"))
    target = parser.parse_args(arguments).target
    RESULTS.mkdir(exist_ok=True)
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="kneepoint-tests.", dir=in_memory(), ignore_cleanup_errors=True) as folder:
        place = Path(folder)
        outcomes = [run(part, place) for part in parts_of(target)]
        again = second_try([one for one in outcomes if one.status], place) if accidental(outcomes) else None
    status = summary(outcomes, again)
    print(f"make {target}: {'failed' if status else 'passed'} in {time.monotonic() - began:.0f} s")
    return status


def in_memory() -> str | None:
    """The folder in memory where it has room for what tests write, so that no fsync waits for a disk; else None."""
    memory = Path("/dev/shm")
    roomy = os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > ROOM_BYTES
    return str(memory) if roomy else None


if __name__ == "__main__":
    sys.exit(main())
