"""Which WebSockets are opened, and what of their messages reaches Streamlit.

Streamlit opens one for pages at any port of this machine, and takes from each what its developer's menu sends, such as
to forget all that is kept for every reader.
"""

from __future__ import annotations

import streamlit as st
from google.protobuf.message import DecodeError
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.proto.BackMsg_pb2 import BackMsg

from bench.access import is_own_page

POLICY = 1008
READERS = frozenset({"rerun_script", "stop_script", "file_urls_request", "app_heartbeat"})
"""What a reader's browser asks; the rest of what Streamlit knows is its developer's."""
WITHOUT_RERUN = frozenset({"deferred_file", "dataframe_chunk"})


class OwnPages:
    """Middleware that opens WebSockets for this server's own pages and programs alone, and passes readers' messages.

    A page of another site is let in where server.corsAllowedOrigins names it.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        if not is_own_page(headers) and headers["origin"] not in st.get_option("server.corsAllowedOrigins"):
            await receive()
            await send({"type": "websocket.close", "code": POLICY})
            return

        async def from_readers() -> Message:
            while True:
                message = await receive()
                if message["type"] != "websocket.receive" or is_readers(message.get("bytes")):
                    return message

        await self.app(scope, from_readers, send)


def is_readers(sent: bytes | None) -> bool:
    """Whether a reader's browser sends this; of text and of what is no message it sends none."""
    if sent is None:
        return False
    message = BackMsg()
    try:
        message.ParseFromString(sent)
    except DecodeError:
        return False
    kind = message.WhichOneof("type")
    if kind == "backend_operation_request":
        return message.backend_operation_request.WhichOneof("payload") in WITHOUT_RERUN
    return kind in READERS
