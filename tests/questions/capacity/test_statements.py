"""What a capacity answer says, to the letter: each kind of sentence once in every form it has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from bench.basis import uses
from bench.library import Library
from bench.questions import Answer, capacity
from bench.view import View
from tests.questions.capacity.test_capacity import CURVE, H200, UNPRICED, at
from tests.questions.heatmap.results import Row, flag, library_of
from tests.questions.saying import statement
from tests.thorough import some

ONE = {"accelerators": 1, "tp": 1}
BOTH = {"model": ["llama-3.1-70b", "llama-3.1-8b"]}
EIGHT = {"accelerator": "b200-sxm", "accelerators": 8, "tp": 8}
TPOT = "slo=tpot_ms_p50<="


def waiting(concurrency: int, rate: float, e2el: float, ttft: float, p99: float | None = None) -> Row:
    return at(concurrency, rate, e2el_ms_mean=e2el, ttft_ms_p50=ttft, ttft_ms_p99=p99)


def sent(rate: float, ttft: float, e2el: float) -> Row:
    """A point of an open loop of the same deployment."""
    loads = {"load_kind": "open", "concurrency": None, "request_rate": rate}
    return at(1, rate, e2el_ms_mean=e2el, ttft_ms_p50=ttft) | loads


Told = tuple[list[Row], str, dict[str, str]]

MADE: dict[str, Told] = {
    "measured": (
        CURVE,
        f"{TPOT}26&requests=15",
        {
            "takes": (
                "Llama 3.1 70B FP8 at 128/128 takes 20 chips = 5 x 4 H100 SXM for 15 requests/s, 30 at peak: 56,160 USD"
                " a month."
            ),
            "instance": (
                "An instance serves 8 requests/s at concurrency 16, as measured; beyond that it breaks the limit on"
                " median TPOT."
            ),
            "used": "The 5 instances are used to 38 % on average and 75 % at peak.",
            "error": "That load was measured itself: nothing is interpolated.",
            "random": "With random arrivals median TPOT is 21.5 ms (20.4 to 22.6) at peak: within the limit.",
            "power": (
                "Its 20 chips draw at most 14 kW by their rating, without hosts and cooling; 1,428 such chips take a"
                " megawatt."
            ),
            "use_chat": (
                "Interactive chat (median TPOT ≤ 50 ms and median TTFT ≤ 300 ms): 16 chips = 4 x 4 H100 SXM at"
                " concurrency 37, 44,928 USD a month."
            ),
            "use_api": (
                "Latency-sensitive API (median TPOT ≤ 7.40 ms and median TTFT ≤ 120 ms): no deployment keeps that."
            ),
            "use_batch": (
                "Batch (no limit): 12 chips = 3 x 4 H100 SXM at concurrency 64, 33,696 USD a month."
            ),
            "use_traffic": (
                "High traffic (p99 TPOT ≤ 50 ms and p99 TTFT ≤ 2,000 ms): no deployment states p99 TPOT and p99 TTFT."
            ),
        },
    ),
    "between, with a spare": (
        CURVE,
        f"{TPOT}40&requests=15&spare=1",
        {
            "instance": (
                "An instance serves 11.7 requests/s at concurrency 33, between the measured 16 and 64; beyond that it"
                " breaks the limit on median TPOT."
            ),
            "used": "The 5 instances, 1 spare among them, are used to 26 % on average and 51 % at peak.",
            "error": "Fewer than 20 points like this one could be predicted from others.",
        },
    ),
    "one chip, one request": (
        [at(8, 2.0, **ONE)],
        "requests=1&peak=1",
        {
            "takes": "Llama 3.1 70B FP8 at 128/128 takes one H100 SXM for 1 request/s: 2,808 USD a month.",
            "instance": (
                "An instance serves 2 requests/s at concurrency 8, as measured; no larger load was measured, so it may"
                " serve more."
            ),
            "used": "The one instance is used to 50 % on average.",
            "power": (
                "Its chip draws at most 700 W by its rating, without hosts and cooling; 1,428 such chips take a"
                " megawatt."
            ),
        },
    ),
    "one user": (
        [at(8, 1.0, **ONE)],
        "users=1&peak=1",
        {
            "takes": "Llama 3.1 70B FP8 at 128/128 takes one H100 SXM for 1 user: 2,808 USD a month.",
            "instance": (
                "An instance serves 1 request/s at concurrency 8, as measured; no larger load was measured, so it may"
                " serve more."
            ),
        },
    ),
    "a day's tokens without a price": (
        [at(8, 2.0, **UNPRICED)],
        "unit=output_tokens&tokens=100000000",
        {
            "takes": (
                "Llama 3.1 70B FP8 at 128/128 takes 24 chips = 12 x 2 MI325X for 100,000,000 output tokens a day,"
                " 200,000,000 at peak."
            ),
            "unpriced": "Ranked by chips, as no price is known: MI325X.",
            "use_batch": "Batch (no limit): 24 chips = 12 x 2 MI325X at concurrency 8.",
        },
    ),
    "several accelerators": (
        [*CURVE, at(32, 30.0, **H200), at(8, 2.0, **UNPRICED)],
        "requests=40",
        {
            "next": "Next: 32 chips = 4 x 8 H200 SXM (91,930 USD a month) and 100 chips = 50 x 2 MI325X.",
            "change": "What would change that, per chip and hour: H200 SXM below 3.41 USD.",
            "unpriced": "Behind the others, by chips, as no price is known: MI325X.",
        },
    ),
    "over the budget": (
        CURVE,
        "requests=40&budget=12000",
        {
            "beyond_means": (
                "12,000 USD a month do not serve 40 requests/s: the cheapest takes 28 chips = 7 x 4 H100 SXM (78,624"
                " USD a month)."
            ),
            "at_most": "12,000 USD a month serve at most 6.40 requests/s, on 4 x H100 SXM each.",
            "ruled_out": "The only deployment is ruled out: it is over the budget.",
        },
    ),
    "a budget for nothing": (CURVE, "budget=100", {"at_most": "100 USD a month pay for no instance."}),
    "one chip at hand": (
        CURVE,
        "requests=40&chips=1",
        {
            "beyond_means": (
                "1 chip does not serve 40 requests/s: the cheapest takes 28 chips = 7 x 4 H100 SXM (78,624 USD a"
                " month)."
            ),
            "at_most": "1 chip makes no instance.",
            "ruled_out": "The only deployment is ruled out: it is of more chips than there are.",
        },
    ),
    "both": (
        CURVE,
        "requests=40&chips=8&budget=20000",
        {
            "beyond_means": "No deployment serves 40 requests/s for 20,000 USD a month and 8 chips.",
            "at_most": "20,000 USD a month and 8 chips serve at most 6.40 requests/s, on 4 x H100 SXM each.",
        },
    ),
    "nobody keeps it": (
        CURVE,
        f"{TPOT}9",
        {
            "none_keeps": "No deployment of Llama 3.1 70B FP8 at 128/128 keeps median TPOT ≤ 9 ms (0 of 1); ease it.",
            "ruled_out": "The only deployment is ruled out: it is beyond the limits at every load.",
        },
    ),
    "nobody states it": (
        CURVE,
        "slo=e2el_ms_p50<=9",
        {
            "none_keeps": (
                "No deployment of Llama 3.1 70B FP8 at 128/128 states median E2EL (0 of 1); choose another use or"
                " limit."
            )
        },
    ),
    "at full load": (
        [at(8, 2.0) | {"load_kind": "saturated", "concurrency": None}],
        "",
        {
            "instance": (
                "An instance serves 2 requests/s at full load, as measured; that is all it can serve, whatever the"
                " latency."
            ),
            "saturated": "1 deployment is measured at full load alone, without latencies.",
        },
    ),
    "an open loop alone": (
        [sent(2.5, 80, 1000)],
        "slo=ttft_ms_p50<=100",
        {
            "instance": (
                "An instance serves 2.50 requests/s at 2.50 requests/s sent, as measured; no larger load was measured,"
                " so it may serve more."
            )
        },
    ),
    "an open loop that met a busy stretch": (
        [sent(2.5, 80, 1000) | {"request_rate": 2.25}],
        "slo=ttft_ms_p50<=100",
        {
            "instance": (
                "An instance serves 2.25 requests/s at 2.25 requests/s sent, as measured; no larger load was measured,"
                " so it may serve more."
            )
        },
    ),
    "nothing to go by": (
        [at(8, 2.0, ttft_ms_p50=5) | {"output_tokens_per_s": None}],
        "",
        {
            "none_usable": (
                "The 1 point says nothing of a demand: it is without requests a second, or tokens and lengths."
            )
        },
    ),
    "two models": (
        [*CURVE, at(32, 40.0, model="llama-3.1-8b", **ONE)],
        "model=llama-3.1-70b&model=llama-3.1-8b",
        {
            "of_models": (
                "For 10 requests/s: Llama 3.1 8B on one H100 SXM and Llama 3.1 70B on 8 chips = 2 x 4 H100 SXM."
            )
        },
    ),
    "two workloads": (
        [*CURVE, at(32, 10.0, **H200) | {"isl": 4096}],
        "v=2&model=llama-3.1-70b",
        {"undecided": "No deployment comes first, as input lengths differ: 10 requests/s take 8 to 24 chips."},
    ),
    "few that can tell": (
        [*CURVE, at(32, 30.0, **H200), at(32, 30.0, **EIGHT)],
        f"{TPOT}30",
        {
            "undecided": (
                "No deployment comes first, as only 1 of 3 accelerators states median TPOT: 10 requests/s take 12"
                " chips."
            ),
            "ruled_out": "Of 3 deployments, ruled out: 2 without a figure that a limit is on.",
        },
    ),
    "more waits than the limit": (
        [waiting(1, 1.0, 1000, 50, 60), waiting(16, 8.0, 2000, 80, 1000)],
        "slo=ttft_ms_p99<=900&requests=7&peak=1&headroom=0",
        {
            "random": (
                "With random arrivals p99 TTFT is 1,920 ms (1,002 to 3,678) at peak: beyond the limit on p99 TTFT; 2"
                " instances would keep it."
            )
        },
    ),
    "a queue without end": (
        [waiting(1, 1.0, 1000, 50), waiting(16, 8.0, 2200, 80)],
        "slo=ttft_ms_p50<=900&requests=15.9&peak=1&headroom=0",
        {
            "random": (
                "With random arrivals requests would queue without end at peak; 3 instances would keep the limit."
            )
        },
    ),
    "an open loop beside": (
        [waiting(1, 1.0, 1000, 50), waiting(16, 8.0, 2000, 80), sent(2, 60, 1500), sent(6, 75, 1900)],
        "slo=ttft_ms_p50<=79&requests=5&peak=1",
        {"open_loop": "At the open-loop points of this deployment that was 9.2 % off, median of 4 figures."},
    ),
    "a limit on a cost": (
        CURVE,
        "slo=usd_per_million_output_tokens<=5",
        {"cost_limit": "The limit on a cost per token is not looked at here: state a budget instead."},
    ),
    "a use that is stated in part": (
        [at(8, 2.0, ttft_ms_p50=100)],
        "use=chat",
        {"dropped": "No deployment states median TPOT: the limit on it is left out."},
    ),
}  # fmt: skip


def ask(library: Library, query: str) -> Answer[Any]:
    view = View.from_query(query)
    return capacity.answer(library, view if view.option("use") else view.with_options(use="own"))


@pytest.mark.parametrize(("rows", "query", "told"), some(MADE.values(), 6), ids=some(MADE, 6))
def test_each_sentence_as_it_is_said(rows: list[Row], query: str, told: Mapping[str, str], tmp_path: Path) -> None:
    answer = ask(library_of(tmp_path, rows), query)
    assert {kind: statement(answer, kind).text for kind in told} == told


def test_a_flag_is_told_wherever_its_point_is(tmp_path: Path) -> None:
    answer = ask(library_of(tmp_path, [at(8, 2.0, flags=flag("capped"))]), "")
    for kind in ("takes", "instance", "use_batch"):
        assert "(flagged: cut short by a cap)" in statement(answer, kind).text


ODD = (
    r"\b1 (requests|users|chips|instances|deployments|points|spares)\b",
    r"\b(has|have) no an?\b",
    r"\bIts chip draw\b",
    r"\bone instance are\b",
    r"\b(\d\d+|[2-9]) (chip|instance|deployment|user|spare)\b",
    r"\b1 (chip|user|instance|deployment) (take|serve|draw|state|are)\b",
    r"  |\.\.| \.| ,|.\bNone\b|\bnan\b|_",
)
"""What nobody says of one and of several, and what is left of a value that is not there."""


@pytest.mark.parametrize("use", list(uses.every()))
def test_every_sentence_of_every_model_reads_as_one_says_it(shipped: Library, use: str) -> None:
    models = [
        model for (model,) in shipped.fetch("SELECT DISTINCT model FROM points WHERE model IS NOT NULL ORDER BY 1")
    ]
    for model in some(models, 3, 5):
        for demand in ("requests=1&peak=1", "users=1&spare=1&chips=1", "unit=tokens&tokens=1000"):
            answer = capacity.answer(shipped, View.from_query(f"model={model}&use={use}&{demand}"))
            texts = [one.text for one in answer.statements if one.kind not in ("prices", "left_out", "ruled_out")]
            assert [text for text in texts if any(re.search(words, text) for words in ODD)] == []
