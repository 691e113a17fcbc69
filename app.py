"""The server: Streamlit's app with a health route, the HTTP API and the headers every response carries.

`streamlit run app.py` finds `app`. The pages' script lies inside pages/, so that Streamlit's own discovery of a
pages/ folder beside it finds nothing and `st.navigation` alone decides what an address shows. What reads the library
is imported beside the first requests, so that nobody waits for it.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import inspect
import os
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import IO, Any

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from bench.access import Visitor
from pages.server import missing, receiving, shell, waiting, websockets

PART_BYTES = 1 << 18
OPENS_S = 0.3
"""A library that opens in this time is there before the first reader; for a larger one the server does not wait."""
AT_ONCE_S = 1
"""A reader who asks this soon after the start is answered first; until then nothing is worked out on a guess."""
STANDS_AFTER_S = 3
"""By then the page of a reader who came at once stands; until then nothing competes with it for the processor."""


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[dict[str, Any]]:
    """Opens the library, a large one while the server already answers.

    The server steps back first, so that no page slows a sweep; its threads are all started from here.
    """
    from bench.sweep.session.priority import step_back

    step_back()
    waiting.limit_heads()
    load()
    threading.Thread(target=warm, name="warm", daemon=True).start()
    try:
        yield {}
    finally:
        from bench.library.importing import uploads

        uploads.discard_all()


def load() -> None:
    """Import what a page of a question is made of and open the library, before the first browser competes with it.

    What is imported stays, so it is taken out of the garbage collector's search. Streamlit looks once for the caller of
    its first element, which costs a tenth of a second unless somebody has looked before.
    """
    gc.disable()
    from pages.shared import cached, frame, options, points, prefetch, result, signposts  # noqa: F401

    opening = threading.Thread(target=_open, args=(cached.library,), name="opening", daemon=True)
    opening.start()
    from PIL import Image  # noqa: F401 - of every page's icon

    from bench import chart
    from bench.questions import questions

    questions()
    inspect.stack()
    chart.empty("", chart.theme("light")).to_dict()
    opening.join(OPENS_S)
    gc.freeze()
    gc.enable()


def _open(library: Callable[[], object]) -> None:
    """Open the library; what is wrong with it is told by the pages."""
    from bench.errors import BenchError

    with contextlib.suppress(BenchError, OSError):
        library()


def warm() -> None:
    """Answer what most readers open first, unless one comes at once, whose own page then has the processor to itself.

    Streamlit collects garbage after every run of a page, with the interpreter held. What is imported by now stays,
    so it is taken out of that search: a run of a warm page then costs about a third of the processor time.
    pyarrow's own allocator keeps up to 150 MB that simultaneous runs have given back; the system's does not.
    """
    import pyarrow

    from bench.library.importing import uploads
    from bench.sweep.session import launching
    from pages.shared import cached, prefetch

    pyarrow.set_memory_pool(pyarrow.system_memory_pool())
    if not prefetch.BEGUN.wait(AT_ONCE_S):
        cached.warm(prefetch.BEGUN.is_set)
    uploads.clear_abandoned()
    if launching.is_asked():
        launching.resume_interrupted(cached.library().path)
    time.sleep(STANDS_AFTER_S)
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


async def changed(request: Request) -> Response:
    """A sweep of the plan in the body has started, one was told to end and has, or goes on: as the address says."""
    from bench import api
    from pages.shared.visitor import own_port

    body, library, caller = await _body(request), _library(), _caller(request)
    named, what = request.path_params.get("sweep", ""), request.url.path.rpartition("/")[2]
    change = {
        "sweeps": partial(api.start, library, caller, body, own_port()),
        "cancel": partial(api.cancel, library, named, caller, body),
        "resume": partial(api.resume, library, named, caller, body, own_port()),
    }[what]
    return _answer(await run_in_threadpool(change))


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


async def row(request: Request) -> Response:
    """Whether the numbers that a drawn row of selectors lacks are known by now."""
    from pages.shared import filter_counts

    is_known = filter_counts.numbers().are_known(request.path_params["row"])
    return JSONResponse({"known": is_known}, headers={"Cache-Control": "no-store"})


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
    from bench.api import RETRY_AFTER_S, SentFile

    status, document = reply
    headers = {"Cache-Control": "no-store"}
    if isinstance(document, SentFile):
        headers["Content-Disposition"] = f'attachment; filename="{document.name}"'
        headers["Content-Length"] = str(document.content.seek(0, os.SEEK_END))
        if document.notice:
            headers["X-Kneepoint-Notice"] = document.notice.encode("ascii", "replace").decode()
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
    Route("/api/sweeps", changed, methods=["POST"]),
    Route("/api/sweeps/{sweep}", sweep, methods=["GET"]),
    Route("/api/sweeps/{sweep}/cancel", changed, methods=["POST"]),
    Route("/api/sweeps/{sweep}/resume", changed, methods=["POST"]),
    Route("/api/export/{format}", exported, methods=["GET"]),
    Route("/api/{rest:path}", no_such_call, methods=["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]),
]

app = st.App(
    Path(__file__).parent / "pages" / "main.py",
    lifespan=lifespan,
    routes=[
        Route("/healthz", healthz),
        Route("/row/{row}", row),
        Route("/{base:path}/row/{row}", row),
        *API,
        *shell.routes(),
    ],
    middleware=[
        Middleware(shell.Headers),
        Middleware(shell.KnownHosts),
        Middleware(websockets.OwnPages),
        Middleware(waiting.BodyTimeout),
        Middleware(receiving.UploadGuard),
        Middleware(missing.NoSuchPage),
    ],
)
