"""What is told at an address that is no page: which pages there are.

Streamlit answers any address with its document and tells the reader in a dialog over the first page. This page needs
no script, so it is there at once.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from functools import cache
from html import escape
from pathlib import Path

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server import shell
from pages.shared.page_paths import FIRST, MARK, addresses

FILES = ("/media/", "/component/")
"""Where Streamlit serves files that may be HTML and are not its document."""

LONGEST = 80

BESIDE = {"launch": "Launch", "jobs": "Jobs", "data": "Data", "sql": "SQL"}
"""The pages that answer no question and need nothing in their address."""

DOCUMENT = Path(__file__).with_name("missing.html")


class NoSuchPage:
    """Middleware that answers 404 with our own page wherever Streamlit would serve its document to no page."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or _may_be_html(scope["path"]):
            await self.app(scope, receive, send)
            return
        replaced = False

        async def unless_document(message: Message) -> None:
            nonlocal replaced
            if message["type"] == "http.response.start" and _is_document(message):
                replaced = True
                answer = await run_in_threadpool(_page, scope["path"])
                await answer(scope, receive, send)
            elif not replaced:
                await send(message)

        await self.app(scope, receive, unless_document)


def _may_be_html(path: str) -> bool:
    """Whether a page or a file of its own lies there."""
    inside = "/" + path.removeprefix(shell.base()).lstrip("/")
    return inside in addresses() or inside.startswith(FILES)


def _is_document(message: Message) -> bool:
    headers = {key.lower(): value for key, value in message["headers"]}
    return bool(message["status"] == 200) and headers.get(b"content-type", b"").startswith(b"text/html")


def _page(path: str) -> HTMLResponse:
    from bench.plain_text import visible
    from bench.questions import questions
    from bench.wording import joined

    named = path.removeprefix(shell.base()).strip("/")
    named = visible(named if len(named) <= LONGEST else named[:LONGEST] + "…")
    titles = {name: question.TITLE for name, question in questions().items()} | BESIDE
    base = shell.base().rstrip("/")
    to = {name: f"{base}/{'' if name == FIRST else name}" for name in titles}
    links = [f'<a href="{escape(to[name])}">{escape(title)}</a>' for name, title in titles.items()]
    sentence = f"There is no page '{escape(named)}'; the pages are {joined(links, at_most=len(links))}."
    html = DOCUMENT.read_text(encoding="utf-8").format(
        sentence=sentence, mark=_mark(), light=_colours("light"), dark=_colours("dark")
    )
    return HTMLResponse(html, 404, headers={"Cache-Control": "no-cache"})


@cache
def _mark() -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(MARK.read_bytes()).decode()}"


@cache
def _colours(scheme: str) -> str:
    """The theme's colours as CSS variables."""
    wanted: Mapping[str, str] = {"background": "backgroundColor", "text": "textColor", "link": "linkColor"}
    return " ".join(f"--{name}: {st.get_option(f'theme.{scheme}.{key}')};" for name, key in wanted.items())
