"""Paths as a person gives them -> the result files among them, each with the files that belong to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import formats
from bench.errors import InputError
from bench.formats import Format, journal
from bench.formats.reading import SourceFile
from bench.records import Refusal


@dataclass(frozen=True)
class Candidate:
    """A result file of a known format."""

    path: Path
    module: Format
    companions: tuple[Path, ...]


@dataclass(frozen=True)
class Found:
    """The result files, what was refused, and what is only told: nothing there, or no result among a folder's files."""

    candidates: tuple[Candidate, ...]
    refused: tuple[Refusal, ...]
    passed_over: tuple[Refusal, ...]


def find(paths: Sequence[Path], library: Sequence[Path] = ()) -> Found:
    """Every result file among the paths; folders are searched to any depth, hidden names left out.

    `library`: the folders of the library itself, which is no place to import from.
    """
    candidates: list[Candidate] = []
    refused: dict[Path, Refusal] = {}
    passed_over: dict[Path, Refusal] = {}
    homes = [folder.resolve() for folder in library]
    for path, named in _files(paths):
        try:
            _demand_outside(path, homes)
            candidates.append(_candidate(path))
        except InputError as problem:
            told = refused if named and path.is_file() else passed_over
            told[path] = Refusal(str(path), str(problem))
    beside = {companion for candidate in candidates for companion in candidate.companions}
    return Found(
        candidates=tuple(candidate for candidate in candidates if candidate.path not in beside),
        refused=tuple(row for path, row in refused.items() if path not in beside),
        passed_over=tuple(row for path, row in passed_over.items() if path not in beside),
    )


def _demand_outside(path: Path, homes: Sequence[Path]) -> None:
    whole = path.resolve()
    for home in homes:
        if whole.is_relative_to(home / journal.SWEEPS):
            raise InputError(f"{path.name} belongs to a sweep of this library, which is read in place.")
        if whole.is_relative_to(home):
            raise InputError(f"{path.name} lies in the library itself; import from another folder.")


def _candidate(path: Path) -> Candidate:
    if not path.exists():
        raise InputError(f"There is no file {path}; check the path.")
    if not path.is_file():
        raise InputError(f"{path} is neither a file nor a folder.")
    if path.stat().st_size == 0:
        raise InputError(f"{path.name} is empty.")
    try:
        module = formats.recognise(SourceFile(path))
        return Candidate(path, module, formats.companions(module, path))
    except OSError as problem:
        raise InputError(f"{path.name} cannot be read: {problem.strerror}.") from problem


def _files(paths: Sequence[Path]) -> Iterator[tuple[Path, bool]]:
    """Each file once, and whether it was named rather than found in a folder."""
    seen: set[Path] = set()
    for given in paths:
        named = not given.is_dir()
        inside = [given] if named else sorted(_below(given))
        for path in inside:
            if path not in seen:
                seen.add(path)
                yield path, named


def _below(folder: Path) -> Iterator[Path]:
    for path in folder.rglob("*"):
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(folder).parts):
            yield path
