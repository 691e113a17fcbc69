"""What a visitor who may can change about a source or a point: notes, tags, facts, hiding, deleting for good."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from bench import access, chart, names
from bench.errors import BenchError
from bench.holdings import correcting, history, listing
from bench.holdings import opened as of_one
from bench.library.ledger import MOST_TAG, MOST_TEXT, Retraction
from bench.plain_text import markdown, visible
from bench.wording import counted, joined
from pages.parts.data.listing import NAME
from pages.shared import address, buttons, cached, options
from pages.shared.page import Page
from pages.shared.visitor import admitted, visitor

SAID = "data.said"
PROBLEM = "data.problem"
TURN = "data.turn"
"""How many changes this session has made."""


def said() -> None:
    """Tell what the last change did, or why it was not made, once."""
    if problem := st.session_state.pop(PROBLEM, None):
        st.warning(markdown(problem))
    if done := st.session_state.pop(SAID, None):
        st.success(markdown(done))


def of_point(page: Page, point: of_one.OpenedPoint, source: of_one.Source, *, unfolded: bool = False) -> None:
    """Offer the changes of a point or a score, or say why this visitor has none.

    Where the link asks for it, the forms that hide it and correct a fact stand `unfolded` and come into sight.
    """
    if not admitted("retract"):
        return
    stands = point.hidden is None or point.hidden.id != point.id
    if unfolded:
        with st.container(key="correcting", border=True):
            left, right = st.columns(2, gap="large")
            with left:
                _hide(point.id, point.kind, point.hidden, unfolded=True)
            if stands:
                with right:
                    _fact(page, source, unfolded=True)
        buttons.in_sight("correcting", f"correct.{point.id}")
    with st.container(key="actions.correct", horizontal=True):
        if stands:
            _note(point.id)
            _tag(page, point.id, point.tags)
        if stands and not unfolded:
            _fact(page, source)
        if not unfolded:
            _hide(point.id, point.kind, point.hidden)


def of_source(page: Page, source: of_one.Source) -> None:
    """Offer the changes of a source, or say why this visitor has none."""
    if not admitted("retract"):
        return
    with st.container(key="actions.correct", horizontal=True):
        _note(source.id)
        _tag(page, source.id, source.tags)
        _fact(page, source)
        _hide(source.id, "source", source.hidden)
        if not source.ships:
            _purge(source)


def _note(id: str) -> None:
    with _box("Add a note", "note"), _form("note"):
        key = _key("note.text", id)
        st.text_area("Note", key=key, max_chars=MOST_TEXT, placeholder="What should others know of it?")
        _submit("Keep the note", "The note is kept.", correcting.annotate, id, boxes=(key,))


def _tag(page: Page, id: str, has: tuple[str, ...]) -> None:
    with _box("Tag", "tag"):
        with _form("tag"):
            key = _key("tag.text", id)
            st.text_input("Tag", key=key, max_chars=MOST_TAG, placeholder="Such as: rerun wanted")
            _submit("Add the tag", "The tag is kept.", correcting.tag, id, boxes=(key,))
        others = [tag for tag in listing.tags(page.library) if tag not in has][:8]
        if others:
            st.caption(f"In use: {joined([markdown(tag) for tag in others], at_most=8)}")
        for number, tag in enumerate(has):
            st.button(
                f"Take off {markdown(tag)}",
                key=f"correct.untag.{number}",
                on_click=_do,
                args=("The tag is taken off.", partial(correcting.tag, remove=True), id, tag),
            )


def _hide(id: str, kind: str, hidden: Retraction | None, *, unfolded: bool = False) -> None:
    """Hide, or bring back; a point in a hidden source comes back with its source."""
    if hidden is not None:
        if hidden.id == id and not hidden.purged:
            back = ("It is in the answers again.", correcting.restore, id)
            st.button("Bring it back", key="correct.restore", type="primary", on_click=_do, args=back)
        return
    with _box(f"Hide this {kind}", "hide", unfolded=unfolded), _form("hide"):
        key = _key("hide.reason", id)
        st.text_input("Why", key=key, max_chars=MOST_TEXT, placeholder="Shown to whoever looks for it")
        st.caption(f"A hidden {kind} is in no answer, chart or file until it is brought back.")
        hid = "It is hidden from every answer. It can be brought back here, and is listed under Hidden."
        _submit("Hide it", hid, correcting.retract, id, boxes=(key,))


def _purge(source: of_one.Source) -> None:
    wanted = correcting.confirmation(source.id)
    with _box("Delete for good", "purge"), _form("purge"):
        held = joined(
            [counted(int(source.row[key]), key.removesuffix("s")) for key in ("points", "scores") if source.row[key]]
        )
        st.markdown(
            f"Its {held or 'rows'} and its files are deleted and **cannot be brought back**;"
            " to take it out of the answers only, hide it."
        )
        why, typed = _key("purge.reason", source.id), _key("purge.typed", source.id)
        st.text_input("Why", key=why, max_chars=MOST_TEXT, placeholder="Told to whoever imports the file again")
        st.text_input(f"Type {wanted} to confirm", key=typed, autocomplete="off")
        st.form_submit_button("Delete it for good", on_click=_purge_it, args=(source.id, (why, typed)))


def _fact(page: Page, source: of_one.Source, *, unfolded: bool = False) -> None:
    """Draw a fact that holds for every row of the source, from the known names where there are any."""
    with _box("Correct a fact of the source" if unfolded else "Correct a fact", "fact", unfolded=unfolded):
        fact = st.selectbox("Fact", correcting.FACTS, key="correct.fact.name", format_func=history.fact_label)
        said = of_one.values(page.library, source.id, fact)
        if said:
            words = [f"{markdown(chart.value_label(fact, value))} ({counted(rows, 'row')})" for value, rows in said]
            st.caption(f"Now {joined(words, at_most=5)}. What you state replaces it in every row of the source.")
        else:
            st.caption("Nothing says it now. What you state holds for every row of the source.")
        with _form("fact"):
            key = _key(f"fact.{fact}", source.id)
            _value(fact, key, history.fact_label(fact))
            st.form_submit_button("State it", on_click=_state, args=((source.id,), fact, key, "the source"))
        for row in history.stated(page.library, source.id).to_dict("records"):
            label = history.fact_label(row["fact"])
            st.button(
                f"Take back {markdown(label)}: {markdown(row['value'])}",
                key=f"correct.unstate.{row['fact']}",
                on_click=_do,
                args=(f"{label} is what the file says again.", correcting.state, (source.id,), row["fact"], None),
            )


def of_sources(called: Mapping[str, str]) -> None:
    """Offer one fact about several of these sources at once, to visitors who may."""
    if len(called) < 2 or not access.may("facts", visitor()):
        return
    with st.expander("State a fact about several sources", key="correct.many", type="compact"):
        key = f"correct.many.sources.{st.session_state.get(TURN, 0)}"
        st.multiselect(
            "Sources",
            list(called),
            key=key,
            placeholder="Pick some",
            format_func=lambda one: visible(called.get(one, one)),
        )
        fact = st.selectbox(
            "Fact", correcting.FACTS, key="correct.many.name", format_func=history.fact_label, width=320
        )
        with _form("many"):
            value = f"correct.many.{fact}.{st.session_state.get(TURN, 0)}"
            _value(fact, value, f"{history.fact_label(fact)} of all of them")
            st.form_submit_button("State it for all of them", on_click=_state_of_picked, args=(key, fact, value))
        st.caption("It replaces what the files say, in every row of each; the ledger has a line for each source.")


def _value(fact: str, key: str, label: str) -> None:
    """Draw a box for a fact: with the known names where there are any, else to type in."""
    known = dict(correcting.choices(fact))
    if known:
        options.known_or_typed(label, known, None, key=key, index=None, placeholder="Pick one, or type another")
    else:
        st.text_input(label, key=key, max_chars=MOST_TEXT)


def _box(label: str, name: str, *, unfolded: bool = False) -> st.delta_generator.DeltaGenerator:
    """A button that opens a box, after every change another one, which is closed; or the box `unfolded`."""
    if unfolded:
        place = st.container(key=f"unfolded.{name}", width="stretch")
        place.markdown(f"**{label}**")
        return place
    return st.popover(label, key=f"correct.{name}.{st.session_state.get(TURN, 0)}")


def _key(name: str, id: str) -> str:
    """What is typed about one result never stands in the box of another."""
    return f"correct.{name}.{id[:16]}"


def _form(name: str) -> st.delta_generator.DeltaGenerator:
    return st.form(f"correct.{name}.form", border=False)


def _submit(label: str, done: str, change: Callable[..., None], id: str, boxes: tuple[str, ...]) -> None:
    st.form_submit_button(label, on_click=_do, args=(done, change, id), kwargs={"boxes": boxes})


def _do(done: str, change: Callable[..., None], *about: Any, boxes: tuple[str, ...] = ()) -> None:
    """Make a change, with what was typed into these boxes, which then are empty and closed.

    What came of it is told above the page: that it is `done`, or why not.
    """
    try:
        change(cached.library(), visitor(), *about, *map(_typed, boxes))
    except BenchError as problem:
        st.session_state[PROBLEM] = str(problem)
        return
    st.session_state[SAID] = done
    st.session_state[TURN] = st.session_state.get(TURN, 0) + 1
    for box in boxes:
        st.session_state[box] = ""


def _typed(key: str) -> str:
    return str(st.session_state.get(key) or "").strip()


def _state(ids: Sequence[str], fact: str, key: str, whose: str) -> None:
    if not (value := _typed(key)):
        _do("Nothing was stated, so nothing has changed.", lambda *_: None)
        return
    unknown = names.unknown(fact, value) if fact in names.KINDS else ""
    done = f"{history.fact_label(fact)} is stated, in every row of {whose}. {unknown}".strip()
    _do(done, correcting.state, ids, fact, value)


def _state_of_picked(picked: str, fact: str, key: str) -> None:
    ids = st.session_state.get(picked) or ()
    _state(ids, fact, key, counted(len(ids), "source"))


def _purge_it(id: str, boxes: tuple[str, ...]) -> None:
    done = "It is deleted for good; what it was and why it is gone is listed under Hidden."
    _do(done, correcting.purge, id, boxes=boxes)
    if PROBLEM not in st.session_state:
        address.choose_options(NAME, source_id=None, point_id=None, tab="hidden", sort=None, page=None)
