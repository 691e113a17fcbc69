"""Who is looking, as far as the server can tell."""

from __future__ import annotations

import streamlit as st

from bench.access import Visitor


def visitor() -> Visitor:
    """The visitor of this run, for `access.may`."""
    headers = dict(st.context.headers)
    return Visitor(
        server_address=st.get_option("server.address"),
        client_address=st.context.ip_address or "127.0.0.1",
        host=next((value for key, value in headers.items() if key.lower() == "host"), None),
        headers=headers,
    )
