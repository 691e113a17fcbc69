"""Buttons that work in the browser alone: copy the page's link, save the chart as an image.

Streamlit's own buttons ask the server and reach neither the clipboard nor a drawn chart.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import streamlit as st

HERE = Path(__file__).parent
HTML = '<button type="button"></button>\n'


def _button(name: str) -> st.components.v2.types.ComponentRenderer:
    script, style = (HERE / f"{name}.js").read_text(), (HERE / "button.css").read_text()
    return st.components.v2.component(f"kneepoint_{name}", html=HTML, css=style, js=script)


_LINK = _button("link")
_PNG = _button("png")
_THROUGH = st.components.v2.component(
    "kneepoint_through", html="<span></span>\n", js=(HERE / "through.js").read_text()
)


def link(
    page: str, pages: Sequence[str], query: str, address: str, theme: str, *, follow: bool = False
) -> None:
    """A button that copies this page's link; `address`, when given, replaces what the address bar shows.

    `page` is the last part of the page's path, empty for the first page. The page is run again when the browser
    shows another theme than the one it was drawn for and, with `follow`, when the reader comes back to its tab.
    """
    data = {
        "page": page,
        "pages": list(pages),
        "query": query,
        "address": address,
        "theme": theme,
        "follow": follow,
    }
    _LINK(
        key="link", data=data, width="content", height="content",
        on_theme_change=lambda: None, on_focus_change=lambda: None,
    )  # fmt: skip


def png() -> None:
    """A button that saves the page's chart as an image."""
    _PNG(key="png", data={}, width="content", height="content")


def through(place: str, href: str) -> None:
    """Follows the link to this address inside a container, as a click on it does; shows nothing.

    `st.switch_page` would leave an address of no page in the browser's history, to which Back would then lead.
    """
    _THROUGH(key="through", data={"place": place, "href": href}, width="content", height="content")
