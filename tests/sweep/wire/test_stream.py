"""What a stream says: tokens, when they came, usage and how it ended, however its bytes are cut into pieces."""

from __future__ import annotations

import json
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.sweep.wire.stream import Stream
from bench.sweep.wire.usage import Usage
from tests.sweep.hearing import DONE, cut, event, usage

PLACES = st.lists(st.integers(0, 10_000), max_size=60)
WORDS = st.lists(st.text(min_size=1, max_size=6), min_size=1, max_size=30)


def read(pieces: list[bytes], limit: int = 10_000) -> Stream:
    """A stream read piece by piece; piece number n arrived at n."""
    stream = Stream(limit)
    stream.read(pieces, range(len(pieces)))
    stream.close()
    return stream


def answer(words: list[str], line_end: bytes = b"\n") -> list[bytes]:
    """The events of an answer with these words: role, a word each, the finish, usage, [DONE]."""
    return [
        event({"role": "assistant", "content": ""}, line_end=line_end),
        *(event({"content": word}, line_end=line_end) for word in words),
        event({}, "stop", line_end),
        usage(9, len(words), line_end),
        b"data: [DONE]" + line_end * 2,
    ]


@given(WORDS, PLACES, st.sampled_from([b"\n", b"\r\n", b"\r"]))
def test_any_cut_gives_the_same_tokens(words: list[str], places: list[int], line_end: bytes) -> None:
    events = answer(words, line_end)
    pieces = cut(b"".join(events), places)
    stream = read(pieces)
    assert list(stream.lengths) == [len(word) for word in words]
    assert stream.tokens().tolist() == [1] * len(words)
    assert (stream.usage, stream.finish, stream.done) == (Usage(9, len(words)), "stop", True)
    assert (stream.wrong, stream.refused, stream.too_long) == ("", "", False)
    # A chunk has come once the last byte of its line of data has; the empty line behind it may follow later.
    ends = [end - 2 * len(line_end) for end in accumulate(map(len, events))][1 : 1 + len(words)]
    edges = list(accumulate(map(len, pieces)))
    came = [next(number for number, edge in enumerate(edges) if edge >= end) for end in ends]
    for stamp, early in zip(stream.stamps, came, strict=True):
        assert edges[early] <= edges[stamp] <= edges[early] + max(map(len, pieces))
        assert stamp in (early, early + 1)
    assert stream.stamps.tolist() == sorted(stream.stamps)
    assert stream.first_ns == stream.first_content_ns == stream.stamps[0]


@given(st.lists(st.tuples(st.sampled_from(["content", "reasoning_content"]), st.text(max_size=8)), max_size=40))
def test_chunks_known_by_their_likeness_count_like_those_read_in_full(said: list[tuple[str, str]]) -> None:
    """The same chunks with spaces that differ each time are all read in full."""
    alike = [event({kind: text}) for kind, text in said]
    unlike = [piece.replace(b'"id"', b" " * number + b'"id"') for number, piece in enumerate(alike)]
    quick, slow = read(alike), read(unlike)
    assert quick.stamps == slow.stamps
    assert quick.lengths == slow.lengths
    assert (quick.first_ns, quick.first_content_ns) == (slow.first_ns, slow.first_content_ns)
    assert quick.stamps.tolist() == [number for number, (_, text) in enumerate(said) if text]


@pytest.mark.parametrize(
    "after",
    [
        *(
            b'data: {"id": "chatcmpl-1", "choices": [{"index": 0, '
            b'"delta": {"content": "%s"}, "finish_reason": null}]}\n\n' % text
            for text in (b'a"b', b"a\tb", b"a\\", b"\xe2\x82")
        ),
        b'data: {"id": "chatcmpl-1", "choices": [{"index": 0, "delta": {"cont\n\n',
        b"data: ping\n\n",
        b"data: 5\n\n",
        b'data: {"choices": 5}\n\n',
        b'data: {"choices": [5]}\n\n',
    ],
)
def test_a_chunk_that_is_none_is_told_wherever_it_comes(after: bytes) -> None:
    before = [event({"content": word}) for word in ("one", "two", "three")]
    stream = read([*before, after, event({"content": "four"})])
    assert stream.wrong
    assert len(stream.stamps) == 4


def test_nothing_counts_behind_done() -> None:
    word = event({"content": "one"})
    stream = read([word, DONE, word, b"data: {oops\n\n"])
    assert (len(stream.stamps), stream.wrong) == (1, "")


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"])
def test_what_servers_send_between_chunks_is_no_token(line_end: bytes) -> None:
    pieces = [
        b"\xef\xbb\xbf: welcome" + line_end * 2,
        event({"role": "assistant", "content": None}, line_end=line_end),
        b":" + line_end * 2,
        b"event: ping" + line_end + b'data: {"type": "ping"}' + line_end * 2,
        b"data:" + line_end * 2,
        b"id: 4" + line_end + b"retry: 10" + line_end * 2,
        event({"content": "hello"}, line_end=line_end),
        event({}, "length", line_end),
    ]
    for sent in (pieces, [b"".join(pieces)], [bytes([byte]) for byte in b"".join(pieces)]):
        stream = read(sent)
        assert (len(stream.stamps), stream.finish, stream.wrong, stream.done) == (1, "length", "", False)


@given(PLACES, st.sampled_from(["\n", "\r\n", "\r"]))
def test_a_chunk_over_several_lines_of_data_is_one(places: list[int], line_end: str) -> None:
    pretty = json.dumps(json.loads(event({"content": "hi"})[6:]), indent=2)
    lines = [f"data: {line}" for line in pretty.split("\n")]
    stream = read(cut((line_end.join(lines) + 2 * line_end).encode(), places))
    assert (list(stream.lengths), stream.wrong) == ([2], "")


def test_a_chunk_that_brings_more_than_the_ones_before_is_read_in_full() -> None:
    words = [event({"content": word}) for word in ("one", "two", "three")]
    both = event({"content": "x", "reasoning_content": "yz"})
    finish = event({"content": "end"}, "length")
    counted = event({"content": "k"}, usage={"prompt_tokens": 1, "completion_tokens": 9})
    stream = read([*words, both, counted, finish])
    assert (list(stream.lengths), stream.finish, stream.usage) == ([3, 3, 5, 3, 1, 3], "length", Usage(1, 9))


def test_events_that_only_one_line_end_parts_are_told_apart() -> None:
    pieces = [event({"content": word})[:-1] for word in ("a", "bc")]
    stream = read([*pieces, event({}, "stop")[:-1], b"data: [DONE]\n"])
    assert (list(stream.lengths), stream.finish, stream.done, stream.wrong) == ([1, 2], "stop", True, "")


def test_reasoning_tool_calls_and_completions_are_tokens_and_content_has_its_own_first_time() -> None:
    both = event({"reasoning_content": "so", "reasoning": "so"})
    stream = read([event({"reasoning": "hm"}), both, event({"content": "yes"})])
    assert (stream.first_ns, stream.first_content_ns, list(stream.lengths)) == (0, 2, [2, 2, 3])
    call = event({"tool_calls": [{"index": 0, "function": {"name": "f", "arguments": '{"a"'}}]})
    text = b'data: {"choices": [{"index": 0, "text": "word", "finish_reason": "length"}]}\n\n'
    stream = read([call, text])
    assert (list(stream.lengths), stream.finish) == ([5, 4], "length")


def test_several_tokens_in_a_chunk_are_shared_out_by_length() -> None:
    """12 tokens over texts of 2, 4 and 6 characters are 2, 4 and 6; over 1, 1 and 1 they are 4 each."""
    stream = read([event({"content": text}) for text in ("ab", "abcd", "abcdef")] + [usage(5, 12), DONE])
    assert stream.tokens().tolist() == [2, 4, 6]
    stream = read([event({"content": text}) for text in "abc"] + [usage(5, 12), DONE])
    assert stream.tokens().tolist() == [4, 4, 4]


@pytest.mark.parametrize(
    ("stated", "believed", "tokens"),
    [(0, None, [1] * 6), (1, None, [1] * 6), (2, 2, [0, 1, 0, 0, 1, 0]), (3, 3, [1, 0] * 3)],
)
def test_a_usage_of_fewer_tokens_than_chunks_is_a_count_where_tokens_can_be_so_long(
    stated: int, believed: int | None, tokens: list[int]
) -> None:
    """Six chunks of eight characters: 48 for no token, and for one, are more than one has."""
    stream = read([*(event({"content": "eight ch"}) for _ in range(6)), usage(5, stated), DONE])
    assert (stream.usage.output, stream.tokens().tolist()) == (believed, tokens)


def test_a_server_that_counts_chunk_by_chunk_is_believed() -> None:
    counted = [event({"content": "a b"}, usage={"prompt_tokens": 3, "completion_tokens": count}) for count in (2, 3, 7)]
    assert read(counted).tokens().tolist() == [2, 1, 4]
    probable = [event({"content": "x"}, logprobs=None)]
    listed = json.loads(probable[0][6:])
    listed["choices"][0]["logprobs"] = {"content": [{"token": "x"}, {"token": "y"}]}
    assert read([b"data: " + json.dumps(listed).encode() + b"\n\n"]).tokens().tolist() == [2]


def test_the_id_is_the_first_that_says_something() -> None:
    """A service that filters content begins with a chunk of its own, whose id is empty."""
    first = b'data: {"id": "", "choices": [], "prompt_filter_results": []}\n\n'
    assert read([first, event({"content": "a"}), event({}, "stop")]).response_id == "chatcmpl-1"


def test_a_stop_token_and_hidden_reasoning_are_no_chunks() -> None:
    words = [event({"content": word}) for word in ("a", "bcdef")]
    stream = read([*words, event({}, "stop"), usage(4, 3)])
    assert stream.tokens().tolist() == [1, 1]
    hidden = usage(4, 102, completion_tokens_details={"reasoning_tokens": 100})
    stream = read([*words, event({}, "stop"), hidden])
    assert (stream.tokens().tolist(), stream.usage.output) == ([1, 1], 102)


@given(st.lists(st.integers(1, 50), min_size=1, max_size=60), st.integers(0, 500))
def test_shares_add_up_to_the_total(lengths: list[int], total: int) -> None:
    shares = Usage(None, total).shared_out(lengths, {}, "length")
    assert sum(shares) == (total or len(lengths))
    assert min(shares) >= 0


def test_an_error_in_the_stream_is_the_servers_word() -> None:
    assert read([b'data: {"error": {"message": "out of memory", "code": 500}}\n\n']).refused == "out of memory"
    assert read([b'event: error\ndata: {"detail": "gone"}\n\n']).refused == "gone"
    assert read([b'data: {"object": "error", "message": "too long"}\n\n']).refused == "too long"


def test_a_line_without_end_is_heard_to_its_limit_only() -> None:
    stream = Stream(1000)
    for number in range(100):
        stream.read([b"x" * 100], [number])
    assert stream.too_long
    assert read([b"data: " + b"y" * 2000 + b"\n\n"], limit=1000).too_long


SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=5)
)
NAMES = st.sampled_from(
    "id choices delta content usage error finish_reason logprobs tool_calls function name arguments text message "
    "completion_tokens prompt_tokens completion_tokens_details reasoning_tokens".split()
)
ANYTHING = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=5))


@given(st.lists(ANYTHING, max_size=6), st.lists(st.binary(max_size=60), max_size=8))
def test_nothing_is_too_strange_to_be_read(documents: list[object], pieces: list[bytes]) -> None:
    for sent in ([b"data: " + json.dumps(document).encode() + b"\n\n" for document in documents], pieces):
        stream = read(sent)
        assert len(stream.stamps) == len(stream.lengths) == len(stream.tokens())
