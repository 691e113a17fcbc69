"""Capacity: the demand in the unit that is chosen, and the way from a plan to a sweep that measures its point."""

from __future__ import annotations

from tests.pages.drawn import Open


def test_the_box_of_the_demand_is_the_one_of_its_unit(opened: Open) -> None:
    assert "Requests per second" in [one.label for one in opened("capacity").text_input]
    users = [one.label for one in opened("capacity", users="2000").text_input]
    assert {"Users", "Think time (s)"} <= set(users)
    assert "Requests per second" not in users


def test_a_plan_leads_to_a_sweep_that_measures_its_point(opened: Open) -> None:
    at = opened("capacity", model="deepseek-r1", precision="fp8", isl="1024", osl="1024")
    (link,) = [one.proto for one in at.get("page_link") if one.proto.label == "Measure this point"]
    assert "concurrency=" in link.query_string
    assert "facts.accelerator=" in link.query_string
