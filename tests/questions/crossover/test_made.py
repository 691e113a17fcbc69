"""Crossovers of results made up here, small enough to work out by hand: runs, repeats, layouts, prices, loads."""

from __future__ import annotations

import csv
import math
from itertools import pairwise
from pathlib import Path

import pytest

from bench.chart import DARK, LIGHT
from bench.errors import NotFound, UnknownName, UsageError
from bench.library import Library
from bench.questions import crossover
from bench.view import View

A, B = "accelerator=h100-sxm", "accelerator=h200-sxm"
ABOUT = {"model": "llama-3.1-70b", "precision": "fp8", "engine": "vllm", "accelerators": 2, "isl": 1024, "osl": 256,
         "evidence": "measured"}  # fmt: skip


def points(accelerator: str, values: dict[int, float], **facts: object) -> list[dict[str, object]]:
    return [
        {**ABOUT, "accelerator": accelerator, "concurrency": x, "output_tokens_per_s": y, **facts}
        for x, y in values.items()
    ]


def library_of(folder: Path, *rows: list[dict[str, object]], prices: list[dict[str, object]] = ()) -> Library:
    """A library of these points and prices."""
    listed = [row for some in rows for row in some]
    (folder / "library" / "prices").mkdir(parents=True)
    for path, table in (
        (folder / "results.csv", listed),
        (folder / "library" / "prices" / "made.csv", prices),
    ):
        if table:
            with path.open("w", newline="", encoding="utf-8") as lines:
                writer = csv.DictWriter(lines, list(dict.fromkeys(key for row in table for key in row)))
                writer.writeheader()
                writer.writerows(table)
    library = Library.open(folder / "library", shipped=False)
    assert not library.add([folder / "results.csv"]).refused
    return library


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """One deployment, which nothing can be compared with."""
    return library_of(tmp_path_factory.mktemp("alone"), points("h100-sxm", {1: 100, 4: 400}))


def asked(library: Library, a: str = A, b: str = B, **options: object):
    return crossover.answer(library, View.of({}, {"a": a, "b": b, **options}))


def test_the_crossing_of_two_straight_lines(tmp_path):
    """100 x against 400 x^(1/2): equal at x = 16, between the measured 4 and 64."""
    library = library_of(
        tmp_path, points("h100-sxm", {1: 100, 4: 400, 64: 6400}), points("h200-sxm", {1: 400, 4: 800, 64: 3200})
    )  # fmt: skip
    answer = asked(library)
    (crossing,) = answer.numbers["crossings"]
    assert crossing["x"] == pytest.approx(16)
    assert crossing["y"] == pytest.approx(1600)
    assert (crossing["below"], crossing["above"], crossing["leads_after"]) == (4, 64, "a")
    assert answer.headline == (
        "Llama 3.1 70B at 1,024 in / 256 out: 2 x H100 SXM overtakes 2 x H200 SXM at concurrency 16, between the"
        " measured 4 and 64, in output throughput."
    )


def test_of_runs_of_one_deployment_the_newest_counts_and_an_undated_one_is_the_oldest(tmp_path):
    library = library_of(
        tmp_path,
        points("h100-sxm", {1: 100, 4: 900}, date="2026-01-05", engine_version="0.9"),
        points("h100-sxm", {4: 400}, date="2026-03-05", engine_version="0.10"),
        points("h100-sxm", {1: 500, 4: 5000}),
        points("h200-sxm", {1: 50, 4: 200}, date="2026-03-05"),
    )
    answer = asked(library)
    assert [(knot["x"], knot["a"]) for knot in answer.numbers["knots"]] == [(4, 400)]
    assert answer.headline.startswith(
        "Llama 3.1 70B at 1,024 in / 256 out: 2 x H200 SXM never overtakes 2 x H100 SXM"
    )


def test_an_older_run_fills_no_hole_of_a_newer_one(tmp_path):
    """The stale 900 at 8 would put A ahead there and make two crossings; of the newer run nothing is known at 8."""
    library = library_of(
        tmp_path,
        points("h100-sxm", {4: 500, 8: 900, 64: 950}, date="2026-01-05", engine_version="0.9"),
        points("h100-sxm", {4: 100, 64: 400}, date="2026-03-05", engine_version="0.10"),
        points("h200-sxm", {4: 300, 8: 400, 64: 900}, date="2026-03-05"),
    )
    answer = asked(library)
    assert (answer.numbers["kind"], answer.numbers["crossings"]) == ("b_leads", [])
    # Straight on log-log axes from 100 at 4 to 400 at 64: 100 sqrt(2) at 8.
    assert [round(knot["a"], 1) for knot in answer.numbers["knots"]] == [100, 141.4, 400]


def test_where_the_best_series_of_a_side_ends_nothing_crosses(tmp_path):
    library = library_of(
        tmp_path,
        points("h100-sxm", {1: 200, 64: 2000}, tp=2),
        points("h100-sxm", {1: 100, 256: 1000}, tp=1, dp=2),
        points("h200-sxm", {1: 150, 256: 1500}),
    )
    answer = asked(library)
    assert (answer.numbers["kind"], answer.numbers["crossings"]) == ("passes", [])
    (cut,) = answer.numbers["breaks"]
    assert (cut["x"], cut["until"], cut["side"], cut["member"]) == (64, 256, "a", "2 chips, tp 2")
    assert answer.headline.endswith(
        "2 x H100 SXM leads in output throughput at concurrency 1 to 64 (by 33 % to 137 %), 2 x H200 SXM at 256"
        " (by 50 %); between 64 and 256 2 x H100 SXM changes layout from tp 2 (not measured above 64) to dp 2, so no"
        " crossing is placed."
    )
    assert answer.rows["settled"].tolist() == [True, True, False]
    assert answer.rows["a_series"].tolist() == ["2 chips, tp 2", "2 chips, tp 2", "2 chips, dp 2"]
    assert (
        "Above 64 2 x H100 SXM was not measured with tp 2, so whether it would lead there is not known: the lead told"
        " there is of what was measured."
    ) in answer.findings
    assert "2 x H100 SXM was measured with tp 2 at 1 to 64 and dp 2 at 1 to 256." in answer.caveats
    assert [(turn["below"], turn["above"], turn["x"]) for turn in answer.numbers["turns"]] == [
        (64, 256, None)
    ]
    (bracket,) = [shape for shape in crossover.figure(answer, LIGHT).layout.shapes if shape.type == "rect"]
    assert (bracket.x0, bracket.x1) == (64, 256)


def test_where_another_series_is_the_best_within_a_bracket_it_is_named(tmp_path):
    """One layout is 100 throughout, the other rises from 25 to 1,600: together they overtake 200 at 8."""
    library = library_of(
        tmp_path,
        points("h100-sxm", {1: 100, 64: 100}, tp=2),
        points("h100-sxm", {1: 25, 64: 1600}, tp=1, dp=2),
        points("h200-sxm", {1: 200, 64: 200}),
    )
    answer = asked(library)
    (crossing,) = answer.numbers["crossings"]
    assert crossing["x"] == pytest.approx(8)
    assert (
        "Within the bracket of 8 2 x H100 SXM changes from 2 chips, tp 2 to 2 chips, dp 2." in answer.findings
    )


def test_of_layouts_the_best_counts_and_is_named(tmp_path):
    library = library_of(
        tmp_path,
        points("h100-sxm", {1: 100, 4: 300}, tp=2),
        points("h100-sxm", {1: 90, 4: 400}, tp=1, dp=2),
        points("h200-sxm", {1: 50, 4: 200}, tp=2),
    )
    answer = asked(library)
    assert [knot["a"] for knot in answer.numbers["knots"]] == [100, 400]
    assert answer.rows["a_series"].tolist() == ["2 chips, tp 2", "2 chips, dp 2"]
    assert "2 x H100 SXM mixes 2 layouts, the best at each place." in answer.caveats


def test_repeats_give_an_interval_and_other_points_at_one_load_do_not(tmp_path):
    spreads = ((1, 0.99), (2, 1.0), (3, 1.01))
    up = [points("h100-sxm", {1: 80 * by, 4: 500 * by}, repeat=n) for n, by in spreads]
    flat = [points("h200-sxm", {1: 100 * by, 4: 400 * by}, repeat=n) for n, by in spreads]
    (crossing,) = asked(library_of(tmp_path / "repeats", *up, *flat)).numbers["crossings"]
    assert crossing["interval"]["source"] == "repeats"
    assert 1 < crossing["interval"]["low"] < crossing["x"] < crossing["interval"]["high"] < 4
    once = [
        [{key: value for key, value in row.items() if key != "repeat"} for row in rows]
        for rows in (*up, *flat)
    ]
    (crossing,) = asked(library_of(tmp_path / "none", *once)).numbers["crossings"]
    assert crossing["interval"]["source"] == "bracket"


def test_ranges_that_do_not_overlap_and_a_tie_are_answers(tmp_path):
    apart = library_of(
        tmp_path / "apart", points("h100-sxm", {1: 100, 4: 300}), points("h200-sxm", {8: 50, 16: 60})
    )
    answer = asked(apart)
    assert answer.numbers["kind"] == "no_overlap"
    assert (
        "2 x H100 SXM was measured from concurrency 1 to 4, 2 x H200 SXM from concurrency 8 to 16."
        in answer.headline
    )
    equal = library_of(
        tmp_path / "equal", points("h100-sxm", {1: 100, 4: 300}), points("h200-sxm", {1: 100.5, 4: 299})
    )
    assert asked(equal).numbers["kind"] == "tie"


def test_stated_lengths_and_kinds_of_load_must_agree(tmp_path):
    other = library_of(
        tmp_path / "lengths",
        points("h100-sxm", {1: 100, 4: 300}),
        points("h200-sxm", {1: 50, 4: 60}, osl=512),
    )
    answer = asked(other)
    assert answer.numbers["kind"] == "not_comparable"
    assert "the output lengths differ, 256 against 512 tokens" in answer.headline
    static = [{**row, "batch": row.pop("concurrency")} for row in points("h200-sxm", {1: 50, 4: 60})]
    loads = library_of(tmp_path / "loads", points("h100-sxm", {1: 100, 4: 300}), static)
    assert "kinds of load differ" in asked(loads).headline


def test_a_length_stated_on_one_side_only_is_told(tmp_path):
    silent = [{**row, "osl": None} for row in points("h200-sxm", {1: 50, 4: 60})]
    answer = asked(library_of(tmp_path, points("h100-sxm", {1: 100, 4: 300}), silent))
    assert answer.numbers["kind"] == "a_leads"
    assert "Stated on one side only: output length 256 tokens for 2 x H100 SXM." in answer.caveats


def test_of_a_latency_the_lower_leads(tmp_path):
    fast, slow = points("h100-sxm", {1: 0, 4: 0}), points("h200-sxm", {1: 0, 4: 0})
    for rows, values in ((fast, (10, 20)), (slow, (12, 15))):
        for row, value in zip(rows, values, strict=True):
            row.update({"output_tokens_per_s": None, "tpot_ms_p50": value})
    answer = asked(library_of(tmp_path, fast, slow), per="dollar")
    assert answer.numbers["per"] == "raw"
    assert [round(knot["lead_percent"], 1) for knot in answer.numbers["knots"]] == [20.0, -33.3]
    assert any("is not divided by anything" in told for told in answer.caveats)


def test_a_price_that_is_missing_is_not_known_and_one_that_is_stated_counts(tmp_path):
    price = {
        "provider": "a",
        "accelerator": "h100-sxm",
        "accelerators": 1,
        "terms": "on_demand",
        "usd_per_hour": 2.0,
    }
    library = library_of(
        tmp_path, points("h100-sxm", {1: 100, 4: 400}), points("h200-sxm", {1: 150, 4: 500}), prices=[price]
    )
    answer = asked(library, per="dollar", price_book="made")
    assert answer.numbers["kind"] == "not_known"
    assert "no price of H200 SXM in made" in answer.headline
    assert "State price_a and price_b" in answer.findings[-1]
    # 400 / (2 x 2) = 100 against 500 / (2 x 3) = 83.3
    stated = asked(library, per="dollar", price_book="made", price_b=3)
    assert stated.numbers["knots"][-1]["a"] == pytest.approx(100)
    assert stated.numbers["knots"][-1]["b"] == pytest.approx(500 / 6)
    assert [row["usd_per_accelerator_hour"] for row in stated.numbers["break_even"]["b"]] == pytest.approx(
        [3, 2.5]
    )


def test_only_what_was_measured_enters_unless_the_reader_asks(tmp_path):
    library = library_of(
        tmp_path,
        points("h100-sxm", {1: 100, 4: 400}),
        points("h100-sxm", {8: 9000}, evidence="projected"),
        points("h200-sxm", {1: 150, 8: 700}),
    )
    assert asked(library).numbers["overlap"] == [1, 4]
    view = View.of({"evidence": ["measured", "projected"]}, {"a": A, "b": B})
    answer = crossover.answer(library, view)
    assert answer.numbers["overlap"] == [1, 8]
    drawn = crossover.figure(answer, LIGHT).select_traces({"type": "scatter"})
    symbols = [
        one for trace in drawn if isinstance(trace.marker.symbol, tuple) for one in trace.marker.symbol
    ]
    assert any("-open" in symbol for symbol in symbols)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_the_chart_marks_the_crossing_and_its_bracket(tmp_path, theme):
    library = library_of(
        tmp_path, points("h100-sxm", {1: 100, 4: 400, 64: 6400}), points("h200-sxm", {1: 400, 4: 800, 64: 3200})
    )  # fmt: skip
    answer = asked(library)
    figure = crossover.figure(answer, theme)
    (bracket,) = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    assert (bracket.x0, bracket.x1) == (4, 64)
    assert any("<b>16</b>" in note.text for note in figure.layout.annotations)
    assert figure.layout.xaxis.type == figure.layout.yaxis.type == "log"
    clickable = {one for trace in figure.data if trace.customdata is not None for one in trace.customdata}
    assert clickable == {*answer.rows["a_point_id"].dropna(), *answer.rows["b_point_id"].dropna()}


def test_the_strip_of_a_pair_has_the_colours_of_its_curves(tmp_path):
    """The H100's curve is blue, as the strip is where it leads, though it is B; shades of one colour are not used."""
    rows = [
        points(chip, {1: y}) + points(chip, {64: 1000}) for chip, y in (("tpu-v6e", 50), ("h100-sxm", 100))
    ]
    library = library_of(tmp_path, *rows, points("h200-sxm", {1: 120, 64: 900}))
    figure = crossover.figure(asked(library, "accelerator=tpu-v6e", A), LIGHT)
    (strip,) = [trace for trace in figure.data if trace.type == "heatmap"]
    curves = [trace.line.color for trace in figure.data if trace.type == "scatter" and trace.mode == "lines"]
    assert [strip.colorscale[end][1] for end in (-1, 0)] == curves
    figure = crossover.figure(asked(library), LIGHT)
    (strip,) = [trace for trace in figure.data if trace.type == "heatmap"]
    assert not {
        trace.line.color for trace in figure.data if trace.type == "scatter" and trace.mode == "lines"
    } & {stop for _, stop in strip.colorscale}


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"a": "nothing"}, UsageError),
        ({"a": "colour=red"}, UsageError),
        ({"a": "isl=many"}, UsageError),
        ({"b": "accelerator=h100&along=batch"}, UsageError),
        ({"price_a": "-1"}, UsageError),
        ({"price_b": "nan"}, UsageError),
        ({"price_a": "1_0"}, UsageError),
        ({"price_a": "0.0001"}, UsageError),
        ({"price_b": "10001"}, UsageError),
        ({"price_a": "1.3"}, UsageError),
        ({"along": "colour"}, UnknownName),
        ({"per": "hour"}, UnknownName),
        ({"metric": "output_tokens"}, UsageError),
        ({"metric": "colour"}, UnknownName),
        ({"price_book": "no-such-book"}, UnknownName),
        ({"price_book": "no-such-book", "price_terms": "with_points"}, UnknownName),
    ],
)
def test_what_an_option_cannot_be_is_said(alone, options, error):
    with pytest.raises(error, match=next(iter(options.values())) if error is UnknownName else None):
        crossover.answer(alone, View.of({}, options))


def test_nothing_to_compare_is_said(alone, tmp_path):
    answer = crossover.answer(alone, View())
    assert "but no 2 that can be compared" in answer.headline
    assert crossover.figure(answer, LIGHT).layout.annotations[0].text == "No pair to draw."
    with pytest.raises(NotFound):
        crossover.complete(Library.open(tmp_path / "empty", shipped=False), View())


def test_points_without_an_accelerator_are_said_to_be_so(tmp_path):
    library = library_of(tmp_path, points("", {1: 100, 4: 400}))
    assert "2 points along concurrency with output throughput state no accelerator" in crossover.answer(
        library, View()
    ).headline  # fmt: skip


def test_the_same_points_on_both_sides_are_said_to_be_so(tmp_path):
    answer = asked(library_of(tmp_path, points("h100-sxm", {1: 100, 4: 400})), b=A)
    assert answer.numbers["kind"] == "tie"
    assert answer.caveats[0] == "Both sides are the same points."


def test_the_axis_is_one_with_two_places(tmp_path):
    """Every load stands at one place, the input length at three: that is what is compared."""
    rows = [
        [
            {**row, "isl": length}
            for length, row in zip((128, 256, 512), points(chip, {8: y}) * 3, strict=True)
        ]
        for chip, y in (("h100-sxm", 100), ("h200-sxm", 150))
    ]
    answer = crossover.answer(library_of(tmp_path, *rows), View())
    assert answer.numbers["along"] == "isl"
    assert len(answer.rows) == 1


def test_a_lead_of_310_percent_is_3_1_times(tmp_path):
    library = library_of(tmp_path, points("h100-sxm", {1: 100, 4: 100}), points("h200-sxm", {1: 410, 4: 410}))
    assert "2 x H200 SXM leads by 3.1 times" in asked(library).headline


def test_every_place_of_a_strip_can_be_clicked(tmp_path):
    """No two unseen markers of a strip lie further apart than a marker is wide, at the width of a wide page."""
    library = library_of(
        tmp_path, points("h100-sxm", {1: 100, 512: 400}), points("h200-sxm", {1: 50, 512: 900})
    )
    figure = crossover.figure(crossover.answer(library, View()), LIGHT)
    (cells,) = [trace for trace in figure.data if trace.customdata is not None]
    low, high = figure.layout.xaxis.range
    places = sorted(math.log10(x) for x in cells.x)
    assert (
        max(after - before for before, after in pairwise(places)) / (high - low) * 1400 <= cells.marker.size
    )
    assert set(cells.customdata) == {"0"}


def test_what_lies_between_two_breaks_is_told_as_such(tmp_path):
    library = library_of(
        tmp_path,
        points("h100-sxm", {1: 400, 128: 900}, tp=2),
        points("h100-sxm", {128: 200, 512: 200}, tp=1, dp=2),
        points("h100-sxm", {512: 1000}, pp=2),
        points("h200-sxm", {1: 100, 128: 300}, tp=2),
        points("h200-sxm", {256: 330}, pp=2),
        points("h200-sxm", {512: 170}, dp=2),
    )
    answer = asked(library)
    assert answer.numbers["kind"] == "passes"
    assert answer.headline.endswith(
        "of 4 places 2 x H100 SXM leads at 3 and 2 x H200 SXM at 1 in output throughput: the lead passes on 2 times,"
        " always where a best series was not measured further, so no crossing is placed."
    )


def test_a_listed_pair_at_a_rate_of_many_digits_can_be_chosen(tmp_path):
    sides = [points("h100-sxm", {16: 9}), points("h200-sxm", {16: 8})]
    rows = [
        {**row, "concurrency": None, "request_rate": 10 / 3, "isl": isl}
        for isl in (128, 512)
        for [row] in sides
    ]
    library = library_of(tmp_path, rows)
    [pair] = crossover.answer(library, View.of({}, {"along": "isl"})).rows.itertuples()
    assert len(asked(library, pair.a, pair.b, along="isl").numbers["knots"]) == 2
