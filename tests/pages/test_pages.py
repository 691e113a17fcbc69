"""Every page, found by listing the folder: it is short, it answers, and it fails in one sentence."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bench.export import formats
from bench.questions import questions
from pages.shared import cached, first_paint
from tests.pages.drawn import NAMES, PAGES, Open, first_run, headline, text_of
from tests.thorough import some

QUESTIONS = [name for name in NAMES if name in questions()]
FORMATS = {one.title for one in formats().values()}


def test_every_question_has_a_page_and_the_data_has_one() -> None:
    assert {*questions(), "data", "run"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_a_page_is_a_table_of_contents(name: str) -> None:
    lines = (PAGES / f"{name}.py").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 51
    assert not [line for line in lines if line.startswith(("def ", "class "))]


@pytest.mark.parametrize("name", sorted(set(NAMES) - set(QUESTIONS)))
def test_a_page_opens_on_its_own_story(name: str, opened: Open) -> None:
    at = opened(name)
    assert not at.exception
    assert not at.warning
    assert headline(at).endswith(".")


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_question_is_answered_by_sentence_and_chart_and_then_by_what_follows(name: str) -> None:
    at = first_run(name)
    if name != "overview":  # whose chart comes last
        assert (len(at.get("plotly_chart")), len(at.dataframe), len(at.selectbox)) == (1, 0, 0)
    at.session_state[first_paint.KEY] = True
    at.run()
    assert not at.exception
    assert not at.warning
    assert headline(at).endswith(".")
    (alt,) = [chart.proto.alt for chart in at.get("plotly_chart")]  # with the subject before the sentence
    assert alt.endswith(headline(at).replace("\\", ""))
    assert at.dataframe
    assert "Model" in [one.label for one in at.selectbox]
    assert {"CSV", "Parquet", *FORMATS} <= {button.label for button in at.get("download_button")}
    assert any("Why" in part.label for part in at.expander)


@pytest.mark.parametrize("name", some(QUESTIONS, 1))
def test_the_last_choices_of_all_options_are_answered(name: str, opened: Open) -> None:
    at = opened(name)
    own = {f"{name}.{option.key}" for option in questions()[name].OPTIONS}
    for box in at.selectbox:
        if box.key in own:
            box.select(box.options[-1])
    at = at.run()
    assert not at.exception
    assert not at.error
    assert headline(at)


@pytest.mark.parametrize("name", some(NAMES, 2, 4))
def test_names_from_files_are_shown_as_text(name: str, hostile: Path, opened: Open) -> None:
    at = opened(name, accelerator="h100-sxm", origin="published", date_from="2026-03-02", date_to="2026-03-02")
    assert not at.exception
    assert cached.library().path == hostile
    said = text_of(at)
    for acting in ("<b>", "<img", "<script", "](javascript:", ":red[", "**x**", "$x$"):
        assert acting not in said.replace("\\<", "")


def test_what_nobody_foresaw_is_one_sentence_and_a_logged_traceback(caplog: pytest.LogCaptureFixture) -> None:
    def script() -> None:
        from pages.shared import frame

        with frame.opened("pareto"):
            raise ZeroDivisionError("a secret path /home/someone")

    with caplog.at_level(logging.ERROR, logger="kneepoint.pages"):
        at = AppTest.from_function(script, default_timeout=60).run()
    assert not at.exception
    assert [part.value for part in at.error] == [
        "This page could not be drawn; your data are safe. The server's log says why."
    ]
    assert "secret" not in text_of(at)
    assert "ZeroDivisionError" in caplog.text


def test_what_was_foreseen_is_its_own_sentence() -> None:
    def script() -> None:
        from bench.errors import NotFound
        from pages.shared import frame

        with frame.opened("pareto"):
            raise NotFound("No price is loaded; import a price book.")

    at = AppTest.from_function(script, default_timeout=60).run()
    assert not at.exception
    assert [part.value for part in at.warning] == ["No price is loaded; import a price book\\."]


def test_an_empty_library_says_how_to_fill_it() -> None:
    def script() -> None:
        from pages.shared import notices

        notices.nothing_loaded()

    at = AppTest.from_function(script).run()
    assert "Nothing is loaded yet" in text_of(at)
    assert at.code[0].value == "python -m bench import results.csv"
