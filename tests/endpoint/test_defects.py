"""What the load makes of endpoints that end early, count nothing or send several tokens a chunk: never a good figure
that is none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from statistics import fmean

import numpy as np
import pytest

from bench.records import Load
from bench.sweep.wire.exchange import Exchange, Limits, Target
from tests.endpoint.loading import asks, loaded
from tests.endpoint.odd import COUNTS_WHAT_IS_NOT_STREAMED, FOUR_A_CHUNK_UNCOUNTED, Cut, Odd, Servers, Wrote, serving

pytestmark = pytest.mark.long

OSL = 32
ITL_MS = 5.0
EARLY = Cut(after=3, of=(5, 7), terminates=True)
"""Of the first five of seven answers three tokens come."""

UNFINISHED = {
    "[DONE] after a token, no end of the body": Odd(
        usage="none", cut=Cut(after=1)
    ),  # llama-cpp-python drops streams so
    "[DONE] after three tokens, the body ends": Odd(usage="none", cut=EARLY),
    "three tokens, no end of the body": Odd(cut=Cut(after=3, done=False)),
    "all tokens, no finish_reason, no end of the body": Odd(cut=Cut(after=OSL)),
    "three tokens, HTTP/1.0": Odd(http="1.0", cut=Cut(after=3)),
}
FINISHED = {
    "all tokens and [DONE], no finish_reason": Odd(finish=None),
    "all tokens and [DONE], no finish_reason, no usage": Odd(finish=None, usage="none"),
    "all tokens and [DONE], no finish_reason, HTTP/1.0": Odd(finish=None, http="1.0"),
    "fewer tokens, finish_reason stop": Odd(length=3, finish="stop"),
    "fewer tokens, finish_reason stop, no [DONE], no usage": Odd(length=3, finish="stop", done=False, usage="none"),
    "all tokens, finish_reason and [DONE], no end of the body": Odd(terminates=False),
}
UNCOUNTED = {
    "a token a chunk": Odd(usage="none"),
    "four a chunk": FOUR_A_CHUNK_UNCOUNTED,
    "eight events a write": Odd(events_per_write=8, usage="none"),
    "counted when not streamed": COUNTS_WHAT_IS_NOT_STREAMED,
}
SEVERAL = {
    "eight a chunk": (Odd(tokens_per_chunk=8), OSL),
    "four a chunk, the last of two": (Odd(tokens_per_chunk=4), OSL - 2),
    "four a chunk, counted in each": (Odd(tokens_per_chunk=4, usage="every"), OSL),
    "four a chunk, not counted": (FOUR_A_CHUNK_UNCOUNTED, OSL),
}
OTHERS = {
    "all tokens in one chunk": Odd(tokens_per_chunk=2 * OSL),
    "finish_reason stop, no usage": Odd(usage="none", length=5, finish="stop"),
    "eight events a write": Odd(events_per_write=8),
    "admits four": Odd(admits=4),
}


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    several = {name: odd for name, (odd, _) in SEVERAL.items()}
    groups = {
        "unfinished": UNFINISHED,
        "finished": FINISHED,
        "uncounted": UNCOUNTED,
        "several": several,
        "others": OTHERS,
    }
    odds = {f"{group} {name}": odd for group, members in groups.items() for name, odd in members.items()}
    with serving({name: replace(odd, ttft_ms=5, itl_ms=ITL_MS) for name, odd in odds.items()}) as running:
        yield running


def answered(servers: Servers, name: str, osl: int = OSL) -> list[tuple[Exchange, Wrote]]:
    """Seven answers, each with what its server wrote."""
    target = Target.at(servers.url(name))
    point, _ = loaded(target, asks(7, osl), Load("closed", concurrency=7), Limits())
    log = {wrote.id: wrote for wrote in servers.log(name)}
    return [(one, log[one.response_id or ""]) for one in point.exchanges]


@pytest.mark.parametrize("name", UNFINISHED)
def test_an_answer_that_ends_early_is_a_broken_stream(name: str, servers: Servers) -> None:
    found = answered(servers, f"unfinished {name}")
    assert len(found) == 7
    for one, wrote in found:
        assert one.outcome == ("broken_stream" if wrote.ended == "cut" else "ok")
        assert one.error or one.outcome == "ok"
    assert "cut" in {wrote.ended for _, wrote in found}


@pytest.mark.parametrize("name", FINISHED)
def test_an_answer_that_is_whole_by_what_it_says_is_one(name: str, servers: Servers) -> None:
    for one, wrote in answered(servers, f"finished {name}"):
        assert (one.outcome, one.output_tokens) == ("ok", wrote.output_tokens)


@pytest.mark.parametrize("name", UNCOUNTED)
def test_finish_reason_length_proves_the_length_where_nothing_is_counted(name: str, servers: Servers) -> None:
    for one, wrote in answered(servers, f"uncounted {name}"):
        assert (one.outcome, one.finish) == ("ok", "length")
        assert one.output_tokens == wrote.output_tokens == sum(one.tokens) == OSL
        assert one.tokens.tolist() == wrote.tokens
        assert one.token_source == "length"


def test_another_finish_reason_proves_none(servers: Servers) -> None:
    for one, _ in answered(servers, "others finish_reason stop, no usage"):
        assert (one.output_tokens, one.token_source) == (5, "chunks")


def test_events_of_one_write_have_one_arrival(servers: Servers) -> None:
    for one, wrote in answered(servers, "others eight events a write", osl=24):
        assert (one.outcome, sum(one.tokens), len(one.stamps_ns)) == ("ok", 24, 24)
        # A client that stalls reads two writes at once; it never takes one write apart.
        assert [len(set(one.stamps_ns[first : first + 8])) for first in (0, 8, 16)] == [1, 1, 1]
        assert len(set(wrote.chunks_ns)) == 3


def test_what_is_turned_away_is_counted_beside_what_streams(servers: Servers) -> None:
    target = Target.at(servers.url("others admits four"))
    limits = Limits(duration_s=0.3, requests=100)
    point, found = loaded(target, asks(100, osl=10), Load("closed", concurrency=8), limits)
    log = servers.log("others admits four")
    kinds = {200: "ok", 429: "http_429"}
    assert {wrote.status for wrote in log} == set(kinds)
    assert Counter(one.outcome for one in point.exchanges) == Counter(kinds[wrote.status] for wrote in log)
    assert found.whole["requests_ok"] == sum(wrote.ended == "whole" for wrote in log)


@pytest.mark.parametrize("name", SEVERAL)
def test_tpot_is_over_the_tokens_behind_the_first_chunk(name: str, servers: Servers) -> None:
    odd, osl = SEVERAL[name]
    target = Target.at(servers.url(f"several {name}"))
    point, told = loaded(target, asks(4, osl), Load("closed", concurrency=2), Limits())
    assert [one.outcome for one in point.exchanges] == ["ok"] * 4
    tpots = []
    for one in point.exchanges:
        stamps = np.array(one.stamps_ns)
        # A client that stalls reads the next chunk with the first: its tokens are then behind nothing.
        first = int(np.array(one.tokens)[stamps == stamps[0]].sum())
        assert first >= odd.tokens_per_chunk
        tpots.append((stamps[-1] - stamps[0]) / 1e6 / (osl - first))
    assert told.whole["tpot_ms_mean"] == pytest.approx(fmean(tpots))


def test_where_nothing_came_behind_the_first_chunk_there_is_no_tpot(servers: Servers) -> None:
    target = Target.at(servers.url("others all tokens in one chunk"))
    _, found = loaded(target, asks(4, OSL), Load("closed", concurrency=2), Limits())
    assert found.whole["output_tokens"] == 4 * OSL
    assert not {key for key in found.whole if key.startswith(("tpot_ms", "itl_ms", "interactivity"))}
