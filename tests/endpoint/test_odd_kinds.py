"""Odd endpoints do what they are called, and the load counts what they did."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import pytest

from bench.records import Load
from bench.sweep.wire.exchange import Limits, Target
from tests.endpoint import asking, odd_kinds
from tests.endpoint.loading import asks, loaded
from tests.endpoint.odd import Odd, Servers, serving

pytestmark = pytest.mark.long

ALL = {name: odd for name, odd in vars(odd_kinds).items() if isinstance(odd, Odd)}
KINDS = {200: "ok", 429: "http_429", 500: "http_5xx", 503: "http_5xx"}
MS = 1_000_000


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    with serving(ALL) as running:
        yield running


FAILING = {
    "FAILS_AT_FIRST": {500},
    "BREAKS_FOR_GOOD": {200, 500},
    "IS_AWAY_FOR_A_WHILE": {200, 503},
    "ADMITS_FOUR": {200, 429},
    "ADMITS_FOUR_AND_SAYS_WHEN": {200, 429},
    "ADMITS_FOUR_503": {200, 503},
    "NGINX_LIMITER": {200, 429},
}


@pytest.mark.parametrize("name", FAILING)
def test_what_fails_at_once_is_counted_beside_what_streams(name: str, servers: Servers) -> None:
    """However often it is asked meanwhile: that is the load's own affair."""
    limits = Limits(duration_s=1.3 if name == "BREAKS_FOR_GOOD" else 0.6, requests=300)
    point, found = loaded(Target.at(servers.url(name)), asks(300, osl=10), Load("closed", concurrency=8), limits)
    log = servers.log(name)
    assert {wrote.status for wrote in log} >= FAILING[name]
    assert Counter(one.outcome for one in point.exchanges) == Counter(KINDS[wrote.status] for wrote in log)
    assert found.whole["requests_ok"] == sum(wrote.ended == "whole" for wrote in log)


def test_eight_events_a_write_have_one_arrival_and_a_whole_answer_too(servers: Servers) -> None:
    for name, moments in (("ONE_WRITE", 1), ("EIGHT_EVENTS_A_WRITE", 3)):
        point, _ = loaded(Target.at(servers.url(name)), asks(2, osl=24), Load("closed", concurrency=2), Limits())
        for one in point.exchanges:
            assert (one.outcome, sum(one.tokens), len(one.stamps_ns)) == ("ok", 24, 24)
            assert len(set(one.stamps_ns)) == moments
        assert {len(set(wrote.chunks_ns)) for wrote in servers.log(name)} == {moments}


def test_a_server_for_open_loops_keeps_its_own_time(servers: Servers) -> None:
    """Twenty a second for 24 tokens: each is due by the clock, however many are under way."""
    requests = asks(20, osl=24)
    for number, ask in requests.items():
        ask.at_ns = number * 50 * MS
    loaded(Target.at(servers.url("LONG_ANSWERS")), requests, Load("open", request_rate=20.0), Limits())
    log = servers.log("LONG_ANSWERS")
    assert [wrote.ended for wrote in log] == ["whole"] * 20
    for wrote in log:
        assert wrote.ttft_ms >= 100
        assert (wrote.chunks_ns[-1] - wrote.received_ns) / MS >= 100 + 23 * 20
        assert all(earlier < later for earlier, later in pairwise(wrote.chunks_ns))


def test_those_that_say_what_they_are_say_it(servers: Servers) -> None:
    (mock,) = asking.get(servers.url("MOCK"), "/v1/models").json["data"]
    assert mock["owned_by"] == "guidellm-mock"
    url, key = servers.url("LITELLM"), {"authorization": "Bearer sk-odd"}
    assert asking.get(url, "/v1/models").status == asking.post(url, asking.chat()).status == 500
    known = asking.get(url, "/v1/models", headers=key)
    assert known.headers["x-litellm-version"] == "1.106.0"
    assert known.json["data"][0]["max_input_tokens"] == 4096
    for name, server in (("NGINX", "nginx/1.27.4"), ("ENVOY", "envoy")):
        answer = asking.get(servers.url(name), "/v1/models")
        assert {key.lower(): value for key, value in answer.headers.items()}["server"] == server


def test_tokens_are_told_when_nothing_is_streamed(servers: Servers) -> None:
    url = servers.url("COUNTS_WHAT_IS_NOT_STREAMED")
    words = " ".join(["word"] * 64)
    streamed = asking.post(url, asking.chat(words, stream_options={"include_usage": True}))
    whole = asking.post(url, asking.chat(words, stream=False))
    assert not any(event.get("usage") for event in streamed.events)
    assert whole.json["usage"] == {"prompt_tokens": 316, "completion_tokens": 8, "total_tokens": 324}


def test_an_endpoint_that_ignores_the_length_asked_for_says_its_own(servers: Servers) -> None:
    target = Target.at(servers.url("IGNORES_MAX_TOKENS"))
    point, _ = loaded(target, asks(2, osl=8), Load("closed", concurrency=2), Limits())
    assert [(one.outcome, one.output_tokens, one.finish) for one in point.exchanges] == [("ok", 40, "stop")] * 2
