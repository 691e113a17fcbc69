"""What a million tokens cost: the articles' own figures, sums worked out by hand, when and how an answer moves."""

from __future__ import annotations

import math

import pytest

from bench.basis import prices
from bench.basis.prices import Choice
from bench.chart import DARK, LIGHT
from bench.errors import UnknownName, UsageError
from bench.library import Library
from bench.questions import answered, cost
from bench.questions.cost.figure import ChartBars, bars_of
from bench.questions.operating_points import NO_RATE
from bench.view import View
from tests.questions.cost.asking import (
    ARTICLE,
    RVLLM,
    SIX,
    SPEED,
    STORY,
    TTFT,
    USD,
    asked,
    by_chip,
    by_provider,
    ranked,
)
from tests.questions.saying import headline, kinds, said, statement, tells
from tests.thorough import some


# 1e6 / (1,260 x 3,600) = 0.2204586 h for a million tokens, times each price: 2.49 -> 0.549, and so on.
def test_the_six_providers_of_the_article(shipped: Library) -> None:
    answer = asked(shipped, ARTICLE, **SIX)
    assert set(answer.rows["point_id"]) == {"0c5a69fc7df18262"}
    assert by_provider(answer, USD) == pytest.approx(
        {"Lambda": 0.549, "RunPod": 0.725, "CoreWeave": 1.049, "AWS": 1.129, "Azure": 1.190, "GCP": 1.118}, abs=5e-4
    )
    # The median of six: (4.76 + 5.07) / 2 = 4.915 USD/h, times 0.2204586.
    usd = 4.915 / (1260 * 3600) * 1e6
    tells(answer, {"one": {"usd_per_million": usd, "lowest": 0.549, "highest": 1.190, "quotes": 6}})
    assert said(answer, "undated")["quotes"] == 6
    assert statement(answer, "one").flags


# 9,600 / (4 x 1.30) = 1,846.2; 3,848 / 1.92 = 2,004.2; 8,786 / 1.92 = 4,576.0.
def test_the_three_rows_of_the_31b_model_per_dollar_an_hour(shipped: Library) -> None:
    rows = asked(shipped, RVLLM, price_book="articles", group="deployment").rows
    for point, provider, best in (
        ("1b20c425aa74f06f", "GCP", 1846.15),
        ("9a2ca84d971772a9", "vast.ai", 2004.17),
        ("9aeaff1f4aacecce", "vast.ai", 4576.04),
    ):
        (own,) = rows[(rows["point_id"] == point) & (rows["provider"] == provider)]["tokens_per_s_per_usd_per_hour"]
        assert own == pytest.approx(best, abs=0.01)


# 1,260 x 86,400 = 108.864M a day at most: 100 / 108.864 = 91.9 %; 2.49 x 24 = 59.76; 0.548942 x 100 = 54.89.
def test_the_bill_of_a_hundred_million_tokens_a_day_both_ways(shipped: Library) -> None:
    answer = asked(shipped, ARTICLE, volume="1e8", provider="Lambda", **SIX)
    used = pytest.approx(0.919, abs=5e-4)
    tells(answer, {"volume": {"usd_per_day": 59.76, "instances": 1, "used": 0.919}})
    assert by_provider(answer, "used_usd_per_day")["Lambda"] == pytest.approx(54.894, abs=5e-3)
    six = asked(shipped, ARTICLE, **SIX)
    assert said(six, "volume")["used"] == used
    assert by_provider(six, "rented_usd_per_day")["Lambda"] == pytest.approx(59.76)


@pytest.mark.parametrize("volume", some(["3e9", "1e6", "1e8"], 2))
def test_a_volume_is_served_by_the_smallest_bill_of_all_points_within_the_limits(shipped: Library, volume: str) -> None:
    answer = asked(shipped, {}, volume=volume)
    chips = prices.chip_prices(shipped, Choice())
    bills = [
        math.ceil(float(volume) / (rate * 86_400)) * many * chips[chip].usd * 24
        for chip, many, rate in ranked(shipped, answer, "accelerator, accelerators, output_tokens_per_s")
        if chip in chips and many and rate
    ]
    serving = answer.result.serving
    assert serving is not None
    assert serving.charge.rented.usd_per_day == pytest.approx(min(bills))
    lead = answer.result.lead.charge.rented
    assert ("volume_on_cheapest" in kinds(answer)) == (lead.usd_per_day > min(bills) and (lead.utilisation or 1) < 0.5)


# 59.76 / 2.50 = 23.904M tokens a day. Prompt tokens: 512 / 256 = 2 with each output token, 2.50 + 2 x 0.50 = 3.50.
def test_the_break_even_against_the_readers_api(shipped: Library) -> None:
    lambdas = {"provider": "Lambda", **SIX}
    output_only = asked(shipped, ARTICLE, api_price_output="2.5", **lambdas)
    assert said(output_only, "api")["tokens_per_day"] == pytest.approx(23.904e6)
    assert said(output_only, "api_price_alone")["usd_per_million"] == 2.5
    both = asked(shipped, ARTICLE, api_price_output="2.5", api_price_input="0.5", **lambdas)
    assert both.result.api is not None
    assert both.result.api.usd_per_million == pytest.approx(3.5)
    assert said(both, "api")["tokens_per_day"] == pytest.approx(59.76e6 / 3.5)
    cheap = asked(shipped, ARTICLE, api_price_output="0.1", **lambdas)
    assert cheap.result.api is not None
    assert cheap.result.api.even is None
    assert said(cheap, "api_never")["usd_per_million"] == pytest.approx(0.549, abs=5e-4)
    assert asked(shipped, ARTICLE, **SIX).result.api is None


def test_the_break_even_is_that_of_the_smallest_instance_that_beats_the_api(shipped: Library) -> None:
    answer = asked(shipped, STORY, api_price_output="4")
    chips = prices.chip_prices(shipped, Choice())
    hours = [
        many * chips[chip].usd
        for chip, many, rate in ranked(shipped, answer, "accelerator, accelerators, output_tokens_per_s")
        if chip in chips and many and rate and many * chips[chip].usd / (rate * 3600) * 1e6 <= 4
    ]
    assert said(answer, "api")["tokens_per_day"] == pytest.approx(min(hours) * 24 / 4 * 1e6)


# No prompt throughput is printed: 1,260 x 512 / 256 = 2,520 input tokens/s, 3,780 of both; 2.49 / 3,780 -> 0.18298.
def test_prompt_tokens_are_worked_out_from_the_lengths_and_said_to_be(shipped: Library) -> None:
    where = {**ARTICLE, "isl": ["512"], "accelerators": ["1"]}
    blended = asked(shipped, where, tokens="blended", **SIX)
    assert by_provider(blended, "usd_per_million_total_tokens")["Lambda"] == pytest.approx(0.18298, abs=1e-5)
    assert said(blended, "derived")["deployments"] == 1
    taken = asked(shipped, where, tokens="input", **SIX)
    assert by_provider(taken, "usd_per_million_input_tokens")["Lambda"] == pytest.approx(0.27447, abs=1e-5)
    measured = asked(shipped, where, tokens="total", **SIX)
    assert measured.rows.empty
    kind, values = headline(measured)
    assert (kind, values["points"]) == (NO_RATE, 1)


def test_an_accelerator_without_a_price_has_none_and_is_named_with_the_terms_under_which_it_has(
    shipped: Library,
) -> None:
    for options in ({}, {"provider": "Lambda"}):
        answer = asked(shipped, {"accelerator": ["mi325x"]}, **options)
        assert answer.rows.empty
        assert (answer.result.unpriced, "modelled:neocloud" in answer.result.priced_as) == (("mi325x",), True)
        assert headline(answer)[1]["accelerators"] == ["mi325x"]
        assert headline(answer)[1]["whose"] == [{"one": one} for one in options.values()]
        assert len(said(answer, "priced_as")["terms"]) == len(answer.result.priced_as)
    both = asked(shipped)
    assert both.result.unpriced == ("mi325x",)
    assert said(both, "unpriced") == {"unpriced": 1}
    assert "mi325x" not in set(both.rows["accelerator"])


def test_only_measured_points_enter_unless_asked(shipped: Library) -> None:
    assert set(asked(shipped, ARTICLE, group="deployment", **SIX).rows["evidence"]) == {"measured"}
    projected = asked(shipped, {**ARTICLE, "evidence": ["projected"], "model": ["gemma-4-31b"]}, **SIX)
    assert set(projected.rows["evidence"]) == {"projected"}
    assert said(projected, "not_measured")["points"] == 1
    (bar, *_) = cost.figure(projected.result, LIGHT).data
    assert set(bar.marker.color) == {"rgba(0,0,0,0)"}


def test_a_modelled_cost_is_no_offer_and_is_called_that_in_every_sentence_with_a_price(shipped: Library) -> None:
    every = asked(shipped, ARTICLE, price_terms="every")
    (one,) = every.result.deployments
    assert one.price.usd == prices.chip_prices(shipped, Choice("every"))["h100-sxm"].usd
    assert not one.price.modelled
    assert said(every, "one")["quotes"] == len(one.offers) < len(one.quotes)
    modelled = asked(shipped, STORY, price_terms="modelled:neocloud", api_price_output="9")
    priced = [one for one in modelled.statements if "USD" in one.text and not one.kind.startswith("api_price")]
    assert len(priced) > 4
    assert [one.text for one in priced if "modelled" not in one.text] == []


def test_the_grid_holds_the_cost_at_each_price_and_utilisation(shipped: Library) -> None:
    grid = asked(shipped, ARTICLE, **SIX).result.sensitivity
    assert grid is not None
    for share, line in zip(grid.utilisations, grid.usd_per_million, strict=True):
        for price, usd in zip(grid.usd_per_accelerator_hour, line, strict=True):
            assert usd == pytest.approx(price / (1260 * share * 3600) * 1e6)
    assert grid.usd_per_accelerator_hour[0] < 2.49
    assert grid.usd_per_accelerator_hour[-1] > 5.40


def test_one_deployment_has_a_bar_for_each_quote_and_several_have_one_each(shipped: Library) -> None:
    bars, undrawn = bars_of(asked(shipped, ARTICLE, **SIX).result)
    assert (len(bars), undrawn) == (6, 0)
    assert bars[0].name == "Lambda, terms unstated, 2.49 USD/h"
    several = asked(shipped)
    drawn, rest = bars_of(several.result)
    every = several.result.deployments
    assert [bar.facts.point_id for bar in drawn] == [one.facts.point_id for one in every[: len(drawn)]]
    assert [bar.usd for bar in drawn] == [one.usd_per_million for one in every[: len(drawn)]]
    assert len(drawn) + rest == len(every)
    for theme in (LIGHT, DARK):
        clickable = [trace for trace in cost.figure(several.result, theme).data if trace.customdata is not None]
        assert {row[0] for trace in clickable for row in trace.customdata} == {bar.facts.point_id for bar in drawn}


def test_equal_prices_of_a_provider_are_one_bar_that_counts_its_regions(shipped: Library) -> None:
    where = {"model": ["gemma-4-31b"], "precision": ["int8"], "accelerator": ["tpu-v6e"]}
    answer = asked(shipped, where, price_book="list-prices")
    bars, _ = bars_of(answer.result)
    assert [bar.name for bar in bars] == [
        "GCP, on demand, 6 regions, 2.70 USD/h",
        "GCP, on demand, 2 regions, 2.97 USD/h",
        "GCP, on demand, 2 regions, 3.24 USD/h",
    ]
    assert said(answer, "quotes")["quotes"] == 3
    assert list(answer.rows["regions"]) == [6, 2, 2]


def test_a_bar_that_would_press_the_others_together_makes_the_axis_logarithmic_and_it_says_so(shipped: Library) -> None:
    answer = asked(shipped, STORY, slo=[f"{SPEED}>=20", f"{TTFT}<=5000"])
    drawn, _ = bars_of(answer.result)
    assert max(bar.usd for bar in drawn) > 8 * min(bar.usd for bar in drawn)
    layout = cost.figure(answer.result, LIGHT).layout
    assert layout.xaxis.type == "log"
    assert "log scale" in layout.xaxis.title.text
    low, high = (10**end for end in layout.xaxis.range)
    assert all(low < usd < high for bar in drawn for usd in (bar.usd, *(dot for dot, _ in bar.dots)))


def test_all_bars_are_drawn_when_asked_for_and_rows_are_the_same(shipped: Library) -> None:
    few, every = (asked(shipped, group="deployment", bars=bars) for bars in ("few", "all"))
    drawn, rest = bars_of(few.result)
    whole, none = bars_of(every.result)
    assert (len(drawn), none) == (8, 0)
    assert len(whole) == len(drawn) + rest > 8
    assert [bar.name for bar in whole[:8]] == [bar.name for bar in drawn]
    assert every.rows.equals(few.rows)
    assert every.statements == few.statements
    assert few.view.option("bars") == "few"


def test_runs_of_an_unlike_load_have_no_bar_beside_the_cheapest(shipped: Library) -> None:
    answer = asked(shipped, {"model": ["gemma-4-31b"], "precision": ["fp8"]})
    assert [one.fact.key for one in answer.result.unlike] == ["load_kind"]
    drawn, rest = bars_of(answer.result)
    assert ([bar.facts.accelerator for bar in drawn], rest) == (["h100-sxm"], 0)
    assert drawn[0].name == "H100 SXM (static batches)"
    notes = " ".join(str(note.text) for note in cost.figure(answer.result, LIGHT).layout.annotations)
    assert "1 under unlike kinds of load in the table" in notes.replace("<br>", " ")
    assert set(answer.rows["accelerator"]) == {"h100-sxm", "tpu-v6e"}


def test_a_dear_quote_does_not_press_the_other_costs_together(shipped: Library) -> None:
    answer = asked(shipped, {"model": ["llama-3.3-70b"], "precision": ["fp4"], "isl": ["1000"], "osl": ["1000"]})
    drawn, _ = bars_of(answer.result)
    chart = ChartBars(answer.result, drawn, 0, 0, None, LIGHT)
    end, longest = chart.end, max(bar.usd for bar in drawn)
    assert not chart.log
    beyond = [usd for bar in drawn for usd, _ in bar.dots if usd > end]
    assert beyond
    assert end == pytest.approx(1.25 * longest)
    figure = cost.figure(answer.result, LIGHT)
    (dots,) = [trace for trace in figure.data if trace.type == "scatter" and trace.xaxis is None]
    assert max(dots.x) <= end
    assert any("beyond the axis" in str(note.text).replace("<br>", " ") for note in figure.layout.annotations)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"tokens": "gold"}, "tokens"),
        ({"group": "point_id; DROP"}, "group"),
        ({"price_book": "articels"}, "articles"),
        ({"price_book": "articles", "price_terms": "spot"}, "articles.*spot"),
        ({"utilisation": "60"}, "utilisation=0.6"),
        ({"utilisation": "nan"}, "number"),
        ({"utilisation": "1e-300"}, "0.001"),
        ({"provider": "Lamda"}, "Lambda"),
        ({"volume": "-1"}, "volume=100000000"),
        ({"volume": "much"}, "number"),
        ({"latency": "output_tokens_per_s"}, "output_tokens_per_s"),
        ({"api_price_output": "1e300"}, "api_price_output=2.5"),
    ],
)
def test_an_option_that_cannot_be_is_named(shipped: Library, options: dict[str, str], words: str) -> None:
    with pytest.raises((UsageError, UnknownName), match=words):
        asked(shipped, ARTICLE, **options)


def test_whether_the_cheapest_is_cheapest_at_each_book_and_provider(shipped: Library) -> None:
    answer = answered("cost", shipped, View.of(STORY))
    robust = answer.robustness
    assert robust is not None
    own = by_chip(answer)
    rates = {chip: one.point.rate / one.point.accelerators for chip, one in own.items()}
    lead, others = answer.result.lead.point.accelerator, dict(robust.others)
    for words, choice in prices.alternatives(shipped, Choice()).items():
        there = {chip: price.usd for chip, price in prices.chip_prices(shipped, choice).items()}
        chips = sorted(rates.keys() & there.keys(), key=lambda chip: there[chip] / rates[chip])
        verdict = others[f"at {words}"]
        if len(chips) < 2:
            assert verdict is None
        elif there[chips[1]] / rates[chips[1]] > 1.01 * there[chips[0]] / rates[chips[0]]:
            assert verdict is not None
            assert verdict.code == f"{chips[0]}|{chips[0]}"
    assert lead not in prices.chip_prices(shipped, Choice(provider="Crusoe"))
    assert others["at Crusoe's price"] is not None
    assert said(answer, "holds_in") == {"ways": robust.ways, "holding": robust.holding}


def test_where_one_deployment_alone_has_a_price_there_is_no_verdict_to_hold(shipped: Library) -> None:
    assert cost.robustness(shipped, View.of(ARTICLE)) is None


def test_where_most_accelerators_do_not_state_a_limit_none_is_the_cheapest(shipped: Library) -> None:
    where = {"model": ["deepseek-r1"], "precision": ["fp8"], "isl": ["1024"], "osl": ["8192"]}
    answer = asked(shipped, where, slo=["ttft_ms_p90<=3000"])
    assert (answer.result.deciding.accelerators, answer.result.deciding.of_accelerators) == (2, 8)
    assert answer.statements[0].kind == "undecided"
    assert cost.robustness(shipped, answer.view) is None


def test_the_limits_of_an_earlier_link_are_those_of_every_page(shipped: Library) -> None:
    link = f"v=1&model=deepseek-r1&slo_metric={SPEED}&slo=50&slo_ttft=3000"
    whole = cost.complete(shipped, View.from_query(link))
    assert set(whole.slo) == {f"{SPEED}>=50", f"{TTFT}<=3000"}
    lifted = cost.complete(shipped, View.from_query("slo=none"))
    assert lifted.slo == View.from_query(lifted.query()).slo == ("none",)
    assert whole.option("latency") == SPEED


LOADS = {"model": ["deepseek-r1"], "precision": ["fp8"], "isl": ["1024"], "osl": ["1024"]}


def test_what_the_cheapest_is_configured_with_unlike_all_others_stands_in_its_name(shipped: Library) -> None:
    answer = asked(
        shipped, {**LOADS, "accelerator": ["h200-sxm", "mi355x"], "load_kind": ["saturated", "closed"]}, slo=["none"]
    )
    loads = {one.point.accelerator: one.facts.load_kind for one in answer.result.deployments}
    assert loads == {"h200-sxm": "saturated", "mi355x": "closed"}
    assert "saturated load" in answer.headline
    assert "closed load" in answer.headline


def test_of_several_models_each_deployment_says_its_own(shipped: Library) -> None:
    models = ["gemma-4-e4b", "gemma-4-26b-a4b", "gemma-4-31b"]
    where = {"source": ["rvllm-tpu-v6e-vs-h100"], "model": models, "precision": ["int8"]}
    answer = asked(shipped, where, price_book="articles", group="deployment")
    labels = dict(zip(answer.rows["point_id"], answer.rows["deployment"], strict=True))
    assert len(set(labels.values())) == len(labels)
    assert {label.split(" on ")[0] for label in labels.values()} == {"Gemma 4 E4B", "Gemma 4 26B-A4B", "Gemma 4 31B"}


def test_a_group_reads_as_one(shipped: Library) -> None:
    layouts = asked(shipped, STORY, group="tp")
    assert all(label.startswith("tp ") for label in layouts.rows["deployment"])
    assert "tp 8 on" in layouts.headline
    apart = asked(shipped, STORY, group="disaggregated")
    assert {label.split(" on ")[0] for label in apart.rows["deployment"]} == {"disaggregated", "aggregated"}


# Lambda: 2.49 x 24 = 59.76; 100M of 1,260 x 86,400 tokens = 91.9 %. Azure: 5.40 x 24 = 129.60.
def test_a_provider_asked_for_is_the_one_whose_bill_is_spoken(shipped: Library) -> None:
    answer = asked(shipped, ARTICLE, provider="Lambda", price_book="articles")
    assert set(answer.rows["provider"]) == {"Lambda"}
    assert said(answer, "volume")["usd_per_day"] == pytest.approx(59.76)
    azure = asked(shipped, ARTICLE, provider="Azure", price_terms="unstated")
    assert said(azure, "volume")["usd_per_day"] == pytest.approx(129.60)


def test_one_prompt_token_comes_with_each_output_token_where_lengths_are_equal(shipped: Library) -> None:
    answer = asked(shipped, {**LOADS, "accelerator": ["h200-sxm"]}, api_price_output="50", api_price_input="5")
    assert answer.result.api is not None
    assert answer.result.api.with_each == 1
    assert said(answer, "api_price_with")["usd_per_million"] == 55


def test_why_holds_the_cheapests_own_price_and_throughput(shipped: Library) -> None:
    answer = asked(shipped, ARTICLE, provider="Lambda", price_book="articles", api_price_output="2.5")
    told = {reason.what: reason.inputs for reason in answer.why}
    assert told["Cost per million output tokens (USD)"].split(", ") == [
        "2.49 USD/h per chip",
        "H100 SXM",
        "1,260 tokens/s; utilisation 1",
    ]
    assert "2.50 USD per million" in told["Break-even volume"]
