"""Crossovers of the shipped results, against what was worked out by hand from the published tables."""

from __future__ import annotations

import json
from collections import Counter
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.basis.document import document
from bench.chart import LIGHT
from bench.questions import answered, crossover
from bench.questions.crossover.result import Compared, PairList
from bench.view import View
from tests.questions.crossover.results import APRIL, COLUMN_B, MI355X, V6E, V7X, kind, knots, outcome, unflagged
from tests.questions.saying import headline, kinds, said, statement, statements
from tests.thorough import some, times

COLUMN_A = "variant=column A, 50-token completions"
JUNE = "variant=CUDA graph, default routes, June 2026"
PRINTED = {"price_terms": "with_points"}


def asked(library, model, **options):
    return crossover.answer(library, View.of({"model": [model]}, options))


def gemma(library, other, **options):
    return asked(library, "gemma-4-31b", a=V6E, b=other, **options)


def verdict(answer, per, along="concurrency", chips=None):
    """What the comparison comes to under one normalisation."""
    wanted = (along, chips, per)
    (found,) = [one.outcome for one in answer.result.verdicts if (one.along, one.chips, one.per) == wanted]
    return found


def leads(answer, per, along="concurrency", chips=None):
    return {knot.x: round(knot.lead_percent, 1) for knot in verdict(answer, per, along, chips).found.knots}


def test_the_tpu_overtakes_column_b_just_below_128(shipped):
    answer = gemma(shipped, COLUMN_B)
    (crossing,) = outcome(answer).crossings
    assert crossing.x == pytest.approx(127.59, abs=0.01)
    assert (crossing.below.x, crossing.above.x, crossing.leads_after) == (64, 128, "a")
    held = crossing.interval
    assert (held.low, held.high, held.open_low, held.open_high, held.source) == (64, 128, False, False, "bracket")
    assert headline(answer) == ("crosses", {"x": crossing.x, "leader": "a", "per_chip_leader": "b"})
    assert answer.rows[answer.rows["batch"] == 128]["leads"].tolist() == ["tie"]


def test_what_both_sides_say_is_not_written_at_their_curves(shipped):
    source = "source=rvllm-tpu-v6e-vs-h100"
    answer = asked(shipped, "gemma-4-31b", a=f"{source}&{V6E}", b=f"{source}&{COLUMN_B}")
    notes = crossover.figure(answer.result, LIGHT).layout.annotations
    written = " ".join(one.text or "" for one in notes)
    assert "column B" in written
    assert "rvllm" not in written
    assert "…" not in written


def test_the_tpu_overtakes_column_a_at_438(shipped):
    (crossing,) = outcome(gemma(shipped, COLUMN_A)).crossings
    assert crossing.x == pytest.approx(437.6, abs=0.05)
    assert (crossing.below.x, crossing.above.x) == (256, 512)


def test_the_tpu_overtakes_neither_run_of_the_same_engine(shipped):
    april = gemma(shipped, APRIL)
    assert kind(april) == "b_leads"
    assert outcome(april).found.overlap == (1, 512)
    smallest = outcome(april).smallest
    assert (smallest.x, round(smallest.lead_percent, 1)) == (512, -2.8)
    values = said(april, "leads")
    assert (round(values["least_ratio"], 3), round(values["most_ratio"], 2)) == (1.028, 1.55)
    assert said(april, "extremes") == {"smallest": 512, "largest": 32, "leader": "b"}
    assert said(april, "beyond") == {"x": 512, "where": "above", "sides": "a"}
    june = gemma(shipped, JUNE)
    assert kind(june) == "b_leads"
    assert outcome(june).found.crossings == ()


@pytest.mark.parametrize("options", [{"price_a": 1.3, "price_b": 1.92}, PRINTED])
def test_per_dollar_at_the_articles_prices_the_tpu_never_leads(shipped, options):
    answer = gemma(shipped, COLUMN_B, per="dollar", **options)
    assert kind(answer) == "b_leads"
    # 3.4 % below, seen from the GPU
    assert round(-outcome(answer).smallest.lead_percent, 1) == 3.6
    best = answer.result.even["a"]
    assert (best.x, best.accelerators) == (768, 4)
    # 1.92 x 9,600 / 3,671 for all four chips
    assert best.usd_per_accelerator_hour == pytest.approx(1.92 * 9600 / 3671 / 4)
    (told,) = [one.values for one in statements(answer, "break_even") if one.values["side"] == "a"]
    assert (told["x"], told["usd_per_accelerator_hour"]) == (768, best.usd_per_accelerator_hour)


def test_on_demand_is_the_price_unless_the_reader_chooses_another(shipped):
    answer = gemma(shipped, COLUMN_B, per="dollar")
    assert answer.view.option("price_terms") == "on_demand"
    # Medians over providers: one asks 2.70 to 3.24 for a v6e, five ask 2.15 to 10 for an H100.
    assert (answer.result.a.price.usd, answer.result.b.price.usd) == pytest.approx((2.97, 3.9))
    printed = gemma(shipped, COLUMN_B, per="dollar", **PRINTED)
    assert (printed.result.a.price.usd, printed.result.b.price.usd) == (1.3, 1.92)
    assert all(one.printed for one in printed.result.prices)
    assert said(printed, "prices") == {"tpu-v6e": 1.3, "h100-sxm": 1.92}


def test_below_the_break_even_price_the_tpu_leads_per_dollar(shipped):
    answer = gemma(shipped, COLUMN_B, per="dollar", price_a=1.25, price_b=1.92)
    assert kind(answer) == "tie" or outcome(answer).found.crossings
    assert kind(gemma(shipped, COLUMN_B, per="dollar", price_a=1.2, price_b=1.92)) == "crosses"


def test_per_watt_is_not_known_without_published_power(shipped):
    answer = gemma(shipped, COLUMN_B, per="watt")
    found = answer.result.outcome
    assert (found.kind, found.code, found.accelerators) == ("not_known", "power", ("tpu-v6e",))
    assert kinds(answer, "headline") == ["not_known"]
    assert answer.rows.empty


def test_what_is_unlike_is_told(shipped):
    answer = gemma(shipped, COLUMN_B)
    a, b = answer.result.a.points[0], answer.result.b.points[0]
    assert [(getattr(a, key), getattr(b, key)) for key in ("engine", "precision", "accelerators")] == [
        ("rvllm", "vllm"),
        ("int8", "fp8"),
        (4, 1),
    ]
    assert a.harness != b.harness
    assert said(answer, "unlike") == {"unlike": 4}


def test_the_verdict_on_qwen_is_the_normalisations(shipped):
    """The sums of the public tables: 4,347 against 3,351 at 32 on the best layout, +5.6 % on 4 chips each."""
    answer = asked(shipped, "qwen3.5-397b-a17b", a=V7X, b=MI355X, per="accelerator")
    best = leads(answer, "accelerator")
    assert [best[x] < 0 for x in (4, 8, 16, 32)] == [True] * 4
    assert [best[x] > 0 for x in (64, 128, 256)] == [True] * 3
    values = {knot.x: (round(knot.y_b), round(knot.y_a)) for knot in knots(answer)}
    assert (values[32], values[64]) == ((4347, 3351), (4113, 4335))
    assert kind(answer) == "passes"
    assert outcome(answer).found.crossings == ()
    assert kinds(answer)[:2] == ["passes", "change"]
    assert said(answer, "change") == {"below": 32, "above": 64, "side": "b"}
    (turn,) = outcome(answer).found.turns
    ends = [outcome(answer).member("b", knot) for knot in (turn.below, turn.above)]
    assert [(one.facts.accelerators, one.facts.tp, one.span) for one in ends] == [(2, 2, (4, 32)), (4, 4, (32, 256))]
    assert verdict(answer, "accelerator", chips=4).kind == "leads"
    assert leads(answer, "accelerator", chips=4) == {32: 5.6, 64: 5.4, 128: 28.9, 256: 46.1}
    per_chip = verdict(answer, "accelerator", "users_per_accelerator")
    users = leads(answer, "accelerator", "users_per_accelerator")
    assert {x: users[x] for x in (2, 4, 8, 16, 32, 64)} == {2: 38.9, 4: 22.4, 8: 5.5, 16: -0.3, 32: 28.9, 64: 46.1}
    assert [knot.x for knot in per_chip.found.knots if knot.tie] == [16]
    assert (per_chip.kind, per_chip.leader) == ("leads", "a")


def test_the_axis_of_users_per_chip_gives_the_same_verdict_as_its_line_in_the_table(shipped):
    along = asked(shipped, "qwen3.5-397b-a17b", a=V7X, b=MI355X, per="accelerator", along="users_per_accelerator")
    table = asked(shipped, "qwen3.5-397b-a17b", a=V7X, b=MI355X, per="accelerator")
    assert [(knot.x, knot.lead_percent) for knot in knots(along)] == [
        (knot.x, knot.lead_percent) for knot in verdict(table, "accelerator", "users_per_accelerator").found.knots
    ]


def test_a_lead_where_only_an_older_layout_was_run_is_not_told_as_the_widest(shipped):
    """At one user per chip MI355X was run on 8 chips in February only, 312 tokens/s per chip against 1,106."""
    model = "qwen3.5-397b-a17b"
    answer = asked(
        shipped,
        model,
        a=V7X,
        b=MI355X,
        per="accelerator",
        along="users_per_accelerator",
        price_book="provider-quotes-2026-07",
    )
    assert [knot.x for knot in knots(answer) if not knot.settled] == [1]
    leads = said(answer, "leads")
    assert leads["leader"] == "a"
    assert (round(leads["least_ratio"], 3), round(leads["most_ratio"], 2)) == (1.055, 1.46)
    assert any(knot.tie for knot in knots(answer))
    (cut,) = outcome(answer).found.lacking
    best = outcome(answer).curves["b"].members[cut.member].facts
    assert (cut.beyond, best.accelerators, best.tp) == ("below", 2, 2)
    assert said(answer, "lacking") == {"x": 2, "side": "b", "ratio": pytest.approx(3.54, abs=0.005)}
    # The others' price times A over B at 64 users per chip.
    price = {"side": "a", "x": 64, "usd_per_accelerator_hour": pytest.approx(3.45 * 9363.825 / 6409.1), "left_out": 1}
    assert said(answer, "break_even") == price


def test_the_preview_run_is_behind_where_the_snapshot_leads(shipped):
    sides = {"a": "variant=preview run 2026-08-03", "b": f"{MI355X}&accelerators=4"}
    answer = asked(shipped, "qwen3.5-397b-a17b", **sides, per="accelerator")
    assert kind(answer) == "b_leads"
    values = {knot.x: (round(knot.y_a), round(knot.y_b)) for knot in knots(answer)}
    assert values == {32: (2901, 3172), 64: (3706, 4113)}


def test_without_a_pair_the_pairs_are_listed_with_their_verdicts(shipped):
    answer = asked(shipped, "gemma-4-31b", per="raw")
    assert isinstance(answer.result, PairList)
    assert [round(x, 1) for x in answer.rows["crossing"].dropna()] == [127.6, 437.6]
    assert answer.rows["kind"].tolist() == ["b_leads", "b_leads", "crosses", "crosses"]
    assert said(answer, "pairs")["leader"] == "b"
    assert said(answer, "crossing") == {"crossing": 2, "pairs": 4}
    divided = said(answer, "otherwise")
    assert (divided["accelerator"], divided["dollar"]) == (0, 0)
    assert said(answer, "closest") == {"x": 512, "ratio": pytest.approx(1.028, abs=5e-4), "leader": "b"}


def models(library):
    return [model for (model,) in library.fetch("SELECT DISTINCT model FROM points WHERE model IS NOT NULL")]


def test_a_headline_that_nobody_divided_compares_equal_chip_counts_or_is_per_chip(shipped):
    told = Counter()
    for model in some(models(shipped), 6):
        answer = asked(shipped, model)
        for pair in answer.result.pairs:
            even = len(pair.a.counts) == 1 and pair.a.counts == pair.b.counts
            assert even or answer.result.asked.per == "accelerator", (model, pair.a.label, pair.b.label)
        if answer.result.pairs:
            per = answer.result.asked.per
            assert (" per chip" in answer.headline) is (per == "accelerator"), answer.headline
            told[per] += 1
    assert told["raw"] > times(15, 2)
    assert told["accelerator"] >= times(2, 1)


def test_chips_divide_where_the_most_alike_pair_is_of_unequal_counts(shipped):
    answer = asked(shipped, "gpt-oss-120b")
    assert gb200_leads(answer, "pairs", "b")
    raw = answer.result.otherwise["raw"]
    turned = [
        (pair.outcome.leader, one.leader)
        for pair, one in zip(answer.result.pairs, raw, strict=True)
        if pair.outcome.kind == one.kind == "leads" and pair.outcome.leader != one.leader
    ]
    assert (said(answer, "otherwise")["raw"], len(turned)) == (0, 2)
    drawn = crossover.figure(answer.result, LIGHT).layout.annotations
    assert "2 x B200 SXM against GB200, per chip" in [note.text for note in drawn]
    assert any(note.text.startswith("Who leads in output throughput per chip<br>") for note in drawn)


def gb200_leads(answer, kind, side):
    """Whether the headline has GB200 on this side lead two B200 by 2.9 to 18 % per chip."""
    values = said(answer, kind)
    by = (round(values["least_ratio"], 3), round(values["most_ratio"], 2))
    first = answer.result.pairs[0] if kind == "pairs" else answer.result
    own, other = (getattr(first, one).hardware for one in (side, "a" if side == "b" else "b"))
    assert answer.result.asked.per == "accelerator"
    return (values["leader"], by, own, other) == (side, (1.029, 1.18), "GB200", "2 x B200 SXM")


def test_a_chosen_side_is_divided_alike(shipped):
    assert gb200_leads(asked(shipped, "gpt-oss-120b", a="accelerator=gb200"), "pairs", "a")
    assert asked(shipped, "mixtral-8x7b", a="accelerator=h200-sxm").result.asked.per == "raw"


def test_undivided_pairs_of_unequal_counts_are_left_out_and_counted(shipped):
    answer = asked(shipped, "gpt-oss-120b", per="raw")
    assert [(pair.a.label, pair.b.label) for pair in answer.result.pairs] == [("GB200 FP4", "H200 SXM FP8")]
    assert said(answer, "uneven") == {"pairs": 5}


@pytest.mark.parametrize(
    ("where", "along", "silent"),
    [
        ({"model": ["llama-2-70b"]}, {}, True),
        ({"model": ["llama-2-70b"]}, {"along": "isl"}, True),
        ({"model": ["gemma-4-31b"], "isl": ["512"], "osl": ["256"]}, {}, False),
    ],
)
def test_where_there_is_no_curve_none_is_listed_and_what_is_missing_is_counted(shipped, where, along, silent):
    answer = crossover.answer(shipped, View.of(where, along))
    assert kinds(answer, "headline") == ["no_pair"]
    assert answer.result.curves == 0
    tally = answer.result.tally
    assert (tally.of("no_axis") == tally.selected > 0) is silent


def test_a_chosen_pair_says_who_leads_per_chip_where_that_is_the_other(shipped):
    sides = {"a": "accelerator=b200-sxm&accelerators=2", "b": "accelerator=gb200&accelerators=1"}
    answer = asked(shipped, "gpt-oss-120b", **sides, per="raw")
    values = said(answer, "leads")
    assert (values["leader"], values["per_chip_leader"]) == ("a", "b")
    assert (round(values["least_ratio"], 2), round(values["most_ratio"], 2)) == (1.69, 1.94)
    per_chip = asked(shipped, "gpt-oss-120b", **sides, per="accelerator")
    assert "per_chip_leader" not in said(per_chip, "leads")
    assert gb200_leads(per_chip, "leads", "b")


def test_the_page_opens_on_the_story_of_every_other_page(shipped):
    answer = crossover.answer(shipped, View())
    heatmap = crossover.story.of(shipped, View())
    assert answer.view.values("model") == heatmap.view.values("model") == ("deepseek-r1",)
    assert [answer.view.values(key) for key in ("isl", "osl")] == [heatmap.view.values(key) for key in ("isl", "osl")]
    assert answer.view.values("precision") == ()


def test_the_most_alike_pair_comes_first(shipped):
    """FP8 without speculation against MTP is further down than pairs that differ in less."""
    answer = asked(shipped, "deepseek-r1")
    pair = answer.result.pairs[0]
    assert pair.unlike == min(one.unlike for one in answer.result.pairs)
    a, b = (side.points[0] for side in (pair.a, pair.b))
    assert (a.engine, a.precision, a.speculation) == (b.engine, b.precision, b.speculation)
    assert said(answer, "pairs")["leader"] == pair.crossings[0].leads_after == "b"


B300 = "accelerator=b300-sxm&accelerators=8&speculation=mtp"
H200 = "accelerator=h200-sxm&accelerators=8&engine=sglang&speculation=mtp"


def test_an_older_run_makes_no_crossing(shipped):
    """A run of April measured 421 at 256, which the newer run, going from 32 to 512, did not measure."""
    view = View.of({"model": ["deepseek-r1"], "isl": [8192], "osl": [1024]}, {"a": B300, "b": H200})
    answer = crossover.answer(shipped, view)
    assert (kind(answer), outcome(answer).crossings) == ("a_leads", [])
    newest = {point.date for member in outcome(answer).best("a") for point in [member.facts]}
    assert {str(day) for day in newest} == {"2026-05-22"}


def test_of_the_best_of_all_it_is_told_where_the_best_was_not_run(shipped):
    """At 768 only vLLM was run on the H100, which loses there; the series that leads up to 512 has no loss."""
    answer = asked(shipped, "gemma-4-31b", a="accelerator=tpu-v6e", b="accelerator=h100-sxm")
    assert (kind(answer), outcome(answer).crossings) == ("passes", [])
    breaks = outcome(answer).found.breaks
    assert [(cut.x, cut.until, cut.side) for cut in breaks] == [(512, 768, "b")]
    assert said(answer, "change") == {"below": 512, "above": 768, "side": "b"}
    best = outcome(answer).curves["b"].members[breaks[0].member]
    assert (best.facts.engine, f"variant={best.facts.variant}", best.span) == ("rvllm", APRIL, (1, 512))


def test_two_accelerators_without_a_common_model_are_not_comparable(shipped):
    answer = crossover.answer(shipped, View.of({}, {"a": "accelerator=tpu-v6e", "b": "accelerator=mi300x"}))
    found = answer.result.outcome
    assert (found.kind, found.key) == ("not_comparable", "model")
    assert not set(found.a) & set(found.b)


HAVE_PAIRS = [
    ("deepseek-r1", "concurrency"),
    ("deepseek-r1", "isl"),
    ("gemma-4-31b", "batch"),
    ("llama-7b", "concurrency"),
    ("mixtral-8x7b", "isl"),
]


@pytest.mark.parametrize(
    "along", some(["concurrency", "request_rate", "batch", "users_per_accelerator", "isl", "osl"], 2)
)
@pytest.mark.parametrize("model", some(["deepseek-r1", "gemma-4-31b", "llama-7b", "mixtral-8x7b"], 2))
def test_every_listed_strip_is_its_pairs_knots(shipped, model, along):
    listed = asked(shipped, model, along=along)
    pairs = listed.result.pairs
    assert pairs or (model, along) not in HAVE_PAIRS
    assert len({(pair.a.filters, pair.b.filters) for pair in pairs}) == len(pairs)
    for pair in some(pairs[:: max(1, len(pairs) // 3)], 1):
        chosen = crossover.answer(shipped, listed.view.with_options(a=pair.a.filters, b=pair.b.filters))
        assert [side.label for side in (chosen.result.a, chosen.result.b)] == [pair.a.label, pair.b.label]
        assert chosen.result.outcome.kind == pair.outcome.kind
        if isinstance(pair.outcome, Compared):
            told = [(knot.x, knot.y_a, knot.y_b) for knot in knots(chosen)]
            assert told == [(knot.x, knot.y_a, knot.y_b) for knot in pair.outcome.found.knots]


def test_the_prices_are_the_same_however_a_pair_was_reached(shipped):
    listed = asked(shipped, "deepseek-r1")
    row = listed.result.pairs[0]
    chosen = asked(shipped, "deepseek-r1", a=row.a.filters, b=row.b.filters)
    of_list = {one.accelerator: one for one in listed.result.prices}
    assert {one.accelerator: one for one in chosen.result.prices}.items() <= of_list.items()
    narrower = crossover.answer(shipped, listed.view.with_where(accelerator=[row.a.accelerator, row.b.accelerator]))
    assert {one.accelerator: one for one in narrower.result.prices}.items() <= of_list.items()


@pytest.mark.parametrize("model", ["gemma-4-31b", "qwen3.5-397b-a17b", "deepseek-r1"])
def test_a_listed_pair_has_the_same_verdict_when_it_is_chosen(shipped, model):
    listed = asked(shipped, model)
    assert 0 < len(listed.rows) <= 200
    for row in some(listed.rows.head(4).to_dict("records"), 2):
        chosen = crossover.answer(shipped, listed.view.with_options(a=row["a"], b=row["b"]))
        assert kind(chosen) == row["kind"], row
        assert [one.x for one in outcome(chosen).crossings][:1] == (
            [row["crossing"]] if row["crossing"] == row["crossing"] and row["crossing"] else []
        )


MIRRORED = {"a": "b", "b": "a", "a_leads": "b_leads", "b_leads": "a_leads"}


@pytest.fixture(scope="module")
def lists(shipped):
    """The listed pairs of a model by how they are compared, each asked for once."""
    return cache(lambda model, per: asked(shipped, model, per=per))


@settings(max_examples=times(8, 3))
@given(data=st.data())
def test_exchanging_the_sides_mirrors_the_answer(shipped, lists, data):
    model = data.draw(st.sampled_from(["gemma-4-31b", "qwen3.5-397b-a17b", "deepseek-r1"]))
    listed = lists(model, data.draw(st.sampled_from(["raw", "accelerator", "dollar"])))
    row = data.draw(st.sampled_from(listed.rows.to_dict("records")))
    one = crossover.answer(shipped, listed.view.with_options(a=row["a"], b=row["b"]))
    other = crossover.answer(shipped, listed.view.with_options(a=row["b"], b=row["a"]))
    assert kind(other) == MIRRORED.get(kind(one), kind(one))
    if not isinstance(one.result.outcome, Compared):
        return
    assert [knot.x for knot in knots(other)] == [knot.x for knot in knots(one)]
    for here, there in zip(knots(one), knots(other), strict=True):
        assert there.lead_percent == pytest.approx(-here.lead_percent, abs=1e-9)
    for here, there in zip(outcome(one).crossings, outcome(other).crossings, strict=True):
        assert there.x == pytest.approx(here.x)
        assert there.leads_after == MIRRORED[here.leads_after]


def test_another_model_is_not_comparable(shipped):
    view = View.of({"model": ["gemma-4-31b", "deepseek-r1"]}, {"a": V6E, "b": "accelerator=h200-sxm"})
    answer = crossover.answer(shipped, view)
    found = answer.result.outcome
    assert (found.kind, found.key, found.a, found.b) == ("not_comparable", "model", ("gemma-4-31b",), ("deepseek-r1",))


def test_the_result_is_plain(shipped):
    for answer in (gemma(shipped, COLUMN_B), crossover.answer(shipped, View())):
        assert json.loads(json.dumps(document(answer.result), allow_nan=False, default=str))


@pytest.mark.parametrize("model", ["gemma-4-31b", "deepseek-r1", "llama-13b"])
def test_every_flag_of_a_named_point_stands_in_the_sentence(shipped, model):
    listed = asked(shipped, model)
    row = listed.result.pairs[0]
    for answer in (listed, asked(shipped, model, a=row.a.filters, b=row.b.filters)):
        for one in answer.statements:
            assert not unflagged(shipped, one), one.text


def test_narrowing_to_what_is_shown_changes_no_figure(shipped):
    options = {"a": "accelerator=h200-sxm", "b": MI355X, "per": "dollar"}
    wide = crossover.answer(shipped, View.of({"model": ["deepseek-r1"]}, options))
    narrow = crossover.answer(
        shipped, View.of({"model": ["deepseek-r1"], "accelerator": ["h200-sxm", "mi355x"]}, options)
    )
    assert wide.view.values("isl") == narrow.view.values("isl")
    assert wide.rows.equals(narrow.rows)
    assert wide.result.prices == narrow.result.prices


def test_whether_it_holds_is_told_of_the_pairs_that_the_headline_names(shipped):
    view = View.of({"model": ["deepseek-r1"], "precision": ["fp8"], "isl": [1024], "osl": [1024]})
    answer = answered("crossover", shipped, view)
    assert answer.robustness.holding < answer.robustness.ways
    assert statement(answer, "holds_in").role == "variation"
    pair = answer.result.pairs[0]
    chosen = answered("crossover", shipped, answer.view.with_options(a=pair.a.filters, b=pair.b.filters))
    assert chosen.robustness == answer.robustness


@pytest.mark.parametrize("sides", [{}, {"a": "accelerator=h200-sxm", "b": "accelerator=mi355x"}])
@pytest.mark.parametrize("per", ["raw", "dollar"])
@pytest.mark.parametrize(
    "options",
    some(
        [
            {"price_terms": "spot"},
            {"utilisation": "0.5"},
            {"provider": "OCI"},
            {"price_book": "list-prices"},
            {"price_terms": "with_points"},
        ],
        1,
    ),
)
def test_whether_it_holds_is_told_at_whatever_prices_the_reader_chooses(shipped, sides, per, options):
    view = View.of({"model": ["deepseek-r1"], "precision": ["fp8"]}, {**sides, "per": per, **options})
    answer = answered("crossover", shipped, view)
    assert per == "dollar" or answer.robustness.ways > 1


def of_deepseek(library, a, b, **where):
    options = {"a": f"accelerator={a}", "b": f"accelerator={b}"}
    view = {"model": ["deepseek-r1"], **{key: [value] for key, value in where.items()}}
    return answered("crossover", library, View.of(view, options))


def test_precisions_mixed_within_both_sides_are_told(shipped):
    answer = of_deepseek(shipped, "b200-sxm", "b300-sxm")
    couples = [[outcome(answer).member(side, knot).facts.precision for side in "ab"] for knot in knots(answer)]
    assert said(answer, "unlike_places")["precision"] == sum(a != b for a, b in couples) > 0
    for change in statements(answer, "change"):
        one, _, other = change.text.partition(" changes from ")[2].partition(") to ")
        assert not one or not other.startswith(f"{one})")


@pytest.mark.parametrize(
    ("a", "b", "where"),
    [("b200-sxm", "b300-sxm", {}), ("h200-sxm", "mi355x", {"precision": "fp8", "isl": "1024", "osl": "8192"})],
)
def test_what_is_the_best_at_each_place_is_counted_by_places(shipped, a, b, where):
    answer = of_deepseek(shipped, a, b, **where)
    assert {one.values["places"] for one in statements(answer, "mixed")} == {len(knots(answer))}


def test_where_no_crossing_is_known_no_finding_tells_of_one(shipped):
    answer = of_deepseek(shipped, "b200-sxm", "mi355x", precision="fp4")
    assert kind(answer) == "passes"
    assert outcome(answer).found.crossings
    assert not {"crossing", "bracket"} & {*kinds(answer)}
    assert said(answer, "touch")
