"""The cost page: no limits but the reader's, those of a use at a click, and price terms."""

from __future__ import annotations

from bench.basis import uses
from tests.pages.drawn import Open, view_of
from tests.pages.selectors import limits, unlimited


def test_it_opens_without_limits_and_takes_those_of_a_use_which_stay_while_other_options_change(opened: Open) -> None:
    page = opened("cost")
    assert not page.exception
    assert limits(page) == []
    assert set(page.dataframe[0].value["terms"]) == {"on demand"}
    page = page.button(key="limits.use.chat").click().run()
    chat = {limit.text for limit in uses.every()["chat"].limits}
    assert set(limits(page)) == set(view_of(page, "cost").slo) == chat
    volume = page.text_input(key="cost.volume")
    assert volume.value == "100,000,000"
    page = volume.set_value("2,500,000").run()
    assert view_of(page, "cost").option("volume") == "2500000"
    assert page.text_input(key="cost.volume").value == "2,500,000"
    assert set(limits(page)) == chat


def test_limits_taken_away_stay_away_and_those_that_a_reader_chooses_are_the_only_ones(opened: Open) -> None:
    page = unlimited(opened("cost", slo="ttft_ms_p50<=700"))
    assert not page.exception
    assert limits(page) == []
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
