"""`python -m bench.sweep FOLDER`: runs a sweep to its end, or goes on with it; then the library has its points."""

from __future__ import annotations

import sys
from pathlib import Path

from bench.errors import BenchError
from bench.sweep.folder import SWEEPS, Folder
from bench.sweep.session.endings import enter, status_of
from bench.sweep.session.runner import run


def main(path: Path) -> int:
    """The exit status; what is said goes to stderr."""
    folder = Folder(path)
    ended = run(folder)
    sys.stderr.write(f"{ended.state}: {ended.reason}\n")
    if path.parent.name == SWEEPS:
        enter(folder, path.parent.parent)
    return status_of(ended, [line for line, _ in folder.read.points])


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python -m bench.sweep FOLDER")
    try:
        sys.exit(main(Path(sys.argv[1]).absolute()))
    except BenchError as problem:
        sys.exit(str(problem))
