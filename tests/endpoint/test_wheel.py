"""Turns come in the order in which they are due, never early, and leave room for everything else."""

from __future__ import annotations

import socket
import time

from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from bench.endpoint.wheel import Wheel, loop


@hypothesis_settings(max_examples=15)
@given(st.lists(st.integers(0, 8_000), min_size=1, max_size=30))
def test_turns_come_in_order_and_never_early(delays_us: list[int]) -> None:
    running = loop()
    wheel = Wheel(running)
    start = time.monotonic_ns()
    seen: list[tuple[int, int]] = []

    def turn(due: int) -> None:
        seen.append((due, time.monotonic_ns()))
        if len(seen) == len(delays_us):
            running.stop()

    for delay in delays_us:
        wheel.add(start + delay * 1000, turn)
    running.run_forever()
    running.close()
    assert [due for due, _now in seen] == sorted(start + delay * 1000 for delay in delays_us)
    assert all(now >= due for due, now in seen)


def test_turns_that_are_always_due_do_not_shut_out_sockets() -> None:
    running = loop()
    wheel = Wheel(running)
    near, far = socket.socketpair()
    turns = 0

    def turn(due: int) -> int:
        nonlocal turns
        turns += 1
        if turns == 10:
            far.send(b"x")
        assert turns < 100_000
        return due

    with near, far:
        running.add_reader(near, running.stop)
        wheel.add(0, turn)
        running.run_forever()
        running.remove_reader(near)
    running.close()
    assert turns >= 10
