"""One request of a point, and the list of them: when it was sent, each chunk's arrival, and how it ended."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from bench.errors import NotFound
from bench.runs.phases import phases
from bench.runs.point import PointStory
from bench.sweep.folder import Folder
from bench.sweep.generator.spool import ABSENT, FINISHES, OK, OUTCOMES
from bench.sweep.measured.request_file import KeptRequests, from_parquet
from bench.sweep.measured.window import started_well
from bench.wording import counted, number

MILLION, BILLION = 1e6, 1e9
MOST_LISTED = 5_000
"""So many requests are listed, those that failed always among them."""


@dataclass(frozen=True)
class RequestStory:
    """One request. `facts` are labels with what is known of it; `headline` says how it went in a sentence.

    `chunks` has a row for each chunk: its place, when it came in ms since the request was due, the gap to the one
    before, its tokens, and the tokens until then. `first_ms` is None where no token came, `error` where it ended well.
    """

    number: int
    headline: str
    facts: tuple[tuple[str, str], ...]
    chunks: pd.DataFrame
    start_s: float
    first_ms: float | None
    end_ms: float
    outcome: str
    error: str | None


def requests(folder: Folder, point: PointStory) -> pd.DataFrame:
    """A row for each request of a point, in the order in which they were due: its times, tokens and outcome.

    InputError when the point's samples cannot be read.
    """
    kept = _kept(folder, point)
    seen = kept.samples
    rows = phases(kept, np.ones(len(kept), dtype=bool))
    counts = started_well(seen, point.window) if point.window is not None else seen.outcome == OK
    ttft = np.where(seen.first_ns == ABSENT, np.nan, seen.first_ns - seen.start_ns) / MILLION
    table = pd.DataFrame(
        {
            "number": rows["number"],
            "due_s": rows["start_s"],
            "ttft_ms": ttft,
            "e2el_ms": (seen.end_ns - seen.start_ns) / MILLION,
            "input_tokens": rows["input_tokens"],
            "output_tokens": rows["output_tokens"],
            "chunks": seen.chunks,
            "counts": counts,
            "outcome": rows["outcome"].str.replace("_", " "),
            "error": rows["error"],
        }
    )
    ordered = table.sort_values(["due_s", "number"], kind="stable", ignore_index=True)
    if len(ordered) <= MOST_LISTED:
        return ordered
    failed = ordered["outcome"] != OUTCOMES[OK]
    kept_rows = failed | (np.arange(len(ordered)) < MOST_LISTED - int(failed.sum()))
    return ordered[kept_rows].head(MOST_LISTED).reset_index(drop=True)


def request_story(folder: Folder, point: PointStory, wanted: int) -> RequestStory:
    """What the request of this number tells.

    NotFound when the point has no such request; InputError when the point's samples cannot be read.
    """
    kept = _kept(folder, point)
    places = np.flatnonzero(kept.number == wanted)
    if not len(places):
        raise NotFound(f"Point {point.line.number} has no request {wanted}; its list has those there are.")
    return _story(kept, int(places[0]), point)


def _kept(folder: Folder, point: PointStory) -> KeptRequests:
    return from_parquet(folder.requests / f"{point.line.number}.parquet")


def _story(kept: KeptRequests, at: int, point: PointStory) -> RequestStory:
    seen = kept.samples
    start, end = int(seen.start_ns[at]), int(seen.end_ns[at])
    first = None if seen.first_ns[at] == ABSENT else (int(seen.first_ns[at]) - start) / MILLION
    outcome, error = OUTCOMES[int(seen.outcome[at])], kept.error[at]
    chunks = _chunks(kept, at, start)
    came = int(seen.output_tokens[at])
    tokens = counted(came, "token") if came != ABSENT else "an unknown number of tokens"
    how = "ended well" if outcome == OUTCOMES[OK] else f"ended as {outcome.replace('_', ' ')}"
    took = f"after {number((end - start) / MILLION)} ms"
    began = f", the first token after {number(first)} ms" if first is not None else ", without a first token"
    said = f"Request {int(kept.number[at]):,} {how} {took}: {tokens} in {counted(len(chunks), 'chunk')}{began}."
    return RequestStory(
        number=int(kept.number[at]),
        headline=said,
        facts=tuple(_facts(kept, at, point, chunks)),
        chunks=chunks,
        start_s=start / BILLION,
        first_ms=first,
        end_ms=(end - start) / MILLION,
        outcome=outcome,
        error=error,
    )


def _chunks(kept: KeptRequests, at: int, start: int) -> pd.DataFrame:
    seen = kept.samples
    last = int(np.cumsum(seen.chunks)[at])
    own = slice(last - int(seen.chunks[at]), last)
    came = (seen.stamps_ns[own] - start) / MILLION
    tokens = seen.tokens[own]
    gaps = np.diff(came, prepend=np.nan)
    return pd.DataFrame(
        {
            "chunk": np.arange(1, len(came) + 1),
            "at_ms": came,
            "gap_ms": gaps,
            "tokens": tokens,
            "tokens_so_far": np.cumsum(tokens),
        }
    )


def _facts(kept: KeptRequests, at: int, point: PointStory, chunks: pd.DataFrame) -> list[tuple[str, str]]:
    seen = kept.samples
    start = int(seen.start_ns[at])
    due = "Due" if int(seen.intended_ns[at]) != ABSENT else "Sent"

    def since(moment: int) -> str:
        return "" if moment == ABSENT else f"{number((moment - start) / MILLION)} ms"

    connected = int(kept.connect_ns[at])
    requested = (int(seen.asked_isl[at]), int(seen.asked_osl[at]))
    told = (int(seen.input_tokens[at]), int(seen.output_tokens[at]))
    tokens = [
        "" if one == ABSENT else f"{one:,} tokens" + (f" of {of:,} asked for" if of not in (ABSENT, one) else "")
        for one, of in zip(told, requested, strict=True)
    ]
    gaps = chunks["gap_ms"].dropna()
    window = point.window
    inside = window is not None and bool(started_well(seen, window)[at])
    lines = (
        (due, f"{number(start / BILLION)} s after the point's start"),
        ("Sent", since(int(seen.sent_ns[at])) if due == "Due" else ""),
        ("Connecting", "" if connected == ABSENT else f"{number(connected / MILLION)} ms"),
        ("Headers", since(int(kept.headers_ns[at]))),
        ("First token", since(int(seen.first_ns[at]))),
        ("Longest gap between chunks", f"{number(float(gaps.max()))} ms" if len(gaps) else ""),
        ("End", since(int(seen.end_ns[at]))),
        ("Input", tokens[0]),
        ("Output", tokens[1]),
        ("In the latencies of the point", "" if window is None else "yes" if inside else "no"),
        ("The engine ended it by", FINISHES[int(seen.finish[at])]),
        ("Outcome", OUTCOMES[int(seen.outcome[at])].replace("_", " ")),
        ("Why", kept.error[at] or ""),
    )
    return [(label, text) for label, text in lines if text]
