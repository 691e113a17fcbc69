"""The log tells what was sent when; what was due is what the settings and the seed say."""

from __future__ import annotations

import asyncio
from collections import Counter
from itertools import pairwise
from pathlib import Path

import aiohttp
import pytest

from bench.endpoint import Settings, running, truth
from bench.endpoint.counting import chat_tokens
from bench.endpoint.timing import waits_ns
from tests.endpoint.asking import PATIENCE, chat, get, many, post, posted, run


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "truth.jsonl"


@pytest.mark.parametrize("jitter", ["none", "lognormal"])
def test_each_write_is_due_when_its_draw_says_and_never_sent_before(jitter: str, log: Path) -> None:
    settings = Settings(ttft_ms=20, itl_ms=3, jitter=jitter, jitter_share=0.3, prefill_us_per_token=10, log=log)
    with running(settings) as url:
        many(url, [chat(f"prompt {n}", max_tokens=12) for n in range(8)])
    entries = truth.read(log)
    assert sorted(entry.number for entry in entries) == list(range(8))
    for entry in entries:
        assert entry.input_tokens is not None
        assert entry.admitted_ns is not None
        drawn = waits_ns(settings, entry.number, entry.input_tokens, 12)
        assert [later - earlier for earlier, later in pairwise(entry.due_ns)] == list(drawn)[1:]
        assert entry.due_ns[0] - drawn[0] in (entry.received_ns, entry.admitted_ns)
        late = [sent - due for sent, due in zip(entry.sent_ns, entry.due_ns, strict=True)]
        assert min(late) >= 0
        assert entry.received_ns <= entry.sent_ns[0] <= entry.sent_ns[-1] <= (entry.end_ns or 0)
        assert (entry.status, entry.ended, entry.output_tokens) == (200, "whole", 12)


def test_the_log_matches_what_clients_received(log: Path) -> None:
    with running(Settings(ttft_ms=1, itl_ms=0.1, tokens_per_chunk=2, chunks_per_write=3, log=log)) as url:
        named = {"headers": {"x-request-id": "mine"}}
        reply = post(url, chat(max_tokens=9, stream_options={"include_usage": True}), **named)
        post(url, chat(stream=False, max_tokens=3))
    streamed, whole = truth.read(log)
    assert streamed.id == reply.events[0]["id"]
    assert streamed.request_id == "mine"
    assert streamed.input_tokens == reply.events[-1]["usage"]["prompt_tokens"]
    assert len(streamed.chunks_sent_ns()) == 5  # nine tokens, two by two
    assert len(streamed.sent_ns) == 2  # five chunks, three by three
    assert (whole.stream, whole.output_tokens, len(whole.chunks_sent_ns())) == (False, 3, 1)


def test_requests_of_a_batch_share_its_steps(log: Path) -> None:
    with running(Settings(step_ms=4, step_us_per_request=500, log=log)) as url:
        many(url, [chat(max_tokens=30) for _ in range(4)])
    entries = truth.read(log)
    inside = Counter(due for entry in entries for due in entry.due_ns)
    assert sum(inside.values()) == 4 * 30
    assert max(inside.values()) >= 2
    for entry in entries:
        for earlier, later in pairwise(entry.due_ns):
            assert later - earlier == 4_000_000 + 500_000 * inside[later]


def test_the_step_in_which_a_request_joins_reads_its_prompt(log: Path) -> None:
    with running(Settings(step_ms=2, prefill_us_per_token=100, log=log)) as url:
        post(url, chat("a prompt of some length", max_tokens=3))
    (entry,) = truth.read(log)
    assert entry.input_tokens is not None
    assert entry.admitted_ns is not None
    assert entry.due_ns[0] - entry.admitted_ns == 2_000_000 + 100_000 * entry.input_tokens
    assert [later - earlier for earlier, later in pairwise(entry.due_ns)] == [2_000_000] * 2


def test_who_finds_no_room_waits_and_beyond_the_queue_is_refused(log: Path) -> None:
    settings = Settings(ttft_ms=200, itl_ms=1, max_running=2, max_waiting=1, log=log)
    with running(settings) as url:
        replies = many(url, [chat(max_tokens=2) for _ in range(5)])
    assert sorted(reply.status for reply in replies) == [200, 200, 200, 429, 429]
    served = sorted((e for e in truth.read(log) if e.status == 200), key=lambda e: e.admitted_ns or 0)
    first_end = min(entry.end_ns or 0 for entry in served[:2])
    assert (served[2].admitted_ns or 0) >= first_end
    refused = [reply for reply in replies if reply.status == 429]
    assert all(reply.headers["Retry-After"] == "1" for reply in refused)


def test_metrics_see_who_runs_and_who_waits() -> None:
    settings = Settings(ttft_ms=10_000, itl_ms=0, max_running=1, kv_tokens=100)

    async def look() -> dict[str, float]:
        async with aiohttp.ClientSession(timeout=PATIENCE) as session:
            requests = [asyncio.ensure_future(posted(session, url, chat(max_tokens=80))) for _ in range(2)]
            values: dict[str, float] = {}
            while values.get("vllm:num_requests_waiting") != 1:
                async with session.get(url + "/metrics") as response:
                    lines = [line for line in (await response.text()).splitlines() if line[0] != "#"]
                values = {line.split("{")[0]: float(line.rsplit(" ", 1)[1]) for line in lines}
            for request in requests:
                request.cancel()
            return values

    with running(settings) as url:
        values = run(asyncio.wait_for(look(), 10))
    assert values["vllm:num_requests_running"] == 1
    assert values["vllm:kv_cache_usage_perc"] == (80 + chat_tokens(chat()["messages"])) / 100


def test_a_client_that_leaves_frees_its_place(log: Path) -> None:
    settings = Settings(ttft_ms=10, itl_ms=50, max_running=1, log=log)

    async def leave() -> None:
        async with aiohttp.ClientSession(timeout=PATIENCE) as session:
            response = await session.post(url + "/v1/chat/completions", json=chat(max_tokens=1000))
            await response.content.readany()
            response.close()
            assert (await posted(session, url, chat(max_tokens=1))).status == 200

    with running(settings) as url:
        run(leave())
        assert 'running{model_name="fake-model"} 0' in get(url, "/metrics").body.decode()
    assert [entry.ended for entry in truth.read(log)] == ["client_left", "whole"]


def test_what_is_under_way_at_the_end_stays_open(log: Path) -> None:
    async def start() -> None:
        async with aiohttp.ClientSession(timeout=PATIENCE) as session:
            response = await session.post(url + "/v1/chat/completions", json=chat(max_tokens=1000))
            await response.content.readany()
            end.__exit__(None, None, None)
            response.close()

    end = running(Settings(ttft_ms=1, itl_ms=20, log=log))
    url = end.__enter__()
    run(start())
    (entry,) = truth.read(log)
    assert entry.ended == "open"
    assert 1 <= entry.output_tokens < 1000
