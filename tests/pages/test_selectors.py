"""The selector row: what each box offers, what a choice keeps, and what it lets go of."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from bench.library import Library
from bench.selection import count
from bench.view import View
from tests.pages import selectors
from tests.pages.drawn import Open, headline, query_of, text_of, view_of

COUNT = re.compile(r"\(([0-9,]+)")


def labels(at: AppTest, key: str) -> list[str]:
    return list(at.selectbox(key=f"select.{key}").options)


def points(view: View) -> int:
    return count(Library.open(), View(view.where))


@pytest.mark.parametrize("name", ["pareto", "heatmap", "scaling", "crossover", "cost", "overview"])
def test_every_question_has_the_same_row(name: str, opened: Open) -> None:
    at = opened(name)
    assert [at.selectbox(key=f"select.{key}").label for key in ("model", "precision", "workload")] == [
        "Model", "Precision", "Workload (ISL / OSL)"
    ]  # fmt: skip
    buttons = [part.proto.popover.label for part in at.get("popover")]
    assert {"All", "On demand", "More filters"} <= set(buttons)


def test_a_model_brings_its_own_precision_and_lengths(opened: Open) -> None:
    at = selectors.modelled(opened("pareto"), "llama-3.3-70b")
    view = view_of(at, "pareto")
    assert view.values("model") == ("llama-3.3-70b",)
    assert points(view) > 2
    own = view_of(opened("pareto", model="llama-3.3-70b"), "pareto")
    assert view == own


def test_each_model_says_how_many_points_it_would_select(opened: Open) -> None:
    at = opened("pareto", v="2", model="deepseek-r1", accelerator="mi355x", precision="fp8")
    library = Library.open()
    for value, label in zip(*_offered(at, "model"), strict=True):
        beside = points(View.of({"model": [value], "accelerator": ["mi355x"], "precision": ["fp8"]}))
        in_all = points(View.of({"model": [value]}))
        said = [int(one.replace(",", "")) for one in re.findall(r"[0-9][0-9,]*(?= in all|\)| here)", label)]
        assert said == ([beside] if beside else [0, in_all]), label
    assert library


def _offered(at: AppTest, key: str) -> tuple[list[str], list[str]]:
    box = at.selectbox(key=f"select.{key}")
    known = dict(Library.open().fetch("SELECT name, slug FROM models"))
    names = [label for label in box.options if label != "All models"]
    return [known.get(one.partition(" (")[0], one.partition(" (")[0]) for one in names], names


def test_a_precision_keeps_model_and_lengths_where_it_has_points(opened: Open) -> None:
    at = opened("pareto")
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


def test_a_workload_is_a_pair_with_its_points(opened: Open) -> None:
    at = opened("pareto")
    for label, value in [("1,024 / 1,024", "1024/1024"), ("1,024 / 8,192", "1024/8192")]:
        offered = next((one for one in labels(at, "workload") if one.startswith(label)), None)
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
        before.values("model"), ("1024",), ("1024",)
    )  # fmt: skip


def test_further_models_stand_beside_the_first(opened: Open) -> None:
    at = opened("pareto", model="deepseek-r1").button(key="model.compare").click().run()
    at = at.multiselect(key="filter.model").set_value(["deepseek-r1", "qwen3.5-397b-a17b"]).run()
    assert set(view_of(at, "pareto").values("model")) == {"deepseek-r1", "qwen3.5-397b-a17b"}
    at = at.button(key="reset").click().run()
    assert at.selectbox(key="select.model").value == view_of(at, "pareto").values("model")[0]


def test_every_model_leads_to_a_page_with_points_or_one_next_step(opened: Open) -> None:
    at = opened("pareto")
    for value, _ in zip(*_offered(at, "model"), strict=True):
        at = selectors.modelled(at, value)
        assert not at.exception
        assert headline(at)
        assert "No point matches" not in text_of(at)


def test_where_there_is_no_frontier_the_points_are_one_step_away(opened: Open) -> None:
    at = opened("pareto", model="llama-3.1-405b", precision="fp8")
    assert "states both a latency and a throughput" in headline(at)
    (way,) = [link for link in at.get("page_link") if link.proto.label.startswith("Data")]
    assert "llama-3.1-405b" in way.proto.query_string


def test_a_page_that_has_nothing_to_draw_offers_what_would_let_points_in(opened: Open) -> None:
    at = opened("scaling", model="deepseek-r1")
    assert "let older runs in" in headline(at)
    ways = {one.proto.page for one in at.get("page_link")}
    assert {"data", "pareto"} <= ways
    at = at.button(key="nothing.runs").click().run()
    assert view_of(at, "scaling").option("runs") == "all"
    assert "let older runs in" not in headline(at)


def test_cost_without_a_price_offers_the_prices_that_there_are(opened: Open) -> None:
    at = opened("cost", accelerator="mi325x")
    assert "No price" in text_of(at)
    assert not at.dataframe
    at = at.button(key="nothing.prices").click().run()
    assert not at.exception
    assert "price_terms=every" in query_of(at)
    assert len(at.dataframe) >= 1


def test_memory_of_an_unknown_model_offers_nothing_that_would_not_help(opened: Open) -> None:
    at = opened("memory", model="none")
    assert "choose another model" in text_of(at)
    assert not [one for one in at.button if (one.key or "").startswith("nothing.")]
