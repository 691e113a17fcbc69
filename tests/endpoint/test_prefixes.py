"""A prompt that begins as an earlier one did is read faster, and the counts say so."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from bench.endpoint import Settings, running, truth
from bench.endpoint.prefixes import BLOCK, MOST_BLOCKS, Prefixes
from tests.endpoint.asking import chat, get, post


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
