"""The parts of a request: the first token, then the others, make the whole."""

from __future__ import annotations

from collections.abc import Iterator

from bench.audit.checks import rows_where
from bench.audit.finding import Finding
from bench.library import Library
from bench.wording import number, share

TITLE = "Parts of a request"
RULE = "TTFT + (output length - 1) x TPOT = end-to-end latency, each of the same statistic"

TOLERANCE = {"mean": 1.25, "p50": 1.5}
"""Answers of 80 to 100 % of the stated length leave 13 % open; medians are of different requests, and do not add up."""


def findings(library: Library) -> Iterator[Finding]:
    """The points whose latencies do not add up, by means and, where there are none, by medians."""
    for statistic, most in TOLERANCE.items():
        keys = tuple(f"{base}_ms_{statistic}" for base in ("ttft", "tpot", "e2el"))
        ttft, tpot, e2el = keys
        ratio = f"(({ttft} + (coalesce(osl_actual, osl) - 1) * {tpot}) / {e2el})"
        off = f"NOT {ratio} BETWEEN {1 / most} AND {most}"
        if statistic == "p50" and library.has("e2el_ms_mean"):
            off += " AND e2el_ms_mean IS NULL"
        off += f" ORDER BY abs(ln({ratio})) DESC, point_id"
        for row in rows_where(library, keys, off, ("osl", "osl_actual")):
            osl = row.get("osl_actual", row.get("osl"))
            parts, whole = row[ttft] + (osl - 1) * row[tpot], row[e2el]
            text = (
                f"TTFT and {number(osl - 1)} further tokens come to {number(parts)} ms, the end-to-end latency is"
                f" {number(whole)} ms ({share(parts / whole - 1)} off, {statistic})."
            )
            yield Finding(
                text, "latency-sum", row["source"], (row["point_id"],), values={"parts": parts, "whole": whole}
            )
