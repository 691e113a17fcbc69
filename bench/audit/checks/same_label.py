"""One label, two figures: points that differ in nothing a chart's label tells, of one source or of several."""

from __future__ import annotations

from collections.abc import Iterator

from bench.audit.finding import Finding
from bench.basis import points
from bench.library import Library
from bench.library.newest_runs import SET_ASIDE
from bench.library.runs import RUN_GAP_DAYS
from bench.records import DEPLOYMENT_FIELDS, LOAD_FIELDS
from bench.wording import counted, number

TITLE = "One label, two figures"
RULE = "points that stand, alike in deployment, load and stated lengths have one throughput"

APART = 1.1
"""Repeats on one machine lie within a few per cent."""

NOT_ON_A_LABEL = ("checkpoint", "variant", "kv_precision")
LABEL = (*(name for name in DEPLOYMENT_FIELDS if name not in NOT_ON_A_LABEL), "evidence")
TOLD_BY_SEVERAL = ("model", "engine", "accelerator")
"""Points of two sources have one label only where it tells these."""
LENGTHS = ("isl", "osl")
"""Where only one of two points states a length, the label of neither tells them apart."""

NOT_TOLD = ("variant", "kv_precision", *LENGTHS, "context_tokens", "max_model_len", "dataset")
"""What two points of one label may differ in."""

LISTED = 40
"""So many points of a label are named."""


def findings(library: Library) -> Iterator[Finding]:
    """The labels under which two points at one load lie apart, with the load where they lie farthest."""
    if not library.has("output_tokens_per_s"):
        return
    label = ", ".join(LABEL)
    load = ", ".join(LOAD_FIELDS)
    alike = " AND ".join(f"coalesce(a.{name} = b.{name}, a.source = b.source)" for name in LENGTHS)
    stated = " AND ".join(f"{name} IS NOT NULL" for name in TOLD_BY_SEVERAL)
    rows = library.fetch(
        f"WITH held AS MATERIALIZED (SELECT point_id, hash({label}) AS label, hash({label}, {load}) AS place,"
        f" isl, osl, date, output_tokens_per_s AS value, coalesce(source, '') AS source, {stated} AS told FROM points"
        f" WHERE evidence = 'measured' AND point_id NOT IN (SELECT point_id FROM {SET_ASIDE})"
        " AND output_tokens_per_s > 0 AND load_kind IN ('closed', 'batch', 'open')),"
        " doubtful AS (SELECT * FROM held WINDOW one AS (PARTITION BY place)"
        f" QUALIFY max(value) OVER one > {APART} * min(value) OVER one),"
        " extremes AS (SELECT label, place, isl, osl, date, source, told, min({'v': value, 'id': point_id}) AS low,"
        " max({'v': value, 'id': point_id}) AS high FROM doubtful GROUP BY ALL),"
        " pairs AS (SELECT a.label, a.high AS high, b.low AS low FROM extremes a JOIN extremes b USING (place)"
        f" WHERE a.high.v > {APART} * b.low.v AND {alike}"
        " AND (a.source = b.source OR a.told)"
        f" AND coalesce(abs(a.date - b.date) <= {RUN_GAP_DAYS}, TRUE))"
        " SELECT max({'r': high.v / low.v, 'high': high, 'low': low}), list_sort(list_distinct("
        " flatten(list([high.id, low.id])))) FROM pairs GROUP BY label ORDER BY 1 DESC"
    )
    for worst, ids in rows:
        high, low = worst["high"], worst["low"]
        pair = points.named(library, [high["id"], low["id"]])
        facts, other = pair[high["id"]], pair[low["id"]]
        unlike = [name for name in NOT_TOLD if getattr(facts, name) != getattr(other, name)]
        where = "" if facts.source == other.source else f" in {facts.source} and {other.source}"
        text = (
            f"{facts.words(unlike)} has {number(high['v'])} and {number(low['v'])} tokens/s{where},"
            f" {number(worst['r'])} times apart; {counted(len(ids), 'point')} share the label."
        )
        first = dict.fromkeys((high["id"], low["id"], *ids))
        yield Finding(
            text,
            "contradicted",
            facts.source,
            tuple(first)[:LISTED],
            values={"high": high["v"], "low": low["v"], "ratio": worst["r"]},
        )
