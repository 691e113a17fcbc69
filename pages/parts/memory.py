"""Models that nobody measured: a known one to choose, or one whose config.json is dropped in."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from bench import access, names
from bench.basis import model_shape
from bench.errors import BenchError
from bench.library import ledger
from bench.library.importing.sandbox import take_in
from bench.plain_text import file_name, markdown, visible
from pages.server import receiving
from pages.shared import address, cached
from pages.shared.page import Page
from pages.shared.visitor import admitted, visitor

PICKED, DROPPED, DROPS, PROBLEM = "memory.model", "memory.config", "memory.drops", "memory.problem"


def of_facts(page: Page) -> None:
    """Draw a box of every model whose shape is known, and one to drop a config.json into."""
    known = [row.slug for row in names.models() if (found := model_shape.known(row.slug)) and found.groups]
    listed = sorted({*known, *page.library.dropped_models}, key=lambda one: page.library.model_name(one).lower())
    shown = next(iter(page.view.values("model")), None)
    # Another box for another list or model, so that none keeps what it had.
    box = f"{PICKED}.{page.library.version}.{shown}"
    st.selectbox(
        "Any model",
        listed,
        index=listed.index(shown) if shown in listed else None,
        key=box,
        format_func=lambda one: visible(page.library.model_name(one)),
        placeholder="Choose",
        help="Models that nobody measured as well; choose the precision of their weights beside the chart.",
        on_change=_picked,
        args=(page.name, box),
    )
    if not admitted("import"):
        receiving.refuse()
        return
    receiving.expect()
    drop = f"{DROPPED}.{st.session_state.setdefault(DROPS, 0)}"
    st.file_uploader(
        "A model's config.json",
        type="json",
        key=drop,
        help="Named as its model, such as Example-9B.json; it is kept in the library.",
        on_change=_dropped,
        args=(page.name, drop),
    )
    if problem := st.session_state.pop(PROBLEM, ""):
        st.warning(markdown(problem))


def _picked(name: str, box: str) -> None:
    if slug := st.session_state[box]:
        _show(name, slug)


def _show(name: str, slug: str) -> None:
    """Show a model on this page; one that states no precision has 16-bit weights until another is chosen."""
    address.choose(name, model=(slug,))
    shown = cached.complete(name, address.kept().views[name])
    if not shown.values("precision") and shown.option("weights") == "stated":
        address.choose_option(name, "weights", "bf16")


def _dropped(name: str, drop: str) -> None:
    """Keep a config.json in the library and show its model, or remember why it cannot be; empty the box again.

    A browser that is slow to draw may tell of the box once more when its file is no UploadedFile any more.
    """
    upload = st.session_state[drop]
    if not isinstance(upload, UploadedFile):
        return
    st.session_state[DROPS] += 1
    try:
        access.demand("import", visitor())
        with TemporaryDirectory() as folder:
            path = Path(folder) / file_name(upload.name)
            path.write_bytes(upload.getvalue())
            report = take_in(cached.library(), [path], who=ledger.who(visitor()))
    except (BenchError, OSError) as problem:
        st.session_state[PROBLEM] = str(problem)
        return
    finally:
        receiving.forget([upload.file_id])
    if report.models:
        _show(name, report.models[0].model)
    else:
        told = [one.reason for one in report.refused] or ["This is a result, which the Data page imports."]
        st.session_state[PROBLEM] = told[0]
