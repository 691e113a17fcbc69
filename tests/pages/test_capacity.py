"""Capacity: the demand in the unit that is chosen, and the way from a plan to a sweep that measures its point."""

from __future__ import annotations

from tests.pages.drawn import Open


def test_a_plan_for_users_asks_for_them_and_leads_to_a_sweep_that_measures_its_point(opened: Open) -> None:
    at = opened("capacity", model="deepseek-r1", precision="fp8", engine="sglang", isl="1024", osl="1024", users="2000")
    asked = [one.label for one in at.text_input]
    assert {"Users", "Think time (s)"} <= set(asked)
    assert "Requests per second" not in asked
    (link,) = [one.proto for one in at.get("page_link") if one.proto.label == "Measure this point"]
    assert "concurrency=" in link.query_string
    assert "facts.accelerator=" in link.query_string
    (command,) = at.get("code")
    assert "--model-path" in command.proto.code_text or "vllm serve" in command.proto.code_text
