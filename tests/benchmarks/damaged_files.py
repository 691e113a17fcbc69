"""Ten thousand damaged files through Library.add: each is refused in a sentence or imported whole and correctly."""

from __future__ import annotations

import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.errors import BenchError
from bench.library import ImportReport, Library
from tests.benchmarks import Figure
from tests.formats.mutations import MutatedFile, mutated_files
from tests.formats.test_mutations import check_row, what_the_file_says

COUNT, AT_ONCE, SEED = 10_000, 100, 20261121
GOALS = (
    ("tracebacks", "damaged files that end in a traceback"),
    ("half imports", "damaged files that are imported in part, or leave something behind"),
    ("wrong numbers", "damaged files with a number that an independent reader does not find"),
    ("no sentence", "damaged files refused without a sentence that names them"),
)


def measure() -> Iterator[Figure]:
    """Imports them by the hundred and looks at the library after each hundred."""
    found: Counter[str] = Counter()
    start = time.perf_counter()
    files = list(mutated_files(COUNT, SEED))
    with tempfile.TemporaryDirectory() as folder:
        library = Library.open(Path(folder) / "library", shipped=False)
        for first in range(0, COUNT, AT_ONCE):
            take(library, Path(folder) / str(first), files[first : first + AT_ONCE], found)
        library.close()
    for key, words in GOALS:
        yield Figure(words, found[key], "of 10,000", 0)
    for key in ("imported", "there already", "refused"):
        yield Figure(f"damaged files {key}", found[key], "of 10,000")
    yield Figure("all of them", time.perf_counter() - start, "s")


def take(library: Library, folder: Path, files: Sequence[MutatedFile], found: Counter[str]) -> None:
    """Import some files and count what became of them and what is wrong in the library afterwards."""
    folder.mkdir()
    for file in files:
        (folder / file.name).write_bytes(file.content)
    try:
        report = library.add([folder / file.name for file in files])
    except BenchError:
        raise
    except Exception as problem:
        if len(files) == 1:
            print(f"    {files[0].name} ({files[0].story}): {problem!r}")
            found["tracebacks"] += 1
        else:
            for file in files:
                take(library, folder / file.name.replace(".", "-"), [file], found)
        return
    refused = {refusal.file for refusal in report.refused if refusal.row is None}
    found["imported"] += len(report.imported)
    found["there already"] += len(report.already)
    found["refused"] += len(refused)
    found["no sentence"] += sum(not told_well(refusal.reason, refusal.file) for refusal in report.refused)
    found["half imports"] += len(files) - len(report.imported) - len(report.already) - len(refused)
    found["half imports"] += left_behind(library, report)
    found["wrong numbers"] += wrong(library, report, {str(folder / file.name): file for file in files})


def told_well(reason: str, file: str) -> bool:
    """Whether a refusal is one sentence; that of a whole file names it."""
    return len(reason.splitlines()) == 1 and reason.endswith((".", ")")) and bool(file)


def left_behind(library: Library, report: ImportReport) -> int:
    """How many imported sources hold other rows than the report says, or files lie where none should."""
    told = {row.sha256: (row.points, row.scores) for row in report.imported}
    ids = list(told)
    held = {source: [0, 0] for source in ids}
    for place, table in enumerate(("points", "scores")):
        sql = f"SELECT source_id, count(*) FROM {table} WHERE source_id IN (SELECT unnest(?::VARCHAR[])) GROUP BY 1"
        for source, count in library.fetch(sql, (ids,)):
            held[source][place] = count
    differing = sum(tuple(held[source]) != counts for source, counts in told.items())
    known = {source for (source,) in library.fetch("SELECT source_id FROM sources")}
    on_disk = {folder.name for folder in (library.path / "sources").glob("*")}
    staged = list((library.path / "tmp").glob("*"))
    return differing + len(known ^ on_disk) + len(staged)


def wrong(library: Library, report: ImportReport, files: Mapping[str, MutatedFile]) -> int:
    """How many imported files have a number in the library that Python's own readers do not find in them."""
    rows: dict[str, list[dict[str, Any]]] = {row.sha256: [] for row in report.imported}
    for table in ("points", "scores"):
        sql = f"SELECT * FROM pack_{table} WHERE source_id IN (SELECT unnest(?::VARCHAR[]))"
        cursor = library.cursor().execute(sql, [list(rows)])
        names = [column[0] for column in cursor.description or ()]
        for values in cursor.fetchall():
            row = dict(zip(names, values, strict=True))
            rows[row["source_id"]].append(row)
    return sum(differs(files[source.file], rows[source.sha256]) for source in report.imported)


def differs(file: MutatedFile, rows: Sequence[dict[str, Any]]) -> bool:
    """Whether some number of these rows is impossible, or not the one in the file's row; says so on the screen."""
    said = what_the_file_says(file)
    try:
        for row in rows:
            check_row(row, said.get(int(row["locator"].removeprefix("row "))) if said else None)
    except (AssertionError, KeyError, TypeError, ValueError) as problem:
        print(f"    {file.name} ({file.story}): {problem!r}")
        return True
    return False
