"""A plan's fields as widgets. The address is their only truth: a link fills them in, a change is a new address."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from bench.plain_text import markdown, visible
from bench.sweep.planning import form
from bench.sweep.planning.form import FormField
from pages.shared import options

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

ENDPOINT = ("endpoint.url", "endpoint.model", "endpoint.api")
ELSEWHERE = (*MAIN, *ENDPOINT, "profile", "endpoint.name")
TABLES = {
    "facts": "Deployment",
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
LONG_TEXT = (
    "title",
    "vendor",
    "stop.limits",
    "facts.note",
    "facts.variant",
    "facts.checkpoint",
    "facts.model",
    "endpoint.url",
    "endpoint.model",
)


def stated() -> dict[str, str]:
    """The fields that the address states; what it states beside them is told."""
    pairs = [(key, value) for key in st.query_params for value in st.query_params.get_all(key)]
    found, problems = form.from_link(pair for pair in pairs if not pair[0].startswith("embed"))
    if not found and not problems:
        found = dict(COLD)
        st.query_params.from_dict(form.in_a_link(found))
    if problems:
        st.warning("  \n".join(markdown(problem) for problem in problems))
    return found


def state(changed: Mapping[str, str | None]) -> None:
    """Nothing; the address states these fields from now on, None not at all."""
    pairs = [(key, value) for key in st.query_params for value in st.query_params.get_all(key)]
    fields, _ = form.from_link(pairs)
    for key, value in changed.items():
        fields.pop(key, None)
        if value:
            fields[key] = value
    st.query_params.from_dict(form.in_a_link(fields))


def row(stated: Mapping[str, str], keys: tuple[str, ...], problem: form.Checked) -> None:
    """These fields side by side, with what is wrong with one of them below it."""
    with st.container(key=f"options.{keys[0]}"):
        spans = {key: WIDE if key in LONG_TEXT else 1 for key in keys}
        held = form.texts(problem.plan) if problem.plan else form.unstated(stated.get("profile", ""))
        grid = st.grid(min(sum(spans.values()), 6), min_column_width=COLUMN_PX)
        for key in keys:
            with grid.cell(column_span=spans[key]), options.box(key, "narrow" if spans[key] == 1 else "wide"):
                _widget(form.fields()[key], stated, held)
                if problem.field == key:
                    st.markdown(f":small[:red[{markdown(problem.problem)}]]")


def tables(stated: Mapping[str, str], problem: form.Checked) -> None:
    """Every further field, a tab for each table of the plan."""
    rest = {
        name: tuple(field.key for field in rows if field.key not in ELSEWHERE)
        for name, rows in form.groups().items()
    }
    shown = [name for name in TABLES if rest.get(name)]
    is_open = any(key in stated or key == problem.field for keys in rest.values() for key in keys)
    with st.expander(
        "Deployment, warm-up, stop rules, objectives, caps", key="more.launch", expanded=is_open
    ):
        for name, tab in zip(
            shown, st.tabs([_heading(name, rest[name], stated) for name in shown]), strict=True
        ):
            with tab:
                row(stated, rest[name], problem)


def _heading(name: str, keys: tuple[str, ...], stated: Mapping[str, str]) -> str:
    many = sum(key in stated for key in keys)
    return f"{TABLES[name]} ({many})" if many else TABLES[name]


def _widget(field: FormField, stated: Mapping[str, str], held: Mapping[str, str]) -> None:
    """One field; where it is empty it shows what it holds all the same, by the profile, the endpoint or a default."""
    key = f"plan.{field.key}"
    empty = visible(held.get(field.key, "Not stated"))
    told = f"{field.help}: {field.allowed}" if field.help else field.allowed
    common = {"key": key, "help": markdown(told) or None, "on_change": _changed, "args": (field.key, key)}
    value = stated.get(field.key, "")
    if field.choices:
        st.session_state[key] = value or None
        choices = [*field.choices, *([value] if value and value not in field.choices else [])]
        st.selectbox(field.label, choices, format_func=visible, placeholder=empty, **common)
    else:
        st.session_state[key] = value
        st.text_input(field.label, placeholder=empty, **common)


def _changed(field: str, key: str) -> None:
    value = st.session_state[key]
    state({field: str(value).strip() if value is not None else None})
