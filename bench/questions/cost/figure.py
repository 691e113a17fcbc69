"""The cost chart: a bar for each deployment or quote, and the cost over utilisation and price below."""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bench import catalogue, chart
from bench.basis.points import PointFacts
from bench.basis.prices import terms_in_words
from bench.basis.wording import opened
from bench.chart import Theme
from bench.chart.axis import decade_ticks
from bench.chart.colouring import of_ratios, of_values
from bench.chart.texts import text_at
from bench.chart.traces import HOVER, clickable, marker, scatter
from bench.plain_text import html
from bench.questions.cost import labels
from bench.questions.cost.result import Cost, PricedDeployment, QuotedCost, Sensitivity
from bench.wording import counted, inline, joined, number, quantity, share

MOST = 8
"""So many bars are drawn unless the reader asks for all; the table has every row."""

LOG_FROM = 8.0
"""Where the longest bar is more than so many times the shortest, the axis is logarithmic."""

ROOM = 1.25
"""Dots beyond so many times the longest bar are beyond a linear axis; a note counts them."""

BAR_PX, ROW_PX, AROUND_PX = 16, 24, 112
"""The height of a bar, of a row of it with one line of its name above, less a line, and the room around all."""

CLEAR_PX = 3
"""A name stands so far above its bar: plotly paints the ground of a text beyond its letters, into the bar."""

GRID_PX, BETWEEN_PX, MARGINS_PX, LEFT_PX = 300, 140, 94, 64
LETTERS = 40
"""A phone has room for so many letters in each of the two lines of a name, which is where the cost stands too."""

NOTE_LETTERS, LINE_PX = 52, 16
"""A line of the note above the bars has so many letters, which a phone has room for, and is so high."""

BarPart = dict[str, Any]


@dataclass(frozen=True)
class CostBar:
    """One bar: a cost in USD per million at a chip's price or at one quote; of several quotes each is a dot."""

    name: str
    usd: float
    facts: PointFacts
    is_modelled: bool
    hover: str
    dots: tuple[tuple[float, str], ...] = ()


@dataclass(frozen=True)
class ChartBars:
    """The bars of a chart, how many there is no room for and how many are of unlike runs, and the API's price."""

    found: Cost
    bars: list[CostBar]
    undrawn: int
    unlike: int
    api: float | None
    theme: Theme

    @property
    def log(self) -> bool:
        """Whether the axis of costs is logarithmic: the longest bar would press the shortest together on another."""
        costs = [bar.usd for bar in self.bars]
        return max(costs) > LOG_FROM * min(costs)

    @property
    def end(self) -> float:
        """Where it ends, in USD per million: at the dearest quote, or a linear one at ROOM times the longest bar."""
        highest = max(self.ends)
        return max(highest if self.log else min(highest, ROOM * max(bar.usd for bar in self.bars)), self.api or 0.0)

    @cached_property
    def row_px(self) -> int:
        """The height of a bar with its name."""
        return ROW_PX + LINE_PX * max(len(_lines(bar.name)) for bar in self.bars)

    @property
    def bar(self) -> float:
        """The share of that which the bar has."""
        return BAR_PX / self.row_px

    @property
    def ends(self) -> list[float]:
        """Every bar's cost and every dot's."""
        return [usd for bar in self.bars for usd in (bar.usd, *(dot for dot, _ in bar.dots))]

    @property
    def notes(self) -> list[str]:
        """What bars and dots are, what lies beyond the axis and what stands in the table alone, in lines."""
        parts = ["Bars: at the price of the chips; dots: each quote"] if any(bar.dots for bar in self.bars) else []
        parts += ["hatched: modelled costs"] if any(bar.is_modelled for bar in self.bars) else []
        if beyond := [usd for usd in self.ends if usd > self.end]:
            parts.append(f"{counted(len(beyond), 'quote')} beyond the axis, up to {number(max(beyond))} USD")
        parts += [f"{self.undrawn} dearer in the table"] if self.undrawn else []
        whose = joined([one.fact.several for one in self.found.unlike])
        parts += [f"{self.unlike} under unlike {whose} in the table"] if self.unlike else []
        return textwrap.wrap(opened("; ".join(parts)), NOTE_LETTERS)


def draw(costs: Cost, theme: Theme) -> go.Figure:
    """A bar for each deployment or quote, below it the cost over utilisation and price; an empty one says so."""
    if costs.sensitivity is None:
        return chart.empty("Nothing can be priced here.", theme)
    bars, undrawn = bars_of(costs)
    api = costs.api.usd_per_million if costs.api else None
    upper = ChartBars(costs, bars, undrawn, len(costs.deployments) - len(_alike(costs)), api, theme)
    top = 17 + LINE_PX * len(upper.notes)
    own = len(bars) * upper.row_px + AROUND_PX + 24 * (api is not None) - MARGINS_PX + top
    height = own + BETWEEN_PX + GRID_PX + 60
    split, start = (px / (height - 60 - top) for px in (GRID_PX, GRID_PX + BETWEEN_PX))
    look = chart.look(theme, height=height) | {
        "margin": {"l": LEFT_PX, "r": 24, "t": top, "b": 60},
        "showlegend": False,
        "hovermode": "closest",
        "uirevision": f"{costs.asked.tokens} {costs.asked.group}",
        **_bar_axes(upper, start),
        **_grid_axes(costs.sensitivity, theme, split),
        "annotations": [_note(upper), *_names(upper), *_api(upper), _grid_title(upper, split)],
        "shapes": [
            {"type": "line", "x0": api, "x1": api, "y0": -0.9, "y1": len(bars) - 0.6, "visible": api is not None}
            | {"line": {"color": theme.text, "width": 1.4, "dash": "dash"}}
        ],
    }
    return go.Figure({"data": [*_bars(upper), *_grid(upper, costs.sensitivity)], "layout": look})


def bars_of(costs: Cost) -> tuple[list[CostBar], int]:
    """The bars of an answer that are drawn, lowest cost first, and how many more there are.

    One for each deployment, or of a single one for each quote; equal quotes of a provider are one. Deployments whose
    runs are unlike the cheapest one's have none: on one axis they would be ranked.
    """
    many = every(costs) if costs.asked.every_bar else MOST
    if len(costs.deployments) > 1:
        bars = [_of_deployment(costs, one) for one in _alike(costs)[:many]]
    else:
        bars = [_of_quote(costs, costs.lead, one) for one in costs.lead.quotes[:many]]
    return bars, every(costs) - len(bars)


def every(costs: Cost) -> int:
    """How many bars an answer with a cost has in all."""
    return len(_alike(costs)) if len(costs.deployments) > 1 else len(costs.lead.quotes)


def _alike(costs: Cost) -> list[PricedDeployment]:
    """The deployments that ran as the cheapest did, in what is unlike unasked."""
    keys = [one.fact.key for one in costs.unlike]
    lead = [getattr(costs.lead.facts, key) for key in keys]
    return [one for one in costs.deployments if [getattr(one.facts, key) for key in keys] == lead]


def _of_deployment(costs: Cost, one: PricedDeployment) -> CostBar:
    quotes = [_of_quote(costs, one, quote) for quote in one.offers]
    dots = tuple((quote.usd, quote.hover) for quote in quotes) if len(quotes) > 1 else ()
    hover = _hover(costs, one, one.usd_per_million, one.price.words)
    return CostBar(labels.label(costs, one), one.usd_per_million, one.facts, quotes[0].is_modelled, hover, dots)


def _of_quote(costs: Cost, one: PricedDeployment, own: QuotedCost) -> CostBar:
    """The bar of one quote, named by it: "GCP, on demand, 6 regions, 2.70 USD/h"; a modelled cost is called that."""
    quote, terms = own.quote, terms_in_words(own.quote.terms)
    whose = [opened(terms)] if quote.is_modelled else [quote.provider, terms]
    where = [counted(len(quote.regions), "region")] if len(quote.regions) > 1 else []
    name = ", ".join([*whose, *where, f"{number(quote.usd_per_accelerator_hour)} USD/h"])
    dated = f"as of {quote.as_of}" if quote.as_of else "undated"
    price = " · ".join(filter(None, (name, quote.instance, dated, quote.book)))
    hover = _hover(costs, one, own.usd_per_million, price)
    return CostBar(name, own.usd_per_million, one.facts, quote.is_modelled, hover)


def _hover(costs: Cost, one: PricedDeployment, usd: float, price: str) -> str:
    """A bar's text: the cost, the price, and the operating point behind."""
    facts = one.facts
    speeds = [f"{inline(catalogue.metric(key))} {quantity(value, key)}" for key, value in one.speeds.items()]
    served = ", ".join(filter(None, (facts.workload, f"{number(one.point.rate)} tokens/s")))
    lines = (price, facts.deployment, served, joined(speeds), f"{facts.evidence} · {facts.source}")
    head = f"<b>{number(usd)} USD</b> per million {html(costs.asked.kind.words)}"
    return "<br>".join([head, *(html(line) for line in lines if line)])


def _bars(upper: ChartBars) -> list[BarPart]:
    """The bars from the cheapest down, and a dot for each of several quotes within the axis."""
    theme, end, bars = upper.theme, upper.end, upper.bars
    colours = [chart.accelerator_colour(bar.facts.accelerator, theme) for bar in bars]
    measured = [bar.facts.evidence == "measured" for bar in bars]
    fills = [own if is_own else "rgba(0,0,0,0)" for own, is_own in zip(colours, measured, strict=True)]
    hatch = {"fgcolor": theme.background, "size": 5, "solidity": 0.35}
    pattern = {"shape": ["/" if bar.is_modelled else "" for bar in bars], **hatch}
    whole = {
        "type": "bar",
        "orientation": "h",
        "x": [bar.usd for bar in bars],
        "y": list(range(len(bars))),
        "width": upper.bar,
        "customdata": [[bar.facts.point_id] for bar in bars],
        "hovertext": [bar.hover for bar in bars],
        "hovertemplate": HOVER,
        "marker": {"color": fills, "line": {"color": colours, "width": 1.4}, "pattern": pattern},
    }
    dots = [(nth, bar, usd, text) for nth, bar in enumerate(bars) for usd, text in bar.dots if usd <= end]
    look = {**marker("circle", 7, theme.background), "line": {"width": 1.4, "color": theme.text}}
    told = clickable((bar.facts.point_id for _, bar, *_ in dots), (text for *_, text in dots))
    quotes = scatter([usd for *_, usd, _ in dots], [nth for nth, *_ in dots], told, marker=look)
    return [whole, quotes] if dots else [whole]


def _bar_axes(upper: ChartBars, start: float) -> BarPart:
    quiet = {**_quiet(upper.theme), "tickcolor": upper.theme.muted}
    scale = "log scale · " if upper.log else ""
    x: BarPart = {"range": [0, upper.end * 1.06], "tickformat": ",~g"}
    if upper.log:
        low, high = min([*upper.ends, upper.api or upper.end]) / ROOM, upper.end * 1.1
        ticks = decade_ticks(low, high)
        x = {"type": "log", "range": [math.log10(low), math.log10(high)], "tickvals": ticks}
        x["ticktext"] = [number(tick) for tick in ticks]
    top = -0.85 if upper.api is None else -1.3
    return {
        "yaxis": {**quiet, "domain": (start, 1), "showticklabels": False, "range": [len(upper.bars) - 0.6, top],
                  "showgrid": False, "ticks": ""},
        "xaxis": {**quiet, **x, "anchor": "y", "ticks": "outside", "gridcolor": upper.theme.grid,
                  "title": {"text": f"{html(upper.found.asked.usd.axis)}<br>{scale}lower is better",
                            "font": {"size": 13}, "standoff": 12}},
    }  # fmt: skip


def _quiet(theme: Theme) -> BarPart:
    return {"zeroline": False, "linecolor": theme.muted, "automargin": False}


def _note(upper: ChartBars) -> BarPart:
    look: dict[str, Any] = {"shift": (8 - LEFT_PX, 6), "size": 12.5, "colour": upper.theme.muted, "align": "left"}
    return text_at("<br>".join(upper.notes), 0, 1, "paper paper", **look)


def _names(upper: ChartBars) -> list[BarPart]:
    """Each bar's name and cost, above it: beside it, a phone would have no room for the bars."""
    look: dict[str, Any] = {"shift": (0, CLEAR_PX), "size": 12.5, "colour": upper.theme.text, "borderpad": 0}
    texts = [f"{'<br>'.join(map(html, _lines(bar.name)))}  <b>{number(bar.usd)}</b>" for bar in upper.bars]
    return [
        text_at(text, 0, nth - upper.bar / 2, "paper y", bgcolor=upper.theme.background, align="left", **look)
        for nth, text in enumerate(texts)
    ]


def _lines(name: str) -> list[str]:
    """A name in at most two lines."""
    first, *rest = textwrap.wrap(name, LETTERS)
    return [first, f"{rest[0][: LETTERS - 1]}…"] if len(rest) > 1 else [first, *rest]


def _api(upper: ChartBars) -> list[BarPart]:
    if upper.api is None:
        return []
    x = math.log10(upper.api) if upper.log else upper.api
    corner = "left bottom" if upper.api < upper.end / 2 else "right bottom"
    return [text_at(f" API {number(upper.api)} USD ", x, -0.85, corner=corner, colour=upper.theme.text)]


def _grid(upper: ChartBars, grid: Sensitivity) -> list[BarPart]:
    """USD per million over utilisation and price of the first deployment, its quotes as triangles."""
    theme, api, prices, shares = upper.theme, upper.api, grid.usd_per_accelerator_hour, grid.utilisations
    values = np.array(grid.usd_per_million, dtype=float)
    shown = api / values if api else values
    scale = of_ratios(shown, "higher", theme) if api else of_values(values, "lower", log=True)
    placed = [[(row, column) for column in range(len(prices))] for row in range(len(shares))]
    texts = [[number(values[at]) for at in line] for line in placed]
    hovers = [[_cell(values[at], prices[at[1]], shares[at[0]], api) for at in line] for line in placed]
    own = {"zmin": scale.low, "zmax": scale.high, "colorscale": scale.scale, "showscale": False, "xgap": 1, "ygap": 1}
    across, up = list(range(len(prices))), list(range(len(shares)))
    cells = scale.cells(shown, texts, hovers, x=across, y=up, **own)
    step = math.log(prices[-1] / prices[0]) / (len(prices) - 1)
    quoted = sorted({one.quote.usd_per_accelerator_hour for one in upper.found.lead.quotes})
    said = [f"{number(usd)} USD/h per chip" for usd in quoted]
    marks = scatter(
        [math.log(usd / prices[0]) / step for usd in quoted],
        [upper.found.choice.utilisation * 10 - 0.48] * len(quoted),
        {"hovertext": said, "hovertemplate": "%{hovertext}<extra>a quote</extra>"},
        marker={**marker("triangle-down", 9, theme.text), "line": {"width": 1, "color": theme.background}},
    )
    return [{**one, "xaxis": "x2", "yaxis": "y2"} for one in (cells, marks)]


def _cell(value: float, price: float, used: float, api: float | None) -> str:
    beside = f"<br>{number(value / api)} times the API's price" if api else ""
    return f"<b>{number(value)} USD</b> per million<br>{number(price)} USD/h per chip, {share(used)} used{beside}"


def _grid_axes(grid: Sensitivity, theme: Theme, split: float) -> BarPart:
    quiet = {**_quiet(theme), "showgrid": False, "ticks": ""}
    prices, shares = grid.usd_per_accelerator_hour, grid.utilisations
    return {
        "xaxis2": {**quiet, "domain": [0, 1], "anchor": "y2", "tickvals": list(range(len(prices))), "tickangle": 0,
                   "ticktext": [number(usd) for usd in prices], "range": [-0.5, len(prices) - 0.5],
                   "title": {"text": "Price (USD per chip and hour)", "font": {"size": 13}}},
        "yaxis2": {**quiet, "domain": (0, split), "anchor": "x2", "tickvals": list(range(len(shares))),
                   "ticktext": [share(one) for one in shares], "range": [-0.5, len(shares) - 0.2],
                   "title": {"text": "Utilisation", "font": {"size": 13}, "standoff": 8}},
    }  # fmt: skip


def _grid_title(upper: ChartBars, split: float) -> BarPart:
    against = f"<br>blue where an API at {number(upper.api)} USD is dearer" if upper.api else ""
    about = html(f"USD per million on {labels.chips(upper.found.lead.facts)}")
    text = f"{about}<br>triangles are quotes{against}"
    return text_at(text, 0, split, "paper paper", shift=(0, 6), size=13, align="left")
