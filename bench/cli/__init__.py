"""The command line. What a page shows can be had here without a browser.

Results go to stdout, everything else to stderr. Exit status: 0 done, 1 the request could not be met, 2 wrong usage.
"""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from types import FrameType

import bench
from bench.cli import auditing, changes, endpoints, exporting, looking, output, sweeping, telling, verifying
from bench.cli.arguments import Parser, shared
from bench.errors import BenchError, UnknownName, UsageError

DONE, UNMET, MISUSED, INTERRUPTED = 0, 1, 2, 130


def main(argv: Sequence[str] | None = None) -> int:
    """The exit status of one command."""
    given = list(sys.argv[1:] if argv is None else argv)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        with _unwound_by(signal.SIGTERM, signal.SIGHUP):
            status = _run(given)
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
        return UNMET
    except Exception as problem:  # the boundary: a person gets a sentence, whatever went wrong
        if os.environ.get("KNEEPOINT_TRACEBACK"):
            traceback.print_exc()
        what = f"{type(problem).__name__}: {problem}"
        output.remark(f"Something unforeseen went wrong ({what}); KNEEPOINT_TRACEBACK=1 shows where.")
        return UNMET


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


def _run(argv: Sequence[str]) -> int:
    if argv and argv[0] == "ask":
        from bench.cli import asking

        return asking.run(argv[1:])
    if argv and argv[0] == "endpoint":
        from bench.cli import serving

        return serving.run(argv[1:])
    if argv and argv[0] == "sweep":
        return sweeping.run(argv[1:])
    parser, known = _parser()
    if argv and not argv[0].startswith("-") and argv[0] not in known:
        raise UnknownName("command", argv[0], known)
    arguments = parser.parse_args(argv)
    status: int = arguments.run(arguments)
    return status


def _parser() -> tuple[Parser, tuple[str, ...]]:
    """The parser of everything but `ask`'s arguments, and the names of all commands."""
    parser = Parser(prog="python -m bench", description="Kneepoint: benchmark results in, answers out.")
    parser.add_argument("--version", action="version", version=f"Kneepoint {bench.__version__}")
    commands = parser.add_subparsers(title="commands", dest="command", metavar="COMMAND", required=True)
    commands.add_parser("ask", parents=[shared()], help="answer a question about the library")
    commands.add_parser("endpoint", help="serve a fake endpoint to calibrate and test with")
    commands.add_parser("sweep", help="measure a live endpoint into the library")
    exporting.add_to(commands)
    sweeping.add_to(commands)
    endpoints.add_to(commands)
    telling.add_to(commands)
    changes.add_to(commands)
    looking.add_to(commands)
    auditing.add_to(commands)
    verifying.add_to(commands)
    return parser, tuple(commands.choices)


def _leave_the_pipe() -> None:
    """Whoever read our output has gone; keep Python from complaining about it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
