"""The Pareto question: equal to comparing every pair, true to the directions, plain about what it leaves out."""

from __future__ import annotations

import csv
import json
import math
from itertools import pairwise
from pathlib import Path

import duckdb
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import catalogue
from bench.chart import DARK, LIGHT
from bench.errors import UsageError
from bench.library import Library
from bench.questions import pareto
from bench.questions.pareto import points
from bench.questions.pareto.axes import Axes
from bench.view import View
from tests.thorough import some, times

X, Y = "interactivity_tokens_per_s_per_user_p50", "output_tokens_per_s_per_accelerator"
HOSTILE = "<b>%{x}</b> **bold** =1+1 \u202e\x1b[31m"


def beaten(one, other, better_x, better_y):
    """Whether `other` is at least as good in both and better in one."""
    along = [(a - b) * (1 if better == "higher" else -1)
             for a, b, better in zip(other, one, (better_x, better_y), strict=True)]  # fmt: skip
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


def table(path: Path, rows: list[dict[str, object]]) -> Path:
    """A published table of these rows."""
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.DictWriter(lines, columns)
        writer.writeheader()
        writer.writerows(rows)
    return path


def point(throughput: float | None, tpot: float | None, **facts: object) -> dict[str, object]:
    return {
        "model": "llama-3.1-70b", "precision": "fp8", "engine": "vllm", "accelerator": "h100-sxm", "accelerators": 2,
        "isl": 1024, "osl": 256, "evidence": "measured", "output_tokens_per_s": throughput, "tpot_ms_p50": tpot,
        **facts,
    }  # fmt: skip


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """Seven points worked out by hand: 2 chips, so per chip is half; interactivity is 1000 / TPOT.

    H100: (100, 10) (50, 100) (40, 130) (10, 140), and (25, 90), which (50, 100) beats. H200: (20, 400) measured and
    (200, 500) projected. Three more lack a figure.
    """
    folder = tmp_path_factory.mktemp("small")
    (folder / "library" / "prices").mkdir(parents=True)
    table(folder / "library" / "prices" / "made.csv", [
        {"provider": name, "accelerator": "h100-sxm", "accelerators": 1, "terms": "on_demand", "usd_per_hour": usd}
        for name, usd in (("a", 2.0), ("b", 3.6), ("c", 9.0))
    ])  # fmt: skip
    rows = [
        point(20, 10, concurrency=1), point(200, 20, concurrency=8), point(260, 25, concurrency=16),
        point(280, 100, concurrency=64), point(180, 40, concurrency=8, engine="sglang"),
        point(800, 50, accelerator="h200-sxm", concurrency=64),
        point(1000, 5, accelerator="h200-sxm", concurrency=64, evidence="projected"),
        point(None, 10, concurrency=2), point(300, None, concurrency=2),
        point(None, None, concurrency=3, ttft_ms_p50=5),
    ]  # fmt: skip
    library = Library.open(folder / "library", shipped=False)
    report = library.add([table(folder / "results.csv", rows)])
    assert not report.refused
    return library


def places(frame, mark):
    return [(round(row[X]), round(row[Y])) for row in frame[frame[mark]].to_dict("records")]


def test_the_frontiers_worked_out_by_hand(small):
    answer = pareto.answer(small, View())
    h100 = answer.rows[answer.rows["accelerator"] == "h100-sxm"]
    assert places(h100, "on_frontier") == [(100, 10), (50, 100), (40, 130), (10, 140)]
    assert places(answer.rows, "on_overall_frontier") == [(20, 400), (100, 10), (50, 100), (40, 130)]
    assert places(h100, "is_knee") == [(40, 130)]
    assert h100[h100["on_frontier"]]["step"].tolist() == [
        None,
        "10 times the throughput for +10 ms TPOT",
        "+30 % throughput for +5 ms TPOT",
        "+7.7 % throughput for +75 ms TPOT",
    ]


def test_the_headline_says_who_leads_where(small):
    answer = pareto.answer(small, View())
    assert answer.headline == (
        "On Llama 3.1 70B FP8 at 1,024/256, H200 SXM gives the most per chip at median interactivity up to"
        " 20 tokens/s/user and H100 SXM up to 100."
    )
    assert answer.findings[0] == "Knee, in tokens/s per chip at tokens/s/user: H100 SXM 130 at 40."
    assert answer.numbers["leads"] == [
        {"group": "H200 SXM", "beyond": None, "from": 20.0, "to": 20.0},
        {"group": "H100 SXM", "beyond": 20.0, "from": 40.0, "to": 100.0},
    ]


def test_what_is_left_out_and_not_measured_is_counted(small):
    told = pareto.answer(small, View()).caveats
    assert told == (
        "3 of 10 selected points left out: 2 have no median interactivity and"
        " 2 have no output throughput per accelerator.",
        "1 point not measured (projected): shown open, not ranked.",
    )  # fmt: skip


def test_other_evidence_enters_when_the_reader_asks(small):
    answer = pareto.answer(small, View.of(options={"frontier_evidence": "all"}))
    assert places(answer.rows, "on_overall_frontier") == [(200, 500)]
    assert "(measured and projected)" in answer.headline
    alone = pareto.answer(small, View.of({"evidence": ["projected"]}, {"frontier_evidence": "all"}))
    assert "(projected)" in alone.headline
    assert "projected" not in pareto.answer(small, View()).headline
    best = pareto.answer(small, View.of(options={"frontier_evidence": "all", "slo_x": 45})).headline
    assert best.endswith(", projected.")


def test_the_best_point_within_the_limits(small):
    answer = pareto.answer(small, View.of(options={"slo_x": 45}))
    assert answer.numbers["best_within"]["x"] == 50
    assert answer.headline == (
        "With median interactivity of 45 tokens/s/user or more, the best is 100 tokens/s per chip at"
        " 50: Llama 3.1 70B, FP8, 2 x H100 SXM, vLLM, 1,024 in / 256 out, concurrency 8."
    )
    assert "H200 SXM does not reach it." in answer.findings[0]
    none = pareto.answer(small, View.of(options={"slo_x": 45, "slo_y": 200}))
    assert none.numbers["best_within"] is None
    assert none.headline.startswith("No point that may enter has median interactivity of 45")


def test_a_cost_stands_on_the_median_price(small):
    cost = "usd_per_million_output_tokens"
    answer = pareto.answer(small, View.of(options={"y": cost, "utilisation": "0.5", "price_book": "made"}))
    # 3.6 USD/h x 2 chips / (260 tokens/s x 0.5 x 3600 s) x 1e6
    own = answer.rows[(answer.rows[X].round() == 40)]
    assert own[cost].tolist() == [pytest.approx(3.6 * 2 / (260 * 0.5 * 3600) * 1e6)]
    assert answer.view.option("price_terms") == "on_demand"
    assert "Prices from made, on demand: H100 SXM 3.60 USD/h (median of 3 quotes, 2 to 9)." in answer.caveats
    assert "made has no on demand price for H200 SXM: left out." in answer.caveats
    assert set(answer.rows["accelerator"]) == {"h100-sxm"}
    assert any("utilisation 0.5" in why.inputs for why in answer.why)


@pytest.mark.parametrize(
    "options",
    [{"y": X}, {"x": Y}, {"x": "nonsense"}, {"group": "point_id; DROP"}, {"slo_x": "many"}, {"slo_y": "inf"},
     {"slo_x": "1e300"}, {"slo_x": "0"}, {"slo_y": "-5"},
     {"y": "usd_per_million_output_tokens", "utilisation": "0"},
     {"y": "usd_per_million_output_tokens", "price_book": "none"}],
)  # fmt: skip
def test_what_cannot_be_is_refused_in_a_sentence(small, options):
    with pytest.raises(UsageError):
        pareto.answer(small, View.of(options=options))


def test_a_limit_no_point_could_meet_is_refused_like_a_word(small):
    with pytest.raises(
        UsageError, match=r"slo_x='1e300' is no limit above 0 and at most 1e12; write it as in slo_x=60"
    ):
        pareto.answer(small, View.of(options={"slo_x": "1e300"}))
    far = pareto.answer(small, View.of(options={"slo_x": "1e12"}))
    assert (
        far.headline
        == "No point that may enter has median interactivity of 1,000,000,000,000 tokens/s/user or more."
    )
    drawn = pareto.figure(far, LIGHT)
    right = drawn.layout.xaxis.range[1]
    assert [(shape.x0 < right, shape.x1) for shape in drawn.layout.shapes] == [(True, right)]


def test_the_grid_keeps_the_frontiers_exact(small, monkeypatch):
    exact = pareto.answer(small, View())
    monkeypatch.setattr(pareto, "DRAWN_POINTS", 3)
    binned = pareto.answer(small, View())
    assert binned.rows["point_id"].tolist() == pareto.table(exact)["point_id"].tolist()
    assert binned.rows["step"].tolist() == pareto.table(exact)["step"].tolist()
    assert sum(cell[2] for cell in binned.numbers["cloud"]["cells"]) == exact.numbers["usable"] == 7
    assert (binned.headline, binned.findings) == (exact.headline, exact.findings)
    assert binned.caveats == ("7 points counted in a grid; every frontier is exact.", *exact.caveats)
    assert len(binned.numbers["cloud"]["x_edges"]) == points.BINS_ACROSS + 1
    assert pareto.figure(binned, LIGHT).data[0].type == "heatmap"


def test_one_group_is_told_by_its_ends(small):
    answer = pareto.answer(small, View.of({"accelerator": ["h100"]}))
    assert answer.headline == (
        "Of 5 points of Llama 3.1 70B FP8 at 1,024/256 on H100 SXM, 4 are worth choosing, from 10 tokens/s per chip at"
        " 100 tokens/s/user to 140 at 10; the knee is 130 at 40."
    )
    alone = pareto.answer(small, View.of({"accelerator": ["h200"], "evidence": ["measured"]}))
    assert alone.headline == (
        "Only one point of Llama 3.1 70B FP8 at 1,024/256 on H200 SXM has both metrics,"
        " 400 tokens/s per chip at 20 tokens/s/user; a frontier needs two."
    )
    assert alone.findings == (
        "That point is Llama 3.1 70B, FP8, 2 x H200 SXM, vLLM, 1,024 in / 256 out, concurrency 64.",
        "For a frontier, choose other or more values of precision, accelerator, input length, output length or"
        " evidence in the filters.",
    )


FLAG = json.dumps([{"kind": "undefined-throughput", "seen": "No hardware.", "why": "Unclear.", "do": "Ask."}])


def test_a_headline_that_rests_on_a_flagged_point_says_so(tmp_path):
    rows = [
        point(200, 20, flags=FLAG), point(260, 25), point(20, 30, accelerator="h200-sxm"),
        point(800, 50, accelerator="h200-sxm"),
    ]  # fmt: skip
    library = Library.open(tmp_path / "library", shipped=False)
    assert not library.add([table(tmp_path / "flagged.csv", rows)]).refused
    told = " (1 of 3 points flagged: undefined throughput)."
    overall = pareto.answer(library, View())
    assert overall.headline.endswith(told)
    assert "1 frontier point flagged: undefined throughput." in overall.caveats
    best = pareto.answer(library, View.of(options={"slo_x": 45}))
    assert best.headline.endswith(" (flagged: undefined throughput).")
    one = pareto.answer(library, View.of({"accelerator": ["h100"]}))
    assert one.headline.endswith(" (1 of 2 points flagged: undefined throughput).")
    assert "flagged" not in pareto.answer(library, View.of({"accelerator": ["h200"]})).headline


def test_nothing_selected_nothing_measured_nothing_stored(small):
    nothing = pareto.answer(small, View.of({"model": ["gpt-9"]}))
    assert nothing.headline == "No point is selected."
    assert nothing.caveats == ("Nothing is loaded for model gpt-9.",)
    unmeasured = pareto.answer(small, View.of({"evidence": ["projected"]}, {"frontier_evidence": "measured"}))
    assert unmeasured.headline.startswith("None of the 1 point of Llama 3.1 70B FP8 at 1,024/256 is measured")
    lacking = pareto.answer(small, View.of({"concurrency": ["3"]}))
    assert lacking.headline == (
        "The selected point of Llama 3.1 70B FP8 at 1,024/256 has not both median interactivity and output throughput"
        " per accelerator; the Data page lists what it has."
    )
    for answer in (nothing, unmeasured, lacking):
        pareto.figure(answer, DARK)


def test_a_whole_view_is_taken_as_it_stands(small):
    whole = View.of(whole=True)
    assert pareto.complete(small, whole).where == ()
    assert pareto.complete(small, View()).where == (
        ("model", ("llama-3.1-70b",)), ("precision", ("fp8",)), ("isl", ("1024",)), ("osl", ("256",)),
    )  # fmt: skip
    again = pareto.complete(small, View())
    assert pareto.complete(small, again) == again


def test_mixed_workloads_are_named(tmp_path):
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([table(tmp_path / "two.csv", [point(100, 10), point(200, 20, isl=8192)])])
    assert (
        "Unlike points share these axes: 2 workloads." in pareto.answer(library, View.of(whole=True)).caveats
    )
    assert not pareto.answer(library, View()).caveats


def test_hostile_names_are_text_everywhere(tmp_path):
    library = Library.open(tmp_path / "library", shipped=False)
    library.add(
        [table(tmp_path / "odd.csv", [point(100, 10, variant=HOSTILE), point(200, 20, variant=HOSTILE)])]
    )
    answer = pareto.answer(library, View.of(options={"group": "variant"}))
    drawn = pareto.figure(answer, LIGHT).to_json()
    assert "<b>%{x}" not in drawn
    assert "\\u003cb\\u003e%{x}" not in drawn
    assert "\\u001b" not in drawn
    assert "U+202E" in drawn


def test_the_chart_shows_evidence_engine_knee_and_limits(small):
    answer = pareto.answer(small, View.of(options={"slo_x": 45, "slo_y": 50}))
    for theme in (LIGHT, DARK):
        figure = pareto.figure(answer, theme)
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
        frame = pd.DataFrame(found, columns=["point_id", "owner_of", "measured", X, Y])
        for name in points.IDENTITY:
            if name != "point_id":
                frame[name] = None
        frame["accelerator"] = frame.pop("owner_of")
        frame["evidence"] = frame.pop("measured").map({True: "measured", False: "projected"})
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


VALUE = st.one_of(st.none(), st.integers(0, 4).map(float), st.sampled_from([math.nan, math.inf, -math.inf]))


@settings(max_examples=times(40, 12))
@given(
    st.lists(
        st.tuples(st.sampled_from(["a", "b", None]), st.booleans(), VALUE, VALUE), min_size=1, max_size=25
    ),
    st.sampled_from([X, "ttft_ms_p50"]),
    st.sampled_from([Y, "usd_per_million_output_tokens"]),
)
def test_the_sql_is_what_comparing_every_pair_leaves(drawn, x, y):
    found = [(f"{number:02x}", *row) for number, row in enumerate(drawn)]
    library = Points(found)
    axes = Axes(catalogue.metric(x), catalogue.metric(y), f'"{Y}"', (), "accelerator", False, {})
    library.connection.execute(f'ALTER TABLE points RENAME COLUMN "{X}" TO "{x}"')
    better = ("higher" if x == X else "lower", "higher" if y == Y else "lower")
    expected = set()
    for owner in ("a", "b", None):
        own = [(row[0], row[3], row[4]) for row in found if row[1] == owner and row[2]]
        expected |= brute_force(own, *better)
    every = points.every_point(library, View(), axes)
    alone = points.frontier_points(library, View(), axes)
    assert set(every[every["on_frontier"]]["point_id"]) == set(alone["point_id"]) == expected
    assert every[[x, y]].map(math.isfinite).all(axis=None)


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
            {"model": ["deepseek-r1"], "precision": [precision], "isl": [int(isl)], "osl": [int(osl)]},
            {"x": x, "y": Y},
        )
        answer = pareto.answer(shipped, view)
        found = shipped.fetch(
            f'SELECT point_id, "{x}", "{Y}", accelerator FROM points WHERE model = \'deepseek-r1\' AND precision = ?'
            " AND isl = ? AND osl = ? AND evidence = 'measured'",
            (precision, isl, osl),
        )
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
    assert seen > (1500 if x == X else times(700, 150))


def test_the_default_story_is_one_model_one_precision_one_workload(shipped):
    answer = pareto.answer(shipped, View())
    rows = answer.rows
    assert {rows[name].nunique() for name in ("model", "precision", "isl", "osl")} == {1}
    assert rows["accelerator"].nunique() >= 5
    assert answer.view.option("x") == X
    assert answer.view.option("y") == Y
    assert answer.view.whole
    assert any(finding.startswith("Knees, ") for finding in answer.findings)
    for one, following in pairwise(answer.numbers["frontier"]):
        assert one["x"] > following["x"]
        assert one["y"] < following["y"]


def test_the_answer_is_plain_data(shipped):
    answer = pareto.answer(shipped, View())
    assert json.loads(json.dumps(answer.numbers, allow_nan=False)) == answer.numbers


def test_every_choice_offered_gives_an_answer(shipped):
    view = pareto.complete(shipped, View.of({"accelerator": ["h100"], "model": ["deepseek-r1"]}))
    offered = {key: [value for value, _ in found] for key, found in pareto.choices(shipped, view).items()}
    for turn in range(max(len(offered[key]) for key in ("x", "y", "group"))):
        taken = {
            key: offered[key][(turn + shift) % len(offered[key])]
            for key, shift in (("x", 0), ("y", 7), ("group", 3))
        }
        assert pareto.answer(shipped, view.with_options(**taken)).headline


def test_a_small_step_reads_well(tmp_path):
    library = Library.open(tmp_path / "library", shipped=False)
    rows = [
        point(100, None, ttft_ms_p50=10),
        point(118, None, ttft_ms_p50=10.004),
        point(130, None, ttft_ms_p50=12),
    ]
    library.add([table(tmp_path / "near.csv", rows)])
    answer = pareto.answer(library, View.of(options={"x": "ttft_ms_p50"}))
    assert answer.rows["step"].tolist() == [
        None, "+18 % throughput for under 0.01 ms more TTFT", "+10 % throughput for +2.00 ms TTFT",
    ]  # fmt: skip
