"""What a history says, to the letter: each kind of sentence once in every form it has."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.basis.wording import CAVEAT, FINDING, LONGEST
from bench.library import Library
from bench.questions import history
from bench.questions.history.statements import speed_words
from bench.view import View
from tests.questions.history.runs import held, runs
from tests.questions.saying import statement
from tests.thorough import some

SHIPPED: dict[str, tuple[str, dict[str, str]]] = {
    "the first story": (
        "",
        {
            "changed": (
                "DeepSeek-R1 FP8 on 8 x MI300X is 12 % faster at concurrency 16 than on 2025-12-11: -18 % on"
                " 2026-01-05, +37 % on 2026-05-18."
            ),
            "values": (
                "Output throughput per accelerator at concurrency 16 went from 55.7 tokens/s/accelerator to 61.9"
                " tokens/s/accelerator over 10 runs; about a level they scatter by 1.6 %."
            ),
            "came_with": (
                "With 2026-05-18 version 0.5.12-rocm700-mi30x after 0.5.9-rocm700-mi30x; the versions around 1 change"
                " are not stated on both sides."
            ),
            "frontier": (
                "From 13.1 to 43.2 tokens/s per user, 2026-05-18 gives 0.970 to 2.04 times the throughput per chip of"
                " 2025-12-11, on average 1.27."
            ),
            "left_out": (
                "32 of 413 points are used; left out: 5 ruled out by a flag, 73 of deployments measured once and 303 of"
                " other deployments."
            ),
            "versions": "8 of 10 runs state no engine version.",
            "others": "44 other deployments of this selection have a history too.",
        },
    ),
    "one change": (
        "model=deepseek-r1&precision=fp8&isl=1024&osl=1024&accelerator=h200-sxm&engine=tensorrt-llm",
        {
            "changed": (
                "DeepSeek-R1 FP8 at 1,024/1,024 on 8 x H200 SXM with TensorRT-LLM is 7.1 % faster at concurrency 16"
                " than on 2025-12-08, from 2026-05-18."
            ),
            "interpolated": (
                "1 of 26 values is interpolated; points like this one were predicted within 1.3 %, nine of ten within"
                " 3.4 %."
            ),
        },
    ),
    "two runs": (
        "model=qwen3.5-397b-a17b",
        {
            "untested": (
                "Qwen3.5 397B-A17B FP8 on 4 x MI355X with SGLang reads 26 % faster at concurrency 256 on 2026-05-19"
                " than on 2026-04-16; 2 runs cannot tell."
            ),
            "few_runs": (
                "Fewer than 4 runs of one method at concurrency 128, concurrency 64 and concurrency 32: noise cannot be"
                " told."
            ),
        },
    ),
    "method": (
        "model=gemma-4-31b&engine=rvllm&accelerator=h100-sxm",
        {
            "method": (
                "Gemma 4 31B FP8 on H100 SXM: 2.6 % less at batch 256 since 2026-04-19 is method, not speed (flagged:"
                " decode only and doubtful method)."
            ),
            "frontier": (
                "The trade-offs of 2026-04-19 and 2026-06-10 differ in variant and method in doubt: none is faster by"
                " them (flagged: decode only and doubtful method)."
            ),
            "doubt": (
                "Its source's flag says: 100 iterations in April, 40 after 8 of warm-up in June; June reads 3 to 10 %"
                " lower from batch 64 on."
            ),
        },
    ),
    "no load": (
        "model=llama-2-70b",
        {"nothing": "None of 682 points has a history: all are without a load that is a number."},
    ),
    "two models": (
        "v=2&model=deepseek-r1&model=llama-3.1-70b",
        {"model_left_out": "Left out: Llama 3.1 70B, with a history of its own; one is shown at a time."},
    ),
}


@pytest.mark.parametrize("case", SHIPPED)
def test_what_is_said_of_the_shipped_library(case: str, shipped: Library) -> None:
    query, wanted = SHIPPED[case]
    answer = history.answer(shipped, View.from_query(query))
    assert {kind: statement(answer, kind).text for kind in wanted} == wanted


def test_what_is_said_where_nothing_changed(tmp_path: Path) -> None:
    library = held(tmp_path, runs([1.0] * 9))
    answer = history.answer(library, View.of({"model": ["llama-3.1-70b"]}))
    assert answer.headline == (
        "Llama 3.1 70B FP8 on 4 x H100 SXM with vLLM: no 3 % change at concurrency 64 in 9 runs from 2026-01-05 to"
        " 2026-03-26."
    )


@pytest.mark.parametrize(
    ("speed", "words"),
    [(1.3, "30 % faster"), (0.79, "21 % slower"), (2.34, "2.34 times as fast"), (1.004, "as fast"), (0.995, "as fast")],
)
def test_speeds_in_words(speed: float, words: str) -> None:
    assert speed_words(speed) == words


def test_every_sentence_on_every_deployment_is_short(shipped: Library) -> None:
    most = {"headline": LONGEST, "finding": FINDING}
    base = history.answer(shipped, View())
    codes = [code for code, _ in history.choices(shipped, base.view)["deployment"]]
    long = []
    for code in some(codes, 8):
        for metric in ("output_tokens_per_s_per_accelerator", "tpot_ms_p50"):
            view = base.view.with_options(deployment=code, metric=metric, load=None, then=None, now=None)
            for one in history.answer(shipped, view).statements:
                long += [one.text] * (len(one.text.split()) > most.get(one.role, CAVEAT))
    assert long == []
