"""How the pages look beyond the theme in .streamlit/config.toml: density, one quiet header, print."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

MARK = Path(__file__).with_name("mark.svg")
SIDEBAR_PX = 200


def dress() -> None:
    """Puts the mark and the style sheet into the page."""
    st.logo(MARK, size="medium")
    st.html(Path(__file__).with_name("look.css"))
