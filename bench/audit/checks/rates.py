"""Rates: a throughput is what its sums and its time come to."""

from __future__ import annotations

from collections.abc import Iterator

from bench.audit.checks import doubts_of
from bench.audit.finding import Finding
from bench.library import Library

TITLE = "Rates"
RULE = (
    "throughput = tokens / duration = requests/s x mean length = accelerators x that of each; total = input + output,"
    " in proportion to the lengths"
)


def findings(library: Library) -> Iterator[Finding]:
    """The points one of whose throughputs is not what its sums come to."""
    return doubts_of(library, "rates_differ")
