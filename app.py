"""The server: Streamlit's app with a health route and the headers every response carries.

`streamlit run app.py` finds `app`. The pages' script lies inside pages/, so that Streamlit's own discovery of a
pages/ folder beside it finds nothing and `st.navigation` alone decides what an address shows.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import streamlit as st
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

from bench import api
from pages.shared import cached, shell


@asynccontextmanager
async def lifespan(_: st.App) -> AsyncIterator[dict[str, Any]]:
    """Opens the library beside the first requests, so that nobody waits for it."""
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(anyio.to_thread.run_sync, cached.warm)
        yield {}
        tasks.cancel_scope.cancel()


def healthz(_: Request) -> JSONResponse:
    """Version and counts of the library; 503 with the reason when it cannot be read."""
    status, found = api.health(cached.library)
    return JSONResponse(found, status)


app = st.App(
    Path(__file__).parent / "pages" / "main.py",
    lifespan=lifespan,
    routes=[Route("/healthz", healthz), *shell.routes()],
    middleware=[Middleware(shell.Headers)],
)
