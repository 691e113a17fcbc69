"""The compare page: what the sides differ in stands beside the ratios, and the reader's choices stay in the address."""

from __future__ import annotations

from tests.pages.drawn import Open, headline, text_of, view_of


def test_two_accelerators_are_told_with_what_they_differ_in(opened: Open) -> None:
    page = opened("compare", model="llama-3.1-70b", a="accelerator=h100-sxm", b="accelerator=h200-sxm")
    assert not page.exception
    assert "H200 SXM" in headline(page)
    assert "accelerator | H100 SXM | H200 SXM" in text_of(page)
    view = view_of(page, "compare")
    assert (view.option("a"), view.option("b")) == ("accelerator=h100-sxm", "accelerator=h200-sxm")
