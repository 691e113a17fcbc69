"""The selected points as files for other programs and for another Kneepoint, in one box that opens."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import groupby

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from bench import export
from bench.errors import UsageError
from bench.plain_text import markdown
from bench.view import View
from bench.wording import counted
from pages.shared import cached

WAIT_LIMIT_S = 60.0
"""So long a reader's file waits for a place among the others that are being written."""


def box(view: View, points: int, stem: str) -> None:
    """Draw a button that opens the formats; each file is written when it is asked for.

    The files hold the `points` that the View asks for, whatever a chart shows of them. `stem` begins their names.
    """
    with st.popover("Export", key=f"export.{stem}"):
        try:
            export.demand_few(points)
        except UsageError as problem:
            st.markdown(markdown(str(problem)))
            return
        whose = f"{'The' if points == 1 else 'All'} {counted(points, 'selected point')}"
        st.markdown(f"**{whose}**, with every figure")
        for number, (about, kinds) in enumerate(groupby(export.formats().values(), lambda kind: kind.about)):
            several = tuple(kinds)
            with st.container(key=f"actions.formats.{number}.{stem}", gap="xsmall"):
                with st.container(horizontal=True, gap="xsmall"):
                    for kind in several:
                        _button(kind, view, stem)
                lost = [sentence for kind in several for sentence in cached.left_out(kind.name, view)]
                st.caption(" ".join((about, *(f"**{markdown(sentence)}**" for sentence in lost))))


def _button(kind: export.ExportFormat, view: View, stem: str) -> None:
    if problem := cached.not_exported(kind.name, view):
        st.markdown(f"**{kind.title}.** {markdown(problem)}")
        return
    st.download_button(
        kind.title,
        partial(_written, kind, view, _left()),
        kind.file_name(stem),
        kind.mime,
        key=f"export.{stem}.{kind.name}",
        on_click="ignore",
    )


def _written(kind: export.ExportFormat, view: View, left: Callable[[], bool]) -> bytes:
    with cached.export_desk().written(kind, view, left, WAIT_LIMIT_S) as file:
        return file.read()


def _left() -> Callable[[], bool]:
    """Whether this session's reader has closed the page, to be asked from any thread."""
    context = get_script_run_ctx()
    if context is None or not st.runtime.exists():
        return lambda: False
    session = context.session_id
    return lambda: not st.runtime.get_instance().is_active_session(session)
