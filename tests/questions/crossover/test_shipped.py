"""Crossovers of the shipped results, against what was worked out by hand from the published tables."""

from __future__ import annotations

import pytest

from bench.chart import LIGHT
from bench.library import Library
from bench.questions import Answer, crossover
from bench.questions.crossover.result import Compared, Leads, Outcome, PairList
from bench.view import View
from tests.questions.crossover.results import COLUMN_B, MI355X, V6E, V7X, kind, knots, outcome
from tests.questions.saying import kinds, said, tells

QWEN = {"a": V7X, "b": MI355X, "per": "accelerator"}


def asked(library: Library, model: str, **options: str) -> Answer[crossover.CrossoverResult]:
    return crossover.answer(library, View.of({"model": [model]}, options))


def test_the_tpu_overtakes_column_b_just_below_128(shipped: Library) -> None:
    answer = asked(shipped, "gemma-4-31b", a=V6E, b=COLUMN_B)
    (crossing,) = outcome(answer).crossings
    assert crossing.x == pytest.approx(127.59, abs=0.01)
    held = crossing.interval
    assert (held.low, held.high, held.open_low, held.open_high, held.source) == (64, 128, False, False, "bracket")
    tells(answer, {"crosses": {"x": crossing.x, "leader": "a", "per_chip_leader": "b"}}, 1e-3)
    assert kinds(answer, "finding")[0] == "per_chip"
    assert answer.rows[answer.rows["batch"] == 128]["leads"].tolist() == ["tie"]
    assert said(answer, "unlike") == {"unlike": 4}


def test_per_dollar_at_the_articles_prices_the_tpu_never_leads(shipped: Library) -> None:
    answer = asked(shipped, "gemma-4-31b", a=V6E, b=COLUMN_B, per="dollar", price_terms="with_points")
    assert kind(answer) == "b_leads"
    assert (answer.result.a.price.usd, answer.result.b.price.usd) == (1.3, 1.92)
    # 3.4 % below, seen from the GPU
    assert round(-outcome(answer).smallest.lead_percent, 1) == 3.6
    best = answer.result.even["a"]
    assert (best.x, best.accelerators) == (768, 4)
    # 1.92 x 9,600 / 3,671 for all four chips
    assert best.usd_per_accelerator_hour == pytest.approx(1.92 * 9600 / 3671 / 4)


def verdict(answer: Answer[crossover.CrossoverResult], along: str, chips: int | None = None) -> Outcome:
    """What the comparison comes to per chip with this held equal."""
    wanted = (along, chips, "accelerator")
    (found,) = [one.outcome for one in answer.result.verdicts if (one.along, one.chips, one.per) == wanted]
    return found


def leads(found: Outcome) -> dict[float, float]:
    assert isinstance(found, Compared)
    return {knot.x: round(knot.lead_percent, 1) for knot in found.found.knots}


def test_the_verdict_on_qwen_is_the_normalisations(shipped: Library) -> None:
    """The sums of the public tables: 4,347 against 3,351 at 32 on the best layout, +5.6 % on 4 chips each."""
    answer = asked(shipped, "qwen3.5-397b-a17b", **QWEN)
    values = {knot.x: (round(knot.y_b), round(knot.y_a)) for knot in knots(answer)}
    assert (values[32], values[64]) == ((4347, 3351), (4113, 4335))
    assert kind(answer) == "passes"
    tells(answer, {"change": {"below": 32, "above": 64, "side": "b"}}, 1e-3)
    assert leads(verdict(answer, "concurrency", chips=4)) == {32: 5.6, 64: 5.4, 128: 28.9, 256: 46.1}
    per_chip = verdict(answer, "users_per_accelerator")
    expected = {2: 38.9, 4: 22.4, 8: 5.5, 16: -0.3, 32: 28.9, 64: 46.1}
    assert expected.items() <= leads(per_chip).items()
    assert isinstance(per_chip, Leads)
    assert per_chip.leader == "a"
    assert [knot.x for knot in per_chip.found.knots if knot.tie] == [16]
    along = asked(shipped, "qwen3.5-397b-a17b", **QWEN, along="users_per_accelerator")
    assert leads(outcome(along)) == leads(per_chip)


def test_a_lead_that_three_digits_write_as_twice_is_said_in_times_and_not_by_percent(shipped: Library) -> None:
    """At most one H100 gives 1.9996 times as much as one A100: that is 2.00 times, and not "over 99 %"."""
    h100, a100 = "accelerator=h100-sxm&accelerators=1", "accelerator=a100-pcie-40gb&accelerators=1"
    values = said(asked(shipped, "flan-t5-xxl", a=h100, b=a100), "leads_times")
    assert (values["who"], values["most_ratio"]) == ("H100 SXM", pytest.approx(1.9996, abs=1e-4))


def test_a_lead_where_only_an_older_layout_was_run_is_not_told_as_the_widest(shipped: Library) -> None:
    """At one user per chip MI355X was run on 8 chips in February only, 312 tokens/s per chip against 1,106."""
    prices = {"price_book": "provider-quotes-2026-07"}
    answer = asked(shipped, "qwen3.5-397b-a17b", **QWEN, along="users_per_accelerator", **prices)
    assert [knot.x for knot in knots(answer) if not knot.settled] == [1]
    values = said(answer, "leads")
    assert (values["leader"], round(values["least_ratio"], 3), round(values["most_ratio"], 2)) == ("a", 1.055, 1.46)
    (cut,) = outcome(answer).found.lacking
    best = outcome(answer).curves["b"].members[cut.member].facts
    assert (cut.beyond, best.accelerators, best.tp) == ("below", 2, 2)
    tells(answer, {"lacking": {"x": 2, "side": "b", "where": "below"}}, 1e-3)
    # The others' price times A over B at 64 users per chip.
    price = {"side": "a", "x": 64, "usd_per_accelerator_hour": 3.45 * 9363.825 / 6409.1, "left_out": 1}
    tells(answer, {"break_even": price}, 1e-3)


def test_without_a_pair_the_pairs_are_listed_with_their_verdicts(shipped: Library) -> None:
    answer = asked(shipped, "gemma-4-31b", per="raw")
    assert isinstance(answer.result, PairList)
    assert [round(x, 1) for x in answer.rows["crossing"].dropna()] == [127.6, 437.6]
    assert answer.rows["kind"].tolist() == ["b_leads", "b_leads", "crosses", "crosses"]
    tells(answer, {"most_alike": {"crossing": 2, "pairs": 4}}, 1e-3)


def test_chips_divide_where_the_most_alike_pair_is_of_unequal_counts(shipped: Library) -> None:
    answer = asked(shipped, "gpt-oss-120b")
    pair, values = answer.result.pairs[0], said(answer, "leads")
    assert (answer.result.asked.per, pair.a.hardware, pair.b.hardware) == ("accelerator", "2 x B200 SXM", "GB200")
    assert (values["leader"], round(values["least_ratio"], 3), round(values["most_ratio"], 2)) == ("b", 1.029, 1.18)
    drawn = crossover.figure(answer.result, LIGHT).layout.annotations
    assert "2 x B200 SXM against GB200" in [note.text for note in drawn]
    raw = asked(shipped, "gpt-oss-120b", per="raw")
    assert [(pair.a.label, pair.b.label) for pair in raw.result.pairs] == [("GB200 FP4", "H200 SXM FP8")]
    assert said(raw, "uneven") == {"pairs": 5}


def test_a_listed_pair_is_called_by_the_chips_that_were_compared(shipped: Library) -> None:
    """Against MI355X, GB300's best runs at 1,024/8,192 are on 58 chips, though others of the curve are on 34."""
    where = {"model": ["deepseek-r1"], "precision": ["fp4"], "isl": ["1024"], "osl": ["8192"]}
    answer = crossover.answer(shipped, View.of({**where, "accelerator": ["gb300", "mi355x"]}))
    named = 0
    for pair in answer.result.pairs:
        assert isinstance(pair.outcome, Compared)
        for key, side in (("a", pair.a), ("b", pair.b)):
            counts = {pair.outcome.member(key, knot).facts.accelerators for knot in pair.outcome.found.knots}
            count, times, _ = side.hardware.partition(" x ")
            named += bool(times)
            assert not times or counts == {int(count)}
    assert named


@pytest.mark.parametrize(("model", "per"), [("gpt-oss-120b", "accelerator"), ("mixtral-8x7b", "raw")])
def test_a_chosen_side_is_divided_alike(shipped: Library, model: str, per: str) -> None:
    chip = {"gpt-oss-120b": "gb200", "mixtral-8x7b": "h200-sxm"}[model]
    assert asked(shipped, model, a=f"accelerator={chip}").result.asked.per == per


@pytest.mark.parametrize(("model", "along"), [("deepseek-r1", "concurrency"), ("gemma-4-31b", "batch")])
def test_a_listed_pair_comes_to_the_same_when_it_is_chosen(shipped: Library, model: str, along: str) -> None:
    listed = asked(shipped, model, along=along)
    pairs = listed.result.pairs
    assert pairs[0].unlike == min(pair.unlike for pair in pairs)
    assert len({(pair.a.filters, pair.b.filters) for pair in pairs}) == len(pairs)
    pair, row = pairs[0], listed.rows.to_dict("records")[0]
    chosen = crossover.answer(shipped, listed.view.with_options(a=row["a"], b=row["b"]))
    assert [side.label for side in (chosen.result.a, chosen.result.b)] == [pair.a.label, pair.b.label]
    assert kind(chosen) == row["kind"]
    assert [(knot.x, knot.y_a, knot.y_b) for knot in knots(chosen)] == [
        (knot.x, knot.y_a, knot.y_b) for knot in pair.knots
    ]
    assert [one.x for one in outcome(chosen).crossings] == [one.x for one in pair.crossings]
    of_list = {one.accelerator: one for one in listed.result.prices}
    assert {one.accelerator: one for one in chosen.result.prices}.items() <= of_list.items()
