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
from bench.plain_text import html
from bench.questions.cost import names
from bench.questions.cost.result import Cost, Deployment, Quoted, Sensitivity
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
Part = dict[str, Any]


@dataclass(frozen=True)
class Bar:
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
class Upper:
    """The bars of a chart, how many there is no room for and how many are of unlike runs, the API's price, and the
    axis: where it ends in USD per million, and whether it is logarithmic.
    """

    found: Cost
    bars: list[Bar]
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


def draw(found: Cost, theme: Theme) -> go.Figure:
    """A bar for each deployment or quote, below it the cost over utilisation and price; an empty one says so."""
    if found.sensitivity is None:
        return chart.empty("Nothing can be priced here.", theme)
    bars, undrawn = bars_of(found)
    api, log = found.api.usd_per_million if found.api else None, is_log(bars)
    unlike = len(found.deployments) - len(_alike(found))
    upper = Upper(found, bars, undrawn, unlike, api, theme, axis_end(bars, api or 0.0), log)
    top = 17 + LINE_PX * len(upper.notes)
    own = len(bars) * upper.row_px + AROUND_PX + 24 * (api is not None) - MARGINS_PX + top
    height = own + BETWEEN_PX + GRID_PX + 60
    split, start = (px / (height - 60 - top) for px in (GRID_PX, GRID_PX + BETWEEN_PX))
    look = chart.look(theme, height=height) | {
        "margin": {"l": LEFT_PX, "r": 24, "t": top, "b": 60}, "showlegend": False,
        "hovermode": "closest", "uirevision": f"{found.asked.tokens} {found.asked.group}",
        **_bar_axes(upper, start), **_grid_axes(found.sensitivity, theme, split),
        "annotations": [_note(upper), *_names(upper), *_api(upper), _grid_title(upper, split)],
        "shapes": [{"type": "line", "x0": upper.api, "x1": upper.api, "y0": -0.9, "y1": len(bars) - 0.6,
                    "line": {"color": theme.text, "width": 1.4, "dash": "dash"}, "visible": upper.api is not None}],
    }  # fmt: skip
    return go.Figure({"data": [*_bars(upper), *_grid(upper, found.sensitivity)], "layout": look})


def bars_of(found: Cost) -> tuple[list[Bar], int]:
    """The bars of an answer that are drawn, lowest cost first, and how many more there are.

    One for each deployment, or of a single one for each quote; equal quotes of a provider are one. Deployments whose
    runs are unlike the cheapest one's have none: on one axis they would be ranked.
    """
    many = every(found) if found.asked.every_bar else MOST
    if len(found.deployments) > 1:
        named = [(one, names.label(found, one)) for one in _alike(found)[:many]]
        bars = [_bar(found, one, name, one.usd_per_million, one.offers) for one, name in named]
    else:
        quoted = [(one, names.of_quote(one.quote)) for one in found.lead.quotes[:many]]
        bars = [_bar(found, found.lead, name, one.usd_per_million, [one]) for one, name in quoted]
    return bars, every(found) - len(bars)


def every(found: Cost) -> int:
    """How many bars an answer with a cost has in all."""
    return len(_alike(found)) if len(found.deployments) > 1 else len(found.lead.quotes)


def _alike(found: Cost) -> list[Deployment]:
    """The deployments that ran as the cheapest did, in what is unlike unasked."""
    keys = [one.fact.key for one in found.unlike]
    lead = [getattr(found.lead.facts, key) for key in keys]
    return [one for one in found.deployments if [getattr(one.facts, key) for key in keys] == lead]


def is_log(bars: Sequence[Bar]) -> bool:
    """Whether the longest bar would press the shortest together on a linear axis."""
    costs = [bar.usd for bar in bars]
    return max(costs) > LOG_FROM * min(costs)


def axis_end(bars: Sequence[Bar], api: float) -> float:
    """Where the axis of costs ends: at the dearest quote, or on a linear one at ROOM times the longest bar."""
    longest = max(bar.usd for bar in bars)
    highest = max(usd for bar in bars for usd in (bar.usd, *(dot for dot, _ in bar.dots)))
    return max(highest if is_log(bars) else min(highest, ROOM * longest), api)


def _bar(found: Cost, one: Deployment, name: str, usd: float, quotes: Sequence[Quoted]) -> Bar:
    dots = tuple((quoted.usd_per_million, _hover(found, one, [quoted])) for quoted in quotes)
    return Bar(
        name, usd, one.point.accelerator, one.facts.point_id, one.facts.evidence == "measured",
        quotes[0].quote.is_modelled, _hover(found, one, quotes, usd), dots if len(dots) > 1 else (),
    )  # fmt: skip


def _hover(found: Cost, one: Deployment, quotes: Sequence[Quoted], usd: float | None = None) -> str:
    """A bar's text: the cost, the prices with their age, region, terms and source, and the operating point behind."""
    facts, cost = one.facts, quotes[0].usd_per_million if usd is None else usd
    lines = [one.price.words] if usd == one.usd_per_million else []
    lines += [_price(quoted) for quoted in quotes[:MOST_QUOTES]]
    more = len(quotes) - MOST_QUOTES
    lines += [f"and {counted(more, 'dearer quote')}"] if more > 0 else []
    lines += textwrap.wrap(quotes[0].quote.note or "", chart.HOVER_WIDTH) if len(quotes) == 1 else []
    served = (workload_words(facts.row), f"{number(one.point.rate)} tokens/s")
    lines += [deployment_words(facts.row), ", ".join(filter(None, served)), names.speeds(one)]
    lines += [f"{facts.evidence} · {facts.source}"]
    head = f"<b>{number(cost)} USD</b> per million {html(found.asked.kind.words)}"
    return "<br>".join([head, *(html(line) for line in lines if line)])


def _price(quoted: Quoted) -> str:
    one = quoted.quote
    where = counted(len(one.regions), "region") if len(one.regions) > 1 else one.region
    price = f"{one.provider}: {number(one.usd_per_accelerator_hour)} USD/h per chip"
    dated, place = f"as of {one.as_of}" if one.as_of else "undated", filter(None, (where, one.instance))
    return " · ".join(filter(None, (price, terms_in_words(one.terms), ", ".join(place), dated, one.book)))


def _bars(upper: Upper) -> list[Part]:
    """The bars from the cheapest down, and a dot for each of several quotes within the axis."""
    theme, end, bars = upper.theme, upper.end, upper.bars
    colours = [chart.accelerator_colour(bar.accelerator, theme) for bar in bars]
    fills = [own if bar.is_measured else "rgba(0,0,0,0)" for own, bar in zip(colours, bars, strict=True)]
    whole = {
        "type": "bar", "orientation": "h", "x": [bar.usd for bar in bars], "y": list(range(len(bars))),
        "width": upper.bar,
        "customdata": [[bar.point_id] for bar in bars],
        "hovertext": [bar.hover for bar in bars], "hovertemplate": HOVER,
        "marker": {"color": fills, "line": {"color": colours, "width": 1.4},
                   "pattern": {"shape": ["/" if bar.is_modelled else "" for bar in bars],
                               "fgcolor": theme.background, "size": 5, "solidity": 0.35}},
    }  # fmt: skip
    dots = [(nth, bar, usd, text) for nth, bar in enumerate(bars) for usd, text in bar.dots if usd <= end]
    quotes = {
        "type": "scatter", "mode": "markers", "x": [usd for *_, usd, _ in dots], "y": [nth for nth, *_ in dots],
        "customdata": [[bar.point_id] for _, bar, *_ in dots], "hovertext": [text for *_, text in dots],
        "hovertemplate": HOVER, "marker": {"symbol": "circle", "size": 7, "color": theme.background,
                                           "line": {"width": 1.4, "color": theme.text}},
    }  # fmt: skip
    return [whole, quotes] if dots else [whole]


def _bar_axes(upper: Upper, start: float) -> Part:
    quiet = {**_quiet(upper.theme), "tickcolor": upper.theme.muted}
    scale = "log scale · " if upper.log else ""
    x: Part = {"range": [0, upper.end * 1.06], "tickformat": ",~g"}
    if upper.log:
        low, high = min([*upper.ends, upper.api or upper.end]) / ROOM, upper.end * 1.1
        ticks = decade_ticks(low, high)
        x = {"type": "log", "range": [math.log10(low), math.log10(high)], "tickvals": ticks,
             "ticktext": [number(tick) for tick in ticks]}  # fmt: skip
    top = -0.85 if upper.api is None else -1.3
    return {
        "yaxis": {**quiet, "domain": (start, 1), "showticklabels": False, "range": [len(upper.bars) - 0.6, top],
                  "showgrid": False, "ticks": ""},
        "xaxis": {**quiet, **x, "anchor": "y", "ticks": "outside", "gridcolor": upper.theme.grid,
                  "title": {"text": f"{html(upper.found.asked.usd.axis)}<br>{scale}lower is better",
                            "font": {"size": 13}, "standoff": 12}},
    }  # fmt: skip


def _quiet(theme: Theme) -> Part:
    return {"zeroline": False, "linecolor": theme.muted, "automargin": False}


def _note(upper: Upper) -> Part:
    return {"x": 0, "y": 1, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom", "yshift": 6,
            "xshift": 8 - LEFT_PX, "showarrow": False, "align": "left", "text": "<br>".join(upper.notes),
            "font": {"size": 12.5, "color": upper.theme.muted}}  # fmt: skip


def _names(upper: Upper) -> list[Part]:
    """Each bar's name and cost, above it: beside it, a phone would have no room for the bars."""
    common = {"x": 0, "xref": "paper", "xanchor": "left", "yref": "y", "yanchor": "bottom", "borderpad": 0,
              "yshift": CLEAR_PX,
              "showarrow": False, "align": "left", "bgcolor": upper.theme.background,
              "font": {"size": 12.5, "color": upper.theme.text}}  # fmt: skip
    return [
        {**common, "y": nth - upper.bar / 2,
         "text": f"{'<br>'.join(map(html, _lines(bar.name)))}  <b>{number(bar.usd)}</b>"}
        for nth, bar in enumerate(upper.bars)
    ]  # fmt: skip


def _lines(name: str) -> list[str]:
    """A name in at most two lines."""
    first, *rest = textwrap.wrap(name, LETTERS)
    return [first, f"{rest[0][: LETTERS - 1]}…"] if len(rest) > 1 else [first, *rest]


def _api(upper: Upper) -> list[Part]:
    if upper.api is None:
        return []
    x = math.log10(upper.api) if upper.log else upper.api
    return [{"x": x, "y": -0.85, "xref": "x", "yref": "y", "yanchor": "bottom", "showarrow": False,
             "xanchor": "left" if upper.api < upper.end / 2 else "right", "text": f" API {number(upper.api)} USD ",
             "font": {"size": 12, "color": upper.theme.text}}]  # fmt: skip


def _grid(upper: Upper, grid: Sensitivity) -> list[Part]:
    """USD per million over utilisation and price of the first deployment, its quotes as triangles."""
    api, prices = upper.api, grid.usd_per_accelerator_hour
    values = np.array(grid.usd_per_million, dtype=float)
    shown = api / values if api else values
    scale = of_ratios(shown, "higher", upper.theme) if api else of_values(values, "lower", log=True)
    told = [
        [_cell(value, usd, used, api) for value, usd in zip(line, prices, strict=True)]
        for line, used in zip(grid.usd_per_million, grid.utilisations, strict=True)
    ]
    inks = np.where(scale.dark_ink(shown), "#000000", "#ffffff")
    texts = [
        [f'<span style="color:{ink}">{number(value)}</span>' for value, ink in zip(line, own, strict=True)]
        for line, own in zip(grid.usd_per_million, inks, strict=True)
    ]
    cells = {
        "type": "heatmap", "x": list(range(len(prices))), "y": list(range(len(grid.utilisations))),
        "z": scale.of(shown), "xaxis": "x2", "yaxis": "y2", "zmin": scale.low, "zmax": scale.high,
        "colorscale": [[place / (len(scale.stops) - 1), stop] for place, stop in enumerate(scale.stops)],
        "showscale": False, "xgap": 1, "ygap": 1, "hovertext": told, "hovertemplate": HOVER,
        "text": texts, "texttemplate": "%{text}", "textfont": {"size": 11},
    }  # fmt: skip
    step = math.log(prices[-1] / prices[0]) / (len(prices) - 1)
    quoted = sorted({one.quote.usd_per_accelerator_hour for one in upper.found.lead.quotes})
    marks = {
        "type": "scatter", "mode": "markers", "x": [math.log(usd / prices[0]) / step for usd in quoted],
        "y": [upper.found.choice.utilisation * 10 - 0.48] * len(quoted), "xaxis": "x2", "yaxis": "y2",
        "hovertext": [f"{number(usd)} USD/h per chip" for usd in quoted],
        "hovertemplate": "%{hovertext}<extra>a quote</extra>",
        "marker": {"symbol": "triangle-down", "size": 9, "color": upper.theme.text,
                   "line": {"width": 1, "color": upper.theme.background}},
    }  # fmt: skip
    return [cells, marks]


def _cell(value: float, price: float, used: float, api: float | None) -> str:
    beside = f"<br>{number(value / api)} times the API's price" if api else ""
    return f"<b>{number(value)} USD</b> per million<br>{number(price)} USD/h per chip, {share(used)} used{beside}"


def _grid_axes(grid: Sensitivity, theme: Theme, split: float) -> Part:
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


def _grid_title(upper: Upper, split: float) -> Part:
    against = f"<br>blue where an API at {number(upper.api)} USD is dearer" if upper.api else ""
    about = html(f"USD per million on {names.chips(upper.found.lead.facts)}")
    return {"text": f"{about}<br>triangles are quotes{against}", "x": 0, "xref": "paper", "xanchor": "left", "y": split,
            "yref": "paper", "yanchor": "bottom", "yshift": 6, "showarrow": False, "font": {"size": 13},
            "align": "left"}  # fmt: skip
