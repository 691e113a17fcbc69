"""The command `run`: the story of one sweep, or of one of its points, as its page tells it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from bench import catalogue
from bench.cli import output
from bench.cli.arguments import SWEEP, Commands, command, place
from bench.wording import counted, number

if TYPE_CHECKING:
    from bench.runs import PointStory, RunStory

STATISTICS = ("count", "mean", "p50", "p90", "p99", "max")
ROWS = ("number", "start_s", "end_s", "outcome", "output_tokens")
MOST_REQUESTS = 20
"""So many requests are printed as a table; --json has all that the page draws."""


def add_to(commands: Commands) -> None:
    """Describe the command to the parser."""
    does = "show what a sweep measured, down to single requests"
    parser = command(commands, "run", does, _run, library=False)
    parser.add_argument("id", metavar="ID", help=SWEEP)
    parser.add_argument("--point", type=int, metavar="N", help="show the requests of the N-th point")


def _run(arguments: argparse.Namespace) -> int:
    from bench.runs import documents, point_story, story
    from bench.sweep.folder import Folder

    folder = Folder.of(place(arguments), arguments.id)
    if arguments.point is not None:
        point = point_story(folder, arguments.point)
        if arguments.json:
            output.document({"id": folder.id, **documents.point_story_document(point)})
        else:
            _tell_point(point)
        return 0
    run_story = story(folder)
    if arguments.json:
        output.document(documents.run_document(run_story))
    else:
        _tell_run(run_story)
    return 0


def _tell_run(story: RunStory) -> None:
    output.line(story.headline)
    for sentence in (*story.findings, *story.caveats):
        output.line(sentence)
    if len(story.points):
        output.line()
        output.table(output.frame_rows(story.points), shares=[*filter(catalogue.is_share, story.points.columns)])
    for title, rows in (("Plan", story.planned), ("Environment", story.environment)):
        output.line()
        output.line(title)
        for label, words in rows:
            output.line(f"  {label}: {words}")
    if story.checks:
        output.line()
        output.line("Preflight")
        for check in story.checks:
            output.line(f"  {check.said}")


def _tell_point(point: PointStory) -> None:
    output.line(f"{counted(point.requests, 'request')} in {number(point.line.seconds)} s.")
    if point.window is not None:
        steady = "" if point.window.steady else f", no steady state: {point.window.why}"
        output.line(f"Measured from {point.window.start_ns / 1e9:.3f} to {point.window.end_ns / 1e9:.3f} s{steady}.")
    for flag in point.line.flags:
        output.line(f"{flag.seen} {flag.do}")
    if point.latencies:
        output.line()
        output.table(
            [
                {"latency": key, **{name: found.statistics[name] for name in STATISTICS}}
                for key, found in point.latencies.items()
            ]
        )
    for failure in point.failures:
        output.line()
        output.line(f"{failure.kind}: {counted(failure.requests, 'request')}")
        for one in failure.examples:
            output.line(f"  request {one.number} at {one.at_s:.3f} s: {one.error}")
    output.line()
    output.table(output.frame_rows(point.waterfall.rows.head(MOST_REQUESTS)), ROWS)
    output.line(point.waterfall.said)
