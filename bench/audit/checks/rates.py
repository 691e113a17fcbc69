"""Rates: a throughput is what its sums and its time come to."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bench.audit.checks import metrics_of, rows_where
from bench.audit.finding import Finding
from bench.formats.plausibility import rates
from bench.library import Library

TITLE = "Rates"
RULE = "throughput = tokens / duration = requests/s x mean length; total = input + output"

SUMS = ("output_tokens", "input_tokens", "requests_ok", "requests_failed", "duration_s")


COMES_TO = (
    ("output_tokens_per_s", "output_tokens / duration_s"),
    ("input_tokens_per_s", "input_tokens / duration_s"),
    ("requests_per_s", "requests_ok / duration_s"),
    ("output_tokens_per_s", "requests_per_s * osl_actual"),
    ("total_tokens_per_s", "(input_tokens_per_s + output_tokens_per_s)"),
    ("total_tokens_per_s", "(output_tokens_per_s * (isl + osl) / osl)"),
)
"""A throughput, and what it comes to where the library has the columns."""


def findings(library: Library) -> Iterator[Finding]:
    """The points one of whose throughputs is not what its sums come to."""
    off = [
        f"abs(ln({key} / ({sql}))) > ln({rates.SAME_WINDOW})"
        for key, sql in COMES_TO
        if all(library.has(name) for name in (key, *re.findall(r"[a-z_]+", sql)))
    ]
    also = (*rates.RATES, *SUMS, "isl", "osl", "osl_actual")
    for row in rows_where(library, (), f"({' OR '.join(off) or 'FALSE'}) ORDER BY point_id", also):
        lengths = (row.get("isl"), row.get("osl"))
        for flag in rates.differing(metrics_of(row), row.get("osl_actual"), lengths):
            yield Finding(flag.seen, flag.kind, row["source"], (row["point_id"],))
