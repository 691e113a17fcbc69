"""What an import did, as a record and as the JSON document of `import --json`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from bench.library.spread import Spread
from bench.records import Refusal
from bench.wording import counted, is_or_are, joined, number

if TYPE_CHECKING:
    from pydantic import TypeAdapter

SHOWN_REASONS, SHOWN_REASON = 10, 200
"""So many reasons of a bundle are told in sentences, and so many characters of each."""


@dataclass(frozen=True)
class Imported:
    """One source that was loaded (or, in a dry run, would be).

    `instead_of` are the sources that are hidden for it: the same file, imported with fewer files beside it, or a file
    that is beside it now, imported by itself. `spreads` are the values of its points in each column that people tell
    files apart by.
    """

    file: str
    format: str
    sha256: str
    points: int
    scores: int = 0
    instead_of: tuple[str, ...] = ()
    spreads: Mapping[str, Spread] = field(default_factory=dict)


@dataclass(frozen=True)
class AlreadyImported:
    """One file whose very bytes the library holds already, perhaps with more files beside or beside another, or that
    the same import gave twice."""

    file: str
    sha256: str


@dataclass(frozen=True)
class MissingFact:
    """Something a source leaves open that points are compared by, and for how many of its points."""

    file: str
    sha256: str
    fact: str
    points: int


@dataclass(frozen=True)
class NotUnderstood:
    """The keys of one file that its format did not read; dotted from the file's root. `beyond` counts those that are
    not listed."""

    file: str
    sha256: str
    keys: tuple[str, ...]
    beyond: int = 0


@dataclass(frozen=True)
class HiddenByBundle:
    """A source that a bundle hides, or a point or score of one, and why; of a source `id` is the `source_id`."""

    id: str
    source_id: str
    reason: str


@dataclass(frozen=True)
class TakenOver:
    """What a bundle says of the sources in it that the library takes over: how many facts, notes and tags, and what is
    hidden from now on."""

    file: str
    facts: int
    notes: int
    tags: int
    hidden: tuple[HiddenByBundle, ...]


@dataclass(frozen=True)
class ImportedModel:
    """A model whose config.json was kept (or, in a dry run, would be): its slug, and its parameters, which are
    computed from the shapes in it."""

    file: str
    model: str
    total_params: float | None
    active_params: float | None

    def sentence(self, *, dry_run: bool, shown: Callable[[str], str] = str) -> str:
        """What became of the file, in a sentence."""
        verb = "would become" if dry_run else "is"
        billions = f" of {number((self.total_params or 0) / 1e9)} B parameters (computed)"
        return f"{shown(self.file)} {verb} the model {self.model}{billions}; the page Memory says where it fits."


@dataclass
class ImportReport:
    """What an import did with each file it was given."""

    imported: list[Imported] = field(default_factory=list)
    already: list[AlreadyImported] = field(default_factory=list)
    refused: list[Refusal] = field(default_factory=list)
    missing_facts: list[MissingFact] = field(default_factory=list)
    not_understood: list[NotUnderstood] = field(default_factory=list)
    no_results: list[str] = field(default_factory=list)
    """Files in a folder or an archive of results that plainly are none, such as notes, logs and pictures."""
    taken_over: list[TakenOver] = field(default_factory=list)
    models: list[ImportedModel] = field(default_factory=list)

    @property
    def refusals(self) -> int:
        """How many rows and files were refused, those included that are not listed."""
        return sum(refusal.many for refusal in self.refused)

    @classmethod
    def of(cls, document: Mapping[str, Any]) -> ImportReport:
        """The report a document was made of."""
        return _adapter().validate_python(document)

    def document(self) -> dict[str, Any]:
        """The report as `import --json` prints it."""
        document: dict[str, Any] = _adapter().dump_python(self, mode="json")
        return document

    def said_of_no_results(self) -> str:
        """The files beside the results that are none, counted and named in one sentence; empty where there are none."""
        if not self.no_results:
            return ""
        names = [PurePath(file).name for file in self.no_results]
        many = counted(len(names), "file")
        said = "is no result" if len(names) == 1 else "are no results"
        return f"{many} beside the results {said}: {joined(list(dict.fromkeys(names)))}."

    def said_of_taken_over(self, *, dry_run: bool, shown: Callable[[str], str] = str) -> list[str]:
        """What bundles say of their sources that is taken over, a sentence for each and for each reason to hide."""
        lines: list[str] = []
        for one in self.taken_over:
            name = shown(one.file)
            said = [
                counted(many, noun)
                for many, noun in ((one.facts, "fact"), (one.notes, "note"), (one.tags, "tag"))
                if many
            ]
            if said:
                verb = "would be" if dry_run else is_or_are(one.facts + one.notes + one.tags)
                lines.append(f"{name}: {joined(said)} {verb} taken over with its sources.")
            lines += _hiding(one, name, dry_run=dry_run)
        return lines


def _hiding(one: TakenOver, name: str, *, dry_run: bool) -> Iterator[str]:
    """What a bundle hides, a sentence for each of the first reasons."""
    reasons = Counter(hidden.reason for hidden in one.hidden)
    sources = Counter(hidden.reason for hidden in one.hidden if hidden.id == hidden.source_id)
    for reason, all_of_it in list(reasons.items())[:SHOWN_REASONS]:
        within = all_of_it - sources[reason]
        many = [counted(sources[reason], "source")] if sources[reason] else []
        many += [counted(within, "point or score", "points or scores")] if within else []
        verb = "would be" if dry_run else is_or_are(all_of_it)
        short = reason if len(reason) <= SHOWN_REASON else f"{reason[:SHOWN_REASON]}…"
        yield f'{name}: {joined(many)} {verb} hidden, as it says, because: "{short}"'
    if beyond := sum([*reasons.values()][SHOWN_REASONS:]):
        yield f"{name}: … and {beyond:,} more, for other reasons; --json lists them all."


@cache
def _adapter() -> TypeAdapter[ImportReport]:
    from pydantic import TypeAdapter  # a tenth of a second, which only who hands a report on has to wait

    return TypeAdapter(ImportReport)
