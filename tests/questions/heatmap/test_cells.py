"""Empty cells: each place without a point can be clicked, and says what a sweep would have to ask."""

from __future__ import annotations

from bench import chart
from bench.library import Library
from bench.questions import heatmap
from bench.questions.heatmap.cells import plan_of_cell
from bench.sweep.planning import form
from bench.view import View

SEED = {"model": ["llama-3.1-70b"], "accelerator": ["h200"], "engine_version": ["0.17"]}
ASKED = {"x": "isl", "y": "osl", "metric": "output_tokens_per_s"}


def test_every_place_is_either_a_cell_or_a_gap_that_can_be_clicked(shipped: Library) -> None:
    view = View.of(SEED, ASKED)
    found = heatmap.answer(shipped, view).result
    clickable = heatmap.figure(found, chart.LIGHT).data[-1]
    cells, ids = {cell.place for cell in found.cells}, list(clickable.customdata)
    assert len(set(ids)) == len(ids) == len(found.values("panel")) * len(found.values("x")) * len(found.values("y"))
    assert cells < set(ids)
    for cell, said in zip(ids, clickable.hovertext, strict=True):
        assert ("Click to measure it" in said) == (cell not in cells)
    for cell in (ids[0], ids[-1]):
        assert heatmap.points_behind(shipped, view, cell).empty == (cell not in cells)


def test_a_gap_asks_for_its_lengths_and_states_what_the_selection_says() -> None:
    view = View.of(SEED, {**ASKED, "panel": "accelerators", "load": "concurrency=64"})
    stated = plan_of_cell(view, "8|1024|128")
    assert stated == {
        "isl": "1024",
        "osl": "128",
        "concurrency": "64",
        "facts.model": "llama-3.1-70b",
        "facts.accelerator": "h200",
        "facts.accelerators": "8",
        "facts.engine_version": "0.17",
    }
    fields, problems = form.from_link(stated.items())
    assert problems == []
    checked = form.checked(fields | {"endpoint.url": "http://127.0.0.1:8000", "endpoint.model": "m"})
    assert checked.plan is not None, checked.problem
    assert checked.plan.facts["accelerators"] == 8


def test_a_filter_with_several_values_states_nothing() -> None:
    view = View.of({"model": ["a", "b"], "isl": ["128", "256"]}, {"x": "concurrency", "y": "osl", "load": "best"})
    assert plan_of_cell(view, "|16|128") == {"osl": "128", "concurrency": "16"}
