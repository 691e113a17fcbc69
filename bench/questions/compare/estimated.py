"""How well the ratio of each pair is known: by its own repeats, else by the requests of its runs and other repeats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from bench import catalogue, flags
from bench.holdings import request_samples
from bench.library import Library
from bench.maths import verdict
from bench.maths.leave_one_out import Places
from bench.maths.load_curve import Reals
from bench.maths.verdict import LogRatios, RatioVerdict, RunLogs
from bench.questions.compare.matching import Matched
from bench.questions.compare.result import CompareVerdict, IntervalBasis, MetricRatio
from bench.selection import as_asked

FEWEST_GROUPS = 3
"""Of fewer groups of repeats nothing is told about how runs scatter."""

MOST_SAMPLED = 80
"""So many points are read again for their requests, those of the first pairs."""

LIKE_A_REPEAT = (
    "series_id",
    "source_url",
    "engine_version",
    "isl",
    "osl",
    "dataset",
    "context_tokens",
    "concurrency",
    "request_rate",
    "batch",
    "scenario",
)
"""What repeats of one measurement have in common."""

FEWEST_PAIRS = 6
"""Of so many pairs that nobody repeated, how they differ among each other says how well their mean is known."""

BASES: tuple[IntervalBasis, ...] = ("repeats", "requests", "library", "none")


@dataclass(frozen=True)
class RunScatter:
    """How far the logarithms of single runs scatter, by so many groups of repeats in the library."""

    variance: float
    groups: int


@dataclass(frozen=True)
class PairRatios:
    """The ratios of one metric, B over A, of these pairs of the matched; `bases` has a place in BASES for each."""

    metric: str
    pairs: Places
    a: Reals
    b: Reals
    ratios: LogRatios
    bases: Places
    scatter: RunScatter | None
    whole: LogRatios


def scatter(library: Library, metric: str, rows: pd.DataFrame) -> RunScatter | None:
    """How far repeats of this metric scatter in the library that are comparable with these points; None of too few.

    Comparable are those of the same evidence, of one of their models or on one of their accelerators. A group whose
    values are all equal holds copies of one measurement.
    """
    columns = ", ".join(as_asked(one) for one in LIKE_A_REPEAT if library.has(one))
    listed = [rows[key].dropna().unique().tolist() for key in ("evidence", "model", "accelerator")]
    found = library.fetch(
        f'SELECT sum(many * spread) / sum(many), count(*) FROM (SELECT var_samp(ln("{metric}")) AS spread,'
        f' count(*) - 1 AS many FROM points WHERE "{metric}" > 0 AND NOT {flags.has_sql(flags.EXCLUDING)}'
        " AND evidence IN (SELECT unnest(CAST(? AS VARCHAR[]))) AND (model IN (SELECT unnest(CAST(? AS VARCHAR[])))"
        " OR accelerator IN (SELECT unnest(CAST(? AS VARCHAR[]))))"
        f" GROUP BY {columns} HAVING count(*) > 1) WHERE spread > 1e-10",
        listed,
    )
    variance, groups = found[0]
    return RunScatter(float(variance), int(groups)) if groups >= FEWEST_GROUPS else None


def of_metric(library: Library, found: Matched, metric: str, *, sample: bool = True) -> PairRatios:
    """The ratios of a metric of every pair that states it."""
    rows, pairs = found.values(metric)
    places = np.searchsorted(pairs, rows["pair"].to_numpy())
    sides = rows["side"].to_numpy()
    values = rows[metric].to_numpy(dtype=np.float64)
    logs: dict[str, RunLogs] = {
        side: verdict.runs_of(values[sides == side], places[sides == side], len(pairs)) for side in ("a", "b")
    }
    ratios = verdict.of_repeats(logs["b"], logs["a"])
    bases = np.where(np.isfinite(ratios.variance), 0, 3)
    spread = scatter(library, metric, rows) if (bases == 3).any() else None
    ratios, bases = _from_elsewhere(library, rows, places, metric, ratios, bases, spread, sample)
    whole = _whole(rows, pairs, metric, ratios, bases)
    return PairRatios(metric, pairs, np.exp(logs["a"].log), np.exp(logs["b"].log), ratios, bases, spread, whole)


def _whole(rows: pd.DataFrame, pairs: Places, metric: str, ratios: LogRatios, bases: Places) -> LogRatios:
    """The geometric mean of all pairs: by whole runs, by the pairs' own intervals, else by how the pairs differ."""
    if (bases == 3).any():
        if len(ratios) >= FEWEST_PAIRS:
            zeros = np.zeros(len(ratios), dtype=np.intp)
            spread = verdict.runs_of(np.exp(ratios.log), zeros, 1)
            one = verdict.RunLogs(np.ones(1), np.zeros(1), np.full(1, np.nan))
            found = verdict.of_repeats(spread, one)
            variance = spread.variance / spread.count
            return replace(found, variance=np.maximum(variance, 2 * verdict.LEAST_SCATTER**2), runs=np.ones(1))
        nothing = np.full(1, np.nan)
        return LogRatios(np.array([ratios.log.mean()]), nothing, nothing, nothing, np.ones(1))
    return _by_runs(rows, pairs, metric) or verdict.overall(ratios, together=bool((bases > 0).any()))


def _from_elsewhere(
    library: Library,
    rows: pd.DataFrame,
    places: Places,
    metric: str,
    ratios: LogRatios,
    bases: Places,
    spread: RunScatter | None,
    sample: bool,
) -> tuple[LogRatios, Places]:
    """The ratios with what is known of pairs that ran once: by their requests or other repeats, whichever is wider."""
    own = _of_requests(library, rows, places, metric, np.flatnonzero(bases == 3)) if sample else {}
    variance, df, of_a_run = ratios.variance.copy(), ratios.df.copy(), ratios.of_a_run.copy()
    bases = bases.copy()
    for place in np.flatnonzero(bases == 3).tolist():
        parts = [(2 * spread.variance, float(spread.groups), 2)] if spread else []
        parts += [(*own[place], 1)] if place in own else []
        if parts:
            wide, known, basis = max(parts)
            variance[place], df[place], bases[place], of_a_run[place] = wide, known, basis, wide / 2
    return replace(ratios, variance=variance, df=df, of_a_run=of_a_run), bases


def _of_requests(
    library: Library, rows: pd.DataFrame, places: Places, metric: str, wanted: Places
) -> dict[int, tuple[float, float]]:
    """The variance and degrees of freedom of pairs that ran once, by the requests of both runs."""
    at, few = pd.Series(places, index=rows.index), set(wanted.tolist()[: MOST_SAMPLED // 2])
    held = rows[at.isin(few)]
    points = [
        (str(id), str(source), int(together) if together == together and together is not None else 1, float(value))
        for id, source, together, value in zip(
            held["point_id"], held["source_id"], held["concurrency"], held[metric], strict=True
        )
    ]
    told = request_samples.estimates(library, points, metric)
    by_pair: dict[int, list[tuple[float, float]]] = {}
    for id, place in zip(held["point_id"], at[held.index], strict=True):
        if id in told:
            by_pair.setdefault(int(place), []).append((told[id].variance, told[id].df))
    return {
        place: (
            sum(variance for variance, _ in parts),
            sum(variance for variance, _ in parts) ** 2 / max(sum(variance**2 / df for variance, df in parts), 1e-300),
        )
        for place, parts in by_pair.items()
        if len(parts) == 2 and all(variance > 0 for variance, _ in parts)
    }


def _by_runs(rows: pd.DataFrame, pairs: Places, metric: str) -> LogRatios | None:
    """The geometric mean by whole runs, where each side has several and every one of them has every pair.

    What a run has of its own is in all its points, so that they do not tell it apart from a change; other runs do.
    """
    logs = np.log(rows[metric].astype(float))
    each = rows.assign(log=logs).groupby(["side", "source_id", "pair"])["log"].mean().reset_index()
    whole = each.groupby(["side", "source_id"])["log"].agg(["size", "mean"]).reset_index()
    if (whole["size"] != len(pairs)).any() or (whole.groupby("side").size() < 2).any() or whole["side"].nunique() < 2:
        return None
    sides = [whole.loc[whole["side"] == side, "mean"].to_numpy() for side in ("b", "a")]
    runs = [verdict.runs_of(np.exp(one), np.zeros(len(one), dtype=np.intp), 1) for one in sides]
    return verdict.of_repeats(*runs)


def told(found: Sequence[PairRatios], margin: float, apart: frozenset[str]) -> Iterator[MetricRatio]:
    """Each metric over all its pairs, the metrics tested together as the pairs of each are."""
    wholes = LogRatios(*(np.concatenate([vars(one.whole)[key] for one in found]) for key in vars(found[0].whole)))
    verdicts, more = verdict.verdicts(wholes, margin), verdict.repeats_to_decide(wholes, margin)
    low, high = wholes.interval
    for place, one in enumerate(found):
        own = pair_verdicts(one, margin)
        basis: IntervalBasis = BASES[int(one.bases.max())] if len(one.bases) else "none"
        basis = "pairs" if basis == "none" and len(one.pairs) >= FEWEST_PAIRS else basis
        is_known = bool(np.isfinite(low[place])) and basis != "none"
        verdict_here = in_speed(one.metric, verdicts[place])
        alone = basis == "requests" and one.scatter is None
        needed = more[place]
        yield MetricRatio(
            metric=one.metric,
            pairs=len(one.pairs),
            ratio=float(np.exp(wholes.log[place])),
            low=float(low[place]) if is_known else None,
            high=float(high[place]) if is_known else None,
            verdict="unknown" if alone or not is_known else verdict_here,
            basis=basis,
            repeats=_needed(basis, needed, alone=alone) if is_known else None,
            counts={word: own.count(word) for word in ("faster", "slower", "same", "unknown")},
            apart=one.metric in apart,
        )


def _needed(basis: IntervalBasis, more: float, *, alone: bool) -> int | None:
    """How many more runs would decide; of what only pairs tell nobody knows."""
    if alone:
        return 1
    return int(more) if np.isfinite(more) and (basis != "pairs" or more == 0) else None


def pair_verdicts(one: PairRatios, margin: float) -> list[CompareVerdict]:
    """The verdict of each pair of a metric, all tested together; of runs that only their requests tell of, none."""
    said = [in_speed(one.metric, word) for word in verdict.verdicts(one.ratios, margin)]
    alone = (one.bases == 1) & (one.scatter is None)
    return ["unknown" if only else word for word, only in zip(said, alone.tolist(), strict=True)]


def in_speed(metric: str, said: RatioVerdict) -> CompareVerdict:
    """A verdict on a ratio in terms of speed: a lower latency is faster."""
    if said in ("same", "unknown"):
        return "same" if said == "same" else "unknown"
    return "faster" if said == catalogue.metric(metric).better else "slower"


def repeats(one: PairRatios, margin: float) -> Reals:
    """How many more runs of each side would likely decide each pair; NaN where nobody can tell."""
    return verdict.repeats_to_decide(one.ratios, margin)
