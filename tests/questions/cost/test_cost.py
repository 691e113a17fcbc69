"""What a million tokens cost: the articles' own figures, sums worked out by hand, and how an answer moves."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench import pricing
from bench.chart import DARK, LIGHT
from bench.errors import UnknownName, UsageError
from bench.library import Library
from bench.questions import Answer, question
from bench.questions.cost import bars
from bench.view import View
from bench.wording import number
from tests.thorough import times

ASKED = question("cost")
ARTICLE = {"source": ["inferencebench-gemma4-h100"]}
SIX = {"price_book": "articles", "price_terms": "unstated"}
COST = "usd_per_million_output_tokens"


def asked(library: Library, where: dict[str, list[str]] | None = None, **options: Any) -> Answer:
    return ASKED.answer(library, View.of(where or {}, options))


def by_provider(answer: Answer, column: str) -> dict[str, float]:
    return dict(zip(answer.rows["provider"], answer.rows[column], strict=True))


# 1e6 / (1,260 x 3,600) = 0.2204586 h for a million tokens, times each price: 2.49 -> 0.549, and so on.
def test_the_six_providers_of_the_article(shipped: Library) -> None:
    answer = asked(shipped, ARTICLE, **SIX)
    assert set(answer.rows["point_id"]) == {"0c5a69fc7df18262"}
    assert by_provider(answer, COST) == pytest.approx(
        {"Lambda": 0.549, "RunPod": 0.725, "CoreWeave": 1.049, "AWS": 1.129, "Azure": 1.190, "GCP": 1.118},
        abs=5e-4,
    )
    assert answer.headline == (
        "A million output tokens of Gemma 4 31B BF16 at 512/256 cost 0.549 to 1.19 USD on one H100 SXM (flagged:"
        " undefined throughput and beyond the roofline) at full use and peak throughput, whatever the latency: 6"
        " quotes, the cheapest Lambda's at 2.49 USD/h per chip (terms unstated)."
    )
    assert "6 prices: 6 undated." in answer.caveats
    assert any("2 flags" in caveat for caveat in answer.caveats)


def test_the_six_are_among_every_book_when_nothing_is_said_about_prices(shipped: Library) -> None:
    answer = asked(shipped, ARTICLE)
    assert (answer.view.option("price_book"), answer.view.option("price_terms")) == ("every", "every")
    ours = answer.rows[(answer.rows["book"] == "articles") & (answer.rows["terms"] == "unstated")]
    assert sorted(ours[COST].round(3)) == [0.549, 0.725, 1.049, 1.118, 1.129, 1.190]


# 9,600 / (4 x 1.30) = 1,846.2; 3,848 / 1.92 = 2,004.2; 8,786 / 1.92 = 4,576.0.
def test_the_three_rows_of_the_31b_model_per_dollar_an_hour(shipped: Library) -> None:
    where = {"source": ["rvllm-tpu-v6e-vs-h100"], "model": ["gemma-4-31b"]}
    answer = asked(shipped, where, price_book="articles")
    found = {row["point_id"]: row for row in answer.numbers["tokens_per_s_per_usd_per_hour"]}
    for point, provider, best in (
        ("1b20c425aa74f06f", "GCP", 1846.15),
        ("9a2ca84d971772a9", "vast.ai", 2004.17),
        ("9aeaff1f4aacecce", "vast.ai", 4576.04),
    ):
        assert found[point]["provider"] == provider
        assert found[point]["tokens_per_s_per_usd_per_hour"] == pytest.approx(best, abs=0.01)


def test_gcp_prices_two_accelerators_and_each_gets_its_own(shipped: Library) -> None:
    quotes = pricing.quotes(shipped, ["h100-sxm", "tpu-v6e"], "articles", "unstated")
    gcp = {quote.accelerator: quote.usd_per_accelerator_hour for quote in quotes if quote.provider == "GCP"}
    assert gcp == {"h100-sxm": 5.07, "tpu-v6e": 1.30}


# 1,260 x 86,400 = 108.864M a day at most: 100 / 108.864 = 91.9 %; 2.49 x 24 = 59.76; 0.548942 x 100 = 54.89.
def test_the_bill_of_a_hundred_million_tokens_a_day_both_ways(shipped: Library) -> None:
    answer = asked(shipped, ARTICLE, volume="1e8", **SIX)
    bill = answer.numbers["bill"]
    assert (bill["instances"], bill["used_share"]) == (1, pytest.approx(0.919, abs=5e-4))
    assert bill["around_the_clock"] == pytest.approx({"usd_per_day": 59.76, "usd_per_month": 1792.80})
    assert bill["used_tokens"] == pytest.approx({"usd_per_day": 54.894, "usd_per_month": 1646.83}, abs=5e-3)
    (told,) = [sentence for sentence in answer.findings if "around the clock" in sentence]
    assert all(part in told for part in ("91.9 % used", "59.76 USD a day", "1,792.80 a month", "54.89 a day"))


def test_half_used_a_token_costs_twice_and_the_volume_needs_a_second_instance(shipped: Library) -> None:
    whole, half = asked(shipped, ARTICLE, **SIX), asked(shipped, ARTICLE, utilisation="0.5", **SIX)
    assert by_provider(half, COST) == pytest.approx({k: 2 * v for k, v in by_provider(whole, COST).items()})
    assert by_provider(half, "rented_instances")["Lambda"] == 2
    bought = [
        [row["tokens_per_s_per_usd_per_hour"] for row in answer.numbers["tokens_per_s_per_usd_per_hour"]]
        for answer in (whole, half)
    ]
    assert bought[0] == bought[1]


# 59.76 / 2.50 = 23.904M tokens a day. Prompt tokens: 512 / 256 = 2 with each output token, 2.50 + 2 x 0.50 = 3.50.
def test_the_break_even_against_the_readers_api(shipped: Library) -> None:
    output_only = asked(shipped, ARTICLE, api_price_output="2.5", **SIX)
    assert output_only.numbers["break_even"]["tokens_per_day"] == pytest.approx(23.904e6)
    assert any("its prompt tokens not counted" in sentence for sentence in output_only.findings)
    both = asked(shipped, ARTICLE, api_price_output="2.5", api_price_input="0.5", **SIX)
    assert both.numbers["api_usd_per_million"] == pytest.approx(3.5)
    assert both.numbers["break_even"]["tokens_per_day"] == pytest.approx(59.76e6 / 3.5)
    cheap = asked(shipped, ARTICLE, api_price_output="0.1", **SIX)
    assert cheap.numbers["break_even"] is None
    assert any("dearer at every volume" in sentence for sentence in cheap.findings)
    assert asked(shipped, ARTICLE, **SIX).numbers["api_usd_per_million"] is None


# No prompt throughput is printed: 1,260 x 512 / 256 = 2,520 input tokens/s, 3,780 of both; 2.49 / 3,780 -> 0.18298.
def test_prompt_tokens_are_worked_out_from_the_lengths_and_said_to_be(shipped: Library) -> None:
    where = {**ARTICLE, "isl": ["512"], "accelerators": ["1"]}
    blended = asked(shipped, where, tokens="blended", **SIX)
    assert by_provider(blended, "usd_per_million_total_tokens")["Lambda"] == pytest.approx(0.18298, abs=1e-5)
    assert any("worked out as output x input length / output length" in caveat for caveat in blended.caveats)
    taken = asked(shipped, where, tokens="input", **SIX)
    assert by_provider(taken, "usd_per_million_input_tokens")["Lambda"] == pytest.approx(0.27447, abs=1e-5)
    measured = asked(shipped, where, tokens="total", **SIX)
    assert measured.rows.empty
    assert "No throughput of input and output tokens is stated" in measured.headline


def test_a_limit_takes_the_best_point_that_keeps_it_and_says_what_it_costs(shipped: Library) -> None:
    peak, kept = asked(shipped), asked(shipped, slo="50")
    key = kept.view.option("slo_metric")
    assert key.startswith("interactivity")
    assert (kept.rows["limit_value"] >= 50).all()
    for accelerator, own in kept.rows.groupby("accelerator"):
        ids = ", ".join(f"{name} = '{peak.view.values(name)[0]}'" for name in ("model", "precision"))
        (best,) = shipped.fetch(
            f"SELECT max(output_tokens_per_s / accelerators) FROM points WHERE {ids.replace(',', ' AND')}"
            f" AND isl = {peak.view.values('isl')[0]} AND osl = {peak.view.values('osl')[0]}"
            f" AND evidence = 'measured' AND accelerator = ? AND \"{key}\" >= 50",
            (accelerator,),
        )
        assert (own["tokens_per_s"] / own["accelerators"]).max() == pytest.approx(best[0])
    cheapest = {row["accelerator"]: row["median"] for row in peak.numbers["deployments"]}
    assert all(row["median"] >= cheapest[row["accelerator"]] for row in kept.numbers["deployments"])
    assert any("as dear as at the peak" in sentence for sentence in kept.findings)


def test_the_price_of_latency_rises_with_the_limit(shipped: Library) -> None:
    told = asked(shipped).numbers["price_of_latency"]
    assert len(told) > 2
    times = [row["times_the_peak_cost"] for row in told]
    assert times == sorted(times)
    assert times[0] >= 1


def test_a_limit_nobody_keeps_is_a_sentence(shipped: Library) -> None:
    answer = asked(shipped, slo="1e6")
    assert answer.rows.empty
    assert "was not measured for any of" in answer.headline
    assert ASKED.figure(answer, LIGHT).layout.annotations[0].text.startswith("Nothing selected")


def test_an_accelerator_without_a_price_in_the_book_is_named_with_the_books_that_have_one(
    shipped: Library,
) -> None:
    answer = asked(shipped, {"accelerator": ["mi325x"]}, price_book="articles")
    assert answer.rows.empty
    assert "articles has no price of MI325X" in answer.headline
    assert "semianalysis-tco-2026-08" in answer.headline
    both = asked(shipped)
    missing = both.numbers["unpriced"]
    assert missing
    assert any("No price in force for" in caveat for caveat in both.caveats)
    assert not set(missing) & set(both.rows["accelerator"])


def test_only_measured_points_enter_unless_asked(shipped: Library) -> None:
    measured = asked(shipped, ARTICLE, group="deployment", **SIX)
    assert set(measured.rows["evidence"]) == {"measured"}
    projected = asked(shipped, {**ARTICLE, "evidence": ["projected"], "model": ["gemma-4-31b"]}, **SIX)
    assert set(projected.rows["evidence"]) == {"projected"}
    assert any("Not measured, drawn open" in caveat for caveat in projected.caveats)
    (bar, *_) = ASKED.figure(projected, LIGHT).data
    assert set(bar.marker.color) == {"rgba(0,0,0,0)"}


def test_a_modelled_cost_is_no_offer(shipped: Library) -> None:
    answer = asked(shipped, ARTICLE)
    (deployment,) = answer.numbers["deployments"]
    offers = answer.rows[~answer.rows["terms"].str.startswith("modelled")]
    assert deployment["quotes"] == len(offers) < len(answer.rows)
    assert deployment["lowest"] == pytest.approx(offers[COST].min())
    assert any("which nobody offers" in sentence for sentence in answer.findings)


def test_the_grid_holds_the_cost_at_each_price_and_utilisation(shipped: Library) -> None:
    grid = asked(shipped, ARTICLE, **SIX).numbers["sensitivity"]
    for share, line in zip(grid["utilisations"], grid["usd_per_million"], strict=True):
        for price, usd in zip(grid["usd_per_accelerator_hour"], line, strict=True):
            assert usd == pytest.approx(price / (1260 * share * 3600) * 1e6)
    assert grid["usd_per_accelerator_hour"][0] < 2.49
    assert grid["usd_per_accelerator_hour"][-1] > 5.40


def test_one_deployment_has_a_bar_for_each_quote_and_several_have_one_each(shipped: Library) -> None:
    one = asked(shipped, ARTICLE, **SIX)
    names = [bar.name for bar in bars.of(one.rows, one.numbers)]
    assert len(names) == 6
    assert names[0] == "Lambda · unstated · undated"
    several = asked(shipped)
    drawn = bars.of(several.rows, several.numbers)
    assert [bar.point_id for bar in drawn] == [row["point_id"] for row in several.numbers["deployments"]]
    assert [bar.usd for bar in drawn] == pytest.approx(
        [row["median"] for row in several.numbers["deployments"]]
    )
    for theme in (LIGHT, DARK):
        clickable = [trace for trace in ASKED.figure(several, theme).data if trace.customdata is not None]
        assert {row[0] for trace in clickable for row in trace.customdata} == {bar.point_id for bar in drawn}


def test_a_price_tells_its_age_or_that_it_is_undated() -> None:
    assert bars.age({"as_of": None}) == "undated"
    day = datetime.date(2026, 7, 20)
    assert bars.age({"as_of": day, "price_age_days": 1}) == "as of 2026-07-20, 1 day old"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"tokens": "gold"}, "choice for tokens"),
        ({"group": "point_id; DROP"}, "choice for group"),
        ({"price_book": "articels"}, "did you mean articles"),
        ({"price_book": "articles", "price_terms": "spot"}, "articles has no spot prices"),
        ({"utilisation": "60"}, "write it as in utilisation=0.6"),
        ({"utilisation": "nan"}, "is not a number"),
        ({"utilisation": "1e-300"}, "no share from 0.001 to 1"),
        ({"provider": "Lamda"}, "did you mean Lambda"),
        ({"slo_ttft": "0"}, "write it as in slo_ttft=2000"),
        ({"volume": "-1"}, "no number above 0"),
        ({"slo": "fast"}, "is not a number"),
        ({"slo_metric": "output_tokens_per_s"}, "is no loaded latency or interactivity"),
        ({"api_price_output": "1e300"}, "no number above 0 that can be meant"),
    ],
)
def test_an_option_that_cannot_be_is_named(shipped: Library, options: dict[str, str], sentence: str) -> None:
    with pytest.raises((UsageError, UnknownName), match=sentence):
        asked(shipped, ARTICLE, **options)


@settings(
    max_examples=times(8, 3), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.integers(1, 100), st.integers(2, 9))
def test_cost_falls_with_utilisation_and_the_bill_of_used_tokens_is_linear(
    shipped: Library, percent: int, factor: int
) -> None:
    share = percent / 100
    base = asked(shipped, ARTICLE, utilisation=share, volume=1e6, **SIX)
    more = asked(shipped, ARTICLE, utilisation=share, volume=1e6 * factor, **SIX)
    assert by_provider(base, COST)["Lambda"] == pytest.approx(0.5489418 / share, rel=1e-6)
    assert by_provider(more, "used_usd_per_day")["GCP"] == pytest.approx(
        factor * by_provider(base, "used_usd_per_day")["GCP"]
    )


def test_a_model_is_priced_at_one_workload_unless_asked_otherwise(shipped: Library) -> None:
    view = View.of({"model": ["llama-3.3-70b"]})
    answer = question("cost").answer(shipped, view)
    assert answer.view.values("isl")
    assert answer.view.values("osl")
    assert any(caveat.startswith("Narrowed to isl ") for caveat in answer.caveats)
    every = question("cost").answer(shipped, view.with_options(group="deployment"))
    assert not every.view.values("isl")


def test_a_dear_quote_does_not_press_the_other_costs_together(shipped: Library) -> None:
    answer = asked(shipped)
    drawn = bars.of(answer.rows, answer.numbers)
    figure = ASKED.figure(answer, LIGHT)
    end = 1.25 * max(bar.usd for bar in drawn)
    assert figure.layout.xaxis.range[1] < 1.2 * end < max(bar.high for bar in drawn)
    scattered = [trace for trace in figure.data if trace.type == "scatter" and trace.mode == "markers"]
    (arrows,) = [trace for trace in scattered if trace.marker.symbol == "triangle-right"]
    beyond = sorted(dot.usd for bar in drawn for dot in bar.dots if dot.usd > end)
    assert list(arrows.x) == pytest.approx([end] * len(arrows.x))
    assert f"{len(beyond)} dearer quotes" in arrows.hovertext[0]
    written = [note.text for note in figure.layout.annotations]
    assert f"{number(beyond[0])} to {number(beyond[-1])}" in written
    (dots,) = [trace for trace in scattered if trace.marker.symbol == "circle"]
    assert max(dots.x) <= end
