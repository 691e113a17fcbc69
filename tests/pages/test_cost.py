"""The cost page: limits that stay away when taken away and do not follow to other pages unasked, and price terms."""

from __future__ import annotations

from bench.questions.cost import OPENING
from tests.pages.drawn import Open, headline, text_of, view_of
from tests.pages.selectors import limits, unlimited


def test_the_limits_it_opens_with_are_shown_as_limits(opened: Open) -> None:
    cold = opened("cost")
    assert not cold.exception
    assert set(limits(cold)) == set(OPENING)
    assert "Kneepoint's choice" in text_of(cold)
    assert limits(opened("cost", v="2", source="google-cloud-vs-local")) == []


def test_limits_taken_away_stay_away(opened: Open) -> None:
    page = unlimited(opened("cost"))
    assert not page.exception
    assert limits(page) == []
    assert "whatever the latency" in text_of(page)
    assert "within limits" not in headline(page)
    (volume,) = [box for box in page.text_input if box.label == "Tokens a day"]
    volume.set_value("1e9").run()
    assert limits(page) == []


def test_a_number_is_shown_with_separators_and_may_be_typed_with_them(opened: Open) -> None:
    page = opened("cost")
    volume = page.text_input(key="cost.volume")
    assert volume.value == "100,000,000"
    page = volume.set_value("2,500,000").run()
    assert view_of(page, "cost").option("volume") == "2500000"
    assert page.text_input(key="cost.volume").value == "2,500,000"


def test_limits_it_opens_with_stay_while_other_options_change(opened: Open) -> None:
    page = opened("cost")
    before = headline(page)
    (volume,) = [box for box in page.text_input if box.label == "Tokens a day"]
    volume.set_value("1e9").run()
    assert set(limits(page)) == set(OPENING)
    assert headline(page) == before


def test_limits_that_a_reader_chooses_are_the_only_ones(opened: Open) -> None:
    page = unlimited(opened("cost"))
    page.number_input(key="limit.ttft_ms").set_value(1000.0).run()
    assert not page.exception
    assert view_of(page, "cost").slo == ("ttft_ms_p50<=1000",)
    assert "Kneepoint's choice" not in text_of(page)


def test_terms_stand_in_the_table_as_words(opened: Open) -> None:
    shown = opened("cost").dataframe[0].value
    assert set(shown["terms"]) == {"on demand"}


def test_all_bars_are_shown_on_demand_and_stand_in_the_link(opened: Open) -> None:
    page = opened("cost", v="2", model="deepseek-r1", precision="fp8", isl="8192", osl="1024", group="deployment")
    (more,) = [one for one in page.button if one.key == "cost.bars"]
    assert more.label.startswith("Show all ")
    more.click().run()
    assert not page.exception
    assert view_of(page, "cost").option("bars") == "all"
    (fewer,) = [one for one in page.button if one.key == "cost.bars"]
    assert fewer.label == "Show the cheapest 8"
    assert not [one for one in opened("cost").button if one.key == "cost.bars"]
