"""Crossovers of the shipped results, against what was worked out by hand from the published tables."""

from __future__ import annotations

import json
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.chart import LIGHT
from bench.questions import crossover
from bench.view import View
from tests.thorough import some, times

V6E = "accelerator=tpu-v6e&accelerators=4"
V7X = "accelerator=tpu-v7x"
MI355X = "accelerator=mi355x"
COLUMN_A = "variant=column A, 50-token completions"
COLUMN_B = "variant=column B, server defaults"
APRIL = "variant=CUDA graph, forward only, April 2026"
JUNE = "variant=CUDA graph, default routes, June 2026"


def asked(library, model, **options):
    return crossover.answer(library, View.of({"model": [model]}, options))


def gemma(library, other, **options):
    return asked(library, "gemma-4-31b", a=V6E, b=other, **options)


def verdict(answer, per, held="Same concurrency"):
    return next(one for one in answer.numbers["verdicts"] if (one["held_equal"], one["per"]) == (held, per))


def leads(answer, per, held="Same concurrency"):
    return {knot["x"]: round(knot["lead_percent"], 1) for knot in verdict(answer, per, held)["leads"]}


def test_the_tpu_overtakes_column_b_just_below_128(shipped):
    answer = gemma(shipped, COLUMN_B)
    (crossing,) = answer.numbers["crossings"]
    assert crossing["x"] == pytest.approx(127.59, abs=0.01)
    assert (crossing["below"], crossing["above"], crossing["leads_after"]) == (64, 128, "a")
    assert crossing["interval"] == {
        "low": 64, "high": 128, "open_low": False, "open_high": False, "source": "bracket",
    }  # fmt: skip
    assert answer.headline == (
        "Gemma 4 31B: 4 x TPU v6e overtakes H100 SXM, column B, server defaults at batch 127.6, between the measured"
        " 64 and 128 (128 itself a tie), in output throughput."
    )
    assert answer.rows[answer.rows["batch"] == 128]["leads"].tolist() == ["tie"]


def test_what_both_sides_say_is_not_written_at_their_curves(shipped):
    source = "source=rvllm-tpu-v6e-vs-h100"
    answer = asked(shipped, "gemma-4-31b", a=f"{source}&{V6E}", b=f"{source}&{COLUMN_B}")
    assert "rvllm-tpu-v6e-vs-h100" in answer.headline
    written = " ".join(one.text or "" for one in crossover.figure(answer, LIGHT).layout.annotations)
    assert "column B" in written
    assert "rvllm" not in written
    assert "…" not in written


def test_the_tpu_overtakes_column_a_at_438(shipped):
    (crossing,) = gemma(shipped, COLUMN_A).numbers["crossings"]
    assert crossing["x"] == pytest.approx(437.6, abs=0.05)
    assert (crossing["below"], crossing["above"]) == (256, 512)


def test_the_tpu_overtakes_neither_run_of_the_same_engine(shipped):
    april = gemma(shipped, APRIL)
    assert april.numbers["kind"] == "b_leads"
    assert april.numbers["overlap"] == [1, 512]
    smallest = april.numbers["lead"]["smallest"]
    assert (smallest["x"], round(smallest["lead_percent"], 1)) == (512, -2.8)
    assert "leads by 2.8 % to 55 %" in april.headline
    assert "Above 512 only 4 x TPU v6e was measured, so nothing is said there." in april.findings
    june = gemma(shipped, JUNE)
    assert june.numbers["kind"] == "b_leads"
    assert june.numbers["crossings"] == []


@pytest.mark.parametrize("options", [{"price_a": 1.3, "price_b": 1.92}, {}])
def test_per_dollar_at_the_articles_prices_the_tpu_never_leads(shipped, options):
    answer = gemma(shipped, COLUMN_B, per="dollar", **options)
    assert answer.numbers["kind"] == "b_leads"
    assert (
        round(-answer.numbers["lead"]["smallest"]["lead_percent"], 1) == 3.6
    )  # 3.4 % below, seen from the GPU
    best = answer.numbers["break_even"]["a"][0]
    assert best["x"] == 768
    # 1.92 x 9,600 / 3,671 for all four chips
    assert best["usd_per_hour"] == pytest.approx(1.92 * 9600 / 3671)
    assert best["usd_per_accelerator_hour"] == pytest.approx(1.92 * 9600 / 3671 / 4)
    assert any(
        "wins below 5.02 USD/h for its 4 chips, 1.255 USD per chip" in told for told in answer.findings
    )


def test_below_the_break_even_price_the_tpu_leads_per_dollar(shipped):
    answer = gemma(shipped, COLUMN_B, per="dollar", price_a=1.25, price_b=1.92)
    assert answer.numbers["kind"] == "tie" or answer.numbers["crossings"]
    assert gemma(shipped, COLUMN_B, per="dollar", price_a=1.2, price_b=1.92).numbers["kind"] == "crosses"


def test_per_watt_is_not_known_without_published_power(shipped):
    answer = gemma(shipped, COLUMN_B, per="watt")
    assert answer.numbers["kind"] == "not_known"
    assert answer.headline.endswith("is not known: no rated power of TPU v6e is known here.")
    assert answer.rows.empty


def test_what_is_unlike_is_told_first(shipped):
    told = gemma(shipped, COLUMN_B).caveats[0]
    for part in ("engine (rvLLM against vLLM)", "precision (INT8 against FP8)", "chips (4 against 1)"):
        assert part in told


def test_the_verdict_on_qwen_is_the_normalisations(shipped):
    """The sums of the public tables: 4,347 against 3,351 at 32 on the best layout, +5.6 % on 4 chips each."""
    answer = asked(shipped, "qwen3.5-397b-a17b", a=V7X, b=MI355X, per="accelerator")
    best = leads(answer, "accelerator")
    assert [best[x] < 0 for x in (4, 8, 16, 32)] == [True] * 4
    assert [best[x] > 0 for x in (64, 128, 256)] == [True] * 3
    at_32 = next(knot for knot in answer.numbers["knots"] if knot["x"] == 32)
    assert (round(at_32["b"]), round(at_32["a"])) == (4347, 3351)
    at_64 = next(knot for knot in answer.numbers["knots"] if knot["x"] == 64)
    assert (round(at_64["b"]), round(at_64["a"])) == (4113, 4335)
    assert answer.numbers["kind"] == "passes"
    assert answer.numbers["crossings"] == []
    assert answer.headline == (
        "Qwen3.5 397B-A17B at 8,192 in / 1,024 out: MI355X leads in total throughput per chip at concurrency 4 to 32"
        " (by 14 % to 30 %), 4 x TPU v7x at 64 to 256 (by 5.4 % to 46 %); between 32 and 64 MI355X changes layout from"
        " 2 chips, tp 2 (not measured above 32) to 4 chips, tp 4, so no crossing is placed."
    )
    assert answer.findings[0] == (
        "Above 32 MI355X was not measured with 2 chips, tp 2, so whether it would lead there is not known: the lead"
        " told there is of what was measured."
    )
    same = verdict(answer, "accelerator")["verdict"]
    assert same == "MI355X to 32, 4 x TPU v7x from 64, where MI355X's best changes"
    assert verdict(answer, "accelerator", "Same concurrency, 4 chips each")["kind"] == "a_leads"
    assert leads(answer, "accelerator", "Same concurrency, 4 chips each") == {
        32: 5.6, 64: 5.4, 128: 28.9, 256: 46.1,
    }  # fmt: skip
    users = leads(answer, "accelerator", "Same users per chip")
    assert {x: users[x] for x in (2, 4, 8, 16, 32, 64)} == {
        2: 38.9,
        4: 22.4,
        8: 5.5,
        16: -0.3,
        32: 28.9,
        64: 46.1,
    }
    tied = [
        knot["x"] for knot in verdict(answer, "accelerator", "Same users per chip")["leads"] if knot["tie"]
    ]
    assert tied == [16]
    assert verdict(answer, "accelerator", "Same users per chip")["kind"] == "a_leads"


def test_the_axis_of_users_per_chip_gives_the_same_verdict_as_its_line_in_the_table(shipped):
    along = asked(
        shipped, "qwen3.5-397b-a17b", a=V7X, b=MI355X, per="accelerator", along="users_per_accelerator"
    )
    table = asked(shipped, "qwen3.5-397b-a17b", a=V7X, b=MI355X, per="accelerator")
    assert [(knot["x"], knot["lead_percent"]) for knot in along.numbers["knots"]] == [
        (knot["x"], knot["lead_percent"])
        for knot in verdict(table, "accelerator", "Same users per chip")["leads"]
    ]


def test_a_lead_where_only_an_older_layout_was_run_is_not_told_as_the_widest(shipped):
    """At one user per chip MI355X was run on 8 chips in February only, 312 tokens/s per chip against 1,106."""
    model = "qwen3.5-397b-a17b"
    answer = asked(shipped, model, a=V7X, b=MI355X, per="accelerator", along="users_per_accelerator")
    assert [knot["x"] for knot in answer.numbers["knots"] if not knot["settled"]] == [1]
    assert answer.headline.endswith(
        "from 2 users per chip to 64: 4 x TPU v7x leads by 5.5 % to 46 %, a tie at 16 users per chip; below 2 users per"
        " chip it is not known, since a best series was not run there."
    )
    (told,) = [
        one for one in answer.findings if one.startswith("Below 2 users per chip MI355X was not measured")
    ]
    assert "2 chips, tp 2" in told
    assert told.endswith("leads by 2.5 times there is of what was measured.")
    # 3.45 x 9,363.825 / 6,409.1, the others' price times A over B at 64 users per chip.
    (price,) = [one for one in answer.findings if one.startswith("Per dollar")]
    assert "5.041 USD per chip and hour, at 64 users per chip" in price
    assert price.endswith("1 place where a best series was not run left out.")
    watts = [one for one in answer.numbers["verdicts"] if one["per"] == "watt"]
    assert watts[0]["verdict"].endswith("not known below 2")


def test_the_preview_run_is_behind_where_the_snapshot_leads(shipped):
    sides = {"a": "variant=preview run 2026-08-03", "b": f"{MI355X}&accelerators=4"}
    answer = asked(shipped, "qwen3.5-397b-a17b", **sides, per="accelerator")
    assert answer.numbers["kind"] == "b_leads"
    values = {knot["x"]: (round(knot["a"]), round(knot["b"])) for knot in answer.numbers["knots"]}
    assert values == {32: (2901, 3172), 64: (3706, 4113)}


def test_without_a_pair_the_pairs_are_listed_with_their_verdicts(shipped):
    answer = crossover.answer(shipped, View())
    assert answer.numbers["mode"] == "list"
    assert answer.view.values("model") == ("gemma-4-31b",)
    assert [round(x, 1) for x in answer.rows["crossing"].dropna()] == [127.6, 437.6]
    assert answer.rows["kind"].tolist() == ["b_leads", "b_leads", "crosses", "crosses"]
    assert answer.headline == (
        "Gemma 4 31B: 4 x TPU v6e overtakes one H100 SXM in output throughput at batch 127.6 and 437.6 in 2 of 4 pairs;"
        " per chip and per dollar never."
    )


def test_the_most_alike_pair_comes_first(shipped):
    """FP8 without speculation against MTP is further down than pairs that differ in less."""
    answer = asked(shipped, "deepseek-r1")
    pair = answer.numbers["pairs"][0]
    assert pair["label_a"].split(", ")[1:] == pair["label_b"].split(", ")[1:]
    assert f"{pair['label_b']} overtakes {pair['label_a']}" in answer.headline


B300 = "accelerator=b300-sxm&accelerators=8&speculation=mtp"
H200 = "accelerator=h200-sxm&accelerators=8&engine=sglang&speculation=mtp"


def test_an_older_run_makes_no_crossing(shipped):
    """A run of April measured 421 at 256, which the newer run, going from 32 to 512, did not measure."""
    view = View.of({"model": ["deepseek-r1"], "isl": [8192], "osl": [1024]}, {"a": B300, "b": H200})
    answer = crossover.answer(shipped, view)
    assert (answer.numbers["kind"], answer.numbers["crossings"]) == ("a_leads", [])
    assert {one["point"]["date"] for one in answer.numbers["curves"]["a"]} == {"2026-05-22"}


def test_of_the_best_of_all_it_is_told_where_the_best_was_not_run(shipped):
    """At 768 only vLLM was run on the H100, which loses there; the series that leads up to 512 has no loss."""
    answer = asked(shipped, "gemma-4-31b", a="accelerator=tpu-v6e", b="accelerator=h100-sxm")
    assert (answer.numbers["kind"], answer.numbers["crossings"]) == ("passes", [])
    assert [(cut["x"], cut["until"], cut["side"]) for cut in answer.numbers["breaks"]] == [(512, 768, "b")]
    assert (
        "between 512 and 768 H100 SXM changes series from CUDA graph, forward only, April 2026 (not measured above 512)"
        in answer.headline
    )
    assert "whether it would lead there is not known" in answer.findings[0]


def test_two_accelerators_without_a_common_model_are_not_comparable(shipped):
    answer = crossover.answer(shipped, View.of({}, {"a": "accelerator=tpu-v6e", "b": "accelerator=mi300x"}))
    assert answer.numbers["kind"] == "not_comparable"
    assert "no model was measured on both" in answer.headline


HAVE_PAIRS = [
    ("deepseek-r1", "concurrency"),
    ("deepseek-r1", "isl"),
    ("gemma-4-31b", "batch"),
    ("llama-7b", "concurrency"),
    ("mixtral-8x7b", "isl"),
]


@pytest.mark.parametrize(
    "along", ["concurrency", "request_rate", "batch", "users_per_accelerator", "isl", "osl"]
)
@pytest.mark.parametrize("model", ["deepseek-r1", "gemma-4-31b", "llama-7b", "mixtral-8x7b"])
def test_every_listed_strip_is_its_pairs_knots(shipped, model, along):
    listed = asked(shipped, model, along=along)
    listed_pairs = listed.numbers["pairs"]
    assert listed_pairs or (model, along) not in HAVE_PAIRS
    assert len({(pair["a"], pair["b"]) for pair in listed_pairs}) == len(listed_pairs)
    for pair in some(listed_pairs[:: max(1, len(listed_pairs) // 3)], 1):
        chosen = crossover.answer(shipped, listed.view.with_options(a=pair["a"], b=pair["b"]))
        assert (chosen.numbers["a"]["label"], chosen.numbers["b"]["label"]) == (
            pair["label_a"],
            pair["label_b"],
        )
        assert chosen.numbers["kind"] == pair["kind"]
        told = [(knot["x"], knot["a"], knot["b"]) for knot in chosen.numbers["knots"]]
        assert told == [(knot["x"], knot["a"], knot["b"]) for knot in pair["strip"]], pair["a"]


def test_the_prices_are_the_same_however_a_pair_was_reached(shipped):
    listed = asked(shipped, "deepseek-r1")
    row = listed.numbers["pairs"][0]
    chosen = asked(shipped, "deepseek-r1", a=row["a"], b=row["b"])
    assert [chosen.view.option(key) for key in ("price_book", "price_terms")] == [
        listed.view.option(key) for key in ("price_book", "price_terms")
    ]


@pytest.mark.parametrize("model", ["gemma-4-31b", "qwen3.5-397b-a17b", "deepseek-r1"])
def test_a_listed_pair_has_the_same_verdict_when_it_is_chosen(shipped, model):
    listed = asked(shipped, model)
    assert 0 < len(listed.rows) <= 200
    for row in some(listed.rows.head(4).to_dict("records"), 2):
        chosen = crossover.answer(shipped, listed.view.with_options(a=row["a"], b=row["b"]))
        assert chosen.numbers["kind"] == row["kind"], row
        assert [one["x"] for one in chosen.numbers["crossings"] if not one["within_tie"]][:1] == (
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
    kind = one.numbers["kind"]
    assert other.numbers["kind"] == MIRRORED.get(kind, kind)
    assert [knot["x"] for knot in other.numbers["knots"]] == [knot["x"] for knot in one.numbers["knots"]]
    for here, there in zip(one.numbers["knots"], other.numbers["knots"], strict=True):
        assert there["lead_percent"] == pytest.approx(-here["lead_percent"], abs=1e-9)
    for here, there in zip(one.numbers["crossings"], other.numbers["crossings"], strict=True):
        assert there["x"] == pytest.approx(here["x"])
        assert there["leads_after"] == MIRRORED[here["leads_after"]]


def test_another_model_is_not_comparable(shipped):
    view = View.of({"model": ["gemma-4-31b", "deepseek-r1"]}, {"a": V6E, "b": "accelerator=h200-sxm"})
    answer = crossover.answer(shipped, view)
    assert answer.numbers["kind"] == "not_comparable"
    assert "the models differ, Gemma 4 31B against DeepSeek-R1" in answer.headline


def test_the_numbers_are_plain(shipped):
    for answer in (gemma(shipped, COLUMN_B), crossover.answer(shipped, View())):
        assert json.loads(json.dumps(answer.numbers, allow_nan=False))
