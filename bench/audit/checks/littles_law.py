"""Requests in flight: in a closed loop the rate of answers times their mean time is the concurrency (Little's law)."""

from __future__ import annotations

from collections.abc import Iterator

from bench.audit.checks import doubts_of
from bench.audit.finding import Finding
from bench.library import Library

TITLE = "Little's law"
RULE = (
    "output tokens/s / output length x mean end-to-end latency = concurrency of a closed loop, and at most that of "
    "another load; too few are only warned about where the end of a short run explains it, and a median alone where a "
    "mean of 0.88 to 1.6 times it does; an open loop answers no more than it was sent"
)

KINDS = ("littles-law", "more_than_sent", "littles-law-by-median", "few-in-flight")


def findings(library: Library) -> Iterator[Finding]:
    """The points whose throughput, latency and load do not fit each other, those first that rank nowhere."""
    return doubts_of(library, *KINDS)
