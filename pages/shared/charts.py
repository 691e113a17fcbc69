"""A chart on a page, and what of it was clicked."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import plotly.graph_objects as go
import streamlit as st

from bench import chart


def draw(figure: go.Figure, key: str, alt: str, on_pick: Callable[[list[str]], None] | None = None) -> None:
    """Draw a chart; `on_pick` is called with the ids of what was clicked, none of what was clicked away."""
    st.plotly_chart(
        figure,
        key=key,
        theme=None,
        config=chart.CONFIG,
        alt=alt,
        on_select=partial(_picked, key, on_pick) if on_pick else "ignore",
        selection_mode=("points",),
    )


def _picked(key: str, on_pick: Callable[[list[str]], None]) -> None:
    ids = (point.get("customdata") for point in st.session_state[key]["selection"]["points"])
    on_pick(list(dict.fromkeys(str(one[0] if isinstance(one, list) else one) for one in ids if one)))
