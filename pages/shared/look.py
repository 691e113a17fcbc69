"""How the pages look beyond the theme in .streamlit/config.toml; `look.css` is part of the document (shell)."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

MARK = Path(__file__).with_name("mark.svg")
SIDEBAR_PX = 200


def dress() -> None:
    """Set the mark, the width and the sidebar of every page."""
    st.set_page_config(page_icon=MARK, layout="wide", initial_sidebar_state=SIDEBAR_PX)
    st.logo(MARK, size="medium")
