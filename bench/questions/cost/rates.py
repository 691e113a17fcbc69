"""The throughput a cost is divided by, for each kind of token, as SQL over a point's columns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bench.library import Library


@dataclass(frozen=True)
class Kind:
    """One kind of token: its words, its label, and the catalogue's cost metric."""

    words: str
    label: str
    usd: str


KINDS = {
    "output": Kind("output tokens", "Output tokens", "usd_per_million_output_tokens"),
    "input": Kind("input tokens", "Input tokens", "usd_per_million_input_tokens"),
    "blended": Kind("input and output tokens", "Input and output, as mixed", "usd_per_million_total_tokens"),
    "total": Kind(
        "input and output tokens", "Input and output, measured only", "usd_per_million_total_tokens"
    ),
}
"""`blended` takes the prompt tokens from the workload's lengths where no prompt throughput was measured; `total` never
does."""

_INPUT, _OUTPUT, _TOTAL = "input_tokens_per_s", "output_tokens_per_s", "total_tokens_per_s"
_SUM = f"({_INPUT} + {_OUTPUT})"
RATES = {
    "output": (_OUTPUT,),
    "input": (_INPUT, f"({_OUTPUT} * isl / nullif(osl, 0))"),
    "blended": (_TOTAL, _SUM, f"({_OUTPUT} * (1 + isl / nullif(osl, 0)))"),
    "total": (_TOTAL, _SUM),
}
"""What a throughput of each kind is read from, the first that a point states."""

MEASURED = {"output": (), "input": (_INPUT,), "blended": (_TOTAL, _INPUT), "total": ()}
"""Metrics beside which nothing is worked out from the workload's lengths."""


def rate_sql(kind: str, library: Library) -> str:
    """The DuckDB expression of a point's tokens per second of this kind; NULL where it serves nothing or is absent."""
    usable = [f"CASE WHEN isfinite({one}) AND {one} > 0 THEN {one} END" for one in _held(kind, library)]
    return f"coalesce({', '.join(usable)}, NULL)" if usable else "CAST(NULL AS DOUBLE)"


def kinds(library: Library) -> list[str]:
    """The kinds of token that some loaded point may have a throughput of."""
    return [kind for kind in KINDS if _held(kind, library)]


def is_derived(kind: str, metrics: Mapping[str, float]) -> bool:
    """Whether a point's throughput of this kind is worked out from the workload's lengths, by the metrics it states."""
    return bool(MEASURED[kind]) and not any(metrics.get(key) for key in MEASURED[kind])


def _held(kind: str, library: Library) -> list[str]:
    """Those of a kind's expressions whose metrics are loaded."""
    absent = [column for column in (_INPUT, _OUTPUT, _TOTAL) if not library.has(column)]
    return [one for one in RATES[kind] if not any(column in one for column in absent)]
