"""An answer's bytes become one exchange: the same tokens and outcome however they are cut into reads."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.sweep.wire.exchange import Exchange, Limits
from tests.sweep.hearing import DONE, STREAM_HEAD, TARGET, chunked, cut, event, heard, streamed, usage

PLACES = st.lists(st.integers(0, 10_000), max_size=50)
SIZES = st.lists(st.integers(1, 200), min_size=1, max_size=6)
WORDS = st.lists(st.text(min_size=1, max_size=5), max_size=20)
BODY = b"".join(
    [
        event({"role": "assistant", "content": ""}),
        event({"content": "héllo"}),
        event({"content": " wörld"}),
        event({}, "stop"),
        usage(7, 2),
        DONE,
    ]
)


def told(exchange: Exchange) -> tuple[object, ...]:
    """What an exchange says beside its times."""
    return (
        exchange.outcome,
        exchange.error,
        exchange.tokens.tolist(),
        exchange.input_tokens,
        exchange.output_tokens,
        exchange.token_source,
        exchange.finish,
        exchange.response_id,
    )


def document(status: bytes, body: bytes, *lines: bytes) -> bytes:
    """An answer that is one document."""
    head = b"\r\n".join([b"HTTP/1.1 " + status, b"content-length: %d" % len(body), *lines])
    return head + b"\r\n\r\n" + body


@given(WORDS, SIZES, PLACES, st.booleans(), st.sampled_from(["chunks", "length", "close"]))
def test_any_cut_into_reads_gives_the_same_exchange(
    words: list[str], sizes: list[int], places: list[int], counted: bool, framing: str
) -> None:
    end = [usage(5, len(words))] if counted and words else []
    body = b"".join([*(event({"content": word}) for word in words), event({}, "length"), *end, DONE])
    sent = {
        "chunks": streamed(body, sizes),
        "length": STREAM_HEAD + b"content-length: %d\r\n\r\n" % len(body) + body,
        "close": STREAM_HEAD + b"connection: close\r\n\r\n" + body,
    }[framing]
    open_still = framing != "close"  # such an answer's own bytes say that it has ended
    whole = heard([sent], closed=not open_still)
    parted = heard(cut(sent, places), closed=not open_still)
    assert told(parted) == told(whole)
    assert (whole.outcome, whole.tokens.tolist(), whole.connect_ns) == ("ok", [1] * len(words), 1_000)
    assert whole.token_source == ("usage" if end else "chunks")
    assert whole.output_tokens == (len(words) or None)
    times = [parted.sent_ns, parted.headers_ns, *parted.stamps_ns, parted.end_ns]
    assert times == sorted(times)  # type: ignore[type-var]
    assert len(parted.stamps_ns) == len(words)
    assert parted.first_ns == (parted.stamps_ns[0] if words else None)


@pytest.mark.parametrize("parts", [[1, 1, 1, 1, 1], [3, 2], [1, 4], [2, 3], [4, 1], [1, 3, 1]])
def test_an_answer_ends_with_its_last_byte_in_whatever_read(parts: list[int]) -> None:
    sent = streamed(BODY)
    edges = [
        len(STREAM_HEAD) + 40,
        len(sent) - sum(parts),
        *(len(sent) - sum(parts[at:]) for at in range(1, len(parts))),
    ]
    assert told(heard(cut(sent, edges), closed=False)) == told(heard([sent]))


@given(PLACES, st.integers(1, 700))
def test_a_stream_that_breaks_off_is_broken_however_it_is_cut(places: list[int], missing: int) -> None:
    sent = streamed(BODY)
    sent = sent[: len(sent) - missing]
    exchange = heard(cut(sent, places))
    assert told(exchange) == told(heard([sent] if sent else []))
    # All that counts may have come before the connection broke; before [DONE] it has not.
    assert exchange.outcome == ("ok" if b"[DONE]" in sent else "broken_stream")


@given(PLACES)
def test_interim_answers_come_before_the_answer(places: list[int]) -> None:
    sent = b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n" + streamed(BODY)
    assert told(heard(cut(sent, places))) == told(heard([streamed(BODY)]))


ERROR = json.dumps({"error": {"message": "no such model", "type": "x"}}).encode()
WORD = event({"content": "a"})
DOCUMENT = b"content-type: application/json"
CLOSED_HEAD = STREAM_HEAD + b"connection: close\r\n\r\n"
WRONG = [
    (document(b"429 Too Many Requests", ERROR, b"retry-after: 7"), "http_429", "no such model (retry after 7)"),
    (document(b"404 Not Found", ERROR), "http_4xx", "HTTP 404: no such model"),
    (document(b"500 Internal Server Error", b"<h1>Oops</h1>"), "http_5xx", "HTTP 500: <h1>Oops</h1>"),
    (document(b"503 Unavailable", b""), "http_5xx", "HTTP 503"),
    (document(b"307 Moved", b"", b"location: /elsewhere"), "redirected", "HTTP 307 to /elsewhere"),
    (document(b"200 OK", ERROR, DOCUMENT), "error_body", "no such model"),
    (document(b"200 OK", b"{}", DOCUMENT), "not_a_stream", "application/json"),
    (document(b"200 OK", b"<html>", b"content-type: text/html; charset=utf-8"), "not_a_stream", "text/html"),
    (STREAM_HEAD + b"content-encoding: gzip\r\n\r\n", "not_a_stream", "gzip"),
    (b"SSH-2.0-OpenSSH_9.2\r\n\r\n", "malformed", "HTTP/1.1"),
    (b"", "broken_stream", "before an answer came"),
    (STREAM_HEAD + b"transfer-encoding: chunked\r\n\r\nzz\r\n" + b"x" * 5000 + b"\r\n\r\n", "malformed", "chunk"),
    (streamed(WORD + b"data: {oops\n\n" + DONE), "malformed", "{oops"),
    (streamed(WORD + b'data: {"error": "gone"}\n\n'), "broken_stream", "gone"),
    (streamed(WORD), "broken_stream", "after 1 of 64 tokens"),
    (streamed(b""), "broken_stream", "before a token came"),
    (streamed(DONE), "broken_stream", "before a token came"),
    (streamed(WORD * 3 + DONE), "broken_stream", "after 3 of 64 tokens, without finish_reason"),
    (CLOSED_HEAD + WORD * 3 + DONE, "broken_stream", "after 3 of 64 tokens, without finish_reason"),
    (streamed(WORD * 64 + DONE)[: -len(b"0\r\n\r\n")], "broken_stream", ""),
    (b"HTTP/1.1 200 OK\r\n" + b"x-padding: aaaaaaaaaaaaaaaa\r\n" * 9000, "too_large", "65,536 bytes"),
]


@pytest.mark.parametrize(("sent", "outcome", "error"), WRONG, ids=[f"{row[1]}-{at}" for at, row in enumerate(WRONG)])
@given(places=PLACES)
def test_each_failure_has_its_own_name_however_it_is_cut(
    sent: bytes, outcome: str, error: str, places: list[int]
) -> None:
    exchange = heard(cut(sent, places))
    assert exchange.outcome == outcome
    assert error in exchange.error


@pytest.mark.parametrize(
    ("sent", "osl", "tokens", "source"),
    [
        (streamed(WORD * 4 + DONE), 4, [1, 1, 1, 1], "chunks"),
        (streamed(WORD * 4 + usage(5, 4) + DONE), 4, [1, 1, 1, 1], "usage"),
        (CLOSED_HEAD + WORD * 4 + DONE, 4, [1, 1, 1, 1], "chunks"),
        (streamed(WORD + event({}, "stop")), 64, [1], "chunks"),
        (streamed(WORD * 3 + event({}, "stop") + DONE)[: -len(b"0\r\n\r\n")], 8, [1, 1, 1], "chunks"),
        (streamed(event({"content": "four of them "}) * 2 + event({}, "length") + DONE), 8, [4, 4], "length"),
    ],
)
def test_an_answer_that_is_whole_by_what_it_says_is_one(sent: bytes, osl: int, tokens: list[int], source: str) -> None:
    exchange = heard([sent], osl=osl)
    assert (exchange.outcome, exchange.tokens.tolist(), exchange.token_source) == ("ok", tokens, source)
    assert exchange.output_tokens == sum(tokens)


def test_an_endless_answer_is_cut_off_by_what_its_tokens_can_need() -> None:
    block = event({"content": " more"}) * 400
    reads = [STREAM_HEAD + b"\r\n", *[block] * 1000]
    exchange = heard(reads, osl=16)
    assert exchange.outcome == "too_large"
    assert "131,072 bytes that 16 tokens" in exchange.error
    assert sum(exchange.tokens) * len(block) // 400 < 2_000_000
    line = [STREAM_HEAD + b'\r\ndata: {"id": "', *[b"a" * 60_000] * 1000]
    assert heard(line, limits=Limits(line_bytes=1000)).outcome == "too_large"


def test_an_answer_in_one_document_is_measured_where_that_is_asked() -> None:
    target = replace(TARGET, streaming=False)
    body = json.dumps(
        {
            "id": "c-1",
            "choices": [{"message": {"content": "a b"}, "finish_reason": "length"}],
            "usage": {"prompt_tokens": 4, "completion_tokens": 2},
        }
    ).encode()
    exchange = heard([document(b"200 OK", body, b"content-type: application/json")], target=target)
    assert told(exchange) == ("ok", "", [], 4, 2, "usage", "length", "c-1")
    assert (exchange.first_ns, exchange.stamps_ns.tolist()) == (None, [])
    assert exchange.end_ns > exchange.sent_ns
    none = json.loads(body) | {"usage": {"prompt_tokens": 0, "completion_tokens": 0}}
    exchange = heard([document(b"200 OK", json.dumps(none).encode())], target=target)
    assert told(exchange) == ("ok", "", [], None, None, "chunks", "length", "c-1")
    assert heard([document(b"200 OK", b"{}")], target=target).outcome == "malformed"
    assert heard([document(b"200 OK", ERROR)], target=target).outcome == "error_body"


def test_a_key_that_a_server_repeats_is_not_kept() -> None:
    body = json.dumps({"error": {"message": "Incorrect API key provided: secret-key."}}).encode()
    assert heard([document(b"401 Unauthorized", body)]).error == "HTTP 401: Incorrect API key provided: …."


@pytest.mark.parametrize("body", [chunked(BODY, [64]), chunked(BODY.replace(b"\n", b"\r\n"), [64])])
def test_bytes_that_look_like_the_end_are_not(body: bytes) -> None:
    """An empty line inside a chunk ends no answer, whatever read it ends."""
    sent = STREAM_HEAD + b"transfer-encoding: chunked\r\n\r\n" + body
    places = [at + 4 for at in range(len(sent)) if sent.startswith(b"\r\n\r\n", at)]
    assert told(heard(cut(sent, places))) == told(heard([sent]))
    assert heard([sent]).outcome == "ok"
