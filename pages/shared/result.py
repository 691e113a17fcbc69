"""The parts of an answer on a page: headline, caveats, chart, findings, table, files, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from urllib.parse import urlsplit

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from bench import catalogue
from bench.errors import BenchError
from bench.export import markdown as pasted
from bench.plain_text import markdown
from bench.view import View
from pages.shared import address, buttons, cached, exporting, first_paint, headlines, notices, options, signposts, table
from pages.shared.charts import draw
from pages.shared.page import Page

CHART_PX = 520
FIRST, CHARTED = 5, 2
"""So many of a table's first columns, and so many of the metrics that its rows begin with, stand in a pasted one."""


def headline(page: Page) -> None:
    """Draw the answer's sentence, and below it that it holds in few checks, or what leads to one."""
    try:
        with st.skeleton(height=CHART_PX):
            cached.figure(page.name, page.view, page.theme)
    except BenchError as problem:
        notices.failed(str(problem))
        options.row(page)
        first_paint.complete(page)
        st.stop()
    if page.subject:
        with st.container(key="subject"):
            st.caption(markdown(page.subject))
    headlines.headline(page.verdict)
    for doubt in cached.varied(page.name, page.view).doubts:
        st.markdown(markdown(doubt))
    signposts.out_of_nothing(page)


def caveats(page: Page, *, inked: tuple[str, ...] = (), elsewhere: tuple[str, ...] = ()) -> None:
    """Tell what is left out and what is unlike, quietly in one paragraph; the kinds `inked` in ink, a line each.

    The kinds that stand `elsewhere` on the page are passed over.
    """
    passed = ("not_loaded", *elsewhere)
    said = [one for one in page.answer.statements if one.role in ("coverage", "caveat") and one.kind not in passed]
    for one in said:
        if one.kind in inked:
            st.markdown(markdown(one.text))
    quiet = [markdown(one.text) for one in said if one.kind not in inked]
    if quiet:
        st.caption(" ".join(quiet))


def figure(page: Page, *, opens: str = "", part: str = "", on_pick: Callable[[str], None] | None = None) -> None:
    """Draw the chart over the full width; in a session's first run the page ends with it until it stands.

    `opens` is what a click in it opens, a point or a cell, until it is clicked away; `on_pick` is instead called with
    what was clicked before the page is run again, as a table's is. `part` tells apart the charts a page has by turns.
    """
    turn = f".{turns}" if (opens or on_pick) and (turns := address.kept().turn) else ""
    key = f"chart.{page.name}.{part}{turn}" if part else f"chart.{page.name}{turn}"
    if not first_paint.stands():
        first_paint.wait(page)
    then = partial(_opened, page.name, opens) if opens else partial(_gone_on, on_pick) if on_pick else None
    with st.container(key="chart"):
        draw(_drawn(page, opens), key, page.headline, then)
    if not first_paint.stands():
        st.stop()


def _drawn(page: Page, opens: str) -> go.Figure:
    """The chart; what a link or the picker opened of it stands out, as what was clicked does by itself."""
    id = address.kept().marked if opens else None
    if id is None:
        return cached.figure(page.name, page.view, page.theme)
    return cached.marked(page.name, page.view, page.theme, id)


def _opened(name: str, kind: str, ids: list[str]) -> None:
    address.open_(name, by_chart=True, **{kind: next(iter(ids), None)})


def _gone_on(on_pick: Callable[[str], None], ids: list[str]) -> None:
    """Make a chart that led on another one, when its reader comes back, who may then click in the same place."""
    if ids and not address.went_through_history():
        address.kept().turn += 1
        on_pick(ids[0])


def findings(page: Page) -> None:
    """Draw the answer's further sentences."""
    if page.answer.findings:
        st.markdown("\n".join(f"- {headlines.unbroken(finding)}" for finding in page.answer.findings))


def rows(
    page: Page,
    *,
    first: tuple[str, ...] = (),
    without: tuple[str, ...] = (),
    labels: Mapping[str, str] | None = None,
    fields: Mapping[str, str] | None = None,
    on_pick: Callable[[int], None] | None = None,
) -> None:
    """Draw the charted rows as a table and as files, where there are any; `on_pick` hears which row the reader picked.

    `first` columns lead, `labels` head what is no metric, `fields` say whose values a column holds.
    """
    held = tuple((fields or {}).items())
    charted = page.answer.rows
    if charted.empty:
        return
    shown = cached.readable_rows(page.name, page.view, first, without, held, table.SHOWN_ROWS)
    stated = {one.key: f"{one.label} ({one.unit})" if one.unit else one.label for one in page.question.COLUMNS}
    words = {**stated, **(labels or {})}
    table.show(
        shown,
        key=f"rows.{page.name}",
        alt=f"Table: {page.headline}",
        labels=words,
        fields=fields,
        of=len(charted),
        on_pick=on_pick,
    )
    _files(page, charted, first, without, words)


def _files(
    page: Page, charted: pd.DataFrame, first: tuple[str, ...], without: tuple[str, ...], labels: Mapping[str, str]
) -> None:
    """Draw buttons for what is charted, as table and picture, and for what is selected in every export format."""
    selected, query = View(page.view.where), page.view.query()
    url = st.context.url or ""
    link = f"{url}{'' if urlsplit(url).path else '/'}?{query}"
    with st.container(key="actions", horizontal=True, vertical_alignment="center"):
        table.downloads(lambda: charted, f"kneepoint-{page.name}")
        st.download_button(
            "Markdown",
            partial(_pasted, page.headline, link, charted.drop(columns=[*without], errors="ignore"), first, labels),
            f"kneepoint-{page.name}.md",
            "text/markdown",
            key=f"save.kneepoint-{page.name}.md",
            help="The columns that tell most, under the headline and the link: for an issue, a chat or a report.",
            on_click="ignore",
        )
        source = cached.where_from(page.name, page.view)
        buttons.picture(page.headline, source, query, f"kneepoint-{page.name}")
        exporting.box(selected, cached.count(selected), f"kneepoint-{page.name}")


def _pasted(headline: str, link: str, rows: pd.DataFrame, first: tuple[str, ...], labels: Mapping[str, str]) -> bytes:
    charted = [str(name) for name in rows if catalogue.is_metric(str(name))][:CHARTED]
    told = pasted.written(rows, first[:FIRST], labels, always=charted)
    return pasted.under(headline, link, told)


def why(page: Page) -> None:
    """Tell whether the headline holds in other ways to look; then formula, inputs and source."""
    for sentence in cached.varied(page.name, page.view).ways:
        with st.expander(f"Does it hold? {markdown(sentence.split(':')[0].rstrip('.'))}.", key="variations"):
            st.markdown(markdown(sentence))
    if not page.answer.why:
        return
    with st.expander("Why? Formulas, inputs and sources"):
        for reason in page.answer.why:
            st.markdown(
                f"**{markdown(reason.what)}** = {markdown(reason.formula)}  \n"
                f"{markdown(reason.inputs)}  \nSource: {markdown(reason.source)}"
            )
        st.caption(f"Library version {markdown(page.answer.library_version)}")
