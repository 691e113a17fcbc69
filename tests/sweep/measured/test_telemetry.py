"""Engine telemetry: Prometheus text as engines write it, figures over a window by hand, and a live endpoint's."""

from __future__ import annotations

from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.endpoint import Settings, running
from bench.records import Load
from bench.sweep.measured.telemetry import EngineReading, Poller, parse, summary
from bench.sweep.wire.exchange import Limits, Target
from tests.endpoint.loading import asks, loaded
from tests.sweep.made import S
from tests.thorough import some

pytestmark = pytest.mark.long

VLLM = """\
# HELP vllm:num_requests_running Number of requests in model execution batches.
# TYPE vllm:num_requests_running gauge
vllm:num_requests_running{engine="0",model_name="org/a \\"b\\" {c}"} 61.0
vllm:num_requests_running{engine="1",model_name="org/a \\"b\\" {c}"} 59.0
vllm:num_requests_waiting{engine="0",model_name="m"} 7.0
vllm:num_requests_waiting_by_reason{engine="0",model_name="m",reason="capacity"} 1000.0
vllm:kv_cache_usage_perc{engine="0",model_name="m"} 0.90
vllm:kv_cache_usage_perc{engine="1",model_name="m"} 0.70
vllm:num_preemptions_total{engine="0",model_name="m"} 12.0
vllm:num_preemptions_created{engine="0",model_name="m"} 1.76e+09
vllm:prefix_cache_queries_total{engine="0",model_name="m"} 1.5e+06
vllm:prefix_cache_hits_total{engine="0",model_name="m"} 300000
vllm:iteration_tokens_total_bucket{le="1.0",model_name="m"} 3.0
"""
SGLANG = """\
sglang:num_running_reqs{engine_type="unified",model_name="m",tp_rank="0"} 31.0
sglang:num_queue_reqs{model_name="m"} 4.0
sglang:token_usage{model_name="m"} 0.28
sglang:cache_hit_rate{model_name="m"} 0.125
sglang:num_retracted_reqs{model_name="m"} 3.0
sglang:num_retracted_requests_total{model_name="m"} 48.0
sglang:prompt_tokens_total{model_name="m"} 4096.0
sglang:cached_tokens_total{cache_source="device",model_name="m"} 3000.0
sglang:cached_tokens_total{cache_source="host",model_name="m"} 168.0
"""


def test_vllms_metrics_replicas_added_up():
    assert parse(VLLM, 5) == EngineReading(
        5, 120, 7, pytest.approx(0.8), preemptions=12, prefix_queries=1.5e6, prefix_hits=3e5
    )


def test_sglangs_metrics():
    assert parse(SGLANG, 5) == EngineReading(5, 31, 4, 0.28, 48, 4096, 3168, 0.125)


def test_the_older_names_and_what_is_absent():
    text = 'vllm:gpu_cache_usage_perc{model_name="m"} 0.5 1700000000\r\nvllm:num_requests_running 3\r\n'
    assert parse(text, 1) == EngineReading(1, running=3, kv_share=0.5)
    assert parse("tgi_queue_size 4\ntgi_batch_current_size 2\n", 1) == EngineReading(1, running=2, waiting=4)
    # SGLang before its first cached token: prompt tokens alone say nothing of a cache.
    assert parse("sglang:prompt_tokens_total 10", 1).empty


@pytest.mark.parametrize(
    "text",
    [
        "<html>vllm:num_requests_running 3</html>",
        "vllm:num_requests_running NaN",
        "vllm:num_requests_running",
        'vllm:num_requests_running{model="a} 3',
        "xvllm:num_requests_running 3",
        "# vllm:num_requests_running 3",
        "vllm:num_requests_running 3x",
        "vllm:num_requests_running 1.2.3",
    ],
)
def test_what_is_no_metric_tells_nothing(text):
    assert parse(text, 1).empty


@given(st.text(max_size=300))
def test_any_text_is_read_without_a_fault(text):
    parse(f'vllm:num_requests_running{{a="{text}"}} {text}\n{text}', 1)


def test_a_window_by_hand():
    readings = [
        EngineReading(second * S, running, waiting, kv, preempted, queries, hits)
        for second, running, waiting, kv, preempted, queries, hits in [
            (0, 0, 0, 0.0, 5, 1000, 900),
            (1, 10, 0, 0.2, 5, 1100, 900),
            (2, 20, 4, 0.4, 6, 2000, 1000),
            (3, 30, 8, 0.6, 9, 3000, 1100),
            (4, 99, 99, 0.9, 50, 9000, 1100),
        ]
    ]
    # From 1.5 to 3.0 s: the readings at 2 and 3; counted from the one at 1 to the one at 3.
    assert summary(readings, 1_500_000_000, 3 * S) == pytest.approx(
        {"readings": 2, "running_mean": 25, "running_max": 30, "waiting_mean": 6, "waiting_max": 8, "preemptions": 4}
        | {"kv_share_mean": 0.5, "kv_share_max": 0.6, "prefix_share": 200 / 1900}
    )


def test_what_cannot_be_known_is_absent():
    assert summary([], 0, S) == {}
    one = summary([EngineReading(5, running=1.0, preemptions=3.0)], 0, S)
    assert one == {"readings": 1, "running_mean": 1, "running_max": 1}
    restarted = [EngineReading(0, preemptions=7.0), EngineReading(S, preemptions=2.0)]
    assert "preemptions" not in summary(restarted, 0, S)
    own = [EngineReading(0, prefix_share=0.1), EngineReading(S, prefix_share=0.3)]
    assert summary(own, 0, S)["prefix_share"] == pytest.approx(0.2)


@pytest.mark.parametrize("dialect", some(["vllm", "sglang", "llama.cpp", "tgi"], 1))
def test_a_live_endpoint_is_read_beside_its_load(dialect):
    """Four run and two wait, but in the moment one leaves and the next comes."""
    closed, limits = Load(load_kind="closed", concurrency=6), Limits(duration_s=0.5, drain_s=0)
    settings = Settings(dialect=dialect, model="odd-model", ttft_ms=20, itl_ms=5, max_running=4)
    with running(settings) as url, closing(Poller(Target.at(url), every_s=0.05)) as poller:
        point, _ = loaded(Target.at(url), asks(1000, 20), closed, limits)
    found = summary(poller.readings, point.start_ns, point.end_ns)
    assert found["readings"] >= 2
    assert (found["running_max"], found["waiting_max"]) == (4, 2)
    assert found["running_mean"] > 2


def test_an_endpoint_without_metrics_is_asked_once_and_let_be():
    with running(Settings(dialect="openai")) as url, closing(Poller(Target.at(url), every_s=0.05)) as poller:
        poller._thread.join(2)
        assert not poller._thread.is_alive()
    assert poller.readings == []


def test_a_dead_endpoint_is_no_fault():
    with closing(Poller(Target.at("http://127.0.0.1:9"), every_s=0.05)) as poller:
        poller._thread.join(2)
    assert poller.readings == []
