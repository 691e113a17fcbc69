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
RULE = (
    "points that stand, alike in deployment, load and stated lengths have one throughput, in one source or, however far"
    " apart in time, in two of one version"
)

APART = 1.1
"""Repeats on one machine lie within a few per cent."""

VARIANTS = ("variant", "kv_precision")
NOT_ON_A_LABEL = ("checkpoint", *VARIANTS)
"""No chart's label tells these, so that points which differ in them alone look like one."""
LABEL = (*(name for name in DEPLOYMENT_FIELDS if name not in NOT_ON_A_LABEL), "evidence")
ONE_OF = ("engine", "accelerator")
MAY_BE_ABSENT = (*ONE_OF, "engine_version", "precision", "accelerators", "tp")
"""Points of two sources have one label where it tells the model and ONE_OF these, and one that only one of the two
sources states is the other's too, unless the other has several there."""
LENGTHS = ("isl", "osl")
"""Where only one of two points of a source states a length, the label of neither tells them apart; two sources are
alike where both or neither state it, and where neither does, of one dataset."""
LOADED = "(load_kind IN ('closed', 'batch', 'open', 'saturated') OR (load_kind = 'unknown' AND concurrency > 0))"

NOT_TOLD = (*VARIANTS, *LENGTHS, "context_tokens", "max_model_len", "dataset")
"""What two points of one label may differ in."""

LISTED = 40
"""So many points of a label are named."""


def findings(library: Library) -> Iterator[Finding]:
    """The labels under which two points at one load lie apart, with the load where they lie farthest."""
    if not library.has("output_tokens_per_s"):
        return
    for worst, ids in library.fetch(_apart_sql()):
        high, low = worst["high"], worst["low"]
        pair = points.named(library, [high["id"], low["id"]])
        facts, other = pair[high["id"]], pair[low["id"]]
        unlike = [name for name in NOT_TOLD if getattr(facts, name) != getattr(other, name)]
        where = "" if facts.source == other.source else f" in {facts.source} and {other.source}"
        if facts.date and other.date and abs(facts.date - other.date).days > RUN_GAP_DAYS:
            where += f" of {facts.date} and {other.date}"
        both = ((name, getattr(facts, name), getattr(other, name)) for name in VARIANTS)
        against = "".join(f" ({name} {one} against {two})" for name, one, two in both if one and two and one != two)
        for name, one in ((name, one) for name in MAY_BE_ABSENT for one in (facts, other)):
            implied = name == "engine_version" and one.engine is None
            if getattr(one, name) is None and getattr(facts, name) != getattr(other, name) and not implied:
                where += f" ({one.source} states no {name})"
        text = (
            f"{facts.words(unlike)} has {number(high['v'])} and {number(low['v'])} tokens/s{where},"
            f" {number(worst['r'])} times apart; {counted(len(ids), 'point')} share the label{against}."
        )
        first = dict.fromkeys((high["id"], low["id"], *ids))
        yield Finding(
            text,
            "contradicted",
            facts.source,
            tuple(first)[:LISTED],
            values={"high": high["v"], "low": low["v"], "ratio": worst["r"]},
        )


def _apart_sql() -> str:
    """The query of each label with its two points that lie farthest apart and the ids of all that lie apart."""
    label, load = ", ".join(LABEL), ", ".join(LOAD_FIELDS)
    rest = ", ".join(name for name in LABEL if name not in MAY_BE_ABSENT)
    neither = "a.{0} IS NULL AND b.{0} IS NULL AND a.dataset IS NOT DISTINCT FROM b.dataset"
    lengths = " AND ".join(
        f"coalesce(a.{name} = b.{name}, a.source = b.source OR ({neither.format(name)}))" for name in LENGTHS
    )
    # A newer run of a source stands for its older ones; another source's is held against it, however old it is.
    one_software = "a.source <> b.source AND a.engine_version IS NOT DISTINCT FROM b.engine_version"
    near = f"{lengths} AND (coalesce(abs(a.date - b.date) <= {RUN_GAP_DAYS}, TRUE) OR ({one_software}))"
    told = "a.model IS NOT NULL AND a.accelerator IS NOT NULL"
    # One of the two lacks what the other states, and something of the two is the same.
    same = " OR ".join(f"coalesce(a.{name} = b.{name}, FALSE)" for name in ONE_OF)
    fits = " AND ".join(f"coalesce(a.{name} = b.{name}, TRUE)" for name in MAY_BE_ABSENT)
    other = f"a.source <> b.source AND a.place <> b.place AND a.model IS NOT NULL AND ({same}) AND {fits}"
    return (
        f"WITH held AS MATERIALIZED (SELECT point_id, hash({label}) AS label, hash({label}, {load}) AS place,"
        f" hash({rest}, {load}) AS wide, model, {', '.join(MAY_BE_ABSENT)}, isl, osl, dataset, date,"
        " output_tokens_per_s AS value, coalesce(source, '') AS source FROM points"
        " WHERE evidence IN ('measured', 'unverified')"
        f" AND point_id NOT IN (SELECT point_id FROM {SET_ASIDE})"
        f" AND output_tokens_per_s > 0 AND {LOADED}),"
        " extremes AS MATERIALIZED (SELECT * EXCLUDE (point_id, value), min({'v': value, 'id': point_id}) AS low,"
        " max({'v': value, 'id': point_id}) AS high FROM held GROUP BY ALL),"
        " doubtful AS (SELECT * FROM extremes WINDOW one AS (PARTITION BY place)"
        f" QUALIFY max(high.v) OVER one > {APART} * min(low.v) OVER one),"
        f" partial AS (SELECT * FROM extremes WHERE {' OR '.join(f'{name} IS NULL' for name in MAY_BE_ABSENT)}),"
        " loose AS (SELECT b.label AS label, {'high': a.high, 'low': a.low} AS one, {'high': b.high, 'low': b.low} AS"
        f" other FROM partial a JOIN extremes b USING (wide) WHERE {near} AND {other} WINDOW twins AS (PARTITION BY"
        " a.place, a.isl, a.osl, a.dataset, a.date, a.source, b.source)"
        " QUALIFY min(b.label) OVER twins = max(b.label) OVER twins),"
        " pairs AS (SELECT a.label, a.high AS high, b.low AS low FROM doubtful a JOIN doubtful b USING (place)"
        f" WHERE {near} AND (a.source = b.source OR ({told}))"
        " UNION ALL SELECT label, one.high, other.low FROM loose"
        " UNION ALL SELECT label, other.high, one.low FROM loose)"
        " SELECT max({'r': high.v / low.v, 'high': high, 'low': low}), list_sort(list_distinct("
        f" flatten(list([high.id, low.id])))) FROM pairs WHERE high.v > {APART} * low.v GROUP BY label ORDER BY 1 DESC"
    )
