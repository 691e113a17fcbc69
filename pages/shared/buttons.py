"""Buttons that work in the browser alone: copy the page's link, save the chart as a picture.

Streamlit's own buttons ask the server and reach neither the clipboard nor a drawn chart.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from bench.plain_text import file_name, visible

HERE = Path(__file__).parent
ONE = '<button type="button"></button>\n'
PNG_AND_SVG = """<div>
<button type="button" data-kind="png" title="Save the chart as an image, with its headline, sources and link"></button>
<button type="button" data-kind="svg" title="Save the chart as a drawing, with its headline, sources and link"></button>
</div>
"""
UNSEEN = "div { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }"


def _button(name: str, html: str) -> st.components.v2.types.ComponentRenderer:
    script, style = (HERE / f"{name}.js").read_text(), (HERE / "button.css").read_text()
    return st.components.v2.component(f"kneepoint_{name}", html=html, css=style, js=script)


def _unseen(
    name: str, html: str = "<span></span>\n", css: str | None = None
) -> st.components.v2.types.ComponentRenderer:
    return st.components.v2.component(f"kneepoint_{name}", html=html, css=css, js=(HERE / f"{name}.js").read_text())


_LINK = _button("link", ONE)
_PICTURE = _button("picture", PNG_AND_SVG)
_SAID = _unseen("said", '<div role="status" aria-live="polite"></div>\n', UNSEEN)
_SIGHT, _AGAIN, _THROUGH = _unseen("sight"), _unseen("again"), _unseen("through")


def link(
    page: str,
    pages: Sequence[str],
    query: str,
    address: str,
    theme: str,
    *,
    follow: bool = False,
    unfolded: bool | None = None,
) -> None:
    """Draw a button that copies this page's link; `address`, when given, replaces what the address bar shows.

    `page` is the last part of the page's path, empty for the first page. The page is run again when the browser
    shows another theme than the one it was drawn for and, with `follow`, when the reader comes back to its tab.
    `unfolded` says whether the selectors are, which a phone folds; None where there are none.
    """
    data = {
        "page": page,
        "pages": list(pages),
        "query": query,
        "address": address,
        "theme": theme,
        "follow": follow,
        "unfolded": unfolded,
    }
    _LINK(
        key="link",
        data=data,
        width="content",
        height="content",
        on_theme_change=lambda: None,
        on_focus_change=lambda: None,
    )


def said(words: str) -> None:
    """Tell these words to those who hear the page, once and again whenever they change; show nothing."""
    _SAID(key="said", data={"words": visible(words)}, width="content", height="content")


def in_sight(place: str, nth: str) -> None:
    """Scroll the container with this key into sight, once for each `nth` that is not empty; show nothing."""
    _SIGHT(key=f"sight.{place}", data={"place": place, "nth": nth}, width="content", height="content")


def again(waits: str = "", *, row: str = "", at_latest_s: float = 60, then: Callable[[], None] = lambda: None) -> None:
    """Run the page once more as soon as it has what has this key or lies below it, or the numbers of this row.

    `then` is called before that run, which comes `at_latest_s` after this one. With neither it waits for nothing.
    """
    data = {"waits": waits, "row": row, "latest": at_latest_s * 1000}
    _AGAIN(key="again", data=data, width="content", height="content", on_again_change=then)


def through(place: str, href: str) -> None:
    """Follow the link to this address inside a container, as a click on it does; show nothing.

    `st.switch_page` would leave an address of no page in the browser's history, to which Back would then lead.
    """
    _THROUGH(key="through", data={"place": place, "href": href}, width="content", height="content")


def picture(headline: str, source: str, query: str, name: str, *, chart: str = "chart") -> None:
    """Draw buttons that save a chart as PNG and SVG, with its headline, its source line and the link to this `query`.

    `chart` is the key of the chart or of the container that it alone is drawn in; `name` begins the files' names.
    """
    told = {"headline": visible(headline), "source": visible(source)}
    data = {**told, "query": query, "name": file_name(name), "chart": chart}
    _PICTURE(key=f"picture.{chart}", data=data, width="content", height="content")
