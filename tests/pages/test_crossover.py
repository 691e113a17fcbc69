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
    at = pair(opened)
    assert "at batch 128, interpolated" in headline(at).replace("\\", "")
    assert cell(at, "Same batch", 1).replace("\\", "") == "**4 x TPU v6e INT8 from 128**"
    assert "H100 SXM FP8 is 1.16 to 4.90 times as fast" in cell(at, "Same batch", 3).replace("\\", "")
    assert "not known" in cell(at, "Same batch", 4)


def test_the_slider_prices_a_chip_of_a(opened: Open) -> None:
    at = pair(opened)
    (slider,) = at.slider
    assert slider.value == 2.97
    at = slider.set_value(2.4).run()
    assert not at.exception
    assert view_of(at, "crossover").option("price_a") == "2.4"
    assert "TPU v6e INT8 from" in cell(at, "Same batch", 3)


def test_a_price_of_a_moves_the_chart_which_is_then_per_dollar(opened: Open) -> None:
    at = pair(opened)
    raw = curves(at)
    assert "Price of one chip" in at.slider[0].label
    at = at.slider[0].set_value(2.4).run()
    assert view_of(at, "crossover").option("per") == "dollar"
    at_first = curves(at)
    assert at_first != raw
    at = at.slider[0].set_value(2.0).run()
    cheaper = curves(at)
    assert cheaper[0] == [None if y is None else pytest.approx(1.2 * y) for y in at_first[0]]
    assert cheaper[1] == at_first[1]
    (box,) = [box for box in at.text_input if box.key == "crossover.price_b"]
    at = box.set_value("9").run()
    assert not at.exception
    assert curves(at)[0] == cheaper[0]
    assert curves(at)[1] != cheaper[1]


def test_a_typed_price_of_a_pair_moves_the_chart_and_none_leaves_it(opened: Open) -> None:
    at = pair(opened)
    (box,) = [box for box in at.text_input if box.key == "crossover.price_a"]
    at = box.set_value("1.5").run()
    assert (view_of(at, "crossover").option("per"), view_of(at, "crossover").option("price_a")) == ("dollar", "1.5")
    (box,) = [box for box in at.text_input if box.key == "crossover.price_a"]
    at = box.set_value("").run()
    assert not at.exception
    assert view_of(at, "crossover").option("price_a") == ""


def curves(at: AppTest) -> list[list[float | None]]:
    """The heights of both charted curves, A's first."""
    drawn = json.loads(at.get("plotly_chart")[0].proto.spec)["data"]
    return [decoded(trace["y"]) for trace in drawn if trace["type"] == "scatter" and trace["mode"] == "lines"]


def decoded(values: Any) -> list[float | None]:
    if isinstance(values, list):
        return values
    return [float(one) for one in np.frombuffer(base64.b64decode(values["bdata"]), values["dtype"])]


def test_at_the_prices_printed_with_the_points_the_slider_stands_at_the_articles(opened: Open) -> None:
    (slider,) = pair(opened, price_terms="with_points").slider
    assert slider.value == 1.3
    assert "breaks even at 1.255" in plain(slider.label).replace("\\", "")


def test_all_pairs_are_one_step_back(opened: Open) -> None:
    at = pair(opened).button(key="crossover.all").click().run()
    assert not at.exception
    assert view_of(at, "crossover").option("a") == ""
    assert "H100 SXM FP8 leads 4 x TPU v6e INT8" in headline(at)
    assert "Click a strip" in text_of(at)


def test_another_pair_has_no_price_of_the_last_one(opened: Open) -> None:
    at = pair(opened)
    at = at.slider[0].set_value(2.4).run().button(key="crossover.all").click().run()
    assert not at.exception
    assert view_of(at, "crossover").option("price_a") == ""


def test_what_the_sides_are_unlike_in_stands_on_its_own_line(opened: Open) -> None:
    at = pair(opened)
    unlike = [part.value for part in at.markdown if "differ" in part.value or "Unlike" in part.value]
    print([p.value for p in at.markdown])
    assert unlike


def test_all_strips_are_shown_on_demand_and_stand_in_the_link(opened: Open) -> None:
    at = opened("crossover", model="deepseek-r1")
    (more,) = [one for one in at.button if one.key == "crossover.strips"]
    assert more.label.startswith("Show 40 of ")
    at = more.click().run()
    assert not at.exception
    assert view_of(at, "crossover").option("strips") == "all"
    (fewer,) = [one for one in at.button if one.key == "crossover.strips"]
    assert view_of(fewer.click().run(), "crossover").option("strips") == "few"
    assert not [one for one in pair(opened).button if one.key == "crossover.strips"]
