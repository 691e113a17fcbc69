"""Reading a drawn page."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

from streamlit.testing.v1 import AppTest

from bench.view import View

PAGES = Path(__file__).resolve().parents[2] / "pages"
MAIN = PAGES / "main.py"
NAMES = sorted(path.stem for path in PAGES.glob("*.py") if path.stem not in ("__init__", "main"))

Open = Callable[..., AppTest]


def first_run(name: str, **query: str) -> AppTest:
    """A page as a session's first run draws it, before its chart stands."""
    at = AppTest.from_file(str(MAIN), default_timeout=60)
    for key, value in query.items():
        at.query_params[key] = value
    at.switch_page(f"{name}.py")
    return at.run()


def text_of(at: AppTest) -> str:
    """All that a page says, as Markdown source without the marks of what should not break."""
    parts = [*at.title, *at.header, *at.markdown, *at.caption, *at.warning, *at.error]
    return "\n".join(plain(str(part.value)) for part in parts)


def plain(source: str) -> str:
    """Markdown source without the marks of what should not break; what is bold stays so."""
    return re.sub(r"(?<!\\)\*+", lambda stars: "**" if len(stars[0]) > 1 else "", source)


def view_of(at: AppTest, name: str) -> View:
    """The View a page was drawn for."""
    return at.session_state["kept"].views[name]


def query_of(at: AppTest) -> str:
    """What the page wrote into the address."""
    return urlencode(at.query_params, doseq=True)


def headline(at: AppTest) -> str:
    """The page's big sentence as Markdown source, without the marks of what should not break in it."""
    return plain(str(at.title[0].value))
