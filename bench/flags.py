"""What is wrong with a point, in words, and how much that weighs; a flag's kind is one row here.

`excludes`: the figure cannot be what it is filed as, so the point is drawn hollow and ranked nowhere. `warns`: it is
ranked, and whoever names it names its flags. `notes`: it stands beside the point and changes no sentence. A kind that
is not listed warns.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

Weight = Literal["excludes", "warns", "notes"]


@dataclass(frozen=True)
class Kind:
    """One kind of flag: its words inside a sentence and its weight."""

    words: str
    weight: Weight


KINDS = {
    # Impossible, or filed as what it is not.
    "littles-law": Kind("against Little's law", "excludes"),
    "unit-doubtful": Kind("doubtful unit", "excludes"),
    "role-chips-unknown": Kind("chips contradict the throughput", "excludes"),
    "implausible": Kind("implausible", "excludes"),
    "capacity": Kind("beyond the capacity", "excludes"),
    "no-source": Kind("no source given", "excludes"),
    "cold-start": Kind("cold start", "excludes"),
    "clock_trouble": Kind("clock trouble", "excludes"),
    "outage": Kind("outage inside", "excludes"),
    "rate_limited": Kind("rate-limited", "excludes"),
    # What a reader of the figure has to know.
    "bursts": Kind("tokens in bursts", "warns"),
    "capped": Kind("cut short by a cap", "warns"),
    "client_limited": Kind("client limited", "warns"),
    "contradicted": Kind("contradicted under one label", "warns"),
    "copy": Kind("loaded twice", "warns"),
    "cut_short": Kind("slow requests cut off", "warns"),
    "decode-only": Kind("decode only", "warns"),
    "energy-mismatch": Kind("energy contradicts the power", "warns"),
    "failures": Kind("failed requests", "warns"),
    "isl_off_target": Kind("input length off target", "warns"),
    "isl_unknown": Kind("input length unknown", "warns"),
    "latency-sum": Kind("latencies that do not add up", "warns"),
    "methodology": Kind("doubtful method", "warns"),
    "mostly_idle": Kind("mostly idle", "warns"),
    "not-the-maximum": Kind("not the maximum", "warns"),
    "not_steady": Kind("not steady", "warns"),
    "osl_off_target": Kind("output length off target", "warns"),
    "over_saturated": Kind("over-saturated", "warns"),
    "prefix_cache_warm": Kind("prefix cache warm", "warns"),
    "rates_differ": Kind("rates contradict each other", "warns"),
    "requests-unaccounted": Kind("requests unaccounted for", "warns"),
    "roofline": Kind(
        "beyond the roofline", "warns"
    ),  # the ceiling is worked out, by the context that is stated
    "server-figure": Kind("server's own figure", "warns"),
    "stated-otherwise": Kind("contradicted by its own source", "warns"),
    "throughput_low": Kind("throughput below what its latencies say", "warns"),
    "token count": Kind("doubtful token count", "warns"),
    "tokens_by_chunks": Kind("tokens counted by chunks", "warns"),
    "too_fast": Kind("too fast to be timed", "warns"),
    "undefined-throughput": Kind("undefined throughput", "warns"),
    "unofficial": Kind("unofficial", "warns"),
    "unstated-statistic": Kind("unstated statistic", "warns"),
    "windows-differ": Kind("windows differ", "warns"),
    # Of the slow tail or of packets alone.
    "resent": Kind("requests sent twice", "notes"),
    "too_few_requests": Kind("too few requests for the tail", "notes"),
    "itl_left_out": Kind("chunks read together", "notes"),
    "tokens_by_length": Kind("tokens as asked for", "notes"),
    "tokens_in_chunks": Kind("several tokens in a chunk", "notes"),
}

IN_WORDS: Mapping[Weight, str] = {
    "excludes": "not ranked",
    "warns": "ranked, and named with it",
    "notes": "a note",
}
"""What each weight means for a point."""

EXCLUDING = tuple(name for name, kind in KINDS.items() if kind.weight == "excludes")


def words(kind: str) -> str:
    """A kind of flag inside a sentence: "against Little's law"; one that is not listed by its own name."""
    return KINDS[kind].words if kind in KINDS else kind.replace("-", " ").replace("_", " ")


def weight(kind: str) -> Weight:
    """How much a kind of flag weighs."""
    return KINDS[kind].weight if kind in KINDS else "warns"


def weight_words(kind: str) -> str:
    """What a flag of this kind means for its point: "not ranked"."""
    return IN_WORDS[weight(kind)]


def kinds_of(stated: str | None) -> tuple[str, ...]:
    """The kinds of a point's flags as its column holds them, JSON or nothing; each once, in order."""
    return _kinds(stated) if isinstance(stated, str) and stated not in ("", "[]") else ()


@lru_cache(maxsize=4096)
def _kinds(stated: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(flag["kind"] for flag in json.loads(stated)))


def telling(kinds: Iterable[str]) -> list[str]:
    """The words of those kinds that a sentence about the point must print: all but notes, each once."""
    return list(dict.fromkeys(words(kind) for kind in kinds if weight(kind) != "notes"))


def has_sql(kinds: Iterable[str]) -> str:
    """The DuckDB expression of whether a point has a flag of one of these kinds; never NULL."""
    listed = "|".join(kind.replace("-", "\\-") for kind in kinds)
    return f'coalesce(regexp_matches(flags, \'"kind": ?"({listed})"\'), FALSE)'


def beyond_notes_sql() -> str:
    """The DuckDB expression of whether a point has a flag that is more than a note; never NULL."""
    noted = ", ".join(f"'{kind}'" for kind, row in KINDS.items() if row.weight == "notes")
    kinds = "json_extract_string(flags, '$[*].kind')"
    more = f"len(list_filter({kinds}, lambda kind: kind NOT IN ({noted}))) > 0"
    return f"CASE WHEN flags LIKE '[{{%' THEN {more} ELSE FALSE END"
