"""The cost page: limits that stay away when taken away and do not follow to other pages unasked, and price terms."""

from __future__ import annotations

from bench.questions.cost import OPENING
from tests.pages.drawn import Open, text_of, view_of
from tests.pages.selectors import limits, unlimited


def test_the_limits_it_opens_with_are_shown_as_limits_and_stay_while_other_options_change(opened: Open) -> None:
    page = opened("cost")
    assert not page.exception
    assert set(limits(page)) == set(OPENING)
    assert "Kneepoint's choice" in text_of(page)
    assert set(page.dataframe[0].value["terms"]) == {"on demand"}
    volume = page.text_input(key="cost.volume")
    assert volume.value == "100,000,000"
    page = volume.set_value("2,500,000").run()
    assert view_of(page, "cost").option("volume") == "2500000"
    assert page.text_input(key="cost.volume").value == "2,500,000"
    assert set(limits(page)) == set(OPENING)


def test_limits_taken_away_stay_away_and_those_that_a_reader_chooses_are_the_only_ones(opened: Open) -> None:
    page = unlimited(opened("cost"))
    assert not page.exception
    assert limits(page) == []
    assert "Kneepoint's choice" not in text_of(page)
    page = page.text_input(key="cost.volume").set_value("1e9").run()
    assert limits(page) == []
    page.number_input(key="limit.ttft_ms").set_value(1000.0).run()
    assert not page.exception
    assert view_of(page, "cost").slo == ("ttft_ms_p50<=1000",)


def test_all_bars_are_shown_on_demand_and_stand_in_the_link(opened: Open) -> None:
    page = opened("cost", v="2", model="deepseek-r1", precision="fp8", isl="8192", osl="1024", group="deployment")
    page.button(key="cost.bars").click().run()
    assert not page.exception
    assert view_of(page, "cost").option("bars") == "all"
    assert page.button(key="cost.bars").label == "Show the cheapest 8"
