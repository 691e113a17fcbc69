"""A cell is its best ranked point: the SQL against a plain reading of the same points, one after the other."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bench import flags
from bench.basis import evidence, limits
from bench.basis.document import records
from bench.library import Library
from bench.questions.heatmap import grid
from bench.questions.heatmap.result import Heatmap
from bench.view import View
from tests.library.files import table
from tests.questions.heatmap.results import flag, ids, library_of_cases, point
from tests.thorough import times

ROWS = 400


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Points drawn at random from few values, so that cells hold runs, repeats, flags, gaps, failures and ties."""
    draw = random.Random(11)
    rows = []
    for _ in range(ROWS):
        kind = draw.choice(["closed", "closed", "closed", "saturated", "batch"])
        rows.append(
            {
                "isl": draw.choice([128, 512, 2048, None]),
                "osl": draw.choice([64, 128]),
                "load_kind": kind,
                "tp": draw.choice([1, 2]),
                "accelerators": draw.choice([2, 4, None]),
                "repeat": draw.choice([None, None, 1, 2, 3]),
                "engine_version": draw.choice(["0.17", "0.17", "0.18"]),
                "date": draw.choice([None, "2026-01-01", "2026-01-05", "2026-02-01", "2026-02-20"]),
                "concurrency": draw.choice([1, 8, 64]) if kind == "closed" else None,
                "batch": 8 if kind == "batch" else None,
                "output_tokens_per_s": draw.choice([None, 10, 20, draw.randint(1, 1000)]),
                "ttft_ms_p50": draw.choice([None, 5, draw.randint(1, 1000)]),
                "duration_s": 60,
                "requests_failed": draw.choice([None, 0, 3]),
                "evidence": draw.choice(["measured"] * 6 + ["projected"]),
                "flags": draw.choice(
                    [None] * 6 + [flag("implausible"), flag("client_limited"), flag("too_few_requests")]
                ),
            }
        )
    folder = tmp_path_factory.mktemp("random")
    library = Library.open(folder / "library", shipped=False)
    assert not library.add([table(folder / "results.csv", *rows)]).refused
    return library


Points = list[dict[str, Any]]


@pytest.fixture(scope="module")
def plain(library: Library) -> Points:
    """All points, each with why another stands for it: that is tested with the library's newest runs."""
    return records(library.query("SELECT * FROM points LEFT JOIN set_aside USING (point_id)"))


def kinds_of(one: dict[str, Any]) -> set[str]:
    return {row["kind"] for row in json.loads(one["flags"] or "[]")}


def code_of(one: dict[str, Any], view: View) -> str:
    """What becomes of a point, before it is known of which kind of load the grid is."""
    asked, metric = grid.Grid.of(view), view.option("metric")
    why, kinds = one["why"], kinds_of(one)
    barred = {kind for kind in kinds if flags.weight(kind) != "notes"} if view.option("flagged") == "out" else kinds
    if one["evidence"] != "measured":
        return "other_evidence"
    if barred and (view.option("flagged") == "out" or kinds & set(flags.EXCLUDING)):
        return "flagged"
    if why == "repeat" or (why and view.option("runs") != "all"):
        return str(why)
    if one.get(metric) is None:
        return "failed" if (one["requests_failed"] or 0) > 0 or one["flags"] not in (None, "", "[]") else "no_metric"
    kept = [(one.get(limit.metric.key), limit) for limit in limits.read(view)]
    if any(broken(*one) for one in kept):
        return "beyond_limit"
    if any(value is None for value, _ in kept):
        return "unknown_limit"
    return "no_axis" if one[asked.x] is None or one[asked.y] is None else "used"


def broken(value: float | None, limit: limits.Limit) -> bool:
    return value is not None and (value > limit.value if limit.at_most else value < limit.value)


def read_plainly(plain: Points, view: View) -> tuple[dict[Any, Any], Counter[str], str | None]:
    """Every cell (value, state, points), how many points became what, and the kind of load: point by point."""
    asked, among = grid.Grid.of(view), view.values("load_kind")
    chosen = [one for one in plain if asked.level is None or one[asked.level[0]] == asked.level[1]]
    told = [
        (None if len(among) > 1 else one["load_kind"], code_of(one, view), one)
        for one in chosen
        if not among or one["load_kind"] in among
    ]
    many = Counter((own, code) for own, code, _ in told)
    kind = max(
        sorted({own for own, _, _ in told}, key=str),
        key=lambda own: (many[own, "used"], sum(many[own, code] for code in grid.IN_A_CELL)),
        default=None,
    )
    counts = Counter("other_kind" if own != kind and code in grid.IN_A_CELL else code for own, code, _ in told)
    cells: dict[Any, list[tuple[str, Any]]] = defaultdict(list)
    for own, code, one in told:
        if own == kind and one[asked.x] is not None and one[asked.y] is not None:
            cells[one.get(asked.panel or ""), one[asked.x], one[asked.y]].append((code, one.get(asked.metric)))
    best = min if asked.lower else max
    return (
        {
            place: (best((value for code, value in held if code == "used"), default=None), state_of(held), len(held))
            for place, held in cells.items()
        },
        counts,
        kind,
    )


def state_of(held: list[tuple[str, Any]]) -> str:
    """What a cell with points of these codes is."""
    codes = {code for code, _ in held}
    return (
        "measured"
        if "used" in codes
        else next((word for code, (word, *_) in grid.STATES.items() if code in codes), "no metric")
    )


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


@settings(max_examples=times(100, 8, 40))
@given(views)
@example(whole("isl", "osl", "accelerators"))
@example(whole("isl", "osl", metric="ttft_ms_p50", slo=("ttft_ms_p50<=300",)))
def test_cells_equal_a_plain_reading(library: Library, plain: Points, view: View) -> None:
    found = laid(library, view)
    cells, counts, kind = read_plainly(plain, view)
    assert found.load_kind == kind
    assert {(one.panel, one.x, one.y): (one.value, one.state, one.points) for one in found.cells} == cells
    assert {code: many for code, many in found.tally.counts.items() if many} == dict(counts)
    by_id = {one["point_id"]: one for one in plain}
    for cell in found.measured:
        (best,) = ids(cell)
        assert by_id[best][view.option("metric")] == cell.value


@settings(max_examples=times(100, 8, 20))
@given(views)
def test_a_ratio_divides_the_grids_of_its_sides(library: Library, view: View) -> None:
    """And it counts every selected point once, those on neither side too."""
    axes = {view.option(key) for key in ("x", "y", "panel")}
    if "tp" in axes or view.values("load_kind") == ():
        return
    ratio = laid(library, view.with_options(ratio_by="tp", ratio_a="1", ratio_b="2"))
    sides = [laid(library, view.with_where(tp=[side])) for side in ("1", "2")]
    a, b = ({cell.place: cell for cell in side.cells} for side in sides)
    assert {cell.place for cell in ratio.cells} == a.keys() | b.keys()
    for cell in ratio.cells:
        one, other = (side[cell.place].value if cell.place in side else None for side in (a, b))
        assert (cell.a, cell.b) == (one, other or None)
        assert cell.value == (one / other if one is not None and other else None)
    assert ratio.tally.selected == sum(side.tally.selected for side in sides)
    assert ratio.tally.used == sum(side.tally.used for side in sides)


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
