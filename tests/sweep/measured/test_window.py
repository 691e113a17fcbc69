"""The steady state of a point: sums by hand, exact rates of steady streams, percentiles as numpy's."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.catalogue import is_metric
from bench.records import Load
from bench.sweep.generator.samples import Samples
from bench.sweep.measured.window import Window, arrivals, measured, served, steady
from bench.sweep.wire.exchange import Limits
from tests.sweep.made import MS, S, exchange, samples_of, slot


def closed(concurrency):
    return Load(load_kind="closed", concurrency=concurrency)


OPEN = Load(load_kind="open", request_rate=10.0, arrivals="constant")


def output_tokens_between(samples: Samples, start_ns: int, end_ns: int) -> int:
    """The output tokens that arrived after `start_ns` and until `end_ns`."""
    when, tokens = arrivals(samples)
    return int(tokens[(when > start_ns) & (when <= end_ns)].sum())


def test_two_places_by_hand():
    # Place A: TTFT 100, then a token each 10 ms, five tokens: 140 ms a request. B the same, 20 ms later.
    exchanges = [*slot(0, 100, 10, 5, 3), *slot(20, 100, 10, 5, 3, number=3)]
    found = measured(samples_of(exchanges), closed(2), Limits(), 0)
    # Two under way from 20 ms, and the first place stays empty when A ends at 420 ms.
    assert found.window == Window(20 * MS, 420 * MS)
    # All 15 tokens of A lie inside. B's last request, sent at 300, has tokens at 400, 410, 420, 430, 440: three inside.
    assert found.metrics["output_tokens"] == 13 + 15
    assert found.metrics["output_tokens_per_s"] == pytest.approx(28 / 0.4)
    # Of five tokens a request, 28 lie inside: three requests of A, two and three fifths of B.
    assert found.metrics["requests_per_s"] == pytest.approx(5.6 / 0.4)
    assert found.metrics["input_tokens_per_s"] == pytest.approx(56 / 0.4)
    assert found.metrics["total_tokens_per_s"] == pytest.approx(84 / 0.4)
    # Started inside: A at 140 and 280, B at 20, 160 and 300.
    assert found.timed == 5
    assert found.metrics["ttft_ms_p50"] == 100
    assert found.metrics["tpot_ms_mean"] == 10
    assert found.metrics["itl_ms_p99"] == 10
    assert found.metrics["e2el_ms_mean"] == 140
    assert found.metrics["ntpot_ms_p50"] == 140 / 5
    assert found.metrics["interactivity_tokens_per_s_per_user_p99"] == 100
    # All of it: from 0 to 440 ms, 30 tokens.
    assert found.whole["output_tokens_per_s"] == pytest.approx(30 / 0.44)
    assert found.whole["requests_ok"] == 6


def test_warm_up_is_cut_off_by_requests_and_by_seconds():
    # One place, a request each 100 ms: TTFT 60, five tokens 10 ms apart.
    samples = samples_of(slot(0, 60, 10, 5, 10))
    assert steady(samples, closed(1), Limits(warmup_requests=3), 0) == Window(300 * MS, S)
    assert steady(samples, closed(1), Limits(warmup_s=0.25), 0) == Window(250 * MS, S)
    assert steady(samples, closed(1), Limits(warmup_requests=3, warmup_s=0.25), 0).start_ns == 300 * MS
    found = measured(samples, closed(1), Limits(warmup_requests=3), 0)
    assert found.metrics["requests_ok"] == found.timed == 7
    assert found.whole["requests_ok"] == 10
    assert found.metrics["output_tokens_per_s"] == pytest.approx(50)


@given(ends=st.lists(st.integers(0, 460), min_size=1, max_size=6))
def test_windows_that_follow_each_other_share_the_requests_out(ends):
    samples = samples_of([*slot(0, 100, 10, 5, 3), *slot(20, 100, 10, 5, 3, number=3)])
    borders = [-1, *sorted(ends), 500]
    parts = [served(samples, Window(begin * MS, end * MS)).sum() for begin, end in pairwise(borders)]
    assert sum(parts) == pytest.approx(6)


@given(loses=st.integers(0, 30), rounds=st.integers(3, 8))
def test_a_window_that_ends_just_before_a_wave_of_requests_loses_none(loses, rounds):
    # Eight places in lock step: 50 ms to the first token, then 20 more 10 ms apart: 8 requests each 250 ms.
    exchanges = [one for place in range(8) for one in slot(0, 50, 10, 21, rounds + 1, number=100 * place)]
    samples = samples_of(exchanges)
    end = 250 * rounds - loses
    requests = served(samples, Window(0, end * MS)).sum()
    # A token is missing for each 10 ms that are, a whole wave of eight requests would be if ends were counted.
    assert requests == pytest.approx(8 * (rounds - -(-loses // 10) / 21))


def test_what_is_cut_off_as_the_run_is_over_counts_by_what_it_brought():
    whole = slot(0, 60, 10, 5, 3)
    rest = exchange(9, 300, [360, 370], end=371, outcome="cancelled")
    assert served(samples_of([*whole, rest]), Window(0, 371 * MS)).tolist() == pytest.approx([1, 1, 1, 0.4])
    assert served(samples_of([rest]), Window(0, 371 * MS)).sum() == 0


def test_a_run_without_a_whole_round_in_its_steady_state_is_shown_whole_and_says_so():
    exchanges = [exchange(place, 0.001 * place, [50, 60, 70 + place]) for place in range(4)]
    found = measured(samples_of(exchanges), closed(4), Limits(), 0)
    assert not found.window.steady
    assert "less than one round of 4" in found.window.why
    assert found.timed == 4
    assert found.metrics["output_tokens_per_s"] == pytest.approx(12 / 0.073)
    never = measured(samples_of(exchanges), closed(5), Limits(), 0)
    assert never.window.why == "5 requests were never under way at once"


def test_an_open_loop_counts_from_the_intended_send_until_the_last_one():
    # One request each 100 ms, sent 5 ms late; its three tokens come 30, 40 and 50 ms after it was meant to go.
    exchanges = [
        exchange(n, 100 * n + 5, [100 * n + 30, 100 * n + 40, 100 * n + 50], intended=100 * n) for n in range(11)
    ]
    found = measured(samples_of(exchanges), OPEN, Limits(warmup_s=0.2), 0)
    assert found.window == Window(200 * MS, S)
    assert found.timed == 8
    assert found.metrics["ttft_ms_p50"] == 30
    assert found.metrics["tpot_ms_p50"] == 10
    assert found.metrics["requests_per_s"] == pytest.approx(10)
    assert found.metrics["output_tokens_per_s"] == pytest.approx(30)
    assert found.send_delay_ms_p99 == 5


def test_failures_count_by_kind_from_the_first_and_bring_no_tokens():
    good = slot(0, 50, 10, 6, 10)
    bad = [
        exchange(20, -1, [10], end=50, outcome="stalled"),
        exchange(21, 150, [160, 170], end=200, outcome="broken_stream"),
        exchange(22, 250, end=251, outcome="http_429"),
        exchange(23, 350, end=351, outcome="http_429"),
        exchange(24, 950, [960, 970], end=1000, outcome="cancelled"),
    ]
    found = measured(samples_of([*good, *bad]), closed(1), Limits(warmup_requests=1), 0)
    assert found.failures == {"broken_stream": 1, "http_429": 2, "stalled": 1}
    assert (found.in_warmup, found.warmup_ok, found.cancelled) == (1, 0, 1)
    assert (found.metrics["requests_ok"], found.metrics["requests_failed"]) == (10, 3)
    assert found.whole["requests_failed"] == 4
    # The window is 0 to 1 s; what was under way when the point was over had brought two tokens.
    assert found.window == Window(0, S)
    assert found.metrics["output_tokens"] == 60 + 2
    assert found.timed == 10


def test_an_answer_in_one_piece_has_no_first_token_and_counts_at_its_end():
    exchanges = [exchange(n, 100 * n, end=100 * n + 100, output=20) for n in range(5)]
    found = measured(samples_of(exchanges), closed(1), Limits(), 0)
    assert found.metrics["e2el_ms_p50"] == 100
    assert found.metrics["ntpot_ms_p50"] == 5
    assert found.metrics["output_tokens_per_s"] == pytest.approx(200)
    assert not [key for key in found.metrics if key.startswith(("ttft", "tpot", "itl", "interactivity"))]


def test_tpot_is_over_the_tokens_behind_the_first_chunk_and_those_that_came_with_it():
    eights = [exchange(n, 100 * n, [100 * n + 20, 100 * n + 60, 100 * n + 100], tokens=[8, 8, 16]) for n in range(5)]
    assert measured(samples_of(eights), closed(1), Limits(), 0).metrics["tpot_ms_mean"] == pytest.approx(80 / 24)
    # A client that stalls reads the next chunk with the first: its tokens are then behind nothing.
    late = [exchange(n, 100 * n, [100 * n + 20, 100 * n + 20, 100 * n + 100], tokens=[8, 8, 16]) for n in range(5)]
    assert measured(samples_of(late), closed(1), Limits(), 0).metrics["tpot_ms_mean"] == pytest.approx(80 / 16)
    whole = [exchange(n, 100 * n, [100 * n + 100], tokens=[32]) for n in range(5)]
    found = measured(samples_of(whole), closed(1), Limits(), 0)
    assert found.metrics["output_tokens"] == 5 * 32
    assert not [key for key in found.metrics if key.startswith(("tpot", "itl", "interactivity"))]


def test_hidden_tokens_count_once_at_the_end_of_their_answer_and_inputs_only_where_a_server_counts_them():
    # 30 tokens by the server's count, of which 10 were shown; nobody counts the input.
    stamps = [10 * k for k in range(1, 11)]
    exchanges = [exchange(n, 100 * n, [100 * n + at for at in stamps], output=30, isl=None) for n in range(5)]
    found = measured(samples_of(exchanges), closed(1), Limits(), 0)
    assert found.metrics["output_tokens"] == 150
    assert found.osl_actual == 30
    assert found.isl_actual is None
    assert not {"input_tokens_per_s", "total_tokens_per_s"} & found.metrics.keys()


def test_goodput_by_hand():
    # TTFT 60 and gaps of 10 for nine requests; one has a first token at 90, another a gap of 40.
    exchanges = slot(0, 60, 10, 5, 9)
    exchanges += [exchange(9, 900, [990, 991, 992, 993, 1000]), exchange(10, 1000, [1060, 1070, 1080, 1090, 1130])]
    samples = samples_of(exchanges)

    def goodput(**goals):
        return measured(samples, closed(1), Limits(), 0, objectives=goals).metrics["goodput_requests_per_s"] * 1.13

    assert goodput(ttft_ms=60) == pytest.approx(10)
    assert goodput(itl_ms=20) == pytest.approx(10)
    assert goodput(ttft_ms=60, itl_ms=20) == pytest.approx(9)
    assert goodput(e2el_ms=100) == pytest.approx(10)
    assert goodput(tpot_ms=1) == 0
    assert "goodput_requests_per_s" not in measured(samples, closed(1), Limits(), 0).metrics


def test_nothing_after_the_warm_up_measures_nothing():
    found = measured(samples_of(slot(0, 60, 10, 5, 3)), closed(1), Limits(warmup_requests=3), 0)
    assert found.window.why == "no request was sent after the warm-up"
    assert found.metrics == {"requests_ok": 0, "requests_failed": 0}
    assert found.whole["requests_ok"] == 3
    assert measured(samples_of([]), closed(1), Limits(), 0).metrics == {}


def test_the_busiest_second():
    # 5 tokens in the first second, 30 in the next, none in the third, which the window holds half.
    stamps = [*range(200, 1001, 200), *range(1010, 1301, 10)]
    found = measured(samples_of([exchange(0, 0, stamps, end=2500)]), closed(1), Limits(), 0)
    assert found.metrics["peak_output_tokens_per_s"] == 30
    assert found.metrics["duration_s"] == 2.5


def test_every_metric_is_in_the_catalogue():
    samples = samples_of(slot(0, 60, 10, 5, 30))
    found = measured(samples, closed(1), Limits(), 0, objectives={"ttft_ms": 1})
    assert len(found.metrics) > 30
    assert [key for key in (*found.metrics, *found.whole) if not is_metric(key)] == []


@given(
    st.integers(1, 6), st.integers(1, 5), st.integers(1, 40), st.integers(2, 12), st.integers(3, 8), st.integers(0, 9)
)
def test_a_steady_stream_gives_its_exact_rate(places, ttft, itl, tokens, rounds, lag):
    # Places shifted by less than a request: each round has places x tokens in ttft + itl x (tokens - 1) ms.
    length = ttft + itl * (tokens - 1)
    exchanges = [
        one
        for place in range(places)
        for one in slot(place * min(lag, length - 1) / places, ttft, itl, tokens, rounds, number=rounds * place)
    ]
    samples = samples_of(exchanges)
    window = steady(samples, closed(places), Limits(), 0)
    assert window.steady
    begin = window.start_ns
    end = begin + (rounds - 2) * length * MS  # whole rounds
    assert output_tokens_between(samples, begin, end) == (rounds - 2) * places * tokens


@given(st.lists(st.floats(0.01, 5000), min_size=1, max_size=60))
def test_percentiles_are_numpys(ttfts):
    sent = np.concatenate(([0], np.cumsum([ttft + 1 for ttft in ttfts])))
    exchanges = [exchange(n, sent[n], [sent[n] + ttft], end=sent[n + 1]) for n, ttft in enumerate(ttfts)]
    found = measured(samples_of(exchanges), closed(1), Limits(), 0).metrics
    exact = [(one.first_ns - one.sent_ns) / MS for one in exchanges]
    for percent in (50, 90, 95, 99):
        assert found[f"ttft_ms_p{percent}"] == pytest.approx(np.percentile(exact, percent), rel=1e-12)
    assert found["ttft_ms_mean"] == pytest.approx(np.mean(exact), rel=1e-12)


REQUESTS = st.lists(
    st.tuples(
        st.integers(0, 500),
        st.lists(st.tuples(st.integers(0, 50), st.integers(1, 4)), max_size=6),
        st.integers(0, 5),
        st.sampled_from(["ok", "ok", "ok", "cancelled", "stalled"]),
    ),
    min_size=1,
    max_size=12,
)


@given(REQUESTS, st.lists(st.integers(0, 1200), max_size=6))
def test_cutting_never_counts_a_token_twice_nor_loses_one(requests, cuts):
    exchanges = []
    for number, (sent, chunks, hidden, outcome) in enumerate(requests):
        stamps = (sent + 1 + np.cumsum([gap for gap, _ in chunks])).tolist() if chunks else []
        carried = [tokens for _, tokens in chunks]
        exchanges.append(
            exchange(
                number,
                sent,
                stamps,
                end=(stamps[-1] if stamps else sent) + 5,
                tokens=carried,
                output=sum(carried) + hidden,
                outcome=outcome,
            )
        )
    samples = samples_of(exchanges)
    edges = [-1, *sorted(cuts), 10_000]
    parts = [output_tokens_between(samples, a * MS, b * MS) for a, b in pairwise(edges)]
    assert sum(parts) == sum(one.output_tokens for one in exchanges if one.outcome != "stalled")
