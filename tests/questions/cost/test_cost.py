"""What a million tokens cost: the articles' own figures, sums worked out by hand, and how an answer moves."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bench.basis import prices
from bench.basis.prices import Choice
from bench.chart import DARK, LIGHT
from bench.errors import UnknownName, UsageError
from bench.library import Library
from bench.names import DATA
from bench.questions import answered, cost
from bench.questions.cost.figure import axis_end, bars_of, is_log
from bench.questions.operating_points import NO_RATE
from bench.view import View
from tests.questions.cost.asking import ARTICLE, RVLLM, SIX, STORIES, STORY, USD, asked, by_chip, by_provider, ranked
from tests.questions.crossover.results import unflagged
from tests.questions.saying import headline, kinds, said
from tests.thorough import times


# 1e6 / (1,260 x 3,600) = 0.2204586 h for a million tokens, times each price: 2.49 -> 0.549, and so on.
def test_the_six_providers_of_the_article(shipped: Library) -> None:
    answer = asked(shipped, ARTICLE, **SIX)
    assert set(answer.rows["point_id"]) == {"0c5a69fc7df18262"}
    assert by_provider(answer, USD) == pytest.approx(
        {"Lambda": 0.549, "RunPod": 0.725, "CoreWeave": 1.049, "AWS": 1.129, "Azure": 1.190, "GCP": 1.118}, abs=5e-4
    )
    # The median of six: (4.76 + 5.07) / 2 = 4.915 USD/h, times 0.2204586.
    assert said(answer, "one") == pytest.approx(
        {"usd_per_million": 4.915 / (1260 * 3600) * 1e6, "lowest": 0.549, "highest": 1.190, "quotes": 6}, abs=5e-4
    )
    assert said(answer, "ages") == {"quotes": 6, "undated": 6}
    assert said(answer, "flags") == {"flagged": 1}


def test_unless_asked_otherwise_a_chip_is_priced_on_demand_at_the_median_over_providers(shipped: Library) -> None:
    answer = asked(shipped, ARTICLE)
    assert set(answer.rows["terms"]) == {"on_demand"}
    own = prices.chip_prices(shipped, Choice())["h100-sxm"]
    (one,) = answer.result.deployments
    assert one.price == own
    assert one.usd_per_million == pytest.approx(own.usd / (1260 * 3600) * 1e6)


def test_narrowing_to_a_chip_that_is_shown_changes_neither_its_price_nor_its_cost(shipped: Library) -> None:
    whole = by_chip(asked(shipped, STORY))
    for chip, one in whole.items():
        (alone,) = asked(shipped, {**STORY, "accelerator": [chip]}).result.deployments
        assert (alone.price, alone.charge, alone.point) == (one.price, one.charge, one.point)


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
    assert said(answer, "volume") == {"usd_per_day": pytest.approx(59.76), "instances": 1, "used": used}
    assert said(answer, "volume_used")["usd_per_day"] == pytest.approx(54.894, abs=5e-3)
    six = asked(shipped, ARTICLE, **SIX)
    assert said(six, "volume")["used"] == used
    assert said(six, "volume_at_least")["usd_per_day"] == pytest.approx(59.76)


def test_half_used_a_token_costs_twice_and_the_volume_needs_a_second_instance(shipped: Library) -> None:
    whole, half = asked(shipped, ARTICLE, **SIX), asked(shipped, ARTICLE, utilisation="0.5", **SIX)
    assert by_provider(half, USD) == pytest.approx({k: 2 * v for k, v in by_provider(whole, USD).items()})
    assert by_provider(half, "rented_instances")["Lambda"] == 2
    dollar = "tokens_per_s_per_usd_per_hour"
    assert by_provider(half, dollar) == by_provider(whole, dollar)


@pytest.mark.parametrize("volume", ["1e6", "1e8", "3e9"])
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
    assert said(output_only, "api_price") == {"usd_per_million": 2.5}
    both = asked(shipped, ARTICLE, api_price_output="2.5", api_price_input="0.5", **lambdas)
    assert both.result.api is not None
    assert both.result.api.usd_per_million == pytest.approx(3.5)
    assert said(both, "api")["tokens_per_day"] == pytest.approx(59.76e6 / 3.5)
    cheap = asked(shipped, ARTICLE, api_price_output="0.1", **lambdas)
    assert cheap.result.api is not None
    assert cheap.result.api.even is None
    assert said(cheap, "api") == {}
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


# 512/256 and an API at 0.50/2.50: weights 2 x 0.5 and 1 x 2.5 share the bill; 0.548942 = 2 i + 5 i, so i = 0.0784203.
def test_the_bill_is_shared_out_as_the_api_weighs_the_sides(shipped: Library) -> None:
    answer = asked(shipped, ARTICLE, provider="Lambda", **SIX, api_price_output="2.5", api_price_input="0.5")
    assert said(answer, "api_split") == {
        "input": pytest.approx(0.0784203, rel=1e-5),
        "output": pytest.approx(0.3921015, rel=1e-5),
    }


# No prompt throughput is printed: 1,260 x 512 / 256 = 2,520 input tokens/s, 3,780 of both; 2.49 / 3,780 -> 0.18298.
def test_prompt_tokens_are_worked_out_from_the_lengths_and_said_to_be(shipped: Library) -> None:
    where = {**ARTICLE, "isl": ["512"], "accelerators": ["1"]}
    blended = asked(shipped, where, tokens="blended", **SIX)
    assert by_provider(blended, "usd_per_million_total_tokens")["Lambda"] == pytest.approx(0.18298, abs=1e-5)
    assert said(blended, "derived") == {"deployments": 1}
    taken = asked(shipped, where, tokens="input", **SIX)
    assert by_provider(taken, "usd_per_million_input_tokens")["Lambda"] == pytest.approx(0.27447, abs=1e-5)
    measured = asked(shipped, where, tokens="total", **SIX)
    assert measured.rows.empty
    assert headline(measured) == ("none_enters", {"why": NO_RATE, "points": 1})


def test_the_price_of_latency_rises_with_the_limit(shipped: Library) -> None:
    ladder = asked(shipped, STORY).result.ladder
    assert len(ladder) > 2
    assert [one.times for one in ladder] == sorted(one.times for one in ladder)
    assert ladder[0].times >= 1


def test_an_accelerator_without_a_price_has_none_and_is_named_with_the_terms_under_which_it_has(
    shipped: Library,
) -> None:
    answer = asked(shipped, {"accelerator": ["mi325x"]})
    assert answer.rows.empty
    assert (answer.result.unpriced, "modelled:neocloud" in answer.result.priced_as) == (("mi325x",), True)
    assert headline(answer) == ("none_priced", {"unpriced": 1, "terms": len(answer.result.priced_as)})
    both = asked(shipped)
    assert both.result.unpriced == ("mi325x",)
    assert said(both, "unpriced") == {"unpriced": 1}
    assert "mi325x" not in set(both.rows["accelerator"])


def test_only_measured_points_enter_unless_asked(shipped: Library) -> None:
    assert set(asked(shipped, ARTICLE, group="deployment", **SIX).rows["evidence"]) == {"measured"}
    projected = asked(shipped, {**ARTICLE, "evidence": ["projected"], "model": ["gemma-4-31b"]}, **SIX)
    assert set(projected.rows["evidence"]) == {"projected"}
    assert said(projected, "not_measured") == {"points": 1}
    (bar, *_) = cost.figure(projected.result, LIGHT).data
    assert set(bar.marker.color) == {"rgba(0,0,0,0)"}


def test_a_modelled_cost_is_no_offer_and_is_called_that_in_every_sentence_with_a_price(shipped: Library) -> None:
    every = asked(shipped, ARTICLE, price_terms="every")
    (one,) = every.result.deployments
    assert one.price.usd == prices.chip_prices(shipped, Choice("every"))["h100-sxm"].usd
    assert not one.price.modelled
    assert said(every, "one")["quotes"] == len(one.offers) < len(one.quotes)
    ends = [quote.usd_per_million for quote in one.quotes if quote.quote.is_modelled]
    assert said(every, "modelled") == {"lowest": ends[0], "highest": ends[-1]}
    assert said(every, "unlike_terms") == {"terms": len({quote.quote.terms for quote in one.quotes})}
    for group in ("accelerator", "deployment"):
        modelled = asked(shipped, STORY, price_terms="modelled:neocloud", group=group, api_price_output="9")
        priced = [
            one for one in modelled.statements if "USD" in one.text and one.kind not in ("api_split", "api_price")
        ]
        assert len(priced) > 5
        assert [one.text for one in priced if "modelled" not in one.text] == []


def test_doubling_every_price_doubles_every_cost(tmp_path: Path, shipped: Library) -> None:
    own = tmp_path / "own" / "prices"
    own.mkdir(parents=True)
    header, *quotes = (DATA / "prices" / "provider-quotes-2026-07.csv").read_text().splitlines()
    for name, factor in (("once", 1), ("twice", 2)):
        lines = [line.replace("provider-quotes-2026-07,", f"{name},", 1).split(",") for line in quotes]
        for line in lines:
            line[7:9] = [str(factor * float(price)) for price in line[7:9]]
        (own / f"{name}.csv").write_text("\n".join([header, *map(",".join, lines)]) + "\n")
    library = Library.open(tmp_path / "own")
    once, twice = (
        by_chip(asked(library, STORY, price_book=name, price_terms="on_demand")) for name in ("once", "twice")
    )
    assert once.keys() == twice.keys()
    for chip, one in once.items():
        assert twice[chip].charge.usd_per_million == pytest.approx(2 * one.charge.usd_per_million)
        assert twice[chip].charge.rented.usd_per_day == pytest.approx(2 * one.charge.rented.usd_per_day)


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
    assert said(several, "ranking") == {"deployments": len(every)}
    assert [bar.point_id for bar in drawn] == [one.facts.point_id for one in every[: len(drawn)]]
    assert [bar.usd for bar in drawn] == [one.usd_per_million for one in every[: len(drawn)]]
    assert len(drawn) + rest == len(every)
    for theme in (LIGHT, DARK):
        clickable = [trace for trace in cost.figure(several.result, theme).data if trace.customdata is not None]
        assert {row[0] for trace in clickable for row in trace.customdata} == {bar.point_id for bar in drawn}


@pytest.mark.parametrize("where", STORIES)
@pytest.mark.parametrize("terms", ["on_demand", "every"])
def test_at_most_eight_bars_are_drawn_and_equal_quotes_are_one(
    shipped: Library, where: dict[str, list[str]], terms: str
) -> None:
    answer = asked(shipped, where, price_terms=terms)
    if answer.result.deployments:
        bars, _ = bars_of(answer.result)
        assert 0 < len(bars) <= 8
        assert len({(bar.name, bar.usd) for bar in bars}) == len(bars)


def test_equal_prices_of_a_provider_are_one_bar_that_counts_its_regions(shipped: Library) -> None:
    where = {"model": ["gemma-4-31b"], "precision": ["int8"], "accelerator": ["tpu-v6e"]}
    answer = asked(shipped, where, price_book="list-prices")
    bars, _ = bars_of(answer.result)
    assert [bar.name for bar in bars] == [
        "GCP, on demand, 6 regions, 2.70 USD/h",
        "GCP, on demand, 2 regions, 2.97 USD/h",
        "GCP, on demand, 2 regions, 3.24 USD/h",
    ]
    assert said(answer, "quotes") == {"quotes": 3}
    assert list(answer.rows["regions"]) == [6, 2, 2]


def test_a_bar_that_would_press_the_others_together_makes_the_axis_logarithmic_and_it_says_so(shipped: Library) -> None:
    answer = asked(shipped)
    drawn, _ = bars_of(answer.result)
    assert is_log(drawn)
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
    assert ([bar.accelerator for bar in drawn], rest) == (["h100-sxm"], 0)
    assert drawn[0].name == "H100 SXM, batch 512"
    notes = " ".join(str(note.text) for note in cost.figure(answer.result, LIGHT).layout.annotations)
    assert "1 under unlike kinds of load in the table" in notes.replace("<br>", " ")
    assert set(answer.rows["accelerator"]) == {"h100-sxm", "tpu-v6e"}


def test_a_dear_quote_does_not_press_the_other_costs_together(shipped: Library) -> None:
    answer = asked(shipped, {"model": ["llama-3.3-70b"], "precision": ["fp4"], "isl": ["1000"], "osl": ["1000"]})
    drawn, _ = bars_of(answer.result)
    end, longest = axis_end(drawn, 0.0), max(bar.usd for bar in drawn)
    assert not is_log(drawn)
    beyond = [usd for bar in drawn for usd, _ in bar.dots if usd > end]
    assert beyond
    assert end == pytest.approx(1.25 * longest)
    figure = cost.figure(answer.result, LIGHT)
    (dots,) = [trace for trace in figure.data if trace.type == "scatter" and trace.xaxis is None]
    assert max(dots.x) <= end
    assert any("beyond the axis" in str(note.text).replace("<br>", " ") for note in figure.layout.annotations)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"tokens": "gold"}, "choice for tokens"),
        ({"group": "point_id; DROP"}, "choice for group"),
        ({"price_book": "articels"}, "did you mean articles"),
        ({"price_book": "articles", "price_terms": "spot"}, "articles has no spot prices"),
        ({"utilisation": "60"}, "write it as in utilisation=0.6"),
        ({"utilisation": "nan"}, "is not a number"),
        ({"utilisation": "1e-300"}, "not between 0.001 and 1"),
        ({"provider": "Lamda"}, "did you mean Lambda"),
        ({"volume": "-1"}, "write it as in volume=100000000"),
        ({"volume": "much"}, "is not a number"),
        ({"latency": "output_tokens_per_s"}, "is no loaded latency or interactivity"),
        ({"api_price_output": "1e300"}, "write it as in api_price_output=2.5"),
    ],
)
def test_an_option_that_cannot_be_is_named(shipped: Library, options: dict[str, str], sentence: str) -> None:
    with pytest.raises((UsageError, UnknownName), match=sentence):
        asked(shipped, ARTICLE, **options)


@settings(max_examples=times(8, 3), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(1, 100), st.integers(2, 9))
def test_cost_falls_with_utilisation_and_the_bill_of_used_tokens_is_linear(
    shipped: Library, percent: int, factor: int
) -> None:
    share = percent / 100
    base = asked(shipped, ARTICLE, utilisation=share, volume=1e6, **SIX)
    more = asked(shipped, ARTICLE, utilisation=share, volume=1e6 * factor, **SIX)
    assert by_provider(base, USD)["Lambda"] == pytest.approx(0.5489418 / share, rel=1e-6)
    assert by_provider(more, "used_usd_per_day")["GCP"] == pytest.approx(
        factor * by_provider(base, "used_usd_per_day")["GCP"]
    )


@pytest.mark.parametrize("group", ["accelerator", "deployment", "tp"])
@pytest.mark.parametrize("where", STORIES)
def test_every_flag_of_every_point_that_a_sentence_names_stands_in_it(
    shipped: Library, where: dict[str, list[str]], group: str
) -> None:
    answer = asked(shipped, where, group=group, api_price_output="2.5", api_price_input="0.5")
    named = [one for one in answer.statements if one.role in ("headline", "finding")]
    assert [(one.kind, word) for one in named for word in unflagged(shipped, one)] == []


@pytest.mark.parametrize("where", STORIES)
def test_the_answer_of_a_completed_view_is_the_answer(shipped: Library, where: dict[str, list[str]]) -> None:
    answer = asked(shipped, where)
    assert cost.complete(shipped, answer.view) == answer.view
    assert View.from_query(answer.view.query()) == answer.view
    assert cost.answer(shipped, answer.view).statements == answer.statements


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
    assert answered("cost", shipped, View.of(ARTICLE)).robustness is None


@pytest.mark.parametrize("model", ["mixtral-8x7b", "llama-3.1-8b"])
def test_at_a_provider_alone_wins_what_it_says_when_chosen(shipped: Library, model: str) -> None:
    view = View.of({"model": [model]})
    answer = answered("cost", shipped, view)
    assert answer.result.lead.point.accelerator == "gh200-96gb"
    assert answer.robustness is not None
    for provider in ("RunPod", "Crusoe", "OCI", "Nebius"):
        verdict = dict(answer.robustness.others)[f"at {provider}'s price"]
        chosen = cost.answer(shipped, answer.view.with_options(provider=provider)).result.lead
        assert verdict is not None
        assert verdict.code.split("|")[1] == chosen.point.accelerator != "gh200-96gb"


def test_a_bill_at_the_cheapest_quote_names_its_instances_and_is_of_this_deployment(shipped: Library) -> None:
    answer = answered("cost", shipped, View.of({"model": ["deepseek-r1"]}).with_slo(["ttft_ms_p99<=2000"]))
    serving = answer.result.serving
    assert serving is not None
    first = serving.offers[0]
    assert first.rented.instances == 2
    hour = first.quote.usd_per_accelerator_hour
    day = pytest.approx(2 * serving.point.accelerators * hour * 24)
    assert said(answer, "volume_at_least") == {"usd_per_day": day, "instances": 2}
