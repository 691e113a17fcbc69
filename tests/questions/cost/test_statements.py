"""What a cost answer says of small libraries, by kinds and values worked out by hand from two prices."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from bench.library import Library
from bench.questions import cost
from bench.questions.cost.verdict import FINDINGS
from bench.questions.operating_points import NO_CHIPS, NO_RATE
from bench.view import View
from tests.library.files import published
from tests.questions.cost.asking import TTFT
from tests.questions.heatmap.results import Row, flag, library_of_cases, point
from tests.questions.saying import Told, kinds, statement, tells

# H100 at 1 and 5 USD/h per chip, by the median 3; H200 at 24 USD/h for eight, 3 a chip; three more at 3.
PRICES: tuple[Row, ...] = tuple(
    {"provider": provider, "accelerator": chip, "accelerators": many, "terms": "on_demand", "usd_per_hour": usd}
    for provider, chip, many, usd in (
        ("a", "h100-sxm", 1, 1.0),
        ("b", "h100-sxm", 1, 5.0),
        ("a", "h200-sxm", 8, 24.0),
        ("a", "b200-sxm", 1, 3.0),
        ("a", "mi300x", 1, 3.0),
        ("a", "gb200", 1, 3.0),
    )
)
MODELLED: tuple[Row, ...] = tuple({**row, "terms": "modelled:neocloud"} for row in PRICES[:3])
PER_TOKEN = 3 / 3600 * 1e6
"""USD per million tokens of a chip at 3 USD/h that gives one token a second."""


def chip(accelerator: str, rate: float | None, ttft: float | None = None, **facts: object) -> Row:
    return point(1024, 256, rate, accelerator=accelerator, **{"accelerators": 1, "tp": 1, TTFT: ttft, **facts})


TWO = [chip("h100-sxm", 1000, date="2026-03-01"), chip("h200-sxm", 1500, date="2026-06-01")]
LIMITED = [
    chip("h100-sxm", 100, 10, concurrency=1),
    chip("h100-sxm", 1000, 500),
    chip("h200-sxm", 500, 20),
    chip("b200-sxm", 9000, 900),
    chip("mi300x", 9000),
]
MANY = 101

SAID: Mapping[str, tuple[list[Row], dict[str, Any], Told]] = {
    "two": (
        TWO,
        # 1,500 tokens/s are 129.6M a day for 72 USD; an API at 0.6 USD bills that for 120M. Thirteen instances are
        # 1,560M, which no twelve can serve, and of fourteen no API is cheaper again.
        {"api_price_output": "0.6"},
        {
            "cheapest": {"usd_per_million": PER_TOKEN / 1500, "second_usd_per_million": PER_TOKEN / 1000},
            "bargain": {"usd_per_million": PER_TOKEN / 3000},
            "volume": {"usd_per_day": 72.0, "instances": 1, "used": 100 / 129.6},
            "api": {"tokens_per_day": 120e6, "used": 120 / 129.6},
            "api_price_alone": {"usd_per_million": 0.6},
            "api_again": {"tokens_per_day": 1560e6, "instances": 13},
            "limits": {"limits": 0},
            "larger_quotes": {"quotes": 1},
            "undated": {"quotes": 3, "undated": 3},
            "apart": {"days": 92},
        },
    ),
    "modelled": (TWO, {"price_terms": "modelled:neocloud"}, {"bargain": []}),
    "half-used": (
        TWO,
        {"utilisation": "0.5"},
        {
            "volume": {"usd_per_day": 144.0, "instances": 2, "used": 50 / 129.6},
            "cheapest": {"usd_per_million": 2 * PER_TOKEN / 1500},
        },
    ),
    "too-cheap": (TWO, {"api_price_output": "0.1"}, {"api_never": {"usd_per_million": PER_TOKEN / 1500}}),
    "other-side-alone": (TWO, {"api_price_input": "0.1"}, {"api_unknown": {}}),
    "one": (
        TWO[:1],
        {},
        {
            "one": {
                "usd_per_million": PER_TOKEN / 1000,
                "lowest": PER_TOKEN / 3000,
                "highest": PER_TOKEN / 600,
                "quotes": 2,
            },
            "quotes": {"quotes": 2, "lowest": PER_TOKEN / 3000, "highest": PER_TOKEN / 600},
            # 86.4M tokens a day.
            "volume": {"usd_per_day": 144.0, "instances": 2, "used": 50 / 86.4},
        },
    ),
    "idle": (
        [chip("h100-sxm", 1000), chip("h200-sxm", 32_000, accelerators=8, tp=8)],
        {"volume": "5e7"},
        {
            "cheapest": {"usd_per_million": PER_TOKEN / 4000, "second_usd_per_million": PER_TOKEN / 1000},
            "volume": {"usd_per_day": 72.0, "instances": 1, "used": 50 / 86.4},
            "volume_on_cheapest": {"usd_per_day": 576.0, "used": 50 / 2764.8},
        },
    ),
    "even": (
        [chip("h100-sxm", 1000), chip("h200-sxm", 1001)],
        {},
        {"even": {"usd_per_million": PER_TOKEN / 1001, "second_usd_per_million": PER_TOKEN / 1000}},
    ),
    "within-limits": (
        LIMITED,
        {"slo": [f"{TTFT}<=100"]},
        {
            "cheapest": {
                "usd_per_million": PER_TOKEN / 500,
                "second_usd_per_million": PER_TOKEN / 100,
                "stating": 4,
                "of": 5,
            },
            "speeds": {"speeds": [{"metric": TTFT, "value": 20}]},
            "limits_free": {"times": 1.0},
            "unknown": {"groups": ["MI300X"]},
            "beyond": {"groups": ["B200 SXM"]},
        },
    ),
    "limits-that-cost-the-same": (
        LIMITED[:2],
        {"latency": TTFT},
        {"latency": {"rungs": [{"usd_per_million": PER_TOKEN / 100, "limit": 10, "metric": TTFT}]}},
    ),
    "a-limit-that-costs": (
        LIMITED[:2],
        {"slo": [f"{TTFT}<=100"]},
        {"one": {"usd_per_million": PER_TOKEN / 100}, "limits_cost": {"times": 10.0}},
    ),
    "few-accelerators-state-the-limit": (
        [*TWO, chip("mi300x", 9000), chip("b200-sxm", 400, 5), chip("gb200", 300, 5)],
        {"slo": [f"{TTFT}<=100"]},
        {"undecided": {"lowest": PER_TOKEN / 400, "highest": PER_TOKEN / 300, "stating": 2, "of": 5}},
    ),
    "unlike-loads": (
        [chip("h100-sxm", 1000), chip("h200-sxm", 1500, load_kind="batch", concurrency=None, batch=8)],
        {},
        {"undecided_unlike": {"lowest": PER_TOKEN / 1500, "highest": PER_TOKEN / 1000, "unlike": ["kinds of load"]}},
    ),
    "flagged": (
        [chip("h100-sxm", 1000, flags=flag("client_limited")), chip("h200-sxm", 500)],
        {},
        {"flags": {"flagged": 1, "deployments": 2}, "flagged": {}},
    ),
    "many-deployments": (
        [chip("h100-sxm", 1000 + place, variant=f"v{place}") for place in range(MANY)],
        {"group": "deployment"},
        {"most": {"groups": MANY}},
    ),
    "not-measured": ([chip("h100-sxm", 1000, evidence="estimated")], {}, {"other_evidence": {"points": 1}}),
    "no-chips": ([chip("h100-sxm", 1000, accelerators=None, tp=None)], {}, {NO_CHIPS: {"points": 1}}),
    "no-rate": ([chip("h100-sxm", None, 10)], {}, {NO_RATE: {"points": 1}}),
    "limits-nobody-states": (TWO, {"slo": [f"{TTFT}<=100"]}, {"unknown_limit": {"points": 2}}),
    "limits-nobody-keeps": (LIMITED[:3], {"slo": [f"{TTFT}<=1"]}, {"beyond_limit": {"points": 3}}),
    "nothing-selected": (TWO, {"engine": "trt"}, {"nothing": {}}),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("priced")
    published(folder / "library" / "prices" / "made.csv", (*PRICES, *MODELLED))
    return library_of_cases(folder, {name: rows for name, (rows, *_) in SAID.items()})


@pytest.mark.parametrize("name", SAID)
def test_what_is_said(made: Library, name: str) -> None:
    _, options, told = SAID[name]
    asked = {"price_book": "made", **options}
    slo, engine = asked.pop("slo", ()), asked.pop("engine", "")
    where = {"source": [name], **({"engine": [engine]} if engine else {})}
    answer = cost.answer(made, View.of(where, asked, slo=slo))
    tells(answer, told)
    assert len(kinds(answer, "finding")) <= FINDINGS


def test_what_a_statement_rests_on_are_the_points_that_it_names(made: Library) -> None:
    answer = cost.answer(made, View.of({"source": ["two"]}, {"price_book": "made"}))
    first, second = (one.facts.point_id for one in answer.result.deployments)
    named = {"cheapest": (first, second), "bargain": (second,), "volume": (first,)}
    assert {kind: statement(answer, kind).point_ids for kind in named} == named


def test_none_is_the_cheapest_where_kinds_of_load_are_unlike(made: Library) -> None:
    answer = cost.answer(made, View.of({"source": ["unlike-loads"]}, {"price_book": "made"}))
    assert [one.fact.key for one in answer.result.unlike] == ["load_kind"]
    assert statement(answer, "undecided_unlike").point_ids == ()
    assert kinds(answer, "finding") == []  # who is cheapest at one quote is not told either
    assert cost.robustness(made, answer.view) is None
    both = answer.view.with_where(load_kind=["closed", "batch"])
    assert kinds(cost.answer(made, both), "headline") == ["cheapest"]
