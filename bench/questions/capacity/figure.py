"""The capacity chart: what serving the demand costs on each accelerator, and how much of what is paid is used."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import plotly.graph_objects as go

from bench import chart
from bench.basis import limits
from bench.chart import Theme, deployment_words, value_label, workload_words
from bench.chart.texts import text_at
from bench.chart.traces import HOVER
from bench.maths.colour import mixed
from bench.plain_text import html
from bench.questions.capacity import verdict
from bench.questions.capacity.result import Capacity, FleetPlan
from bench.wording import counted, number, share

MOST = 10
"""So many bars are drawn."""

FARTHEST = 8.0
"""A bar that is longer than the first by more than this many times would leave nothing of it; the table has it."""

BAR_PX, AROUND_PX, LINE_PX, CLEAR_PX = 18, 112, 17, 3
"""The height of a bar, the room around all, of a line of text, and between a name and its bar."""

LEFT_PX, GAP_PX = 24, 14
LETTERS, NOTE_LETTERS = 46, 52
"""A phone has room for so many letters in a line of a name, and of the note above the bars."""

SEGMENTS = (("on average", 1.0), ("more at peak", 0.5), ("free", 0.16))
"""The parts of a bar, and how strong their colour is."""


@dataclass(frozen=True)
class CapacityBars:
    """The bars of a chart: plans of one kind, priced or not, and how many more the table has."""

    found: Capacity
    plans: tuple[FleetPlan, ...]
    theme: Theme

    @cached_property
    def is_priced(self) -> bool:
        """Whether bars are costs; else they are chips."""
        return self.plans[0].usd_per_month is not None

    def length(self, plan: FleetPlan) -> float:
        """How long a plan's bar is."""
        return plan.usd_per_month or 0.0 if self.is_priced else float(plan.chips)

    @cached_property
    def names(self) -> list[list[str]]:
        """Each bar's name, in lines."""
        return [_lines(self.found, one) for one in self.plans]

    @cached_property
    def row_px(self) -> int:
        """The height of a bar with its name."""
        return BAR_PX + GAP_PX + LINE_PX * max(map(len, self.names))

    @property
    def notes(self) -> list[str]:
        """What the parts of a bar are, and what stands in the table alone, in lines."""
        parts = ["Full colour: used on average; half: more at peak; pale: free"]
        more = len(self.found.plans) + len(self.found.beyond) - len(self.plans)
        if more > 0:
            parts.append(f"{counted(more, 'more deployment')} in the table")
        within = textwrap.wrap(f"Within {limits.short(self.found.limits)}", NOTE_LETTERS) if self.found.limits else []
        return [*within, *textwrap.wrap("; ".join(parts), NOTE_LETTERS)]


def figure(result: Capacity, theme: Theme) -> go.Figure:
    """A bar for the first plan on each accelerator, the first on top; an empty one says so."""
    plans = drawn(result)
    if not plans:
        return chart.empty("Nothing serves this demand here.", theme)
    bars = CapacityBars(result, plans, theme)
    top = 17 + LINE_PX * len(bars.notes)
    height = len(plans) * bars.row_px + AROUND_PX + top
    look = chart.look(theme, height=height) | {
        "margin": {"l": LEFT_PX, "r": 24, "t": top, "b": 60},
        "showlegend": False,
        "hovermode": "closest",
        "barmode": "stack",
        "uirevision": result.asked.demand.unit,
        **_axes(bars),
        "annotations": [_note(bars), *_names(bars)],
    }
    return go.Figure({"data": _bars(bars), "layout": look})


def drawn(result: Capacity) -> tuple[FleetPlan, ...]:
    """The plans that have a bar: of each model and accelerator the first, those with a price where one has."""
    every = result.plans or result.beyond
    first: dict[tuple[str | None, ...], FleetPlan] = {}
    for one in every:
        lengths = (str(one.facts.isl), str(one.facts.osl)) if result.unlike else ()
        key = (one.facts.model, one.facts.accelerator, *lengths)
        if (one.usd_per_month is None) == (every[0].usd_per_month is None):
            first.setdefault(key, one)
    plans = list(first.values())
    ends = [one.usd_per_month or float(one.chips) for one in plans]
    return tuple(one for one, end in zip(plans, ends, strict=True) if end <= FARTHEST * ends[0])[:MOST]


def _lines(found: Capacity, plan: FleetPlan) -> list[str]:
    """A plan's name in at most two lines: its fleet and engine, of several models and workloads its own."""
    facts = plan.facts
    parts = [_fleet(plan)]
    if len(found.leads) > 1:
        parts.insert(0, value_label("model", facts.model or ""))
    if found.unlike:
        parts.append(f"{number(facts.isl)}/{number(facts.osl)}")
    if facts.engine:
        parts.append(value_label("engine", facts.engine))
    first, *rest = textwrap.wrap(", ".join(parts), LETTERS, break_on_hyphens=False)
    return [first, f"{rest[0][: LETTERS - 1]}…"] if len(rest) > 1 else [first, *rest]


def _fleet(plan: FleetPlan) -> str:
    """All chips and how they make instances: "40 chips = 5 x 8 H200 SXM", of one chip alone "1 H200 SXM"."""
    each, chip = plan.facts.accelerators or 1, value_label("accelerator", plan.facts.accelerator or "")
    return f"1 {chip}" if plan.chips == 1 else f"{plan.chips:,} chips = {plan.fleet.instances:,} x {each} {chip}"


def _bars(bars: CapacityBars) -> list[dict[str, Any]]:
    """The parts of each bar: what is used on average, what more at peak, and what is free."""
    colours = [chart.accelerator_colour(one.facts.accelerator, bars.theme) for one in bars.plans]
    hovers = [_hover(one, is_mixed=bool(bars.found.asked.demand.mix)) for one in bars.plans]
    ids, places = [[one.facts.point_id] for one in bars.plans], list(range(len(bars.plans)))
    shared = {"type": "bar", "orientation": "h", "y": places, "width": BAR_PX / bars.row_px, "customdata": ids}
    ends = [(0.0, one.fleet.used_at_mean, one.fleet.used_at_peak, 1.0) for one in bars.plans]
    made = []
    for nth, (name, strength) in enumerate(SEGMENTS):
        parts = [max(own[nth + 1] - own[nth], 0.0) for own in ends]
        lengths = [bars.length(one) * part for one, part in zip(bars.plans, parts, strict=True)]
        shades = [mixed(own, bars.theme.background, 1 - strength) for own in colours]
        look = {"marker": {"color": shades, "line": {"width": 0}}, "hovertext": hovers, "hovertemplate": HOVER}
        made.append({**shared, "name": name, "x": lengths, **look})
    return made


def _hover(plan: FleetPlan, *, is_mixed: bool) -> str:
    """A bar's text: what is needed and used, what an instance serves and what stops it, where it was measured."""
    one, facts, fleet = plan.instance, plan.facts, plan.fleet
    at = "of the mix" if is_mixed else f"at {verdict.load_of(plan)}"
    between = "as measured" if one.is_measured else f"between the measured {number(one.low)} and {number(one.high)}"
    lines = [
        "no price is known" if plan.usd_per_month is None else f"{number(plan.usd_per_month)} USD a month",
        plan.price.words if plan.price else "",
        f"used to {share(fleet.used_at_mean)} on average, {share(fleet.used_at_peak)} at peak",
        f"an instance serves {number(one.rate)} requests/s {at}",
        "" if is_mixed else f"{between}; stopped by: {verdict.stopped_by(plan)}",
        deployment_words(facts.row),
        workload_words({**facts.row, "concurrency": None, "request_rate": None, "batch": None}),
        f"{facts.evidence} · {facts.source}",
    ]
    return "<br>".join([f"<b>{html(_fleet(plan))}</b>", *(html(line) for line in lines if line)])


def _axes(bars: CapacityBars) -> dict[str, Any]:
    quiet = {"zeroline": False, "linecolor": bars.theme.muted, "automargin": False, "tickcolor": bars.theme.muted}
    bare, longest = {"showticklabels": False, "showgrid": False, "ticks": ""}, max(map(bars.length, bars.plans))
    title = "Cost (USD a month)" if bars.is_priced else "Chips"
    return {
        "yaxis": {**quiet, **bare, "range": [len(bars.plans) - 0.6, -0.75]},
        "xaxis": {
            **quiet,
            "range": [0, longest * 1.02],
            "tickformat": ",~s" if bars.is_priced else ",~g",
            "ticks": "outside",
            "gridcolor": bars.theme.grid,
            "nticks": 6,
            "title": {"text": f"{title}<br>lower is better", "font": {"size": 13}, "standoff": 12},
        },
    }


def _note(bars: CapacityBars) -> dict[str, Any]:
    look: dict[str, Any] = {"shift": (8 - LEFT_PX, 6), "size": 12.5, "colour": bars.theme.muted, "align": "left"}
    return text_at("<br>".join(bars.notes), 0, 1, "paper paper", **look)


def _names(bars: CapacityBars) -> list[dict[str, Any]]:
    """Each bar's name above it, its cost in bold."""
    look: dict[str, Any] = {"shift": (0, CLEAR_PX), "size": 12.5, "colour": bars.theme.text, "borderpad": 0}
    half = BAR_PX / bars.row_px / 2
    texts = []
    for lines, one in zip(bars.names, bars.plans, strict=True):
        cost = f"  <b>{number(one.usd_per_month)} USD</b>" if one.usd_per_month is not None else ""
        texts.append(f"{'<br>'.join(map(html, lines))}{cost}")
    return [
        text_at(text, 0, nth - half, "paper y", bgcolor=bars.theme.background, align="left", **look)
        for nth, text in enumerate(texts)
    ]
