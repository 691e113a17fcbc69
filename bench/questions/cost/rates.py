"""The throughput a cost is divided by, for each kind of token, as SQL over a point's columns."""

from __future__ import annotations

from dataclasses import dataclass

from bench.library import Library


@dataclass(frozen=True)
class Kind:
    """One kind of token: its words, the catalogue's cost metric, and the columns its throughput is read from."""

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
_DERIVED = {
    "input": f"({_OUTPUT} * isl / nullif(osl, 0))",
    "blended": f"({_OUTPUT} * (1 + isl / nullif(osl, 0)))",
}


def rate_sql(kind: str, library: Library) -> str:
    """The DuckDB expression of a point's tokens per second of this kind, NULL where absent; "" if no point can have it.

    A figure that serves nothing or is not finite is absent.
    """
    every = [*_measured(kind, library), *([_DERIVED[kind]] if _derivable(kind, library) else [])]
    if not every:
        return ""
    return f"coalesce({', '.join(_usable(expression) for expression in every)})"


def is_derived_sql(kind: str, library: Library) -> str:
    """The DuckDB expression that says whether that throughput was worked out from the workload's lengths."""
    if not _derivable(kind, library):
        return "FALSE"
    measured = _measured(kind, library)
    return f"coalesce({', '.join(map(_usable, measured))}) IS NULL" if measured else "TRUE"


def _measured(kind: str, library: Library) -> list[str]:
    if kind in ("output", "input"):
        columns = {"output": _OUTPUT, "input": _INPUT}[kind]
        return [columns] if library.has(columns) else []
    both = [f"({_INPUT} + {_OUTPUT})"] if library.has(_INPUT) and library.has(_OUTPUT) else []
    return [*([_TOTAL] if library.has(_TOTAL) else []), *both]


def _derivable(kind: str, library: Library) -> bool:
    return kind in _DERIVED and library.has(_OUTPUT)


def _usable(expression: str) -> str:
    return f"CASE WHEN isfinite({expression}) AND {expression} > 0 THEN {expression} END"
