"""The room keeps its limits and its order, and what begins as an earlier prompt did is read faster."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from bench.endpoint import Settings, running, truth
from bench.endpoint.batching import BLOCK, MOST_BLOCKS, BatchRoom, Prefixes
from tests.endpoint.asking import chat, get, post


@dataclass(eq=False)
class BatchedRequest:
    number: int
    kv_tokens: int


def test_a_small_request_does_not_overtake_a_large_one() -> None:
    room = BatchRoom(None, None, kv_tokens=100)
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
    room = BatchRoom(running, waiting, kv)
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


@given(st.integers(0, 5), st.integers(0, 5), st.integers(0, BLOCK - 1))
def test_only_whole_blocks_from_the_start_are_known(shared: int, own: int, rest: int) -> None:
    prefixes = Prefixes()
    start = "".join(chr(ord("a") + block) * BLOCK for block in range(shared))
    assert prefixes.known_share(start + "x" * BLOCK * own) == 0
    again = start + "y" * BLOCK * own + "z" * rest
    assert prefixes.known_share(again) == (shared * BLOCK / len(again) if again else 0)
    assert prefixes.known_share("-" * BLOCK + start) == 0


def test_what_follows_a_forgotten_start_is_not_known() -> None:
    prefixes = Prefixes()
    prefixes.known_share("a" * BLOCK + "b" * BLOCK)
    prefixes.known_share("".join(f"{number:064d}" for number in range(MOST_BLOCKS - 1)))
    assert prefixes.known_share("a" * BLOCK + "b" * BLOCK) == 0


def test_a_shared_prefix_is_prefilled_once(tmp_path: Path) -> None:
    log = tmp_path / "truth.jsonl"
    settings = Settings(ttft_ms=0, itl_ms=0, prefill_us_per_token=100, prefix_caching=True, log=log)
    text = "the same long beginning of every prompt " * 40
    with running(settings) as url:
        cold, warm = (post(url, chat(text, stream=False)).json["usage"] for _ in range(2))
        metrics = get(url, "/metrics").body.decode()
    assert cold["prompt_tokens_details"] == {"cached_tokens": 0}
    cached = warm["prompt_tokens_details"]["cached_tokens"]
    assert 0.9 * warm["prompt_tokens"] < cached < warm["prompt_tokens"]
    assert f'vllm:prefix_cache_hits_total{{model_name="fake-model"}} {cached}' in metrics
    for entry, hit in zip(truth.read(log), (0, cached), strict=True):
        prefill = (warm["prompt_tokens"] - hit) * 100_000
        assert entry.due_ns[0] - prefill in (entry.received_ns, entry.admitted_ns)
