"""Each failure is seen by a client as what it is called, and a good request beside it does not notice."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import aiohttp
import pytest

from bench.endpoint import Settings, running, truth
from tests.endpoint.asking import chat, many, post

pytestmark = pytest.mark.long

QUICK = {"ttft_ms": 1.0, "itl_ms": 0.2}


def failing(kind: str, log: Path | None = None, **more: object) -> Settings:
    return Settings(**QUICK, fail_at={0: kind}, log=log, **more)


@pytest.mark.parametrize(
    ("kind", "stream", "sent"),
    [("refused", True, 0), ("reset", True, 0), ("cut", True, 4), ("cut", False, 8), ("huge_headers", True, 0)],
)
def test_an_answer_that_breaks_off_is_an_error_and_the_log_names_it(
    kind: str, stream: bool, sent: int, tmp_path: Path
) -> None:
    log = tmp_path / "truth.jsonl"
    with running(failing(kind, log)) as url:
        with pytest.raises((aiohttp.ClientError, ValueError)):
            post(url, chat(stream=stream))
        assert post(url, chat()).status == 200
    (entry,) = [entry for entry in truth.read(log) if entry.failure]
    assert (entry.failure, entry.output_tokens) == (kind, sent)


@pytest.mark.parametrize("status", [429, 503])
def test_a_status_comes_with_the_engines_error(status: int) -> None:
    with running(failing(str(status), retry_after_s=7)) as url:
        reply = post(url, chat())
        assert post(url, chat()).status == 200
    assert reply.status == status
    assert reply.json["error"]["code"] == status
    assert reply.headers.get("Retry-After") == ("7" if status == 429 else None)


def is_json(text: str | bytes) -> bool:
    try:
        json.loads(text)
    except json.JSONDecodeError:
        return False
    return True


def test_a_malformed_chunk_or_document_is_no_json_and_the_stream_goes_on() -> None:
    with running(Settings(**QUICK, fail_at={0: "malformed", 1: "malformed"})) as url:
        *chunks, _done = post(url, chat()).data
        document = post(url, chat(stream=False)).body
    assert [place for place, text in enumerate(chunks) if not is_json(text)] == [5]  # after the role and four tokens
    assert len(chunks) == 1 + 8 + 1
    assert not is_json(document)


@pytest.mark.parametrize("batch", [{}, {"step_ms": 1.0}])
def test_a_stall_is_silence_half_way_and_then_the_rest(batch: dict[str, float], tmp_path: Path) -> None:
    log = tmp_path / "truth.jsonl"
    with running(failing("stall", log, stall_s=0.15, **batch)) as url:
        reply = post(url, chat())
    assert sum(bool(delta["content"]) for delta in reply.deltas) == 8
    (entry,) = truth.read(log)
    sent = entry.chunks_sent_ns()
    gaps = [later - earlier for earlier, later in pairwise(sent)]
    assert gaps.index(max(gaps)) == 3
    assert max(gaps) >= 0.1e9  # what came before it may have been sent late, which shortens it


def test_shares_are_kept_and_the_log_names_every_failure(tmp_path: Path) -> None:
    log = tmp_path / "truth.jsonl"
    settings = Settings(ttft_ms=1, itl_ms=0, fail={"500": 0.2, "429": 0.1}, log=log)
    with running(settings) as url:
        statuses = [reply.status for reply in many(url, [chat(max_tokens=1)] * 100)]
    # The draws of this seed; 20 +- 4 and 10 +- 3 were to be expected.
    assert (statuses.count(500), statuses.count(429)) == (25, 5)
    logged = truth.read(log)
    assert sum(entry.failure == "500" for entry in logged) == statuses.count(500)
    assert sorted(entry.number for entry in logged) == list(range(100))
