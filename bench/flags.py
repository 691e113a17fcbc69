"""What is wrong with a point, in words, and how much that weighs; a flag's kind is a row of data/flags.csv.

`excludes`: the figure cannot be what it is filed as, so the point is drawn hollow and ranked nowhere. `warns`: it is
ranked, and whoever names it names its flags. `notes`: it stands beside the point and changes no sentence. A kind that
is not listed warns.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, cast

from bench.names import table

Weight = Literal["excludes", "warns", "notes"]


@dataclass(frozen=True)
class FlagKind:
    """One kind of flag: its words inside a sentence and its weight."""

    words: str
    weight: Weight


KINDS = {row["kind"]: FlagKind(row["words"], cast(Weight, row["weight"])) for row in table("flags.csv")}

IN_WORDS: Mapping[Weight, str] = {"excludes": "not ranked", "warns": "ranked, and named with it", "notes": "a note"}
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


def printed(kinds: Iterable[str]) -> list[str]:
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
