"""Under which conditions a cost is told: limits, latencies, workloads, models, and what is unlike between bars."""

from __future__ import annotations

import pytest

from bench.chart import LIGHT
from bench.library import Library
from bench.questions import cost
from bench.view import View
from tests.questions.cost.asking import ARTICLE, SPEED, STORY, TTFT, asked, by_chip, ranked
from tests.questions.saying import headline, kinds, said


def test_where_nothing_is_asked_there_is_no_limit_and_the_cheapest_point_of_all_is_priced(shipped: Library) -> None:
    answer = asked(shipped)
    assert answer.view.slo == answer.result.limits == ()
    assert said(answer, "limits") == {"limits": 0}
    lead = answer.result.lead
    speeds = [{"metric": key, "value": lead.point.metrics[key]} for key in (TTFT, SPEED)]
    assert said(answer, "speeds")["speeds"] == speeds
    (own,) = shipped.fetch(f"SELECT {TTFT} FROM points WHERE point_id = ?", (lead.facts.point_id,))[0]
    assert lead.point.metrics[TTFT] == pytest.approx(own)


def test_points_that_do_not_state_a_limit_are_unknown_and_counted(shipped: Library) -> None:
    answer = asked(shipped, STORY, slo=["ttft_ms_p90<=3000"])
    tally, deciding = answer.result.tally, answer.result.deciding
    assert tally.of("unknown_limit") == deciding.of - deciding.points > 0
    _, values = headline(answer)
    assert (values["stating"], values["of"]) == (deciding.points, deciding.of)
    assert len(said(answer, "unknown")["groups"]) == len([1 for one in answer.result.missed if not one.stated])


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


def test_several_limits_take_the_best_point_that_keeps_them_all_and_say_what_they_cost(shipped: Library) -> None:
    slo = [f"{SPEED}>=50", f"{TTFT}<=1500"]
    peak, kept = asked(shipped, STORY), asked(shipped, STORY, slo=slo)
    best: dict[str, float] = {}
    for chip, many, rate, speed, ttft in ranked(
        shipped, peak, f'accelerator, accelerators, output_tokens_per_s, "{SPEED}", "{TTFT}"'
    ):
        if rate and many and speed is not None and ttft is not None and speed >= 50 and ttft <= 1500:
            best[chip] = max(best.get(chip, 0.0), rate / many)
    found = by_chip(kept)
    priced = {chip: rate for chip, rate in best.items() if chip in by_chip(peak)}
    assert {chip: one.point.rate / one.point.accelerators for chip, one in found.items()} == pytest.approx(priced)
    assert all(one.usd_per_million >= by_chip(peak)[chip].usd_per_million for chip, one in found.items())
    assert said(kept, "limits_cost")["times"] == pytest.approx(
        kept.result.lead.usd_per_million / by_chip(peak)[kept.result.lead.point.accelerator].usd_per_million
    )


def test_a_limit_nobody_keeps_is_a_sentence(shipped: Library) -> None:
    answer = asked(shipped, STORY, slo=["ttft_ms_p50<=0.001"])
    assert answer.rows.empty
    tally = answer.result.tally
    assert tally.of("unknown_limit") == 0 < tally.of("beyond_limit")
    kind, values = headline(answer)
    assert (kind, values["points"]) == ("beyond_limit", tally.of("beyond_limit"))
    assert cost.figure(answer.result, LIGHT).layout.annotations[0].text == "Nothing can be priced here."


def test_who_states_no_limit_is_told_apart_from_who_never_keeps_it(shipped: Library) -> None:
    metric = "interactivity_tokens_per_s_per_user_p90"
    answer = asked(shipped, STORY, slo=[f"{metric}>=50"])
    best: dict[str, float | None] = {}
    for chip, speed in ranked(shipped, asked(shipped, STORY), f'accelerator, "{metric}"'):
        best[chip] = max((value for value in (best.get(chip), speed) if value is not None), default=None)
    priced = set(best) - set(answer.result.unpriced) - {"mi325x"}
    out = {chip: best[chip] is not None for chip in priced if (best[chip] or 0) < 50}
    assert {one.accelerator: one.stated for one in answer.result.missed} == out
    assert set(out.values()) == {True, False}
    assert [chip for chip, stated in out.items() if stated] == ["mi300x"]
    assert said(answer, "beyond")["groups"] == ["MI300X"]


def test_a_model_is_priced_at_one_precision_and_workload(shipped: Library) -> None:
    answer = asked(shipped, {"model": ["llama-3.3-70b"]})
    assert len({(one.model, one.precision, one.isl, one.osl) for one in answer.result.facts}) == 1
    assert said(answer, "narrowed")["left_out"] > 0


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


@pytest.mark.parametrize(("group", "key"), [("accelerator", ""), ("engine", ", engine")])
def test_every_operating_point_is_the_best_of_its_group(shipped: Library, group: str, key: str) -> None:
    answer = asked(shipped, STORY, group=group)
    best: dict[tuple[object, ...], float] = {}
    for rate, many, *own in ranked(shipped, answer, f"output_tokens_per_s, accelerators, accelerator{key}"):
        if rate and many and own[0] not in answer.result.unpriced:
            best[tuple(own)] = max(best.get(tuple(own), 0.0), rate / many)
    found = [one.point.rate / one.point.accelerators for one in answer.result.deployments]
    assert len(found) == answer.result.groups
    assert sorted(found) == pytest.approx(sorted(best.values()))
    costs = [one.usd_per_million for one in answer.result.deployments]
    assert costs == sorted(costs)


def test_a_headline_that_holds_in_under_half_of_the_checks_says_that_it_is_undecided(shipped: Library) -> None:
    answer = asked(shipped, {"model": ["llama-3.1-8b"]})
    robustness = cost.robustness(shipped, answer.view)
    assert robustness is not None
    assert 2 * robustness.holding < robustness.ways == len(robustness.known)
    varied = answer.varied(robustness)
    assert varied.verdict.startswith("Undecided: ")
    assert varied.statements[0].values == answer.statements[0].values
    assert said(varied, "doubt") == {"ways": robustness.ways, "holding": robustness.holding}


def test_where_nothing_is_cheapest_no_finding_names_a_cheapest_rent(shipped: Library) -> None:
    answer = asked(shipped, {"model": ["gemma-4-31b"]})
    assert kinds(answer, "headline", "finding") == ["undecided_unlike"]


def test_what_has_no_price_is_named_with_its_terms(shipped: Library) -> None:
    unpriced = {"accelerators": ["cpu"], "terms": "on-demand ", "whose": []}
    assert said(asked(shipped, {"accelerator": ["cpu"]}), "none_priced") == unpriced
    lambdas = asked(shipped, {"accelerator": ["cpu"]}, provider="Lambda")
    assert said(lambdas, "none_priced") == {**unpriced, "whose": [{"one": "Lambda"}]}
