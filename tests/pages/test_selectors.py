"""The selector row: what each box offers, what a choice keeps, and what it lets go of."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from bench.library import Library
from bench.selection import count
from bench.view import View
from tests.pages import selectors
from tests.pages.drawn import Open, headline, text_of, view_of
from tests.thorough import some

COUNT = re.compile(r" \(([0-9,]+)")


def labels(at: AppTest, key: str) -> list[str]:
    return list(at.selectbox(key=f"select.{key}").options)


def points(view: View) -> int:
    return count(Library.open(), View(view.where))


@pytest.mark.parametrize("name", some(["pareto", "heatmap", "scaling", "crossover", "cost", "overview"], 2))
def test_every_question_has_the_same_row(name: str, opened: Open) -> None:
    at = opened(name)
    assert [at.selectbox(key=f"select.{key}").label for key in ("model", "precision", "workload")] == [
        "Model",
        "Precision",
        "Workload (ISL / OSL)",
    ]
    buttons = [part.proto.popover.label for part in at.get("popover")]
    assert {"All", "On demand", "More filters"} <= set(buttons)


def test_a_model_brings_its_own_precision_and_lengths(opened: Open) -> None:
    at = selectors.modelled(opened("pareto"), "llama-3.3-70b")
    view = view_of(at, "pareto")
    assert view.values("model") == ("llama-3.3-70b",)
    assert points(view) > 2
    own = view_of(opened("pareto", model="llama-3.3-70b"), "pareto")
    assert view == own


def says(label: str) -> int | None:
    found = COUNT.search(label)
    return int(found[1].replace(",", "")) if found else None


def chosen(at: AppTest, key: str, value: str) -> AppTest:
    return at.selectbox(key=f"select.{key}").set_value(value).run()


def test_each_model_says_how_many_points_its_page_then_shows(counted: Open) -> None:
    """Of every fourth shipped model on Pareto; and each leads to a page with points or one next step."""
    at = counted("pareto")
    for value, label in some(list(zip(*_offered(at, "model"), strict=True))[::4], 2):
        at = chosen(at, "model", value)
        assert points(view_of(at, "pareto")) == says(label), label
        assert not at.exception
        assert headline(at)
        assert "No point matches" not in text_of(at)


@pytest.mark.long
@pytest.mark.parametrize(
    ("first", "name"), some(enumerate(["heatmap", "scaling", "crossover", "cost", "memory", "overview"], 1), 2)
)
def test_every_page_tells_its_own_number_of_a_model(first: int, name: str, counted: Open) -> None:
    at = counted(name)
    for value, label in list(zip(*_offered(at, "model"), strict=True))[first::36]:
        at = chosen(at, "model", value)
        assert points(view_of(at, name)) == says(label), label


@pytest.mark.long
def test_another_model_keeps_the_filters_that_leave_something_of_it(opened: Open, counted: Open) -> None:
    link = {"v": "2", "model": "deepseek-r1", "accelerator": "mi355x", "precision": "fp8"}
    at = counted("pareto", **link)
    for value, label in list(zip(*_offered(at, "model"), strict=True))[1::20]:
        at = chosen(opened("pareto", **link), "model", value)
        view = view_of(at, "pareto")
        assert points(view) == says(label), label
        assert ("other filters change" in label) == (
            view.values("precision") != ("fp8",) or view.values("accelerator") != ("mi355x",)
        ), label


@pytest.mark.long
@pytest.mark.parametrize("name", some(["pareto", "heatmap", "scaling", "crossover", "cost"], 2))
def test_a_precision_and_a_workload_say_what_the_page_then_shows(name: str, opened: Open, counted: Open) -> None:
    at = counted(name, model="llama-3.1-8b")
    for key in ("precision", "workload"):
        box = at.selectbox(key=f"select.{key}")
        for value, label in list(zip(_values(at, key), box.options, strict=True))[:2]:
            drawn = chosen(opened(name, model="llama-3.1-8b"), key, value)
            assert points(view_of(drawn, name)) == says(label), label


def _values(at: AppTest, key: str) -> list[str]:
    """What the labels of a box stand for, as a link writes it."""
    names = [label.partition(" (")[0] for label in at.selectbox(key=f"select.{key}").options]
    return ["" if one == "All" else one.lower().replace(",", "").replace(" / ", "/") for one in names]


@pytest.mark.long
@pytest.mark.parametrize("asked", [(), ("h200-sxm",)])
def test_an_accelerator_says_what_the_page_shows_with_it(asked: tuple[str, ...], opened: Open, counted: Open) -> None:
    link = {"v": "2", "model": "deepseek-r1", **({"accelerator": asked[0]} if asked else {})}
    at = counted("pareto", **link)
    before = selectors.accelerators(at)
    names = dict(Library.open().fetch("SELECT name, slug FROM accelerators"))
    for label in list(before.options)[:2]:
        value = names[label.partition(" (")[0]]
        assert (says(label) is None) == (value in asked)
        assert ("together" in label) == bool(asked and value not in asked)
        if value not in asked:
            again = selectors.accelerators(opened("pareto", **link)).set_value([*asked, value]).run()
            assert points(view_of(again, "pareto")) == says(label), label


def _offered(at: AppTest, key: str) -> tuple[list[str], list[str]]:
    box = at.selectbox(key=f"select.{key}")
    known = dict(Library.open().fetch("SELECT name, slug FROM models"))
    names = [label for label in box.options if label != "All models"]
    return [known.get(one.partition(" (")[0], one.partition(" (")[0]) for one in names], names


def test_a_precision_keeps_model_and_lengths_where_it_has_points(counted: Open) -> None:
    at = counted("pareto")
    before = view_of(at, "pareto")
    other = next(label for label in labels(at, "precision") if label.startswith("FP4"))
    at = at.selectbox(key="select.precision").set_value("fp4").run()
    view = view_of(at, "pareto")
    kept = {key: view.values(key) for key in ("model", "isl", "osl")}
    assert kept == {key: before.values(key) for key in kept}
    assert view.values("precision") == ("fp4",)
    found = COUNT.search(other)
    assert found is not None
    assert int(found[1].replace(",", "")) == points(view)


def test_all_precisions_are_chosen_at_once(opened: Open) -> None:
    at = opened("pareto")
    at = at.selectbox(key="select.precision").set_value("").run()
    view = view_of(at, "pareto")
    assert len(view.values("precision")) > 1
    assert at.selectbox(key="select.precision").value == ""


def test_a_workload_is_a_pair_with_its_points(counted: Open) -> None:
    at = counted("pareto")
    every = labels(at, "workload")
    for label, value in [("1,024 / 1,024", "1024/1024"), ("1,024 / 8,192", "1024/8192")]:
        offered = next((one for one in every if one.startswith(label)), None)
        if offered is None:
            continue
        at = at.selectbox(key="select.workload").set_value(value).run()
        view = view_of(at, "pareto")
        assert (*view.values("isl"), *view.values("osl")) == tuple(value.split("/"))
        found = COUNT.search(offered)
        assert found is not None
        assert int(found[1].replace(",", "")) == points(view)


def test_what_is_shown_follows_to_the_next_page(opened: Open) -> None:
    at = opened("pareto")
    at = at.selectbox(key="select.workload").set_value("1024/1024").run()
    before = view_of(at, "pareto")
    at = at.switch_page("heatmap.py")
    at.query_params.clear()
    at = at.run()
    view = view_of(at, "heatmap")
    assert (view.values("model"), view.values("isl"), view.values("osl")) == (
        before.values("model"),
        ("1024",),
        ("1024",),
    )


def test_further_models_stand_beside_the_first(opened: Open) -> None:
    at = opened("pareto", model="deepseek-r1").button(key="model.compare").click().run()
    at = at.multiselect(key="filter.model").set_value(["deepseek-r1", "qwen3.5-397b-a17b"]).run()
    assert set(view_of(at, "pareto").values("model")) == {"deepseek-r1", "qwen3.5-397b-a17b"}
    at = at.button(key="reset").click().run()
    assert at.selectbox(key="select.model").value == view_of(at, "pareto").values("model")[0]
