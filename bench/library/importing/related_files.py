"""Whether one file is another with further lines, as tools leave that append each run, or only sums another up."""

from __future__ import annotations

from pathlib import Path

from bench import formats
from bench.errors import InputError
from bench.formats.reading import SourceFile
from bench.library.scratch import scratch_folder

LONGEST = 4096
"""So much of a line tells it from others: what a tool writes of a run begins with its settings and figures."""
BLOCK = 1 << 18


def beginning(path: Path) -> bytes | None:
    """What a file and the same file with further lines begin with alike; None for one that does not grow by lines.

    Of JSON lines it is the first line, of a table the header and the first row.
    """
    try:
        with path.open("rb") as stream:
            first = stream.readline(LONGEST)
            if first.startswith(b"{"):
                if first.endswith(b"\n"):
                    return first if first.rstrip().endswith(b"}") else None
                return first if any(b"\n" in block for block in iter(lambda: stream.read(BLOCK), b"")) else None
            is_table = any(mark in first for mark in b",;\t") and not first.startswith(b"[")
            return first + stream.readline(LONGEST).rstrip() if is_table else None
    except OSError:
        return None


def begins_with(longer: Path, shorter: Path) -> bool:
    """Whether the one has all bytes of the other and then more; False where one cannot be read."""
    try:
        if longer.stat().st_size <= shorter.stat().st_size:
            return False
        with longer.open("rb") as more, shorter.open("rb") as less:
            while block := less.read(BLOCK):
                if more.read(len(block)) != block:
                    return False
        return True
    except OSError:
        return False


def sums_up(sums: Path, run: Path) -> bool:
    """Whether the one only sums up the other and others, as the format of both says; False where it cannot be read."""
    with scratch_folder() as folder:
        beside = Path(folder, "both", sums.name), Path(folder, "both", "run", run.name)
        try:
            beside[1].parent.mkdir(parents=True)
            for place, file in zip(beside, (sums, run), strict=True):
                place.symlink_to(file.resolve(strict=True))
            modules = [formats.recognise(SourceFile(place)) for place in beside]
            return modules[0] is modules[1] and beside[0] in formats.restated(modules[0], beside)
        except (InputError, OSError):
            return False
