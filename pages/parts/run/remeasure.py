"""What of a run can be measured again: points that are missing, by going on, and points that failed, in new sweeps."""

from __future__ import annotations

import secrets

import streamlit as st

from bench.errors import BenchError
from bench.plain_text import markdown
from bench.runs import RunStory
from bench.sweep.session import launching
from bench.wording import counted
from pages.shared import cached
from pages.shared.page_paths import link
from pages.shared.runs import WAITING, RunPage
from pages.shared.visitor import admitted, own_port, visitor

PROBLEM, STARTED = "run.problem", "run.started"


def offered(run: RunPage) -> None:
    """Offer what is missing and what failed, to those who may; nothing where there is neither."""
    if problem := st.session_state.pop(PROBLEM, None):
        st.warning(markdown(problem))
    story = run.story
    for id in st.session_state.get(STARTED, {}).get(story.id, ()):
        with st.container(key=f"onward.{id}"):
            link("jobs", f"Watch sweep {id}, which measures points of this one again", {"job": id})
    missing = bool(story.again.missing) and story.state not in WAITING
    if not missing and not story.again.failed:
        return
    if not admitted("launch"):
        if missing:
            st.code(f"python -m bench resume {story.id}", language="bash")
        return
    with st.container(key="actions.again", horizontal=True):
        if missing:
            st.button(_go_on(story), icon=":material/play_arrow:", key="resume", on_click=_resume, args=(run,))
        if story.again.failed:
            points = counted(len(story.again.failed), "point")
            st.button(
                f"Measure {points} with failed requests again",
                icon=":material/replay:",
                key="retry",
                on_click=_retry,
                args=(run,),
                help="In a sweep of its own, with prompts the endpoint has not seen; this one stays as it is.",
            )


def _go_on(story: RunStory) -> str:
    if story.again.climbs:
        return "Go on with the next level"
    return f"Measure the {counted(len(story.again.missing), 'missing point')}"


def _resume(run: RunPage) -> None:
    try:
        launching.resume(cached.library().path, run.story.id, visitor(), own_port=own_port())
    except BenchError as problem:
        st.session_state[PROBLEM] = str(problem)


def _retry(run: RunPage) -> None:
    started = st.session_state.setdefault(STARTED, {}).setdefault(run.story.id, [])
    try:
        for plan in run.story.again.plans:
            seeded = plan.settled(seed=secrets.randbelow(2**32))
            folder = launching.launch(cached.library().path, seeded, visitor(), own_port=own_port())
            started.append(folder.id)
    except BenchError as problem:
        st.session_state[PROBLEM] = str(problem)
