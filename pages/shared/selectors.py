"""The selector row, the same on every page: model, precision, workload, accelerators, limits, prices, more filters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

import streamlit as st

from bench import catalogue, names
from bench.basis import limits, prices, uses
from bench.basis.limits import Limit, words
from bench.basis.wording import opened
from bench.chart import value_label
from bench.errors import BenchError
from bench.plain_text import markdown, visible
from bench.questions import questions
from bench.selection import Offer
from bench.view import View
from bench.wording import joined, number
from pages.shared import address, cached, filter_counts, filters, options
from pages.shared.filter_counts import RowNumbers
from pages.shared.page import Page

FilterValues = Mapping[str, tuple[str, ...]]
Offers = tuple[Sequence[Offer], Sequence[Offer]]

ALL, SEVERAL = "", "*"
"""Choices of a box: everything, and what a link selects that no single value stands for."""

WIDTHS = {
    "model": 226,
    "precision": 118,
    "workload": 178,
    "accelerator": 168,
    "limits": 150,
    "prices": 136,
    "more": 124,
}
"""In px; together they fill one line of a page that is 1,440 px wide."""

TIMES = ("ttft_ms", "tpot_ms")
STATISTICS = ("p50", "p90", "p95", "p99", "mean")
USUAL = (
    "e2el_ms_p50<=10000",
    "itl_ms_p99<=100",
    "interactivity_tokens_per_s_per_user_p50>=20",
    "interactivity_tokens_per_s_per_user_p50>=50",
)
"""Limits on other metrics that are offered."""


def row(page: Page) -> None:
    """Draw every selector in one line; on a phone one button that opens them."""
    is_open = st.session_state.setdefault("selectors_open", False)
    st.button(
        markdown(_in_short(page)),
        key="selected",
        icon=":material/keyboard_arrow_up:" if is_open else ":material/tune:",
        on_click=lambda: st.session_state.update(selectors_open=not is_open),
        width="stretch",
    )
    with st.container(
        key="selectors-open" if is_open else "selectors-folded",
        horizontal=True,
        vertical_alignment="bottom",
        gap="small",
    ):
        known = filter_counts.RowNumbers(page)
        _model(page, known)
        _precision(page, known)
        _workload(page, known)
        _accelerators(page, known)
        if page.name in questions():
            _limits(page)
            _prices(page)
        _more(page)
    known.complete()


def _fold() -> None:
    """Fold the selectors on a phone: the reader wants to see next what was chosen, the headline and the chart."""
    st.session_state["selectors_open"] = False


def _in_short(page: Page) -> str:
    """What is selected, as short as a phone is narrow."""
    view = page.view
    words = [
        joined([page.library.model_name(one) for one in view.values("model")], at_most=1) or "All models",
        joined([one.upper() for one in view.values("precision")], at_most=2),
        _lengths(view),
        joined([value_label("accelerator", one) for one in view.values("accelerator")], at_most=1),
        _limit_words(limits.read(view)) if view.slo else "",
    ]
    return " · ".join(word for word in words if word and word != "None")


def _model(page: Page, known: RowNumbers) -> None:
    """Draw one model, or several side by side once the reader compares."""
    chosen = _slugs("model", page.view.values("model"))
    comparing = len(chosen) > 1 or st.session_state.get("comparing", False)
    offered = cached.offers(page.view, "model")
    with _labelled("Model", "model", wide=comparing) as head:
        if not comparing or len(chosen) < 2:
            head.button(
                "one model" if comparing else "+ compare",
                key="model.one" if comparing else "model.compare",
                type="tertiary",
                on_click=lambda: st.session_state.update(comparing=not comparing),
                help=None if comparing else "Choose further models beside this one.",
            )
        if not comparing:
            may_be_all = not _is_pinned(page) or not chosen
            every: dict[str, FilterValues] = {ALL: {"model": ()}} if may_be_all else {}
            every |= {one.value: {"model": (one.value,)} for one in (*offered[0], *offered[1])}
            _box(
                page,
                known,
                "Model",
                offered,
                every,
                chosen[0] if chosen else ALL,
                page.library.model_name,
                "All models",
            )
            return
        labels = _added(page, known, "model", offered, chosen, page.library.model_name)
        key = "filter.model"
        st.session_state[key] = list(chosen)
        st.multiselect(
            "Model",
            list(labels),
            key=key,
            format_func=lambda one: labels.get(one, visible(one)),
            placeholder="All models",
            select_all=False,
            label_visibility="collapsed",
            max_selections=filters.MOST_VALUES,
            on_change=_more_models,
            args=(page.name, key),
        )


def _precision(page: Page, known: RowNumbers) -> None:
    chosen = page.view.values("precision")
    beside, further = (
        [replace(one, label=one.label.upper()) for one in part] for part in cached.offers(page.view, "precision")
    )
    values = [one.value for one in beside]
    every: dict[str, FilterValues] = {ALL: {"precision": tuple(values) if _is_pinned(page) else ()}}
    every |= {one.value: {"precision": (one.value,)} for one in (*beside, *further)}
    is_all = not chosen or (set(values) <= set(chosen) and len(values) > 1)
    now = ALL if is_all else chosen[0] if len(chosen) == 1 else SEVERAL
    words = joined([one.upper() for one in chosen], "or")
    with _labelled("Precision", "precision"):
        _box(page, known, "Precision", (beside, further), every, now, lambda _: words)


def _workload(page: Page, known: RowNumbers) -> None:
    offered = cached.workloads(page.view)
    isl, osl = page.view.values("isl"), page.view.values("osl")
    lengths = [{one.value.split("/")[side] for one in offered[0]} for side in (0, 1)]
    is_all = not (isl or osl) or [set(isl), set(osl)] == lengths
    now = f"{isl[0]}/{osl[0]}" if len(isl) == len(osl) == 1 else ALL if is_all else SEVERAL
    beside = [tuple(sorted(side, key=float)) if _is_pinned(page) else () for side in lengths]
    every: dict[str, FilterValues] = {ALL: {"isl": beside[0], "osl": beside[1]}}
    for one in (*offered[0], *offered[1]):
        i, _, o = one.value.partition("/")
        every[one.value] = {"isl": (i,), "osl": (o,)}
    with _labelled("Workload (ISL / OSL)", "workload"):
        _box(page, known, "Workload (ISL / OSL)", offered, every, now, lambda _: _lengths(page.view))


def _lengths(view: View) -> str:
    """The lengths that are selected, in words; empty for all of them."""
    isl, osl = view.values("isl"), view.values("osl")
    if not isl and not osl:
        return ""
    words = [
        "Any" if not side else number(float(side[0])) if len(side) == 1 else f"{len(side)} lengths"
        for side in (isl, osl)
    ]
    return " / ".join(words)


def _accelerators(page: Page, known: RowNumbers) -> None:
    chosen = _slugs("accelerator", page.view.values("accelerator"))
    beside, further = cached.offers(page.view, "accelerator")
    in_words = partial(value_label, "accelerator")
    words = value_label("accelerator", chosen[0]) if len(chosen) == 1 else f"{len(chosen)} chosen" if chosen else "All"
    with _labelled("Accelerators", "accelerator"), st.popover(markdown(words), key="accelerators", width="stretch"):
        labels = _added(page, known, "accelerator", (beside, []), chosen, in_words)
        key = "filter.accelerator"
        st.session_state[key] = list(chosen)
        st.pills(
            "Accelerators",
            list(labels),
            selection_mode="multi",
            key=key,
            format_func=lambda one: labels.get(one, visible(one)),
            on_change=filters.chosen,
            args=(page.name, "accelerator", key),
        )
        if further:
            st.caption(
                f"With other lengths or precisions: {joined([visible(one.label) for one in further], at_most=9)}."
            )
        if chosen:
            st.button(
                "All accelerators",
                key="accelerators.all",
                type="tertiary",
                on_click=address.choose,
                args=(page.name,),
                kwargs={"accelerator": ()},
            )


def _limits(page: Page) -> None:
    """Draw the reader's limits: TTFT and TPOT by their number, those of any other metric from a list or typed."""
    chosen = [one for one in page.view.slo if one != limits.NONE]
    read = limits.read(View(slo=tuple(chosen)))
    with _labelled("Limits", "limits"), st.popover(markdown(_limit_words(read)), key="limits", width="stretch"):
        st.caption("Points that break a limit, or do not state its metric, are not ranked. Every page keeps to them.")
        own = [_time(page, stem, read) for stem in TIMES]
        rest = [one.text for one in read if one not in own]
        key = f"{page.name}.slo"
        st.session_state[key] = rest
        st.multiselect(
            "Other limits",
            list(dict.fromkeys([*rest, *USUAL])),
            key=key,
            format_func=_limit,
            placeholder="Choose one, or type it: itl_ms_p99<=50",
            accept_new_options=True,
            select_all=False,
            max_selections=limits.MOST,
            on_change=_limited,
            args=(page.name,),
        )
        _uses(page)
        if chosen:
            st.button(
                "No limits", key="limits.none", type="tertiary", on_click=address.choose_limits, args=(page.name, ())
            )


def _uses(page: Page) -> None:
    """Offer the limits of a use, in place of those that are chosen."""
    st.caption("Limits of a use")
    with st.container(key="limit-uses", horizontal=True, gap="small"):
        for one in uses.every().values():
            st.button(
                one.title,
                key=f"limits.use.{one.use}",
                type="tertiary",
                help=markdown(f"{words(one.limits) or 'no limit'} ({one.source})"),
                on_click=address.choose_limits,
                args=(page.name, tuple(limit.text for limit in one.limits)),
            )


def _time(page: Page, stem: str, read: Sequence[Limit]) -> Limit | None:
    """A box for the most that a time may be and one for its statistic; the limit that they hold."""
    held = next(
        (
            one
            for one in read
            if one.at_most and one.metric.key.rpartition("_")[0] == stem and one.metric.statistic in STATISTICS
        ),
        None,
    )
    words = stem.removesuffix("_ms").upper()
    st.session_state[f"limit.{stem}"] = held.value if held else None
    st.session_state[f"limit.{stem}.of"] = (
        str(held.metric.statistic) if held else st.session_state.get(f"limit.{stem}.of", STATISTICS[0])
    )
    with st.container(key=f"limit-line.{stem}", horizontal=True, vertical_alignment="bottom", gap="small"):
        asked = limits.label(catalogue.metric(f"{stem}_{STATISTICS[0]}"), at_most=True)
        st.number_input(
            asked,
            min_value=0.0,
            max_value=1e9,
            value=None,
            step=None,
            format="%g",
            placeholder="No limit",
            key=f"limit.{stem}",
            on_change=_limited,
            args=(page.name,),
        )
        st.selectbox(
            f"Statistic of {words}",
            STATISTICS,
            key=f"limit.{stem}.of",
            format_func=lambda one: "median" if one == "p50" else one,
            width=130,
            label_visibility="collapsed",
            on_change=_limited,
            args=(page.name,),
        )
    return held


def _limited(name: str) -> None:
    """Take all limits anew, as the boxes hold them."""
    state = st.session_state
    times = [
        f"{stem}_{state[f'limit.{stem}.of']}<={state[f'limit.{stem}']:.12g}"
        for stem in TIMES
        if state.get(f"limit.{stem}") is not None
    ]
    address.choose_limits(name, (*times, *state[f"{name}.slo"]))


def _limit_words(read: Sequence[Limit]) -> str:
    if len(read) != 1:
        return f"{len(read)} limits" if read else "None"
    return opened(read[0].short)


def _limit(text: str) -> str:
    try:
        (limit,) = limits.read(View(slo=(text,)))
    except BenchError:
        return visible(text)
    return opened(limit.words)


def _prices(page: Page) -> None:
    """Ask whose prices count, and how much of the paid time is used."""
    words = _price_words(page)
    with _labelled("Prices", "prices"), st.popover(markdown(words), key="prices", width="stretch"):
        st.caption("What an hour of an accelerator costs. Every page that divides by dollars keeps to it.")
        options.column(page, *(one.key for one in prices.OPTIONS))


def _price_words(page: Page) -> str:
    offered = cached.basis_choices(page.view)
    labels = {key: dict(rows) for key, rows in offered.items()}
    own = [(one.key, page.view.option(one.key)) for one in prices.OPTIONS[:3]]
    told = [labels.get(key, {}).get(value, value) for key, value in own if value and value != prices.EVERY]
    return ", ".join(told[:2]) or "On demand"


def _more(page: Page) -> None:
    """Draw every other filter, and which runs count."""
    own = [key for key, _ in page.view.where if key not in filters.IN_THE_ROW]
    label = f"More filters ({len(own)})" if own else "More filters"
    with st.container(key="selector.more", width=WIDTHS["more"]):
        opened = st.popover(label, key="more_filters", width="stretch", on_change="rerun")
        if opened.open:
            with opened:
                filters.panel(page.name, page.view, page.library)
                if page.name in questions():
                    options.column(page, *(one.key for one in options.RUNS))


@contextmanager
def _labelled(label: str, key: str, *, wide: bool = False) -> Iterator[st.delta_generator.DeltaGenerator]:
    """A selector's place: its label above, and beside the label room for what goes with it, which is given."""
    with st.container(key=f"selector.{key}", width=2 * WIDTHS[key] if wide else WIDTHS[key], gap=None):
        head = st.container(key=f"selector-head.{key}", horizontal=True, horizontal_alignment="distribute", gap=None)
        head.caption(label)
        yield head


def _box(
    page: Page,
    numbers: RowNumbers,
    label: str,
    offered: Offers,
    every: Mapping[str, FilterValues],
    now: str,
    in_words: Callable[[str], str],
    all_label: str = "All",
) -> None:
    """Draw a box of what is offered, and of all where that is one of `every` choice, with the points of each.

    What is chosen `now` may be none of them, and is told `in_words`. What only other filters leave is marked.
    """
    named = {ALL: all_label} if ALL in every else {}
    named |= {one.value: visible(one.label) for one in (*offered[0], *offered[1])}
    named.setdefault(now, all_label if now == ALL else visible(in_words(now)))
    further = {one.value: ", other filters change" for one in offered[1]}
    labels = {
        one: words + (numbers.label(every[one], further.get(one, "")) if one in every and one != now else "")
        for one, words in named.items()
    }
    labels[now] += f" ({cached.count(View(page.view.where)):,})"
    widget = f"select.{label.split()[0].lower()}"
    st.session_state[widget] = now
    st.selectbox(
        label,
        list(labels),
        key=widget,
        format_func=lambda one: labels.get(one, visible(one)),
        label_visibility="collapsed",
        on_change=_taken,
        args=(page.name, widget, every),
    )


def _added(
    page: Page, numbers: RowNumbers, key: str, offered: Offers, chosen: Sequence[str], in_words: Callable[[str], str]
) -> dict[str, str]:
    """A label for each value that can be put beside those asked for, with the points that there would be then."""
    named = {one.value: visible(one.label) for one in (*offered[0], *offered[1])}
    for value in chosen:
        named.setdefault(value, visible(in_words(value)))
    words = " together" if chosen else ""
    return {
        one: label if one in chosen else label + numbers.label({key: (*chosen, one)}, words)
        for one, label in named.items()
    }


def _taken(name: str, widget: str, every: Mapping[str, FilterValues]) -> None:
    if taken := every.get(st.session_state[widget]):
        address.choose(name, **taken)
        _fold()


def _more_models(name: str, widget: str) -> None:
    filters.chosen(name, "model", widget)
    _fold()


def _slugs(kind: str, asked: Sequence[str]) -> list[str]:
    """The known names that values of a link stand for; what is not known stays as it is."""
    found: list[str] = []
    for value in asked:
        found += sorted(names.matching(kind, value)) or [value]
    return list(dict.fromkeys(found))


def _is_pinned(page: Page) -> bool:
    """Whether this page fills in a model where the reader names none."""
    return bool(cached.complete(page.name, View()).values("model"))
