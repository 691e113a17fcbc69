"""Paths as a person gives them -> the result files among them, each with the files that belong to it.

An archive is a folder: what it holds is unpacked and looked at like the rest, and shown by its place in the archive.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from bench import formats
from bench.errors import InputError
from bench.formats import Format, journal
from bench.formats.reading import SourceFile
from bench.library.importing import bundles, no_result
from bench.library.importing.archives import Unpacked, Unpacking, kind_of
from bench.library.importing.bundles import Bundle, Bundled
from bench.library.model_configs import FoundModel, found_model, is_config
from bench.records import Refusal

HOLE_BYTES = 1 << 20
"""Text has no such hole; a Parquet file's shorter runs of zeros may become one when it is copied."""

Looking = Callable[[str], None]


@dataclass(frozen=True)
class ResultFile:
    """A result file of a known format; `shown` is the path as a person knows it, the archive's name included.

    `sums` are files that only sum up this one and others. `bundled` is what a bundle says it is, None outside of one.
    """

    path: Path
    module: Format
    companions: tuple[Path, ...]
    shown: str
    sums: tuple[Path, ...] = ()
    bundled: Bundled | None = None


@dataclass(frozen=True)
class FoundFiles:
    """The result files, what was refused, and what is only told: nothing there, or no result among a folder's files.

    `no_results` are files beside results that plainly are none, as they are shown; `models` are the config.json of
    models.
    """

    candidates: tuple[ResultFile, ...]
    refused: tuple[Refusal, ...]
    passed_over: tuple[Refusal, ...]
    no_results: tuple[str, ...]
    bundles: tuple[Bundle, ...]
    models: tuple[FoundModel, ...] = ()


@dataclass(frozen=True)
class _GivenFile:
    """A file to be looked at; `within` is the folder or the archive it was found in, None when it was given itself."""

    path: Path
    shown: str
    within: Path | None
    archived: bool = False
    bundled: Bundled | None = None


class FileSearch:
    """Every result file among some paths; folders are searched to any depth, hidden names left out.

    Args:
        unpack_into: a folder for what archives hold, which must stay until the files were read. The folder it lies
            in is this import's own, and not searched.
        library: the folders of the library itself, which is no place to import from.
        refuse: files that are not to be touched, by how they are shown, and why.
        looking: is told of each file before it is opened.
        model: what a config.json is of, where that is stated.
    """

    def __init__(
        self,
        unpack_into: Path,
        library: Sequence[Path] = (),
        refuse: Mapping[str, str] | None = None,
        looking: Looking | None = None,
        model: str | None = None,
    ) -> None:
        self._unpacking = Unpacking(unpack_into)
        self._own = unpack_into.parent.resolve()
        self._homes = [folder.resolve() for folder in library]
        self._refuse = refuse or {}
        self._looking = looking or (lambda file: None)
        self._candidates: list[ResultFile] = []
        self._refused: dict[Path, Refusal] = {}
        self._passed_over: dict[Path, Refusal] = {}
        self._no_results: dict[Path, tuple[_GivenFile, Refusal, tuple[str, ...]]] = {}
        self._holding: dict[Path | None, set[str]] = {}
        self._bundles: list[Bundle] = []
        self._model = model
        self._models: list[FoundModel] = []

    def find(self, paths: Sequence[Path]) -> FoundFiles:
        """What is there."""
        for given in _files(paths):
            if not given.path.resolve().is_relative_to(self._own):
                self._look(given)
        beside = {companion for candidate in self._candidates for companion in candidate.companions}
        own = [one for one in self._candidates if one.path not in beside]
        aside = self._aside(beside)
        sums, summed_in = _restated(own), dict[Path, list[Path]]()
        shown = {one.path: one.shown for one in own}
        for path, summed in sums.items():
            reason = (
                f"{path.name} only repeats or sums up runs such as {summed.name}, which are imported instead of it; "
                "import those that are not here as well."
            )
            self._passed_over[path] = Refusal(shown[path], reason)
            summed_in.setdefault(summed, []).append(path)
        return FoundFiles(
            candidates=tuple(
                replace(one, sums=tuple(summed_in.get(one.path, ())))
                for one in own
                if one.path not in self._passed_over
            ),
            refused=tuple(row for path, row in self._refused.items() if path not in beside),
            passed_over=tuple(row for path, row in self._passed_over.items() if path not in beside),
            no_results=aside,
            bundles=tuple(self._bundles),
            models=tuple(self._models),
        )

    def _look(self, given: _GivenFile) -> None:
        try:
            if given.shown in self._refuse:
                raise InputError(self._refuse[given.shown])
            self._looking(given.shown)
            if not given.archived:
                _demand_outside(given.path, self._homes)
            _demand_content(given.path)
            if kind_of(given.path) is None:
                self._recognise(given)
                return
            if given.archived:
                raise InputError(f"{given.path.name} is an archive in an archive; unpack the outer one first.")
            files = self._unpacking.unpack(given.path)
            for file, bundled in self._inside(files, given):
                shown, within = f"{given.shown}/{file.place}", given.within or given.path
                self._look(_GivenFile(file.path, shown, within, archived=True, bundled=bundled))
        except (InputError, OSError, MemoryError) as problem:
            kept = given.shown in self._refuse or (given.within is None and given.path.is_file())
            told = self._refused if kept else self._passed_over
            told[given.path] = Refusal(given.shown, sentence(given.path, problem))

    def _recognise(self, given: _GivenFile) -> None:
        file = SourceFile(given.path)
        try:
            module = formats.recognise(file)
        except InputError as problem:
            if is_config(file):
                self._models.append(found_model(given.path, given.shown, self._model))
                return
            beside = problem.beside if isinstance(problem, formats.NoResult) else ()
            if given.within is None or not (beside or no_result.is_plainly_none(given.path)):
                raise
            self._no_results[given.path] = given, Refusal(given.shown, str(problem)), beside
            return
        companions = formats.companions(module, given.path)
        if given.bundled is not None and set(companions) != set(given.bundled.beside):
            companions = given.bundled.beside  # as they were where it comes from, whose version took others
        self._candidates.append(ResultFile(given.path, module, companions, given.shown, bundled=given.bundled))
        self._holding.setdefault(given.within, set()).add(module.NAME)

    def _aside(self, beside: Collection[Path]) -> tuple[str, ...]:
        """The files that plainly are no result, beside results; where there is none, or none of the tool that wrote
        such a file, each is told with why."""
        aside = []
        for path, (given, refusal, tools) in self._no_results.items():
            held = self._holding.get(given.within, set())
            if not held or (tools and held.isdisjoint(tools)):
                self._passed_over[path] = refusal
            elif path not in beside:
                aside.append(given.shown)
        return tuple(aside)

    def _inside(self, files: Sequence[Unpacked], archive: _GivenFile) -> Iterable[tuple[Unpacked, Bundled | None]]:
        """The files of an archive that are looked at: all, or of one that says that it is a bundle the sources."""
        said = next((file.path for file in files if file.place == bundles.NAME), None)
        if said is None or not SourceFile(said).outline.has(bundles.MARK):
            return [(file, None) for file in files]
        bundle = bundles.opened(said, archive.shown, files)
        self._bundles.append(bundle)
        for place in bundle.lacking:
            shown = f"{archive.shown}/{place}"
            reason = f"{bundles.NAME} names {Path(place).name} as a source, but it does not lie in the bundle."
            self._passed_over[Path(shown)] = Refusal(shown, reason)
        return bundles.sources(bundle, files)


def _restated(candidates: Sequence[ResultFile]) -> dict[Path, Path]:
    """The files that only sum up others among these, each with one of those."""
    by_module: dict[str, list[ResultFile]] = {}
    for one in candidates:
        by_module.setdefault(one.module.NAME, []).append(one)
    found = (formats.restated(some[0].module, [one.path for one in some]) for some in by_module.values())
    return {path: summed for sums in found for path, summed in sums.items()}


def sentence(path: Path, problem: Exception) -> str:
    """Why a file was not read, whatever went wrong."""
    if isinstance(problem, InputError):
        return str(problem)
    if isinstance(problem, MemoryError):
        return f"{path.name} needs more memory to be read than an import may take; divide it."
    if isinstance(problem, OSError):
        return f"{path.name} cannot be read: {problem.strerror or problem}."
    first = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
    return f"{path.name} cannot be read: {first[:300]}"


def _demand_outside(path: Path, homes: Sequence[Path]) -> None:
    whole = path.resolve()
    for home in homes:
        if whole.is_relative_to(home / journal.SWEEPS):
            raise InputError(f"{path.name} belongs to a sweep of this library, which is read in place.")
        if whole.is_relative_to(home):
            raise InputError(f"{path.name} lies in the library itself; import from another folder.")


def _demand_content(path: Path) -> None:
    """Check that a file was written whole; one with a hole has bytes that nobody ever wrote."""
    if not path.exists():
        raise InputError(f"There is no file {path}; check the path.")
    if not path.is_file():
        raise InputError(f"{path} is neither a file nor a folder.")
    size = path.stat().st_size
    if size == 0:
        raise InputError(f"{path.name} is empty.")
    if size > HOLE_BYTES and (hole := _hole(path, size)) is not None:
        raise InputError(
            f"{path.name} has a hole from byte {hole:,} on, as a copy that was cut off leaves it; copy it again."
        )


def _hole(path: Path, size: int) -> int | None:
    """Where the first long hole of a file begins; None when there is none, or the file system knows of none."""
    handle = os.open(path, os.O_RDONLY)
    try:
        place = 0
        while place < size:
            hole = os.lseek(handle, place, os.SEEK_HOLE)
            if hole >= size:
                return None
            try:
                place = os.lseek(handle, hole, os.SEEK_DATA)
            except OSError:  # no data after it
                place = size
            if place - hole >= HOLE_BYTES:
                return hole
    finally:
        os.close(handle)
    return None


def _files(paths: Sequence[Path]) -> Iterator[_GivenFile]:
    """Each file once."""
    seen: set[Path] = set()
    for given in paths:
        folder = given.is_dir()
        below = (path for path in given.rglob("*") if path.is_file()) if folder else ()
        inside = [path for path in below if not any(map(no_result.is_aside, path.relative_to(given).parts))]
        for path in sorted(inside) if folder else [given]:
            if path not in seen:
                seen.add(path)
                yield _GivenFile(path, str(path), given if folder else None)
