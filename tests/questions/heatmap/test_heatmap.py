"""The Heatmap question: published values in their cells, the best run of each, and plain about what it leaves out."""

from __future__ import annotations

import json
import math
from itertools import cycle
from pathlib import Path

import pytest

from bench.chart import DARK, LIGHT
from bench.errors import UnknownName, UsageError
from bench.library import Library
from bench.questions import heatmap
from bench.questions.heatmap import defaults
from bench.view import View
from tests.questions.heatmap.results import asked, by_place, library_of, point

HOSTILE = "<b>%{x}</b> **bold** =1+1 | \u202e"


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """One panel of 4 chips and one of 8, worked out by hand.

    At 4 chips: 128/128 was run three times at concurrency 16 (90, 100, 400: median 100) and once at 64 (120, the
    best); 1024/128 gave 60; 128/1024 failed; 1024/1024 has a latency and no throughput. At 8 chips only 128/128.
    """
    rows = [
        point(128, 128, 90, repeat=1), point(128, 128, 400, repeat=2), point(128, 128, 100, repeat=3),
        point(128, 128, 120, concurrency=64), point(1024, 128, 60),
        point(128, 1024, requests_ok=0, requests_failed=32), point(1024, 1024, ttft_ms_p50=50),
        point(128, 128, 180, accelerators=8, tp=8),
        point(128, 128, 9000, load_kind="saturated", concurrency=None),
        point(128, 128, 8000, evidence="projected"),
        point(128, 128, 7000, load_kind="batch", concurrency=None, batch=8),
        {**point(128, 128, 6000), "isl": None},
    ]  # fmt: skip
    return library_of(tmp_path_factory.mktemp("small"), rows)


def test_the_published_values_of_llama_on_h200(shipped):
    where = {"model": ["llama-3.1-70b"], "accelerator": ["h200"], "engine_version": ["0.17"]}
    answer = heatmap.answer(
        shipped, View.of(where, {"x": "isl", "y": "osl", "metric": "output_tokens_per_s"})
    )
    cells = by_place(answer)
    assert answer.view.option("panel") == "accelerators"
    assert {chips: cells[chips, 1000, 1000]["value"] for chips in (1, 2, 4, 8)} == {
        1: 2823.45, 2: 5164.76, 4: 8911.29, 8: 13181.24,
    }  # fmt: skip
    # 21,195.88 at 128/2,048 against 1,920.45 at 20,000/2,000, both on 8 chips: 11.04 times.
    assert answer.headline == (
        "Llama 3.1 70B FP8 on 8 H200 SXM peaks at 21,196 tokens/s output throughput at 128/2,048 tokens in/out;"
        " at 20,000/2,000 it is 11.0 times lower."
    )
    # 36 cells of 4 panels over 6 input and 6 output lengths.
    assert (
        answer.findings[-1]
        == "36 of the 144 cells (6 x 6 in 4 panels) are measured (25 %) and 108 hold no point."
    )


def test_a_cell_is_its_best_run_and_a_run_the_median_of_its_repeats(small):
    cells = by_place(heatmap.answer(small, asked()))
    best = cells[4, 128, 128]
    assert (best["value"], best["concurrency"], best["points"], best["repeats"]) == (120, 64, 4, 1)
    level = by_place(heatmap.answer(small, asked(load="concurrency=16")))[4, 128, 128]
    assert (level["value"], level["points"], level["repeats"]) == (100, 3, 3)


def test_measured_failed_without_the_metric_and_never_measured_differ(small):
    answer = heatmap.answer(small, asked())
    states = {place: cell["state"] for place, cell in by_place(answer).items()}
    assert states == {
        (4, 128, 128): "measured", (4, 1024, 128): "measured", (4, 128, 1024): "failed",
        (4, 1024, 1024): "no metric", (8, 128, 128): "measured",
    }  # fmt: skip
    assert all((cell["value"] is None) == (cell["state"] != "measured") for cell in answer.numbers["cells"])
    drawn = json.loads(heatmap.figure(answer, LIGHT).to_json())
    marks = [text for row in drawn["data"][0]["text"] for text in row if text]
    assert len(marks) == 2
    assert {"×" in mark for mark in marks} == {True, False}


def test_for_a_latency_the_smallest_is_best(tmp_path):
    rows = [point(128, 128, ttft_ms_p50=ms, concurrency=level) for ms, level in ((20, 1), (90, 64), (30, 8))]
    answer = heatmap.answer(
        library_of(tmp_path, [*rows, point(512, 128, ttft_ms_p50=80)]), asked(metric="ttft_ms_p50")
    )
    assert by_place(answer)[4, 128, 128]["value"] == 20
    assert answer.headline == (
        "Llama 3.1 70B FP8 on 4 H100 SXM is best at 20 ms median TTFT at 128/128 tokens in/out and concurrency 1;"
        " at 512/128 it is 4 times higher."
    )


def test_what_is_left_out_is_counted_and_adds_up(small):
    answer = heatmap.answer(small, asked())
    numbers = answer.numbers
    assert numbers["load_kind"] == "closed"
    assert numbers["left_out"] == {
        "no_metric": 2,
        "no_axis": 1,
        "not_measured": 1,
        "other_load_kinds": 2,
        "panels": 0,
    }
    assert numbers["used"] == 6
    assert numbers["selected"] == 12
    assert answer.caveats == (
        "1 point without input length or output length is left out.",
        "2 points without output throughput are left out.",
        "1 point that was not measured is left out.",
        "Only points under closed load are shown; 2 points under static batches and saturating load are left out.",
    )


SELECTIONS = [
    {}, {"model": ["deepseek-r1"]}, {"source": ["ibm-llm-pilot"]}, {"source": ["mlperf"]},
    {"evidence": ["projected", "measured"]}, {"load_kind": ["closed", "batch"]},
]  # fmt: skip


AXES = [("isl", "osl"), ("concurrency", "accelerators"), ("batch", "tp")]


@pytest.mark.parametrize(
    ("where", "axes"),
    [*zip(SELECTIONS, cycle(AXES), strict=False), *zip(SELECTIONS, cycle(AXES[1:]), strict=False)],
)
def test_every_selected_point_is_used_or_left_out_for_a_reason(shipped, where, axes):
    view = View.of(where, {"x": axes[0], "y": axes[1], "panel": "none"}, whole=True)
    numbers = heatmap.answer(shipped, view).numbers
    assert numbers["used"] + sum(numbers["left_out"].values()) == numbers["selected"]
    assert numbers["selected"] == shipped.fetch("SELECT count(*) FROM points")[0][0] or where
    json.dumps(numbers, allow_nan=False)


def test_several_load_kinds_share_a_grid_only_when_asked(small):
    mixed = heatmap.answer(small, asked().with_where(load_kind=["closed", "saturated"]))
    assert mixed.numbers["load_kind"] is None
    assert by_place(mixed)[4, 128, 128]["value"] == 9000


def test_the_points_behind_a_cell_are_those_it_counts(shipped, small):
    deepseek = View.of({"model": ["deepseek-r1"]})
    views = [
        (small, asked()),
        (shipped, deepseek.with_options(x="isl", y="concurrency")),
        (shipped, deepseek.with_options(x="isl", y="osl", panel="disaggregated")),
    ]
    for library, view in views:
        answer = heatmap.answer(library, view)
        for cell in answer.numbers["cells"][::15]:
            behind = heatmap.points_behind(library, answer.view, cell["cell"])
            assert len(behind) == cell["points"]
            if cell["point_id"] is not None:
                assert cell["point_id"] in set(behind["point_id"])
                assert behind[view.option("metric", "output_tokens_per_s")].iloc[0] >= cell["value"]


def test_what_is_no_cell_is_refused(small):
    for cell in ("", "8", "8|x|y", "|".join("abc")):
        with pytest.raises(UsageError, match="cell"):
            heatmap.points_behind(small, asked(), cell)


def test_an_empty_view_opens_on_one_deployment(shipped):
    whole = heatmap.complete(shipped, View())
    assert {"model", "accelerator", "engine", "load_kind"} <= dict(whole.where).keys()
    answer = heatmap.answer(shipped, whole)
    assert (
        len({(cell["model"], cell["accelerator"], cell["engine"]) for cell in answer.numbers["cells"]}) == 1
    )
    assert answer.numbers["measured"] >= 20


@pytest.mark.parametrize("view", [
    View(), View(whole=True), View.of({"model": ["deepseek-r1"]}), View.of({"model": ["nothing-like-it"]}),
    View.of({"source": ["mlperf"]}), View.of(options={"ratio_by": "engine"}), View.of(options={"x": "tp"}),
    View.of({"model": ["llama-3.1-70b"]}, {"x": "accelerators", "panel": "accelerators"}),
])  # fmt: skip
def test_a_complete_view_leaves_nothing_to_a_default(shipped, view):
    whole = heatmap.complete(shipped, view)
    assert whole.whole
    assert heatmap.complete(shipped, whole) == whole
    assert heatmap.complete(shipped, View.from_query(whole.query())) == whole
    answer = heatmap.answer(shipped, view)
    assert answer.view == whole
    assert answer.headline.endswith(".")
    drawn = {cell["cell"] for cell in answer.numbers["cells"]}
    assert drawn <= set(answer.rows["cell"])
    assert (len(drawn) == len(answer.rows)) == (answer.numbers["left_out"]["panels"] == 0)
    heatmap.figure(answer, DARK)


def test_an_axis_asked_for_twice_and_a_panel_that_is_an_axis_give_way(shipped):
    view = View.of({"model": ["llama-3.1-70b"]}, {"x": "osl", "y": "osl", "panel": "osl"})
    answer = heatmap.answer(shipped, view)
    assert (answer.view.option("x"), answer.view.option("y"), answer.view.option("panel")) == (
        "osl",
        "isl",
        "none",
    )
    assert answer.caveats[0] == "Both axes were asked to be osl; the other is isl instead."


WRONG = {"x": "colour", "panel": "point_id; DROP TABLE points", "metric": "speed", "ratio_by": "weather",
         "scale": "cubic", "load": "concurrency=many"}  # fmt: skip


@pytest.mark.parametrize(("option", "value"), WRONG.items())
def test_a_word_that_is_none_of_ours_is_refused(small, option, value):
    with pytest.raises((UnknownName, UsageError)):
        heatmap.complete(small, asked(**{option: value}))


def test_an_axis_with_too_many_values_is_cut_into_doublings(tmp_path):
    rows = [point(length, 128, 10_000 / length) for length in range(100, 150)]
    answer = heatmap.answer(library_of(tmp_path, rows), asked())
    assert {cell["x"]: cell["points"] for cell in answer.numbers["cells"]} == {64: 28, 128: 22}
    # The best of 64 to 128 is the shortest, 100 tokens: 100 tokens/s.
    assert by_place(answer)[4, 64, 128]["value"] == 100
    assert "Input length has too many values for an axis and is cut into doublings." in answer.caveats
    labels = heatmap.figure(answer, LIGHT).layout.xaxis.ticktext
    assert labels == ("64+", "128+")


def test_beyond_twelve_panels_those_with_most_cells_are_drawn(tmp_path):
    rows = [
        point(128 * cell, 128, 10 * chips, accelerators=chips)
        for chips in range(1, 15)
        for cell in range(1, 3 + (chips > 2))
    ]
    answer = heatmap.answer(library_of(tmp_path, rows), asked())
    assert {cell["panel"] for cell in answer.numbers["cells"]} == set(range(3, 15))
    assert (
        "Not drawn for want of room but in the table: 2 panels with fewer cells; their best is 20 tokens/s, 2 chips at"
        " 128/128." in answer.caveats
    )
    assert set(answer.rows["panel"]) == set(range(1, 15))


def test_the_peak_is_that_of_all_panels_and_its_own_is_always_drawn(tmp_path):
    """Panels of 1 to 13 chips have two cells each; the one of 20 chips has a single cell, and the most by far."""
    rows = [point(128 * cell, 128, chips, accelerators=chips) for chips in range(1, 14) for cell in (1, 2)]
    answer = heatmap.answer(library_of(tmp_path, [*rows, point(128, 128, 5000, accelerators=20)]), asked())
    assert answer.headline == (
        "Llama 3.1 70B FP8 on 20 H100 SXM peaks at 5,000 tokens/s output throughput at 128/128 tokens in/out and"
        " concurrency 16, the only measured cell of its panel."
    )
    drawn = {cell["panel"] for cell in answer.numbers["cells"]}
    assert len(drawn) == 12
    assert 20 in drawn
    assert answer.numbers["left_out"]["panels"] == 2
    assert heatmap.figure(answer, LIGHT).layout.shapes


@pytest.mark.parametrize("where", [{"model": ["deepseek-r1"]}, {"accelerator": ["h200-sxm"]}, {}])
def test_the_headlines_peak_is_the_largest_that_sql_finds(shipped, where):
    """DeepSeek R1: 352,877 tokens/s on 34 GB300, in one of 15 panels that the chart once had no room for."""
    view = View.of(where, {"x": "isl", "y": "concurrency", "metric": "output_tokens_per_s"}, whole=True)
    answer = heatmap.answer(shipped, view)
    asked = "".join(f" AND {key} = '{value}'" for key, (value,) in where.items())
    (most,) = shipped.fetch(
        "SELECT max(output_tokens_per_s) FROM points WHERE evidence = 'measured' AND load_kind = 'closed'"
        f" AND isl IS NOT NULL AND concurrency IS NOT NULL{asked}"
    )[0]
    assert answer.numbers["peak"]["value"] == most
    assert f" {most:,.0f} tokens/s " in answer.headline
    assert answer.numbers["peak"]["cell"] in {cell["cell"] for cell in answer.numbers["cells"]}
    if answer.numbers["left_out"]["panels"]:
        assert any(caveat.startswith("Not drawn for want of room") for caveat in answer.caveats)


def test_a_story_of_the_readers_models_never_mixes_workloads_or_precisions(shipped):
    """DeepSeek R1 was measured at FP4 and FP8 and at two output lengths; its grid is of one of each."""
    answer = heatmap.answer(shipped, View.of({"model": ["deepseek-r1"]}))
    axes = {answer.view.option(key) for key in ("x", "y", "panel")}
    for key in {"isl", "osl", "precision"} - axes:
        assert len(answer.view.values(key)) == 1
        assert len({cell[key] for cell in answer.numbers["cells"] if cell["point_id"]}) == 1
        assert not any(f"{key}s (" in caveat for caveat in answer.caveats)
    assert answer.caveats[0].startswith("Narrowed to FP8 and 1,024 tokens out; ")
    said, whole = (shipped.fetch(f"SELECT count(*) FROM points WHERE model = 'deepseek-r1'{and_}")[0][0]
                   for and_ in (" AND precision = 'fp8' AND osl = 1024", ""))  # fmt: skip
    assert f"; {whole - said:,} other points of the selection left out." in answer.caveats[0]
    assert "DeepSeek-R1 FP8 on" in answer.headline
    assert "1,024 tokens out" in answer.headline


def test_what_the_reader_mixes_stays_mixed(shipped):
    view = View.of({"model": ["deepseek-r1"], "osl": ["1024", "8192"], "precision": ["fp4", "fp8"]})
    whole = heatmap.complete(shipped, view)
    assert whole.values("osl") == ("1024", "8192")
    assert whole.values("precision") == ("fp4", "fp8")
    linked = View.of({"model": ["deepseek-r1"]}, whole=True)
    assert heatmap.complete(shipped, linked).where == linked.where
    assert any("2 precisions (fp4 and fp8)" in caveat for caveat in heatmap.answer(shipped, linked).caveats)


def test_lengths_as_they_came_are_no_workload_to_narrow_to(tmp_path):
    """Sixty requests from a data set: each has a length of its own, and pinning one would leave one point."""
    rows = [
        {**point(0, 128, 10 + place, concurrency=2 ** (place % 4)), "isl": None, "isl_actual": 100 + place}
        for place in range(60)
    ]
    view = View.of({"model": ["llama-3.1-70b"]}, {"x": "concurrency", "y": "osl"})
    answer = heatmap.answer(library_of(tmp_path, rows), view)
    assert answer.view.values("isl") == ()
    assert answer.numbers["used"] == 60


def test_points_that_state_no_two_axes_are_told_so_and_where_they_are(shipped):
    """MLPerf's tables state how many accelerators ran, and neither lengths nor a level of load."""
    answer = heatmap.answer(shipped, View.of({"source": ["mlperf"]}))
    held = shipped.fetch("SELECT count(*), count(coalesce(isl, osl, concurrency, batch, request_rate, tp)) FROM points"
                         " WHERE source = 'mlperf' AND evidence = 'measured'")[0]  # fmt: skip
    assert held[1] == 0
    assert answer.headline == (
        f"The {held[0]:,} selected points state no two of the columns a heatmap can have as axes, only accelerators;"
        " the Data page lists what was measured."
    )
    assert [way["page"] for way in answer.numbers["next"]] == ["data"]
    assert heatmap.answer(shipped, View()).numbers["next"] == []


def test_axes_no_point_states_are_told_with_the_two_most_do(small):
    answer = heatmap.answer(small, asked(x="batch", y="request_rate"))
    assert answer.headline == (
        "None of the 11 selected points states both batch and request rate; choose other axes: 11 state output length"
        " and accelerators."
    )


def test_hostile_names_are_text_in_the_figure(tmp_path):
    rows = [
        point(128, 128, 10, variant=HOSTILE),
        point(256, 128, 20, variant=HOSTILE),
        point(128, 128, 5, variant="plain"),
    ]
    library = library_of(tmp_path, rows)
    for options in ({"panel": "variant"}, {"panel": "none", "ratio_by": "variant"}):
        answer = heatmap.answer(library, asked(**options))
        drawn = heatmap.figure(answer, LIGHT)
        texts = [note.text for note in drawn.layout.annotations] + list(drawn.data[-1].hovertext)
        assert any("&lt;b&gt;" in text for text in texts)
        assert not any("<b>%" in text or "%{" in text or "\u202e" in text for text in texts)
    for cell in heatmap.answer(library, asked(panel="variant")).numbers["cells"]:
        assert len(heatmap.points_behind(library, asked(panel="variant"), cell["cell"])) == 1


def test_a_metric_nothing_has_is_said_plainly(small):
    answer = heatmap.answer(small, asked(metric="goodput_requests_per_s"))
    assert answer.headline == "None of the 8 points on this grid has goodput; choose another metric."
    assert {cell["state"] for cell in answer.numbers["cells"]} == {"no metric", "failed"}


def test_choices_offer_only_what_the_selection_holds(small):
    offered = heatmap.choices(small, heatmap.complete(small, asked()))
    assert [key for key, _ in offered["x"]] == ["isl", "osl", "concurrency", "batch", "accelerators", "tp"]
    assert "output_tokens_per_s_per_accelerator" in dict(offered["metric"])
    assert dict(offered["load"])["concurrency=64"] == "Concurrency 64"
    assert dict(offered["panel"]).keys() >= {"accelerators", "none"}
    assert "model" not in dict(offered["panel"])


def test_the_colour_scale_is_logarithmic_above_a_range_of_thirty(tmp_path):
    near = library_of(tmp_path / "near", [point(128, 128, 10), point(256, 128, 290)])
    far = library_of(tmp_path / "far", [point(128, 128, 10), point(256, 128, 310)])
    assert heatmap.answer(near, asked()).numbers["scale"] == "linear"
    assert heatmap.answer(far, asked()).numbers["scale"] == "log"
    assert heatmap.answer(far, asked(scale="linear")).numbers["scale"] == "linear"
    zero = library_of(tmp_path / "zero", [point(128, 128, 0), point(256, 128, 310)])
    assert heatmap.answer(zero, asked(scale="log")).numbers["scale"] == "linear"


def test_flags_of_winning_points_are_named(tmp_path):
    flags = json.dumps(
        [{"kind": "client_limited", "seen": "lag", "why": "it matters", "do": "use more clients"}]
    )
    answer = heatmap.answer(library_of(tmp_path, [point(128, 128, 10, flags=flags)]), asked())
    assert answer.caveats[-1] == "Some winning points are flagged: client limited (1 cell)."


def test_a_peak_that_rests_on_a_flagged_point_says_so_and_what_the_best_without_is(tmp_path):
    flags = json.dumps([{"kind": "littles-law", "seen": "40 times", "why": "it matters", "do": "ask"}])
    rows = [point(128, 128, 90, flags=flags), point(256, 128, 30), point(512, 128, 20)]
    answer = heatmap.answer(library_of(tmp_path, rows), asked())
    assert answer.headline == (
        "Llama 3.1 70B FP8 on 4 H100 SXM peaks at 90 tokens/s output throughput at 128/128 tokens in/out and"
        " concurrency 16, a point flagged against Little's law; at 512/128 it is 4.50 times lower."
    )
    assert answer.findings[0] == "Best without a flag: 30 tokens/s at 256/128."
    assert answer.caveats[-1] == "Some winning points are flagged: against Little's law (1 cell)."


@pytest.mark.parametrize(("value", "words"), [
    (1048576.0, "1048576"), (0.5, "0.5"), (1024.0, "1024"), (123456.75, "123456.75"), ("fp8", "fp8"), (8, "8"),
])  # fmt: skip
def test_a_value_is_written_as_a_filter_reads_it(value, words):
    assert defaults.written(value) == words


def test_every_value_of_the_rows_is_finite_or_absent(shipped):
    frame = heatmap.rows(shipped, View.of({"model": ["deepseek-r1"]}))
    assert all(math.isfinite(value) for value in frame["value"].dropna())
    assert (frame["value"].notna() == (frame["state"] == "measured")).all()


def test_the_headline_names_its_load_kind_and_a_finding_what_is_higher_under_another(
    shipped: Library,
) -> None:
    """Gemma 4 31B: the static batch's 9,600 tokens/s state no lengths, so they lie outside every isl x osl grid."""
    answer = heatmap.answer(
        shipped, View.of({"model": ["gemma-4-31b"]}, {"x": "isl", "y": "osl"}, whole=True)
    )
    assert answer.headline.startswith(
        "Under closed load, Gemma 4 31B BF16 on 8 H100 SXM peaks at 3,050 tokens/s"
    )
    assert answer.findings[0] == (
        "Higher under another load kind, and not in this grid: 9,600 tokens/s under static batches"
        " (4 x TPU v6e (tp 4), batch 768; flagged decode only)."
    )


def test_for_a_latency_the_other_load_kinds_lower_value_is_named(tmp_path: Path) -> None:
    rows = [point(128, 128, ttft_ms_p50=20), point(512, 128, ttft_ms_p50=30),
            point(128, 128, ttft_ms_p50=5, load_kind="open", concurrency=None, request_rate=2),
            point(128, 128, ttft_ms_p50=90, load_kind="saturated", concurrency=None)]  # fmt: skip
    answer = heatmap.answer(library_of(tmp_path, rows), asked(metric="ttft_ms_p50"))
    assert answer.headline.startswith("Under closed load, Llama 3.1 70B FP8 on 4 H100 SXM is best at 20 ms")
    assert answer.findings[0] == (
        "Lower under another load kind, and not in this grid: 5 ms under open load"
        " (4 x H100 SXM (tp 4), 2 requests/s)."
    )


def test_what_won_a_cell_states_both_lengths_or_none(shipped: Library) -> None:
    found = heatmap.rows(shipped, View.of({"model": ["deepseek-r1"]}, {"x": "concurrency", "y": "isl"}))
    assert not [words for words in found["winner"].dropna() if "not stated in" in words]


def test_axes_and_a_metric_the_selection_lacks_still_have_their_names(shipped: Library) -> None:
    """MLPerf's tables state neither tensor parallel nor goodput."""
    view = View.of(
        {"source": ["mlperf"]},
        {"x": "accelerators", "y": "tp", "metric": "goodput_requests_per_s"},
        whole=True,
    )
    offered = heatmap.choices(shipped, heatmap.complete(shipped, view))
    assert dict(offered["y"])["tp"] == "Tensor parallel"
    assert dict(offered["metric"])["goodput_requests_per_s"] == "Goodput"
    assert heatmap.answer(shipped, view).rows.empty
