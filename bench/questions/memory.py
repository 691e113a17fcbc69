"""What fits in memory? The chips that hold a model's weights, and how many requests' KV cache fits beside them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass

import pandas as pd
import plotly.graph_objects as go

from bench import basis, chart, names, selection
from bench.basis import memory, story
from bench.basis.options import Option
from bench.basis.statement import Statement, caveat, finding, headline
from bench.basis.variations import Robustness
from bench.chart import Theme, line_names, value_label
from bench.chart.axis import widened
from bench.chart.roomy import from_width
from bench.chart.shades import told_apart
from bench.library import Library
from bench.plain_text import html
from bench.questions import Answer, Choices, Column, Why
from bench.view import View
from bench.wording import counted, joined, number

TITLE = "Memory"
QUESTION = "What fits in memory?"
SECTION = "Explore"
ORDER = 25
NEEDS = "facts"
OPTIONS = (
    Option("cache", "KV cache", "choice", "The precision of the KV cache.", ("bf16", "fp8")),
    Option("context", "Tokens of a request", "number", "Prompt and output together.", least=1, most=1e7),
)
COLUMNS = (
    Column("memory_gib", "Memory", "GiB"), Column("weights_gib", "Weights", "GiB"),
    Column("room_gib", "Room for KV cache", "GiB"), Column("requests", "Requests that fit", "", 0),
)  # fmt: skip

CHIPS = (1, 2, 4, 8, 16, 32, 64)
LISTED = 8
COINCIDING = 12
"""Lines that are nowhere so many pixels apart are told as one."""

NAMED_FROM_PX = 1100
"""On narrower pages than this there are no names at the lines, only in the legend."""

NAMED_PLOTS = ((1060, 400), (730, 400))
"""About the size of the plot in pixels on a wide page and on one that just has names."""

SOURCE = "published facts: data/models.csv and data/accelerators.csv"


@dataclass(frozen=True)
class Fit:
    """A count of chips: their memory, the weights, what an engine has left for KV cache, and the requests it holds.

    GiB; `room_gib` is below 0 where the weights do not fit, `requests` None where the cache's size is not published.
    """

    accelerator: str
    accelerators: int
    memory_gib: float
    weights_gib: float
    room_gib: float
    requests: int | None


@dataclass(frozen=True)
class Memory:
    """What of a model fits where: every count of every accelerator whose facts are published."""

    model: str | None
    precision: str | None
    kv_precision: str
    tokens: float
    fits: tuple[Fit, ...]
    unknown: tuple[str, ...]

    def fewest(self) -> list[Fit]:
        """For each accelerator the fewest chips with room for a request, those with the fewest first."""
        held = (one for one in reversed(self.fits) if one.room_gib > 0 and one.requests != 0)
        found = {one.accelerator: one for one in held}
        return sorted(found.values(), key=lambda one: (one.accelerators, -one.room_gib))


def complete(library: Library, view: View) -> View:
    """The View with the story filled in, a BF16 cache and requests of the story's lengths."""
    basis.check_every(view, OPTIONS)
    told = story.told(library, view).view
    lengths = sum(float(told.values(key)[0]) for key in ("isl", "osl") if told.values(key))
    tokens = told.option("context") or selection.written(lengths or 2048.0)
    cached = told.option("cache") or "bf16"
    return basis.written_out(told.with_options(cache=cached, context=tokens))


def choices(library: Library, view: View) -> Choices:
    """The precisions a KV cache can have."""
    return {"cache": [("bf16", "BF16"), ("fp8", "FP8")]}


def answer(library: Library, view: View) -> Answer[Memory]:
    """What fits on the selected accelerators, else on those the story was measured on, else on every known one."""
    whole = complete(library, view)
    found = _found(library, whole)
    gone = (caveat("not_loaded", text) for text in selection.not_loaded(library, whole))
    return Answer(
        QUESTION, whole, found, (*_statements(found), *gone),
        pd.DataFrame([asdict(one) for one in found.fits], columns=list(Fit.__dataclass_fields__)),
        (Why("Requests that fit", "(0.9 x memory - weights) / KV cache of a request",
             "parameters x bytes of the precision; KV bytes of a token x tokens, a window's layers up to the window",
             SOURCE),),
        library.version,
    )  # fmt: skip


def robustness(library: Library, view: View) -> Robustness | None:
    """None: facts are the same whatever way one looks."""
    return None


def figure(result: Memory, theme: Theme) -> go.Figure:
    """The requests that fit over chips, a line for each accelerator; the room where nobody says what one takes."""
    shown = "requests" if any(one.requests for one in result.fits) else "room_gib"
    held = [one for one in result.fits if getattr(one, shown) > 0]
    if not held:
        return chart.empty("Nothing is known to fit.", theme)
    drawn = chart.layout(go.Figure(), theme)
    lines = {slug: {one.accelerators: float(getattr(one, shown)) for one in held if one.accelerator == slug}
             for slug in dict.fromkeys(one.accelerator for one in held)}  # fmt: skip
    leaders = sorted(lines, key=lambda slug: -max(value / chips for chips, value in lines[slug].items()))
    colours = told_apart({slug: chart.accelerator_colour(slug, theme) for slug in leaders}, theme)
    low, high = widened(*_ends(lines), True, 0.06)
    alike = _coinciding({slug: lines[slug] for slug in leaders}, low, high)
    for slug, line in lines.items():
        drawn.add_trace(
            {"type": "scatter", "mode": "lines+markers", "name": html(value_label("accelerator", slug)),
             "line": {"color": colours[slug]}, "x": list(line), "y": list(line.values()), "legendgroup": slug,
             "hovertemplate": "%{x} x " + html(_together(alike, slug)) + ": %{y:,.4~r}<extra></extra>"}
        )  # fmt: skip
    fitting = f"Requests of {number(result.tokens)} tokens that fit"
    drawn.update_layout(legend=chart.LINES_LEGEND)
    ends = _add_names(drawn, lines, alike, colours, theme, (low, high))
    drawn.update_xaxes(type="log", title_text="Accelerators (chips)", tickvals=list(CHIPS), range=ends)
    ticks = [10.0**power for power in range(math.ceil(math.log10(low)), math.floor(math.log10(high)) + 1)]
    drawn.update_yaxes(
        type="log", range=[math.log10(low), math.log10(high)], tickvals=ticks, ticktext=[f"{one:,g}" for one in ticks],
        title_text=fitting if shown == "requests" else "Room for KV cache (GiB)",
    )  # fmt: skip
    return drawn


Lines = Mapping[str, Mapping[int, float]]
"""What is drawn of each accelerator, by chips."""


def _ends(lines: Lines) -> tuple[float, float]:
    values = [value for line in lines.values() for value in line.values()]
    return min(values), max(values)


def _coinciding(lines: Lines, low: float, high: float) -> list[list[str]]:
    """The accelerators whose lines nobody can tell apart on an axis from `low` to `high`, together."""
    least = (high / low) ** (COINCIDING / line_names.PLOTS[0][1])
    groups: list[list[str]] = []
    for slug, line in lines.items():
        for group in groups:
            first = lines[group[0]]
            ratios = [
                max(first[chips] / line[chips], line[chips] / first[chips]) for chips in first.keys() & line
            ]
            if max(ratios, default=math.inf) <= least:
                group.append(slug)
                break
        else:
            groups.append([slug])
    return groups


def _together(alike: Sequence[Sequence[str]], slug: str) -> str:
    """All whose line is drawn where this accelerator's is: "MI355X, GB300 and B300 SXM"."""
    return _named(next(group for group in alike if slug in group))


def _add_names(figure: go.Figure, lines: Lines, alike: Sequence[Sequence[str]], colours: Mapping[str, str],
               theme: Theme, up: tuple[float, float]) -> list[float]:  # fmt: skip
    """The ends of the horizontal axis, in powers of ten, with room for the names that were added where lines end."""
    low, high = up
    names = [_named(group) for group in alike]
    first, last = (
        math.log10(min(map(min, lines.values())) / 1.1),
        math.log10(max(map(max, lines.values())) * 1.1),
    )
    room = (max(map(len, names)) * line_names.LETTER + 2 * line_names.GAP) / NAMED_PLOTS[-1][0]
    last += (last - first) * room / (1 - room)
    height = math.log10(high / low)

    def places(slug: str) -> list[line_names.Place]:
        return [((math.log10(chips) - first) / (last - first), math.log10(value / low) / height)
                for chips, value in lines[slug].items()]  # fmt: skip

    paths = [places(slug) for slug in lines]
    widths = [len(name) * line_names.LETTER for name in names]
    labels = line_names.placed([places(group[0])[-1] for group in alike], widths,
                               [[place] for path in paths for place in path], plots=NAMED_PLOTS)  # fmt: skip
    for group, name, label in zip(alike, names, labels, strict=True):
        if label is not None:
            figure.add_trace({
                "type": "scatter", "mode": "text", "hoverinfo": "skip", "showlegend": False, "cliponaxis": False,
                "x": [max(lines[group[0]])], "y": [low * 10 ** (label.up * height)], "legendgroup": group[0],
                "text": [from_width(line_names.text(html(name), is_left=label.is_left), NAMED_FROM_PX)],
                "textposition": "middle left" if label.is_left else "middle right",
                "textfont": line_names.font(colours[group[0]], theme),
            })  # fmt: skip
    return [first, last]


def _found(library: Library, view: View) -> Memory:
    model, precision = ((view.values(key) or (None,))[0] for key in ("model", "precision"))
    kv, tokens = view.option("cache"), float(view.option("context"))
    each = memory.cache_gib(model, kv, tokens)
    slugs = _accelerators(library, view)
    rooms = [(slug, memory.room(model, precision, kv, slug, chips)) for slug in slugs for chips in CHIPS]
    fits = tuple(
        Fit(slug, room.accelerators, room.memory_gib, room.weights_gib, room.served_gib, room.holds(each))
        for slug, room in rooms
        if room is not None
    )
    known = {one.accelerator for one in fits}
    return Memory(model, precision, kv, tokens, fits, tuple(slug for slug in slugs if slug not in known))


def _accelerators(library: Library, view: View) -> list[str]:
    condition = selection.clause(View(view.where))
    found = library.fetch(
        f"SELECT DISTINCT accelerator FROM points WHERE {condition.sql} ORDER BY 1", condition.params
    )
    measured = [slug for (slug,) in found if slug]
    asked = [slug for text in view.values("accelerator") for slug in names.matching("accelerator", text)]
    return list(
        dict.fromkeys(asked or measured or [row.slug for row in names.accelerators() if row.memory_gb])
    )


def _statements(found: Memory) -> Iterator[Statement]:
    fewest, model = found.fewest(), value_label("model", found.model) if found.model else "No model"
    what = f"{model} {(found.precision or '').upper()}".strip()
    if fewest:
        first = fewest[0]
        needed = f"{'one chip' if first.accelerators == 1 else counted(first.accelerators, 'chip')}: "
        yield headline(
            "fits", f"{what} needs at least {needed * bool(first.requests)}{_held(first, found.tokens)}."
        )
    else:
        yield headline("fits", _nowhere(found, what))
    for chips in dict.fromkeys(one.accelerators for one in fewest):
        on = _named(one.accelerator for one in fewest if one.accelerators == chips)
        yield finding("fewest", f"{counted(chips, 'chip')} at least: {on}.", accelerators=chips)
    if found.unknown:
        yield caveat("unknown", f"Not known, for a fact that is not published: {_named(found.unknown)}.")
    yield caveat(
        "at_most", "At most: an engine uses 90 % of the memory, and activations and buffers take some of it."
    )


def _nowhere(found: Memory, what: str) -> str:
    """Why no count of chips can be told, by the fact that is missing, and what to do."""
    known = names.model(found.model) if found.model else None
    if found.model is None:
        return "No model is selected; choose one."
    if found.fits:
        return (
            f"{what} does not fit on up to {CHIPS[-1]} chips; choose other accelerators or a lower precision."
        )
    if known is None or not known.total_params_b:
        return f"What {what} needs is not known: no parameter count of it is published here; choose another model."
    if (found.precision or "").lower() not in memory.BYTES:
        return (
            f"What {what} needs is not known without the bytes of a weight; choose a precision such as FP8."
        )
    return (
        f"What {what} needs is not known: no memory of {_named(found.unknown)} is published; choose others."
    )


def _held(one: Fit, tokens: float) -> str:
    on = f"{'one' if one.accelerators == 1 else one.accelerators} {value_label('accelerator', one.accelerator)}"
    if not one.requests:
        return on
    verb = "holds" if one.accelerators == 1 else "hold"
    return f"{on} {verb} {counted(one.requests, 'request')} of {number(tokens)} tokens at once"


def _named(slugs: Iterable[str]) -> str:
    return joined([value_label("accelerator", slug) for slug in slugs], at_most=LISTED)
