"""The parts of the Launch page: what will be measured, where, as what; whether it can be; what it takes; the start."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from bench import access
from bench.errors import BenchError
from bench.plain_text import markdown, visible
from bench.sweep import foreseen, opening
from bench.sweep import launching as sweeps
from bench.sweep.checks import budget as budgets
from bench.sweep.checks.reaching import Preflight
from bench.sweep.planning import form
from bench.sweep.planning.endpoints import Endpoints, NamedEndpoint
from bench.sweep.planning.plan import Plan
from bench.sweep.planning.profiles import profiles
from bench.sweep.practice import Practice, practices, practise
from pages.shared import cached, cached_sweeps, frame, headlines, plan_fields, table
from pages.shared.visitor import admitted, own_port, visitor

SIGNS = {
    True: ":green[:material/check_circle:]",
    False: ":red[:material/cancel:]",
    None: ":gray[:material/info:]",
}
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
FOUND = "found"
NAME = "launch"
NO_ENDPOINT = "endpoint is missing"


def library() -> Path:
    """The folder new sweeps lie in."""
    return cached.library().path


def checked(stated: Mapping[str, str]) -> form.Checked:
    """The plan the page states, which may name an endpoint of the library, or what is wrong with it."""
    return form.checked(stated, Endpoints(library()))


def headline(found: form.Checked) -> None:
    """What is going to be measured or what is missing before anything can be, in one sentence; and who may start it."""
    told = "A link to this page carries the plan and starts nothing."
    frame.linked(told, NAME, urlencode(dict(st.query_params)))
    if found.plan is not None:
        headlines.headline(foreseen.sentence(found.plan, _budget(found.plan)))
    elif NO_ENDPOINT in found.problem:
        headlines.headline("Pick an endpoint: then you see what the sweep takes, check it, and start.")
    else:
        headlines.headline("The plan is not complete yet.")
    st.caption("No token is asked for until you press Check or Start.")
    admitted("launch")


def endpoint(stated: Mapping[str, str], found: form.Checked) -> None:
    """Where the load goes: an endpoint of endpoints.toml, a URL of this machine, or one to practise on."""
    st.subheader("Endpoint", anchor=False)
    named = Endpoints(library()).named
    if named or stated.get("endpoint.name"):
        _named(stated, named)
    if not stated.get("endpoint.name"):
        plan_fields.row(stated, plan_fields.ENDPOINT, found)
    else:
        plan_fields.row(stated, ("endpoint.model",), found)
    st.caption(
        "Try it without a GPU: an endpoint on this machine that plays an engine; what it gives is marked simulated."
    )
    may, offered = bool(access.may("launch", visitor())), practices(library())
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
    if problem := st.session_state.pop("plan.problem", None):
        st.warning(markdown(problem))


def fields(stated: Mapping[str, str], found: form.Checked) -> None:
    """What is asked and how hard: the profile, the fields most readers set, and all others folded away."""
    st.subheader("Plan", anchor=False)
    names = {one.name: one for one in profiles()}
    st.session_state["plan.profile"] = stated.get("profile") if stated.get("profile") in names else None
    st.selectbox(
        "Profile",
        list(names),
        key="plan.profile",
        format_func=lambda name: f"{names[name].title}: {names[name].about}",
        placeholder="A grid of your own",
        on_change=_profile_chosen,
    )
    plan_fields.row(stated, plan_fields.MAIN, found)
    plan_fields.tables(stated, found)
    if found.problem and found.field is None and NO_ENDPOINT not in found.problem:
        st.warning(markdown(found.problem))


def checks(plan: Plan) -> None:
    """What the endpoint says of itself when it is asked, each check in a sentence; asked only on a press."""
    st.subheader("Checks", anchor=False)
    found = _found(plan)
    may = bool(access.may("launch", visitor()))
    st.button(
        "Check the endpoint",
        key="check",
        help="Sends a few short requests: is it there, does it serve the model, how does it count.",
        icon=":material/fact_check:",
        on_click=_check,
        args=(plan,),
        disabled=not may,
    )
    if isinstance(found, str):
        st.warning(markdown(found))
    elif found is not None:
        st.markdown("  \n".join(f"{SIGNS[one.passed]} {markdown(one.said)}" for one in found.checks))


def budget(plan: Plan) -> None:
    """What the sweep takes: points, requests, tokens, time and money."""
    st.subheader("What it takes", anchor=False)
    with st.container(horizontal=True, key="budget"):
        for one in foreseen.figures(_budget(plan)):
            st.metric(one.label, one.value or "open", help=one.help, width="content")
    if isinstance(_found(plan), Preflight):
        return
    st.caption("What is open depends on the endpoint's speed: a check times one request and fills it in.")


def start(plan: Plan) -> None:
    """The button that starts the sweep, or why this visitor has none."""
    if not (decision := access.may("launch", visitor())):
        st.caption(markdown(decision.reason))
        return
    if st.button("Start the sweep", key="start", type="primary", icon=":material/play_arrow:"):
        try:
            folder = sweeps.launch(library(), plan, visitor(), own_port=own_port())
        except BenchError as problem:
            st.warning(markdown(str(problem)))
            return
        st.switch_page("jobs.py", query_params={"job": folder.id})


def elsewhere(stated: Mapping[str, str], plan: Plan) -> None:
    """The same sweep as a command and as a file."""
    with st.expander("The same sweep from a terminal", key="more.terminal"):
        st.code(form.command(stated), language="bash", wrap_lines=True)
        st.caption("or as a file, plan.toml, for python -m bench sweep plan.toml")
        st.code(plan.to_toml(), language="toml")


def _named(stated: Mapping[str, str], known: Mapping[str, NamedEndpoint]) -> None:
    """The endpoints the library names, each with what it said when it was last asked.

    Only for those who may launch are they asked: a reader makes this server send nothing.
    """
    asked = bool(access.may("launch", visitor()))
    seen = (
        cached_sweeps.endpoints(library(), cached_sweeps.stamp(Endpoints(library()).path))
        if known and asked
        else []
    )
    lights = {row["name"]: LIGHTS[row["reachable"]] for row in seen}
    chosen = stated.get("endpoint.name")
    st.session_state["plan.endpoint.name"] = chosen
    st.selectbox(
        "Endpoint of endpoints.toml",
        [*known, *([chosen] if chosen and chosen not in known else [])],
        key="plan.endpoint.name",
        format_func=lambda name: visible(f"{lights.get(name, '')} {name}"),
        placeholder="None: a URL on this machine",
        on_change=_named_chosen,
    )
    if known:
        rows = pd.DataFrame(seen or [_as_stated(name, one) for name, one in known.items()])
        if asked:
            rows["reachable"] = [
                f"{lights[name]} {ANSWERS[row]}"
                for name, row in zip(rows["name"], rows["reachable"], strict=True)
            ]
            rows["serves"] = [", ".join(names) for names in rows["serves"]]
        shown = [column for column in SEEN if column in rows and not rows[column].isna().all()]
        table.show(rows[shown], key="rows.endpoints", alt="The endpoints of this library", labels=SEEN)
        table.files(lambda: rows[shown], "kneepoint-endpoints")


def _as_stated(name: str, one: NamedEndpoint) -> dict[str, str | None]:
    """An endpoint by what the file states of it."""
    return {"name": name, "model": one.model, "base_url": one.base_url}


def _named_chosen() -> None:
    chosen = st.session_state["plan.endpoint.name"]
    plan_fields.state({"endpoint.name": chosen, "endpoint.url": None, "endpoint.model": None})


def _budget(plan: Plan) -> budgets.Budget:
    found = _found(plan)
    return budgets.budget(plan, opening.timed(found) if isinstance(found, Preflight) else None)


def _found(plan: Plan) -> Preflight | str | None:
    """What this session's last check of this plan found, or the sentence that ended it."""
    known, found = st.session_state.get(FOUND, ("", None))
    return found if known == plan.id else None


def _check(plan: Plan) -> None:
    try:
        found: Preflight | str = sweeps.check(library(), plan, visitor(), own_port=own_port())
    except BenchError as problem:
        found = str(problem)
    st.session_state[FOUND] = (plan.id, found)


def _practise(one: Practice) -> None:
    try:
        access.demand("launch", visitor())
        running = practise(library(), one.name)
    except BenchError as problem:
        st.session_state["plan.problem"] = str(problem)
        return
    profile = {} if "profile" in st.query_params or "isl" in st.query_params else {"profile": "quick"}
    plan_fields.state(
        {"endpoint.url": running.url, "endpoint.model": running.model, "endpoint.name": None, **profile}
    )


def _profile_chosen() -> None:
    plan_fields.state({"profile": st.session_state["plan.profile"]})
