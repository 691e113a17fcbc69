"""The server: Streamlit's app with a health route, the HTTP API and the headers every response carries.

`streamlit run app.py` finds `app`. The pages' script lies inside pages/, so that Streamlit's own discovery of a
pages/ folder beside it finds nothing and `st.navigation` alone decides what an address shows. What reads the library
is imported beside the first requests, so that nobody waits for it.
"""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import IO, Any

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from bench.access import Visitor
from pages.shared import missing, receiving, shell, waiting, websockets

PART_BYTES = 1 << 18


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[dict[str, Any]]:
    """Opens the library while the server already answers; a library that cannot be read is told by the pages.

    The server steps back first, so that no page slows a sweep; its threads are all started from here.
    """
    from bench.sweep.priority import step_back

    step_back()
    waiting.limit_heads()
    threading.Thread(target=warm, name="warm", daemon=True).start()
    try:
        yield {}
    finally:
        from bench.library import uploads

        uploads.discard_all()


def warm() -> None:
    """Nothing; the library is open and the questions are imported.

    Streamlit collects garbage after every run of a page, with the interpreter held. What is imported by now stays,
    so it is taken out of that search: a run of a warm page then costs about a third of the processor time.
    pyarrow's own allocator keeps up to 150 MB that simultaneous runs have given back; the system's does not.
    """
    import pyarrow

    from bench.library import uploads
    from bench.sweep import resuming
    from pages.shared import cached

    pyarrow.set_memory_pool(pyarrow.system_memory_pool())
    cached.warm()
    uploads.clear_abandoned()
    if resuming.is_asked():
        resuming.resume_interrupted(cached.library().path)
    gc.collect()
    gc.freeze()


def healthz(_: Request) -> JSONResponse:
    """Version and counts of the library; 503 with the reason when it cannot be read."""
    from bench import api
    from pages.shared import cached

    status, found = api.health(cached.library)
    return JSONResponse(found, status)


def sweeps(_: Request) -> Response:
    """The status of every sweep."""
    from bench import api

    return _answer(api.sweeps(_library()))


def sweep(request: Request) -> Response:
    """How one sweep is going."""
    from bench import api

    return _answer(api.sweep(_library(), request.path_params["sweep"]))


async def start(request: Request) -> Response:
    """A sweep of the plan in the body has started."""
    from bench import api
    from pages.shared.visitor import own_port

    body = await _body(request)
    return _answer(await run_in_threadpool(api.start, _library(), _caller(request), body, own_port()))


async def cancel(request: Request) -> Response:
    """A sweep was told to end, and has."""
    from bench import api

    named, body = request.path_params["sweep"], await _body(request)
    return _answer(await run_in_threadpool(api.cancel, _library(), named, _caller(request), body))


async def resume(request: Request) -> Response:
    """A sweep goes on."""
    from bench import api
    from pages.shared.visitor import own_port

    named, body = request.path_params["sweep"], await _body(request)
    return _answer(await run_in_threadpool(api.resume, _library(), named, _caller(request), body, own_port()))


async def exported(request: Request) -> Response:
    """What a link's filters select, as a file, which is written only as long as somebody waits for it."""
    from bench import api
    from pages.shared import cached

    named, query, gone = request.path_params["format"], request.url.query, threading.Event()
    waiting_for = asyncio.create_task(_leaving(request, gone))
    try:
        return _answer(await run_in_threadpool(api.exported, cached.export_desk, named, query, gone.is_set))
    finally:
        waiting_for.cancel()


async def _leaving(request: Request, gone: threading.Event) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
    gone.set()


def no_such_call(request: Request) -> Response:
    """What is said where the API has nothing."""
    from bench import api

    return _answer(api.nothing(request.method, request.url.path))


def _library() -> Path:
    return Path(os.environ.get("KNEEPOINT_LIBRARY") or "library").absolute()


def _caller(request: Request) -> Visitor:
    from bench import api

    client = request.client.host if request.client is not None else None
    return api.caller(st.get_option("server.address"), client, dict(request.headers))


async def _body(request: Request) -> bytes:
    """The body as far as it is read: what is longer than the API takes is cut one byte after that."""
    from bench.api import MOST_BYTES

    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_BYTES:
            return body[: MOST_BYTES + 1]
    return body


def _answer(reply: tuple[int, Any]) -> Response:
    from bench.api import RETRY_AFTER_S, File

    status, document = reply
    headers = {"Cache-Control": "no-store"}
    if isinstance(document, File):
        headers["Content-Disposition"] = f'attachment; filename="{document.name}"'
        headers["Content-Length"] = str(document.content.seek(0, os.SEEK_END))
        return StreamingResponse(_parts(document.content), status, headers, document.mime)
    if status == 429:
        headers["Retry-After"] = str(RETRY_AFTER_S)
    return JSONResponse(document, status, headers)


def _parts(content: IO[bytes]) -> Iterator[bytes]:
    with content:
        content.seek(0)
        while part := content.read(PART_BYTES):
            yield part


API = [
    Route("/api/sweeps", sweeps, methods=["GET"]),
    Route("/api/sweeps", start, methods=["POST"]),
    Route("/api/sweeps/{sweep}", sweep, methods=["GET"]),
    Route("/api/sweeps/{sweep}/cancel", cancel, methods=["POST"]),
    Route("/api/sweeps/{sweep}/resume", resume, methods=["POST"]),
    Route("/api/export/{format}", exported, methods=["GET"]),
    Route("/api/{rest:path}", no_such_call, methods=["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]),
]

app = st.App(
    Path(__file__).parent / "pages" / "main.py",
    lifespan=lifespan,
    routes=[Route("/healthz", healthz), *API, *shell.routes()],
    middleware=[
        Middleware(shell.Headers),
        Middleware(shell.KnownHosts),
        Middleware(websockets.OwnPages),
        Middleware(waiting.Sent),
        Middleware(receiving.Receiving),
        Middleware(missing.NoSuchPage),
    ],
)
