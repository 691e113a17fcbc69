"""Links of the first build: each old key is read as the new one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.old_links import EVIDENCE, GONE, renewed
from bench.view import View


@pytest.mark.parametrize(
    ("query", "limits"),
    [
        ("x=interactivity_tokens_per_s_per_user_p50&slo_x=60", ("interactivity_tokens_per_s_per_user_p50>=60",)),
        ("x=ttft_ms_p99&slo_x=2000&y=output_tokens_per_s&slo_y=500", ("output_tokens_per_s>=500", "ttft_ms_p99<=2000")),
        ("slo_metric=tpot_ms_p50&slo=50&slo_ttft=5000", ("tpot_ms_p50<=50", "ttft_ms_p50<=5000")),
        ("slo_metric=tpot_ms_p99&slo=50&slo_ttft=5000", ("tpot_ms_p99<=50", "ttft_ms_p99<=5000")),
        ("slo_ttft=1000", ("ttft_ms_p50<=1000",)),
        ("slo=none&slo_metric=ttft_ms_p99", ("none",)),
        ("slo=ttft_ms_p99<=2000", ("ttft_ms_p99<=2000",)),
    ],
)
def test_limits_on_axes_and_on_a_latency_are_limits_now(query: str, limits: tuple[str, ...]) -> None:
    view = View.from_query(query)
    assert view.slo == limits
    assert not {key for key, _ in view.options} & {*GONE, "slo"}


@pytest.mark.parametrize(
    "query",
    [
        "slo_x=many&x=ttft_ms_p99",
        "slo_x=60&x=no_such_metric",
        "slo_y=1e999",
        "slo=50",
        "slo_ttft=soon",
        "frontier_evidence=some",
    ],
)
def test_what_no_limit_can_be_made_of_stays_to_be_told(query: str) -> None:
    assert set(query.split("&")) <= {f"{key}={value}" for key, value in View.from_query(query).pairs()}


def test_every_evidence_on_a_frontier_is_a_filter_unless_one_is_set() -> None:
    assert View.from_query("frontier_evidence=all").values("evidence") == EVIDENCE
    assert View.from_query("frontier_evidence=all&evidence=projected").values("evidence") == ("projected",)
    assert View.from_query("frontier_evidence=measured").values("evidence") == ()
    assert View.from_query("slo_metric=ttft_ms_p99").option("latency") == "ttft_ms_p99"


@given(st.lists(st.tuples(st.sampled_from(["slo", "x", *GONE, "model", "y"]), st.text(max_size=20)), max_size=8))
def test_what_is_renewed_stays_as_it_is(pairs: list[tuple[str, str]]) -> None:
    once = renewed(pairs)
    assert renewed(once) == once
