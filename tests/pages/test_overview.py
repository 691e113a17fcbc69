"""The first page: three cards, a box to go anywhere, and the matrix, whatever is typed."""

from __future__ import annotations

import re
from urllib.parse import parse_qsl

from streamlit.testing.v1 import AppTest

from bench.view import View
from tests.pages.drawn import Open, text_of

CARDS = ("What is loaded", "What stands out", "What is new")


def links(at: AppTest) -> list[tuple[str, str, View]]:
    """The label, the page and the View of every link on the page."""
    told = [one.proto for one in at.get("page_link")]
    return [(one.label.replace("\\", ""), one.page, View.from_pairs(parse_qsl(one.query_string))) for one in told]


def typed(at: AppTest, text: str) -> AppTest:
    return at.text_input(key="overview.go").set_value(text).run()


def test_three_cards_have_a_sentence_and_one_way_on_each(opened: Open) -> None:
    at = opened("overview")
    said = text_of(at)
    assert [said.count(f"**{card}**") for card in CARDS] == [1, 1, 1]
    assert not at.exception
    labels = [label for label, _, _ in links(at)]
    assert labels[:3] == ["See the sources", "Open Pareto", "See its points"]


def test_the_box_offers_pages_with_exactly_what_was_typed_whatever_was_typed_before(opened: Open) -> None:
    at = opened("overview")
    for text in ("<script>alert(1)</script>", "<img src=x> [a](javascript:alert(1))", "a" * 5000):
        at = typed(at, text)
        assert not at.exception
        assert not at.error
        assert not re.search(r"(?<!\\)(<script|<img|\[a\]\()", text_of(at))
    at = typed(at, "h200 mi355x deepseek fp8")
    label, page, view = links(at)[0]
    assert label.startswith("Pareto: DeepSeek-R1 FP8 at 8,192/1,024, H200 SXM and MI355X, ")
    assert page == "pareto"
    wanted = (("model", ("deepseek-r1",)), ("precision", ("fp8",)), ("accelerator", ("h200-sxm", "mi355x")))
    assert view.where == wanted


def test_a_cell_is_chosen_by_keyboard_too(opened: Open) -> None:
    at = opened("overview")
    cell = View.of({"model": ["deepseek-r1"], "accelerator": ["h200-sxm"]})
    at.selectbox(key="overview.pick").select(cell.query()).run()
    assert [page for _, page, view in links(at) if view == cell] == ["pareto"]
