"""The Pareto question: equal to comparing every pair, true to the directions, plain about what it leaves out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import duckdb
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import catalogue
from bench.chart import DARK, LIGHT
from bench.errors import UsageError
from bench.library import Library
from bench.maths import pareto as maths
from bench.questions import cost, pareto
from bench.questions.pareto import axes as choosing
from bench.questions.pareto import points
from bench.questions.pareto.figure import DIMMED
from bench.selection import Clause
from bench.view import View
from tests.questions.heatmap.results import flag
from tests.questions.pareto.results import (
    COST,
    LIMIT_X,
    LIMIT_Y,
    SMALL,
    Row,
    X,
    Y,
    asked,
    library_of_tables,
    places,
    point,
)
from tests.questions.saying import headline, kinds, said, statement
from tests.thorough import times

HOSTILE = "<b>%{x}</b> **bold** =1+1 \u202e\x1b[31m"
TTFT = ["ttft_ms_p99<=2000"]
TABLES: dict[str, Sequence[Row]] = {
    "small": SMALL,
    "tail": [
        point(200, 20, ttft_ms_p99=900),
        point(200, 20, accelerator="h200-sxm", ttft_ms_p99=3000),
        point(200, 20, accelerator="b200-sxm"),
        point(200, 20, accelerator="mi300x", ttft_ms_p99=3000),
        point(200, 25, accelerator="mi300x", concurrency=16),
    ],
    "limited": [point(20, 10, ttft_ms_p99=900), point(200, 20, ttft_ms_p99=3000), point(180, 25, ttft_ms_p99=1500)],
    "ruled-out": [point(900, 10, flags=flag("littles-law")), point(200, 20), point(260, 25)],
    "dark": [
        point(200, 20, ttft_ms_p50=20, concurrency=8),
        point(250, 25, ttft_ms_p50=30, concurrency=16),
        point(300, None, ttft_ms_p50=50, concurrency=32),
        point(400, None, load_kind="saturated"),
        point(100, 20, accelerator="h200-sxm", ttft_ms_p50=20, concurrency=8),
    ],
    "hostile": [point(100, 10, variant=HOSTILE), point(200, 20, variant=HOSTILE)],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return library_of_tables(tmp_path_factory.mktemp("made"), TABLES)


def test_the_frontiers_worked_out_by_hand(made: Library) -> None:
    answer = asked(made, "small")
    assert places(answer, "on_frontier", "h100") == [(100, 10), (50, 100), (40, 130), (10, 140)]
    assert places(answer, "on_overall_frontier") == [(20, 400), (100, 10), (50, 100), (40, 130)]
    assert places(answer, "is_knee", "h100") == [(40, 130)]
    assert [(lead.group, lead.weakest, round(lead.strictest)) for lead in answer.result.leads] == [
        ("H200 SXM", None, 20),
        ("H100 SXM", 20, 100),
    ]
    assert [lead.margin for lead in answer.result.leads] == [pytest.approx(400 / 130), None]
    assert answer.result.widest == answer.result.leads[1]
    assert answer.rows.loc[~answer.rows["enters"], "evidence"].tolist() == ["projected"]


def test_other_evidence_is_ranked_when_the_reader_asks_for_it(made: Library) -> None:
    answer = asked(made, "small", View.of({"evidence": ["measured", "projected"]}))
    assert places(answer, "on_overall_frontier") == [(200, 500)]
    assert said(answer, "evidence") == {"evidence": ["measured", "projected"]}
    assert "evidence" not in kinds(asked(made, "small"))
    old = View.from_query("frontier_evidence=all&model=llama-3.1-70b")
    assert places(asked(made, "small", old), "on_overall_frontier") == [(200, 500)]


def test_the_best_point_within_the_limits(made: Library) -> None:
    answer = asked(made, "small", View.of(slo=[LIMIT_X]))
    assert (answer.result.best.x, answer.result.best.y) == (pytest.approx(50), 100)
    best = answer.result.best.point
    assert statement(answer, "best_within").point_ids == statement(answer, "point").point_ids == (best.point_id,)
    assert (best.accelerator, best.engine, best.concurrency) == ("h100-sxm", "vllm", 8)
    assert [one.label for one in answer.result.without] == ["H200 SXM"]
    none = asked(made, "small", View.of(slo=[LIMIT_X, LIMIT_Y]))
    assert none.result.best is None
    assert none.result.overall == none.result.groups == none.result.leads == ()
    assert (len(none.rows), none.rows["on_frontier"].any()) == (len(answer.rows), False)
    assert "lines+markers" not in {trace.mode for trace in pareto.figure(none.result, LIGHT).data}
    across = asked(made, "small", View.of(slo=[f"{Y}>=100"])).result
    assert (round(across.best.x), across.best.y) == (50, 100)
    assert {group.label: round(group.best.x) for group in across.groups} == {"H100 SXM": 50, "H200 SXM": 20}


def test_who_never_keeps_the_limits_is_told_apart_from_who_does_not_say(made: Library) -> None:
    answer = asked(made, "tail", View.of(slo=TTFT))
    assert {one.label: (one.points, one.known) for one in answer.result.groups} == {"H100 SXM": (1, 1)}
    assert {one.label: (one.points, one.known) for one in answer.result.without} == {
        "H200 SXM": (1, 1),
        "B200 SXM": (1, 0),
        "MI300X": (2, 1),
    }
    assert answer.rows["aside"].dropna().value_counts().to_dict() == {"limit not stated": 2, "beyond the limit": 2}
    drawn = pareto.figure(answer.result, LIGHT).data
    hollow = [trace for trace in drawn if trace.mode == "markers" and trace.customdata]
    dimmed = [
        str(symbol).partition("-")[2]
        for trace in hollow
        for symbol, opacity in zip(trace.marker.symbol, trace.marker.opacity, strict=True)
        if opacity == DIMMED
    ]
    assert sorted(dimmed) == ["open", "open", "open-dot", "open-dot"]
    assert {"beyond the limits", "limit not stated"} <= {str(trace.name).replace("<br>", " ") for trace in drawn}
    assert said(answer, "never")["names"] == ["H200 SXM"]
    assert set(said(answer, "silent")["names"]) == {"B200 SXM", "MI300X"}


def test_a_limit_on_a_metric_that_is_no_axis_keeps_points_off_the_frontier(made: Library) -> None:
    free, bound = (asked(made, "limited", View.of(slo=slo)) for slo in ([], TTFT))
    assert places(free, "on_overall_frontier") == [(100, 10), (50, 100)]
    assert places(bound, "on_overall_frontier") == [(100, 10), (40, 90)]
    assert bound.rows.loc[~bound.rows["enters"], "aside"].tolist() == ["beyond the limit"]
    assert (round(bound.result.best.x), bound.result.best.y) == (40, 90)
    assert not pareto.figure(bound.result, LIGHT).layout.shapes


def test_a_cost_stands_on_the_price_of_every_page(made: Library) -> None:
    priced = {"y": COST, "utilisation": "0.5", "price_book": "made"}
    answer = asked(made, "small", View.of(options=priced))
    # 3.6 USD/h x 2 chips / (260 tokens/s x 0.5 x 3600 s) x 1e6
    own = answer.rows[(answer.rows[X].round() == 40)]
    assert own[COST].tolist() == [pytest.approx(3.6 * 2 / (260 * 0.5 * 3600) * 1e6)]
    assert answer.view.option("price_terms") == "on_demand"
    assert set(answer.rows["accelerator"]) == {"h100-sxm"}
    assert any("utilisation 0.5" in why.inputs for why in answer.why)
    within = asked(made, "small", View.of(options=priced, slo=[f"{COST}<=19"]))
    assert [within.result.best.y, round(within.result.best.x)] == [pytest.approx(15.3846, abs=1e-3), 40]


def test_the_cheapest_point_that_states_nothing_along_x_is_named_as_cost_has_it(made: Library) -> None:
    """3.6 USD/h x 2 chips / (300 tokens/s x 3600 s) x 1e6 = 6.67 USD, and 7.2 at 277.8 tokens/s and less is drawn.

    What is saturated costs less still, but most accelerators have points of a closed loop alone.
    """
    view = View.of(options={"x": X, "y": COST, "price_book": "made"})
    answer, paid = asked(made, "dark", view), cost.answer(made, View.of({"source": ["dark"]}, {"price_book": "made"}))
    told = statement(answer, "cheapest_undrawn")
    assert told.values["usd_per_million"] == pytest.approx(3.6 * 2 / (300 * 3600) * 1e6)
    lead = paid.result.lead
    assert (told.point_ids, told.values["usd_per_million"]) == ((lead.facts.point_id,), lead.usd_per_million)
    assert [one["metric"] for one in told.values["choose"]] == ["ttft_ms_p50"]
    drawn = asked(made, "dark", view.with_options(x="ttft_ms_p50"))
    assert min(drawn.rows[COST]) == told.values["usd_per_million"]
    listed = asked(made, "dark", view.with_options(price_book=None))
    assert statement(listed, "cheapest_undrawn").point_ids == told.point_ids
    dearer = asked(made, "dark", view.with_slo([f"{COST}>=7"]))
    late = asked(made, "dark", view.with_slo(["ttft_ms_p50<=40"]))
    for other in (drawn, dearer, late, asked(made, "dark", View.of(options={"x": X}))):
        assert "cheapest_undrawn" not in kinds(other)


@pytest.mark.parametrize(
    "view",
    [
        *(
            View.of(options=options)
            for options in (
                {"y": X},
                {"x": Y},
                {"x": "nonsense"},
                {"group": "point_id; DROP"},
                {"x_scale": "many"},
                {"y": COST, "utilisation": "0"},
                {"y": COST, "price_book": "none"},
                {"y": COST, "price_terms": "none"},
            )
        ),
        *(View.of(slo=[limit]) for limit in (f"{X}>=many", f"{Y}<=inf", f"{X}>60", "nonsense>=3")),
    ],
    ids=View.query,
)
def test_what_cannot_be_is_refused_in_a_sentence(made: Library, view: View) -> None:
    with pytest.raises(UsageError):
        pareto.answer(made, view)


def test_a_limit_beyond_the_chart_veils_it_whole(made: Library) -> None:
    drawn = pareto.figure(asked(made, "small", View.of(slo=[f"{X}>=1e12"])).result, LIGHT)
    right = drawn.layout.xaxis.range[1]
    assert [(shape.x0 < right, shape.x1) for shape in drawn.layout.shapes] == [(True, right)]


def test_the_grid_keeps_the_frontiers_exact(made: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    view = View.of(slo=[LIMIT_X])
    exact = asked(made, "small", view)
    monkeypatch.setattr(pareto, "DRAWN_POINTS", 3)
    binned = asked(made, "small", view)
    lines = exact.rows[exact.rows["on_frontier"]]
    assert binned.rows["point_id"].tolist() == lines["point_id"].tolist()
    assert binned.rows["step"].tolist() == lines["step"].tolist()
    assert sum(cell[2] for cell in binned.result.grid.cells) == len(exact.rows) == 7
    assert (binned.headline, binned.findings) == (exact.headline, exact.findings)
    assert "grid" in kinds(binned, "caveat")
    assert len(binned.result.grid.x_edges) == points.BINS_ACROSS + 1
    assert pareto.figure(binned.result, LIGHT).data[0].type == "heatmap"


def test_a_flag_that_excludes_keeps_a_point_off_every_frontier_but_on_the_chart(made: Library) -> None:
    answer = asked(made, "ruled-out")
    assert places(answer, "on_frontier") == [(50, 100), (40, 130)]
    (hollow,) = answer.rows[~answer.rows["enters"]]["point_id"]
    assert not [one for one in answer.statements if hollow in one.point_ids]
    drawn = {own[0]: trace for trace in pareto.figure(answer.result, LIGHT).data for own in trace.customdata or ()}
    assert drawn[hollow].marker.symbol[0].endswith("-open")


def test_hostile_names_are_text_everywhere(made: Library) -> None:
    answer = asked(made, "hostile", View.of(options={"group": "variant"}))
    drawn = pareto.figure(answer.result, LIGHT).to_json()
    assert "<b>%{x}" not in drawn
    assert "\\u003cb\\u003e%{x}" not in drawn
    assert "\\u001b" not in drawn
    assert "U+202E" in drawn


def test_the_chart_shows_evidence_engine_knee_and_limits(made: Library) -> None:
    answer = asked(made, "small", View.of(slo=[LIMIT_X, f"{Y}>=50"]))
    for theme in (LIGHT, DARK):
        figure = pareto.figure(answer.result, theme)
        symbols = {symbol for trace in figure.data for symbol in _listed(trace.marker.symbol)}
        assert {"circle", "square", "circle-open"} <= symbols
        assert [shape.line.dash for shape in figure.layout.shapes if shape.line.dash] == ["dash", "dash"]
        assert "(tokens/s/user)" in figure.layout.xaxis.title.text
        assert "(tokens/s/accelerator)" in figure.layout.yaxis.title.text
        ids = {own[0] for trace in figure.data for own in trace.customdata or ()}
        assert ids == set(answer.rows["point_id"])


def _listed(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else [] if value is None else list(value)


class Points:
    """A table `points` as the SQL of a library sees it, for values no import would let in."""

    def __init__(self, found):
        frame = pd.DataFrame(found, columns=["point_id", "engine", "accelerator", "marked", X, Y])
        self.connection = duckdb.connect()
        self.connection.register("frame", frame.astype({X: object, Y: object}))
        columns = ", ".join(f'CAST("{name}" AS DOUBLE) AS "{name}"' for name in (X, Y))
        self.connection.execute(f"CREATE TABLE points AS SELECT * REPLACE ({columns}) FROM frame")

    def query(self, sql, params=()):
        return self.connection.cursor().execute(sql, list(params)).df()

    def has(self, column):
        return True


def frontiers(rows, better):
    """The ids on the frontier of all rows of id, owner, x and y and on each owner's, of those with both."""
    usable = [row for row in rows if None not in row[2:] and all(map(math.isfinite, row[2:]))]
    ids, owners, x, y = ([row[at] for row in usable] for at in range(4))
    told = maths.frontiers(x, y, [owner or "" for owner in owners], ids, *better)
    return {ids[at] for at in told.overall}, {name: {ids[at] for at in line} for name, line in told.lines.items()}


FEW = st.integers(0, 9).map(float)
VALUE = st.one_of(st.none(), FEW, FEW, FEW, st.sampled_from([math.nan, math.inf, -math.inf]))
NAME = st.sampled_from(["a", "a", "a", None])


@settings(max_examples=times(40, 25, 25))
@given(
    st.lists(st.tuples(NAME, NAME, st.booleans(), VALUE, VALUE), min_size=15, max_size=25),
    st.sampled_from([X, "ttft_ms_p50"]),
    st.sampled_from([Y, "joules_per_output_token"]),
)
def test_the_sql_leaves_the_frontiers_as_they_are(drawn, x, y):
    found = [(f"{number:02x}", *row) for number, row in enumerate([*drawn, *drawn[::4]])]
    library = Points(found)
    sql = Clause(choosing.finite_sql(library, Y), ())
    axes = choosing.Axes(catalogue.metric(x), catalogue.metric(y), "engine", choosing.finite_sql(library, X), sql)
    assert axes.better == ("higher" if x == X else "lower", "higher" if y == Y else "lower")
    frame = points.reduced(library, axes, Clause("TRUE", ()), [Clause("marked", ())])
    for rows, own in ((frame, found), (frame[frame["mark"] == 1], [row for row in found if row[3]])):
        left = rows[["point_id", "owner", "x", "y"]].itertuples(index=False, name=None)
        plain = [(row[0], row[1], *row[4:]) for row in own]
        assert frontiers(list(left), axes.better) == frontiers(plain, axes.better)


def test_within_limits_the_subject_keeps_precision_and_lengths(shipped: Library) -> None:
    slo = ["ttft_ms_p50<=5000", "interactivity_tokens_per_s_per_user_p50>=20"]
    answer = pareto.answer(shipped, View.of({"model": ["deepseek-r1"]}, slo=slo))
    subject = answer.subject
    assert headline(answer)[0] == "best_within"
    assert (subject.models, subject.precision, subject.isl, subject.osl) == (("deepseek-r1",), "fp8", 8192, 1024)
    assert [one.text for one in subject.limits] == [*answer.view.slo]
