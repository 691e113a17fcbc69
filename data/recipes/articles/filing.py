"""What becomes of each figure an article prints: part of a point, a score, a price, or left out with a reason.

A measurement that an article prints several times is filed once; the other places are listed with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from bench.records import Flag
from data.recipes.tables import Row

Cell = dict[str, str]
"""One row of the transcription: article, section, model, …, metric, value, unit, date, evidence, note."""

SPECIFICATION = "a specification, a setting or a count of what was done, no measurement"
DERIVED = "computed from other printed figures"
CEILING = "a theoretical limit computed from specifications"
NO_NUMBER = "a range or a text, no single number"
COMPONENT = "a part of a step or of the memory, no serving metric"
API_PRICE = "what a hosted API charges per token, no price of an accelerator"
MARKET = "a market figure, a company's revenue or a count of stars"


@dataclass(frozen=True)
class Figure:
    """One printed value of one metric at one point: the point's columns, what is noted and flagged there.

    `times` turns the printed unit into the catalogue's; `evidence` stands where the transcription grades otherwise.
    """

    point: Mapping[str, Any]
    metric: str
    note: str | None = None
    flags: tuple[Flag, ...] = ()
    evidence: str | None = None
    times: int = 1


@dataclass(frozen=True)
class Judged:
    """One printed quality result: the score's columns without its value."""

    score: Mapping[str, Any]
    note: str | None = None
    evidence: str | None = None


@dataclass(frozen=True)
class Paid:
    """One printed price: the accelerator and how many of them it is for."""

    accelerator: str
    accelerators: int


@dataclass(frozen=True)
class LeftOut:
    """A figure that is no point, score or price, and why."""

    reason: str


Filing = Figure | Judged | Paid | LeftOut
Filed = tuple[Cell, Filing]


def filed(cells: Iterable[Cell], rule: Callable[[Cell], Filing]) -> list[Filed]:
    """Every row of an article with what becomes of it."""
    return [(cell, rule(cell)) for cell in cells]


def points(rows: Iterable[Filed]) -> list[Row]:
    """The published rows of the points, in the order of their first printing."""
    printings: dict[tuple[Any, ...], dict[str, list[tuple[Cell, Figure]]]] = {}
    for cell, filing in rows:
        if isinstance(filing, Figure):
            metrics = printings.setdefault(_key(filing.point), {})
            metrics.setdefault(filing.metric, []).append((cell, filing))
    return [_point(metrics) for metrics in printings.values()]


def scores(rows: Iterable[Filed]) -> list[Row]:
    """The published rows of the scores, in the order of their first printing."""
    printings: dict[tuple[Any, ...], list[tuple[Cell, Judged]]] = {}
    for cell, filing in rows:
        if isinstance(filing, Judged):
            printings.setdefault(_key(filing.score), []).append((cell, filing))
    return [_score(printed) for printed in printings.values()]


def value(cell: Cell) -> Decimal:
    """The number a row prints, without the signs for about and at least."""
    return Decimal(cell["value"].removeprefix("~").removesuffix("+"))


def _point(metrics: Mapping[str, list[tuple[Cell, Figure]]]) -> Row:
    every = [printed for printings in metrics.values() for printed in printings]
    best = {metric: _most_exact([cell for cell, _ in printed]) for metric, printed in metrics.items()}
    first, filing = every[0]
    flags = {flag.kind: flag for _, figure in every for flag in figure.flags}
    return {
        **filing.point,
        "evidence": _evidence((figure.evidence or cell["evidence"]) for cell, figure in every),
        "origin": "published",
        "note": _note(first, list(best.values()), [figure.note for _, figure in every]),
        "restated_in": _places(first, list(best.values()), [cell for cell, _ in every]),
        "flags": list(flags.values()),
        **{metric: value(cell) * metrics[metric][0][1].times for metric, cell in best.items()},
    }


def _score(printed: list[tuple[Cell, Judged]]) -> Row:
    best = _most_exact([cell for cell, _ in printed])
    first, filing = printed[0]
    return {
        **filing.score,
        "value": value(best),
        "evidence": _evidence((judged.evidence or cell["evidence"]) for cell, judged in printed),
        "origin": "published",
        "note": _note(first, [best], [judged.note for _, judged in printed]),
        "restated_in": _places(first, [best], [cell for cell, _ in printed]),
    }


def _most_exact(cells: list[Cell]) -> Cell:
    """The printing with the most decimals, after a check that the others are roundings of it."""
    best = max(cells, key=lambda cell: (cell["value"][0] != "~", -_step(cell)))
    for cell in cells:
        # A figure printed with ~ may be cut off instead of rounded.
        slack = _step(cell) * (Decimal(1) if cell["value"].startswith("~") else Decimal("0.5"))
        if abs(value(cell) - value(best)) > slack:
            raise ValueError(f"{cell['section']} prints {cell['value']}, {best['section']} {best['value']}.")
    return best


def _step(cell: Cell) -> Decimal:
    """One unit of the last decimal printed; whole numbers count as exact to the unit."""
    return Decimal(1).scaleb(min(0, int(value(cell).as_tuple().exponent)))


def _places(first: Cell, best: list[Cell], cells: list[Cell]) -> list[str]:
    """The sections that print the same figures again, with what they print where that is rounded."""
    exact = {value(cell) for cell in best}
    places: dict[str, str] = {}
    for cell in cells:
        if cell["section"] != first["section"]:
            rounded = "" if value(cell) in exact else f" (as {cell['value']})"
            places[cell["section"]] = places.get(cell["section"], cell["section"]) + rounded
    return list(places.values())


def _note(first: Cell, best: list[Cell], notes: Iterable[str | None]) -> str:
    rounded = "" if value(first) in {value(cell) for cell in best} else f" (as {first['value']})"
    about = " and ".join(cell["value"] for cell in best if not cell["value"].replace(".", "").isdigit())
    stated = dict.fromkeys(note for note in notes if note)
    parts = (f"Section {first['section']}{rounded}", f"printed as {about}" if about else None, *stated)
    return "; ".join(part for part in parts if part) + "."


def _evidence(grades: Iterable[str]) -> str:
    found = dict.fromkeys(grades)
    if len(found) > 1:
        raise ValueError(f"one figure is graded {' and '.join(found)}.")
    return next(iter(found))


def _key(columns: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(sorted((name, cell) for name, cell in columns.items() if cell is not None))
