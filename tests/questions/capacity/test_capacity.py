"""How many: sums worked out by hand, and what may be recommended.

That the load of a curve is the best is tried against a plain search in tests/maths/test_operating_load.py.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator

from bench import flags
from bench.basis import evidence, limits, points, prices
from bench.basis.limits import Limit
from bench.chart import DARK, LIGHT
from bench.errors import UsageError
from bench.library import Library
from bench.maths.capacity import Demand, DemandUnit, chips_per_mw
from bench.maths.queueing import MEASURED_OFF
from bench.questions import Answer, capacity, openable
from bench.questions.capacity import measured, planning
from bench.questions.capacity.result import Capacity, CapacityAsked, FleetPlan
from bench.sweep.planning import form
from bench.view import View
from tests.questions.heatmap.results import Row, library_of, library_of_cases, point
from tests.questions.saying import headline, kinds, said, statement, tells
from tests.thorough import times

H200 = {"accelerator": "h200-sxm", "accelerators": 8, "tp": 8}
UNPRICED = {"accelerator": "mi325x", "accelerators": 2, "tp": 2}
OWN = {"use": "own"}
HOURS = 720


def at(concurrency: int, rate: float, **more: object) -> Row:
    """A point that serves so many requests a second of 128 tokens each."""
    return point(128, 128, rate * 128, concurrency=concurrency, **more)


CURVE = [
    at(1, 1.0, tpot_ms_p50=10, ttft_ms_p50=50),
    at(16, 8.0, tpot_ms_p50=26, ttft_ms_p50=80),
    at(64, 16.0, tpot_ms_p50=60, ttft_ms_p50=900),
]


def ask(library: Library, *, slo: Sequence[str] = (), **options: str) -> Answer[Capacity]:
    return capacity.answer(library, View.of({}, OWN | options, slo=slo))


def own_plan(library: Library, *, slo: Sequence[str] = (), **options: str) -> FleetPlan:
    """The plan on H100."""
    return next(one for one in ask(library, slo=slo, **options).result.plans if one.facts.accelerator == "h100-sxm")


def usd_of(library: Library, chip: str) -> float:
    return prices.chip_prices(library, prices.Choice())[chip].usd


@pytest.fixture(scope="module")
def three(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """One curve of three points on 4 H100, one point on 8 H200, and a chip without a price."""
    rows = [*CURVE, at(32, 30.0, tpot_ms_p50=20, ttft_ms_p50=100, **H200), at(8, 2.0, tpot_ms_p50=15, **UNPRICED)]
    return library_of(tmp_path_factory.mktemp("three"), rows)


def test_requests_at_a_measured_load_by_hand(three: Library) -> None:
    """TPOT of 26 ms is kept at 16 in flight, 8 requests a second: 30 at peak take 30 / (8 x 0.8) = 4.7, so 5 x 4."""
    own = own_plan(three, slo=["tpot_ms_p50<=26"], requests="15", peak="2")
    assert (own.instance.load, own.instance.rate, own.instance.is_measured) == (16, 8, True)
    assert (own.fleet.instances, own.chips) == (5, 20)
    assert own.usd_per_month == pytest.approx(20 * usd_of(three, "h100-sxm") * HOURS)
    assert (own.fleet.used_at_mean, own.fleet.used_at_peak) == pytest.approx((15 / 40, 30 / 40))
    assert (own.instance.stopped_by, own.instance.error) == ("tpot_ms_p50", None)
    assert own.power is not None
    assert (own.power.watts, own.power.is_measured) == (700, False)
    assert int(chips_per_mw(own.power.watts)) == 1428


def test_between_two_measured_loads_by_hand(tmp_path: Path) -> None:
    """As tests/maths/test_operating_load.py works it out: at 7 in flight 4.8041 requests a second and 17.3132 ms."""
    held = library_of(tmp_path, CURVE[:2])
    plan = ask(held, slo=["tpot_ms_p50<=18"], requests="10", peak="1", headroom="0").result.lead
    assert (plan.instance.load, plan.instance.low, plan.instance.high) == (7, 1, 16)
    assert plan.instance.rate == pytest.approx(4.8041, abs=1e-4)
    assert plan.instance.values["tpot_ms_p50"] == pytest.approx(17.3132, abs=1e-4)
    assert plan.fleet.instances == 3  # 10 / 4.8041 = 2.08


def test_interactivity_is_a_limit_on_the_same_curve(tmp_path: Path) -> None:
    rows = [one | {"interactivity_tokens_per_s_per_user_p50": 1000 / float(str(one["tpot_ms_p50"]))} for one in CURVE]
    held = library_of(tmp_path, rows)
    by_tpot = ask(held, slo=["tpot_ms_p50<=40"]).result.lead
    by_speed = ask(held, slo=["interactivity_tokens_per_s_per_user_p50>=25"]).result.lead
    assert by_speed.instance.load == by_tpot.instance.load
    speed = by_speed.instance.values["interactivity_tokens_per_s_per_user_p50"]
    assert speed == pytest.approx(1000 / by_tpot.instance.values["tpot_ms_p50"])


def test_users_and_tokens_by_hand(three: Library) -> None:
    """At 16 in flight 8 requests a second: 8 x 30 think and 16 wait, 256 users; 500 at peak twice that take 4.9.

    8 requests of 128 tokens a second are 88,473,600 a day; of prompts and outputs twice that.
    """
    slo = ["tpot_ms_p50<=26"]
    users = own_plan(three, slo=slo, users="500", think="30", peak="2")
    assert (users.served, users.fleet.instances) == (256, math.ceil(1000 / (256 * 0.8)))
    assert own_plan(three, slo=slo, unit="output_tokens", tokens="100000000").served == pytest.approx(88_473_600)
    assert own_plan(three, slo=slo, unit="tokens", tokens="100000000").served == pytest.approx(176_947_200)


def test_a_deployment_without_a_point_within_the_limits_is_never_recommended(three: Library) -> None:
    answer = ask(three, slo=["tpot_ms_p50<=12"])
    assert {one.facts.accelerator for one in answer.result.plans} == {"h100-sxm"}
    assert answer.result.ruled_out == {"beyond": 2}
    none = ask(three, slo=["tpot_ms_p50<=9"])
    assert (none.result.plans, none.rows.empty, none.is_told) == ((), True, False)
    assert headline(none) == ("none_keeps", {"deployments": 3})
    unstated = ask(three, slo=["ttft_ms_p50<=1000"])
    assert unstated.result.ruled_out == {"unstated": 1}


def test_the_cheapest_comes_first_and_what_has_no_price_behind_it_by_its_chips(three: Library, tmp_path: Path) -> None:
    answer = ask(three, requests="10")
    costs = [one.usd_per_month for one in answer.result.plans]
    assert costs[-1] is None
    assert costs[:-1] == sorted(one for one in costs if one is not None)
    assert said(answer, "unpriced") == {"accelerators": ["mi325x"]}
    rows = [at(8, 2.0, **UNPRICED), at(8, 3.0, **{**UNPRICED, "accelerators": 8, "tp": 8})]
    bare = ask(library_of(tmp_path, rows), requests="10", peak="1", headroom="0")
    assert [(one.fleet.instances, one.chips) for one in bare.result.plans] == [(5, 10), (4, 32)]
    assert (headline(bare)[0], headline(bare)[1]["usd_per_month"]) == ("takes_fewest", None)


def test_a_budget_and_chips_at_hand_leave_out_what_is_beyond_them(three: Library) -> None:
    every = ask(three, requests="40").result.plans
    within = ask(three, requests="40", budget=f"{(every[0].usd_per_month or 0) + 1:.0f}").result
    assert [one.chips for one in within.plans] == [every[0].chips]
    assert within.ruled_out == {"budget": 2}
    beyond = ask(three, requests="40", budget="100")
    assert beyond.result.plans == ()
    assert not beyond.rows["is_allowed"].any()
    few = ask(three, requests="40", chips="30").result  # 80 / (16 x 0.8) = 6.25: 7 x 4, where H200 takes 4 x 8
    assert {one.facts.accelerator for one in few.plans} == {"h100-sxm"}
    assert few.ruled_out == {"chips": 2}


def test_shorter_requests_count_as_measured_and_longer_ones_were_not(three: Library) -> None:
    short = ask(three, requests="15", request_isl="100", request_osl="100").result
    assert short.lead.fleet == ask(three, requests="15").result.lead.fleet
    longer = ask(three, requests="15", request_isl="129", request_osl="100")
    assert longer.result.plans == ()
    assert longer.result.tally.of("short_isl") == 5


def waiting(concurrency: int, rate: float, e2el: float, ttft: float, **more: object) -> Row:
    return at(concurrency, rate, e2el_ms_mean=e2el, ttft_ms_p50=ttft, **more)


def sent(rate: float, ttft: float, e2el: float) -> Row:
    """A point of an open loop of the same deployment."""
    return waiting(1, rate, e2el, ttft) | {"load_kind": "open", "concurrency": None, "request_rate": rate}


LATE = [waiting(1, 1.0, 1000, 50, ttft_ms_p99=60), waiting(16, 8.0, 2000, 80, ttft_ms_p99=1000)]
ONE = {"accelerators": 1, "tp": 1}
EIGHT = {"accelerator": "b200-sxm", "accelerators": 8, "tp": 8}
UNLIKE = [*CURVE, at(32, 10.0, **H200) | {"isl": 4096}]
TWO_MODELS = "model=llama-3.1-70b&model=llama-3.1-8b"
OF_TWO_MODELS = [*CURVE, *(at(32, 40.0, model="llama-3.1-8b", **own) for own in (ONE, H200))]

MEDIAN_TTFT_OFF = [{"metric": "ttft_ms_p50", "middle": MEASURED_OFF["ttft_ms_p50"][0],
                    "least": -MEASURED_OFF["ttft_ms_p50"][1]}]  # fmt: skip
LONG = [point(1024, 128, 2.0 * 128, concurrency=16), at(16, 8.0)]
MIX = "100/100 x 3, 1000/100"
SAID: dict[str, tuple[list[Row], str, dict[str, dict[str, object]]]] = {
    "one-chip-one-request": (
        [at(8, 2.0, **ONE)],
        "requests=1&peak=1",
        {
            "takes_alone": {"chips": 1, "instances": 1},
            "instance": {"rate": 2.0, "stopped_by": "largest"},
            "power": {},
            "sized": {"peak": 1},
        },
    ),
    "more-load-serves-less": ([*CURVE, at(128, 12.0)], "", {"instance": {"rate": 16.0, "stopped_by": "slower"}}),
    "a-spare": (
        CURVE,
        "slo=tpot_ms_p50<=40&requests=15&spare=1",
        {"takes_alone": {"instances": 5}, "sized_spare": {"spare": 1}},
    ),
    "a-days-tokens-without-a-price": (
        [at(8, 2.0, **UNPRICED)],
        "unit=output_tokens&tokens=100000000",
        {"takes_unpriced": {"chips": 24, "usd_per_month": None}, "unpriced_all": {"accelerators": ["mi325x"]}},
    ),
    "several-accelerators": (
        [*CURVE, at(32, 30.0, **H200), at(8, 2.0, **UNPRICED)],
        "requests=40",
        {"takes": {"amount": 40}, "change": {"others": 1}, "unpriced": {"accelerators": ["mi325x"]}},
    ),
    "over-the-budget": (
        CURVE,
        "requests=40&budget=12000",
        {"beyond_means": {"chips": 28, "budget": 12000}, "at_most": {"most": 6.4}, "ruled_out_budget": {"many": 1}},
    ),
    "one-chip-at-hand": (
        CURVE,
        "requests=40&chips=1",
        {
            "beyond_means": {"chips": 28, "chips_at_hand": 1},
            "at_most_none": {"most": 0},
            "ruled_out_chips": {"many": 1},
        },
    ),
    "nobody-keeps-it": (CURVE, "slo=tpot_ms_p50<=9", {"none_keeps": {"deployments": 1}, "ruled_out_beyond": {}}),
    "nobody-states-it": (CURVE, "slo=e2el_ms_p50<=9", {"none_states": {"deployments": 1}, "ruled_out_unstated": {}}),
    "at-full-load": (
        [at(8, 2.0) | {"load_kind": "saturated", "concurrency": None}],
        "",
        {"instance": {"rate": 2.0}, "saturated": {"deployments": 1}},
    ),
    "an-open-loop-alone": ([sent(2.5, 80, 1000)], "slo=ttft_ms_p50<=100", {"instance": {"rate": 2.5, "load": 2.5}}),
    "an-open-loop-that-met-a-busy-stretch": (
        [sent(2.5, 80, 1000) | {"request_rate": 2.25}],
        "slo=ttft_ms_p50<=100",
        {"instance": {"rate": 2.25, "load": 2.25}},
    ),
    "nothing-to-go-by": (
        [at(8, 2.0, ttft_ms_p50=5) | {"output_tokens_per_s": None}],
        "",
        {"none_usable": {"points": 1}},
    ),
    "two-models": (OF_TWO_MODELS, TWO_MODELS, {"of_models": {"models": 2, "chips": 1}}),
    "two-workloads": (UNLIKE, "v=2&model=llama-3.1-70b", {"undecided": {"least": 8, "most": 24}}),
    "few-that-can-tell": (
        [*CURVE, at(32, 30.0, **H200), at(32, 30.0, **EIGHT)],
        "slo=tpot_ms_p50<=30",
        {"undecided_unstated": {"least": 12, "most": 12, "accelerators": 1}, "ruled_out_unstated": {"many": 2}},
    ),
    "more-waits-than-the-limit": (
        LATE,
        "slo=ttft_ms_p99<=900&requests=7&peak=1&headroom=0",
        {"random_broken": {"instances": 2}},
    ),
    "a-queue-without-end": (
        [waiting(1, 1.0, 1000, 50), waiting(16, 8.0, 2200, 80)],
        "slo=ttft_ms_p50<=900&requests=15.9&peak=1&headroom=0",
        {"random_endless": {"instances": 3}},
    ),
    "a-mix-of-lengths": (
        [*LONG, at(16, 90.0, **H200)],
        f"model=llama-3.1-70b&mix={MIX}",
        {"takes_alone": {"instances": 6}, "instance_mix": {"isl": 1024, "osl": 128}, "mix": {"lengths": 2}},
    ),
    "a-mix-with-a-length-that-nobody-measured": (
        LONG,
        f"model=llama-3.1-70b&mix={MIX}, 20000/1000&slo=tpot_ms_p50<=9",
        {"none_mixed": {"isl": 20000, "osl": 1000}},
    ),
    "a limit on a cost": (CURVE, "slo=usd_per_million_output_tokens<=5", {"cost_limit": {}}),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return library_of_cases(tmp_path_factory.mktemp("said"), {name: rows for name, (rows, *_) in SAID.items()})


@pytest.mark.parametrize("name", SAID)
def test_what_is_said(made: Library, name: str) -> None:
    _, query, wanted = SAID[name]
    tells(capacity.answer(made, View.from_query(query).with_options(use="own").with_where(source=[name])), wanted)


def test_models_side_by_side_have_the_first_plan_of_each(made: Library) -> None:
    view = View.from_query(TWO_MODELS).with_options(**OWN).with_where(source=["two-models"])
    leads = [(one.facts.model, one.facts.accelerators) for one in capacity.answer(made, view).result.leads]
    assert leads == [("llama-3.1-8b", 1), ("llama-3.1-70b", 4)]


def test_what_arrivals_at_random_came_to_is_told_of_an_open_loop_beside(tmp_path: Path) -> None:
    held = library_of(tmp_path, [*LATE, sent(2, 60, 1500), sent(6, 75, 1900)])
    answer = ask(held, slo=["ttft_ms_p50<=79"], requests="5", peak="1")
    tells(answer, {"random": {}, "open_loop": {"figures": 4}, "random_model": {"off": MEDIAN_TTFT_OFF}})


def test_workloads_that_differ_are_not_ranked_unless_the_demand_says_its_own(tmp_path: Path) -> None:
    stated = ask(library_of(tmp_path, UNLIKE), request_isl="100", request_osl="100")
    assert headline(stated)[0] == "takes"
    assert len(stated.result.plans) == 2


def test_the_page_opens_without_limits_and_says_so(three: Library) -> None:
    answer = capacity.answer(three, View())
    assert (answer.view.option("use"), answer.result.limits) == ("own", ())
    assert statement(answer, "unlimited").role == "caveat"
    chosen = capacity.answer(three, View.of({}, {"use": "chat"}))
    assert {one.metric.key for one in chosen.result.limits} == {"ttft_ms_p50", "tpot_ms_p50"}
    assert "unlimited" not in kinds(chosen)


def test_the_limits_that_are_kept_stand_in_the_subject(three: Library) -> None:
    """Those of a use and the reader's own, and no limit on a cost, which is none here."""
    view = View.of({}, {"use": "chat"}, slo=["tpot_ms_p50<=12", "usd_per_million_output_tokens<=5"])
    answer = capacity.answer(three, view)
    assert answer.subject is not None
    assert {one.metric.key: one.value for one in answer.subject.limits} == {"ttft_ms_p50": 300, "tpot_ms_p50": 12}


def test_what_other_uses_take_is_said_in_one_finding(three: Library) -> None:
    """The limits of the batch are those in force, none; those of an API nobody keeps."""
    answer = ask(three)
    uses_of = said(answer, "uses")["uses"]
    assert isinstance(uses_of, list)
    assert [one["title"] for one in uses_of] == ["Interactive chat"]
    assert said(answer, "uses_none") == {"uses": ["Latency-sensitive API"]}
    assert said(answer, "uses_unstated") == {"uses": ["High traffic"]}
    assert len(kinds(ask(three, requests="40", budget="1000000", chips="500"), "finding")) <= 5


def test_limits_of_a_use_that_nobody_states_are_left_out_and_told(tmp_path: Path) -> None:
    held = library_of(tmp_path, [at(8, 2.0, ttft_ms_p50=100)])
    answer = capacity.answer(held, View.of({}, {"use": "chat"}))
    assert [one.metric.key for one in answer.result.limits] == ["ttft_ms_p50"]
    assert "median TPOT" in statement(answer, "dropped").text


def test_an_energy_that_was_measured_counts_before_a_rating(tmp_path: Path) -> None:
    rows = [one | {"power_w_per_accelerator": watts} for one, watts in zip(CURVE, (300, 500, 600), strict=True)]
    plan = ask(library_of(tmp_path, rows), slo=["tpot_ms_p50<=40"]).result.lead
    assert not plan.instance.is_measured
    assert plan.power is not None
    assert (plan.power.watts, plan.power.is_measured) == (600, True)  # the more of the two around


def test_measuring_the_point_states_its_deployment_lengths_and_load(three: Library) -> None:
    plan = ask(three, slo=["tpot_ms_p50<=40"]).result.plans[0]
    asked = planning.sweep_of(plan)
    assert form.from_link(asked.items())[1] == []
    assert (asked["isl"], asked["osl"], asked["concurrency"]) == ("128", "128", f"{plan.instance.load:g}")
    assert (asked["facts.accelerator"], asked["facts.tp"]) == ("h200-sxm", "8")


STARTED: dict[str, tuple[Row, str, set[str]]] = {
    "what is stated is a flag and what is not is open": (
        {"checkpoint": "org/Model-FP8", "max_model_len": 4096, "kv_precision": "fp8", "prefix_caching": False,
         "speculation": "none"},
        "vllm serve org/Model-FP8 --tensor-parallel-size 4 --kv-cache-dtype fp8 --max-model-len 4096"
        " --no-enable-prefix-caching",
        {"--max-num-seqs", "--gpu-memory-utilization"},
    ),
    "nothing but the layout": (
        {"engine": "sglang", "tp": 2},
        "python -m sglang.launch_server --model-path CHECKPOINT --tp-size 2",
        {"CHECKPOINT", "--pp-size", "--dp-size", "--quantization", "--kv-cache-dtype", "--context-length",
         "--disable-radix-cache", "--speculative-algorithm", "--max-running-requests", "--mem-fraction-static"},
    ),
    "attention that is data-parallel, experts and several nodes": (
        {"engine": "sglang", "model": "deepseek-r1", "accelerators": 16, "tp": 16, "dp": 16, "ep": 16,
         "dp_attention": True, "nodes": 2, "checkpoint": "deepseek-ai/DeepSeek-R1", "kv_precision": "bf16",
         "prefix_caching": True, "speculation": "mtp"},
        "python -m sglang.launch_server --model-path deepseek-ai/DeepSeek-R1 --tp-size 16 --dp-size 16"
        " --enable-dp-attention --ep-size 16 --kv-cache-dtype bfloat16",
        {"--nnodes", "--quantization", "--context-length", "--speculative-algorithm", "--max-running-requests",
         "--mem-fraction-static"},
    ),
    "copies of the attention and experts that do not divide the devices": (
        {"engine": "sglang", "tp": 4, "dp": 8, "ep": 8, "dp_attention": True},
        "python -m sglang.launch_server --model-path CHECKPOINT --enable-dp-attention",
        {"CHECKPOINT", "--tp-size", "--dp-size", "--ep-size", "--quantization", "--kv-cache-dtype", "--context-length",
         "--disable-radix-cache", "--speculative-algorithm", "--max-running-requests", "--mem-fraction-static"},
    ),
    "copies of the attention that nobody counts": (
        {"tp": 4, "dp_attention": True},
        "vllm serve CHECKPOINT",
        {"CHECKPOINT", "--tensor-parallel-size", "--data-parallel-size", "--quantization", "--kv-cache-dtype",
         "--max-model-len", "--no-enable-prefix-caching", "--speculative-config", "--max-num-seqs",
         "--gpu-memory-utilization"},
    ),
    "a layout that contradicts the chips is open, and a cache that no flag names": (
        {"model": "deepseek-r1", "accelerators": 8, "tp": 8, "dp": 8, "ep": 4, "dp_attention": True, "nodes": 1,
         "checkpoint": "-trust", "kv_precision": "fp8_e5m2", "prefix_caching": True, "speculation": "none"},
        "vllm serve CHECKPOINT --enable-prefix-caching",
        {"CHECKPOINT", "--tensor-parallel-size", "--data-parallel-size", "--pipeline-parallel-size",
         "--enable-expert-parallel", "--quantization", "--kv-cache-dtype", "--max-model-len", "--max-num-seqs",
         "--gpu-memory-utilization"},
    ),
    "fewer than the chips": (
        {"accelerators": 4, "tp": 2, "pp": 1, "dp": 1, "checkpoint": "org/-fp8", "max_model_len": 512,
         "kv_precision": "fp8", "prefix_caching": True, "speculation": "none"},
        "vllm serve CHECKPOINT --kv-cache-dtype fp8 --max-model-len 512 --enable-prefix-caching",
        {"CHECKPOINT", "--tensor-parallel-size", "--data-parallel-size", "--pipeline-parallel-size",
         "--max-num-seqs", "--gpu-memory-utilization"},
    ),
    "fewer experts in parallel than the chips": (
        {"model": "deepseek-r1", "accelerators": 8, "tp": 8, "ep": 4, "checkpoint": "org/M-fp8", "max_model_len": 512,
         "kv_precision": "fp8", "prefix_caching": True, "speculation": "none"},
        "vllm serve org/M-fp8 --tensor-parallel-size 8 --kv-cache-dtype fp8 --max-model-len 512"
        " --enable-prefix-caching",
        {"--enable-expert-parallel", "--max-num-seqs", "--gpu-memory-utilization"},
    ),
    "a checkpoint that is no name is no argument": (
        {"checkpoint": "x; rm -rf ~", "tp": None, "accelerators": 1},
        "vllm serve CHECKPOINT",
        {"CHECKPOINT", "--quantization", "--kv-cache-dtype", "--max-model-len", "--no-enable-prefix-caching",
         "--speculative-config", "--max-num-seqs", "--gpu-memory-utilization"},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("facts", "command", "left"), STARTED.values(), ids=STARTED)
def test_a_plan_starts_with_what_the_data_states(facts: Row, command: str, left: set[str], tmp_path: Path) -> None:
    start = ask(library_of(tmp_path, [at(16, 8.0, **facts)])).result.start
    assert start is not None
    assert start.command == command
    assert {one.split()[0] for one in start.open} == left


@pytest.mark.parametrize("first", [{"engine": "tensorrt-llm"}, {"disaggregated": True}, {"isl": 4096}])
def test_a_first_plan_that_is_started_otherwise_or_not_named_has_no_command(first: Row, tmp_path: Path) -> None:
    answer = capacity.answer(library_of(tmp_path, [at(16, 90.0) | first, at(16, 7.0)]), View.from_query("v=2&use=own"))
    assert len(answer.result.plans) == 2
    assert answer.result.start is None


def test_every_bar_opens_a_point_and_both_themes_are_drawn(three: Library) -> None:
    answer = ask(three)
    for theme in (LIGHT, DARK):
        drawn = capacity.figure(answer.result, theme)
        ids = openable.openable(answer.rows, drawn)
        assert set(ids) <= set(answer.rows["point_id"])
        assert len(ids) == 2
        whole = [sum(float(trace.x[0]) for trace in drawn.data)]
        assert whole == [pytest.approx(answer.result.lead.usd_per_month)]


def test_what_cannot_be_asked_is_refused(three: Library) -> None:
    for wrong in ({"requests": "0"}, {"headroom": "1"}, {"peak": "0.5"}, {"users": "many"}):
        with pytest.raises(UsageError):
            ask(three, **wrong)


CHIPS = (("h100-sxm", 1), ("h100-sxm", 8), ("h200-sxm", 4), ("b200-sxm", 8), ("mi355x", 8), ("l40s", 2))


def drawn_rows(seed: int) -> list[Row]:
    """Curves of two to six points on each of a few deployments, as uneven as measured ones are."""
    draw = random.Random(seed)
    rows = []
    for chip, many in CHIPS:
        rate, tpot, ttft = draw.uniform(0.2, 2) * many, draw.uniform(4, 20), draw.uniform(30, 300)
        for load in sorted(draw.sample([1, 2, 4, 8, 16, 32, 64, 128, 256], draw.randint(2, 6))):
            rate, tpot, ttft = (one * draw.uniform(0.95, 1.8) for one in (rate, tpot, ttft))
            rows.append(
                at(load, rate, accelerator=chip, accelerators=many, tp=many, tpot_ms_p50=tpot, ttft_ms_p50=ttft)
            )
    return rows


Planner = Callable[[Demand, float, float], list[FleetPlan]]


def planner_of(library: Library) -> Planner:
    """The plans for a demand within limits on TPOT and TTFT, on curves that are read once."""
    curves = measured.read(library, evidence.read(View()), Demand(1), limits_of(1.0, 1.0))
    chips = prices.chip_prices(library, prices.Choice())
    named = points.named(library, [str(id) for id in curves.ids])

    def plans(demand: Demand, tpot: float, ttft: float) -> list[FleetPlan]:
        asked = CapacityAsked(demand, "own")
        founds = planning.within([curves], asked, limits_of(tpot, ttft))
        return planning.plans_of(library, founds, asked, chips, named)

    return plans


def limits_of(tpot: float, ttft: float) -> tuple[Limit, ...]:
    return limits.read(View.of(slo=[f"tpot_ms_p50<={tpot!r}", f"ttft_ms_p50<={ttft!r}"]))


def test_an_answer_has_the_plans_of_that_search(uneven: Library) -> None:
    plans = planner_of(uneven)(Demand(40, "requests", 2, 0.2), 40, 900)
    answer = ask(uneven, slo=["tpot_ms_p50<=40", "ttft_ms_p50<=900"], requests="40")
    assert list(answer.result.plans) == plans
    assert len(plans) > 1
    assert answer.rows["instances"].tolist() == [one.fleet.instances for one in plans]


@pytest.fixture(scope="module")
def uneven(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return library_of(tmp_path_factory.mktemp("uneven"), drawn_rows(3))


def test_a_mix_gives_each_length_its_time(tmp_path: Path) -> None:
    """3 of 4 requests at 8 a second and one at 2: 4 / (3 / 8 + 1 / 2) = 4.57 a second; 20 at peak, 20 % free, take 6.

    What was measured at the short ones alone serves no mix; a mix of one length is that length.
    """
    library = library_of(tmp_path, [*LONG, at(16, 90.0, **H200)])
    (plan,) = ask(library, mix=MIX).result.plans
    assert (plan.instance.rate, plan.fleet.instances) == (pytest.approx(4 / (3 / 8 + 1 / 2)), 6)
    assert plan.fleet.used_at_peak == pytest.approx(20 / (6 * plan.instance.rate))
    # A day of 1e8 tokens, 425 of a request: 100 + 100 of three and 1,000 + 100 of the fourth.
    (by_tokens,) = ask(library, mix=MIX, unit="tokens", tokens="100000000").result.plans
    assert by_tokens.served == pytest.approx(plan.instance.rate * 425 * 86_400)
    (users,) = ask(library, mix=MIX, unit="users", think="30").result.plans
    assert users.served == pytest.approx(plan.instance.rate * 30 + 16)
    alone = ask(library, mix="1000/100", request_isl="").result.plans
    stated = ask(library, request_isl="1000", request_osl="100").result.plans
    assert [(one.served, one.chips) for one in alone] == [(one.served, one.chips) for one in stated]


@pytest.mark.parametrize("text", ["900", "900/300 x", "0/5", "5/5 x 0", "1/1, ", "a/b", ", ".join(["1/1"] * 7)])
def test_what_is_no_mix_is_refused(text: str, three: Library) -> None:
    with pytest.raises(UsageError, match="mix="):
        ask(three, mix=text)


def test_a_mix_beside_the_lengths_of_one_request_is_refused(three: Library) -> None:
    with pytest.raises(UsageError, match="request_isl="):
        ask(three, mix="100/100", request_isl="9999")


UNLIKE_FACTS: list[Row] = [
    {"dp_attention": True}, {"prefill_accelerators": 1}, {"decode_workers": 2}, {"checkpoint": "org/other"},
    {"nodes": 2}, {"prefix_caching": True}, {"engine_version": "0.18"}, {"harness": "vllm-bench"},
]  # fmt: skip


def test_a_mix_joins_no_two_deployments(tmp_path: Path) -> None:
    """What was measured at long requests serves the mix alone, 2 a second, and with its own short ones 4.57."""
    long, short = LONG
    every = [long | facts for facts in UNLIKE_FACTS]
    own = [short | facts for facts in UNLIKE_FACTS]
    for folder, added, rate in (("unlike", [short], 2), ("alike", own, 4 / (3 / 8 + 1 / 2))):
        plans = ask(library_of(tmp_path / folder, [*every, *added]), mix=MIX).result.plans
        assert [one.instance.rate for one in plans] == pytest.approx([rate] * len(every))


TWO_STATED = {"ttft_ms_p50": 50, "tpot_ms_p50": 10}


@pytest.mark.parametrize("mix", [MIX, "1000/100, 100/100 x 3"])
def test_a_limit_that_one_length_of_a_mix_does_not_state_is_told_or_kept(mix: str, tmp_path: Path) -> None:
    """Of a use it is dropped at every length and told; one's own rules the deployment out, in whatever order."""
    long, short = LONG
    library = library_of(tmp_path, [long | {"tpot_ms_p50": 40}, short | TWO_STATED])
    chat = ask(library, mix=mix, use="chat")
    assert [one.metric.key for one in chat.result.limits] == ["tpot_ms_p50"]
    assert said(chat, "dropped_mix") == {"metrics": "median TTFT"}
    assert ask(library, mix=mix, slo=["ttft_ms_p50<=60"]).result.ruled_out == {"unstated": 1}
    assert ask(library, mix=mix, slo=["tpot_ms_p50<=20"]).result.ruled_out == {"beyond": 1}


def test_a_mix_leaves_the_context_open_and_tells_of_no_load(tmp_path: Path) -> None:
    """The short requests, 30 of 31, take most of the time, and the long ones have to fit."""
    long, short = LONG
    rows = [long | {"max_model_len": 1400, "tpot_ms_p50": 9}, short | {"max_model_len": 300, "tpot_ms_p50": 9}]
    rows.append(short | {"concurrency": 32, "output_tokens_per_s": 1280, "max_model_len": 300, "tpot_ms_p50": 30})
    answer = ask(library_of(tmp_path, rows), mix="100/100 x 30, 1000/100", slo=["tpot_ms_p50<=20"])
    start = answer.result.start
    assert start is not None
    assert "--max-model-len" not in start.command
    assert {"--max-model-len (at least 1,100)", "--max-num-seqs"} <= set(start.open)
    row = answer.rows.iloc[0]
    columns = "load measured_from measured_to reached stopped_by error_median".split()
    assert row[columns].isna().all()
    assert (row["isl"], row["watts"]) == (128, 700)
    assert "error" not in kinds(answer)
    assert [one.what for one in answer.why] == ["Instances", "Cost", "What an instance serves"]
    assert "of the mix" in str(capacity.figure(answer.result, LIGHT).data[0].hovertext)


class EveryStep:
    """One deployment at every step between its measured loads, by SciPy: what it serves there and how fast."""

    def __init__(self, library: Library, chip: str, chips: int) -> None:
        self.chip, self.chips, self.key = chip, chips, f"{chip} {chips}"
        rows = library.fetch(
            "SELECT concurrency, output_tokens_per_s, tpot_ms_p50, ttft_ms_p50, flags FROM points"
            " WHERE accelerator = ? AND accelerators = ? ORDER BY concurrency", (chip, chips)
        )  # fmt: skip
        kept = [row[:4] for row in rows if not set(flags.kinds_of(row[4])) & set(flags.EXCLUDING)]
        load, tokens, tpot, ttft = np.array(kept, dtype=float).T
        self.measured, values = (tpot, ttft), (load / (tokens / 128), tpot, ttft)
        lines = [
            PchipInterpolator(load**power, one)
            if len(load) > 2
            else lambda at, x=load**power, y=one: np.interp(at, x, y)
            for power, one in zip((0.8, 0.8, 1.0), values, strict=True)
        ]
        steps = [np.floor(low + (high - low) * np.arange(64) / 64) for low, high in pairwise(load)]
        self.stretch = np.concatenate([np.repeat(np.arange(len(load) - 1), 64), [len(load) - 1]])
        self.loads = np.concatenate([*(np.maximum(own, low) for own, low in zip(steps, load, strict=False)), load[-1:]])
        ends = np.array([self.stretch, np.minimum(self.stretch + 1, len(load) - 1)])
        line, self.tpot, self.ttft = (
            np.clip(own(self.loads**power), one[ends].min(axis=0), one[ends].max(axis=0))
            for own, power, one in zip(lines, (0.8, 0.8, 1.0), values, strict=True)
        )
        rates = tokens[ends] / 128
        self.rates = np.clip(self.loads / line, rates.min(axis=0), rates.max(axis=0))

    def served(self, unit: DemandUnit, think_s: float, tpot: float, ttft: float) -> float | None:
        """The most that an instance serves at any step within the limits, near a measured load within them."""
        held = (self.measured[0] <= tpot) & (self.measured[1] <= ttft)
        near = held | np.append(held[1:], False)
        kept = (self.tpot <= tpot) & (self.ttft <= ttft) & near[self.stretch]
        worth = self.rates if unit == "requests" else self.rates * think_s + self.loads
        return float(worth[kept].max()) if kept.any() else None


def test_a_thousand_demands_are_answered_as_by_looking_at_every_step(uneven: Library) -> None:
    """Which deployments serve, with how many instances for how much a month, the cheapest first."""
    plans, draw = planner_of(uneven), random.Random("demands")
    prices_of, each = prices.chip_prices(uneven, prices.Choice()), [EveryStep(uneven, *one) for one in CHIPS]
    for _ in range(times(1000, 40, 100)):
        unit: DemandUnit = draw.choice(("requests", "users"))
        demand = Demand(math.exp(draw.uniform(-2, 8)), unit, draw.uniform(1, 4), draw.uniform(0, 0.6),
                        draw.randint(0, 2), draw.uniform(0, 60))  # fmt: skip
        tpot, ttft = math.exp(draw.uniform(1.2, 6)), math.exp(draw.uniform(3, 8))
        wanted = {}
        for one in each:
            served = one.served(unit, demand.think_s, tpot, ttft)
            if served:
                needed = demand.amount * demand.peak / (1 - demand.headroom) / served
                instances = max(1, math.ceil(needed * (1 - 1e-9))) + demand.spare
                usd = prices_of[one.chip].usd * instances * one.chips * HOURS
                wanted[one.key] = (instances, pytest.approx(usd))
        found = plans(demand, tpot, ttft)
        assert {_key(plan): (plan.fleet.instances, plan.usd_per_month) for plan in found} == wanted
        costs = [plan.usd_per_month or math.inf for plan in found]
        assert costs == sorted(costs)


def _key(plan: FleetPlan) -> str:
    return f"{plan.facts.accelerator} {plan.facts.accelerators}"
