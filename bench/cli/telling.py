"""The command `run`: the story of one sweep, or of one of its points, as its page tells it."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from bench.cli import output
from bench.cli.arguments import Commands, add_place, place
from bench.wording import counted, number

if TYPE_CHECKING:
    from bench.sweep.story import PointStory, Story

STATISTICS = ("count", "mean", "p50", "p90", "p99", "max")
ROWS = ("number", "start_s", "end_s", "outcome", "output_tokens")
MOST_REQUESTS = 20
"""So many requests are printed as a table; --json has all that the page draws."""


def add_to(commands: Commands) -> None:
    """Describe the command to the parser."""
    told = "what a sweep measured, or one of its points down to the single request"
    parser = commands.add_parser("run", help=told, description=f"{told[:1].upper()}{told[1:]}.")
    parser.add_argument("id", help="the sweep's id, or the end of it")
    parser.add_argument("--point", type=int, metavar="N", help="tell the requests of its n-th point")
    add_place(parser)
    parser.set_defaults(run=_run)


def _run(arguments: argparse.Namespace) -> int:
    from bench.sweep.folder import Folder
    from bench.sweep.story import documents, point_story, story

    folder = Folder.of(place(arguments), arguments.id)
    if arguments.point is not None:
        point = point_story(folder, arguments.point)
        if arguments.json:
            output.document({"id": folder.id, **documents.point_story_document(point)})
        else:
            _tell_point(point)
        return 0
    told = story(folder)
    if arguments.json:
        output.document(documents.run_document(told))
    else:
        _tell_run(told)
    return 0


def _tell_run(story: Story) -> None:
    output.line(story.headline)
    for sentence in (*story.findings, *story.caveats):
        output.line(sentence)
    if len(story.points):
        output.line()
        output.table(output.frame_rows(story.points))
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
        output.line(
            f"Measured from {point.window.start_ns / 1e9:.3f} to {point.window.end_ns / 1e9:.3f} s{steady}."
        )
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
