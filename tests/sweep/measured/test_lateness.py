"""How far percentiles may be off for a late load generator: request by request, never less than they are."""

from __future__ import annotations

from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.sweep.generator.load import LAG_EVERY_NS
from bench.sweep.measured.lateness import late_ns, lateness, moved
from bench.sweep.wire.exchange import PointRun
from tests.sweep.made import MS, exchange, samples_of

STOPS = st.lists(st.tuples(st.integers(1, 300), st.integers(1, 250)), min_size=1, max_size=20)
"""For how many ms the load generator runs, and for how many it then stands still, one after the other."""


def standing(stops):
    """When it stood still, in ns."""
    at, found = 0, []
    for runs, stands in stops:
        found.append((at + runs * MS, at + (runs + stands) * MS))
        at = found[-1][1]
    return found


def seen_at(moment, stopped):
    """When what came at this moment was got to."""
    return next((end for begin, end in stopped if begin <= moment < end), moment)


def run_of(stopped):
    """What the load generator noted of itself."""
    until = stopped[-1][1] + 100 * MS
    due = range(0, until, LAG_EVERY_NS)
    return PointRun(start_ns=0, lag_ns=array("q", [seen_at(moment, stopped) - moment for moment in due]))


@given(stops=STOPS, moments=st.lists(st.integers(0, 5000 * MS), min_size=1, max_size=50))
def test_a_stamp_is_never_later_than_is_said_but_for_what_no_look_fell_into(stops, moments):
    stopped = standing(stops)
    moments = sorted(moment % stopped[-1][1] for moment in moments)
    stamps = np.array([seen_at(moment, stopped) for moment in moments])
    said = late_ns(stamps, run_of(stopped))
    for moment, stamp, late in zip(moments, stamps.tolist(), said.tolist(), strict=True):
        length = next((end - begin for begin, end in stopped if begin <= moment < end), 0)
        if length >= 2 * LAG_EVERY_NS:
            assert late >= stamp - moment
        assert late >= stamp - moment - 2 * LAG_EVERY_NS
        assert late <= max([0, *(end - begin for begin, end in stopped)]) + 2 * LAG_EVERY_NS


def test_what_waited_behind_a_stop_is_late_and_what_comes_later_is_not():
    # It stood still from 100 to 180 ms: the look of 100 was 80 ms late, that of 110 was 70, and so on.
    run = run_of([(100 * MS, 180 * MS)])
    stamps = np.array([95, 99, 180, 183, 186, 300]) * MS
    # It may have stopped up to 10 ms before the look that says so.
    assert (late_ns(stamps, run) // MS).tolist() == [0, 0, 90, 93, 0, 0]


def of(first_late, last_late, many=100):
    """Answers with a TTFT of 100 ms and ten gaps of 10 ms, with how late their first and last stamps may be, in ms."""
    made = [exchange(n, 0.0, [100.0 + 10 * token for token in range(11)]) for n in range(many)]
    late = tuple(np.array(column) * MS for column in (first_late, last_late))
    found = moved(samples_of(made), np.ones(many, dtype=bool), late)
    return {(one.key, one.percent): (one.value, one.by) for one in found}


def test_percentiles_by_hand():
    # Every first token may be 20 ms late, every last one 40: TTFT is 80 to 100 ms and E2EL 160 to 200.
    found = of([20] * 100, [40] * 100)
    assert found["ttft_ms", 50] == found["ttft_ms", 99] == (100.0, 20.0)
    assert found["e2el_ms", 90] == (200.0, 40.0)
    # Ten tokens lie between them: from 60 to 120 ms instead of 100.
    assert found["tpot_ms", 50] == (10.0, 4.0)


def test_answers_in_one_piece_have_one_latency_only():
    whole = [exchange(number, 0.0, end=180.0, output=4) for number in range(9)]
    nothing = np.zeros(9, dtype=np.int64)
    told = moved(samples_of(whole), np.ones(9, dtype=bool), (nothing, nothing))
    assert [(one.key, one.percent) for one in told] == [("e2el_ms", 50), ("e2el_ms", 90), ("e2el_ms", 99)]


def test_rare_lateness_moves_no_median():
    found = of([40] * 30 + [0] * 70, [0] * 100)
    assert found["ttft_ms", 50][1] == 0
    assert found["tpot_ms", 50][1] == 0
    assert found["tpot_ms", 99][1] == pytest.approx(4.0)


def test_what_an_open_loop_sent_late_is_known_exactly():
    made = [exchange(n, 10 * n + 7, [10 * n + 57, 10 * n + 67], intended=10 * n) for n in range(100)]
    nothing = np.zeros(100, dtype=np.int64)
    by = {
        (one.key, one.percent): one.by for one in moved(samples_of(made), np.ones(100, dtype=bool), (nothing, nothing))
    }
    assert by["ttft_ms", 50] == by["e2el_ms", 99] == pytest.approx(7.0)
    assert by["tpot_ms", 99] == 0
    assert moved(samples_of(made), np.zeros(100, dtype=bool), (nothing, nothing)) == ()


def test_each_request_is_held_against_its_own_load_process():
    stopped = run_of([(100 * MS, 180 * MS)])
    quiet = PointRun(start_ns=0, lag_ns=array("q", [0] * 40))
    made = [exchange(n, 0.0, [180.0, 250.0]) for n in range(4)] + [exchange(4, 0.0, end=180.0)]
    first, last = lateness(samples_of(made), np.arange(5), [quiet, stopped])
    assert (first // MS).tolist() == [0, 90, 0, 90, 0]
    assert (last // MS).tolist() == [0, 0, 0, 0, 0]
