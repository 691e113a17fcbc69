"""Both sides' points on one chart: throughput against a latency, of the workload that both have most points of."""

from __future__ import annotations

import pandas as pd

from bench.basis.evidence import Ranking
from bench.library import Library
from bench.questions.compare import sides
from bench.selection import as_asked
from bench.view import View

ACROSS = (
    "interactivity_tokens_per_s_per_user_p50",
    "interactivity_tokens_per_s_per_user_mean",
    "e2el_ms_p50",
    "e2el_ms_mean",
    "ttft_ms_p50",
    "ttft_ms_mean",
)
"""What lies across: the first of these that most points state."""

UP = ("output_tokens_per_s_per_accelerator", "output_tokens_per_s", "requests_per_s")


def places(library: Library, ranking: Ranking, a: View, b: View) -> pd.DataFrame:
    """The points of both sides of one workload: `side`, `x`, `y`, the keys of both metrics, and what a point is of."""
    parts = [(name, sides.of_side(library, ranking, own)) for name, own in (("a", a), ("b", b))]
    across, up = ([one for one in listed if library.has(one)] for listed in (ACROSS, UP))
    if not across or not up:
        return pd.DataFrame()
    columns = ", ".join(f'"{one}"' for one in (*across, *up))
    rows = library.query(
        " UNION ALL ".join(
            f"SELECT '{name}' AS side, point_id, {as_asked('isl')} AS isl, {as_asked('osl')} AS osl, concurrency,"
            f" request_rate, batch, {columns} FROM points WHERE {one.sql}"
            for name, one in parts
        ),
        tuple(value for _, one in parts for value in one.params),
    )
    best: pd.DataFrame = pd.DataFrame()
    for x in across:
        for y in up:
            held = rows[(rows[x] > 0) & (rows[y] > 0)]
            for _, own in held.groupby(["isl", "osl"], dropna=False):
                poorer = own["side"].value_counts().reindex(["a", "b"], fill_value=0).min()
                if poorer > best.attrs.get("poorer", 0):
                    best = own.assign(x=own[x], y=own[y], across=x, up=y)
                    best.attrs["poorer"] = poorer
    return best.sort_values(["side", "x", "point_id"], ignore_index=True) if len(best) else best
