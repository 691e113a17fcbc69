"""Lengths: what was counted against what was asked for."""

from __future__ import annotations

from collections.abc import Iterator

from bench.audit.checks import rows_where
from bench.audit.finding import Finding
from bench.formats.plausibility.lengths import LENGTH_SHARE
from bench.library import Library
from bench.wording import number, share

TITLE = "Token counts"
RULE = "mean length counted = length asked for"

WORDS = {"isl": "Inputs", "osl": "Outputs"}


def findings(library: Library) -> Iterator[Finding]:
    """The points whose lengths are not those asked for."""
    for which, word in WORDS.items():
        actual, requested = f"{which}_actual", f"{which}_requested"
        off = (
            f"abs({actual} / {requested} - 1) > {LENGTH_SHARE}"
            f" ORDER BY abs(ln(greatest({actual}, 1) / {requested})) DESC, point_id"
        )
        for row in rows_where(library, (actual, requested), off):
            text = (
                f"{word} had {number(row[actual])} tokens on average where {number(row[requested])} were asked for"
                f" ({share(row[actual] / row[requested] - 1)} off)."
            )
            yield Finding(
                text,
                f"{which}_off_target",
                row["source"],
                (row["point_id"],),
                values={"actual": row[actual], "asked": row[requested]},
            )
