"""The cost chart: a bar for each deployment or quote, and the cost over utilisation and price below."""

from __future__ import annotations

import math
import statistics
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bench import chart
from bench.basis.prices import terms_in_words
from bench.basis.wording import opened
from bench.chart import Theme, deployment_words, workload_words
from bench.chart.colouring import of_ratios, of_values
from bench.plain_text import html
from bench.questions.cost import names
from bench.questions.cost.result import Cost, Deployment, Quoted, Sensitivity
from bench.wording import counted, number, share

MOST = 8
"""So many bars are drawn; the rest stands in the table."""

FARTHEST = 8
"""Deployments that cost more than this many times the cheapest are left to the table."""

MOST_QUOTES = 4
"""So many quotes are told under the pointer."""

FAR, ROOM = 10.0, 1.25
"""What is dearer than these many times the others, or the longest bar, is beyond the axis; a note counts it."""

BAR_PX, TWO_LINES_PX, AROUND_PX = 25, 36, 96
GRID_PX, BETWEEN_PX, MARGINS_PX = 300, 126, 94
LABEL_PX, LONGEST = 6.3, 34
"""About the width of a letter of a bar's name, and so many letters stand on a line of it."""

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
    """The bars of a chart, how many there is no room for, the API's price and where the axis ends, USD per million."""

    found: Cost
    bars: list[Bar]
    undrawn: int
    api: float | None
    theme: Theme
    end: float

    @property
    def has_dots(self) -> bool:
        """Whether a bar stands for several quotes."""
        return any(bar.dots for bar in self.bars)


def draw(found: Cost, theme: Theme) -> go.Figure:
    """A bar for each deployment or quote, below it the cost over utilisation and price; an empty one says so."""
    if found.sensitivity is None:
        return chart.empty("Nothing selected has both a throughput and a price, so nothing is drawn.", theme)
    bars, undrawn = bars_of(found)
    api = found.api.usd_per_million if found.api else None
    upper = Upper(found, bars, undrawn, api, theme, axis_end(bars, api or 0.0))
    lines = [_lines(bar.name) for bar in bars]
    own = len(bars) * (BAR_PX if max(map(len, lines)) == 1 else TWO_LINES_PX) + AROUND_PX
    left = (max(len(line) for name in lines for line in name) + 7 * upper.has_dots) * LABEL_PX + 24
    height = own + BETWEEN_PX + GRID_PX
    split, start = (px / (height - MARGINS_PX) for px in (GRID_PX, GRID_PX + BETWEEN_PX))
    look = chart.look(theme, height=height) | {
        "margin": {"l": left, "r": 24, "t": 34, "b": 60}, "showlegend": False, "bargap": 0.28,
        "hovermode": "closest", "uirevision": f"{found.asked.tokens} {found.asked.group}",
        **_bar_axes(upper, start), **_grid_axes(found.sensitivity, theme, split),
        "annotations": [*_notes(upper, left), _grid_title(upper, split)],
        "shapes": [{"type": "line", "x0": upper.api, "x1": upper.api, "y0": -0.6, "y1": len(bars) - 0.4,
                    "line": {"color": theme.text, "width": 1.4, "dash": "dash"}, "visible": upper.api is not None}],
    }  # fmt: skip
    return go.Figure({"data": [*_bars(upper), *_grid(upper, found.sensitivity)], "layout": look})


def bars_of(found: Cost) -> tuple[list[Bar], int]:
    """The bars of an answer, lowest cost first, and how many there is no room for.

    One for each deployment, or of a single one for each quote, or where those are many for each provider and terms.
    """
    lead = found.lead
    if len(found.deployments) > 1:
        near = [one for one in found.deployments if one.usd_per_million <= FARTHEST * lead.usd_per_million]
        named = [(one, names.label(found, one)) for one in near[:MOST]]
        bars = [_bar(found, one, name, one.usd_per_million, one.offers) for one, name in named]
        return bars, len(found.deployments) - len(bars)
    groups: dict[object, list[Quoted]] = {}
    for one in lead.quotes:
        whose = one.quote if len(lead.quotes) <= MOST else (one.quote.provider, one.quote.terms)
        groups.setdefault(whose, []).append(one)
    middle = {key: statistics.median(one.usd_per_million for one in own) for key, own in groups.items()}
    bars = [_bar(found, lead, _whose(groups[key]), usd, groups[key]) for key, usd in middle.items()]
    bars.sort(key=lambda bar: bar.usd)
    return bars[:MOST], len(bars[MOST:])


def axis_end(bars: Sequence[Bar], api: float) -> float:
    """Where the axis of costs ends: at the dearest quote, or earlier where a few would press all others together.

    Bars of a quote each end where they cost FAR times the median bar, dots of quotes at ROOM times the longest bar.
    """
    usual = statistics.median(bar.usd for bar in bars)
    longest = max(bar.usd for bar in bars if bar.usd <= FAR * usual)
    highest = max(usd for bar in bars for usd in (bar.usd, *(dot for dot, _ in bar.dots)))
    return max(highest if highest <= ROOM * longest else ROOM * longest, api)


def _bar(found: Cost, one: Deployment, name: str, usd: float, quotes: Sequence[Quoted]) -> Bar:
    dots = tuple((quoted.usd_per_million, _hover(found, one, [quoted])) for quoted in quotes)
    return Bar(
        name, usd, one.point.accelerator, one.facts.point_id, one.facts.evidence == "measured",
        quotes[0].quote.is_modelled, _hover(found, one, quotes, usd), dots if len(dots) > 1 else (),
    )  # fmt: skip


def _whose(own: Sequence[Quoted]) -> str:
    """Whose price a bar is: "Lambda · on demand · undated", "GCP · on demand · 9 regions · undated"."""
    first, terms = own[0].quote, terms_in_words(own[0].quote.terms)
    regions = {region for one in own for region in one.quote.regions}
    parts = [opened(terms)] if first.is_modelled else [first.provider, terms]
    parts += [counted(len(regions), "region")] if len(regions) > 1 else []
    return " · ".join([*parts, f"{first.as_of:%Y-%m}" if first.as_of else "undated"])


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
        "type": "bar", "orientation": "h", "x": [min(bar.usd, end) for bar in bars], "y": list(range(len(bars))),
        "text": ["" if upper.has_dots or bar.usd > end else f" {number(bar.usd)}" for bar in bars],
        "textposition": "outside", "cliponaxis": False, "textfont": {"size": 12, "color": theme.text},
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
    named = ["<br>".join(map(html, _lines(bar.name))) for bar in upper.bars]
    if upper.has_dots:
        named = [f"{name} <b>{number(bar.usd)}</b>" for name, bar in zip(named, upper.bars, strict=True)]
    return {
        "yaxis": {**quiet, "domain": (start, 1), "tickvals": list(range(len(named))), "ticktext": named,
                  "range": [len(named) - 0.4, -0.6], "showgrid": False, "ticks": "", "tickfont": {"size": 12}},
        "xaxis": {**quiet, "range": [0, upper.end * 1.06], "anchor": "y", "ticks": "outside",
                  "gridcolor": upper.theme.grid, "tickformat": ",~g",
                  "title": {"text": html(f"{upper.found.asked.usd.axis} · lower is better"), "font": {"size": 13},
                            "standoff": 12}},
    }  # fmt: skip


def _quiet(theme: Theme) -> Part:
    return {"zeroline": False, "linecolor": theme.muted, "automargin": False}


def _notes(upper: Upper, left: float) -> list[Part]:
    """What bars and dots are, what lies beyond the axis and what stands in the table alone."""
    ends = [[dot for dot, _ in bar.dots] or [bar.usd] for bar in upper.bars]
    beyond = [usd for own in ends for usd in own if usd > upper.end]
    bars = "at the price of the chips" if len(upper.found.deployments) > 1 else "the middle quote"
    parts = [f"Bars: {bars}; dots: each quote"] if upper.has_dots else []
    parts += ["hatched: modelled costs"] if any(bar.is_modelled for bar in upper.bars) else []
    if beyond:
        parts.append(f"{counted(len(beyond), 'quote')} beyond the axis, up to {number(max(beyond))} USD")
    parts += [f"{upper.undrawn} dearer in the table"] if upper.undrawn else []
    note = {"x": 0, "y": 1, "xref": "paper", "yref": "paper", "xanchor": "left", "yanchor": "bottom", "yshift": 6,
            "xshift": 12 - left, "showarrow": False, "text": "; ".join(parts),
            "font": {"size": 12.5, "color": upper.theme.muted}}  # fmt: skip
    api = {"x": upper.api, "y": -0.6, "xref": "x", "yref": "y", "yanchor": "bottom", "showarrow": False,
           "text": f"API {number(upper.api)} USD", "font": {"size": 12}}  # fmt: skip
    return [note] if upper.api is None else [note, api]


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
    against = f"; blue where an API at {number(upper.api)} USD is dearer" if upper.api else ""
    about = html(f"USD per million on {names.chips(upper.found.lead.facts)}")
    return {"text": f"{about}<br>triangles are quotes{against}", "x": 0, "xref": "paper", "xanchor": "left", "y": split,
            "yref": "paper", "yanchor": "bottom", "yshift": 6, "showarrow": False, "font": {"size": 13},
            "align": "left"}  # fmt: skip


def _lines(text: str) -> list[str]:
    """A name in at most two lines."""
    first, *rest = textwrap.wrap(text, LONGEST)
    return [first, f"{rest[0][: LONGEST - 1]}…"] if len(rest) > 1 else [first, *rest]
