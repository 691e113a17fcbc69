"""Places of a closed loop rest after refusals: as long as they are asked to, else ever longer."""

from __future__ import annotations

from email.utils import formatdate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.records import Load
from bench.sweep.generator import backoff
from bench.sweep.generator.backoff import FIRST_S, LONGEST_S, Backoff, retry_after_s
from bench.sweep.wire.answer import WireAnswer
from bench.sweep.wire.exchange import Limits, PreparedRequest, Target
from bench.sweep.wire.framing import head_of
from tests.endpoint.loading import asks, loaded
from tests.endpoint.odd import Odd, one
from tests.sweep.hearing import event
from tests.sweep.made import exchange

TARGET = Target("127.0.0.1", 8000, "/v1/chat/completions")


def answer(status: int, retry_after: str = "", refusals: int = 0) -> WireAnswer:
    made = WireAnswer(PreparedRequest(0, b"{}", None, 8), TARGET, Limits(), None)
    more = f"\r\nretry-after: {retry_after}" if retry_after else ""
    made.head = head_of(f"HTTP/1.1 {status} so{more}".encode())
    made.refusals = refusals
    return made


@pytest.mark.parametrize(
    ("stated", "seconds"),
    [
        ("1.5", 1.5),
        ("0", 0.0),
        ("", None),
        ("soon", None),
        ("-5", None),
        ("1e9", None),
        ("99999999", 3600.0),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0),
    ],
)
def test_a_retry_after_is_read_as_seconds_or_as_a_date(stated, seconds):
    assert retry_after_s(stated) == seconds


def test_a_date_to_come_is_waited_for(monkeypatch):
    monkeypatch.setattr(backoff, "time", lambda: 1e9)
    assert retry_after_s(formatdate(1e9 + 30, usegmt=True)) == 30


@given(refusals=st.integers(0, 40), places=st.integers(1, 512))
def test_a_places_own_refusals_double_its_rest(refusals, places):
    refused = answer(429, refusals=refusals)
    rest = Backoff(places).rest_s(refused)
    full = min(LONGEST_S, FIRST_S * 2.0**refusals)
    assert full / 2 <= rest <= full
    assert refused.refusals == refusals + 1


def test_a_retry_after_is_kept_to_and_a_good_answer_ends_it():
    backoff = Backoff(4)
    assert 2 <= backoff.rest_s(answer(503, "2", 7)) <= 2.2
    good = answer(200, refusals=7)
    assert backoff.rest_s(good) == 0
    assert good.refusals == 0


def test_single_failures_cost_no_time_and_a_round_of_them_does():
    backoff, good = Backoff(8), answer(200)
    assert [backoff.rest_s(answer(500)) for _ in range(7)] == [0] * 7
    assert FIRST_S / 2 <= backoff.rest_s(answer(500)) <= FIRST_S
    assert backoff.heard(good, exchange(0, 0, [1.0]))  # what rests goes on
    assert backoff.rest_s(answer(500)) == 0
    assert not backoff.heard(good, exchange(0, 0, [1.0]))


def streamed(*events: bytes) -> WireAnswer:
    made = WireAnswer(PreparedRequest(0, b"{}", None, 8), TARGET, Limits(), None)
    made.begin(head_of(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream"), 1)
    made.take(list(events), [2] * len(events))
    return made


@pytest.mark.parametrize(
    ("made", "cut", "outcome"),
    [
        (streamed(event({"content": "a"})), "timeout", "timeout"),
        (streamed(b"data: no JSON\n\n"), "broken_stream", "malformed"),
        (streamed(event({"content": "a"})), None, "broken_stream"),
        (answer(500), None, "http_5xx"),
        (answer(500), "broken_stream", "http_5xx"),
        (answer(404), None, "http_4xx"),
        (answer(200), None, "not_a_stream"),
    ],
)
def test_every_failure_counts_once_however_it_shows(made: WireAnswer, cut: str | None, outcome: str) -> None:
    backoff = Backoff(8)
    made.end(3, cut)
    backoff.rest_s(made)
    made.read(100)
    read = made.exchange()
    assert read.outcome == outcome
    backoff.heard(made, read)
    assert backoff.failed_in_a_row == 1


def test_an_endpoint_that_was_out_before_is_asked_gently_from_the_start() -> None:
    assert Backoff(8, 8).rest_s(answer(500)) > 0
    assert Backoff(8).rest_s(answer(500)) == 0


@given(places=st.integers(1, 2000))
def test_an_outage_of_twenty_seconds_is_met_with_a_thousand_requests_or_twelve_a_place(places):
    """Each place asks, is refused at once, and rests: what is sent beyond one round is bounded whatever the places."""
    backoff, at, sent = Backoff(places), 0.0, 0
    while at < 20:
        sent += places
        at += sum(backoff.rest_s(answer(500)) for _ in range(places)) / places
    assert sent <= max(1000, 12 * places)


@pytest.mark.long
def test_an_open_loop_keeps_its_schedule_whatever_is_refused():
    requests = asks(100, 5)
    for number, ask in requests.items():
        ask.at_ns = number * 5_000_000
    load = Load(load_kind="open", request_rate=200.0)
    with one(Odd(ttft_ms=40, itl_ms=10, admits=1, retry_after="5")) as (url, _):
        point, _ = loaded(Target.at(url), requests, load, Limits(requests=100))
    assert len(point.exchanges) == 100
    assert point.refused == sum(exchange.outcome == "http_429" for exchange in point.exchanges) > 0
    assert point.rested_s == 0
