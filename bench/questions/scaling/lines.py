"""The lines of a scaling chart: ranked points that differ in chips, layout and load alone, found and read by SQL.

A line is an envelope: everything is equal along it but the number of chips, the layout that spreads the model over
them (tp, pp, dp, ep, workers) and the load. Another precision or engine version is another line; without a stated
version so is another run, since software changes. MLPerf's submissions are told apart by submitter, system and public
id, which name the count; along a line those are equal but for it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench import catalogue, flags, selection
from bench.basis import evidence, limits, points
from bench.basis.evidence import Ranking, Reason
from bench.basis.points import PointFacts
from bench.basis.story import Needs
from bench.library import Library
from bench.questions.scaling.result import EVERY, MLPERF, STARVED, ScalingPoint
from bench.records import LOAD_AXES
from bench.selection import Clause, as_asked
from bench.wording import inline

# "HPE | HPE ProLiant DL384 Gen12 (2x GH200-144GB TensorRT) | 5.0-0038" without its 2x and -0038: submitter, system,
# software and round stay, and two submissions of one round differ by nothing else.
_SYSTEM = r"regexp_replace(regexp_replace(variant, '-\d+$', ''), '(^|[ (])\d+ ?x ?', '\1', 'g')"
SYSTEM = f"CASE WHEN harness = '{MLPERF}' THEN {_SYSTEM} ELSE variant END"
"""The SQL of a variant without the count of chips that an MLPerf submission's name holds."""

ALIKE = tuple(
    (
        "source harness model checkpoint precision kv_precision engine engine_version accelerator disaggregated "
        "speculation prefix_caching variant context_tokens max_model_len dataset shared_prefix_share turns load_kind "
        "arrivals scenario isl osl"
    ).split()
)
"""What all points of a line have in common."""

LAYOUT = tuple(
    (
        "nodes tp pp dp ep dp_attention prefill_accelerators decode_accelerators prefill_tp prefill_ep "
        "prefill_dp_attention prefill_workers decode_workers"
    ).split()
)
"""How the model is spread over the chips: free along a line, the best layout of each count is taken."""

METRICS = tuple(
    (
        "output_tokens_per_s total_tokens_per_s requests_per_s input_tokens_per_s goodput_requests_per_s "
        "output_tokens_per_s_active mlperf_tokens_per_s mlperf_samples_per_s mlperf_queries_per_s"
    ).split()
)
"""The throughputs that are compared; the first that most points have where the reader chooses none."""

FIGURES = ("interactivity_tokens_per_s_per_user", "tpot_ms", "ttft_ms")

MOST_FAILED = 0.5
"""A point that failed a larger share of its requests is on no line."""

MOST_TRIED = 4
"""So many lines of a group are read for one whose counts can be compared."""

RUN_DAYS = 7
"""Points further apart than this are of two runs; undated ones are a run of their own."""

MOST_READ = 48
MOST_HOLLOW = 40


@dataclass(frozen=True)
class LinePoints:
    """A line as the library has it: whose it is, its points, and how many of its counts are at one load."""

    owner: Any
    points: tuple[ScalingPoint, ...]
    shared: int


def column(key: str) -> str:
    """The SQL of a column that lines are told apart by."""
    return SYSTEM if key == "variant" else as_asked(key)


LINE = f"CAST(hash({', '.join(map(column, ALIKE))}) >> 1 AS BIGINT)"
"""The SQL of a line's id: the same for all points that are alike."""

LOAD = f"coalesce({', '.join(LOAD_AXES)})"


def reasons(library: Library, ranking: Ranking, metric: str, group: str) -> tuple[Reason, ...]:
    """Why a ranked point is on no line; of a disaggregated deployment it may be only where the reader asks for those.

    Its other counts are other designs, each meant for its own load, so they do not tell what more chips give.
    """
    value = f'isfinite("{metric}") AND "{metric}" > 0' if library.has(metric) else "FALSE"
    failed = f"coalesce(failed_share, 0) > {MOST_FAILED}" if library.has("failed_share") else "FALSE"
    split = bool(ranking.view.values("disaggregated")) or group in ("disaggregated", EVERY)
    return (
        Reason("no_chips", "without stated chips", "coalesce(accelerators, 0) <= 0"),
        Reason("no_metric", f"without {inline(catalogue.metric(metric))}", f"({value}) IS NOT TRUE"),
        Reason("failed", "that failed most requests", failed),
        Reason("disaggregated", "of disaggregated deployments", "FALSE" if split else "disaggregated"),
    )


def usable(library: Library, ranking: Ranking, metric: str, group: str) -> str:
    """The SQL of whether a ranked point may stand on a line."""
    return " AND ".join(f"({one.sql}) IS NOT TRUE" for one in reasons(library, ranking, metric, group))


def needs(library: Library, ranking: Ranking, metric: str, group: str) -> Needs:
    """What a scaling page cannot do without: a line with two counts of chips at one load, in the way asked for."""
    way, seen = ranking.view.option("at"), [key for key in figure_keys(library) if key.startswith(FIGURES[0])]
    states = f"{way} IS NOT NULL" if way in LOAD_AXES else "TRUE"
    if way == "interactivity":
        states = " OR ".join(f'isfinite("{key}")' for key in seen) or "FALSE"
    enters = f"{usable(library, ranking, metric, group)} AND ({states})"
    words = "deployment measured on two counts of chips at one load"
    smallest = f'arg_max("{metric}", row(-accelerators, "{metric}")) / min(accelerators)'
    return Needs(
        words,
        enters,
        f"{LINE}, {LOAD}",
        "min(accelerators) <> max(accelerators)",
        odd=f'max("{metric}" / accelerators) > {STARVED} * ({smallest})' if library.has(metric) else "FALSE",
        odd_words=f"counts of chips that give over {STARVED:g} times their share of the smallest",
    )


def are_two_counts(library: Library, ranking: Ranking, group: str) -> bool:
    """Whether ranked points with some throughput, whatever the limits, are of one line on two counts at one load."""
    enters = [f"({usable(library, ranking, key, group)})" for key in METRICS if library.has(key)]
    condition = evidence.ranked(library, ranking.unlimited).also(f"({' OR '.join(enters) or 'FALSE'})")
    sql = f"SELECT 1 FROM points WHERE {condition.sql} GROUP BY {LINE}, {LOAD}"
    return bool(library.fetch(f"{sql} HAVING min(accelerators) <> max(accelerators) LIMIT 1", condition.params))


def lacking(metric: str) -> str:
    """What a selection lacks that has such a line of another throughput alone."""
    return f"deployment with {inline(catalogue.metric(metric))} on two counts of chips at one load"


def census(library: Library, ranking: Ranking, metric: str, group: str) -> tuple[list[LinePoints], list[Any], int]:
    """Up to MOST_TRIED lines of every group with their points; the groups without a line; how many lines there are.

    A line has two counts of chips or more. The first are those with the most counts at one load, then the most counts,
    the newest and those with most points, of each model by turns.
    """
    owner = "NULL" if group == EVERY else column(group)
    kept, condition = limits.kept_sql(library, ranking.limits), evidence.ranked(library, ranking.unlimited)
    condition = condition.also(usable(library, ranking, metric, group))
    order = "shared DESC, counts DESC, newest DESC NULLS LAST, version DESC NULLS LAST, points DESC, most DESC, alike"
    rows = library.fetch(
        f"""WITH usable AS MATERIALIZED (
          SELECT {LINE} AS alike, point_id, accelerators, {owner} AS owner, model, date, engine_version, {LOAD} AS load,
            ({kept}) IS TRUE AS kept, coalesce(date, DATE '0001-01-01') AS day FROM points WHERE {condition.sql}),
        likely AS (SELECT alike FROM usable WHERE kept GROUP BY alike HAVING min(accelerators) <> max(accelerators)),
        dated AS (
          SELECT *, engine_version IS NULL AND day - lag(day) OVER (PARTITION BY alike ORDER BY day) > {RUN_DAYS}
            AS is_first FROM usable SEMI JOIN likely USING (alike)),
        runs AS MATERIALIZED (
          SELECT *, hash(alike, count(*) FILTER (is_first) OVER (PARTITION BY alike ORDER BY day)) AS line FROM dated),
        long AS (SELECT line FROM runs WHERE kept GROUP BY line HAVING min(accelerators) <> max(accelerators)),
        own AS MATERIALIZED (
          SELECT *, count(DISTINCT accelerators) FILTER (kept) OVER (PARTITION BY line, load) AS at_load
          FROM runs SEMI JOIN long USING (line)),
        lines AS (
          SELECT line, any_value(owner) AS owner, any_value(model) AS model, count(DISTINCT accelerators) AS counts,
            max(at_load) AS shared, max(date) AS newest, any_value(engine_version) AS version, count(*) AS points,
            max(accelerators) AS most, any_value(alike) AS alike
          FROM own WHERE kept GROUP BY line),
        ranks AS (SELECT *, row_number() OVER (ORDER BY {order}) AS rank, count(*) OVER () AS several FROM lines),
        placed AS (
          SELECT *, row_number() OVER (PARTITION BY {"line" if group == EVERY else "owner"} ORDER BY rank) AS place,
            row_number() OVER (PARTITION BY model ORDER BY rank) AS turn FROM ranks)
        SELECT any_value(placed.owner), list(point_id), any_value(several), any_value(shared),
          (SELECT list(DISTINCT owner) FROM usable)
        FROM placed JOIN own USING (line) WHERE place <= {MOST_TRIED}
        GROUP BY line, place, turn, rank ORDER BY place, turn, rank LIMIT {MOST_READ}""",
        condition.params,
    )
    read = _points(library, selection.clause(ranking.view), metric, kept, [one for _, ids, *_ in rows for one in ids])
    held = [LinePoints(own, tuple(read[one] for one in sorted(ids)), shared) for own, ids, _, shared, _ in rows]
    every, several = (rows[0][4], rows[0][2]) if rows else ([], 0)
    return held, [one for one in every or () if one not in {line.owner for line in held}], several


def hollow(library: Library, ranking: Ranking, metric: str, at: tuple[str, float | None]) -> list[ScalingPoint]:
    """Selected points with chips and the metric that are not measured, or flagged as not to be ranked.

    Of the flagged ones those at the load that is held equal, where one is.
    """
    unmeasured = "FALSE" if ranking.any_evidence else "evidence IS DISTINCT FROM 'measured'"
    loaded = f"{at[0]} = ?" if at[0] in LOAD_AXES else "? IS NULL OR TRUE"
    condition = selection.clause(ranking.view).also(
        f"({unmeasured} OR ({flags.has_sql(flags.EXCLUDING)} AND ({loaded})))", at[1]
    )
    rows = library.fetch(
        f'SELECT "{metric}", {points.SQL} FROM points WHERE {condition.sql} AND isfinite("{metric}")'
        f' AND accelerators > 0 ORDER BY accelerators, "{metric}" DESC, point_id LIMIT {MOST_HOLLOW}',
        condition.params,
    )
    return [ScalingPoint(PointFacts(*facts), float(value)) for value, *facts in rows]


def first_scenario(library: Library, ranking: Ranking, metric: str) -> str | None:
    """The MLPerf scenario with the most pairs of line and count; None where the lines are of none."""
    condition = evidence.ranked(library, ranking).also(usable(library, ranking, metric, ""))
    rows = library.fetch(
        "SELECT scenario FROM (SELECT scenario, count(DISTINCT accelerators) AS counts FROM points"
        f" WHERE {condition.sql} AND scenario IS NOT NULL GROUP BY scenario, {LINE}) WHERE counts > 1"
        " GROUP BY scenario ORDER BY sum(counts) DESC, scenario DESC LIMIT 1",
        condition.params,
    )
    return str(rows[0][0]) if rows else None


def figure_keys(library: Library) -> list[str]:
    """Interactivity, TPOT and TTFT at every statistic that the library holds, the median first."""
    stored = library.metric_columns()
    held = stored | frozenset(catalogue.derivable(stored))
    found = [(base, one) for base in FIGURES for one in catalogue.statistics_of(base, held) if one != "std"]
    return [f"{base}_{one}" for base, one in sorted(found, key=lambda key: key[1] != "p50")]


def _points(
    library: Library, condition: Clause, metric: str, kept: str, ids: Sequence[str]
) -> Mapping[str, ScalingPoint]:
    """These points by id, all of which meet the condition."""
    keys = figure_keys(library)
    layout = ", ".join(f"coalesce(CAST({name} AS VARCHAR), '')" for name in LAYOUT)
    rows = library.fetch(
        f'SELECT "{metric}", hash({layout}), ({kept}) IS TRUE, {as_asked("isl")}, {as_asked("osl")},'
        f" {', '.join((points.SQL, *keys))} FROM points WHERE {condition.sql}"
        " AND point_id IN (SELECT unnest(CAST(? AS VARCHAR[])))",
        (*condition.params, list(ids)),
    )
    width = len(points.COLUMNS)
    by_id = {}
    for value, layout_id, keeps, isl, osl, *rest in rows:
        facts = PointFacts(*rest[:width])
        figures = {key: float(one) for key, one in zip(keys, rest[width:], strict=True) if one is not None}
        by_id[facts.point_id] = ScalingPoint(facts, float(value), figures, (isl, osl), layout_id, keeps)
    return by_id
