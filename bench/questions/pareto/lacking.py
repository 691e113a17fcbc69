"""What a Pareto answer says where there is too little for a frontier, and what to choose instead."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench import catalogue
from bench.chart import deployment_words, workload_words
from bench.library import Library
from bench.questions.pareto import axes as offered
from bench.questions.pareto import points, sentences
from bench.questions.pareto.axes import Axes
from bench.questions.pareto.points import Tally
from bench.view import View
from bench.wording import inline, joined

WHERE = {"x": "Across", "y": "Up"}


@dataclass(frozen=True)
class Instead:
    """Another metric that more of the selected points have together with the other axis.

    `option` is "x" or "y", `key` the metric to choose for it, `points` how many have both then.
    """

    option: str
    key: str
    points: int


@dataclass(frozen=True)
class Held:
    """How many selected points have each metric that can stand across or up, alone and with the other axis.

    `mapped` counts those with a throughput whose input and output length are stated, which the heatmap shows.
    """

    selected: int
    across: Mapping[str, int]
    across_with_y: Mapping[str, int]
    up_with_x: Mapping[str, int]
    mapped: int


def held(library: Library, view: View, axes: Axes) -> Held:
    """What the selected points have, whatever the axes are."""
    across = offered.across(library)
    up = [key for key in offered.up(library) if key not in catalogue.PRICED]
    some = " OR ".join(f'isfinite("{key}")' for key in up)
    counts = [
        "count(*)",
        *(f'count(*) FILTER (isfinite("{key}"))' for key in across),
        *(f'count(*) FILTER (isfinite("{key}") AND isfinite(y))' for key in across),
        *(f'count(*) FILTER (isfinite("{key}") AND isfinite(x))' for key in up),
        f"count(*) FILTER (isl IS NOT NULL AND osl IS NOT NULL AND ({some}))",
    ]
    selected, params = points.candidates(view, axes, ("isl", "osl", *across, *up))
    row = library.fetch(f"WITH candidate AS ({selected}) SELECT {', '.join(counts)} FROM candidate", params)[
        0
    ]
    width = len(across)
    return Held(
        selected=row[0],
        across=dict(zip(across, row[1 : width + 1], strict=True)),
        across_with_y=dict(zip(across, row[width + 1 : 2 * width + 1], strict=True)),
        up_with_x=dict(zip(up, row[2 * width + 1 : -1], strict=True)),
        mapped=row[-1],
    )


def instead(axes: Axes, found: Held, more_than: int) -> Instead | None:
    """What to choose so that more points than `more_than` have both; None when nothing does.

    Another statistic of what stands across comes first, then any other metric across, then one up.
    """
    across = {key: count for key, count in found.across_with_y.items() if key != axes.x.key}
    siblings = {key: count for key, count in across.items() if catalogue.metric(key).base == axes.x.base}
    up = {key: count for key, count in found.up_with_x.items() if key != axes.y.key}
    for option, counts in (("x", siblings), ("x", across), ("y", up)):
        key = max(counts, key=counts.__getitem__, default=None)
        if key is not None and counts[key] > more_than:
            return Instead(option, key, counts[key])
    return None


def headline(axes: Axes, tally: Tally, found: Held, choice: Instead | None) -> str:
    """That no selected point has both metrics: because no latency was published, or what to choose instead."""
    if not any(found.across.values()):
        about = sentences.selected(tally)
        start = f"No latency was published for {'any of ' if tally.selected > 1 else ''}the {about}"
        if not found.mapped:
            return f"{start}, so there is nothing to weigh throughput against; the Data page lists what was."
        owns = "its" if tally.selected == 1 else "their"
        if found.mapped < found.selected:
            owns = f"the throughput of {found.mapped:,} of them"
        else:
            owns += " throughput"
        return f"{start}, so there is nothing to weigh throughput against; {owns} is on the heatmap."
    told = sentences.none_of(axes, tally)
    if choice is None:
        return f"{told}; the Data page lists what {'it has' if tally.selected == 1 else 'they have'}."
    return f"{told}, but {_choose(choice)}."


def findings(axes: Axes, row: Mapping[str, Any], narrow: Sequence[str], choice: Instead | None) -> list[str]:
    """Of the only point: what it is, its flags, and what to do for a frontier; `narrow` are the filters in force."""
    words = ", ".join(text for text in (deployment_words(dict(row)), workload_words(dict(row))) if text)
    told = [f"That point is {words}."]
    told += [f"It has a flag: {flag['seen']} {flag['do']}" for flag in json.loads(row.get("flags") or "[]")]
    if choice is not None:
        told.append(f"For a frontier: {_choose(choice)}.")
    elif narrow:
        told.append(
            f"For a frontier, choose other or more values of {joined(list(narrow), 'or')} in the filters."
        )
    else:
        told.append(
            "For a frontier, choose more models in the filters, or import results that have both metrics."
        )
    return told


def _choose(choice: Instead) -> str:
    metric = inline(catalogue.metric(choice.key))
    has = "has" if choice.points == 1 else "have"
    return f"{choice.points:,} {has} {metric}: choose it under {WHERE[choice.option]}"
