"""Points of two sides put together: those of one workload and load, alike in all that both sides have in common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bench import catalogue
from bench.catalogue import Kind
from bench.library import Library
from bench.maths.leave_one_out import Places
from bench.questions.compare.sides import LOAD, WORKLOAD
from bench.records import DEPLOYMENT_FIELDS, POINT_FIELDS
from bench.selection import Clause, as_asked

DEPLOYED = (
    "precision",
    "kv_precision",
    "accelerator",
    "accelerators",
    "tp",
    "pp",
    "dp",
    "ep",
    "dp_attention",
    "engine",
    "engine_version",
    "speculation",
    "disaggregated",
    "prefix_caching",
    "variant",
    "dataset",
    "harness",
    "source",
)
"""Facts that two points of a pair share wherever the sides have a value in common."""

DEPLOYMENT = (*(one for one in DEPLOYMENT_FIELDS if one != "checkpoint"), "dataset", "harness")
"""What the repeats of one side have in common. Of several deployments at one load the one with most runs stands, of
those the newest, then the fastest."""

FIGURES = ("output_tokens_per_s", "total_tokens_per_s", "requests_per_s")
LOADS = ("concurrency", "request_rate", "batch")

LOOSELY = frozenset(DEPLOYED) - {"precision", "accelerator", "accelerators", "engine", "speculation", "disaggregated"}
"""Those that give way where no two points agree in all."""

COMPARED: tuple[Kind, ...] = ("throughput", "per_accelerator", "engine_rate", "latency")
TELLING = ("mean", "p50", "p99")
MOST_METRICS = 9
LEFT_OUT = frozenset(
    "peak_output_tokens_per_s output_tokens_per_s_active goodput_requests_per_s input_tokens_per_s"
    " input_tokens_per_s_per_accelerator output_tokens_per_s_per_decode_accelerator"
    " input_tokens_per_s_per_prefill_accelerator first_event_ms_p50 first_token_gap_ms_p50".split()
)
"""Metrics that tell nothing beside the others, or only what nobody compares by."""


@dataclass(frozen=True)
class Matched:
    """The points of both sides that have a partner: a row each, `pair` numbers the pairs from 0, `side` is a or b.

    `of_pair` has the first point of each pair on either side, by `pair`; `points` counts all points of each side.
    """

    rows: pd.DataFrame
    many: int
    on: tuple[str, ...]
    points: Mapping[str, int]
    metrics: tuple[str, ...]

    def values(self, metric: str) -> tuple[pd.DataFrame, Places]:
        """The rows that state this metric above 0, on both sides of their pair, and those pairs' numbers."""
        held = self.rows[(self.rows[metric] > 0) & np.isfinite(self.rows[metric])]
        own = [held.loc[held["side"] == side, "pair"].to_numpy() for side in "ab"]
        pairs = np.intersect1d(*own)
        return held[held["pair"].isin(pairs)], pairs


def metrics_held(library: Library) -> list[str]:
    """The metrics that are compared, in the catalogue's order; of a distribution a few statistics."""
    stored = library.metric_columns()
    held = {*stored, *catalogue.derivable({*stored, *POINT_FIELDS})}
    found = catalogue.metrics_of(*COMPARED, held=held)
    rows = [catalogue.metric(key) for key in found if key not in LEFT_OUT]
    return [row.key for row in rows if (row.statistic is None or row.statistic in TELLING) and library.has(row.key)]


def matched(library: Library, sides: tuple[Clause, Clause], fixed: Iterable[str], metrics: Sequence[str]) -> Matched:
    """The pairs of two sides; `fixed` are the facts that a side's own filters name, by which no two are matched."""
    must = [one for one in (*WORKLOAD, *LOAD) if library.has(one) and one not in fixed]
    shared = [one for one in _shared(library, sides) if one not in fixed]
    found = _matched(library, sides, [*must, *shared], metrics)
    if not found.many and any(one in LOOSELY for one in shared):
        found = _matched(library, sides, [*must, *(one for one in shared if one not in LOOSELY)], metrics)
    return found


def _shared(library: Library, sides: tuple[Clause, Clause]) -> list[str]:
    """The facts of DEPLOYED of which both sides state a value that the other has too."""
    columns = [one for one in DEPLOYED if library.has(one)]
    listed = ", ".join(f"CAST({one} AS VARCHAR) AS {one}" for one in columns)
    a, b = (
        library.fetch(
            f"SELECT DISTINCT fact, stated FROM (UNPIVOT (SELECT {listed} FROM points WHERE {side.sql})"
            " ON * INTO NAME fact VALUE stated)",
            side.params,
        )
        for side in sides
    )
    shared = {fact for fact, _ in {*a} & {*b}}
    return [one for one in columns if one in shared]


def _matched(library: Library, sides: tuple[Clause, Clause], on: Sequence[str], metrics: Sequence[str]) -> Matched:
    key = f"hash({', '.join(map(as_asked, on))})"
    figures = ", ".join(f'"{one}"' for one in metrics)
    one_of = ", ".join(one for one in DEPLOYMENT if library.has(one))
    figure = ", ".join([*(one for one in FIGURES if library.has(one)), "0"])
    parts = [
        f"SELECT '{name}' AS side, {key} AS key, hash({one_of}) AS deployed, point_id, source_id, model, precision,"
        f" evidence, accelerator, accelerators AS chips, tp, isl, osl, load_kind,"
        f" {', '.join(LOADS)}, date,"
        f" coalesce({figure}) AS figure"
        f"{', ' if figures else ''}{figures} FROM points WHERE {side.sql}"
        for name, side in zip("ab", sides, strict=True)
    ]
    rows = library.query(
        f"WITH both_sides AS ({' UNION ALL '.join(parts)}), counted AS (SELECT *, count(*) OVER (PARTITION BY side) AS"
        " of_side, min(side) OVER (PARTITION BY key) <> max(side) OVER (PARTITION BY key) AS met,"
        " count(*) OVER same AS runs, max(date) OVER same AS latest, max(figure) OVER same AS best FROM both_sides"
        " WINDOW same AS (PARTITION BY side, key, deployed))"
        " SELECT * EXCLUDE (deployed, date, figure, runs, latest, best), deployed = first_value(deployed) OVER"
        " (PARTITION BY side, key ORDER BY runs DESC, latest DESC NULLS LAST, best DESC, deployed) AS stands"
        " FROM counted"
        f" ORDER BY isl, osl, load_kind, {', '.join(LOADS)}, key, side, point_id",
        tuple(value for side in sides for value in side.params),
    )
    counts = {str(side): int(many) for side, many in rows.groupby("side")["of_side"].first().items()}
    numbers = ["isl", "osl", "chips", "tp", *LOADS, *metrics]
    rows[numbers] = rows[numbers].astype("float64")
    paired = rows[rows["met"] & rows["stands"]].drop(columns=["met", "stands", "of_side"])
    places, _ = pd.factorize(paired["key"])
    paired = paired.assign(pair=places)
    stated = tuple(one for one in metrics if _pairs_of(paired, one))
    return Matched(paired, int(places.max(initial=-1)) + 1, tuple(on), {"a": 0, "b": 0} | counts, stated)


def _pairs_of(rows: pd.DataFrame, metric: str) -> int:
    """How many pairs state a metric on both sides."""
    held = rows[metric].to_numpy() > 0
    is_a, pairs = (rows["side"] == "a").to_numpy(), rows["pair"].to_numpy()
    return len(np.intersect1d(pairs[held & is_a], pairs[held & ~is_a]))


def told(found: Matched, wanted: str) -> list[str]:
    """The metrics that are told, the wanted one first, else a throughput; of equal chips none is told for each chip.

    Of a distribution its p99 and the mean or median that more pairs state.
    """
    many = {one: _pairs_of(found.rows, one) for one in found.metrics}
    chips = found.rows.groupby("pair")["chips"].nunique(dropna=False)
    unequal = bool(len(chips)) and bool((chips > 1).any())
    listed = []
    for key in found.metrics:
        row = catalogue.metric(key)
        if row.base == "itl_ms" and any(one.startswith("tpot_ms") for one in found.metrics):
            continue  # its percentiles are of packets where a chunk carries several tokens
        if (row.kind == "per_accelerator") != unequal and row.kind in ("per_accelerator", "throughput"):
            continue
        other = f"{row.base}_{'p50' if row.statistic == 'mean' else 'mean'}"
        if row.statistic in ("mean", "p50") and many.get(other, 0) >= many[key] + (row.statistic == "p50"):
            continue
        listed.append(key)
    order = sorted(listed, key=lambda key: (catalogue.metric(key).kind == "latency", -many[key]))
    usual = [key for key in listed if key.startswith("output_tokens_per_s") and 2 * many[key] >= max(many.values())]
    first = [wanted] if wanted in found.metrics else (usual or order)[:1]
    return [*first, *(key for key in listed if key not in first)][:MOST_METRICS]


def defined_apart(library: Library, found: Matched, metrics: Sequence[str]) -> frozenset[str]:
    """The metrics that the sources of one side define otherwise than those of the other."""
    sides = [found.rows.loc[found.rows["side"] == key, "source_id"].unique().tolist() for key in "ab"]
    if not metrics or not all(sides):
        return frozenset()
    words = [
        {
            metric: set(definitions)
            for metric, definitions in library.fetch(
                "SELECT metric, list(DISTINCT concat_ws('; ', definition, denominator, \"window\")) FROM passports"
                " WHERE source_id IN (SELECT unnest(CAST(? AS VARCHAR[]))) GROUP BY metric",
                (ids,),
            )
        }
        for ids in sides
    ]
    return frozenset(
        metric
        for metric in metrics
        if metric in words[0] and metric in words[1] and words[0][metric] != words[1][metric]
    )
