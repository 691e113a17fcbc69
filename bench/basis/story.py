"""The model, precision and workload an answer is about, where the reader left them open: one choice for every page.

It is the story with the most ranked points times accelerators among all that the reader's filters leave, of equals the
one whose lengths are most nearly alike, then the longer. A page that needs what this story does not have says so and
is about the nearest one that has it: of the same model first, then the same precision, then the same workload.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bench import catalogue, selection
from bench.basis import evidence
from bench.basis.statement import Statement, coverage
from bench.catalogue import Kind
from bench.chart import value_label
from bench.library import Library
from bench.selection import as_asked
from bench.view import View
from bench.wording import counted, joined, number

KEYS = ("model", "precision", "isl", "osl")
FILLED = "filled"
"""The option in which a View says what of its filters was filled in and not chosen by the reader."""

FIGURES: tuple[Kind, ...] = ("throughput", "engine_rate", "latency")
"""A story's points are those with a metric of one of these kinds; without any, all of them."""


@dataclass(frozen=True)
class Needs:
    """What a page cannot do without: `points` is SQL that is TRUE for a point it can use, `words` say what that is.

    At least `fewest` groups of usable points, alike in the SQL expressions `each`, must meet the SQL aggregate
    `having`: "two counts of chips on one accelerator". `params` are bound in `points`, `each` and `having`, in this
    order; keys that are `open` may differ within a group, as they stay open on the page.
    """

    words: str
    points: str
    each: str = "1"
    having: str = "TRUE"
    fewest: int = 1
    params: tuple[Any, ...] = ()
    open: tuple[str, ...] = ()


@dataclass(frozen=True)
class Story:
    """What an answer is about: the View narrowed to one story, what was filled in, and what that leaves out.

    `instead_of` is the story of every other page, in words, where it lacks what this page needs; else "". `fits` is
    that some story of the selection has what the page needs.
    """

    view: View
    pins: Mapping[str, str]
    left_out: int
    instead_of: str
    needs: Needs | None
    fits: bool = True


def told(library: Library, view: View, needs: Needs | None = None, free: Collection[str] = ()) -> Story:
    """The story of a View. Keys that are `free` stay open on this page, as a column that is an axis of it.

    A View that is whole, or that names every key, stays as it is. The View says in FILLED what was filled in.
    """
    pins = {
        key: view.values(key)[0] for key in view.option(FILLED).split() if key in KEYS and view.values(key)
    }
    own = view.with_where(**dict.fromkeys(pins))
    absent = [key for key in KEYS if not own.values(key)]
    if (view.whole and not pins) or not absent:
        return Story(view, {}, 0, "", needs)
    rows = _stories(library, own, absent, needs)
    if not rows:
        return Story(view, {}, 0, "", needs)
    usable = [row for row in rows if needs is None or row["fits"] >= needs.fewest]
    if not view.whole:
        chosen = min(usable, key=lambda row: _distance(rows[0], row, absent), default=rows[0])
        pins = _pins(chosen, absent, free)
    view = own.with_where(**{key: (value,) for key, value in pins.items()})
    view = replace(view.with_options(**{FILLED: " ".join(pins)}), whole=view.whole)
    beside = selection.count(library, own) - selection.count(library, view) if own.where and pins else 0
    instead = "" if pins == _pins(rows[0], absent, free) else _words(rows[0], own)
    return Story(view, pins, beside, instead, needs, bool(usable))


def own_choice(view: View) -> View:
    """The View with the reader's own filters alone, without those that a story filled in."""
    filled = [key for key in view.option(FILLED).split() if key in KEYS]
    return view.with_where(**dict.fromkeys(filled)).with_options(**{FILLED: None})


def chosen(library: Library, view: View, key: str, values: Collection[str]) -> View:
    """The View after the reader chose other values of a filter; no more whole, so that its story is filled in anew.

    What a story had filled in goes. With another model each other filter is kept if something is left of the model
    and of those kept before it.
    """
    found = own_choice(view).with_where(**{key: values})
    return replace(_kept(library, found) if key == "model" and values else found, whole=False)


def statements(found: Story) -> list[Statement]:
    """What was filled in besides what the reader asked for, and that this is another story than other pages tell."""
    said = []
    if found.instead_of and found.needs is not None:
        said.append(
            coverage(
                "other_story", f"{found.instead_of} has no {found.needs.words}; this is the nearest that has."
            )
        )
    if found.left_out:
        words = joined([_named(key, value) for key, value in found.pins.items()])
        said.append(
            coverage(
                "narrowed",
                f"Narrowed to {words}; {counted(found.left_out, 'point')} of the selection beside it left out.",
                left_out=found.left_out,
            )
        )
    return said


def _kept(library: Library, view: View) -> View:
    """The View without the filters under which its model has no point at all."""
    found = View.of({"model": view.values("model")})
    for key, values in view.where:
        wider = found.with_where(**{key: values})
        if selection.count(library, wider):
            found = wider
    return replace(view, where=found.where)


def _pins(row: Mapping[str, Any], absent: Sequence[str], free: Collection[str]) -> dict[str, str]:
    """The filters that narrow a View to a story."""
    return {key: selection.written(row[key]) for key in absent if row[key] is not None and key not in free}


def _stories(
    library: Library, view: View, absent: Sequence[str], needs: Needs | None
) -> list[dict[str, Any]]:
    """Every story of the ranked points, best first, with `fits`: how many of its groups meet what is needed."""
    condition = evidence.ranked(library, evidence.read(view.with_slo(())))
    held = library.metric_columns()
    figures = (
        " OR ".join(f'"{key}" IS NOT NULL' for key in catalogue.metrics_of(*FIGURES, held=held)) or "FALSE"
    )
    columns = ", ".join(f"{as_asked(key)} AS {key}" for key in absent)
    groups = ", ".join(map(as_asked, absent))
    fitting, params = "SELECT NULL AS fits WHERE FALSE", ()
    alike = [key for key in absent if needs is None or key not in needs.open]
    if needs is not None:
        told = "".join(f"{as_asked(key)} AS {key}, " for key in alike)
        by = "".join(f"{as_asked(key)}, " for key in alike)
        fitting = (
            f"SELECT * EXCLUDE (one), count(*) AS fits FROM (SELECT {told}1 AS one FROM points WHERE {condition.sql}"
            f" AND ({needs.points}) GROUP BY {by}{needs.each} HAVING {needs.having})"
            f" GROUP BY ALL"
        )
        params = (*condition.params, *needs.params)
    same = " AND ".join(f"story.{key} IS NOT DISTINCT FROM fitting.{key}" for key in alike) or "TRUE"
    rows = library.fetch(
        f"WITH story AS (SELECT {columns}, count(*) FILTER ({figures}) AS points, count(*) AS every,"
        f" count(DISTINCT accelerator) AS chips FROM points WHERE {condition.sql} GROUP BY {groups})"
        + (f", fitting AS ({fitting}) SELECT story.*, coalesce(fits, 0) FROM story LEFT JOIN fitting ON {same}"
           if needs is not None else " SELECT *, 1 FROM story"),
        (*condition.params, *params),
    )  # fmt: skip
    found = [dict(zip((*absent, "points", "every", "chips", "fits"), row, strict=True)) for row in rows]
    return sorted(found, key=lambda row: _order(row, absent))


def _order(row: Mapping[str, Any], absent: Sequence[str]) -> tuple[Any, ...]:
    """More points times accelerators first; of equals lengths most nearly alike, then longer ones, then by name."""
    isl, osl = row.get("isl"), row.get("osl")
    return (
        -row["points"] * max(row["chips"], 1),
        -row["every"] * max(row["chips"], 1),
        abs(math.log(isl / osl)) if isl and osl else math.inf,
        -(isl + osl) if isl and osl else 0,
        *(str(row[key]) for key in absent),
    )


def _distance(first: Mapping[str, Any], row: Mapping[str, Any], absent: Sequence[str]) -> tuple[Any, ...]:
    """How far a story is from the first: another model is farther than another precision, that than other lengths."""
    unlike = [row[key] != first[key] for key in absent]
    return (*unlike[: len([key for key in absent if key in KEYS[:2]])], any(unlike), *_order(row, absent))


def _words(row: Mapping[str, Any], view: View) -> str:
    """A story in words, with what of it the reader named: "DeepSeek R1 0528 FP8 at 1,024/1,024"."""
    known = {key: row.get(key, (view.values(key) or (None,))[0]) for key in KEYS}
    words = [
        value_label("model", known["model"]) if known["model"] else "",
        str(known["precision"] or "").upper(),
    ]
    if known["isl"] is not None and known["osl"] is not None:
        words.append(f"at {number(float(known['isl']))}/{number(float(known['osl']))}")
    return " ".join(word for word in words if word) or "The selection"


def _named(key: str, value: str) -> str:
    if key == "model":
        return value_label("model", value)
    if key == "precision":
        return value.upper()
    return f"{number(float(value))} tokens {'in' if key == 'isl' else 'out'}"
