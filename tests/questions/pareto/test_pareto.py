"""The Pareto question: equal to comparing every pair, true to the directions, plain about what it leaves out."""

from __future__ import annotations

import json
import math
from itertools import pairwise

import duckdb
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import catalogue
from bench.basis.document import document
from bench.chart import DARK, LIGHT
from bench.cli.output import plain
from bench.errors import UsageError
from bench.flags import EXCLUDING
from bench.library import Library
from bench.maths import pareto as maths
from bench.questions import pareto
from bench.questions.pareto import axes as choosing
from bench.questions.pareto import points
from bench.questions.pareto.axes import Axes
from bench.selection import Clause
from bench.view import View
from tests.library.files import published
from tests.questions.pareto.results import COST, LIMIT_X, LIMIT_Y, SMALL, X, Y, led, library_of, places, point
from tests.questions.saying import headline, kinds, said, statement
from tests.thorough import some, times

HOSTILE = "<b>%{x}</b> **bold** =1+1 \u202e\x1b[31m"


def beaten(one, other, better_x, better_y):
    """Whether `other` is at least as good in both and better in one."""
    along = [
        (a - b) * (1 if better == "higher" else -1)
        for a, b, better in zip(other, one, (better_x, better_y), strict=True)
    ]
    return min(along) >= 0 and max(along) > 0


def brute_force(found, better_x, better_y):
    """The ids of (id, x, y) that nothing beats; of equal points the smallest id."""
    finite = [row for row in found if all(value is not None and math.isfinite(value) for value in row[1:])]
    return {
        one[0]
        for one in finite
        if not any(beaten(one[1:], other[1:], better_x, better_y) for other in finite)
        and not any(other[1:] == one[1:] and other[0] < one[0] for other in finite)
    }


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    return library_of(tmp_path_factory.mktemp("small"), SMALL)


def test_the_frontiers_worked_out_by_hand(small):
    answer = pareto.answer(small, View())
    assert places(answer, "on_frontier", "h100") == [(100, 10), (50, 100), (40, 130), (10, 140)]
    assert places(answer, "on_overall_frontier") == [(20, 400), (100, 10), (50, 100), (40, 130)]
    assert places(answer, "is_knee", "h100") == [(40, 130)]


def test_the_headline_says_who_leads_where(small):
    answer = pareto.answer(small, View())
    assert headline(answer) == ("leads", {"leader": "H100 SXM", "beyond": 20, "to": 100})
    assert led(answer) == [("H200 SXM", 20), ("H100 SXM", 100)]
    assert [lead.weakest for lead in answer.result.leads] == [None, 20]
    assert [lead.margin for lead in answer.result.leads] == [pytest.approx(400 / 130), None]
    assert answer.result.widest == answer.result.leads[1]
    assert kinds(answer, "finding") == ["who_leads", "knees", "counts"]
    assert said(answer, "who_leads") == {"leads": 2, "shown": 2}
    assert said(answer, "knees") == {"knees": 1, "shown": 1}
    assert [one.knee and (round(one.knee.x), one.knee.y) for one in answer.result.groups] == [None, (40, 130)]
    assert said(answer, "counts") == {"points": 6, "overall": 4, "own": 5}


def test_what_is_not_ranked_is_counted_and_drawn_hollow(small):
    answer = pareto.answer(small, View())
    assert answer.result.tally.counts == {"used": 6, "other_evidence": 1, "no_x": 2, "no_y": 1}
    assert answer.rows.loc[~answer.rows["enters"], "evidence"].tolist() == ["projected"]
    assert kinds(answer, "coverage", "caveat") == ["left_out", "mixed"]


def test_other_evidence_is_ranked_when_the_reader_asks_for_it(small):
    answer = pareto.answer(small, View.of({"evidence": ["measured", "projected"]}))
    assert places(answer, "on_overall_frontier") == [(200, 500)]
    assert "(measured and projected)" in answer.headline
    assert "(projected)" in pareto.answer(small, View.of({"evidence": ["projected"]})).headline
    assert "projected" not in pareto.answer(small, View()).headline
    old = View.from_query("frontier_evidence=all&model=llama-3.1-70b")
    assert places(pareto.answer(small, old), "on_overall_frontier") == [(200, 500)]


def test_the_best_point_within_the_limits(small):
    answer = pareto.answer(small, View.of(slo=[LIMIT_X]))
    assert (answer.result.best.x, answer.result.best.y) == (pytest.approx(50), 100)
    best = answer.result.best.point
    assert headline(answer) == ("best_within", {"x": answer.result.best.x, "y": 100, "level": 1, "stating": 7, "of": 9})
    assert statement(answer, "best_within").point_ids == statement(answer, "point").point_ids == (best.point_id,)
    assert (best.accelerator, best.engine, best.concurrency) == ("h100-sxm", "vllm", 8)
    assert kinds(answer, "finding")[:3] == ["point", "reached", "never"]
    assert (said(answer, "reached"), said(answer, "never")) == ({"groups": 1, "shown": 1}, {"groups": 1})
    assert [one.label for one in answer.result.without] == ["H200 SXM"]
    none = pareto.answer(small, View.of(slo=[LIMIT_X, LIMIT_Y]))
    assert none.result.best is None
    assert kinds(none, "headline") == ["none_within"]


def test_who_never_keeps_the_limits_is_told_apart_from_who_does_not_say(tmp_path):
    rows = [
        point(200, 20, ttft_ms_p99=900),
        point(200, 20, accelerator="h200-sxm", ttft_ms_p99=3000),
        point(200, 20, accelerator="b200-sxm"),
        point(200, 20, accelerator="mi300x", ttft_ms_p99=3000),
        point(200, 25, accelerator="mi300x", concurrency=16),
    ]
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([published(tmp_path / "tail.csv", rows)])
    answer = pareto.answer(library, View.of(slo=["ttft_ms_p99<=2000"]))
    assert {one.label: (one.points, one.known) for one in answer.result.groups} == {"H100 SXM": (1, 1)}
    assert {one.label: (one.points, one.known) for one in answer.result.without} == {
        "H200 SXM": (1, 1),
        "B200 SXM": (1, 0),
        "MI300X": (2, 1),
    }
    never, unknown = (statement(answer, kind).text for kind in ("never", "silent"))
    assert ("H200 SXM" in never, "H200 SXM" in unknown) == (True, False)
    assert all(chip in unknown and chip not in never for chip in ("B200 SXM", "MI300X"))
    assert (said(answer, "never"), said(answer, "silent")) == ({"groups": 1}, {"groups": 2})


def test_what_is_said_of_the_frontiers_says_that_it_is_within_the_limit(small):
    def within(slo):
        said = pareto.answer(small, View.of(slo=slo)).statements
        return {one.kind for one in said if "within the limit" in one.text}

    assert within([LIMIT_X]) == {"best_within", "one_frontier", "counts", "never"}
    assert within([]) == set()


def test_under_limits_the_axes_are_what_the_points_have_that_state_them(shipped):
    """One FP8 point of it states both times; most others have step times alone, which stand there unless asked."""
    asked = View.of({"model": ["gemma-4-31b"], "precision": ["fp8"]})
    limited = pareto.answer(shipped, asked.with_slo(["ttft_ms_p50<=2000", "tpot_ms_p50<=50"]))
    assert pareto.answer(shipped, asked).view.option("x") == "decode_step_ms_mean"
    assert limited.view.option("x") != "decode_step_ms_mean"
    assert limited.is_told
    chosen = limited.view.with_options(x="decode_step_ms_mean")
    assert kinds(pareto.answer(shipped, chosen), "headline") == ["unknown_limits"]


def test_with_a_limit_up_alone_the_best_is_the_best_across(small):
    answer = pareto.answer(small, View.of(slo=[f"{Y}>=100"]))
    assert (round(answer.result.best.x), answer.result.best.y) == (50, 100)
    assert {group.label: group.best and round(group.best.x) for group in answer.result.groups} == {
        "H100 SXM": 50,
        "H200 SXM": 20,
    }


def test_a_limit_on_a_metric_that_is_no_axis_keeps_points_off_the_frontier(tmp_path):
    rows = [point(20, 10, ttft_ms_p99=900), point(200, 20, ttft_ms_p99=3000), point(180, 25, ttft_ms_p99=1500)]
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([published(tmp_path / "tail.csv", rows)])
    free, bound = (pareto.answer(library, View.of(slo=slo)) for slo in ([], ["ttft_ms_p99<=2000"]))
    assert places(free, "on_overall_frontier") == [(100, 10), (50, 100)]
    assert places(bound, "on_overall_frontier") == [(100, 10), (40, 90)]
    assert bound.rows.loc[~bound.rows["enters"], "aside"].tolist() == ["beyond the limit"]
    assert (round(bound.result.best.x), bound.result.best.y) == (40, 90)
    assert not pareto.figure(bound.result, LIGHT).layout.shapes


def test_where_few_state_a_limits_metric_the_headline_says_so_or_names_no_best(tmp_path):
    rows = [point(20 * n, 10 * n, **({"ttft_ms_p99": 900} if n < 3 else {})) for n in range(1, 11)]
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([published(tmp_path / "few.csv", rows)])
    few = pareto.answer(library, View.of(slo=["ttft_ms_p99<=2000"]))
    assert (said(few, "best_within")["stating"], said(few, "best_within")["of"]) == (2, 10)
    assert few.result.best.point.accelerator == "h100-sxm"
    others = [point(30, 10, accelerator=chip) for chip in ("h200-sxm", "b200-sxm")]
    library.add([published(tmp_path / "others.csv", others)])
    asked = View.of(slo=["ttft_ms_p99<=2000"])
    assert kinds(pareto.answer(library, asked), "headline") == ["no_best"]
    assert pareto.robustness(library, asked) is None
    unknown = pareto.answer(library, View.of(slo=["e2el_ms_p99<=2000"]))
    assert kinds(unknown, "headline") == ["unknown_limits"]
    assert unknown.result.best is None


def test_a_cost_stands_on_the_price_of_every_page(small):
    priced = {"y": COST, "utilisation": "0.5", "price_book": "made"}
    answer = pareto.answer(small, View.of(options=priced))
    # 3.6 USD/h x 2 chips / (260 tokens/s x 0.5 x 3600 s) x 1e6
    own = answer.rows[(answer.rows[X].round() == 40)]
    assert own[COST].tolist() == [pytest.approx(3.6 * 2 / (260 * 0.5 * 3600) * 1e6)]
    assert answer.view.option("price_terms") == "on_demand"
    assert "prices" in kinds(answer, "caveat")
    assert said(answer, "unpriced") == {"unpriced": 1}
    assert answer.result.tally.of("unpriced") == 1
    assert set(answer.rows["accelerator"]) == {"h100-sxm"}
    assert any("utilisation 0.5" in why.inputs for why in answer.why)
    within = pareto.answer(small, View.of(options=priced, slo=[f"{COST}<=19"]))
    assert [within.result.best.y, round(within.result.best.x)] == [pytest.approx(15.3846, abs=1e-3), 40]


def test_doubling_the_price_doubles_every_cost(tmp_path):
    costs = []
    for usd in (2.0, 4.0):
        (tmp_path / f"{usd}" / "library" / "prices").mkdir(parents=True)
        price = {
            "provider": "a",
            "accelerator": "h100-sxm",
            "accelerators": 1,
            "terms": "on_demand",
            "usd_per_hour": usd,
        }
        published(tmp_path / f"{usd}" / "library" / "prices" / "made.csv", [price])
        library = Library.open(tmp_path / f"{usd}" / "library", shipped=False)
        library.add([published(tmp_path / f"{usd}.csv", [point(100, 10), point(300, 30)])])
        costs.append(pareto.answer(library, View.of(options={"y": COST, "price_book": "made"})).rows[COST])
    assert (costs[1] / costs[0]).tolist() == [2, 2]


@pytest.mark.parametrize(
    "options",
    [
        {"y": X},
        {"x": Y},
        {"x": "nonsense"},
        {"group": "point_id; DROP"},
        {"x_scale": "many"},
        {"y": COST, "utilisation": "0"},
        {"y": COST, "price_book": "none"},
        {"y": COST, "price_terms": "none"},
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(small, options):
    with pytest.raises(UsageError):
        pareto.answer(small, View.of(options=options))


@pytest.mark.parametrize("limit", [f"{X}>=many", f"{Y}<=inf", f"{X}>60", "nonsense>=3"])
def test_a_limit_that_cannot_be_is_refused_in_a_sentence(small, limit):
    with pytest.raises(UsageError):
        pareto.answer(small, View.of(slo=[limit]))


def test_a_limit_beyond_the_chart_veils_it_whole(small):
    far = pareto.answer(small, View.of(slo=[f"{X}>=1e12"]))
    assert kinds(far, "headline") == ["none_within"]
    drawn = pareto.figure(far.result, LIGHT)
    right = drawn.layout.xaxis.range[1]
    assert [(shape.x0 < right, shape.x1) for shape in drawn.layout.shapes] == [(True, right)]


def test_the_grid_keeps_the_frontiers_exact(small, monkeypatch):
    view = View.of(slo=[LIMIT_X])
    exact = pareto.answer(small, view)
    monkeypatch.setattr(pareto, "DRAWN_POINTS", 3)
    binned = pareto.answer(small, view)
    lines = exact.rows[exact.rows["on_frontier"]]
    assert binned.rows["point_id"].tolist() == lines["point_id"].tolist()
    assert binned.rows["step"].tolist() == lines["step"].tolist()
    assert sum(cell[2] for cell in binned.result.grid.cells) == len(exact.rows) == 7
    assert (binned.headline, binned.findings) == (exact.headline, exact.findings)
    assert "grid" in kinds(binned, "coverage")
    assert len(binned.result.grid.x_edges) == points.BINS_ACROSS + 1
    assert pareto.figure(binned.result, LIGHT).data[0].type == "heatmap"


def test_one_group_is_told_by_its_ends(small):
    answer = pareto.answer(small, View.of({"accelerator": ["h100"]}))
    assert headline(answer) == ("one_frontier", {"points": 5, "on_frontier": 4})
    [own] = answer.result.groups
    assert (own.label, own.line) == ("H100 SXM", ((100, 10), (50, 100), (40, 130), (10, 140)))
    assert (round(own.knee.x), own.knee.y) == (40, 130)
    assert kinds(answer, "finding") == ["knees", "counts"]
    assert said(answer, "counts") == {"points": 5, "overall": 4}
    alone = pareto.answer(small, View.of({"accelerator": ["h200"], "evidence": ["measured"]}))
    assert headline(alone) == ("one_frontier", {"points": 1, "on_frontier": 1})
    assert kinds(alone, "finding") == ["point"]
    [spot] = alone.result.overall
    assert (spot.x, spot.y, spot.point.accelerator, spot.point.concurrency) == (20, 400, "h200-sxm", 64)
    assert statement(alone, "point").point_ids == (spot.point.point_id,)


def flags(*kinds):
    return json.dumps([{"kind": kind, "seen": "No hardware.", "why": "Unclear.", "do": "Ask."} for kind in kinds])


def test_a_sentence_that_rests_on_a_flagged_point_says_so(tmp_path):
    rows = [
        point(200, 20, flags=flags("undefined-throughput")),
        point(260, 25),
        point(20, 30, accelerator="h200-sxm"),
        point(800, 50, accelerator="h200-sxm"),
    ]
    library = Library.open(tmp_path / "library", shipped=False)
    assert not library.add([published(tmp_path / "flagged.csv", rows)]).refused
    told = " (flagged: undefined throughput)."
    assert pareto.answer(library, View()).headline.endswith(told)
    assert "flags" in kinds(pareto.answer(library, View()), "caveat")
    assert pareto.answer(library, View.of(slo=[LIMIT_X])).headline.endswith(told)
    assert pareto.answer(library, View.of({"accelerator": ["h100"]})).headline.endswith(told)
    assert "flagged" not in pareto.answer(library, View.of({"accelerator": ["h200"]})).headline
    out = pareto.answer(library, View.of(options={"flagged": "out"}))
    assert (len(out.rows), out.result.tally.of("flagged")) == (4, 1)


def test_a_flag_that_excludes_keeps_a_point_off_every_frontier_but_on_the_chart(tmp_path):
    rows = [point(900, 10, flags=flags("littles-law")), point(200, 20), point(260, 25)]
    library = Library.open(tmp_path / "library", shipped=False)
    assert not library.add([published(tmp_path / "flagged.csv", rows)]).refused
    answer = pareto.answer(library, View())
    assert places(answer, "on_frontier") == [(50, 100), (40, 130)]
    (hollow,) = answer.rows[~answer.rows["enters"]]["point_id"]
    assert not [one for one in answer.statements if hollow in one.point_ids]
    drawn = {own[0]: trace for trace in pareto.figure(answer.result, LIGHT).data for own in trace.customdata or ()}
    assert drawn[hollow].marker.symbol[0].endswith("-open")


def test_older_runs_are_counted_and_not_drawn(tmp_path):
    rows = [
        point(900, 10, date="2026-01-01", engine_version="0.1", concurrency=4),
        point(200, 20, date="2026-06-01", engine_version="0.2", concurrency=8),
        point(260, 25, date="2026-06-01", engine_version="0.2", concurrency=16),
    ]
    library = Library.open(tmp_path / "library", shipped=False)
    assert not library.add([published(tmp_path / "runs.csv", rows)]).refused
    answer = pareto.answer(library, View())
    assert (answer.result.tally.of("older run"), len(answer.rows)) == (1, 2)
    assert places(pareto.answer(library, View.of(options={"runs": "all"})), "on_frontier") == [(100, 450)]


def test_nothing_selected_nothing_measured_nothing_stored(small, tmp_path):
    nothing = pareto.answer(small, View.of({"model": ["gpt-9"]}))
    assert headline(nothing) == ("no_frontier", {"selected": 0})
    assert kinds(nothing, "coverage", "caveat") == ["not_loaded"]
    lacking = pareto.answer(small, View.of({"concurrency": ["3"]}))
    assert (headline(lacking), lacking.result.instead) == (("no_frontier", {"selected": 1}), None)
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([published(tmp_path / "told.csv", [point(100, 10, evidence="projected")])])
    unmeasured = pareto.answer(library, View())
    assert headline(unmeasured) == ("no_frontier", {"selected": 1})
    assert unmeasured.result.tally.of("other_evidence") == 1
    for answer in (nothing, unmeasured, lacking):
        pareto.figure(answer.result, DARK)


def test_a_whole_view_is_taken_as_it_stands(small):
    whole = View.of(whole=True)
    assert pareto.complete(small, whole).where == ()
    assert pareto.complete(small, View()).where == (
        ("model", ("llama-3.1-70b",)),
        ("precision", ("fp8",)),
        ("isl", ("1024",)),
        ("osl", ("256",)),
    )
    again = pareto.complete(small, View())
    assert pareto.complete(small, again) == again


def test_mixed_workloads_are_named(tmp_path):
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([published(tmp_path / "two.csv", [point(100, 10), point(200, 20, isl=8192)])])
    answer = pareto.answer(library, View.of(whole=True))
    assert (said(answer, "mixed"), answer.result.mixed["isl"]) == ({"unlike": 1}, (1024, 8192))


def test_hostile_names_are_text_everywhere(tmp_path):
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([published(tmp_path / "odd.csv", [point(100, 10, variant=HOSTILE), point(200, 20, variant=HOSTILE)])])
    answer = pareto.answer(library, View.of(options={"group": "variant"}))
    drawn = pareto.figure(answer.result, LIGHT).to_json()
    assert "<b>%{x}" not in drawn
    assert "\\u003cb\\u003e%{x}" not in drawn
    assert "\\u001b" not in drawn
    assert "U+202E" in drawn


def test_the_chart_shows_evidence_engine_knee_and_limits(small):
    answer = pareto.answer(small, View.of(slo=[LIMIT_X, f"{Y}>=50"]))
    for theme in (LIGHT, DARK):
        figure = pareto.figure(answer.result, theme)
        symbols = {symbol for trace in figure.data for symbol in _listed(trace.marker.symbol)}
        assert {"circle", "square", "circle-open"} <= symbols
        assert [shape.line.dash for shape in figure.layout.shapes if shape.line.dash] == ["dash", "dash"]
        assert "(tokens/s/user)" in figure.layout.xaxis.title.text
        assert "(tokens/s/accelerator)" in figure.layout.yaxis.title.text
        ids = {own[0] for trace in figure.data for own in trace.customdata or ()}
        assert ids == set(answer.rows["point_id"])


def _listed(value):
    return [value] if isinstance(value, str) else [] if value is None else list(value)


class Points:
    """A table `points` as the SQL of a library sees it, for values no import would let in."""

    def __init__(self, found):
        frame = pd.DataFrame(found, columns=["point_id", "engine", "accelerator", "marked", X, Y])
        for name in (X, Y):
            frame[name] = frame[name].astype(object)
        self.connection = duckdb.connect()
        self.connection.register("frame", frame)
        self.connection.execute(
            f'CREATE TABLE points AS SELECT * REPLACE (CAST("{X}" AS DOUBLE) AS "{X}", CAST("{Y}" AS DOUBLE) AS "{Y}")'
            " FROM frame"
        )

    def query(self, sql, params=()):
        return self.connection.cursor().execute(sql, list(params)).df()

    def has(self, column):
        return True


VALUE = st.one_of(st.none(), st.integers(0, 4).map(float), st.sampled_from([math.nan, math.inf, -math.inf]))
NAME = st.sampled_from(["a", "b", None])


@settings(max_examples=times(40, 12, 20))
@given(
    st.lists(st.tuples(NAME, NAME, st.booleans(), VALUE, VALUE), min_size=1, max_size=25),
    st.sampled_from([X, "ttft_ms_p50"]),
    st.sampled_from([Y, "joules_per_output_token"]),
)
def test_the_sql_is_what_comparing_every_pair_leaves(drawn, x, y):
    found = [(f"{number:02x}", *row) for number, row in enumerate(drawn)]
    library = Points(found)
    sql = Clause(choosing.finite_sql(library, Y), ())
    axes = Axes(catalogue.metric(x), catalogue.metric(y), "engine", choosing.finite_sql(library, X), sql)
    better = ("higher" if x == X else "lower", "higher" if y == Y else "lower")
    assert axes.better == better
    frame = points.reduced(library, axes, Clause("TRUE", ()), [Clause("marked", ())])
    for rows, own in ((frame, found), (frame[frame["mark"] == 1], [row for row in found if row[3]])):
        told = maths.frontiers(*(rows[name].tolist() for name in ("x", "y", "owner", "point_id")), *better)
        ids = rows["point_id"].tolist()
        assert {ids[at] for at in told.overall} == brute_force([(row[0], *row[4:]) for row in own], *better)
        for owner in ("a", "b", None):
            line = {ids[at] for at in told.lines.get(owner or "", ())}
            assert line == brute_force([(row[0], *row[4:]) for row in own if row[1] == owner], *better)


def groups_of_deepseek(library):
    return library.fetch(
        "SELECT DISTINCT precision, isl, osl FROM points WHERE model = 'deepseek-r1' AND isl IS NOT NULL ORDER BY ALL"
    )


@pytest.mark.parametrize("x", [X, "ttft_ms_p50", "e2el_ms_p50"])
def test_deepseek_r1_equals_comparing_every_pair(shipped, x):
    seen = 0
    every = groups_of_deepseek(shipped)
    for precision, isl, osl in every if x == X else some(every[::2], 2):
        view = View.of(
            {"model": ["deepseek-r1"], "precision": [precision], "isl": [int(isl)], "osl": [int(osl)]}, {"x": x, "y": Y}
        )
        answer = pareto.answer(shipped, view)
        found = [
            row[:4]
            for row in shipped.fetch(
                f'SELECT point_id, "{x}", "{Y}", accelerator, flags FROM points WHERE model = \'deepseek-r1\''
                " AND precision = ? AND isl = ? AND osl = ? AND evidence = 'measured'"
                " AND point_id NOT IN (SELECT point_id FROM set_aside)",
                (precision, isl, osl),
            )
            if not {flag["kind"] for flag in json.loads(row[4] or "[]")} & set(EXCLUDING)
        ]
        better = "higher" if x == X else "lower"
        rows = answer.rows
        assert set(rows[rows["on_overall_frontier"]]["point_id"]) == brute_force(
            [row[:3] for row in found], better, "higher"
        )
        for accelerator in {row[3] for row in found}:
            own = rows[(rows["accelerator"] == accelerator) & rows["on_frontier"]]
            assert set(own["point_id"]) == brute_force(
                [row[:3] for row in found if row[3] == accelerator], better, "higher"
            )
        seen += len(found)
    assert seen > (600 if x == X else times(250, 60))


def test_the_default_story_is_one_model_one_precision_one_workload(shipped):
    answer = pareto.answer(shipped, View())
    rows = answer.rows
    assert {rows[name].nunique() for name in ("model", "precision", "isl", "osl")} == {1}
    assert rows["accelerator"].nunique() >= 5
    assert answer.view.option("x") == X
    assert answer.view.option("y") == Y
    assert answer.view.whole
    assert {"who_leads", "leaders", "knees", "counts"} == set(kinds(answer, "finding"))
    for one, following in pairwise(answer.result.overall):
        assert one.x > following.x
        assert one.y < following.y


def test_the_result_is_one_json_document(shipped):
    told = plain(document(pareto.answer(shipped, View()).result))
    assert json.loads(json.dumps(told, allow_nan=False)) == told


def test_every_choice_offered_gives_an_answer(shipped):
    view = pareto.complete(shipped, View.of({"accelerator": ["h100"], "model": ["deepseek-r1"]}))
    offered = {key: [value for value, _ in found] for key, found in pareto.choices(shipped, view).items()}
    assert {"latency", "per_user"} == {catalogue.metric(key).kind for key in offered["x"]}
    for turn in some(range(max(len(offered[key]) for key in ("x", "y", "group"))), 4):
        taken = {
            key: offered[key][(turn + shift) % len(offered[key])] for key, shift in (("x", 0), ("y", 7), ("group", 3))
        }
        assert pareto.answer(shipped, view.with_options(**taken)).headline
