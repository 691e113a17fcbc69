"""How far a command is, on one line of stderr that is written over; nothing where stderr is no terminal."""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from collections.abc import Iterator

from bench.plain_text import terminal
from bench.progress import heard_by

BAR_WIDTH = 24
DRAWN_EVERY_S = 0.1
FEW = 100


class TerminalLine:
    """The last line of the terminal, as long as it is written over."""

    def __init__(self) -> None:
        self.there = sys.stderr.isatty()
        self._open = False

    def write(self, text: str) -> None:
        """Replace what the line says, cut to the terminal's width."""
        if self.there:
            sys.stderr.write("\r\x1b[K" + terminal(text)[: shutil.get_terminal_size().columns - 1])
            sys.stderr.flush()
            self._open = True

    def clear(self) -> None:
        """Empty the line, so that what follows stands there."""
        if self._open:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
            self._open = False


@contextlib.contextmanager
def bar(doing: str) -> Iterator[Bar]:
    """Within this block a bar shows the steps of what is done; until the first is counted, what `doing` says."""
    drawn = Bar()
    drawn.line.write(f"{doing} …")
    try:
        with heard_by(drawn.show):
            yield drawn
    finally:
        drawn.line.clear()


class Bar:
    """A bar as long as what is done, with the numbers and what comes next."""

    def __init__(self) -> None:
        self.line = TerminalLine()
        self._drawn = 0.0

    def show(self, done: int, of: int, text: str) -> None:
        """Draw it; where there are many steps, not more often than anybody can see."""
        now = time.monotonic()
        if of > FEW and now - self._drawn < DRAWN_EVERY_S:
            return
        self._drawn = now
        self.line.write(f"{drawn(done, of, BAR_WIDTH)} {done:,} of {of:,}  {text}")


def drawn(done: int, of: int, width: int) -> str:
    """The bar itself; of nothing it is empty."""
    full = round(width * done / of) if of else 0
    return f"[{'#' * full}{'.' * (width - full)}]"
