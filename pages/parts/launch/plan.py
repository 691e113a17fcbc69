"""The parts of the Launch page: what will be measured, where, as what; whether it can be; what it takes; the start."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st

from bench import access
from bench.errors import BenchError
from bench.plain_text import markdown
from bench.sweep.checks import budget as budgets
from bench.sweep.checks.endpoint_checks import Preflight
from bench.sweep.planning import form
from bench.sweep.planning.endpoints import Endpoints
from bench.sweep.planning.plan import Plan
from bench.sweep.planning.profiles import profiles
from bench.sweep.session import launching as sweeps
from bench.sweep.session import plan_summary, setup
from pages.parts.launch import endpoint
from pages.parts.launch import fields as plan_fields
from pages.shared import cached, frame, headlines
from pages.shared.visitor import admitted, own_port, visitor

SIGNS = {True: ":green[:material/check_circle:]", False: ":red[:material/cancel:]", None: ":gray[:material/info:]"}
FOUND = "found"
NAME = "launch"


def library() -> Path:
    """The folder new sweeps lie in."""
    return cached.library().path


def checked(stated: Mapping[str, str]) -> form.CheckedForm:
    """The plan the page states, which may name an endpoint of the library, or what is wrong with it."""
    return form.checked(stated, Endpoints(library()))


def headline(stated: Mapping[str, str], outcome: form.CheckedForm) -> None:
    """Tell what is going to be measured, or what is missing before that, in one sentence; and who may start it."""
    told = "A link to this page carries the plan and starts nothing."
    frame.linked(told, NAME, urlencode(dict(st.query_params)))
    headlines.headline(_headline(stated, outcome))
    st.caption("Nothing is sent to the endpoint until you press List, Check or Start.")
    admitted("launch")


def _headline(stated: Mapping[str, str], checked: form.CheckedForm) -> str:
    if checked.plan is not None:
        return plan_summary.sentence(checked.plan, _budget(checked.plan))
    if not endpoint.is_given(stated):
        return "Pick an endpoint: type its address, or practise on one below."
    if checked.field == "endpoint.model" and not stated.get("endpoint.model"):
        return "Pick the model: list what the endpoint serves, or type its name."
    return "The plan is not complete yet."


def runs_on(stated: Mapping[str, str], outcome: form.CheckedForm) -> None:
    """Ask what the endpoint cannot tell of itself, and results are compared by."""
    st.subheader("What it runs on", anchor=False, help="Kept with the results, which are compared by it.")
    plan_fields.row(stated, plan_fields.FACTS, outcome)


def fields(stated: Mapping[str, str], outcome: form.CheckedForm) -> None:
    """Ask what is measured and how hard: the profile, and every field of it folded away."""
    st.subheader("Plan", anchor=False)
    names = {one.name: one for one in profiles()}
    st.session_state["plan.profile"] = stated.get("profile") if stated.get("profile") in names else None
    st.selectbox(
        "Profile",
        list(names),
        key="plan.profile",
        format_func=lambda name: f"{names[name].title}: {names[name].about}",
        placeholder="A grid of your own",
        on_change=lambda: plan_fields.state({"profile": st.session_state["plan.profile"]}),
    )
    left, right = st.columns(2)
    with left:
        plan_fields.shape(stated, outcome)
    with right:
        plan_fields.tables(stated, outcome)
    if outcome.problem and outcome.field is None and endpoint.is_given(stated):
        st.warning(markdown(outcome.problem))


def start(stated: Mapping[str, str], plan: Plan) -> None:
    """Draw what the sweep takes, the button that starts it, or why there is none, and the one that asks first."""
    st.subheader("What it takes", anchor=False)
    decision = access.may("launch", visitor())
    with st.container(horizontal=True, key="budget", vertical_alignment="bottom"):
        for one in plan_summary.figures(_budget(plan)):
            st.metric(one.label, one.value or "open", help=one.help, width="content")
        st.space("stretch")
        pressed = decision and st.button("Start the sweep", key="start", type="primary", icon=":material/play_arrow:")
        st.button(
            "Check the endpoint",
            key="check",
            help="Sends a few short requests: is it there, does it serve the model, how does it count.",
            icon=":material/fact_check:",
            on_click=_check,
            disabled=not decision,
        )
    if not isinstance(_last_check(plan), Preflight):
        st.caption("What is open depends on the endpoint's speed: Check times one request and fills it in.")
    if not decision:
        st.caption(markdown(decision.reason))
    _checks(plan)
    if pressed:
        try:
            folder = sweeps.launch(library(), plan, visitor(), own_port=own_port())
        except BenchError as problem:
            st.warning(markdown(str(problem)))
            return
        st.switch_page("jobs.py", query_params={"job": folder.id})


def _checks(plan: Plan) -> None:
    """Tell what the endpoint said of itself when it was asked, each check in a sentence."""
    preflight = _last_check(plan)
    if isinstance(preflight, str):
        st.warning(markdown(preflight))
    elif preflight is not None:
        st.markdown("  \n".join(f"{SIGNS[one.passed]} {markdown(one.said)}" for one in preflight.checks))


def elsewhere(stated: Mapping[str, str], plan: Plan) -> None:
    """Show the same sweep as a command and as a file."""
    with st.expander("The same sweep from a terminal", key="more.terminal"):
        st.code(form.command(stated), language="bash", wrap_lines=True)
        st.caption("or as a file, plan.toml, for python -m bench sweep plan.toml")
        st.code(plan.to_toml(), language="toml")


def _budget(plan: Plan) -> budgets.Budget:
    found = _last_check(plan)
    return budgets.budget(plan, setup.timed(found) if isinstance(found, Preflight) else None)


def _last_check(plan: Plan) -> Preflight | str | None:
    """What this session's last check of this plan found, or the sentence that ended it."""
    known, found = st.session_state.get(FOUND, ("", None))
    return found if known == plan.id else None


def _check() -> None:
    """Ask the endpoint of the plan as it is by now, which may be newer than the button."""
    stated = plan_fields.in_the_address()
    plan = checked(stated).plan
    if plan is None:
        return
    try:
        outcome: Preflight | str = sweeps.check(library(), plan, visitor(), own_port=own_port())
    except BenchError as problem:
        outcome = str(problem)
    st.session_state[FOUND] = (plan.id, outcome)
    if isinstance(outcome, Preflight):
        endpoint.heard(stated, outcome)
