"""What an import's report says, file by file: the table a person reads before anything is loaded, and its sentence."""

from __future__ import annotations

import datetime
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bench import formats
from bench.library.facts import PRICE
from bench.library.importing.report import ImportReport
from bench.library.library import Library
from bench.library.spread import COLUMNS, LOADS, THROUGHPUTS, Spread, heading
from bench.wording import counted, is_or_are, joined

NameOf = Callable[[str], str]

FACT_LABELS: Mapping[str, str] = {
    "model": "Model",
    "accelerator": "Accelerator",
    "accelerators": "Chips",
    "precision": "Precision",
    "engine": "Engine",
    "isl_requested": "Input length asked for",
    "osl_requested": "Output length asked for",
    PRICE: "Price of a chip (USD/h)",
}
"""The facts a person is asked for, in this order. A price is in no tool's file, so it is asked for every source."""


@dataclass(frozen=True)
class FileLine:
    """One file: what it was recognised as, what it gives, what of it is refused or not known.

    `open` maps a fact that the file leaves open, the price of a chip always, to the points it is missing in; `known`
    says that its bytes are in the library; `reason` is why the file as a whole is not loaded, None where it is.
    `source_id` is "" without one. `spreads` are the values of its points by column.
    """

    file: str
    recognised: str | None = None
    source_id: str = ""
    points: int = 0
    scores: int = 0
    refused_rows: int = 0
    not_understood: tuple[str, ...] = ()
    open: Mapping[str, int] = field(default_factory=dict)
    known: bool = False
    reason: str | None = None
    spreads: Mapping[str, Spread] = field(default_factory=dict)

    @property
    def loads(self) -> bool:
        """Whether something of it is loaded."""
        return bool(self.source_id) and not self.known and self.reason is None


def by_file(report: ImportReport, shown: NameOf = str) -> list[FileLine]:
    """A line for each file of the report, those that load first, then by name.

    `shown` gives the name a person knows a file by.
    """
    rows, keys, missing = Counter[str](), defaultdict[str, list[str]](list), defaultdict[str, dict[str, int]](dict)
    for refusal in report.refused:
        if refusal.row is not None or refusal.further:
            rows[refusal.file] += refusal.many
    for one in report.not_understood:
        keys[one.sha256] += [*one.keys, *([f"{one.beyond:,} more"] if one.beyond else [])]
    for fact in report.missing_facts:
        missing[fact.sha256][fact.fact] = fact.points
    titles = {module.NAME: module.TITLE for module in formats.modules()}
    lines = [
        FileLine(
            shown(row.file),
            titles.get(row.format, row.format),
            row.sha256,
            row.points,
            row.scores,
            rows.pop(row.file, 0),
            tuple(keys[row.sha256]),
            open=_open(row.points, missing[row.sha256]),
            spreads=row.spreads,
        )
        for row in report.imported
    ]
    lines += [FileLine(shown(row.file), source_id=row.sha256, known=True) for row in report.already]
    loaded = {row.file for row in report.imported}
    whole: dict[str, str] = {}
    for refusal in report.refused:
        if refusal.row is None and not refusal.further and refusal.file not in loaded:
            whole.setdefault(refusal.file, refusal.reason)
    lines += [FileLine(shown(file), refused_rows=rows.pop(file, 0), reason=reason) for file, reason in whole.items()]
    lines += [FileLine(shown(file), refused_rows=many, reason=NO_ROW) for file, many in rows.items()]
    return sorted(lines, key=lambda line: (not line.loads, line.known, line.file))


def differing_columns(lines: Sequence[FileLine]) -> tuple[str, ...]:
    """The columns that tell the files apart which load; how hard was asked and what came of it always among them."""
    loads = [line for line in lines if line.loads and line.spreads]
    has = [column for column in COLUMNS if any(column in line.spreads for line in loads)]
    gave = next((column for column in THROUGHPUTS if column in has), None)
    differ = {column for column in has if len({_cell(line, column) for line in loads}) > 1}
    wanted = {*(differ - set(THROUGHPUTS)), *LOADS, gave}
    return tuple(column for column in has if column in wanted)


def cells(lines: Sequence[FileLine], column: str) -> list[str | int | float | None]:
    """What a table says of each file's points in a column: numbers where every file has one, else words."""
    spreads = [line.spreads.get(column) for line in lines]
    alone = [one.values[0] if one.many == 1 else None for one in spreads if one is not None]
    if all(isinstance(value, int | float) for value in alone):
        return [None if one is None else one.values[0] for one in spreads]
    return [None if one is None else one.words(column) for one in spreads]


def _cell(line: FileLine, column: str) -> str:
    return line.spreads[column].words(column) if column in line.spreads else ""


def told_apart(lines: Sequence[FileLine]) -> dict[str, str]:
    """What each source is called beside the others: its file, and where that is not enough what it differs in."""
    loads = [line for line in lines if line.loads]
    columns = differing_columns(lines)
    called = {}
    for line in loads:
        alike = [other for other in loads if other.file == line.file]
        words = [
            f"{heading(column)} {told}"
            for column in columns
            if (told := _cell(line, column)) and len({_cell(other, column) for other in alike}) > 1
        ]
        called[line.source_id] = f"{line.file} ({', '.join(words[:MOST_WORDS])})" if words else line.file
    return called


MOST_WORDS = 3
"""So many differences tell two files of one name apart."""

NO_ROW = "No row of it can be loaded."


def refused(report: ImportReport, shown: NameOf = str) -> list[Mapping[str, Any]]:
    """Every refused row and file that is listed, with its place, as rows of a table."""
    return [
        {name: value for name, value in vars(refusal).items() if name != "further"} | {"file": shown(refusal.file)}
        for refusal in report.refused
    ]


def would_add(lines: list[FileLine]) -> str:
    """What an import of these files would do, in one sentence."""
    loads, rest = [line for line in lines if line.loads], _rest(lines, are=is_or_are)
    if not loads:
        return f"Nothing here can be added: {rest}." if rest else "There is no file among what was dropped."
    many = f"{len(loads)} of {counted(len(lines), 'file')}" if len(lines) > 1 else counted(1, "file")
    verb = "brings" if len(loads) == 1 else "bring"
    return f"{'; '.join(filter(None, (f'{many} {verb} {_amount(loads)}', rest)))}. Nothing is loaded yet."


def added(lines: list[FileLine]) -> str:
    """What an import of these files did, in one sentence."""
    loads = [line for line in lines if line.loads]
    rest = _rest(lines, are=lambda many: "was" if many == 1 else "were")
    if not loads:
        return f"Nothing new came in{f': {rest}' if rest else ''}."
    are = is_or_are(sum(line.points + line.scores for line in loads))
    came = f"{_amount(loads)} from {counted(len(loads), 'file')} {are} in the library now"
    return f"{'; '.join(filter(None, (came, rest)))}."


def _amount(lines: list[FileLine]) -> str:
    points, scores = sum(line.points for line in lines), sum(line.scores for line in lines)
    told = [counted(points, "point")] if points or not scores else []
    return joined([*told, *([counted(scores, "score")] if scores else [])])


def _rest(lines: list[FileLine], *, are: Callable[[int], str]) -> str:
    """What is not loaded of these files: known already, refused as a whole, refused in part."""
    known, broken = sum(line.known for line in lines), sum(line.reason is not None for line in lines)
    rows = sum(line.refused_rows for line in lines if line.loads)
    told = [f"{counted(known, 'file')} {are(known)} in the library already"] if known else []
    told += [f"{counted(broken, 'file')} cannot be loaded"] if broken else []
    told += [f"{counted(rows, 'row')} {are(rows)} refused"] if rows else []
    return joined(told)


def open_sources(lines: list[FileLine]) -> list[FileLine]:
    """The lines whose points lack facts, each called by what tells it from the others."""
    called = told_apart(lines)
    return [replace(line, file=called[line.source_id]) for line in lines if line.loads and line.points]


def _open(points: int, missing: Mapping[str, int]) -> Mapping[str, int]:
    missing = {**missing, PRICE: points}
    return {fact: missing[fact] for fact in FACT_LABELS if missing.get(fact)}


def stated(
    sources: Sequence[FileLine], for_all: Mapping[str, Any], for_one: Mapping[str, Mapping[str, Any]]
) -> dict[str, dict[str, Any]]:
    """The facts of each source: what was stated for it, else for all; never what its file says itself."""
    facts = {
        source.source_id: {
            fact: value
            for fact in source.open
            if (value := for_one.get(source.source_id, {}).get(fact, for_all.get(fact))) not in (None, "")
        }
        for source in sources
    }
    return {source_id: given for source_id, given in facts.items() if given}


def still_open(source: FileLine, given: Mapping[str, Any]) -> list[str]:
    """The labels of the facts that points of this source lack once these are stated; the price is no such fact."""
    return [FACT_LABELS[fact] for fact in source.open if fact != PRICE and fact not in given]


def replacements(report: ImportReport, library: Library, *, dry_run: bool, shown: NameOf = str) -> list[str]:
    """A sentence for each such file: "run.json: newer version of run.json, imported today; will replace it."."""
    lines = []
    for row in report.imported:
        older = [words for id in row.instead_of if (words := _older(library, id))]
        if row.instead_of:
            what = joined(older, at_most=3) or "another file of this import"
            verb = "will replace" if dry_run else "replaces"
            lines.append(
                f"{shown(row.file)}: newer version of {what}; {verb} {'it' if len(row.instead_of) == 1 else 'them'}."
            )
    return lines


def _older(library: Library, source_id: str) -> str:
    """The name of a source's file and when it was imported; "" for one that this import brought itself."""
    if (imported := library.file_of(source_id)) is None:
        return ""
    name, day = imported[0], imported[1][:10]
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    return f"{name}, imported {'today' if day == today else f'on {day}'}"
