"""How a point is going while it runs: counted from the requests as they end."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median
from time import monotonic

from bench.sweep.wire.exchange import Exchange

RECENT = 200


@dataclass
class RequestTally:
    """What became of the requests so far. `why` has the first error of each kind.

    `given_up` says that the point was ended since nothing was answered well. `failed_in_a_row` counts the latest
    requests, as far as none of them ended well, and `good_at` is the monotonic time at which one did last, or the load
    began. `ran_out` says that the tokens the sweep may ask for were used up.
    """

    ok: int = 0
    failed: int = 0
    cancelled: int = 0
    failed_in_a_row: int = 0
    good_at: float = field(default_factory=monotonic)
    tokens: int = 0
    ran_out: bool = False
    given_up: bool = False
    kinds: Counter[str] = field(default_factory=Counter)
    why: dict[str, str] = field(default_factory=dict)
    ttft_ms: deque[float] = field(default_factory=lambda: deque(maxlen=RECENT))
    tpot_ms: deque[float] = field(default_factory=lambda: deque(maxlen=RECENT))

    def add(self, one: Exchange) -> None:
        """Count one more request that has ended."""
        if one.outcome == "ok":
            self.failed_in_a_row, self.good_at = 0, monotonic()
            self.ok += 1
            self.tokens += one.output_tokens or 0
            if one.first_ns is not None:
                start = one.intended_ns if one.intended_ns is not None else one.sent_ns
                self.ttft_ms.append((one.first_ns - start) / 1e6)
                later = sum(one.tokens) - one.first_tokens
                if later > 0:
                    self.tpot_ms.append((one.stamps_ns[-1] - one.first_ns) / later / 1e6)
        elif one.outcome == "cancelled":
            self.cancelled += 1
        else:
            self.failed += 1
            self.failed_in_a_row += 1
            self.kinds[one.outcome] += 1
            self.why.setdefault(one.outcome, one.error)

    @property
    def ttft_ms_p50(self) -> float | None:
        """The median of the latest requests' TTFT; None before the first."""
        return median(self.ttft_ms) if self.ttft_ms else None

    @property
    def tpot_ms_p50(self) -> float | None:
        """The median of the latest requests' TPOT; None before the first."""
        return median(self.tpot_ms) if self.tpot_ms else None

    @property
    def reasons(self) -> str:
        """The failures by kind, each with its first error: "20 connect (Connection refused)"."""
        return ", ".join(
            f"{many:,} {kind}" + (f" ({self.why[kind]})" if self.why.get(kind) else "")
            for kind, many in self.kinds.most_common(4)
        )

    @classmethod
    def of(cls, parts: Iterable[RequestTally]) -> RequestTally:
        """The tallies of several workers together."""
        whole = cls(good_at=0.0)
        for part in parts:
            for name in ("ok", "failed", "cancelled", "failed_in_a_row", "tokens"):
                setattr(whole, name, getattr(whole, name) + getattr(part, name))
            whole.good_at = max(whole.good_at, part.good_at)
            whole.ran_out |= part.ran_out
            whole.given_up |= part.given_up
            whole.kinds += part.kinds
            whole.why = {**part.why, **whole.why}
            whole.ttft_ms.extend(part.ttft_ms)
            whole.tpot_ms.extend(part.tpot_ms)
        return whole


class Pace:
    """Tokens per second over the last few looks at a tally."""

    def __init__(self) -> None:
        self._looks: deque[tuple[float, int]] = deque([(monotonic(), 0)], maxlen=6)

    def look(self, tokens: int) -> float:
        """The rate up to now."""
        now = monotonic()
        self._looks.append((now, tokens))
        since, before = self._looks[0]
        return (tokens - before) / (now - since) if now > since else 0.0
