"""A plan's fields as widgets. The address is their only truth: a link fills them in, a change is a new address."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from bench import names
from bench.plain_text import markdown, visible
from bench.sweep.planning import form
from bench.sweep.planning.form import FormField
from pages.shared import address, options

NAME, WRITTEN, REMEMBERED = "launch", "plan.written", 8
"""Where this session keeps what it last wrote into the address, and the addresses of so many changes before it."""

COLUMN_PX = 155
COLD = {"profile": "quick"}
"""What a page without a plan in its address begins with."""

MAIN = (
    "workloads.isl",
    "workloads.osl",
    "loads.concurrency",
    "loads.request_rate",
    "point.duration_s",
    "point.requests",
)
"""What every reader sets; all other fields are folded away by their table."""

FACTS = ("facts.accelerator", "facts.accelerators", "facts.precision", "facts.engine")
"""What results are compared by and no endpoint tells for sure."""

ENDPOINT = ("endpoint.url", "endpoint.model")
ELSEWHERE = (*MAIN, *FACTS, *ENDPOINT, "profile", "endpoint.name")
LABELS = {"facts.accelerators": "Chips", "facts.model": "Model, by its common name"}
TABLES = {
    "facts": "More of the deployment",
    "workloads": "Workload",
    "loads": "Arrivals",
    "point": "Each point",
    "stop": "When to stop",
    "slo": "Objectives",
    "caps": "Caps",
    "endpoint": "Endpoint",
    "": "More",
}
WIDE = 2
LONG_TEXT = ("title", "vendor", "stop.limits", "facts.note", "facts.variant", "facts.checkpoint", "facts.model")
NAMED = {f"facts.{kind}": kind for kind in names.KINDS}
"""The facts with canonical names, which are offered; any other name may be typed."""


@dataclass(frozen=True)
class WrittenAddress:
    """What was written into the address, and the queries it replaced, with which the browser may still ask.

    It `is_new` in the run that wrote it, which the browser cannot have heard of.
    """

    replaced: tuple[str, ...]
    link: Mapping[str, str]
    is_new: bool = True


def stated() -> dict[str, str]:
    """The fields that the address states; what it states beside them is told."""
    _forget()
    texts, problems = form.from_link(pair for pair in _pairs() if not pair[0].startswith("embed"))
    if not texts and not problems:
        texts = dict(COLD)
        st.query_params.from_dict(form.in_a_link(texts))
    if problems:
        st.warning("  \n".join(markdown(problem) for problem in problems))
    return texts


def state(changed: Mapping[str, str | None]) -> None:
    """State these fields in the address from now on, None not at all."""
    kept = {key: value for key, value in in_the_address().items() if key not in changed}
    replace({**kept, **{key: value for key, value in changed.items() if value}})


def replace(fields: Mapping[str, str]) -> None:
    """State these fields in the address from now on, and no others."""
    before, link = urlencode(_in_the_browser()), form.in_a_link(fields)
    late = st.session_state.get(WRITTEN)
    st.session_state[WRITTEN] = WrittenAddress(((*late.replaced, before) if late else (before,))[-REMEMBERED:], link)
    st.query_params.from_dict(link)


def in_the_address() -> dict[str, str]:
    """The fields that the address states now, as callbacks need them."""
    return form.from_link(_pairs())[0]


def _pairs() -> list[tuple[str, str]]:
    """What the address states; of a run that the browser asked for before it heard of the last change, that change.

    Who types and presses a button at once asks with the address from before what was typed.
    """
    late = st.session_state.get(WRITTEN)
    if late is None or not _is_late(late):
        return _in_the_browser()
    st.query_params.from_dict(late.link)
    return list(late.link.items())


def _in_the_browser() -> list[tuple[str, str]]:
    return [(key, value) for key in st.query_params for value in st.query_params.get_all(key)]


def _is_late(written: WrittenAddress) -> bool:
    return not address.went_through_history() and urlencode(_in_the_browser()) in written.replaced


def _forget() -> None:
    """Forget what was written once the browser has heard of it or has been on another page."""
    kept, late = address.kept(), st.session_state.get(WRITTEN)
    moved, kept.page = kept.page != NAME, NAME
    if late is None:
        return
    if late.is_new and not moved:
        st.session_state[WRITTEN] = WrittenAddress(late.replaced, late.link, is_new=False)
    elif moved or not _is_late(late):
        del st.session_state[WRITTEN]


def row(stated: Mapping[str, str], keys: tuple[str, ...], problem: form.CheckedForm) -> None:
    """Draw these fields side by side, with what is wrong with one of them below it."""
    with st.container(key=f"options.{keys[0]}"):
        spans = {key: WIDE if key in LONG_TEXT else 1 for key in keys}
        held = form.texts(problem.plan) if problem.plan else form.unstated(stated.get("profile", ""))
        grid = st.grid(min(sum(spans.values()), 6), min_column_width=COLUMN_PX)
        for key in keys:
            with grid.cell(column_span=spans[key]), options.box(key, "narrow" if spans[key] == 1 else "wide"):
                _widget(form.fields()[key], stated, held)
                if problem.field == key:
                    st.markdown(f":small[:red[{markdown(problem.advice)}]]")


def shape(stated: Mapping[str, str], problem: form.CheckedForm) -> None:
    """Draw what every reader may want to change of a profile, folded away until something of it is stated or wrong."""
    is_open = "profile" not in stated or any(key in stated or key == problem.field for key in MAIN)
    with st.expander("Lengths, concurrency and duration", key="more.shape", expanded=is_open):
        row(stated, MAIN, problem)


def tables(stated: Mapping[str, str], problem: form.CheckedForm) -> None:
    """Draw every further field, a tab for each table of the plan."""
    rest = {
        name: tuple(field.key for field in rows if field.key not in ELSEWHERE) for name, rows in form.groups().items()
    }
    shown = [name for name in TABLES if rest.get(name)]
    is_open = any(key in stated or key == problem.field for keys in rest.values() for key in keys)
    with st.expander("More: deployment, warm-up, stop rules, objectives, caps", key="more.launch", expanded=is_open):
        for name, tab in zip(shown, st.tabs([_heading(name, rest[name], stated) for name in shown]), strict=True):
            with tab:
                row(stated, rest[name], problem)


def _heading(name: str, keys: tuple[str, ...], stated: Mapping[str, str]) -> str:
    many = sum(key in stated for key in keys)
    return f"{TABLES[name]} ({many})" if many else TABLES[name]


def _widget(field: FormField, stated: Mapping[str, str], held: Mapping[str, str]) -> None:
    """Draw a field; where it is empty it shows what it holds all the same, by profile, endpoint or default."""
    key, label = f"plan.{field.key}", LABELS.get(field.key, field.label)
    empty = visible(held.get(field.key, "Not stated"))
    told = f"{field.help}: {field.allowed}" if field.help else field.allowed
    common: dict[str, Any] = {
        "key": key,
        "help": markdown(told) or None,
        "on_change": changed,
        "args": (field.key, key),
    }
    value = stated.get(field.key, "")
    if field.choices:
        st.session_state[key] = value or None
        choices = [*field.choices, *([value] if value and value not in field.choices else [])]
        st.selectbox(label, choices, format_func=visible, placeholder=empty, **common)
    elif known := options.known_names(field.key.removeprefix("facts.")):
        _named(label, known, NAMED.get(field.key), value, empty, common)
    else:
        st.session_state[key] = value
        st.text_input(label, placeholder=empty, **common)


def _named(
    label: str, offered: Mapping[str, str], kind: str | None, value: str, empty: str, common: dict[str, Any]
) -> None:
    """Ask for a fact, from known names or typed; what it means that a typed one is not known is told."""
    known = names.slug(kind, value) if kind and value else value
    chosen = known if known in offered else value
    st.session_state[common["key"]] = chosen or None
    common["help"] = "Pick one, or type another."
    options.known_or_typed(label, offered, chosen, placeholder=empty, **common)
    if kind and value and (unknown := names.unknown(kind, value)):
        st.caption(markdown(unknown))


def changed(field: str, key: str) -> None:
    """State in the address what was typed or chosen; for callbacks."""
    value = st.session_state[key]
    state({field: str(value).strip() if value is not None else None})
