"""One source or one point on the Data page: what it is, what people said of it, how its figures were read."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from typing import Any

import pandas as pd
import streamlit as st

from bench.errors import NotFound
from bench.export.rows import readable
from bench.holdings import history, originals
from bench.holdings import opened as of_one
from bench.library.ledger import Retraction
from bench.library.store import short
from bench.plain_text import file_name, markdown
from bench.view import View
from bench.wording import counted, joined
from pages.parts.data import correcting, listing, tabs
from pages.parts.data.listing import LABELS
from pages.shared import cached, headlines, notices, table
from pages.shared.page import Page
from pages.shared.page_paths import link

FIGURES = {**LABELS, "figure": "Figure", "value": "Value", "unit": "Unit", "definition": "How it was read"}


def is_opened(page: Page) -> bool:
    """Whether the link names a source or a point."""
    return bool(page.view.option("source_id") or page.view.option("point_id"))


def result(page: Page) -> None:
    """Draw the source or the point that the link names; what there is instead where there is none."""
    id, is_point = page.view.option("point_id"), bool(page.view.option("point_id"))
    try:
        if is_point:
            _point(page, of_one.point(page.library, id))
        else:
            _source(page, of_one.source(page.library, page.view.option("source_id")))
    except NotFound as missing:
        correcting.said()
        notices.warn([str(missing)])
        _back("All sources", source_id=None, point_id=None)


def _source(page: Page, source: of_one.Source) -> None:
    _back("All sources", source_id=None)
    correcting.said()
    _why_hidden(source.hidden)
    headlines.headline(source.sentence)
    if source.hidden is None and source.hidden_within:
        st.caption(
            f"{counted(source.hidden_within, 'result is', 'results are')} hidden;"
            " the tab Hidden beside all sources lists what is."
        )
    if source.row["points"] and source.hidden is None:
        _onward("See its points on the frontier", View.of({"source": source.row["sources"]}))
    _card(source)
    _said_of(page, source.id, source.tags)
    correcting.of_source(page, source)
    parts = {"points": listing.points, "passports": _passports}
    if source.row["scores"]:
        parts["scores"] = _scores
    if source.row["refusals"]:
        parts["refusals"] = _refusals
    tabs.tabs(page, {**parts, "changes": tabs.changes})


def _card(source: of_one.Source) -> None:
    row = source.row
    ships = "ships with Kneepoint"
    when = f"{str(row['imported'])[:10]}, {ships}" if source.ships else str(row["imported"]).replace("T", " ")[:16]
    by = f" by {source.brought[0]}" if source.brought else ""
    lines = (
        ("Licence", row["licence"]),
        ("Attribution", row["attribution"]),
        ("Retrieved", row["retrieved"]),
        ("Imported", f"{when}{by}" if source.ships else f"{when} UTC{by}"),
        ("Read as", " ".join(filter(None, (row["format"], row["tool_version"])))),
        ("Files" if len(source.files) > 1 else "File", joined(list(source.files)) or row["file"]),
        ("Not read", source.not_understood),
        ("Id", short(source.id)),
    )
    with st.container(border=True, key="behind"):
        st.markdown("  \n".join(f"{label}: {markdown(value)}" for label, value in lines if value))
        with st.container(horizontal=True):
            _link("Published at", row["source_url"] or row["url"])
            _link("Licence text", row["licence_url"])
            if source.files:
                _original(source)


def _said_of(page: Page, id: str, tags: Iterable[str]) -> None:
    lines = [f"**Tags:** {', '.join(markdown(tag) for tag in tags)}"] if tags else []
    stated = history.stated(page.library, id)
    for row in stated.to_dict("records"):
        words = history.facts_in_words({row["fact"]: row["value"]})
        lines.append(f"**Stated:** {markdown(words)} ({_by(row)})")
    notes = of_one.notes(page.library, id)
    lines += [f"**Note:** {markdown(row['text'])} ({_by(row)})" for row in notes.to_dict("records")]
    if lines:
        st.markdown("  \n".join(lines))


def _passports(page: Page) -> None:
    st.caption("How each figure of this source became a metric: by its formula, never by its label.")
    found = of_one.passports(page.library, page.view.option("source_id"))
    tabs.whole(
        found, "passports", ("metric", "definition"), "Its format states no more than the metric's own definition."
    )


def _refusals(page: Page) -> None:
    found = of_one.refusals(page.library, page.view.option("source_id"))
    tabs.whole(found, "refusals", ("row", "column", "value", "expected", "reason"), "Nothing of it was refused.")


def _scores(page: Page) -> None:
    found = of_one.scores(page.library, page.view.option("source_id"))
    ids = list(found.get("score_id", ()))
    tabs.whole(found, "scores", (), "Its scores are hidden.", on_pick=lambda row: listing.open_(point_id=str(ids[row])))


def _point(page: Page, point: of_one.OpenedPoint) -> None:
    source = of_one.source(page.library, point.row["source_id"])
    _back("Its source", source_id=source.id, point_id=None)
    correcting.said()
    _why_hidden(point.hidden)
    headlines.headline(point.sentence)
    row = point.row
    if point.kind == "point" and point.hidden is None:
        _onward("See its series on the frontier", View.of({"series": [row["series_id"]]}))
    lines = (
        ("Source", source.row["named"]),
        ("Where in the file", row.get("locator")),
        ("Measured", str(row["date"])[:10] if row.get("date") else None),
        ("Evidence", row.get("evidence")),
        ("Id", point.id),
        ("What the source says of it", row.get("note")),
    )
    with st.container(border=True, key="behind"):
        st.markdown("  \n".join(f"{label}: {markdown(value)}" for label, value in lines if value))
        _link("Published at", row.get("source_url"))
    notices.flagged(point.flags)
    _said_of(page, point.id, point.tags)
    correcting.of_point(page, point, source, unfolded=bool(page.view.option("correct")))
    if point.kind == "point":
        _figures(page, point)
    fields = of_one.fields(point)
    with st.expander(f"Every other field: {counted(len(fields), 'is', 'are')} stated", key="behind.fields"):
        _small(fields, "fields", point.id)


def _figures(page: Page, point: of_one.OpenedPoint) -> None:
    found = of_one.figures(page.library, point)
    st.caption("Its figures, and how each was read from the file.")
    _small(found.drop(columns="metric").dropna(axis="columns", how="all"), "figures", point.id)


def _small(rows: pd.DataFrame, name: str, id: str) -> None:
    table.show(
        rows, key=f"rows.{name}", alt=f"The {name} of the point", labels={**FIGURES, "field": "Field"}, exact=True
    )
    table.files(lambda: rows, f"kneepoint-{name}-{id}")


def _why_hidden(hidden: Retraction | None) -> None:
    if hidden is not None:
        whole = "Its source is hidden" if hidden.kind == "source" else "Hidden"
        st.warning(
            f"{whole}, and so in no answer: {markdown(hidden.reason)} ({_by({'who': hidden.who, 'at': hidden.at})})"
        )


def _by(row: Mapping[Hashable, Any]) -> str:
    return f"{markdown(row['who'])}, {markdown(str(row['at']).replace('T', ' ')[:16])} UTC"


def _back(label: str, **to: str | None) -> None:
    st.button(label, key="data.back", type="tertiary", icon=":material/arrow_back:", on_click=listing.open_, kwargs=to)


def _onward(label: str, view: View) -> None:
    with st.container(key="onward", horizontal=True):
        link("pareto", label, view.pairs())


def _link(label: str, address: object) -> None:
    link = readable.web_link(address) if address else None
    if link:
        st.link_button(label, link)


def _original(source: of_one.Source) -> None:
    """Offer the file as it came, saved under a safe name and never shown."""
    several = len(source.files) > 1
    name = file_name(f"{source.files[0].rsplit('.', 1)[0]}.zip" if several else source.files[0])
    st.download_button(
        f"Original files ({len(source.files)}, zip)" if several else "Original file",
        lambda: originals.original(cached.library(), source.id)[1],
        name,
        "application/octet-stream",
        key="original",
        on_click="ignore",
    )
