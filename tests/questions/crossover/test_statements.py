"""What a crossover's answer says, word for word: one example of each kind of statement and of each form of it.

What the other tests of this folder assert of an answer they assert by kind and values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from bench import names
from bench.basis.variations import Verdict
from bench.questions import crossover
from bench.questions.crossover.pair_words import Phrasing
from bench.questions.crossover.statements import verdict
from bench.view import View
from tests.questions.crossover.results import (
    APRIL,
    COLUMN_B,
    MI355X,
    PRICE,
    V6E,
    V7X,
    A,
    Said,
    asked,
    library_of,
    points,
    spoken,
)
from tests.questions.heatmap.results import flag
from tests.questions.saying import said

MADE = {"per": "dollar", "price_book": "made"}
REPEATS = ((1, 0.99), (2, 1.0), (3, 1.01))
LIMITED = {"ttft_ms_p99": 10}
BOTH = (points("h100-sxm", {1: 100, 4: 400}), points("h200-sxm", {1: 150, 4: 500}))

Rows = list[dict[str, object]]


def of_tpot(rows: Rows) -> Rows:
    return [{**row, "output_tokens_per_s": None, "tpot_ms_p50": row["output_tokens_per_s"]} for row in rows]


PAIRS: Mapping[str, tuple[Sequence[Rows], Mapping[str, Any], Said]] = {
    "a crossing": (
        (points("h100-sxm", {1: 100, 4: 400, 64: 6080}), points("h200-sxm", {1: 410, 4: 800, 64: 3200})),
        {},
        {
            "crosses": (
                "Llama 3.1 70B FP8 at 1,024/256: 2 x H100 SXM overtakes 2 x H200 SXM in output throughput at"
                " concurrency 17, interpolated."
            ),
            "ends": (
                "At the ends: 2 x H200 SXM is 4.10 times as fast at concurrency 1, 2 x H100 SXM leads by 90 % at"
                " concurrency 64."
            ),
            "crossing": (
                "2 x H100 SXM leads from concurrency 17 on, interpolated between the measured 4 and 64; no repeats"
                " narrow it down."
            ),
        },
    ),
    "a crossing that repeats narrow down": (
        [points("h100-sxm", {1: 80 * by, 4: 500 * by}, repeat=n) for n, by in REPEATS]
        + [points("h200-sxm", {1: 100 * by, 4: 400 * by}, repeat=n) for n, by in REPEATS],
        {},
        {
            "crossing": (
                "2 x H100 SXM leads from concurrency 2.00 on; the repeats put it between 1.91 and 2.10 with 95 %"
                " confidence."
            )
        },
    ),
    "two crossings": (
        (points("h100-sxm", {1: 100, 4: 400, 16: 400}), points("h200-sxm", {1: 200, 4: 200, 16: 800})),
        {},
        {
            "crosses": (
                "Llama 3.1 70B FP8: 2 x H100 SXM and 2 x H200 SXM swap the lead in output throughput at concurrency"
                " 2.0 and 8."
            )
        },
    ),
    "a crossing of a flagged point": (
        (
            points("h100-sxm", {1: 100, 4: 400}),
            points("h100-sxm", {16: 5000}, flags=flag("roofline")),
            points("h200-sxm", {1: 150, 4: 500, 16: 900}),
        ),
        {},
        {
            "crosses": (
                "Llama 3.1 70B FP8: 2 x H100 SXM overtakes 2 x H200 SXM in output throughput at concurrency 5,"
                " interpolated (flagged: beyond the roofline)."
            ),
            "flags": "Flags of 2 x H100 SXM: beyond the roofline on 1 of 3.",
        },
    ),
    "a crossing of latencies": (
        (of_tpot(points("h100-sxm", {1: 10, 4: 20})), of_tpot(points("h200-sxm", {1: 12, 4: 15}))),
        {"per": "dollar"},
        {
            "crosses": (
                "Llama 3.1 70B FP8 at 1,024/256: 2 x H200 SXM overtakes 2 x H100 SXM in median TPOT at concurrency"
                " 1.7, interpolated."
            ),
            "gave_way": "TPOT, median cannot be divided, so it is compared raw.",
        },
    ),
    "another layout within the bracket": (
        (
            points("h100-sxm", {1: 100, 64: 100}, tp=2),
            points("h100-sxm", {1: 25, 64: 1600}, tp=1, dp=2),
            points("h200-sxm", {1: 200, 64: 200}),
        ),
        {},
        {
            "bracket": "Around the crossing at 8 the best of 2 x H100 SXM changes from tp 2 to dp 2.",
            "mixed": "2 x H100 SXM takes its best deployment at each place, among layouts tp 2 and tp 1, dp 2.",
        },
    ),
    "the lead passes on once": (
        (
            points("h100-sxm", {1: 200, 64: 2000}, tp=2),
            points("h100-sxm", {1: 100, 256: 1000}, tp=1, dp=2),
            points("h200-sxm", {1: 150, 256: 1500}),
        ),
        {},
        {
            "passes": (
                "Llama 3.1 70B FP8: 2 x H100 SXM leads in output throughput up to concurrency 64, 2 x H200 SXM from"
                " 256; no crossing known."
            ),
            "change": (
                "Between 64 and 256 the best of 2 x H100 SXM changes from tp 2 (measured at 1 to 64) to dp 2"
                " (measured at 1 to 256), so the crossing there is not known."
            ),
            "mixed": "2 x H100 SXM takes its best deployment at each place, among layouts tp 2 (2) and tp 1, dp 2 (1).",
        },
    ),
    "the lead passes on more often": (
        (
            points("h100-sxm", {1: 400, 128: 900}, tp=2),
            points("h100-sxm", {128: 200, 512: 200}, tp=1, dp=2),
            points("h100-sxm", {512: 1000}, pp=2),
            points("h200-sxm", {1: 100, 128: 300}, tp=2),
            points("h200-sxm", {256: 330}, pp=2),
            points("h200-sxm", {512: 170}, dp=2),
        ),
        {},
        {
            "passes": (
                "Llama 3.1 70B: 2 x H100 SXM leads in output throughput at 3 of 4 loads, 2 x H200 SXM at 1; no"
                " crossing known."
            )
        },
    ),
    "a lead in percent": (
        (points("h100-sxm", {1: 100, 4: 300, 16: 900}), points("h200-sxm", {1: 100, 4: 360, 16: 1080})),
        {},
        {
            "leads": (
                "Llama 3.1 70B FP8 at 1,024/256: 2 x H200 SXM leads 2 x H100 SXM by 20 % in output throughput, with"
                " ties."
            )
        },
    ),
    "a lead in times, of what differs": (
        (points("h100-sxm", {1: 100, 4: 310}), points("h200-sxm", {1: 49, 4: 60}, precision="fp16")),
        {},
        {
            "leads": (
                "Llama 3.1 70B at 1,024/256: 2 x H100 SXM FP8 gives 2.04 to 5.17 times the output throughput of"
                " 2 x H200 SXM FP16."
            ),
            "extremes": (
                "Smallest lead: 2 x H100 SXM FP8 is 2.04 times as fast at concurrency 1; largest: 2 x H100 SXM FP8 is"
                " 5.17 times as fast at concurrency 4."
            ),
            "unlike": "The two sides differ in precision (FP8 against FP16).",
        },
    ),
    "a lead where lengths are stated on one side only": (
        (points("h100-sxm", {1: 100, 4: 300}), points("h200-sxm", {1: 90, 4: 200}, osl=None)),
        {},
        {
            "leads": "Llama 3.1 70B FP8: 2 x H100 SXM leads 2 x H200 SXM by 11 to 50 % in output throughput.",
            "one_sided": "Stated on one side only: output length 256 tokens for 2 x H100 SXM.",
        },
    ),
    "a lead within ranges of either side": (
        (points("h100-sxm", {2: 110, 8: 480}), points("h200-sxm", {1: 50, 4: 150})),
        {},
        {
            "beyond": (
                "Above 4 only 2 x H100 SXM was measured, so nothing is said there.",
                "Below 2 only 2 x H200 SXM was measured, so nothing is said there.",
            )
        },
    ),
    "a lead with unlike deployments of both sides": (
        (
            points("h100-sxm", {1: 100, 4: 300, 8: 500}, tp=2, speculation="none"),
            points("h100-sxm", {1: 90, 4: 400, 8: 700}, tp=1, dp=2, speculation="mtp"),
            points("h200-sxm", {1: 50, 4: 150}, speculation="mtp"),
            points("h200-sxm", {4: 140, 8: 250}, speculation="none"),
        ),
        {},
        {
            "unlike_places": "The compared deployments differ in speculation at 2 of 3 places.",
            "mixed": (
                (
                    "2 x H100 SXM takes its best deployment at each place, among kinds of speculation MTP speculation"
                    " (2) and no speculation (1) and layouts tp 1, dp 2 (2) and tp 2 (1)."
                ),
                (
                    "2 x H200 SXM takes its best deployment at each place, among kinds of speculation MTP speculation"
                    " (2) and no speculation (1)."
                ),
            ),
        },
    ),
    "a tie": (
        (points("h100-sxm", {1: 100, 4: 300}), points("h200-sxm", {1: 100.5, 4: 299})),
        {},
        {
            "tie": (
                "Llama 3.1 70B FP8 at 1,024/256: 2 x H100 SXM and 2 x H200 SXM tie in output throughput at every place."
            ),
            "touch": "The two meet at concurrency 2.3, but neither pulls ahead by more than a tie: no crossing.",
        },
    ),
    "the same points on both sides": (
        (points("h100-sxm", {1: 100, 4: 400}),),
        {"b": A},
        {
            "tie": (
                "Llama 3.1 70B FP8 at 1,024/256: A (2 x H100 SXM) and B (2 x H100 SXM) tie in output throughput at"
                " every place."
            ),
            "same": "Both sides are the same points.",
        },
    ),
    "ranges that do not overlap": (
        (points("h100-sxm", {1: 100, 4: 300}), points("h200-sxm", {8: 50, 16: 60})),
        {},
        {
            "no_overlap": (
                "Llama 3.1 70B FP8 at 1,024/256: 2 x H100 SXM and 2 x H200 SXM were measured at different loads."
            ),
            "next": "Nothing is extrapolated: measure both in one range, or choose another axis.",
        },
    ),
    "lengths that differ": (
        (points("h100-sxm", {1: 100, 4: 300}), points("h200-sxm", {1: 50, 4: 60}, osl=512)),
        {},
        {
            "not_comparable": "Not comparable: the output lengths differ, 256 against 512 tokens.",
            "next": "Choose sides of one model with the same stated lengths and kind of load.",
        },
    ),
    "models that differ": (
        (points("h100-sxm", {1: 100, 4: 300}), points("h200-sxm", {1: 50, 4: 60}, model="deepseek-r1")),
        {},
        {"not_comparable": "Not comparable: the models differ, Llama 3.1 70B against DeepSeek-R1."},
    ),
    "nothing ranked": (
        (points("h100-sxm", {1: 100, 4: 400}), points("h200-sxm", {1: 150, 4: 500}, evidence="projected")),
        {},
        {
            "no_points": "No comparison: no point of H200 SXM may be ranked.",
            "next": "Choose another axis or metric above the chart, or another side.",
        },
    ),
    "no price": (
        BOTH,
        MADE,
        {
            "not_known": (
                "Llama 3.1 70B FP8 at 1,024/256: who leads in output throughput per dollar is not known: H200 SXM has"
                " no price under the terms chosen."
            ),
            "break_even": (
                "Per dollar 2 x H200 SXM beats 2 x H100 SXM below 3.000 USD per chip and hour (6 for its 2 chips), at"
                " concurrency 1."
            ),
            "next": (
                "Enter the price of A and of B in USD per chip and hour (price_a, price_b), or choose other price"
                " terms."
            ),
        },
    ),
    "a price that the reader states": (
        BOTH,
        {**MADE, "price_b": 3.6},
        {
            "leads": (
                "Llama 3.1 70B FP8 at 1,024/256: 2 x H100 SXM leads 2 x H200 SXM by 20 to 44 % in output throughput"
                " per dollar."
            ),
            "break_even": (
                (
                    "Per dollar 2 x H100 SXM beats 2 x H200 SXM below 2.880 USD per chip and hour (now 2; 5.76 for its"
                    " 2 chips), at concurrency 4."
                ),
                (
                    "Per dollar 2 x H200 SXM beats 2 x H100 SXM below 3.000 USD per chip and hour (now 3.60; 6 for its"
                    " 2 chips), at concurrency 1."
                ),
            ),
            "stated": "2 x H200 SXM is priced at 3.60 USD/h (stated by you) for a chip.",
        },
    ),
    "few points that state what a limit is on": (
        (
            points("h100-sxm", {1: 100, 4: 400}, **LIMITED),
            points("h200-sxm", {1: 150, 4: 500}, **LIMITED),
            points("h100-sxm", {8: 500, 16: 600}),
            points("h200-sxm", {8: 500, 16: 600}),
        ),
        {"slo": ["ttft_ms_p99<=1000"]},
        {
            "leads": (
                "4 of 8 points state p99 TTFT; of those on Llama 3.1 70B, 2 x H200 SXM leads 2 x H100 SXM in output"
                " throughput."
            ),
            "limits": "Only points with p99 TTFT of 1,000 ms or less are compared.",
        },
    ),
}


@pytest.mark.parametrize(("rows", "options", "sentences"), PAIRS.values(), ids=PAIRS)
def test_what_is_said_of_a_pair(tmp_path, rows, options, sentences):
    answer = asked(library_of(tmp_path, *rows, prices=[PRICE]), **options)
    assert spoken(answer, sentences) == sentences


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("a crossing", "crosses a", "2 x H100 SXM overtakes 2 x H200 SXM"),
        ("two crossings", "crosses ab", "the lead changes hands at 2 places"),
        ("the lead passes on once", "passes", "each leads somewhere without a known crossing"),
        ("a lead in percent", "leads b", "2 x H200 SXM leads throughout"),
        ("a tie", "tie", "the two tie"),
    ],
)
def test_what_a_comparison_comes_to(tmp_path, name, code, words):
    rows, options, _ = PAIRS[name]
    pair = asked(library_of(tmp_path, *rows), **options).result
    assert verdict(pair.outcome, Phrasing.short(pair.asked, pair.a, pair.b)) == Verdict(code, words)


def test_a_comparison_that_cannot_be_told_comes_to_nothing(tmp_path):
    rows, options, _ = PAIRS["ranges that do not overlap"]
    pair = asked(library_of(tmp_path, *rows), **options).result
    assert verdict(pair.outcome, Phrasing.short(pair.asked, pair.a, pair.b)) is None


LISTS: Mapping[str, tuple[Sequence[Rows], Mapping[str, str], Said]] = {
    "one pair": (
        BOTH,
        {},
        {
            "pairs": (
                "Llama 3.1 70B FP8 at 1,024/256: 2 x H200 SXM leads 2 x H100 SXM by 25 to 50 % in output throughput."
            ),
            "most_alike": "No other pair can be compared.",
            "crossing": "The two do not cross.",
            "otherwise": "Divided otherwise: none cross per dollar; none cross per rated watt.",
            "closest": "The closest race without a crossing: 2 x H200 SXM leads 2 x H100 SXM by 25 % at concurrency 4.",
        },
    ),
    "pairs of which one crosses": (
        (
            points("h100-sxm", {1: 100, 4: 400}),
            points("h200-sxm", {1: 150, 4: 300}),
            points("b200-sxm", {1: 330, 4: 900}),
        ),
        {},
        {
            "most_alike": "This is on the most alike of 3 comparable pairs.",
            "crossing": "1 of the 3 listed pairs crosses.",
            "closest": (
                "The closest race without a crossing: 2 x B200 SXM is 2.20 times as fast as 2 x H200 SXM at"
                " concurrency 1."
            ),
        },
    ),
    "pairs of unequal chip counts": (
        (
            points("h100-sxm", {1: 100, 4: 400}),
            points("h200-sxm", {1: 150, 4: 300}),
            points("b200-sxm", {1: 300, 4: 900}, accelerators=4),
        ),
        {"per": "raw"},
        {
            "crossing": "The two cross.",
            "uneven": "2 pairs of unequal chip counts are left out; divide by chips to compare them.",
        },
    ),
    "one curve": (
        (points("h100-sxm", {1: 100, 4: 400}),),
        {},
        {
            "no_pair": (
                "Llama 3.1 70B at 1,024/256: only 1 curve of output throughput along concurrency was measured, on H100"
                " SXM."
            )
        },
    ),
    "two curves apart": (
        (points("h100-sxm", {1: 100, 4: 400}), points("h200-sxm", {8: 150, 16: 300})),
        {},
        {
            "no_pair": (
                "No 2 of 2 curves of output throughput along concurrency can be compared, on H100 SXM and H200 SXM."
            ),
            "next": "Two curves compare when model, stated lengths and kind of load agree and ranges overlap.",
        },
    ),
    "no accelerator": (
        (points("", {1: 100, 4: 400}),),
        {},
        {"left_out": "None of 2 points is used: 2 that state no accelerator."},
    ),
}


@pytest.mark.parametrize(("rows", "options", "sentences"), LISTS.values(), ids=LISTS)
def test_what_is_said_of_a_list(tmp_path, rows, options, sentences):
    answer = crossover.answer(library_of(tmp_path, *rows), View.of({}, options))
    assert spoken(answer, sentences) == sentences


def test_what_is_said_of_more_pairs_than_are_listed(tmp_path):
    """Every two of 21 accelerators are 210 pairs, of which 200 are listed; those that rise faster cross the others."""
    chips = [row.slug for row in names.accelerators()][:21]
    rows = [points(chip, {1: 100 * 1.5**place, 4: 900 / 1.5**place}) for place, chip in enumerate(chips)]
    answer = crossover.answer(library_of(tmp_path, *rows), View())
    sentences = {
        "most_alike": "This is on the most alike of 210 comparable pairs.",
        "crossing": "All of the 200 listed pairs cross.",
        "beyond": "10 more pairs, less alike, not listed.",
    }
    assert spoken(answer, sentences) == sentences
    assert (said(answer, "most_alike"), said(answer, "beyond")) == ({"pairs": 210}, {"pairs": 10})


def gemma(b: str, **options: str) -> Mapping[str, str]:
    return {"model": "gemma-4-31b", "a": V6E, "b": b, **options}


def qwen(**options: str) -> Mapping[str, str]:
    return {"model": "qwen3.5-397b-a17b", "a": V7X, "b": MI355X, "per": "accelerator", **options}


SHIPPED: Mapping[str, tuple[Mapping[str, str], Said]] = {
    "flags, and another leader per chip": (
        gemma(COLUMN_B),
        {
            "crosses": (
                "Gemma 4 31B: 4 x TPU v6e INT8 overtakes H100 SXM FP8 at batch 128, interpolated; per chip H100 SXM FP8"
                " leads (flagged: decode only and server's own figure)."
            )
        },
    ),
    "another leader per chip throughout": (
        {
            "model": "gpt-oss-120b",
            "a": "accelerator=b200-sxm&accelerators=2",
            "b": "accelerator=gb200&accelerators=1",
            "per": "raw",
        },
        {
            "leads": (
                "GPT-OSS 120B FP4, 1,024 tokens out: 2 x B200 SXM leads GB200 by 69 to 94 % in output throughput; per"
                " chip GB200 leads."
            )
        },
    ),
    "a range of one side alone": (
        gemma(APRIL),
        {
            "leads": (
                "Gemma 4 31B: H100 SXM FP8 leads 4 x TPU v6e INT8 by 2.8 to 55 % (flagged: decode only and doubtful"
                " method)."
            ),
            "beyond": "Above 512 only 4 x TPU v6e INT8 was measured, so nothing is said there.",
        },
    ),
    "ranges of both sides beyond": (
        {"model": "deepseek-r1", "a": "accelerator=b200-sxm", "b": "accelerator=b300-sxm"},
        {"beyond": "Above 512 the two were not measured at the same places, so nothing is said there."},
    ),
    "no rated power": (
        gemma(COLUMN_B, per="watt"),
        {
            "not_known": (
                "Gemma 4 31B: who leads in output throughput per rated watt is not known: the rated power of TPU v6e is"
                " not known here."
            ),
            "next": "Compare raw, per accelerator or per dollar instead.",
        },
    ),
    "a change of chips": (
        qwen(),
        {
            "passes": (
                "Qwen3.5 397B-A17B FP8 at 8,192/1,024: MI355X leads in total throughput per chip up to concurrency 32,"
                " 4 x TPU v7x from 64; no crossing known."
            ),
            "change": (
                "Between 32 and 64 the best of MI355X changes from 2 chips, tp 2 (measured at 4 to 32) to 4 chips, tp 4"
                " (measured at 32 to 256), so the crossing there is not known."
            ),
        },
    ),
    "the best not measured further": (
        qwen(along="users_per_accelerator", price_book="provider-quotes-2026-07"),
        {
            "leads": (
                "Qwen3.5 397B-A17B FP8 at 8,192/1,024: 4 x TPU v7x, vLLM leads MI355X, SGLang by 5.5 to 46 % in total"
                " throughput per chip, with ties."
            ),
            "lacking": (
                "MI355X's best deployment (2 chips, tp 2, SGLang 0.5.12, 2026-05-19) was not measured below 2 users per"
                " chip; there 4 x TPU v7x is 3.54 times as fast, against what was measured."
            ),
            "break_even": (
                "Per dollar 4 x TPU v7x beats MI355X below 5.041 USD per chip and hour (20.2 for its 4 chips), at 64"
                " users per chip. Left out: 1 place where a best deployment was not run."
            ),
        },
    ),
    "pairs of which two cross": (
        {"model": "gemma-4-31b", "per": "raw"},
        {
            "crossing": "2 of the 4 listed pairs cross.",
            "otherwise": "Divided otherwise: none cross per chip; none cross per dollar; not known per rated watt.",
            "closest": (
                "The closest race without a crossing: H100 SXM FP8 leads 4 x TPU v6e INT8 by 2.8 % at batch 512"
                " (flagged: decode only and doubtful method)."
            ),
        },
    ),
    "pairs of which none crosses": (
        {"model": "gpt-oss-120b"},
        {
            "pairs": (
                "GPT-OSS 120B FP4, 1,024 tokens out: GB200 leads 2 x B200 SXM by 2.9 to 18 % in output throughput per"
                " chip."
            ),
            "crossing": "None of the 6 listed pairs cross.",
            "otherwise": (
                "Divided otherwise: none cross raw, but 2 have another leader; none cross per dollar, but 1 has another"
                " leader; none cross per rated watt, but 1 has another leader."
            ),
        },
    ),
    "no batch": ({"model": "llama-2-70b"}, {"no_pair": "None of the 682 points of Llama 2 70B states a batch."}),
    "no input length": (
        {"model": "llama-2-70b", "along": "isl"},
        {"no_pair": "None of the 682 points of Llama 2 70B states an input length."},
    ),
    "none ranked": ({"model": "llama-3-70b"}, {"no_pair": "No point of Llama 3 70B may be ranked."}),
    "one place each": (
        {"model": "gemma-4-31b", "isl": "512", "osl": "256"},
        {"no_pair": "No deployment of Gemma 4 31B at 512/256 has output throughput at more than one concurrency."},
    ),
}


@pytest.mark.parametrize(("asking", "sentences"), SHIPPED.values(), ids=SHIPPED)
def test_what_is_said_of_the_shipped_results(shipped, asking, sentences):
    where = {key: [asking[key]] for key in ("model", "isl", "osl") if key in asking}
    view = View.of(where, {key: value for key, value in asking.items() if key not in where})
    answer = crossover.answer(shipped, view)
    assert spoken(answer, sentences) == sentences
