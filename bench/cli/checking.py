"""`python -m bench check`: whether a candidate's results may take a baseline's place, as an exit status for a CI."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from bench import catalogue
from bench.cli import output, progress
from bench.cli.arguments import Commands, add_list, command, opened, pairs
from bench.errors import BenchError, InputError, NotFound, UsageError

if TYPE_CHECKING:
    from bench.library import Library

PASSED, WORSE, UNKNOWN, UNDONE = 0, 1, 3, 4
TAGGED = "tag:"


def add_to(commands: Commands) -> None:
    """Describe this command to the parser."""
    check = command(commands, "check", "tell if a candidate is worse than a baseline", _check)
    check.more = (
        "A side is files or folders of any supported tool, runs of the library by their ids, or tag:NAME, the newest\n"
        "run with that tag. Several files of one side are its repeats: they tell a change from noise.\n\n"
        f"Exit status: {PASSED} better or the same, {WORSE} worse, {UNKNOWN} unknown, 2 wrong usage or input,\n"
        f"{UNDONE} the check itself failed."
    )
    add_list(check, "--baseline", "RUN", "what is in use: files, runs of the library, or tag:NAME")
    add_list(check, "--candidate", "RUN", "what may take its place, in the same forms")
    add_list(
        check, "--allow", "METRIC=SHARE", "the loss that is allowed, such as ttft_ms_p99=5%%; these alone are judged"
    )
    check.add_argument("--markdown", action="store_true", help="print a table for a pull request")
    check.add_argument("--junit", type=Path, metavar="FILE", help="write the verdict as JUnit XML too")


def _check(arguments: argparse.Namespace) -> int:
    from bench import gate
    from bench.gate import report

    allowed = allowances(arguments.allow)
    if not arguments.baseline or not arguments.candidate:
        raise UsageError("check needs --baseline and --candidate; `python -m bench check --help` shows their forms.")
    try:
        with progress.bar("Comparing"):
            sides = _paths(arguments, arguments.baseline), _paths(arguments, arguments.candidate)
            with gate.judged(*sides, allowed) as found:
                status = {"worse": WORSE, "unknown": UNKNOWN}.get(found.verdict, PASSED)
                told = report.document(found) if arguments.json else None
                said = report.markdown(found)
        if arguments.junit:
            arguments.junit.write_text(report.junit(found), encoding="utf-8")
    except InputError as problem:
        raise UsageError(str(problem)) from problem
    except OSError as problem:
        raise BenchError(
            f"The check could not be done: {problem.strerror or problem} ({problem.filename})."
        ) from problem
    if told is not None:
        output.document(told)
    elif arguments.markdown:
        output.text(said)
    else:
        output.line(report.headline(found))
        if found.lines:
            output.line()
            output.table([dict(zip(report.HEADING, row, strict=True)) for row in report.rows(found)], report.HEADING)
        for text in report.differences(found):
            output.line(f"Note: {text}.")
    return status


def allowances(texts: Iterable[str]) -> Mapping[str, float]:
    """The losses that are allowed, by metric, as shares; UsageError for what is none."""
    found = {}
    for metric, text in pairs(texts, "--allow ttft_ms_p99=5%"):
        kind = catalogue.metric(metric).kind
        if kind not in ("throughput", "per_accelerator", "per_user", "latency"):
            raise UsageError(f"{metric} is no throughput and no latency, so no loss of it is judged.")
        try:
            found[metric] = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
        except ValueError:
            found[metric] = -1.0
        if not 0 <= found[metric] <= 1:
            raise UsageError(f"{text[:40]!r} is no share of {metric}; write it as in {metric}=5%.")
    return found


def _paths(arguments: argparse.Namespace, texts: Iterable[str]) -> list[Path]:
    """The files and folders that one side names, of a folder with sweeps their journals; UsageError of others."""
    from bench.formats.journal import FILE as JOURNAL

    library: Library | None = None
    found = []
    for text in texts:
        if Path(text).exists():
            sweeps = sorted(Path(text).rglob(JOURNAL)) if Path(text).is_dir() else []
            found.extend(sweeps or [Path(text)])
            continue
        library = library or opened(arguments)
        try:
            named = library.newest_tagged(text.removeprefix(TAGGED)) if text.startswith(TAGGED) else text
            found.extend(library.files_of(named))
        except NotFound as problem:
            raise UsageError(f"{text[:80]!r} is no file and no run of the library: {problem}") from None
    return found
