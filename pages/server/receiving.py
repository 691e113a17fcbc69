"""Which sessions may send files, and how much: Streamlit itself takes any file from any session into memory."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.shared.upload_room import UploadRooms

ENDPOINT = "/_stcore/upload_file/"
SAID = {
    403: "This session may not add results here.",
    411: "State the length of the file.",
    413: "More than one import takes; put the files in by parts.",
}


def _rooms() -> UploadRooms:
    """The rooms of this process; imported late, for the server imports this file before there is a library."""
    from pages.shared import cached

    return cached.rooms()


def expect() -> None:
    """Let this session send files from now on, as much as one import takes."""
    from bench.library.importing.uploads import MOST_BYTES

    if context := get_script_run_ctx():
        _rooms().open(context.session_id, MOST_BYTES)


def refuse() -> None:
    """Let this session send none."""
    if context := get_script_run_ctx():
        _rooms().close(context.session_id)


def forget(file_ids: list[str]) -> None:
    """Free the server's memory of these uploaded files, which lie on the disk by now."""
    context = get_script_run_ctx()
    if context is not None and isinstance(context.uploaded_file_mgr, MemoryUploadedFileManager):
        for file_id in file_ids:
            context.uploaded_file_mgr.remove_file(context.session_id, file_id)


class UploadGuard:
    """Middleware that refuses a file from a session whose page takes none, or more than one import takes."""

    def __init__(self, app: ASGIApp, rooms: Callable[[], UploadRooms] | None = None) -> None:
        self.app, self.rooms = app, rooms or _rooms

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "PUT" and ENDPOINT in scope["path"]:
            status = self._status(Request(scope))
            if status != 200:
                await PlainTextResponse(SAID[status], status)(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _status(self, request: Request) -> int:
        session = request.url.path.partition(ENDPOINT)[2].partition("/")[0]
        length = request.headers.get("content-length", "")
        if not length.isdecimal() or "transfer-encoding" in request.headers:  # sent in chunks, whatever it states
            return 411
        return self.rooms().take(session, int(length))
