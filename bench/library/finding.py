"""Paths as a person gives them -> the result files among them, each with the files that belong to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import formats
from bench.errors import InputError
from bench.formats import Format
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
    """The result files, and what was not recognised: refused when it was named, passed over when it lay in a folder."""

    candidates: tuple[Candidate, ...]
    refused: tuple[Refusal, ...]
    passed_over: tuple[Refusal, ...]


def find(paths: Sequence[Path]) -> Found:
    """Every result file among the paths; folders are searched to any depth, hidden names left out."""
    candidates: list[Candidate] = []
    refused: list[Refusal] = []
    passed_over: list[Refusal] = []
    for path, named in _files(paths):
        try:
            candidates.append(_candidate(path))
        except InputError as problem:
            (refused if named else passed_over).append(
                Refusal(str(path) if named else path.name, str(problem))
            )
    beside = {companion for candidate in candidates for companion in candidate.companions}
    return Found(
        candidates=tuple(candidate for candidate in candidates if candidate.path not in beside),
        refused=tuple(refused),
        passed_over=tuple(row for row in passed_over if row.file not in {path.name for path in beside}),
    )


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
