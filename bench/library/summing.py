"""Whether one file only sums up another, told from the two alone, wherever they lie."""

from __future__ import annotations

from pathlib import Path

from bench import formats
from bench.errors import InputError
from bench.formats.reading import SourceFile
from bench.library.scratch import scratch_folder


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
