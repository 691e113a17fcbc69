"""What is told at an address that is no page: which pages there are.

Streamlit answers any address with its document and tells the reader in a dialog over the first page. This page needs
no script, so it is there at once.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from functools import cache
from html import escape

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pages.server import shell
from pages.shared.look import MARK
from pages.shared.page_paths import FIRST, addresses

FILES = ("/media/", "/component/")
"""Where Streamlit serves files that may be HTML and are not its document."""

LONGEST = 80

BESIDE = {"launch": "Launch", "jobs": "Jobs", "data": "Data", "sql": "SQL"}
"""The pages that answer no question and need nothing in their address."""

DOCUMENT = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>No such page - Kneepoint</title>
<link rel="icon" href="{mark}">
<style>
:root {{ color-scheme: light dark; {light} }}
@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}
body {{ margin: 0; background: var(--background); color: var(--text); font: 15px/1.6 "Source Sans", sans-serif; }}
header {{ display: flex; align-items: center; gap: 0.5rem; padding: 1rem 1.5rem; font-weight: 600; }}
main {{ max-width: 40rem; padding: 2rem 1.5rem; }}
h1 {{ font-size: 1.5rem; font-weight: 600; line-height: 1.4; overflow-wrap: anywhere; }}
a {{ color: var(--link); text-underline-offset: 0.2em; }}
</style>
</head>
<body>
<header><img src="{mark}" alt="" width="24" height="24">Kneepoint</header>
<main>
<h1>{sentence}</h1>
</main>
</body>
</html>
"""


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
    links = [f'<a href="{escape(_address(name))}">{escape(title)}</a>' for name, title in titles.items()]
    sentence = f"There is no page '{escape(named)}'; the pages are {joined(links, at_most=len(links))}."
    html = DOCUMENT.format(sentence=sentence, mark=_mark(), light=_colours("light"), dark=_colours("dark"))
    return HTMLResponse(html, 404, headers={"Cache-Control": "no-cache"})


def _address(name: str) -> str:
    return f"{shell.base().rstrip('/')}/{'' if name == FIRST else name}"


@cache
def _mark() -> str:
    return f"data:image/svg+xml;base64,{base64.b64encode(MARK.read_bytes()).decode()}"


@cache
def _colours(scheme: str) -> str:
    """The theme's colours as CSS variables."""
    wanted: Mapping[str, str] = {"background": "backgroundColor", "text": "textColor", "link": "linkColor"}
    return " ".join(f"--{name}: {st.get_option(f'theme.{scheme}.{key}')};" for name, key in wanted.items())
