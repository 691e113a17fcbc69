"""A plan that goes to another endpoint takes nothing along that was said of the one before."""

from __future__ import annotations

import pytest

from bench.sweep.planning.form import at_another, place

LAB = {
    "profile": "quick",
    "endpoint.url": "http://127.0.0.1:8000",
    "endpoint.model": "m",
    "endpoint.api": "completions",
    "facts.accelerator": "h100-sxm",
    "workloads.isl": "128",
}


@pytest.mark.parametrize("to", [{"endpoint.url": "127.0.0.1:9000"}, {"endpoint.name": "lab"}])
def test_what_was_said_of_the_endpoint_before_goes_and_the_workload_stays(to: dict[str, str]) -> None:
    assert at_another(LAB, to) == {"profile": "quick", "workloads.isl": "128", **to}


def test_what_was_tried_in_practice_goes_with_it() -> None:
    to = {"endpoint.url": "127.0.0.1:9000", "endpoint.name": None}
    found = at_another(LAB, to, practised=True)
    assert found == {"profile": "quick", "endpoint.url": "127.0.0.1:9000"}


@pytest.mark.parametrize(
    "same", ["127.0.0.1:8000", " http://127.0.0.1:8000/ ", "127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1/"]
)
def test_the_same_endpoint_in_another_spelling_keeps_everything(same: str) -> None:
    assert at_another(LAB, {"endpoint.url": same}, practised=True) == {**LAB, "endpoint.url": same}


def test_an_address_that_is_emptied_leaves_nothing_about_it() -> None:
    assert at_another(LAB, {"endpoint.url": None}) == {"profile": "quick", "workloads.isl": "128"}
    assert place({}) == ""
