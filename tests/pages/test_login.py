"""Where launching needs a login, the page says so, and says what the server lacks for one."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from urllib.parse import urlencode

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from pages.shared import visitor
from tests.pages.drawn import MAIN, text_of

LINK = {"url": "http://127.0.0.1:9", "model": "m", "isl": "8", "osl": "4", "concurrency": "2", "requests": "20"}
PROVIDER = {
    "redirect_uri": "http://localhost:8501/oauth2callback",
    "cookie_secret": "a-cookie-secret-of-a-test",
    "client_id": "kneepoint",
    "client_secret": "its-secret",
    "server_metadata_url": "http://127.0.0.1:9/.well-known/openid-configuration",
}


def launch(**secrets: object) -> AppTest:
    at = AppTest.from_file(str(MAIN), default_timeout=60)
    for name, value in secrets.items():
        at.secrets[name] = value
    for name, text in LINK.items():
        at.query_params[name] = text
    at.switch_page("launch.py")
    return at.run()


@pytest.fixture(autouse=True)
def by_login(own_library: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNEEPOINT_ACCESS", "oidc")


def said(page: AppTest) -> str:
    """What the page says, without the escapes of Markdown."""
    return text_of(page).replace("\\", "")


def labels(page: AppTest) -> set[str]:
    return {button.label for button in page.button}


def test_without_a_provider_the_page_says_what_to_do() -> None:
    page = launch()
    assert "Start the sweep" not in labels(page)
    assert "Log in" not in labels(page)
    assert "This needs a login." in said(page)
    assert "No login is set up" in said(page)


def test_with_a_provider_there_is_a_button_or_what_is_missing_for_it() -> None:
    page = launch(auth=PROVIDER)
    assert "Start the sweep" not in labels(page)
    installed = all(find_spec(name) for name in ("authlib", "httpx"))
    assert ("Log in" in labels(page)) == installed
    assert ("needs Authlib" in said(page)) != installed
    assert "its-secret" not in said(page) + urlencode(page.query_params, doseq=True)


class LoggedIn(dict):
    """What Streamlit tells of a person whom the provider let in."""

    is_logged_in = True


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ({"email": "ada@example.com", "email_verified": True, "sub": "1"}, "ada@example.com"),
        ({"email": "ada@example.com", "email_verified": False, "sub": "7"}, "7"),
        ({"email": "eve@example.com", "sub": "ada@example.com"}, "eve@example.com"),
        ({"sub": "u-grace"}, "u-grace"),
    ],
)
def test_who_is_logged_in_is_called_by_an_address_that_is_known_to_be_theirs(
    told: dict[str, object], name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(st, "user", LoggedIn(told))
    assert visitor.visitor().user == name


@pytest.mark.parametrize(("name", "may"), [("Ada@example.com", True), ("eve@example.com", False)])
def test_who_is_logged_in_may_when_named_and_can_log_out(name: str, may: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KNEEPOINT_OIDC_ALLOWED", "ada@example.com,u-grace")
    monkeypatch.setattr(st, "user", LoggedIn(email=name, sub="1"))
    page = launch(auth=PROVIDER)
    assert f"Logged in as {name}" in said(page).replace("\u2060", "")
    assert "Log out" in labels(page)
    assert "Log in" not in labels(page)
    assert ("Start the sweep" in labels(page)) == may
    assert ("is not one of those" in said(page)) != may
