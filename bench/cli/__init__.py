"""The command line. What a page shows can be had here without a browser.

Results go to stdout, everything else to stderr. Exit status: 0 done, 1 the request could not be met, 2 wrong usage.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import signal
import sys
import threading
import traceback
from collections.abc import Container, Iterator, Sequence
from types import FrameType

import bench
from bench.cli import auditing, changes, checking, completion, exporting, looking, output, running, sweeping
from bench.cli.arguments import PROGRAM, Commands, Parser
from bench.errors import BenchError, UsageError

DONE, UNMET, MISUSED, INTERRUPTED = 0, 1, 2, 130
DEEP = {
    "ask": ("answer a question about the results, as its page does", "asking"),
    "sweep": ("benchmark a running endpoint and import the results", "sweeping"),
    "endpoint": ("serve a fake endpoint to calibrate and test clients with", "serving"),
}
"""Commands whose options take a while to load, so that only who uses them waits: what each does, and its module."""


def main(argv: Sequence[str] | None = None) -> int:
    """The exit status of one command."""
    given = list(sys.argv[1:] if argv is None else argv)
    unmet = checking.UNDONE if given[:1] == ["check"] else UNMET  # there 1 is a verdict
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        with _unwound_by(signal.SIGTERM, signal.SIGHUP):
            arguments = parser(given[:1]).parse_args(given)
            status: int = arguments.run(arguments)
        sys.stdout.flush()
        return status
    except SystemExit as end:  # argparse has printed its help, or a signal came
        return end.code if isinstance(end.code, int) else MISUSED
    except BrokenPipeError:
        _leave_the_pipe()
        return DONE
    except KeyboardInterrupt:
        return INTERRUPTED
    except UsageError as problem:
        output.remark(str(problem))
        return MISUSED
    except BenchError as problem:
        output.remark(str(problem))
        return unmet
    except Exception as problem:  # the boundary: a person gets a sentence, whatever went wrong
        if os.environ.get("KNEEPOINT_TRACEBACK"):
            traceback.print_exc()
        what = f"{type(problem).__name__}: {problem}"
        output.remark(f"Something unforeseen went wrong ({what}); KNEEPOINT_TRACEBACK=1 shows where.")
        return unmet


@contextlib.contextmanager
def _unwound_by(*signals: signal.Signals) -> Iterator[None]:
    """These end the block as an error would, so that what lies in the temporary folder is cleared away.

    Only the main thread may say so, and only where nobody has said otherwise.
    """

    def end(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)

    alone = threading.current_thread() is threading.main_thread()
    ours = [number for number in signals if alone and signal.getsignal(number) is signal.SIG_DFL]
    for number in ours:
        signal.signal(number, end)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def parser(described: Container[str] = tuple(DEEP)) -> Parser:
    """The parser of every command; of those in DEEP only the `described` ones have their options."""
    about = "Kneepoint: import, measure and compare LLM inference benchmarks."
    made = Parser(prog=PROGRAM, description=about)
    made.add_argument("--version", action="version", version=f"Kneepoint {bench.__version__}")
    commands = made.add_subparsers(
        title="commands", dest="command", metavar="COMMAND [--help]", required=True, prog=PROGRAM
    )
    changes.add_import(commands)
    _deep(commands, "ask", described)
    looking.add_to(commands)
    exporting.add_to(commands)
    _deep(commands, "sweep", described)
    sweeping.add_to(commands)
    running.add_to(commands)
    _deep(commands, "endpoint", described)
    changes.add_to(commands)
    checking.add_to(commands)
    auditing.add_to(commands)
    completion.add_to(commands, parser)
    return made


def _deep(commands: Commands, name: str, described: Container[str]) -> None:
    does, module = DEEP[name]
    deep = commands.add_parser(name, help=does, description=f"{does[:1].upper()}{does[1:]}.")
    if name in described:
        importlib.import_module(f"bench.cli.{module}").describe(deep)


def _leave_the_pipe() -> None:
    """Keep Python from complaining at its end that whoever read our output has gone."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
