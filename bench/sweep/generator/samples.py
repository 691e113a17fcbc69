"""The exchanges of a point as columns, so that a million requests and their tokens are arithmetic on arrays."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bench.sweep.generator.spool import ABSENT, COLUMNS, FILLED, OK, ROW, SOURCES, part_of

IntColumn = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

TOGETHER_GAP = 0.05
"""A chunk that comes within this share of the mean gap came with the one before."""


@dataclass(frozen=True)
class Samples:
    """One entry per request; ABSENT is None. Times are nanoseconds of CLOCK_MONOTONIC.

    `intended_ns` is ABSENT in a closed loop. `outcome` counts places in OUTCOMES, `source` in SOURCES, `finish` in
    FINISHES. `stamps_ns` and `tokens` hold the chunks of all requests one after another, `chunks` how many
    each request has.
    """

    intended_ns: IntColumn
    sent_ns: IntColumn
    first_ns: IntColumn
    end_ns: IntColumn
    input_tokens: IntColumn
    output_tokens: IntColumn
    asked_isl: IntColumn
    asked_osl: IntColumn
    outcome: IntColumn
    source: IntColumn
    finish: IntColumn
    chunks: IntColumn
    stamps_ns: IntColumn
    tokens: IntColumn

    def __post_init__(self) -> None:
        if int(self.chunks.sum()) != len(self.stamps_ns) or len(self.stamps_ns) != len(self.tokens):
            raise ValueError("the chunks of the requests are not as many as there are stamps and tokens")

    def __len__(self) -> int:
        return len(self.sent_ns)

    @property
    def start_ns(self) -> IntColumn:
        """When each request's latency begins: as intended in an open loop, else as sent."""
        return np.where(self.intended_ns == ABSENT, self.sent_ns, self.intended_ns)

    @property
    def last_ns(self) -> IntColumn:
        """When each request's last token came; the end of an answer that came in one piece."""
        last = self.end_ns.copy()
        streamed = self.chunks > 0
        last[streamed] = self.stamps_ns[np.cumsum(self.chunks)[streamed] - 1]
        return last

    @property
    def unseen(self) -> IntColumn:
        """The tokens of each request that no chunk showed: of an answer in one piece, hidden reasoning, a stop."""
        rest: IntColumn = np.maximum(self.output_tokens - self.shown, 0)
        return rest

    def states_one_output(self, one_input: bool) -> bool:
        """Whether usage has one number of output tokens for all answers that most of them cannot have had.

        Answers of one length have one rightly. Most have another number of chunks and were asked for another one. And
        they came in more chunks, though they ended with `length`, or now in so many and now in others; or usage states
        `one_input` for all as well.
        """
        stated = self._stated
        chunks, asked, output = (column[stated] for column in (self.chunks, self.asked_osl, self.output_tokens))
        if len(set(output.tolist())) != 1:
            return False
        filled = (self.finish[stated] == FILLED) & (chunks <= asked)
        unlike = len(set(chunks.tolist())) > 1
        belied = (output < chunks) & (filled | unlike)
        return bool(((output != chunks) & (output != asked) & (belied | one_input)).mean() > 0.5)

    def without_outputs(self) -> Samples:
        """The same requests, of an endpoint whose usage does not count output.

        Those that ended with `length` have what was asked for, unless there were more chunks, all others as many tokens
        as chunks.
        """
        stated = self._stated
        filled = stated & (self.finish == FILLED) & (self.chunks <= self.asked_osl)
        output = np.where(filled, self.asked_osl, np.where(stated, self.chunks, self.output_tokens))
        source = np.where(filled, SOURCES.index("length"), np.where(stated, SOURCES.index("chunks"), self.source))
        owner = np.repeat(np.arange(len(self)), self.chunks)
        place = np.arange(len(owner)) - (np.cumsum(self.chunks) - self.chunks)[owner]
        many, of = output[owner], self.chunks[owner]
        tokens = np.where(stated[owner], (place + 1) * many // of - place * many // of, self.tokens)
        return replace(self, output_tokens=output, source=source, tokens=tokens)

    def without_inputs(self) -> Samples:
        """The same requests, of an endpoint whose usage does not count input."""
        return replace(self, input_tokens=np.full(len(self), ABSENT, dtype=np.int64))

    @property
    def _stated(self) -> Mask:
        """The streamed answers that usage counts the tokens of."""
        stated: Mask = (self.outcome == OK) & (self.source == SOURCES.index("usage")) & (self.chunks > 0)
        return stated

    @property
    def at_first(self) -> IntColumn:
        """The tokens that came with each request's first chunk, in one read with it, 1 at least; 0 without a chunk."""
        first = np.repeat(self.first_ns, self.chunks)
        owner = np.repeat(np.arange(len(self)), self.chunks)
        came = np.bincount(owner, weights=np.where(self.stamps_ns == first, self.tokens, 0), minlength=len(self))
        return np.maximum(came.astype(np.int64), self.chunks > 0)

    @property
    def shown(self) -> IntColumn:
        """The tokens of each request that its chunks showed."""
        sums = np.concatenate(([0], np.cumsum(self.tokens)))
        ends = np.cumsum(self.chunks)
        own: IntColumn = sums[ends] - sums[ends - self.chunks]
        return own

    def gaps_ns(self, chosen: Mask) -> IntColumn:
        """The gaps between chunks of the chosen requests, pooled."""
        first = np.zeros(len(self.stamps_ns), dtype=bool)
        first[(np.cumsum(self.chunks) - self.chunks)[self.chunks > 0]] = True
        inside = np.repeat(chosen, self.chunks)
        gaps: IntColumn = np.diff(self.stamps_ns)[(inside & ~first)[1:]]
        return gaps


def share_together(gaps_ns: npt.ArrayLike) -> float | None:
    """The share of these gaps that are so short beside their mean that both chunks came together; None without any."""
    gaps = np.asarray(gaps_ns, dtype=np.float64)
    return float((gaps <= TOGETHER_GAP * gaps.mean()).mean()) if len(gaps) else None


@dataclass(frozen=True)
class Spooled:
    """What the workers of a point have written: columns by name, and each request's words."""

    columns: dict[str, Any]
    stamps: Any
    tokens: Any
    words: list[list[str | None]]

    @property
    def samples(self) -> Samples:
        """The columns that metrics are made of."""
        own = {name: self.columns[name] for name in ROW}
        return Samples(**own, stamps_ns=self.stamps, tokens=self.tokens)

    def __len__(self) -> int:
        return len(self.columns["sent_ns"])


def gathered(stems: Sequence[Path]) -> Spooled:
    """Everything the workers wrote, concatenated."""
    tables = [np.fromfile(part_of(stem, "rows"), dtype=np.int64).reshape(-1, len(COLUMNS)) for stem in stems]
    table = np.concatenate(tables)
    words: list[list[str | None]] = []
    for stem in stems:
        with part_of(stem, "words").open("rb") as lines:
            words += [json.loads(line) for line in lines]
    return Spooled(
        {name: np.ascontiguousarray(table[:, place]) for place, name in enumerate(COLUMNS)},
        np.concatenate([np.fromfile(part_of(stem, "stamps"), dtype=np.int64) for stem in stems]),
        np.concatenate([np.fromfile(part_of(stem, "tokens"), dtype=np.int32) for stem in stems]).astype(np.int64),
        words,
    )
