"""What a cost answer says, word for word: one example of each kind of statement and of each form of it.

What the other tests of this folder assert of an answer they assert by kind and values.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bench.library import Library
from bench.questions import cost
from bench.view import View
from tests.questions.cost.asking import ARTICLE, RVLLM, SIX, SPEED, STORY, TTFT, asked
from tests.questions.crossover.results import PRICE, Said, library_of, points, spoken

LAMBDA = {"provider": "Lambda", **SIX}
ONE = {**ARTICLE, "isl": ["512"], "accelerators": ["1"]}
LOADS = {"model": ["deepseek-r1"], "precision": ["fp8"], "isl": ["1024"], "osl": ["1024"]}
LIFTED = {"slo": ["none"]}

SAID: Mapping[str, tuple[Mapping[str, list[str]], Mapping[str, Any], Said]] = {
    "one deployment at six quotes, flagged": (
        ARTICLE,
        SIX,
        {
            "one": (
                "Output tokens of Gemma 4 31B BF16 at 512/256 cost 1.08 USD per million on one H100 SXM (flagged:"
                " undefined throughput and beyond the roofline)."
            ),
            "quotes": (
                "USD per million on one H100 SXM (flagged: undefined throughput and beyond the roofline), by quote:"
                " Lambda 0.549, RunPod 0.725, CoreWeave 1.05, GCP 1.12, AWS 1.13 and Azure 1.19."
            ),
            "per_dollar": (
                "One USD an hour buys 256 output tokens/s, fully used: 1,260 for 4.92 USD/h on one H100 SXM (flagged:"
                " undefined throughput and beyond the roofline)."
            ),
            "volume_at_least": (
                "At its cheapest quote, Lambda's 2.49 USD/h per chip (terms unstated), one H100 SXM (flagged: undefined"
                " throughput and beyond the roofline) costs 59.76 USD a day."
            ),
            "api": (
                'Enter an API\'s price ("API price, output") to see from which volume on renting is cheaper than the'
                " API."
            ),
            "limits": "No limit is set: priced at peak throughput, whatever the latency.",
            "ages": "6 quotes: 6 undated.",
            "flags": (
                "The operating point has 2 flags: The article prints tok/s and never says whether prompt tokens count."
                " 1,260 tok/s on one H100 in BF16. At most 1,030 to 1,230 output tokens/s fit: 12.6 to 15.6 GB of KV"
                " room hold 23 to 28 requests."
            ),
        },
    ),
    "one provider's bill": (
        ARTICLE,
        {"volume": "1e8", "api_price_input": "0.5", **LAMBDA},
        {
            "volume": (
                "Cheapest rent for 100 million output tokens a day: one H100 SXM (flagged: undefined throughput and"
                " beyond the roofline), 59.76 USD a day or 1,792.80 a month, 91.9 % used."
            ),
            "volume_used": (
                "Paying only for the tokens used, that volume costs 54.89 USD a day on one H100 SXM (flagged: undefined"
                " throughput and beyond the roofline)."
            ),
            "api": (
                'Enter the other price too ("API price, output") to see from which volume on renting is cheaper than'
                " the API."
            ),
            "ages": "1 quote: 1 undated.",
        },
    ),
    "an API's price of output tokens": (
        ARTICLE,
        {"api_price_output": "2.5", **LAMBDA},
        {
            "api": (
                "One H100 SXM (flagged: undefined throughput and beyond the roofline), rented around the clock, is"
                " cheaper than the API from 23.9 million tokens a day on, 22.0 % of one instance."
            ),
            "api_price": "The API costs 2.50 USD per million output tokens, its prompt tokens not counted.",
            "api_used": (
                "Paying only for the tokens used, one H100 SXM (flagged: undefined throughput and beyond the roofline)"
                " costs 22 % of the API's price."
            ),
        },
    ),
    "an API's prices of both": (
        ARTICLE,
        {"api_price_output": "2.5", "api_price_input": "0.5", **LAMBDA},
        {
            "api_price": (
                "The API costs 3.50 USD per million output tokens, with the 2 prompt tokens that come with each."
            ),
            "api_split": (
                "Split as the API's prices are, one H100 SXM (flagged: undefined throughput and beyond the roofline)"
                " costs 0.0784 USD per million input and 0.392 per million output tokens, against 0.500 and 2.50."
            ),
        },
    ),
    "one prompt token with each": (
        {**LOADS, "accelerator": ["h200-sxm"]},
        {"api_price_output": "50", "api_price_input": "5"},
        {"api_price": "The API costs 55 USD per million output tokens, with the 1 prompt token that comes with each."},
    ),
    "an API that is cheaper": (
        ARTICLE,
        {"api_price_output": "0.1", **LAMBDA},
        {
            "api": (
                "One H100 SXM (flagged: undefined throughput and beyond the roofline) is dearer at every volume than"
                " the API: 0.549 USD at best."
            )
        },
    ),
    "an API that is cheaper again": (
        STORY,
        {"api_price_output": "4"},
        {
            "api": (
                "40 x B200 SXM, rented around the clock, is cheaper than the API from 1.54 billion tokens a day on,"
                " 68.4 % of one instance."
            ),
            "api_again": (
                "Just after each further instance is added the API is cheaper again, up to 4.62 billion a day on 3"
                " instances."
            ),
        },
    ),
    "tokens worked out": (
        ONE,
        {"tokens": "blended", **SIX},
        {
            "one": (
                "Input and output tokens of Gemma 4 31B BF16 cost 0.361 USD per million on one H100 SXM (flagged:"
                " undefined throughput and beyond the roofline)."
            ),
            "derived": "Input tokens of 1 deployment are worked out: output x input length / output length.",
        },
    ),
    "half used": (
        ARTICLE,
        {"utilisation": "0.5", **SIX},
        {
            "one": (
                "Output tokens of Gemma 4 31B BF16 cost 2.17 USD per million at 50 % use on one H100 SXM (flagged:"
                " undefined throughput and beyond the roofline)."
            )
        },
    ),
    "points not measured": (
        {**ARTICLE, "evidence": ["projected"], "model": ["gemma-4-31b"]},
        SIX,
        {
            "not_measured": "Not measured, drawn hollow: 1 projected.",
            "flags": (
                "The operating point has 1 flag: The article prints tok/s and never says whether prompt tokens count."
            ),
        },
    ),
    "every terms": (
        ARTICLE,
        {"price_terms": "every"},
        {
            "quotes": (
                "20 quotes for one H100 SXM (flagged: undefined throughput and beyond the roofline) range from Nebius's"
                " 1.25 USD/h per chip (spot) to OCI's 10 USD/h per chip (on demand), 8 times as much."
            ),
            "modelled": (
                "At modelled costs, which nobody offers, one H100 SXM (flagged: undefined throughput and beyond the"
                " roofline) would cost 0.258 to 0.392 USD per million."
            ),
            "unlike_terms": (
                "Price terms differ: marketplace, modelled cost (hyperscaler), modelled cost (neocloud), modelled cost"
                " (rental), on demand, reserved, spot and terms unstated."
            ),
            "ages": "26 quotes: 16 as of 2026-06-10 to 2026-08-15 and 10 undated.",
            "larger_quotes": "2 quotes are for more chips than the deployment has; the price per chip is used.",
        },
    ),
    "a price in several regions": (
        {"model": ["gemma-4-31b"], "precision": ["int8"], "accelerator": ["tpu-v6e"]},
        {"price_book": "list-prices"},
        {
            "quotes": (
                "USD per million on 4 x TPU v6e (flagged: decode only), by quote: GCP (6 regions at 2.70 USD/h) 0.312,"
                " GCP (2 regions at 2.97 USD/h) 0.344 and 1 more."
            )
        },
    ),
    "the cheapest within the opening limits": (
        {},
        {},
        {
            "cheapest": (
                "40 x B200 SXM is cheapest for DeepSeek-R1 FP8 at 8,192/1,024: 2.74 USD per million output tokens"
                " within limits; the next costs 29 % more."
            ),
            "speeds": (
                "At that cost 40 x B200 SXM has median TTFT 2,353 ms and median interactivity 27.1 tokens/s/user."
            ),
            "speeds_of_others": (
                "The others: median TTFT 389 to 4,986 ms and median interactivity 22.3 to 37.7 tokens/s/user."
            ),
            "bargain": "Cheapest single quote: 72 x GB200 at Crusoe, 4.29 USD/h per chip, 1.50 USD per million.",
            "ranking": (
                "USD per million output tokens: 40 x B200 SXM 2.74; 72 x GB200 3.54; 24 x B300 SXM 4.29; 32 x H200 SXM"
                " 4.82; 8 x MI355X 6.02; 3 more."
            ),
            "limits_cost": "The limits cost nothing on 40 x B200 SXM: its peak throughput keeps them.",
            "volume": (
                "Cheapest rent for 100 million output tokens a day: 8 x H200 SXM, 766.08 USD a day or 22,982 a month,"
                " 80.4 % used."
            ),
            "volume_on_cheapest": (
                "40 x B200 SXM, cheapest per token, would be only 4.4 % used by that volume and cost 6,156 USD a day."
            ),
            "limits": (
                "Limits: median interactivity of 20 tokens/s/user or more and median TTFT of 5,000 ms or less. They are"
                " Kneepoint's choice, since you set none; change them under Limits."
            ),
            "unlike": (
                "The deployments differ: engines Dynamo with TensorRT-LLM (4), Dynamo with SGLang (2), ATOM (1) and 1"
                " more; kinds of speculation MTP speculation (5) and no speculation (3); kinds of aggregation"
                " disaggregated (6) and aggregated (2)."
            ),
            "apart": "Measured between 2026-02-07 and 2026-06-02.",
        },
    ),
    "the cheapest at its peak": (
        STORY,
        LIFTED,
        {
            "cheapest": (
                "40 x B200 SXM is cheapest for DeepSeek-R1 FP8 at 8,192/1,024: 2.74 USD per million output tokens;"
                " 8 x H200 SXM costs 23 % more."
            ),
            "latency": (
                "Under a limit on median interactivity, B200 SXM costs at best 7.17 USD per million at 50 tokens/s/user"
                " or more (2.62 times the peak's) and 36.3 at 150 (13.2 times)."
            ),
        },
    ),
    "the cheapest within the reader's limits": (
        STORY,
        {"slo": [f"{SPEED}>=50", f"{TTFT}<=1500"]},
        {
            "limits_cost": "Within the limits 8 x MI355X costs 77 % more than at peak throughput.",
            "latency": (
                "Under a limit on median interactivity alone, MI355X costs at best 7.50 USD per million at 50"
                " tokens/s/user or more (1.77 times the peak's) and 21.2 at 150 (5.00 times)."
            ),
            "limits": "Limits: median interactivity of 50 tokens/s/user or more and median TTFT of 1,500 ms or less.",
        },
    ),
    "a limit that few points state": (
        STORY,
        {"slo": ["interactivity_tokens_per_s_per_user_p90>=50"]},
        {
            "cheapest": (
                "Only 55 of 154 points state p90 interactivity; of those 8 x B200 SXM is cheapest: 7.67 USD per million"
                " output tokens within limits."
            ),
            "limits_cost": "Within the limits 8 x B200 SXM costs 2.80 times as much as at peak throughput.",
            "larger_quotes": "1 quote is for more chips than the deployment has; the price per chip is used.",
            "unknown": "Left out, since they do not state p90 interactivity: GB200, GB300 and H100 SXM.",
            "beyond": "Never within the limits: MI300X.",
        },
    ),
    "two instances": (
        {"model": ["deepseek-r1"]},
        {"slo": ["ttft_ms_p99<=2000"]},
        {
            "volume": (
                "Cheapest rent for 100 million output tokens a day: 2 instances of 8 x MI355X, 2,313.60 USD a day or"
                " 69,408 a month, 64.8 % used."
            ),
            "volume_at_least": (
                "At its cheapest quote, Crusoe's 3.45 USD/h per chip (on demand), 2 instances of 8 x MI355X cost"
                " 1,324.80 USD a day."
            ),
        },
    ),
    "modelled costs": (
        STORY,
        {"price_terms": "modelled:neocloud"},
        {
            "cheapest": (
                "72 x GB200 is cheapest for DeepSeek-R1 FP8 at 8,192/1,024: 0.873 USD per million output tokens at"
                " modelled cost within limits."
            ),
            "ranking": (
                "USD per million output tokens at modelled cost: 72 x GB200 0.873; 40 x B200 SXM 0.941; 24 x B300 SXM"
                " 1.03; 44 x GB300 1.04; 5 more."
            ),
        },
    ),
    "every deployment": (
        STORY,
        {"group": "deployment"},
        {
            "cheapest": (
                "40 x B200 SXM (Dynamo with TensorRT-LLM) is cheapest for DeepSeek-R1 FP8 at 8,192/1,024: 2.74 USD per"
                " million output tokens within limits."
            ),
            "flags": "1 of 55 operating points flagged: energy contradicts the power.",
            "beyond": (
                "Never within the limits: 14 deployments on B200 SXM, B300 SXM, GB200, H100 SXM, H200 SXM and MI355X."
            ),
        },
    ),
    "a precision each": (
        RVLLM,
        {"group": "precision"},
        {
            "cheapest": (
                "One H100 SXM (FP8, KV FP16; flagged: decode only and doubtful method) is cheapest for Gemma 4 31B:"
                " 0.123 USD per million output tokens."
            ),
            "volume_used": (
                "Paying only for the tokens used, that volume costs 12.33 USD a day on one H100 SXM (FP8, CUDA graph,"
                " forward only, April 2026; flagged: decode only and doubtful method)."
            ),
        },
    ),
    "unlike kinds of load": (
        {"model": ["gemma-4-31b"]},
        {},
        {
            "undecided": (
                "No deployment is cheapest for Gemma 4 31B FP8, as kinds of load differ: 0.123 to 4.56 USD per million"
                " output tokens."
            ),
            "speeds_of_others": (
                "Those that state latencies: median TTFT 424 ms and median interactivity 29.5 tokens/s/user."
            ),
        },
    ),
    "unlike kinds of load put side by side": (
        {**LOADS, "accelerator": ["h200-sxm", "mi355x"], "load_kind": ["saturated", "closed"]},
        LIFTED,
        {
            "cheapest": (
                "8 x H200 SXM (saturated load) is cheapest for DeepSeek-R1 FP8: 0.684 USD per million output tokens;"
                " the next (closed load) costs 2.21 times that."
            )
        },
    ),
    "a limit that few accelerators state": (
        {"model": ["deepseek-r1"], "precision": ["fp8"], "isl": ["1024"], "osl": ["8192"]},
        {"slo": ["ttft_ms_p90<=3000"]},
        {
            "undecided": (
                "Only 2 of 8 accelerators state p90 TTFT, so none is cheapest: 4.35 to 7.68 USD per million output"
                " tokens."
            )
        },
    ),
    "a limit nobody keeps": (
        STORY,
        {"slo": ["ttft_ms_p50<=0.001"]},
        {
            "none_enters": (
                "No point of DeepSeek-R1 FP8 at 8,192/1,024 that can be priced keeps the limits on median TTFT (0 of"
                " 154); ease it."
            )
        },
    ),
    "no throughput": (
        {"source": ["mlperf"], "model": ["llama-2-70b"]},
        {},
        {"none_enters": "No point of Llama 2 70B has a throughput of output tokens (0 of 682)."},
    ),
    "no throughput of both": (
        ONE,
        {"tokens": "total", **SIX},
        {
            "none_enters": (
                "No point of Gemma 4 31B BF16 at 512/256 has a throughput of input and output tokens (0 of 1)."
            )
        },
    ),
    "no price": (
        {"accelerator": ["mi325x"]},
        {"provider": "Lambda"},
        {
            "none_priced": (
                "DeepSeek-R1 FP8 at 1,024/1,024: no price (on demand, Lambda) for MI325X; choose other prices: modelled"
                " cost (hyperscaler), modelled cost (neocloud) or modelled cost (rental)."
            )
        },
    ),
    "nothing selected": (
        {"model": ["gemma-4-31b"], "engine": ["sglang"]},
        {},
        {"nothing": "No point matches these filters; remove one."},
    ),
}


@pytest.mark.parametrize(("where", "options", "sentences"), SAID.values(), ids=SAID)
def test_what_is_said(
    shipped: Library, where: Mapping[str, list[str]], options: Mapping[str, Any], sentences: Said
) -> None:
    assert spoken(asked(shipped, where, **options), sentences) == sentences


def test_what_is_said_of_two_that_cost_alike(tmp_path: Path) -> None:
    rows = [points("h100-sxm", {1: 100, 4: 400}), points("h200-sxm", {1: 150, 4: 402})]
    library = library_of(tmp_path, *rows, prices=[PRICE, {**PRICE, "accelerator": "h200-sxm"}])
    answer = cost.answer(library, View.of({}, {"price_book": "made"}))
    # 2 USD/h for each of two chips and 402 tokens/s.
    assert (answer.statements[0].kind, answer.headline) == (
        "even",
        "2 x H200 SXM and 2 x H100 SXM cost the same within 1 % for Llama 3.1 70B FP8: 2.76 USD per million output"
        " tokens.",
    )


def test_what_is_said_where_not_all_are_shown(shipped: Library) -> None:
    answer = cost.answer(shipped, View.of({"model": ["deepseek-r1"]}, {"group": "deployment"}, whole=True))
    (most,) = [one.text for one in answer.statements if one.kind == "most"]
    assert most == f"Only the 100 cheapest of {answer.result.groups} deployments are shown."
