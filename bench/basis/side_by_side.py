"""The models that a reader puts side by side: told apart in every answer, and never pooled.

The one rule of every question: with more than one model chosen, what is drawn and ranked is grouped by model, so that
no chip of one model is ahead of another model's chip without both models' names. A model of which an answer has nothing
to show is named, with the reason, before all other caveats.
"""

from __future__ import annotations

from collections.abc import Collection

from bench import selection
from bench.basis import evidence, limits, stated_share, story
from bench.basis.statement import Statement, caveat
from bench.basis.story import Needs
from bench.catalogue import PRICED
from bench.chart import title, value_label
from bench.library import Library
from bench.view import View
from bench.wording import joined, lowered

FIELD = "model"
EVERY_POINT = Needs("points", "TRUE")


def models(library: Library, view: View) -> tuple[str, ...]:
    """The models that a View's filter on models lets through, where those are several; else none."""
    if not view.values(FIELD):
        return ()
    chosen = selection.clause(View.of({FIELD: view.values(FIELD)}))
    found = library.fetch(f"SELECT DISTINCT model FROM points WHERE {chosen.sql} ORDER BY 1", chosen.params)
    return tuple(model for (model,) in found) if len(found) > 1 else ()


def field(library: Library, view: View, usual: str, needs: Needs | None = None) -> str:
    """The field that an answer of this View groups by: the `usual` one, or the models' where it compares several.

    It compares those that the reader put side by side and that have what the page `needs`, whatever the limits.
    """
    if usual == FIELD or not models(library, view):
        return usual
    of = needs or EVERY_POINT
    condition = evidence.ranked(library, evidence.read(view).unlimited).also(f"({of.points})")
    values = library.fetch(
        f"SELECT DISTINCT model FROM points WHERE {condition.sql} GROUP BY model, {of.each} HAVING {of.having}",
        (*condition.params, *of.params),
    )
    return FIELD if len(values) > 1 else usual


def gave_way(wanted: str, used: str, words: str = FIELD) -> list[Statement]:
    """That a field which was asked for gave way to what tells models apart, in words, where it did."""
    if not wanted or wanted == used:
        return []
    by = lowered(title(wanted).split(" (")[0]) if wanted != "none" else "one for all"
    return [caveat("gave_way", f"Models are compared here, so it is by {words}, not {by}.")]


def left_out(library: Library, view: View, shown: Collection[str | None], lacks: str) -> list[Statement]:
    """The models side by side of which an answer, of this complete View, shows nothing, and why.

    `lacks` says why a model that has ranked points is not shown: "no point with both metrics".
    """
    missing = [one for one in models(library, view) if one not in shown]
    if not missing:
        return []
    own = story.own_choice(view)
    everywhere, here, within = (_ranked(library, one) for one in (own.with_slo(()), view.with_slo(()), view))
    narrower = stated_share.narrower(own, view)
    because: dict[str, list[str]] = {}
    for one in missing:
        why = lacks
        if one not in everywhere:
            why = "no ranked point under these filters"
        elif one not in here:
            why = f"no ranked point {narrower or 'of this workload'}"
        elif one not in within:
            why = "no point that is known to keep the limits"
        because.setdefault(why, []).append(value_label(FIELD, one))
    return [
        caveat("model_left_out", f"Left out: {joined(names)}, with {why}.", models=len(names))
        for why, names in because.items()
    ]


def _ranked(library: Library, view: View) -> set[str]:
    """The models of a View's ranked points that keep its limits; one on a cost, which no column holds, left aside."""
    asked = [one.text for one in limits.read(view) if one.metric.key not in PRICED]
    condition = evidence.ranked(library, evidence.read(view.with_slo(asked)))
    return {
        one for (one,) in library.fetch(f"SELECT DISTINCT model FROM points WHERE {condition.sql}", condition.params)
    }
