"""The HTML document the pages run in, and the headers every response carries."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from pathlib import Path

import streamlit as st
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bench.access import LOCAL_HOSTS, host_name
from pages.shared.page_paths import FIRST, addresses

STREAMLIT_HTML = Path(st.__file__).parent / "static" / "index.html"
STYLE = Path(__file__).with_name("look.css")
HISTORY = Path(__file__).with_name("history.js")
EARLY = ("PlotlyChart", "BidiComponent", "Selectbox", "StreamlitMarkdown")
INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


def routes() -> list[Route]:
    """A route for the address of each page: Streamlit's document, told where its server is.

    Streamlit's own copy does not know: opened at /pareto it first looks for the server at /pareto/ and fails there,
    which costs every deep link a round trip and two errors in the console.
    """
    pages = [Route(address, _document) for address in addresses() if address != f"/{FIRST}"]
    return [*pages, Route(f"/{FIRST}", _first)]


def _first(request: Request) -> RedirectResponse:
    """The first page under its own name, which Streamlit knows only as the bare address."""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(base() + query)


def _document(request: Request) -> HTMLResponse:
    """The document; where a browser opens it, and no probe, the page's answer is begun with."""
    from pages.shared import prefetch

    if request.headers.get("sec-fetch-dest") == "document":
        prefetch.begin(request.url.path.rpartition("/")[2] or FIRST, request.url.query)
    return HTMLResponse(document(), headers={"Cache-Control": "no-cache"})


@cache
def document() -> str:
    """Streamlit's document with our title, our style sheet, our entries of the history and the server's address.

    A style sheet sent by the page's script would arrive after the page is drawn. The scripts every page needs are
    loaded at once, not when the first chart arrives.
    """
    located = f"<script>window.__streamlit = {{ BACKEND_BASE_URL: location.origin + {json.dumps(base())} }}</script>"
    styled = f"<style>{STYLE.read_text(encoding='utf-8')}</style>"
    stepped = f"<script>{HISTORY.read_text(encoding='utf-8')}</script>"
    html = STREAMLIT_HTML.read_text(encoding="utf-8")
    html = html.replace("<head>", f"<head>{located}{stepped}", 1).replace("</head>", f"{styled}{_early()}</head>", 1)
    return html.replace("<title>Streamlit</title>", "<title>Kneepoint</title>", 1)


def _early() -> str:
    names = [path.name for part in EARLY for path in sorted(STREAMLIT_HTML.parent.glob(f"static/js/{part}.*.js"))]
    return "".join(f'<link rel="modulepreload" crossorigin href="./static/js/{name}">' for name in names)


def base() -> str:
    """The path all addresses begin with."""
    return "/" + str(st.get_option("server.baseUrlPath")).strip("/")


@cache
def content_security_policy() -> str:
    """The policy: nothing is loaded from or sent to another host, and no other site may frame a page.

    Inline scripts are allowed by hash. `blob:` is how Streamlit loads a component's script, inline styles are how
    it and plotly style what they draw.
    """
    scripts = INLINE_SCRIPT.findall(document())
    digests = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    hashes = " ".join(f"'sha256-{digest}'" for digest in digests)
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src 'self' blob: {hashes}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "connect-src 'self' blob: data:",
            "worker-src 'self' blob:",
            "object-src 'none'",
            "base-uri 'self'",
            "form-action 'self'",
            "frame-ancestors 'self'",
        )
    )


class Headers:
    """Middleware that adds the security headers to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers["Content-Security-Policy"] = content_security_policy()
                headers["X-Content-Type-Options"] = "nosniff"
                headers["Referrer-Policy"] = "same-origin"
                headers["Permissions-Policy"] = "camera=(), geolocation=(), microphone=(), payment=()"
            await send(message)

        await self.app(scope, receive, with_headers)


class KnownHosts:
    """Middleware that answers under the names of server.allowedHosts alone, as Streamlit does with its sessions.

    Else a page whose name was made to mean this machine (DNS rebinding) could read what is answered. This machine's own
    names, which cannot be made so, are always known: under them a container asks itself whether it is well.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not _is_known(host_name(Request(scope).headers.get("host"))):
            said = "The server does not answer under this name; server.allowedHosts lists those it has."
            await JSONResponse({"error": said}, 403)(scope, receive, send)
            return
        await self.app(scope, receive, send)


def _is_known(name: str) -> bool:
    """Whether a name is allowed; a pattern is a name, `*.` and a name for all below it, or `*` for any at all."""
    known = [pattern.strip().lower().rstrip(".") for pattern in st.get_option("server.allowedHosts")]
    name = name.rstrip(".")
    below = any(pattern.startswith("*.") and name.endswith(pattern[1:]) for pattern in known)
    return not known or "*" in known or name in LOCAL_HOSTS or (bool(name) and (name in known or below))
