"""Where a plan's load goes, on the Launch page: an address, a name of endpoints.toml, or an endpoint to practise on.

Nothing is sent there but on a press; the endpoint's own list of models is one of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from bench import access
from bench.errors import BenchError
from bench.plain_text import markdown, visible
from bench.sweep.checks.endpoint_checks import Preflight
from bench.sweep.planning import form
from bench.sweep.planning.endpoint_address import understood_as
from bench.sweep.planning.endpoints import Endpoints, NamedEndpoint
from bench.sweep.session import launching as sweeps
from bench.sweep.session.demo_endpoints import PracticeEndpoint, practices, practise, was_practice
from pages.parts.launch import fields
from pages.shared import cached, cached_sweeps, options, table
from pages.shared.visitor import own_port, visitor

LIGHTS = {True: "●", False: "✕", None: "○"}
"""Signs of every text font: many a browser has no coloured ones."""
ANSWERS = {True: "yes", False: "no", None: "not asked"}
SEEN = {
    "name": "Name",
    "reachable": "Answers",
    "engine": "Engine",
    "version": "Version",
    "serves": "Serves",
    "model": "Model",
    "base_url": "URL",
    "problem": "Problem",
}
SERVES, PROBLEM, DROPPED = "launch.serves", "plan.problem", "launch.dropped"
MOST = 500
"""So many models are offered; any other can be typed."""

NO_ADDRESS = "Type the endpoint's address first."
LEFT = "The practice endpoint's model, facts and lengths were taken out of the plan."


@dataclass(frozen=True)
class ServedModels:
    """What an endpoint said of its models when this session asked: their names, or why there are none."""

    place: str
    names: tuple[str, ...] = ()
    said: str = ""


def section(stated: Mapping[str, str], checked: form.CheckedForm) -> None:
    """Ask where the load goes and for which model, and tell what is wrong with either."""
    st.subheader("Endpoint", anchor=False)
    library = cached.library().path
    named = Endpoints(library).named
    seen: Sequence[Mapping[str, Any]] = ()
    if named or stated.get("endpoint.name"):
        seen = _named(stated, named)
    with st.container(key="options.endpoint.url", horizontal=True, vertical_alignment="bottom"):
        if not stated.get("endpoint.name"):
            _address(stated)
            _list_button(stated)
        _model(stated, _names(stated, seen))
    _understood(stated, checked)
    if not is_given(stated):
        st.caption("No endpoint at hand? Practise on one that plays an engine; its results are marked simulated.")
        _to_practise()


def instead(stated: Mapping[str, str]) -> None:
    """Offer the endpoints to practise on, folded away once the plan has an endpoint."""
    if is_given(stated):
        with st.expander("Practise instead, on an endpoint that plays an engine", key="more.practice"):
            _to_practise()


def is_given(stated: Mapping[str, str]) -> bool:
    """Whether the plan says where the load goes."""
    return bool(form.place(stated))


def heard(stated: Mapping[str, str], checked: Preflight) -> None:
    """Offer what a check heard of the endpoint's models too."""
    if checked.serves:
        st.session_state[SERVES] = ServedModels(form.place(stated), checked.serves[:MOST])


def _address(stated: Mapping[str, str]) -> None:
    key = "plan.endpoint.url"
    st.session_state[key] = stated.get("endpoint.url", "")
    st.text_input(
        "Address of the endpoint",
        key=key,
        placeholder="127.0.0.1:8000",
        help="Host and port of an OpenAI-compatible server on this machine, with or without http:// and /v1.",
        on_change=lambda: _move({"endpoint.url": str(st.session_state[key] or "").strip() or None}),
    )


def _list_button(stated: Mapping[str, str]) -> None:
    st.button(
        "List its models",
        key="models",
        type="secondary" if stated.get("endpoint.model") else "primary",
        icon=":material/format_list_bulleted:",
        on_click=_list,
        disabled=not access.may("launch", visitor()),
        width="content",
    )


def _model(stated: Mapping[str, str], names: Sequence[str]) -> None:
    """Draw the model, chosen from what the endpoint lists or typed."""
    key, chosen = "plan.endpoint.model", stated.get("endpoint.model")
    st.session_state[key] = chosen
    offer = f"Choose one of {len(names)}, or type it" if names else "List them, or type one"
    options.known_or_typed(
        "Model",
        {name: name for name in names},
        chosen,
        key=key,
        placeholder=offer,
        help="The model's name as the endpoint knows it.",
        on_change=fields.changed,
        args=("endpoint.model", key),
    )


def _names(stated: Mapping[str, str], seen: Sequence[Mapping[str, Any]]) -> Sequence[str]:
    place = form.place(stated)
    if (serves := _serves()) is not None and serves.place == place:
        return serves.names
    return next((row["serves"] for row in seen if row["name"] == stated.get("endpoint.name")), ())


def _serves() -> ServedModels | None:
    found = st.session_state.get(SERVES)
    return found if isinstance(found, ServedModels) else None


def _understood(stated: Mapping[str, str], checked: form.CheckedForm) -> None:
    """Tell how the address was understood, what the endpoint said of its models, and what is wrong."""
    said = []
    if problem := st.session_state.pop(PROBLEM, None):
        st.warning(markdown(problem))
    if st.session_state.pop(DROPPED, False):
        said.append(LEFT)
    if understood := understood_as(stated.get("endpoint.url", "")):
        said.append(f"Understood as {markdown(understood)}")
    serves = _serves()
    if serves is not None and serves.said and serves.place == form.place(stated):
        said.append(markdown(serves.said))
    if said:
        st.caption("  \n".join(said))
    asked = stated.get("endpoint.url") and checked.field in ("endpoint", "endpoint.url", "endpoint.model")
    if asked and (checked.field != "endpoint.model" or stated.get("endpoint.model")):
        st.markdown(f":small[:red[{markdown(checked.advice)}]]")


def _to_practise() -> None:
    may, offered = bool(access.may("launch", visitor())), practices(cached.library().path)
    with st.container(key="practice"):
        for place, one in zip(st.columns(len(offered)), offered, strict=True):
            with place.container(gap="xsmall"):
                st.button(
                    one.name,
                    key=f"practice.{one.name}",
                    icon=":material/play_circle:" if one.url is None else ":material/radio_button_checked:",
                    on_click=_practise,
                    args=(one,),
                    disabled=not may,
                )
                st.caption(markdown(one.simulates))


def _named(stated: Mapping[str, str], known: Mapping[str, NamedEndpoint]) -> Sequence[Mapping[str, Any]]:
    """The endpoints the library names, each with what it said when it was last asked; these sayings.

    Only for those who may launch are they asked: a reader makes this server send nothing.
    """
    may_launch = bool(access.may("launch", visitor()))
    library = cached.library().path
    seen = (
        cached_sweeps.endpoints(library, cached_sweeps.stamp(Endpoints(library).path)) if known and may_launch else []
    )
    lights = {row["name"]: LIGHTS[row["reachable"]] for row in seen}
    chosen = stated.get("endpoint.name")
    st.session_state["plan.endpoint.name"] = chosen
    st.selectbox(
        "Endpoint of endpoints.toml",
        [*known, *([chosen] if chosen and chosen not in known else [])],
        key="plan.endpoint.name",
        format_func=lambda name: visible(f"{lights.get(name, '')} {name}"),
        placeholder="None: an address on this machine",
        on_change=lambda: _move({"endpoint.name": st.session_state["plan.endpoint.name"]}),
    )
    if known:
        rows = pd.DataFrame(
            seen or [{"name": name, "model": one.model, "base_url": one.base_url} for name, one in known.items()]
        )
        if may_launch:
            rows["reachable"] = [
                f"{lights[name]} {ANSWERS[row]}" for name, row in zip(rows["name"], rows["reachable"], strict=True)
            ]
            rows["serves"] = [", ".join(names) for names in rows["serves"]]
        shown = [column for column in SEEN if column in rows and not rows[column].isna().all()]
        table.show(rows[shown], key="rows.endpoints", alt="The endpoints of this library", labels=SEEN)
        table.files(lambda: rows[shown], "kneepoint-endpoints")
    return seen


def _move(to: Mapping[str, str | None], *, to_practice: bool = False) -> None:
    """Move the plan to another endpoint; it takes nothing along that was said of the one before."""
    before = fields.in_the_address()
    url = before.get("endpoint.url")
    practised = not to_practice and bool(url) and was_practice(cached.library().path, form.place(before))
    after = form.at_another(before, to, practised=practised)
    fields.replace(after)
    st.session_state[DROPPED] = practised and form.place(after) != form.place(before)


def _list() -> None:
    """Ask the endpoint for its models; one alone is chosen."""
    stated = fields.in_the_address()
    place = form.place(stated)
    if not place:
        st.session_state[PROBLEM] = NO_ADDRESS
        return
    library = cached.library().path
    try:
        plan = form.endpoint(stated, Endpoints(library))
        models = sweeps.models(library, plan, visitor(), own_port=own_port())
    except BenchError as problem:
        wrong = form.checked(stated, Endpoints(library))
        about_the_address = wrong.field in ("endpoint", "endpoint.url")
        st.session_state[PROBLEM] = None if about_the_address else str(problem)
        return
    if models.serves:
        many = len(models.serves)
        said = f"It serves {models.serves[0]}." if many == 1 else f"It serves {many:,} models: choose one."
        st.session_state[SERVES] = ServedModels(place, models.serves[:MOST], said)
        if len(models.serves) == 1:
            fields.state({"endpoint.model": models.serves[0]})
    else:
        said = models.problem or f"{models.checks[-1].said} Type the model's name."
        st.session_state[SERVES] = ServedModels(place, (), said)


def _practise(one: PracticeEndpoint) -> None:
    try:
        access.demand("launch", visitor())
        running = practise(cached.library().path, one.name)
    except BenchError as problem:
        st.session_state[PROBLEM] = str(problem)
        return
    profile = {} if "profile" in st.query_params or "isl" in st.query_params else {"profile": "quick"}
    _move({"endpoint.url": running.url, "endpoint.model": running.model, **profile}, to_practice=True)
