"""The exchanges of a point as columns, so that a million requests and their tokens are arithmetic on arrays."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol, get_args

from bench.sweep.wire.exchange import Exchange, RequestOutcome, TokenSource

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Column = npt.NDArray[np.int64]
    Mask = npt.NDArray[np.bool_]

ABSENT = -1
"""What stands in a column for None."""

OUTCOMES: tuple[RequestOutcome, ...] = get_args(RequestOutcome)
OK, CANCELLED = OUTCOMES.index("ok"), OUTCOMES.index("cancelled")

SOURCES: tuple[TokenSource, ...] = get_args(TokenSource)
FINISHES = ("", "stop", "length")
"""How an answer said it ended, as far as that explains its length; what says anything else is as if it said nothing."""
STOPPED, FILLED = FINISHES.index("stop"), FINISHES.index("length")

TOGETHER_GAP = 0.05
"""A chunk that comes within this share of the mean gap came with the one before."""

ROW = ("intended_ns", "sent_ns", "first_ns", "end_ns", "input_tokens", "output_tokens", "asked_isl", "asked_osl",
       "outcome", "source", "finish", "chunks")  # fmt: skip
"""The columns with one entry per request."""


class AskedLengths(Protocol):
    """What was asked for, in tokens; a PreparedRequest is one."""

    @property
    def isl(self) -> int | None: ...  # noqa: D102
    @property
    def osl(self) -> int: ...  # noqa: D102


@dataclass(frozen=True)
class Samples:
    """One entry per request; ABSENT is None. Times are nanoseconds of CLOCK_MONOTONIC.

    `intended_ns` is ABSENT in a closed loop. `outcome` counts places in OUTCOMES, `source` in SOURCES, `finish` in
    FINISHES. `stamps_ns` and `tokens` hold the chunks of all requests one after another, `chunks` how many
    each request has.
    """

    intended_ns: Column
    sent_ns: Column
    first_ns: Column
    end_ns: Column
    input_tokens: Column
    output_tokens: Column
    asked_isl: Column
    asked_osl: Column
    outcome: Column
    source: Column
    finish: Column
    chunks: Column
    stamps_ns: Column
    tokens: Column

    def __post_init__(self) -> None:
        if int(self.chunks.sum()) != len(self.stamps_ns) or len(self.stamps_ns) != len(self.tokens):
            raise ValueError("the chunks of the requests are not as many as there are stamps and tokens")

    @classmethod
    def of(cls, exchanges: Iterable[Exchange], lengths: Mapping[int, AskedLengths] | None = None) -> Samples:
        """The columns of these exchanges; those of several workers may simply follow each other.

        `lengths` has what each request, by its number, was asked for.
        """
        rows = array("q")
        stamps, tokens = array("q"), array("i")
        for one in exchanges:
            ask = lengths.get(one.number) if lengths else None
            rows.extend(
                (
                    _or_absent(one.intended_ns),
                    one.sent_ns,
                    _or_absent(one.first_ns),
                    one.end_ns,
                    _or_absent(one.input_tokens),
                    _or_absent(one.output_tokens),
                    _or_absent(ask.isl if ask else None),
                    _or_absent(ask.osl if ask else None),
                    OUTCOMES.index(one.outcome),
                    SOURCES.index(one.token_source),
                    finish_of(one.finish),
                    len(one.stamps_ns),
                )
            )
            stamps.extend(one.stamps_ns)
            tokens.extend(one.tokens)
        import numpy as np

        table = np.array(rows, dtype=np.int64).reshape(-1, len(ROW))
        columns: dict[str, Any] = {name: np.ascontiguousarray(table[:, place]) for place, name in enumerate(ROW)}
        columns["stamps_ns"] = np.array(stamps, dtype=np.int64)
        columns["tokens"] = np.array(tokens, dtype=np.int64)
        return cls(**columns)

    def __len__(self) -> int:
        return len(self.sent_ns)

    @property
    def start_ns(self) -> Column:
        """When each request's latency begins: as intended in an open loop, else as sent."""
        import numpy as np

        return np.where(self.intended_ns == ABSENT, self.sent_ns, self.intended_ns)

    @property
    def last_ns(self) -> Column:
        """When each request's last token came; the end of an answer that came in one piece."""
        import numpy as np

        last = self.end_ns.copy()
        streamed = self.chunks > 0
        last[streamed] = self.stamps_ns[np.cumsum(self.chunks)[streamed] - 1]
        return last

    @property
    def unseen(self) -> Column:
        """The tokens of each request that no chunk showed: of an answer in one piece, hidden reasoning, a stop."""
        import numpy as np

        rest: Column = np.maximum(self.output_tokens - self.shown, 0)
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
        import numpy as np

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
        import numpy as np

        return replace(self, input_tokens=np.full(len(self), ABSENT, dtype=np.int64))

    @property
    def _stated(self) -> Mask:
        """The streamed answers that usage counts the tokens of."""
        stated: Mask = (self.outcome == OK) & (self.source == SOURCES.index("usage")) & (self.chunks > 0)
        return stated

    @property
    def first_chunks(self) -> Column:
        """The place of each streamed request's first chunk among all chunks."""
        import numpy as np

        places: Column = (np.cumsum(self.chunks) - self.chunks)[self.chunks > 0]
        return places

    @property
    def at_first(self) -> Column:
        """The tokens that came with each request's first chunk, in one read with it, 1 at least; 0 without a chunk."""
        import numpy as np

        first = np.repeat(self.first_ns, self.chunks)
        owner = np.repeat(np.arange(len(self)), self.chunks)
        came = np.bincount(owner, weights=np.where(self.stamps_ns == first, self.tokens, 0), minlength=len(self))
        return np.maximum(came.astype(np.int64), self.chunks > 0)

    @property
    def shown(self) -> Column:
        """The tokens of each request that its chunks showed."""
        import numpy as np

        sums = np.concatenate(([0], np.cumsum(self.tokens)))
        ends = np.cumsum(self.chunks)
        own: Column = sums[ends] - sums[ends - self.chunks]
        return own

    def gaps_ns(self, chosen: Mask) -> Column:
        """The gaps between chunks of the chosen requests, pooled."""
        import numpy as np

        first = np.zeros(len(self.stamps_ns), dtype=bool)
        first[self.first_chunks] = True
        inside = np.repeat(chosen, self.chunks)
        gaps: Column = np.diff(self.stamps_ns)[(inside & ~first)[1:]]
        return gaps


def finish_of(word: str | None) -> int:
    """The place in FINISHES of a finish_reason."""
    return FINISHES.index(word) if word in FINISHES else 0


def _or_absent(value: int | None) -> int:
    return ABSENT if value is None else value


def share_together(gaps_ns: npt.ArrayLike) -> float | None:
    """The share of these gaps that are so short beside their mean that both chunks came together; None without any."""
    import numpy as np

    gaps = np.asarray(gaps_ns, dtype=np.float64)
    return float((gaps <= TOGETHER_GAP * gaps.mean()).mean()) if len(gaps) else None
