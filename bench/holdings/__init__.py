"""What the library holds, as tables and as files, and how it is corrected."""

from bench.holdings.originals import original
from bench.holdings.tables import (
    FILE_POINTS,
    TABLES,
    counts,
    hidden,
    passports,
    passports_of,
    points,
    points_named,
    prices,
    refusals,
    scores,
    sources,
    summary,
)

__all__ = [
    "FILE_POINTS",
    "TABLES",
    "counts",
    "hidden",
    "original",
    "passports",
    "passports_of",
    "points",
    "points_named",
    "prices",
    "refusals",
    "scores",
    "sources",
    "summary",
]
