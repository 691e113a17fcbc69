"""The server: Streamlit's app with a health route and the headers every response carries.

`streamlit run app.py` finds `app`. The pages' script lies inside pages/, so that Streamlit's own discovery of a
pages/ folder beside it finds nothing and `st.navigation` alone decides what an address shows. What reads the library
is imported beside the first requests, so that nobody waits for it.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from pages.shared import missing, shell


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[dict[str, Any]]:
    """Opens the library while the server already answers; a library that cannot be read is told by the pages."""
    threading.Thread(target=warm, name="warm", daemon=True).start()
    yield {}


def warm() -> None:
    """Nothing; the library is open and the questions are imported.

    Streamlit collects garbage after every run of a page, with the interpreter held. What is imported by now stays,
    so it is taken out of that search: a run of a warm page then costs about a third of the processor time.
    pyarrow's own allocator keeps up to 150 MB that simultaneous runs have given back; the system's does not.
    """
    import pyarrow

    from pages.shared import cached

    pyarrow.set_memory_pool(pyarrow.system_memory_pool())
    cached.warm()
    gc.collect()
    gc.freeze()


def healthz(_: Request) -> JSONResponse:
    """Version and counts of the library; 503 with the reason when it cannot be read."""
    from bench import api
    from pages.shared import cached

    status, found = api.health(cached.library)
    return JSONResponse(found, status)


app = st.App(
    Path(__file__).parent / "pages" / "main.py",
    lifespan=lifespan,
    routes=[Route("/healthz", healthz), *shell.routes()],
    middleware=[Middleware(shell.Headers), Middleware(missing.NoSuchPage)],
)
