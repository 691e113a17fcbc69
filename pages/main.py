"""The main script: every page, in the sections the questions state."""

from pathlib import Path

import streamlit as st

from bench.questions import questions
from pages.shared.page_paths import FIRST, MARK

HERE = Path(__file__).parent
SIDEBAR_PX = 200


def navigation() -> dict[str, list[st.Page]]:
    """The pages by section: one for each question that has a script here, then the data.

    A run is reached from what links to it, so it has an address and no entry.
    """
    sections: dict[str, list[st.Page]] = {}
    for name, question in questions().items():
        if (HERE / f"{name}.py").exists():
            page = st.Page(f"{name}.py", title=question.TITLE, url_path=name, default=name == FIRST)
            sections.setdefault(question.SECTION, []).append(page)
    sections["Measure"] = [
        st.Page("launch.py", title="Launch", url_path="launch"),
        st.Page("jobs.py", title="Jobs", url_path="jobs"),
    ]
    sections.setdefault("Library", []).extend(
        [
            st.Page("data.py", title="Data", url_path="data"),
            st.Page("sql.py", title="SQL", url_path="sql"),
            st.Page("run.py", title="Run", url_path="run", visibility="hidden"),
        ]
    )
    return sections


# How the pages look beyond this and the theme of .streamlit/config.toml is part of the document (pages/server/shell).
st.set_page_config(page_icon=MARK, layout="wide", initial_sidebar_state=SIDEBAR_PX)
st.logo(MARK, size="medium")
st.navigation(navigation()).run()
