"""Exchanges with set times, for sums that are worked out by hand."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from bench.sweep.generator import spool
from bench.sweep.generator.samples import Samples, Spooled
from bench.sweep.wire.exchange import Exchange, PreparedRequest

MS = 1_000_000
S = 1_000_000_000


def exchange(
    number: int,
    sent: float,
    stamps: Sequence[float] = (),
    *,
    end: float | None = None,
    tokens: Sequence[int] | None = None,
    output: int | None = None,
    isl: int | None = 10,
    intended: float | None = None,
    outcome: str = "ok",
    source: str = "usage",
) -> Exchange:
    """A request with its times in ms; one token in each chunk, and the end with the last, unless said otherwise."""
    when = array("q", (round(stamp * MS) for stamp in stamps))
    carried = array("i", tokens if tokens is not None else [1] * len(when))
    last = end if end is not None else (stamps[-1] if stamps else sent)
    return Exchange(
        number=number,
        intended_ns=None if intended is None else round(intended * MS),
        sent_ns=round(sent * MS),
        connect_ns=None,
        headers_ns=None,
        first_ns=when[0] if when else None,
        first_content_ns=when[0] if when else None,
        stamps_ns=when,
        tokens=carried,
        end_ns=round(last * MS),
        input_tokens=isl,
        output_tokens=output if output is not None else (sum(carried) if outcome == "ok" and when else None),
        token_source=source,
        finish="length" if outcome == "ok" else None,
        outcome=outcome,
        error="" if outcome == "ok" else "as asked for",
        response_id=None,
        connection=0,
    )


def slot(start: float, ttft: float, itl: float, tokens: int, requests: int, number: int = 0) -> list[Exchange]:
    """The requests of one place of a closed loop, each sent in the moment the one before has ended."""
    made, sent = [], start
    for place in range(requests):
        stamps = [sent + ttft + itl * token for token in range(tokens)]
        made.append(exchange(number + place, sent, stamps))
        sent = stamps[-1]
    return made


def samples_of(exchanges: Iterable[Exchange], requests: Mapping[int, PreparedRequest] | None = None) -> Samples:
    """The columns of these exchanges; `requests` has by number what each was asked for."""
    known, whole = requests or {}, list(exchanges)
    lengths = [(known[one.number].isl, known[one.number].osl) if one.number in known else (None, None) for one in whole]
    rows = [spool.row_of(one, *own) for one, own in zip(whole, lengths, strict=True)]
    table = np.array(rows, dtype=np.int64).reshape(-1, len(spool.COLUMNS))
    stamps, tokens = (
        np.array([each for one in whole for each in getattr(one, name)], dtype=np.int64)
        for name in ("stamps_ns", "tokens")
    )
    return Spooled(dict(zip(spool.COLUMNS, table.T, strict=True)), stamps, tokens, []).samples
