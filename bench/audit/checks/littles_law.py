"""Requests in flight: in a closed loop the rate of answers times their mean time is the concurrency (Little's law)."""

from __future__ import annotations

from collections.abc import Iterator

from bench.audit.checks import metrics_of, rows_where
from bench.audit.finding import Finding
from bench.formats.plausibility.soundness import LITTLE_TOLERANCE, littles_law
from bench.library import Library

TITLE = "Little's law"
RULE = "output tokens/s / output length x end-to-end latency = concurrency of a closed loop"

LATENCIES = ("e2el_ms_mean", "e2el_ms_p50")
ALSO = (*LATENCIES, "e2el_ms_p99", "e2el_ms_max", "requests_ok", "requests_failed", "requests_per_s", "duration_s")


def findings(library: Library) -> Iterator[Finding]:
    """The points of closed loops whose throughput, latency and concurrency do not fit each other."""
    latencies = [key for key in LATENCIES if library.has(key)]
    if not latencies:
        return
    implied = f"output_tokens_per_s / coalesce(osl_actual, osl) * coalesce({', '.join(latencies)}) / 1000 / concurrency"
    off = f"load_kind = 'closed' AND NOT {implied} BETWEEN {1 / LITTLE_TOLERANCE} AND {LITTLE_TOLERANCE}"
    for row in rows_where(library, ("output_tokens_per_s",), off, (*ALSO, "concurrency", "osl", "osl_actual")):
        osl = row.get("osl_actual", row.get("osl"))
        for flag in littles_law(metrics_of(row), row["concurrency"], osl):
            yield Finding(flag.seen, flag.kind, row["source"], (row["point_id"],))
