"""`python -m data.recipes`: the shipped library, data/library, rebuilt from the transcriptions."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from bench.cli import progress
from bench.errors import BenchError, InputError
from bench.library import ImportReport, Library
from bench.library.ledger import COUNTS, COUNTS_LOCK
from bench.library.store import MERGE_LOCK, Manifest, Root, read_manifest, source_names
from bench.progress import Progress, steps
from data.recipes import recipes
from data.recipes.tables import TRANSCRIPTIONS, Kept, Table

SHIPPED = TRANSCRIPTIONS.parent / "library"
LICENCE_TEXT = "LICENSE-DATA.md"


def main() -> int:
    """Zero when every table was written, or imported without a refusal; one otherwise."""
    parser = argparse.ArgumentParser(
        prog="python -m data.recipes",
        description="Rebuild data/library, the results that ship, from the transcriptions.",
    )
    parser.add_argument("--out", type=Path, help="only write the published tables into this folder")
    parser.add_argument("--library", type=Path, default=SHIPPED, help="the library to rebuild (default: data/library)")
    asked = parser.parse_args()
    try:
        if asked.out:
            with progress.bar("Writing tables"):
                write_tables(asked.out)
        else:
            with progress.bar("Writing tables") as bar:
                report = rebuild(asked.library, bar.show)
            for loaded in report.imported:
                print(f"{Path(loaded.file).name}: {loaded.points:,} points, {loaded.scores:,} scores")
    except BenchError as problem:
        print(problem, file=sys.stderr)
        return 1
    return 0


def write_tables(folder: Path) -> list[Path]:
    """The files of every recipe, written into a folder; their source cards lie beside them."""
    return [
        file.write(folder)
        for recipe in steps(recipes(), lambda one: one.__name__.rpartition(".")[2])
        for file in files(recipe)
    ]


def files(recipe: ModuleType) -> Iterator[Table | Kept]:
    """What one recipe makes: its published tables, and what ships as it was written."""
    for name in ("tables", "kept"):
        if hasattr(recipe, name):
            yield from getattr(recipe, name)()


def rebuild(target: Path, told: Progress | None = None) -> ImportReport:
    """The library at this place made anew; it is replaced only after every row was imported."""
    with tempfile.TemporaryDirectory(dir=target.parent) as work:
        tables = write_tables(Path(work) / "tables")
        fresh = Path(work) / "library"
        report = Library.open(fresh, shipped=False).add(tables, progress=told)
        if report.refused:
            first = report.refused[0]
            raise InputError(f"{first.file}, row {first.row}: {first.reason} (of {len(report.refused)} refusals)")
        if continue_sources(target, fresh):
            shutil.rmtree(fresh / "points")
            Library.open(fresh, shipped=False).rebuild()
        leave_only_results(fresh)
        add_licences(fresh)
        if target.exists():
            shutil.rmtree(target)
        fresh.rename(target)
    return report


def continue_sources(before: Path, fresh: Path) -> bool:
    """Whether a source of the fresh library has other bytes than the one of its file name before; it continues that.

    Its manifest then names that one, so that its points keep their ids and links to them stay true.
    """
    former = {one.main: (one.points_of or id) for id, one in manifests(before)}
    continued = [(id, one) for id, one in manifests(fresh) if former.get(one.main, id) != id]
    for id, one in continued:
        (fresh / "sources" / id / "manifest.json").write_bytes(replace(one, points_of=former[one.main]).encoded())
    return bool(continued)


def manifests(library: Path) -> list[tuple[str, Manifest]]:
    """The sources of a library with what each says about its files."""
    root = Root(library, writable=False)
    return [(id, read_manifest(root.source(id))) for id in source_names(root)]


def leave_only_results(library: Path) -> None:
    """Nothing; removes what only concerns this machine: who imported what from where, and the staging folder."""
    for name in ("audit.jsonl", MERGE_LOCK, COUNTS, COUNTS_LOCK):
        (library / name).unlink(missing_ok=True)
    shutil.rmtree(library / "tmp", ignore_errors=True)


def add_licences(library: Path) -> None:
    """The licence texts that must accompany their data, copied into the library."""
    for text in sorted(TRANSCRIPTIONS.glob(f"*/{LICENCE_TEXT}")):
        place = library / "licences" / f"{text.parent.name}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(text, place)


if __name__ == "__main__":
    sys.exit(main())
