"""The cost chart: a bar for each deployment or quote, and the cost over utilisation and price below."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bench import chart
from bench.basis.prices import terms_in_words
from bench.basis.wording import opened
from bench.chart import Theme, deployment_words, workload_words
from bench.chart.axis import decade_ticks
from bench.chart.colouring import of_ratios, of_values
from bench.chart.texts import text_at
from bench.plain_text import html
from bench.questions.cost import cost_words
from bench.questions.cost.result import Cost, PricedDeployment, QuotedCost, Sensitivity
from bench.wording import counted, joined, number, share

MOST = 8
"""So many bars are drawn unless the reader asks for all; the table has every row."""

LOG_FROM = 8.0
"""Where the longest bar is more than so many times the shortest, the axis is logarithmic."""

MOST_QUOTES = 4
"""So many quotes are told under the pointer."""

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

HOVER = "%{hovertext}<extra></extra>"
BarPart = dict[str, Any]


@dataclass(frozen=True)
class CostBar:
    """One bar: a cost in USD per million at a chip's price or at one quote; of several quotes each is a dot."""

    name: str
    usd: float
    accelerator: str
    point_id: str
    is_measured: bool
    is_modelled: bool
    hover: str
    dots: tuple[tuple[float, str], ...]


@dataclass(frozen=True)
class ChartBars:
    """The bars of a chart, how many there is no room for and how many are of unlike runs, the API's price, and the
    axis: where it ends in USD per million, and whether it is logarithmic.
    """

    found: Cost
    bars: list[CostBar]
    undrawn: int
    unlike: int
    api: float | None
    theme: Theme
    end: float
    log: bool

    @cached_property
    def row_px(self) -> int:
        """The height of a bar with its name."""
        return ROW_PX + LINE_PX * max(len(_lines(bar.name)) for bar in self.bars)

    @property
    def bar(self) -> float:
        """The share of that which the bar has."""
        return BAR_PX / self.row_px

    @property
    def has_dots(self) -> bool:
        """Whether a bar stands for several quotes."""
        return any(bar.dots for bar in self.bars)

    @property
    def ends(self) -> list[float]:
        """Every bar's cost and every dot's."""
        return [usd for bar in self.bars for usd in (bar.usd, *(dot for dot, _ in bar.dots))]

    @property
    def notes(self) -> list[str]:
        """What bars and dots are, what lies beyond the axis and what stands in the table alone, in lines."""
        parts = ["Bars: at the price of the chips; dots: each quote"] if self.has_dots else []
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
    api, log = costs.api.usd_per_million if costs.api else None, is_log(bars)
    unlike = len(costs.deployments) - len(_alike(costs))
    upper = ChartBars(costs, bars, undrawn, unlike, api, theme, axis_end(bars, api or 0.0), log)
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
        named = [(one, cost_words.label(costs, one)) for one in _alike(costs)[:many]]
        bars = [_bar(costs, one, name, one.usd_per_million, one.offers) for one, name in named]
    else:
        quoted = [(one, cost_words.of_quote(one.quote)) for one in costs.lead.quotes[:many]]
        bars = [_bar(costs, costs.lead, name, one.usd_per_million, [one]) for one, name in quoted]
    return bars, every(costs) - len(bars)


def every(costs: Cost) -> int:
    """How many bars an answer with a cost has in all."""
    return len(_alike(costs)) if len(costs.deployments) > 1 else len(costs.lead.quotes)


def _alike(costs: Cost) -> list[PricedDeployment]:
    """The deployments that ran as the cheapest did, in what is unlike unasked."""
    keys = [one.fact.key for one in costs.unlike]
    lead = [getattr(costs.lead.facts, key) for key in keys]
    return [one for one in costs.deployments if [getattr(one.facts, key) for key in keys] == lead]


def is_log(bars: Sequence[CostBar]) -> bool:
    """Whether the longest bar would press the shortest together on a linear axis."""
    costs = [bar.usd for bar in bars]
    return max(costs) > LOG_FROM * min(costs)


def axis_end(bars: Sequence[CostBar], api: float) -> float:
    """Where the axis of costs ends: at the dearest quote, or on a linear one at ROOM times the longest bar."""
    longest = max(bar.usd for bar in bars)
    highest = max(usd for bar in bars for usd in (bar.usd, *(dot for dot, _ in bar.dots)))
    return max(highest if is_log(bars) else min(highest, ROOM * longest), api)


def _bar(costs: Cost, one: PricedDeployment, name: str, usd: float, quotes: Sequence[QuotedCost]) -> CostBar:
    dots = tuple((quoted.usd_per_million, _hover(costs, one, [quoted])) for quoted in quotes)
    return CostBar(
        name,
        usd,
        one.point.accelerator,
        one.facts.point_id,
        one.facts.evidence == "measured",
        quotes[0].quote.is_modelled,
        _hover(costs, one, quotes, usd),
        dots if len(dots) > 1 else (),
    )


def _hover(costs: Cost, one: PricedDeployment, quotes: Sequence[QuotedCost], usd: float | None = None) -> str:
    """A bar's text: the cost, the prices with their age, region, terms and source, and the operating point behind."""
    facts, cost = one.facts, quotes[0].usd_per_million if usd is None else usd
    lines = [one.price.words] if usd == one.usd_per_million else []
    lines += [_price(quoted) for quoted in quotes[:MOST_QUOTES]]
    more = len(quotes) - MOST_QUOTES
    lines += [f"and {counted(more, 'dearer quote')}"] if more > 0 else []
    lines += textwrap.wrap(quotes[0].quote.note or "", chart.HOVER_WIDTH) if len(quotes) == 1 else []
    served = (workload_words(facts.row), f"{number(one.point.rate)} tokens/s")
    lines += [deployment_words(facts.row), ", ".join(filter(None, served)), cost_words.speeds(one)]
    lines += [f"{facts.evidence} · {facts.source}"]
    head = f"<b>{number(cost)} USD</b> per million {html(costs.asked.kind.words)}"
    return "<br>".join([head, *(html(line) for line in lines if line)])


def _price(quoted: QuotedCost) -> str:
    one = quoted.quote
    where = counted(len(one.regions), "region") if len(one.regions) > 1 else one.region
    price = f"{one.provider}: {number(one.usd_per_accelerator_hour)} USD/h per chip"
    dated, place = f"as of {one.as_of}" if one.as_of else "undated", filter(None, (where, one.instance))
    return " · ".join(filter(None, (price, terms_in_words(one.terms), ", ".join(place), dated, one.book)))


def _bars(upper: ChartBars) -> list[BarPart]:
    """The bars from the cheapest down, and a dot for each of several quotes within the axis."""
    theme, end, bars = upper.theme, upper.end, upper.bars
    colours = [chart.accelerator_colour(bar.accelerator, theme) for bar in bars]
    fills = [own if bar.is_measured else "rgba(0,0,0,0)" for own, bar in zip(colours, bars, strict=True)]
    hatch = {"fgcolor": theme.background, "size": 5, "solidity": 0.35}
    whole = {
        "type": "bar",
        "orientation": "h",
        "x": [bar.usd for bar in bars],
        "y": list(range(len(bars))),
        "width": upper.bar,
        "customdata": [[bar.point_id] for bar in bars],
        "hovertext": [bar.hover for bar in bars],
        "hovertemplate": HOVER,
        "marker": {
            "color": fills,
            "line": {"color": colours, "width": 1.4},
            "pattern": {"shape": ["/" if bar.is_modelled else "" for bar in bars], **hatch},
        },
    }
    dots = [(nth, bar, usd, text) for nth, bar in enumerate(bars) for usd, text in bar.dots if usd <= end]
    quotes = {
        "type": "scatter",
        "mode": "markers",
        "x": [usd for *_, usd, _ in dots],
        "y": [nth for nth, *_ in dots],
        "customdata": [[bar.point_id] for _, bar, *_ in dots],
        "hovertext": [text for *_, text in dots],
        "hovertemplate": HOVER,
        "marker": {
            "symbol": "circle",
            "size": 7,
            "color": theme.background,
            "line": {"width": 1.4, "color": theme.text},
        },
    }
    return [whole, quotes] if dots else [whole]


def _bar_axes(upper: ChartBars, start: float) -> BarPart:
    quiet = {**_quiet(upper.theme), "tickcolor": upper.theme.muted}
    scale = "log scale · " if upper.log else ""
    x: BarPart = {"range": [0, upper.end * 1.06], "tickformat": ",~g"}
    if upper.log:
        low, high = min([*upper.ends, upper.api or upper.end]) / ROOM, upper.end * 1.1
        ticks = decade_ticks(low, high)
        x = {
            "type": "log",
            "range": [math.log10(low), math.log10(high)],
            "tickvals": ticks,
            "ticktext": [number(tick) for tick in ticks],
        }
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
    api, prices = upper.api, grid.usd_per_accelerator_hour
    values = np.array(grid.usd_per_million, dtype=float)
    shown = api / values if api else values
    scale = of_ratios(shown, "higher", upper.theme) if api else of_values(values, "lower", log=True)
    hovers = [
        [_cell(value, usd, used, api) for value, usd in zip(line, prices, strict=True)]
        for line, used in zip(grid.usd_per_million, grid.utilisations, strict=True)
    ]
    inks = np.where(scale.dark_ink(shown), "#000000", "#ffffff")
    texts = [
        [f'<span style="color:{ink}">{number(value)}</span>' for value, ink in zip(line, own, strict=True)]
        for line, own in zip(grid.usd_per_million, inks, strict=True)
    ]
    cells = {
        "type": "heatmap",
        "x": list(range(len(prices))),
        "y": list(range(len(grid.utilisations))),
        "z": scale.of(shown),
        "xaxis": "x2",
        "yaxis": "y2",
        "zmin": scale.low,
        "zmax": scale.high,
        "colorscale": [[place / (len(scale.stops) - 1), stop] for place, stop in enumerate(scale.stops)],
        "showscale": False,
        "xgap": 1,
        "ygap": 1,
        "hovertext": hovers,
        "hovertemplate": HOVER,
        "text": texts,
        "texttemplate": "%{text}",
        "textfont": {"size": 11},
    }
    step = math.log(prices[-1] / prices[0]) / (len(prices) - 1)
    quoted = sorted({one.quote.usd_per_accelerator_hour for one in upper.found.lead.quotes})
    marks = {
        "type": "scatter",
        "mode": "markers",
        "x": [math.log(usd / prices[0]) / step for usd in quoted],
        "y": [upper.found.choice.utilisation * 10 - 0.48] * len(quoted),
        "xaxis": "x2",
        "yaxis": "y2",
        "hovertext": [f"{number(usd)} USD/h per chip" for usd in quoted],
        "hovertemplate": "%{hovertext}<extra>a quote</extra>",
        "marker": {
            "symbol": "triangle-down",
            "size": 9,
            "color": upper.theme.text,
            "line": {"width": 1, "color": upper.theme.background},
        },
    }
    return [cells, marks]


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
    about = html(f"USD per million on {cost_words.chips(upper.found.lead.facts)}")
    text = f"{about}<br>triangles are quotes{against}"
    return text_at(text, 0, split, "paper paper", shift=(0, 6), size=13, align="left")
