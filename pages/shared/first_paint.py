"""Whether a session's first page stands: its chart is drawn, so that what comes after it in the page may follow.

A browser that opens the app loads and runs the scripts of every element before it draws one, those of a table alone a
quarter of a second; the numbers of a row are two seconds of the server's time. Both would come before the chart. So
would the selectors, whose room is kept: a chart that moves when they come is worse than one that comes later.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from pages.shared import buttons
from pages.shared.page import Page

CHART = "chart .main-svg"
AT_LATEST_S = 3.0
"""A page without a chart stands by then."""
KEY = "stands"
NOTHING = "<span></span>"
"""What is in a part whose room is kept: a browser leaves out one that is empty."""


def stands() -> bool:
    """Whether what follows the chart may be drawn."""
    return bool(st.session_state.get(KEY))


def above(page: Page, key: str, draw: Callable[[], None], **container: Any) -> None:
    """Draw a part that stands above the chart; as long as the page does not stand its room is kept (look.css)."""
    place = st.container(key=key, **container)
    if stands():
        with place:
            draw()
    else:
        place.html(NOTHING)

        def fill() -> None:
            with place:
                draw()

        page.later.append(fill)


def complete(page: Page) -> None:
    """Draw what belongs above a chart where none comes; once a run is told to stop it can draw nothing more."""
    while page.later:
        page.later.pop(0)()


def wait(page: Page) -> None:
    """Run the page once more as soon as its chart is drawn, in which what belongs above it comes too."""
    page.later.clear()
    buttons.again(CHART, at_latest_s=AT_LATEST_S, then=lambda: st.session_state.update({KEY: True}))
