"""The room keeps its limits and its order, whatever comes and goes."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from bench.endpoint.batching import BatchRoom


@dataclass(eq=False)
class BatchedRequest:
    number: int
    kv_tokens: int


def test_a_small_request_does_not_overtake_a_large_one() -> None:
    room: BatchRoom[BatchedRequest] = BatchRoom(None, None, kv_tokens=100)
    first, large, small = BatchedRequest(0, 60), BatchedRequest(1, 80), BatchedRequest(2, 10)
    for guest in (first, large, small):
        room.offer(guest)
    assert room.admit() == [first]
    room.leave(first)
    assert room.admit() == [large, small]


@given(
    st.integers(1, 5),
    st.one_of(st.none(), st.integers(0, 4)),
    st.one_of(st.none(), st.integers(20, 60)),
    st.lists(st.tuples(st.sampled_from(["come", "admit", "leave", "give up"]), st.integers(1, 25)), max_size=60),
)
def test_limits_hold_and_nobody_is_lost(
    running: int, waiting: int | None, kv: int | None, moves: list[tuple[str, int]]
) -> None:
    room: BatchRoom[BatchedRequest] = BatchRoom(running, waiting, kv)
    inside: list[BatchedRequest] = []
    admitted: list[int] = []
    for number, (move, size) in enumerate(moves):
        if move == "come":
            guest = BatchedRequest(number, size)
            if room.offer(guest):
                inside.append(guest)
        elif move == "admit":
            admitted += [guest.number for guest in room.admit()]
        else:
            at_hand = list(room.running.values()) if move == "leave" else list(room.waiting)
            if at_hand:
                room.leave(at_hand[0])
                inside.remove(at_hand[0])
        assert len(room.running) <= running
        assert waiting is None or len(room.running) + len(room.waiting) <= running + waiting
        assert room.kv_used == sum(guest.kv_tokens for guest in room.running.values())
        assert kv is None or room.kv_used <= kv
        assert {*room.running.values(), *room.waiting} == set(inside)
    assert admitted == sorted(admitted)
