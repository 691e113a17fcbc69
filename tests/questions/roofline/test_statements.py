"""What a roofline answer says, to the letter: each kind of sentence once in every form it has."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from bench.library import Library
from bench.questions import roofline
from bench.view import View
from tests.questions.heatmap.results import Row, flag, library_of, point
from tests.questions.saying import statement

SHIPPED: dict[str, tuple[str, dict[str, str]]] = {
    "a story": (
        "model=deepseek-r1&precision=fp8&isl=1024&osl=8192",
        {
            "closest": (
                "DeepSeek-R1 FP8 at 1,024/8,192 gets closest to the hardware on 8 x H200 SXM: 59 % of its ceiling at"
                " concurrency 64, bound by bandwidth."
            ),
            "utilisation": (
                "That point uses 57 % of the bandwidth and 2.2 % of the compute peak; half of 40 points reach 28 % of"
                " their ceiling."
            ),
            "bound_by": "Of 40 points, latency binds 29 and bandwidth 8; of 3 it cannot be told.",
            "reached": (
                "Nearest to its ceiling each: 8 x H200 SXM 59 %, 8 x MI355X 52 %, 8 x B200 SXM 46 %, 8 x MI300X 31 %"
                " and 1 more."
            ),
            "cache_supposed": "39 points do not state the cache's precision: 8 bit is supposed.",
            "at_least": (
                "1 point does not state batch, context or experts: it uses at least what is told, and may be closer."
            ),
        },
    ),
    "what is projected": (
        "model=deepseek-r1&precision=fp8&isl=1024&osl=8192&project=mi350x",
        {
            "projected": (
                "Projected, not measured: 8 x MI350X at the share of its ceiling, 18 to 46 %, that 8 x B200 SXM reached"
                " at the nearest measured batch."
            )
        },
    ),
    "prompts": (
        "model=deepseek-r1&precision=fp8&isl=1024&osl=8192&phase=prefill",
        {
            "closest": (
                "DeepSeek-R1 FP8 at 1,024/8,192 gets closest to the hardware on 8 x H200 SXM: at least 24 % of its"
                " prefill ceiling at concurrency 4."
            ),
            "bound_by": "What binds the 39 points cannot be told.",
            "at_least": "Prompts may have waited for their first token, so 39 points used at least what is told.",
        },
    ),
    "flagged": (
        "model=gemma-4-31b&precision=int8",
        {
            "beyond": (
                "3 points lie above what any engine can reach: 4 x TPU v6e at batch 768, 4 x TPU v6e at batch 512 and"
                " 1 more (flagged: decode only)."
            ),
            "breakdown": (
                "XProf, 4 x TPU v6e INT8 at batch 1: of 12.3 ms layers 10.6 (branches 1.8, cache updates 1.3 and"
                " exchange 0.6) and host 1.7; reading takes 5.01 at least."
            ),
            "no_peak": "No peak is known for INT8 on these chips, so of 8 points compute is not told.",
        },
    ),
    "no step": (
        "v=2&model=gemma-4-31b&phase=decode&source=inferencebench-gemma4-h100",
        {"nothing": "None of 13 points can be held against a ceiling: 8 are without TPOT, ITL or step time."},
    ),
    "two models": (
        "v=2&model=deepseek-r1&model=llama-3.1-70b",
        {"closest": "Closest to the hardware: Llama 3.1 70B at least 70 % and DeepSeek-R1 59 %."},
    ),
    "nothing": (
        "model=gpt-j-6b",
        {"nothing": "None of 160 points can be held against a ceiling: all are without output throughput."},
    ),
    "nobody": ("v=2&model=no-such-model", {"nothing": "No point matches these filters; remove one."}),
}


@pytest.mark.parametrize(("query", "told"), SHIPPED.values(), ids=SHIPPED)
def test_each_sentence_as_it_is_said(query: str, told: Mapping[str, str], shipped: Library) -> None:
    answer = roofline.answer(shipped, View.from_query(query))
    assert {kind: statement(answer, kind).text for kind in told} == told


LLAMA = {"model": ["llama-3.1-70b"]}
H200 = {"accelerator": "h200-sxm"}

MADE: dict[str, tuple[list[Row], dict[str, str], dict[str, str]]] = {
    "one point": (
        [point(128, 128, 800, tpot_ms_mean=20)],
        {},
        {
            "closest": (
                "Llama 3.1 70B FP8 at 128/128 gets closest to the hardware on 4 x H100 SXM: 28 % of its ceiling at"
                " concurrency 16."
            ),
            "utilisation": "That point uses 26 % of the bandwidth and 2.8 % of the compute peak.",
            "cache_supposed": "1 point does not state the cache's precision: 8 bit is supposed.",
        },
    ),
    "one that cannot be told": (
        [point(128, 128, 800, speculation="mtp")],
        {},
        {"nothing": "The 1 point cannot be held against a ceiling: it is with speculation."},
    ),
    "all above": (
        [point(128, 128, 9000), point(128, 128, 9500, **H200)],
        {},
        {
            "all_above": "All 2 points lie above their ceiling.",
            "beyond": (
                "2 points lie above what any engine can reach: 4 x H100 SXM at concurrency 16 and 4 x H200 SXM at"
                " concurrency 16."
            ),
        },
    ),
    "above what is expected alone": (
        [point(128, 128, 11_000, model="deepseek-r1", **H200, accelerators=8, tp=8, concurrency=64)],
        {},
        {"above": ("1 point lies above the ceiling that is expected, not above what an engine can reach.")},
    ),
    "a measured chip's other batches": (
        [point(128, 128, 800, tpot_ms_mean=20)],
        {"project": "h100"},
        {
            "projected": (
                "Projected, not measured: 4 x H100 SXM at the share of its ceiling, 28 %, that it reached at the"
                " nearest measured batch."
            )
        },
    ),
    "a flag of another line": (
        [point(128, 128, 800, tpot_ms_mean=20, flags=flag("roofline"))],
        {"phase": "decode"},
        {"flag_line": "The flag 'beyond the roofline' is of prompts and outputs together, not of this phase alone."},
    ),
    "no batch on the other axis": (
        [
            point(128, 128, 800, tpot_ms_mean=20),
            point(128, 128, 800, load_kind="saturated", concurrency=None, model="qwen3-32b"),
        ],
        {"axis": "batch", "v": "2"},
        {"no_batch": "1 point without a number of requests is not drawn on this axis."},
    ),
}


@pytest.mark.parametrize(("rows", "options", "told"), MADE.values(), ids=MADE)
def test_each_sentence_of_made_points(
    rows: list[Row], options: dict[str, str], told: Mapping[str, str], tmp_path: Path
) -> None:
    asked = {key: value for key, value in options.items() if key != "v"}
    answer = roofline.answer(library_of(tmp_path, rows), View.of({}, asked, whole="v" in options))
    assert {kind: statement(answer, kind).text for kind in told} == told
