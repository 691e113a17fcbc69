"""What fits in memory? The chips that hold a model's weights, and how many requests' KV cache fits beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace

import pandas as pd
import plotly.graph_objects as go

from bench import basis, chart, names, selection
from bench.basis import memory, side_by_side, story, wording
from bench.basis.options import Option
from bench.basis.statement import Statement, caveat, finding, headline
from bench.basis.variations import Robustness
from bench.chart import Theme, value_label
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
PANEL_PX, PANEL_SHARE, HEADED = 420, 0.86, 0.07
"""Of models side by side each has a panel so high; down to this share of it goes the plot, below its name."""

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
    """What of a model fits where: every count of every accelerator whose facts are published.

    `beside` is the same of each further model that the reader put side by side with it.
    """

    model: str | None
    precision: str | None
    kv_precision: str
    tokens: float
    fits: tuple[Fit, ...]
    unknown: tuple[str, ...]
    beside: tuple[Memory, ...] = ()

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
    first, *others = [
        _found(library, whole, model) for model in side_by_side.models(library, whole) or (None,)
    ]
    found, said = (
        replace(first, beside=tuple(others)),
        _of_models((first, *others)) if others else _statements(first),
    )
    gone = (caveat("not_loaded", text) for text in selection.not_loaded(library, whole))
    return Answer(
        QUESTION, whole, found, (*said, *gone), _rows((first, *others)),
        (Why("Requests that fit", "(0.9 x memory - weights) / KV cache of a request",
             "parameters x bytes of the precision; KV bytes of a token x tokens, a window's layers up to the window",
             SOURCE),),
        library.version,
    )  # fmt: skip


def robustness(library: Library, view: View) -> Robustness | None:
    """None: facts are the same whatever way one looks."""
    return None


def figure(result: Memory, theme: Theme) -> go.Figure:
    """The requests that fit over chips, a line for each accelerator; of models side by side one below the other."""
    known = [one for one in (result, *result.beside) if any(fit.room_gib > 0 for fit in one.fits)]
    if len(known) < 2:
        return _of_one(known[0] if known else result, theme)
    figures, height = [_of_one(one, theme) for one in known], 1 / len(known)
    drawn = chart.layout(go.Figure(), theme, height=PANEL_PX * len(known))
    named: set[str] = set()
    for place, (one, panel) in enumerate(zip(known, figures, strict=True), start=1):
        for trace in panel.data:
            trace.update(xaxis=f"x{place}", yaxis=f"y{place}")
            if trace.showlegend is not False:
                trace.showlegend = trace.legendgroup not in named
                named.add(trace.legendgroup)
        drawn.add_traces(panel.data)
        top = 1 - (place - 1) * height
        sides = {"x": {}, "y": {"domain": [top - height * PANEL_SHARE, top - height * HEADED]}}
        for axis, further in sides.items():
            held = (
                panel.layout[f"{axis}axis"].to_plotly_json()
                | _alike(figures, axis, is_first=place == 1)
                | further
            )
            drawn.update_layout(
                {f"{axis}axis{place}": held | {"anchor": f"{'y' if axis == 'x' else 'x'}{place}"}}
            )
        drawn.add_annotation(text=f"<b>{html(value_label('model', one.model))}</b>", showarrow=False, xref="paper", x=0,
                             yref="paper", y=top - height * HEADED, xanchor="left", yanchor="bottom")  # fmt: skip
    return drawn.update_layout(legend=chart.LINES_LEGEND)


def _alike(figures: Sequence[go.Figure], axis: str, *, is_first: bool) -> dict[str, object]:
    """What gives the axes of all these charts the same ends: those of the widest, or those that plotly finds."""
    ends = [figure.layout[f"{axis}axis"].range for figure in figures]
    if None not in ends:
        return {"range": [min(min(one) for one in ends), max(max(one) for one in ends)]}
    return {} if is_first else {"matches": axis}


def _of_one(result: Memory, theme: Theme) -> go.Figure:
    """The requests that fit over chips, a line for each accelerator; the room where nobody says what one takes."""
    shown = "requests" if any(one.requests for one in result.fits) else "room_gib"
    held = [one for one in result.fits if getattr(one, shown) > 0]
    if not held:
        return chart.empty("Nothing is known to fit.", theme)
    drawn = chart.layout(go.Figure(), theme)
    most = {slug: max(getattr(one, shown) / one.accelerators for one in held if one.accelerator == slug)
            for slug in dict.fromkeys(one.accelerator for one in held)}  # fmt: skip
    leaders = sorted(most, key=lambda slug: -most[slug])
    colours = told_apart({slug: chart.accelerator_colour(slug, theme) for slug in leaders}, theme)
    for slug in most:
        own = [one for one in held if one.accelerator == slug]
        name = html(value_label("accelerator", slug))
        drawn.add_trace(
            {"type": "scatter", "mode": "lines+markers", "name": name, "line": {"color": colours[slug]},
             "x": [one.accelerators for one in own], "y": [getattr(one, shown) for one in own],
             "legendgroup": slug, "hovertemplate": "%{x} x " + name + ": %{y:,.4~r}<extra></extra>"}
        )  # fmt: skip
    fitting = f"Requests of {number(result.tokens)} tokens that fit"
    drawn.update_layout(legend=chart.LINES_LEGEND)
    drawn.update_xaxes(
        type="log", title_text="Accelerators (chips)", tickvals=list(CHIPS), title_font_size=13
    )
    drawn.update_yaxes(
        type="log",
        dtick=1,
        tickformat=",~r",
        title_font_size=13,
        title_text=fitting if shown == "requests" else "Room for KV cache (GiB)",
    )
    return drawn


def _rows(founds: Sequence[Memory]) -> pd.DataFrame:
    """One row for each count of chips; of several models with whose it is."""
    rows = [
        {**asdict(fit), **({"model": one.model} if len(founds) > 1 else {})}
        for one in founds
        for fit in one.fits
    ]
    return pd.DataFrame(rows, columns=None if rows else list(Fit.__dataclass_fields__))


def _of_models(founds: Sequence[Memory]) -> Iterator[Statement]:
    """What each of several models needs at least; those of which that is not known come first of the caveats."""
    told = [(one, [*_statements(one)]) for one in founds]
    fewest = [(one.fewest()[0].accelerators, one, said) for one, said in told if one.fewest()]
    known = sorted(fewest, key=lambda row: row[0])
    if not known:
        yield told[0][1][0]
    else:
        parts = [(_what(one), counted(chips, "chip"), value_label("accelerator", one.fewest()[0].accelerator))
                 for chips, one, _ in known]  # fmt: skip
        (what, first, on), *others = parts
        told_of = [
            f"{what} needs at least {first} ({on})",
            *(f"{what} {chips} ({on})" for what, chips, on in others),
        ]
        bare = [f"{what} needs at least {first}", *(f"{what} {chips}" for what, chips, _ in others)]
        yield headline("fits", wording.fitting(*(f"{joined(one)}." for one in (told_of, bare))))
    for one, said in told:
        if not one.fewest() and (known or one is not founds[0]):
            yield caveat("model_left_out", f"Left out: {said[0].text}")
    caveats: dict[str, Statement] = {}
    for _, one, said in known:
        found = (row for row in said if row.role == "finding")
        yield from (
            replace(row, text=f"For {_what(one)}, {row.text[0].lower()}{row.text[1:]}") for row in found
        )
        caveats |= {row.text: row for row in said if row.role not in ("headline", "finding")}
    yield from caveats.values()


def _what(found: Memory) -> str:
    """A model with its precision: "DeepSeek-R1 FP8"."""
    model = value_label("model", found.model) if found.model else "No model"
    return f"{model} {(found.precision or '').upper()}".strip()


def _found(library: Library, view: View, one: str | None) -> Memory:
    """What fits of one model, else of the View's only one."""
    model, precision = ((view.values(key) or (None,))[0] for key in ("model", "precision"))
    if one and not precision:
        alone = story.told(library, View(story.own_choice(view).with_where(model=[one]).where)).view
        precision = (alone.values("precision") or (None,))[0]
    model = one or model
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
    fewest, what = found.fewest(), _what(found)
    if fewest:
        first = fewest[0]
        needed = f"{counted(first.accelerators, 'chip')}: " if first.requests else ""
        yield headline("fits", f"{what} needs at least {needed}{_held(first, found.tokens)}.")
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
    on = f"{one.accelerators} {value_label('accelerator', one.accelerator)}"
    if not one.requests:
        return on
    verb = "holds" if one.accelerators == 1 else "hold"
    return f"{on} {verb} {counted(one.requests, 'request')} of {number(tokens)} tokens at once"


def _named(slugs: Iterable[str]) -> str:
    return joined([value_label("accelerator", slug) for slug in slugs], at_most=LISTED)
