"""The Crossover page: a pair is chosen and left again, and the slider prices a chip of A."""

from __future__ import annotations

import base64
import json
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.drawn import Open, headline, plain, text_of, view_of

PAIR = {"a": "accelerator=tpu-v6e", "b": "variant=column B, server defaults"}


def pair(opened: Open, **options: str) -> AppTest:
    asked = {"model": "gemma-4-31b", "along": "batch", "metric": "output_tokens_per_s"}
    return opened("crossover", v="1", **asked, **PAIR, **options)


def cell(at: AppTest, held: str, place: int) -> str:
    """A cell of the table of verdicts; the first after what is held equal is 1."""
    table = next(part.value for part in at.markdown if part.value.startswith("| |"))
    line = next(line for line in table.splitlines() if line.startswith(f"| {held} |"))
    return plain(line.split(" | ")[place].strip(" |"))


def test_a_pair_is_told_under_every_normalisation_with_the_charted_one_in_bold(opened: Open) -> None:
    at = pair(opened, price_terms="with_points")
    assert "at about a batch of 128" in headline(at).replace("\\", "")
    assert cell(at, "Same batch", 1).replace("\\", "") == "**4 x TPU v6e INT8 from 128**"
    assert "not known" in cell(at, "Same batch", 4)
    (slider,) = at.slider
    assert slider.value == 1.3
    assert "breaks even at 1.255" in plain(slider.label).replace("\\", "")


def test_a_price_of_a_moves_the_chart_which_is_then_per_dollar_and_goes_with_its_pair(opened: Open) -> None:
    at = pair(opened)
    raw = curves(at)
    assert at.slider[0].value == 2.97
    at = at.slider[0].set_value(2.4).run()
    assert (view_of(at, "crossover").option("per"), view_of(at, "crossover").option("price_a")) == ("dollar", "2.4")
    assert "TPU v6e INT8 from" in cell(at, "Same batch", 3)
    at_first = curves(at)
    assert at_first != raw
    at = at.text_input(key="crossover.price_a").set_value("2").run()
    cheaper = curves(at)
    assert cheaper[0] == [None if y is None else pytest.approx(1.2 * y) for y in at_first[0]]
    assert cheaper[1] == at_first[1]
    at = at.text_input(key="crossover.price_b").set_value("9").run()
    assert curves(at)[0] == cheaper[0]
    assert curves(at)[1] != cheaper[1]
    at = at.text_input(key="crossover.price_a").set_value("").run()
    assert view_of(at, "crossover").option("price_a") == ""
    at = at.button(key="crossover.all").click().run()
    assert not at.exception
    assert [view_of(at, "crossover").option(key) for key in ("a", "price_a", "price_b")] == ["", "", ""]
    assert "Click a strip" in text_of(at)


def curves(at: AppTest) -> list[list[float | None]]:
    """The heights of both charted curves, A's first."""
    drawn = json.loads(at.get("plotly_chart")[0].proto.spec)["data"]
    return [decoded(trace["y"]) for trace in drawn if trace["type"] == "scatter" and trace["mode"] == "lines"]


def decoded(values: Any) -> list[float | None]:
    if isinstance(values, list):
        return values
    return [float(one) for one in np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])]


def test_all_strips_are_shown_on_demand_and_stand_in_the_link(opened: Open) -> None:
    at = opened("crossover", model="deepseek-r1")
    at = at.button(key="crossover.strips").click().run()
    assert not at.exception
    assert view_of(at, "crossover").option("strips") == "all"
    at = at.button(key="crossover.strips").click().run()
    assert view_of(at, "crossover").option("strips") == "few"
