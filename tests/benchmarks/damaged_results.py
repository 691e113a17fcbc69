"""Ten thousand damaged results of each tool: read rightly or refused in a sentence, quickly and in little memory."""

from __future__ import annotations

import resource
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from bench.errors import InputError
from tests.benchmarks import Figure
from tests.formats.damage import SAMPLES, DamagedResult, damaged_results
from tests.formats.reading_of import reading
from tests.formats.test_contract import check_row

COUNT, SEED = 10_000, 20261123


def measure() -> Iterator[Figure]:
    """Each is read as an import would read it, with its companions beside it."""
    for name in sorted(folder.name for folder in SAMPLES.iterdir() if folder.is_dir()):
        found, slowest = Counter[str](), 0.0
        with tempfile.TemporaryDirectory() as folder:
            for damaged in damaged_results(name, COUNT, SEED):
                path = placed(damaged, Path(folder))
                start = time.perf_counter()
                found[became(path, damaged.story)] += 1
                slowest = max(slowest, time.perf_counter() - start)
        yield Figure(f"{name}: tracebacks and impossible rows", found["wrong"], f"of {COUNT:,}", 0)
        yield Figure(f"{name}: read", found["read"], f"of {COUNT:,}")
        yield Figure(f"{name}: the slowest of them", slowest, "s", 5)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield Figure("peak memory of the process that read them all", peak, "MB", 1024)


def placed(damaged: DamagedResult, folder: Path) -> Path:
    """Where the damaged file lies now, the files of its sample beside it."""
    home = folder / damaged.sample.parent.name
    if not home.is_dir():
        home.mkdir()
    for beside in damaged.sample.parent.iterdir():
        if beside.is_file() and not (home / beside.name).exists():
            (home / beside.name).write_bytes(beside.read_bytes())
    path = home / damaged.sample.name
    path.unlink(missing_ok=True)
    path.write_bytes(damaged.content)
    return path


def became(path: Path, story: str) -> str:
    """`read`, `refused` or, said on the screen, `wrong`; the good file lies there again for the next one's sake."""
    try:
        rows = [row for batch in reading(path).batches() for row in batch.to_pylist()]
        for row in rows:
            check_row(row)
    except InputError as problem:
        return "refused" if len(str(problem).splitlines()) == 1 else "wrong"
    except Exception as problem:
        print(f"    {story}: {problem!r}")
        return "wrong"
    finally:
        path.unlink()
    return "read"
