"""What a scaling answer says, word for word: one example of each kind of statement and of each form of it.

What the other tests of this folder assert of an answer they assert by kind and values.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from bench.questions import scaling
from bench.view import View
from tests.questions.crossover.results import Said, spoken
from tests.questions.heatmap.results import flag
from tests.questions.scaling.asking import BOTH, FOUR, GEMMA, LLAMA, MONTHS, library_of, run

EARLY, LATE = MONTHS
SOURCE = {"source": ["made"]}
AT_16 = View.of(SOURCE, {"at": "concurrency", "level": "16"})
BEST = View.of(SOURCE, {"at": "best"})
AT_70 = View.of(SOURCE, {"at": "interactivity", "level": "70"})
LIMITED = View.of(SOURCE, slo=["tpot_ms_p50<=50"])
HARD = View.of(SOURCE, slo=["tpot_ms_p50<=5"])


SHIPPED: Mapping[str, tuple[View, Said]] = {
    "few chips at one load, flagged": (
        View.of({"model": ["gemma-4-31b"]}),
        {
            "efficiency": (
                "Gemma 4 31B: 8 H100 SXM give 1.75 times the throughput of one (21.9 %; flagged: undefined throughput,"
                " beyond the roofline and not the maximum)."
            ),
            "efficiencies": (
                "Efficiency: H100 SXM 66.5 % on 2, 39.6 % on 4 and 21.9 % on 8 (flagged: undefined throughput, beyond"
                " the roofline and not the maximum)."
            ),
            "replicas": (
                "8 replicas of one H100 SXM would give 4.57 times the throughput of one instance on 8 (projected;"
                " flagged: undefined throughput, beyond the roofline and not the maximum)."
            ),
            "replicas_load": "Those replicas are each at concurrency 128 (1,024 in all).",
            "replicas_per_chip": (
                "Those replicas would give 1,260 tokens/s per chip against 276 (projected; flagged: undefined"
                " throughput, beyond the roofline and not the maximum)."
            ),
            "shared_unknown": (
                "At concurrency 128 in all (16 for each replica) what they would give is not known: one chip never ran"
                " that load."
            ),
            "law": (
                "H100 SXM follows Amdahl's law with a serial share of 50.9 % to within 0.131 % on 4 chip counts"
                " (flagged: undefined throughput, beyond the roofline and not the maximum)."
            ),
            "projected": "Replicas are projected as multiples of the smallest count, with the load spread evenly.",
            "hollow": "1 point drawn hollow is on no line.",
            "other_story": (
                "Gemma 4 31B FP8 has no deployment measured on two counts of chips at one load; shown is the nearest"
                " selection that has."
            ),
        },
    ),
    "a cost at the articles' prices": (
        GEMMA.with_options(price_book="articles", price_terms="unstated"),
        {
            "wide_instance": (
                "One instance on 8 H100 SXM costs 4.95 USD per million output tokens against 1.08 on the replicas"
                " (flagged: undefined throughput, beyond the roofline and not the maximum)."
            )
        },
    ),
    "growth beyond linear that memory explains": (
        LLAMA,
        {
            "efficiency": (
                "On Llama 3.1 70B FP8 at 1,000/1,000, 8 H100 SXM give 13.6 times the throughput of one (170 %"
                " efficiency)."
            ),
            "beyond_linear": "2 H100 SXM give 5.23 times the throughput of one (261 %).",
            "explained": (
                "That is beyond linear: the weights fill 67.2 of 80 GiB on one chip, so KV cache gets at least 7.23"
                " times the room."
            ),
            "kv_room": "That room is at most 85,000 tokens on one chip and 610,000 on 2 chips.",
        },
    ),
    "several lines": (
        BOTH,
        {
            "efficiency": (
                "On Llama 3.1 70B FP8 at 1,000/1,000, 8 H200 SXM give 4.67 times the throughput of one (58.4 %"
                " efficiency)."
            ),
            "efficiencies": (
                "Efficiency: H200 SXM 91.5 % on 2, 78.9 % on 4 and 58.4 % on 8; L40S (against 4) 55.1 % on 8; 1 more."
            ),
            "lone": "No line of two chip counts: GH200 96 GB.",
            "base": "Efficiency starts at the smallest measured count: 4 chips of L40S.",
        },
    ),
    "another story than the starved one": (
        View.of({"model": ["llama-3.1-70b"]}),
        {
            "other_story": (
                "Llama 3.1 70B FP8 at 1,000/1,000 has counts of chips that give over 1.25 times their share of the"
                " smallest; shown is the nearest selection without."
            )
        },
    ),
    "submissions to MLPerf": (
        View.of({"source": ["mlperf"], "model": ["llama-2-70b"]}),
        {
            "efficiency": "On Llama 2 70B, 10 RTX PRO 6000 give 1.24 times the throughput of 8 (99.0 % efficiency).",
            "other_lines": "One line is drawn for each accelerator; 5 more are not.",
            "unlike": "The lines differ in data sets mlperf llama2-70b-99 (4) and mlperf llama2-70b-99.9 (2).",
            "submissions": (
                "MLPerf submissions are compared where only the chip count differs; they state no number of instances,"
                " so replicas are not projected."
            ),
            "derived": "Efficiencies and figures per chip are derived here; MLCommons did not verify them.",
        },
    ),
    "few points that state the throughput": (
        View.of({"model": ["deepseek-r1"]}),
        {
            "efficiency": (
                "Only 39 of 647 points state MLPerf tokens per second; of those 288 GB300 give 3.88 times the"
                " throughput of 72 (97.1 % efficiency)."
            )
        },
    ),
    "no two counts at one load": (
        View.of({"model": ["deepseek-r1"]}, {"metric": "output_tokens_per_s"}),
        {
            "nothing": (
                "No two of the 63 points used, of 413 selected, are of one deployment on two chip counts at one load."
            )
        },
    ),
    "no two counts": (
        View.of({"source": ["ibm-llm-pilot"], "model": ["mt0-xxl"]}),
        {"nothing": "No two of the 16 points used are of one deployment on two chip counts."},
    ),
    "nor among the points left out": (
        View.of({"model": ["glm-5"]}),
        {"nowhere": "Of the points left out, those that can be compared have no two chip counts at one load either."},
    ),
    "nothing selected": (
        View.of({"model": ["gemma-4-31b"], "engine": ["sglang"]}),
        {"nothing": "No point matches these filters; remove one."},
    ),
}

MADE: Mapping[str, tuple[Sequence[Mapping[str, object]], View, Said]] = {
    "equal interactivity": (
        [run(*one) for one in FOUR],
        AT_70,
        {
            "efficiency": (
                "On Llama 3.1 70B at 1,000/500, 2 H100 SXM give 1.50 times the throughput of one (75.0 % efficiency)"
                " at 70 tokens/s per user."
            ),
            "interpolated": (
                "H100 SXM is interpolated between concurrency 2 and 8 on one chip and concurrency 2 and 8 on 2 chips."
            ),
            "interpolation": "Interpolation is along logarithmic axes; nothing is extrapolated.",
        },
    ),
    "a story that lacks this throughput": (
        [
            *(run(1, 100, level, precision="fp8") for level in (1, 2, 4, 8, 16)),
            run(2, 200, precision="fp8"),
            *(run(chips, None, precision="fp4", total_tokens_per_s=60 * chips) for chips in (1, 2)),
        ],
        View.of(SOURCE, {"metric": "total_tokens_per_s"}),
        {
            "other_story": (
                "Llama 3.1 70B FP8 at 1,000/500 has no deployment with total throughput on two counts of chips at one"
                " load; shown is the nearest selection that has."
            )
        },
    ),
    "a level that no two counts reach": (
        [run(*one) for one in FOUR],
        AT_70.with_options(level="68000"),
        {
            "nothing": (
                "No line has two chip counts measured at 68,000 tokens/s per user; most share 71: choose that level."
            ),
            "absent_level": "No point at 68,000 tokens/s per user: H100 SXM on 1 and 2.",
        },
    ),
    "a load that replicas share": (
        [run(1, 300, 8, 20), run(1, 400, 16, 30), run(2, 640, 16, 15)],
        AT_16,
        {
            "replicas": (
                "2 replicas of one H100 SXM, each at concurrency 16 (32 in all), would give 1.25 times the throughput"
                " of one instance on 2 (projected)."
            ),
            "shared": (
                "At concurrency 16 in all those replicas would give 600 tokens/s, 0.938 times the one instance"
                " (projected), at a TPOT of 20 ms against 15."
            ),
        },
    ),
    "a gain in latency": (
        [run(1, 400, 16, 30, ttft_ms_p50=80), run(2, 640, 16, 15, ttft_ms_p50=100)],
        AT_16.with_options(price_terms="with_points"),
        {"wide_instance": "One instance on 2 H100 SXM has 15 ms less TPOT and 20 ms more TTFT than the replicas."},
    ),
    "a base of several chips": (
        [run(2, 200), run(4, 300)],
        AT_16,
        {
            "efficiency": (
                "On Llama 3.1 70B at 1,000/500, 4 H100 SXM give 1.50 times the throughput of 2 (75 % efficiency) at"
                " concurrency 16."
            ),
            "efficiencies": "Efficiency: H100 SXM (against 2) 75 % on 4.",
            "shared_unknown": (
                "At concurrency 16 in all (8 for each replica) what they would give is not known: 2 chips never ran"
                " that load."
            ),
            "base": "Efficiency starts at the smallest measured count: 2 chips of H100 SXM.",
        },
    ),
    "disaggregated deployments": (
        [run(4, 100, disaggregated=True), run(8, 190, disaggregated=True)],
        View.of({**SOURCE, "disaggregated": ["true"]}),
        {"designs": "Disaggregated, so each chip count is another design: H100 SXM."},
    ),
    "disaggregated deployments that were not asked for": (
        [run(4, 100, disaggregated=True), run(8, 190, disaggregated=True)],
        View.of(SOURCE),
        {
            "nothing": (
                "None of the 2 points is used; 2 points of disaggregated deployments are compared only where those are"
                " chosen."
            )
        },
    ),
    "each at its best": (
        [run(1, 100, 8), run(1, 90, 16), run(2, 150, 64), run(2, 140, 128), run(4, 500, 512), run(4, 80, 4)],
        BEST,
        {
            "efficiency": (
                "On Llama 3.1 70B at 1,000/500, 2 H100 SXM give 1.50 times the throughput of one (75 % efficiency),"
                " each at its best load."
            ),
            "loads_apart": "H100 SXM is best at unlike loads per chip: 8 on 1 and 64 on 2.",
            "absent_rising": (
                "Throughput still rises at the highest measured load, so the best is not known: H100 SXM on 4."
            ),
        },
    ),
    "each at loads alike": (
        [run(1, 100, 8), run(1, 180, 16), run(2, 150, 8), run(2, 300, 32)],
        BEST,
        {"may_rise": "H100 SXM may give more beyond its highest measured loads."},
    ),
    "no best load": (
        [run(1, 100, 8), run(1, 180, 64), run(2, 150, 8), run(2, 300, 32), run(4, 500)],
        BEST,
        {
            "nothing": "No line has two chip counts whose best load is known.",
            "absent_rising": (
                "Throughput still rises at the highest measured load, so the best is not known: H100 SXM on 1 and 2."
            ),
            "absent_once": "Measured at one load only, so the best is not known: H100 SXM on 4.",
        },
    ),
    "far loads": (
        [run(1, 100, 3, 10), run(1, 400, 102, 20), run(2, 500, 2, 10), run(2, 900, 8, 20)],
        AT_70,
        {
            "far_loads": (
                "Scaling on Llama 3.1 70B at 1,000/500 cannot be told at 70 tokens/s per user: measured loads lie more"
                " than 4 times apart."
            )
        },
    ),
    "far loads of one count": (
        [*(run(*one) for one in FOUR), run(4, 900, 4, 10), run(4, 990, 64, 20)],
        AT_70,
        {"far_apart": "Too far apart to judge H100 SXM: 4 chips."},
    ),
    "runs months apart": (
        [run(1, 100, **EARLY), run(2, 300, **LATE)],
        AT_16,
        {
            "runs_apart": (
                (
                    "Scaling on Llama 3.1 70B at 1,000/500 cannot be told: on one chip of 2025-12-19 and on 2 chips of"
                    " 2026-03-23, without an engine version."
                ),
                (
                    "The runs differ and state no engine version, so the software may differ too: H100 SXM on one chip"
                    " of 2025-12-19 and on 2 chips of 2026-03-23."
                ),
            )
        },
    ),
    "another run left out": (
        [run(1, 100, **EARLY), run(2, 150, **EARLY), run(2, 300, **LATE), run(4, 900, **LATE)],
        AT_16,
        {
            "beyond_linear": (
                "4 H100 SXM give 3 times the throughput of 2 (150 %): why is not known, as the memory left for KV cache"
                " is not."
            ),
            "other_runs": "Left out: 1 point of other runs of H100 SXM, the only ones on 1.",
        },
    ),
    "few points that state what a limit is on": (
        [run(1, 100, 8, 10), run(2, 150, 8, 10), run(4, 300, 8)],
        LIMITED,
        {
            "efficiency": (
                "2 of 3 points state median TPOT; of those on Llama 3.1 70B, 2 H100 SXM give 1.50 times the throughput"
                " of one (75 %)."
            ),
            "limits": "Only points with median TPOT ≤ 50 ms are compared.",
        },
    ),
    "a limit that nothing keeps": (
        [run(1, 100, 8, 10), run(2, 150, 8, 10)],
        HARD,
        {"nothing": "None of the 2 points that can be compared is known to keep the limit; ease it."},
    ),
    "limits that one point breaks": (
        [run(1, 100, 8, 10)],
        HARD.with_slo(["tpot_ms_p50<=5", "tpot_ms_p50<=4"]),
        {"nothing": "No point that can be compared is known to keep the limits; ease them."},
    ),
    "a limit on what nothing states": (
        [run(1, 100, 8), run(2, 150, 8)],
        HARD,
        {"nothing": "None of the 2 ranked points states median TPOT; drop the limit to compare chip counts."},
    ),
    "one point": (
        [run(1, 100)],
        AT_16,
        {"nothing": "Only one point is used, so there are no two chip counts to compare."},
    ),
    "points without a throughput": (
        [*(run(chips, None, tpot=10, precision="fp8") for chips in (1, 2)), run(1, 100, precision="bf16")],
        View.of({**SOURCE, "precision": ["fp8"]}, {"metric": "output_tokens_per_s"}),
        {"nothing": "None of the 2 points is measured and states both its chips and its output throughput."},
    ),
    "points drawn hollow": (
        [run(1, 100), run(2, 150), *(run(2, 9000, tp=1, dp=dp, flags=flag("implausible")) for dp in (2, 4))],
        AT_16,
        {"hollow": "2 points drawn hollow are on no line."},
    ),
    "a law with a peak beyond what is measured": (
        [
            run(n, 500 * n / (1 + 0.05 * (n - 1) + 0.004 * n * (n - 1)) * (1.001 if n % 2 else 0.999))
            for n in (1, 2, 3, 4, 6, 8, 12)
        ],
        AT_16,
        {
            "law": (
                "H100 SXM follows the Universal Scalability Law with contention 5.06 % and coherency 0.00398 to within"
                " 0.0678 % on 7 chip counts."
            ),
            "peak": "That law predicts a peak near 15.4 chips (95 % interval 15.2 to 15.7), beyond the measured 12.",
        },
    ),
}


@pytest.mark.parametrize(("view", "sentences"), SHIPPED.values(), ids=SHIPPED)
def test_what_is_said_of_the_shipped_results(shipped, view, sentences):
    assert spoken(scaling.answer(shipped, view), sentences) == sentences


@pytest.mark.parametrize(("rows", "view", "sentences"), MADE.values(), ids=MADE)
def test_what_is_said_of_results_made_up(tmp_path, rows, view, sentences):
    assert spoken(scaling.answer(library_of(tmp_path, *rows), view), sentences) == sentences
