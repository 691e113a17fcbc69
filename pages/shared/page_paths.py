"""Which pages there are, at which addresses, and the link to one of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl

import streamlit as st

from bench.plain_text import markdown

PAGES = Path(__file__).parents[1]
FIRST = "overview"
MARK = Path(__file__).with_name("mark.svg")


@cache
def addresses() -> tuple[str, ...]:
    """The address of each page, without the server's base; the first page has two."""
    names = [path.stem for path in sorted(PAGES.glob("*.py")) if path.stem not in ("__init__", "main")]
    return ("/", *(f"/{name}" for name in names))


def link(page: str, label: str, query: str | Mapping[str, str] | Iterable[tuple[str, str]] = (), why: str = "") -> None:
    """Draw a link to a page, with this query; `why` is told where the pointer rests."""
    st.page_link(
        f"{page}.py",
        label=markdown(label),
        query_params=parse_qsl(query) if isinstance(query, str) else query,
        icon=":material/arrow_forward:",
        icon_position="right",
        help=markdown(why) if why else None,
    )
