"""The selector row: what each box offers, what a choice keeps, and what it lets go of."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from bench.basis import uses
from bench.selection import count
from bench.view import View
from pages.shared import cached
from tests.pages import selectors
from tests.pages.drawn import Open, view_of

LINK = {"v": "2", "model": "deepseek-r1", "accelerator": "mi355x", "precision": "fp8"}


def test_a_question_has_the_whole_row(opened: Open) -> None:
    at = opened("heatmap")
    boxes = [at.selectbox(key=f"select.{key}").label for key in ("model", "precision", "workload")]
    assert boxes == ["Model", "Precision", "Workload (ISL / OSL)"]
    assert {"All", "On demand", "More filters"} <= {part.proto.popover.label for part in at.get("popover")}
    offered = {button.key for button in at.button}
    assert {f"limits.use.{one}" for one in uses.every()} <= offered
    assert "limits.none" not in offered  # no limit is set


def points(at: AppTest) -> int:
    """How many points the page shows."""
    return count(cached.library(), View(view_of(at, "pareto").where))


def label(options: list[str], name: str) -> str:
    return next(one for one in options if one.startswith(f"{name} ("))


def says(label: str) -> int:
    found = re.search(r" \(([0-9,]+)", label)
    assert found is not None, label
    return int(found[1].replace(",", ""))


@pytest.mark.parametrize(
    ("key", "value", "name", "kept"),
    [
        ("model", "llama-3.1-8b", "Llama 3.1 8B", ()),
        ("precision", "fp4", "FP4", ("model",)),
        ("workload", "1024/1024", "1,024 / 1,024", ("model", "precision", "accelerator")),
    ],
)
def test_a_choice_says_how_many_points_its_page_then_shows(
    key: str, value: str, name: str, kept: tuple[str, ...], counted: Open
) -> None:
    at = counted("pareto", value.partition("/")[0], **LINK)
    before = view_of(at, "pareto")
    offered = label(at.selectbox(key=f"select.{key}").options, name)
    at = at.selectbox(key=f"select.{key}").set_value(value).run()
    view = view_of(at, "pareto")
    assert points(at) == says(offered) > 0
    assert {one: view.values(one) for one in kept} == {one: before.values(one) for one in kept}
    others = [one for one in ("precision", "accelerator") if view.values(one) != before.values(one)]
    assert ("other filters change" in offered) == (key == "model" and bool(others))


def test_an_accelerator_says_what_the_page_shows_with_those_that_are_chosen(counted: Open) -> None:
    at = counted("pareto", "h200-sxm", **LINK)
    offered = label(selectors.accelerators(at).options, "H200 SXM")
    assert "together" in offered
    at = selectors.accelerators(at).set_value(["mi355x", "h200-sxm"]).run()
    assert points(at) == says(offered) > 0


def test_all_precisions_are_chosen_at_once(opened: Open) -> None:
    at = opened("pareto")
    at = at.selectbox(key="select.precision").set_value("").run()
    assert len(view_of(at, "pareto").values("precision")) > 1
    assert at.selectbox(key="select.precision").value == ""


def test_further_models_stand_beside_the_first(opened: Open) -> None:
    at = opened("pareto", model="deepseek-r1").button(key="model.compare").click().run()
    at = at.multiselect(key="filter.model").set_value(["deepseek-r1", "qwen3.5-397b-a17b"]).run()
    assert set(view_of(at, "pareto").values("model")) == {"deepseek-r1", "qwen3.5-397b-a17b"}
    at = at.button(key="reset").click().run()
    assert at.selectbox(key="select.model").value == view_of(at, "pareto").values("model")[0]
