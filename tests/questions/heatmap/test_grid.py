"""A cell holds the best median of repeats of its points: the SQL against a plain reading of the same points."""

from __future__ import annotations

import random
from collections import defaultdict
from statistics import median

import pytest

from bench.library import Library
from bench.questions.heatmap import grid
from bench.questions.heatmap.grid import Grid
from bench.view import View
from tests.library.files import table

LOADS = ("series_id", "load_kind", "concurrency", "request_rate", "batch", "scenario")
ROWS = 500


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Points drawn at random from few values, so that cells hold repeats, ties, gaps, failures and other evidence."""
    draw = random.Random(11)
    rows = []
    for repeat in range(ROWS):
        kind = draw.choice(["closed", "closed", "closed", "saturated", "batch"])
        rows.append({
            "isl": draw.choice([128, 512, 2048, None]), "osl": draw.choice([64, 128]), "load_kind": kind,
            "tp": draw.choice([1, 2]), "accelerators": draw.choice([2, 4, None]), "repeat": repeat,
            "concurrency": draw.choice([1, 8, 64]) if kind == "closed" else None,
            "batch": 8 if kind == "batch" else None,
            "output_tokens_per_s": draw.choice([None, 10, 20, draw.randint(1, 1000)]),
            "ttft_ms_p50": draw.choice([None, 5, draw.randint(1, 1000)]),
            "duration_s": 60, "requests_failed": draw.choice([None, 0, 3]),
            "evidence": draw.choice(["measured"] * 5 + ["projected"]),
        })  # fmt: skip
    folder = tmp_path_factory.mktemp("random")
    library = Library.open(folder / "library", shipped=False)
    assert not library.add([table(folder / "results.csv", *rows)]).refused
    return library


def read_plainly(library, asked, kind):
    """Every cell by going through the points one by one: best median of a run, points and failures."""
    points = grid.records(library.query("SELECT * FROM points"))
    runs = defaultdict(list)
    cells = defaultdict(lambda: {"points": 0, "failed": 0})
    for point in points:
        place = (point.get(asked.panel), point[asked.x], point[asked.y])
        if point["evidence"] != "measured" or None in place[1:] or (kind and point["load_kind"] != kind):
            continue
        if asked.level and point[asked.level[0]] != asked.level[1]:
            continue
        cells[place]["points"] += 1
        if point[asked.metric] is None:
            cells[place]["failed"] += (point["requests_failed"] or 0) > 0
        else:
            runs[place, tuple(point[key] for key in LOADS)].append(point[asked.metric])
    best = min if asked.better == "lower" else max
    for (place, _), values in runs.items():
        held = cells[place].get("value")
        cells[place]["value"] = median(values) if held is None else best(held, median(values))
    return dict(cells)


@pytest.mark.parametrize("asked", [
    Grid("isl", "osl", "accelerators", "output_tokens_per_s"),
    Grid("isl", "osl", None, "ttft_ms_p50"),
    Grid("isl", "concurrency", "tp", "output_tokens_per_s"),
    Grid("osl", "tp", "accelerators", "ttft_ms_p50", level=("concurrency", 8.0)),
    Grid("accelerators", "isl", "load_kind", "output_tokens_per_s_per_accelerator"),
])  # fmt: skip
def test_cells_equal_a_plain_reading(library, asked):
    view = View()
    count = grid.census(library, view, asked)
    found = grid.records(grid.cells(library, view, asked, count))
    expected = read_plainly(library, asked, count.kind)
    assert {(cell["panel"], cell["x"], cell["y"]): {key: cell[key] for key in ("points", "failed", "value")}
            for cell in found} == {place: {"value": None, **cell} for place, cell in expected.items()}  # fmt: skip
    winners = {point["point_id"]: point for point in grid.records(library.query("SELECT * FROM points"))}
    for cell in found:
        if cell["value"] is not None and cell["repeats"] == 1:
            assert winners[cell["point_id"]][asked.metric] == cell["value"]


def test_asking_for_several_load_kinds_mixes_just_these(library):
    asked = Grid("isl", "osl", None, "output_tokens_per_s")
    view = View.of({"load_kind": ["saturated", "batch"]})
    count = grid.census(library, view, asked)
    found = grid.cells(library, view, asked, count)
    condition = "evidence = 'measured' AND isl IS NOT NULL AND load_kind IN ('saturated', 'batch')"
    assert found["points"].sum() == library.fetch(f"SELECT count(*) FROM points WHERE {condition}")[0][0]


def test_the_same_question_names_the_same_winner_every_time(library):
    asked = Grid("isl", "osl", None, "output_tokens_per_s")
    count = grid.census(library, View(), asked)
    answers = {tuple(grid.cells(library, View(), asked, count)["point_id"]) for _ in range(8)}
    assert len(answers) == 1


def test_the_load_kind_with_the_most_values_is_the_grids(library):
    count = grid.census(library, View(), Grid("isl", "osl", None, "output_tokens_per_s"))
    most = library.fetch(
        "SELECT load_kind FROM points WHERE evidence = 'measured' AND isl IS NOT NULL GROUP BY 1"
        " ORDER BY count(output_tokens_per_s) DESC LIMIT 1"
    )
    assert count.kind == most[0][0]


def test_a_cell_has_one_name(library):
    names = {grid.cell_id(panel, x, 64.0) for panel in (None, 8, True, "a|b") for x in (128, 128.5)}
    assert names == {f"{panel}|{x}|64" for panel in ("", "8", "true", "a|b") for x in ("128", "128.5")}


def test_plain_values_are_what_json_knows(library):
    day = library.query(
        "SELECT DATE '2026-03-01' AS day, NULL::DATE AS none, 8::BIGINT AS n, 1.5 AS x, NULL::BIGINT AS m"
    )
    assert grid.records(day) == [{"day": "2026-03-01", "none": None, "n": 8, "x": 1.5, "m": None}]
