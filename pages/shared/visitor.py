"""Who is looking, as far as the server can tell, and the way in for those who have to show more."""

from __future__ import annotations

from importlib.util import find_spec

import streamlit as st

from bench import access
from bench.access import Action, Visitor
from bench.plain_text import markdown

TOKEN = "token"


def visitor() -> Visitor:
    """The visitor of this run, for `access.may`.

    Streamlit tells no address for this machine's own, nor for a session of its agent API. The latter is only taken for
    this machine's where the server listens on loopback, which `access` asks for as well.
    """
    headers = dict(st.context.headers)
    return Visitor(
        server_address=st.get_option("server.address"),
        client_address=st.context.ip_address or "127.0.0.1",
        host=next((value for key, value in headers.items() if key.lower() == "host"), None),
        headers=headers,
        token=st.session_state.get(TOKEN) or None,
        user=_user(),
    )


def admitted(action: Action) -> bool:
    """Whether the visitor may do this; where not, the page says why and offers the way in, if there is one.

    A token is typed into the page and stays in this session's memory: never in an address, a file or a log. Who is
    logged in can log out again. Drawn once on a page.
    """
    decision = access.may(action, visitor())
    if not decision:
        st.caption(markdown(decision.reason))
    if access.mode() == "token" and not decision:
        st.text_input("Token", key=f"{TOKEN}.typed", type="password", on_change=_remember, width=320)
        if st.session_state.get(TOKEN):
            st.caption("What was typed is not the server's token.")
    elif access.mode() == "oidc":
        _login(_user())
    return bool(decision)


def _login(user: str | None) -> None:
    if user:
        with st.container(horizontal=True, vertical_alignment="center", key="login"):
            st.caption(markdown(f"Logged in as {user}."), width="content")
            st.button("Log out", key="logout", on_click=st.logout)
    elif missing := _missing_for_login():
        st.caption(markdown(missing))
    else:
        st.button("Log in", key="login", on_click=st.login)


def own_port() -> int:
    """The port this app answers on."""
    return int(st.get_option("server.port"))


def _remember() -> None:
    st.session_state[TOKEN] = st.session_state.pop(f"{TOKEN}.typed", "").strip()


def _missing_for_login() -> str:
    """What the server lacks for a login, as a sentence; empty when it lacks nothing."""
    if not (st.secrets.load_if_toml_exists() and "auth" in st.secrets):
        return "No login is set up: state [auth] in .streamlit/secrets.toml, as docs/sweeps.md says."
    if not all(find_spec(name) for name in ("authlib", "httpx")):
        return "Logging in needs Authlib and httpx on the server: pip install 'streamlit[auth]'."
    return ""


def _user() -> str | None:
    """Who is logged in, by the e-mail address; by the provider's id where it tells none, or says it is not theirs."""
    if not getattr(st.user, "is_logged_in", False):
        return None
    address = st.user.get("email") if st.user.get("email_verified") in (None, True, "true") else None
    return str(address or st.user.get("sub") or "") or None
