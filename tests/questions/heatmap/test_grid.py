"""The grid: a ratio divides those of its sides, and a cell holds the points that it counts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.basis import evidence
from bench.library import Library
from bench.questions.heatmap import grid
from bench.questions.heatmap.result import Heatmap
from bench.view import View
from tests.basis.libraries import mixed
from tests.questions.heatmap.results import ids, library_of, library_of_cases, point
from tests.thorough import times


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return mixed(tmp_path_factory.mktemp("random"))


def laid(library: Library, view: View) -> Heatmap:
    return grid.laid(library, evidence.read(view))


def whole(
    x: str,
    y: str,
    panel: str = "none",
    metric: str = "output_tokens_per_s",
    load: str = "best",
    *,
    where: dict[str, list[str]] | None = None,
    slo: Sequence[str] = (),
    **options: str,
) -> View:
    """A complete View."""
    told = {"x": x, "y": y, "panel": panel, "metric": metric, "load": load, "scale": "auto", "ratio_by": "none"}
    return View.of(where, {**told, **options}, whole=True, slo=slo)


METRICS = ("output_tokens_per_s", "ttft_ms_p50", "output_tokens_per_s_per_accelerator")
views = st.builds(
    lambda axes, panel, metric, load, kinds, slo, runs, flagged: whole(
        *axes,
        "none" if panel in axes else panel,
        metric,
        load,
        where={"load_kind": kinds},
        slo=slo,
        runs=runs,
        flagged=flagged,
    ),
    st.permutations(("isl", "osl", "concurrency", "batch", "accelerators", "tp")).map(lambda some: some[:2]),
    st.sampled_from(("none", "accelerators", "tp", "isl", "load_kind", "engine_version")),
    st.sampled_from(METRICS),
    st.sampled_from(("best", "best", "concurrency=8", "batch=8")),
    st.sampled_from(([], [], ["closed"], ["saturated", "batch"])),
    st.lists(
        st.sampled_from(("ttft_ms_p50<=300", "output_tokens_per_s>=15", "ttft_ms_p50<=5", "tpot_ms_p50<=1")),
        unique=True,
        max_size=2,
    ),
    st.sampled_from(("newest", "newest", "all")),
    st.sampled_from(("ranked", "ranked", "out")),
)


@settings(max_examples=times(100, 8, 20))
@given(views)
def test_a_ratio_divides_the_grids_of_its_sides(library: Library, view: View) -> None:
    """And it counts every selected point once, those on neither side too."""
    if "tp" in {view.option(key) for key in ("x", "y", "panel")}:
        return
    ratio = laid(library, view.with_options(ratio_by="tp", ratio_a="1", ratio_b="4"))
    sides = [laid(library, view.with_where(tp=[side])) for side in ("1", "4")]
    a, b = ({cell.place: cell for cell in side.cells} for side in sides)
    assert {cell.place for cell in ratio.cells} == a.keys() | b.keys()
    for cell in ratio.cells:
        one, other = (side[cell.place].value if cell.place in side else None for side in (a, b))
        assert (cell.a, cell.b) == (one, other or None)
        assert cell.value == (one / other if one is not None and other else None)
    assert ratio.tally.selected == sum(side.tally.selected for side in sides)
    assert ratio.tally.used == sum(side.tally.used for side in sides)


def test_the_grid_is_of_the_kind_of_load_with_the_most_values_and_counts_what_is_of_others(tmp_path: Path) -> None:
    silent = [point(isl, 128, 10) for isl in (128, 256)]
    library = library_of(
        tmp_path, [*silent, point(128, 128, 5, load_kind="saturated", concurrency=None, ttft_ms_p50=1)]
    )
    found = laid(library, whole("isl", "osl", slo=("ttft_ms_p50<=9",)))
    assert (found.load_kind, dict(found.tally.counts)) == ("saturated", {"used": 1, "other_kind": 2})


def test_the_same_question_names_the_same_winner_every_time(library: Library) -> None:
    assert len({ids(*laid(library, whole("isl", "osl")).cells) for _ in range(3)}) == 1


def test_the_points_behind_a_cell_are_those_it_counts_the_ranked_ones_first(library: Library) -> None:
    view = whole("isl", "concurrency", "tp", "ttft_ms_p50", runs="all")
    for cell in laid(library, view).cells[::3]:
        behind = grid.behind(library, evidence.read(view), cell.place)
        assert len(behind) == cell.points
        used = [code == "used" for code in behind["standing"]]
        assert used == sorted(used, reverse=True)
        assert cell.value is None or behind[view.option("metric")].iloc[0] == cell.value


def test_an_axis_of_loads_is_cut_into_doublings_where_few_cells_would_be_filled(tmp_path: Path) -> None:
    """Seventeen levels at a chip count each fill a sixteenth of the cells; sixteen levels are read one by one."""
    few = [point(128, 128, 10, concurrency=level, accelerators=1 + level % 16) for level in range(1, 18)]
    library = library_of_cases(tmp_path, {"sixteen": few[:16], "seventeen": few})
    sixteen, seventeen = (
        laid(library, whole("concurrency", "accelerators", where={"source": [name]}))
        for name in ("sixteen", "seventeen")
    )
    assert sixteen.doublings == ()
    assert seventeen.doublings == ("concurrency",)
    assert {cell.x for cell in seventeen.cells} == {1, 2, 4, 8, 16}


def test_a_cell_has_one_name_that_says_where_it_is() -> None:
    for panel, name in ((None, ""), (8, "8"), (8.0, "8"), (True, "true"), ("a|b", "a|b")):
        assert grid.cell_id(panel, 128.0, 64.5) == f"{name}|128|64.5"
        for x in (0.0, 1 / 3, 1e9):
            assert grid.place_of(grid.cell_id(panel, x, 64.5)) == (name, x, 64.5)
