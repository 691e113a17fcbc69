"""What a client of the endpoint gets: streams and documents, their chunks and counts, and refusals."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from bench.endpoint import Settings, running
from bench.endpoint.counting import chat_tokens, tokens_of
from tests.endpoint.asking import chat, get, many, post

pytestmark = pytest.mark.long

QUICK = {"ttft_ms": 1.0, "itl_ms": 0.2}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with running(Settings(**QUICK)) as base:
        yield base


def test_a_chat_streams_a_role_then_one_token_per_chunk_then_the_counts(url: str) -> None:
    body = chat("one two three", stream_options={"include_usage": True})
    reply = post(url, body)
    assert reply.status == 200
    assert reply.headers["Content-Type"].startswith("text/event-stream")
    assert reply.data[-1] == "[DONE]"
    assert reply.deltas[0] == {"role": "assistant", "content": ""}
    assert [len(tokens_of(delta["content"])) for delta in reply.deltas[1:]] == [1] * 8
    finishes = [event["choices"][0]["finish_reason"] for event in reply.events[:-1]]
    assert finishes == [None] * 8 + ["length"]
    prompt = chat_tokens(body["messages"])
    assert reply.events[-1]["choices"] == []
    assert reply.events[-1]["usage"] == {"prompt_tokens": prompt, "completion_tokens": 8, "total_tokens": prompt + 8}
    assert len({event["id"] for event in reply.events}) == 1


def test_a_completion_streams_text_and_has_no_role(url: str) -> None:
    body = {"model": "fake-model", "prompt": [5, 6, 7], "max_tokens": 4, "stream": True}
    reply = post(url, {**body, "stream_options": {"include_usage": True}}, "/v1/completions")
    texts = [event["choices"][0]["text"] for event in reply.events if event["choices"]]
    assert len(tokens_of("".join(texts))) == 4
    assert all(texts)
    assert reply.events[-1]["usage"]["prompt_tokens"] == 3


def test_without_stream_the_same_answer_is_one_document(url: str) -> None:
    reply = post(url, chat(stream=False))
    choice = reply.json["choices"][0]
    assert reply.headers["Content-Type"] == "application/json"
    assert len(tokens_of(choice["message"]["content"])) == 8
    assert choice["finish_reason"] == "length"
    assert reply.json["usage"]["completion_tokens"] == 8


@pytest.mark.parametrize(
    ("settings", "asked", "counts"),
    [
        ({}, False, 0),
        ({"usage": "always"}, False, 1),
        ({"usage": "never"}, True, 0),
        ({"usage_chunk": "with_finish"}, True, 1),
        ({"usage_chunk": "with_finish", "finish": "own"}, True, 1),
    ],
)
def test_counts_come_where_they_are_asked_for_and_can_be_forced_withheld_and_moved(
    settings: dict[str, str], asked: bool, counts: int
) -> None:
    with running(Settings(**QUICK, **settings)) as url:
        reply = post(url, chat(stream_options={"include_usage": asked}))
    assert sum("usage" in event for event in reply.events) == counts
    assert sum(bool(delta.get("content")) for delta in reply.deltas) == 8
    if "usage_chunk" in settings:
        assert reply.events[-1]["usage"]["completion_tokens"] == 8
        assert reply.events[-1]["choices"][0]["finish_reason"] == "length"


def test_the_stream_may_lack_role_and_done() -> None:
    with running(Settings(**QUICK, role_chunk="none", done=False)) as url:
        reply = post(url, chat())
    assert "[DONE]" not in reply.data
    assert len(reply.events) == 8


@pytest.mark.parametrize(("tokens", "per_chunk", "per_write"), [(8, 3, 2), (9, 3, 256), (7, 1, 3)])
def test_chunks_carry_as_many_tokens_as_set_and_none_is_lost(tokens: int, per_chunk: int, per_write: int) -> None:
    with running(Settings(**QUICK, tokens_per_chunk=per_chunk, chunks_per_write=per_write)) as url:
        reply = post(url, chat(max_tokens=tokens))
    held = [len(tokens_of(delta["content"])) for delta in reply.deltas[1:]]
    rest = tokens % per_chunk
    assert held == [per_chunk] * (tokens // per_chunk) + ([rest] if rest else [])


def test_reasoning_comes_first_under_its_own_name_and_is_counted() -> None:
    settings = Settings(**QUICK, reasoning_tokens=3, reasoning_field="reasoning", chunks_per_write=4, usage="always")
    with running(settings) as url:
        reply = post(url, chat())
        document = post(url, chat(stream=False)).json
    names = [next(iter(delta)) for delta in reply.deltas[1:]]
    assert names == ["reasoning"] * 3 + ["content"] * 5
    assert reply.events[-1]["usage"]["completion_tokens_details"] == {"reasoning_tokens": 3}
    message = document["choices"][0]["message"]
    assert (len(tokens_of(message["reasoning"])), len(tokens_of(message["content"]))) == (3, 5)


def test_some_requests_stop_early_unless_told_to_ignore_the_end() -> None:
    with running(Settings(ttft_ms=0, itl_ms=0, stops_early=0.5)) as url:
        free = many(url, [chat(max_tokens=50) for _ in range(30)])
        held = many(url, [chat(max_tokens=50, ignore_eos=True) for _ in range(5)])
        at_least = many(url, [chat(max_tokens=50, min_tokens=45) for _ in range(10)])
    lengths = [sum(bool(delta["content"]) for delta in reply.deltas) for reply in free]
    assert 3 < sum(length < 50 for length in lengths) < 27
    stopped = [reply.events[-1]["choices"][0]["finish_reason"] == "stop" for reply in free]
    assert stopped == [length < 50 for length in lengths]
    assert {sum(bool(delta["content"]) for delta in reply.deltas) for reply in held} == {50}
    assert all(sum(bool(delta["content"]) for delta in reply.deltas) >= 45 for reply in at_least)


@pytest.mark.parametrize(
    ("body", "status", "said"),
    [
        (chat(model="another"), 404, "The model `another` does not exist."),
        (chat(max_tokens=0), 400, "at least 1"),
        (chat(max_tokens="8"), 400, "whole number"),
        ({"model": "fake-model"}, 400, "messages is missing"),
        ([1, 2], 400, "not a JSON object"),
        (chat("word " * 300, max_tokens=131_000), 400, "maximum context length is 131072 tokens"),
    ],
)
def test_a_request_that_cannot_be_served_is_told_why(url: str, body: object, status: int, said: str) -> None:
    reply = post(url, body)
    assert reply.status == status
    assert said in reply.json["error"]["message"]


def test_what_the_kv_cache_cannot_hold_is_refused_and_not_queued() -> None:
    with running(Settings(**QUICK, kv_tokens=100)) as url:
        reply = post(url, chat(max_tokens=99))
        assert get(url, "/v1/models").json["data"][0]["max_model_len"] == 100
    assert reply.status == 400
    assert "maximum context length is 100 tokens" in reply.json["error"]["message"]


def test_a_wrong_key_is_refused_and_the_right_one_is_not() -> None:
    with running(Settings(**QUICK, api_key="open sesame")) as url:
        right = {"headers": {"Authorization": "Bearer open sesame"}}
        assert post(url, chat()).status == 401
        assert get(url, "/v1/models").status == 401
        assert post(url, chat(), **right).status == 200
        assert get(url, "/v1/models", **right).status == 200
        assert get(url, "/health").status == 200
    assert "sesame" not in repr(Settings(api_key="open sesame"))
