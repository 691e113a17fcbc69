"""When a point is known well enough to end early: the 95 % intervals of its throughput and TTFT p50 are narrow.

The method is that of batch means. Neighbouring requests share a queue and a batch, so they are no independent values;
means over long batches nearly are. Batches hold equally many completed requests, at least one round of the
concurrency each. There are 10 to 19 of them; with the 20th they are joined in pairs and so grow with the point.
Throughput is a ratio, tokens over time, so its variance is that of what each batch deviates from the ratio of all.

Source: B. Schmeiser, "Batch size effects in the analysis of simulation output", Operations Research 30 (1982), on how
many batches; A. Law, "Simulation Modeling and Analysis", on the ratio estimator; P. Glynn and W. Whitt, "The
asymptotic validity of sequential stopping rules", Annals of Applied Probability 2 (1992), on stopping at a relative
width. Looking often makes an interval look narrow by chance now and then, so it must be narrow several times running.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from bench.maths.statistics import student_t_95
from bench.sweep.wire.exchange import Exchange

FEWEST, MOST = 10, 20
RUNNING = 3
"""How many batches in a row must find the intervals narrow."""


def prepare() -> None:
    """Load what the intervals need: done while the load runs, that would hold it up."""
    student_t_95(FEWEST - 1)


@dataclass
class RequestBatch:
    """So many requests that ended one after another: output tokens, the time they took, their TTFTs in order."""

    tokens: int
    ns: int
    ttfts: list[int]

    @property
    def median(self) -> float:
        """The TTFT p50 of the batch."""
        middle, odd = divmod(len(self.ttfts), 2)
        return float(self.ttfts[middle]) if odd else (self.ttfts[middle - 1] + self.ttfts[middle]) / 2

    def joined(self, other: RequestBatch) -> RequestBatch:
        """This batch and the next as one."""
        return RequestBatch(self.tokens + other.tokens, self.ns + other.ns, sorted(self.ttfts + other.ttfts))


class Precision:
    """Hears of each exchange as it ends, and knows whether the point may end.

    `share` is how wide half an interval may be, of its value. Those of the warm-up are not heard: the first
    `warmup_requests` numbers, and what was sent before `from_ns`. `round_of` is the concurrency, 1 in an open loop.
    """

    def __init__(self, share: float, round_of: int = 1, warmup_requests: int = 0, from_ns: int = 0) -> None:
        if not 0 < share < 1:
            raise ValueError(f"half an interval of {share} of its value: give a share between 0 and 1")
        self.share = share
        self._size = max(1, round_of)
        self._warmup_requests, self._from_ns = warmup_requests, from_ns
        self._batches: list[RequestBatch] = []
        self._narrow = 0
        self._last_ns = 0
        self._since_ns: int | None = None
        self._tokens, self._count, self._ttfts = 0, 0, list[int]()

    def add(self, one: Exchange) -> None:
        """Count an exchange that has ended."""
        if one.outcome == "cancelled" or one.number < self._warmup_requests or one.sent_ns < self._from_ns:
            return
        self._last_ns = max(self._last_ns, one.end_ns)
        if self._since_ns is None:  # the first one only says when time begins
            self._since_ns = self._last_ns
            return
        self._count += 1
        if one.outcome == "ok":
            self._tokens += one.output_tokens or 0
            if one.first_ns is not None:
                self._ttfts.append(one.first_ns - (one.sent_ns if one.intended_ns is None else one.intended_ns))
        if self._count >= self._size:
            self._close(self._since_ns)

    def enough(self) -> bool:
        """Whether both intervals are narrow."""
        return self._narrow >= RUNNING

    def throughput(self) -> tuple[float, float] | None:
        """Output tokens per second and half its 95 % interval; None with fewer than ten batches."""
        count = len(self._batches)
        time = sum(batch.ns for batch in self._batches) / 1e9
        if count < FEWEST or not time:
            return None
        ratio = sum(batch.tokens for batch in self._batches) / time
        off = [batch.tokens - ratio * batch.ns / 1e9 for batch in self._batches]
        spread = math.fsum(one * one for one in off) / (count - 1)
        return ratio, student_t_95(count - 1) * math.sqrt(spread / count) / (time / count)

    def ttft_ms(self) -> tuple[float, float] | None:
        """TTFT p50 and half its 95 % interval; None with fewer than ten batches, or one without a TTFT."""
        count = len(self._batches)
        if count < FEWEST or not all(batch.ttfts for batch in self._batches):
            return None
        medians = [batch.median / 1e6 for batch in self._batches]
        mean = math.fsum(medians) / count
        spread = math.fsum((one - mean) ** 2 for one in medians) / (count - 1)
        return mean, student_t_95(count - 1) * math.sqrt(spread / count)

    def _close(self, since_ns: int) -> None:
        self._batches.append(RequestBatch(self._tokens, self._last_ns - since_ns, sorted(self._ttfts)))
        self._since_ns = self._last_ns
        self._tokens, self._count, self._ttfts = 0, 0, []
        if len(self._batches) == MOST:
            pairs = zip(self._batches[::2], self._batches[1::2], strict=True)
            self._batches = [first.joined(second) for first, second in pairs]
            self._size *= 2
        self._narrow = self._narrow + 1 if self._is_narrow() else 0

    def _is_narrow(self) -> bool:
        throughput, ttft = self.throughput(), self.ttft_ms()
        if throughput is None or not throughput[0] or throughput[1] > self.share * throughput[0]:
            return False
        if ttft is None:  # answers in one piece have none; where some have one and some not, nothing is known
            return not any(batch.ttfts for batch in self._batches)
        return ttft[1] <= self.share * ttft[0]
