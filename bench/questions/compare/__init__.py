"""Is B better than A? Two selections matched point by point, with how sure each ratio is and what would decide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from bench import basis, catalogue
from bench.basis import evidence, likeness, points, side_by_side, story, variations
from bench.basis.evidence import Ranking
from bench.basis.options import Option
from bench.basis.points import PointFacts
from bench.basis.story import Needs, Story
from bench.basis.variations import Robustness, Variation, Verdict
from bench.errors import UsageError
from bench.library import Library
from bench.questions import Answer, Choices, Column, Steps, Why, pipeline
from bench.questions.compare import estimated, matching, sides, verdict
from bench.questions.compare.estimated import BASES, PairRatios
from bench.questions.compare.figure import draw
from bench.questions.compare.matching import Matched
from bench.questions.compare.result import ComparedSide, Comparison, FactDifference
from bench.questions.compare.words import BASIS_WORDS, VERDICTS
from bench.questions.crossover.options import side, written
from bench.view import View
from bench.wording import counted, joined, number

TITLE = "Compare"
QUESTION = "Is B better than A?"
SECTION = "Decide"
ORDER = 45
NEEDS = "points"
figure = draw
MARGIN = 2.0
SHOWN = {"ratios": "Ratios, pair by pair", "frontiers": "Both frontiers"}

OPTIONS = (
    Option("a", "A, the baseline", "choice", "One side: filters joined by &, as engine_version=0.17."),
    Option("b", "B, the candidate", "choice", "The other side, written the same way."),
    Option("metric", "Metric", "choice", "What the headline is about; the others are told below."),
    Option(
        "margin",
        "The same within (%)",
        "number",
        "Two sides are told the same where the whole interval of their ratio lies this near to 1.",
        least=0.1,
        most=50,
        example="2",
    ),
    Option("show", "Chart", "choice", "The ratios of each matched pair, or both sides' frontiers.", tuple(SHOWN)),
)
COLUMNS = (
    Column("baseline_point", "Point of A"),
    Column("a_value", "A"),
    Column("b_value", "B"),
    Column("b_over_a", "B / A", "", 3),
    Column("b_over_a_low", "At least", "", 3),
    Column("b_over_a_high", "At most", "", 3),
    Column("verdict", "B is"),
    Column("interval_from", "Known from"),
    Column("runs_a", "Runs of A", "", 0),
    Column("runs_b", "Runs of B", "", 0),
    Column("repeats_to_decide", "More runs to decide", "", 0),
)
STEPS = Steps(
    lambda rows: f"{counted(len(rows), 'pair')} of points can be compared",
    anew="Choose the two sides anew",
    tries={"metric": "Compare {}"},
)
FACTS = ("model", "precision", "accelerators", "tp", "isl", "osl", "load_kind", "concurrency", "request_rate", "batch")
MOST_FACTS = 400
"""So many points of a side are looked at for what the two sides differ in."""


def complete(library: Library, view: View) -> View:
    """The View with every option explicit and the story and the sides that the reader left open filled in."""
    return _story(library, view).view


def choices(library: Library, view: View) -> Choices:
    """The sides, the metrics and the charts this selection offers."""
    whole = complete(library, view)
    offered = dict(sides.offered(library, evidence.read(whole)))
    for key in ("a", "b"):
        if (own := side(whole, key)) is not None:
            offered.setdefault(written(own), sides.label(own))
    metrics = [(key, catalogue.metric(key).axis) for key in matching.metrics_held(library)]
    return {"a": [*offered.items()], "b": [*offered.items()], "metric": metrics, "show": [*SHOWN.items()]}


def answer(library: Library, view: View) -> Answer[Comparison]:
    """B against A."""
    chosen = _story(library, view)
    whole = chosen.view
    found, told = _comparison(library, whole)
    said = (
        *verdict.statements(found),
        *_unlike(found),
        *side_by_side.left_out(library, whole, _models(found), "no matched pair"),
    )
    return pipeline.answer(library, QUESTION, whole, found, said, _rows(found, told), _why(found), chosen)


def robustness(library: Library, view: View) -> Robustness | None:
    """Whether B is told the same against A with one choice changed at a time."""
    whole = complete(library, view)
    if side(whole, "a") is None or side(whole, "b") is None:
        return None

    def of_variation(one: Variation) -> Verdict | None:
        matched = _matched(library, whole, one.ranking)
        metrics = matching.told(matched, whole.option("metric"))[:1]
        if not matched.many or not metrics:
            return None
        ratios = estimated.of_metric(library, matched, metrics[0], sample=False)
        (main,) = estimated.told([ratios], _margin(whole), frozenset())
        return Verdict(main.verdict, VERDICTS[main.verdict])

    return variations.of(library, whole, None, of_variation, _usable(library))


def _usable(library: Library) -> str:
    """The DuckDB condition of a point that can be compared; never NULL."""
    held = " OR ".join(f'coalesce("{one}" > 0, FALSE)' for one in matching.metrics_held(library))
    return f"({held or 'FALSE'}) AND coalesce({sides.STATED}, FALSE)"


def _story(library: Library, view: View) -> Story:
    """What the answer is about, its View complete."""
    basis.check_every(view, OPTIONS)
    metric = view.option("metric")
    if metric and catalogue.metric(metric).kind not in matching.COMPARED:
        raise UsageError(f"metric={metric[:60]} is no throughput and no latency; write it as in metric=ttft_ms_p99.")
    own = side(view, "a"), side(view, "b")
    usable = _usable(library)
    if all(own):
        chosen = story.of(library, view, None, story.KEYS if not view.whole else ())
        if not view.whole:
            chosen = replace(chosen, view=story.own_choice(view), pins={})
    else:
        chosen = story.of(library, view, Needs("point with a load and a figure", usable), ("precision", "isl", "osl"))
        usual = sides.usual(library, evidence.read(chosen.view), usable)
        own = (own[0] or usual[0], own[1] or usual[1]) if usual else own
    options: dict[str, object] = {
        "a": written(own[0]) if own[0] else None,
        "b": written(own[1]) if own[1] else None,
        "metric": metric or None,
        "margin": f"{_margin(view) * 100:g}",
        "show": view.option("show", "ratios"),
    }
    whole = chosen.view.with_options(**options)
    if not metric and all(own):
        told = matching.told(_matched(library, whole, evidence.read(whole)), "")
        whole = whole.with_options(metric=told[0] if told else None)
    return replace(chosen, view=basis.written_out(whole))


def _margin(view: View) -> float:
    """Within what share of 1 a ratio is told the same."""
    stated = next(one for one in OPTIONS if one.key == "margin").number(view)
    return (stated if stated is not None else MARGIN) / 100


def _matched(library: Library, whole: View, ranking: Ranking) -> Matched:
    """The pairs of both sides."""
    own = [side(whole, key) or View() for key in ("a", "b")]
    clauses = sides.of_side(library, ranking, own[0]), sides.of_side(library, ranking, own[1])
    fixed = {key for one in own for key, _ in one.where}
    return matching.matched(library, clauses, fixed, matching.metrics_held(library))


def _comparison(library: Library, whole: View) -> tuple[Comparison, PairRatios | None]:
    """The comparison of a complete View, and the ratios of the metric that its headline is about."""
    own, ranking = (side(whole, "a"), side(whole, "b")), evidence.read(whole)
    tally = evidence.tally(library, ranking)
    margin, show = _margin(whole), whole.option("show")
    if own[0] is None or own[1] is None:
        nothing = pd.DataFrame()
        return Comparison(None, None, (), margin, tally, (), (), 0, show, nothing, nothing), None
    matched = _matched(library, whole, ranking)
    keys = matching.told(matched, whole.option("metric")) if matched.many else []
    ratios = [estimated.of_metric(library, matched, key) for key in keys]
    both = _side(library, matched, "a", own[0]), _side(library, matched, "b", own[1])
    apart = matching.defined_apart(library, matched, keys)
    metrics = tuple(estimated.told(ratios, margin, apart)) if ratios else ()
    main = ratios[0] if ratios else None
    found = Comparison(
        a=both[0],
        b=both[1],
        metrics=metrics,
        margin=margin,
        tally=tally,
        differences=_differences(both[0].facts, both[1].facts),
        matched_on=matched.on,
        scatter=max((one.scatter.groups for one in ratios if one.scatter), default=0),
        show=show,
        pairs=_long(matched, ratios, margin),
        curves=sides.places(library, ranking, own[0], own[1]) if show == "frontiers" else pd.DataFrame(),
        single=bool(metrics) and metrics[0].basis == "requests" and main is not None and main.scatter is None,
    )
    return found, main


def _side(library: Library, matched: Matched, key: str, own: View) -> ComparedSide:
    ids = matched.rows.loc[matched.rows["side"] == key, "point_id"].tolist()
    facts = tuple(points.named(library, ids[:: max(1, len(ids) // MOST_FACTS)]).values())
    return ComparedSide(written(own), sides.label(own), matched.points[key], len(ids), facts)


def _differences(a: tuple[PointFacts, ...], b: tuple[PointFacts, ...]) -> tuple[FactDifference, ...]:
    """All facts in which the matched points of the two sides differ."""
    unequal = likeness.differences(a, b, [fact.key for fact in likeness.FACTS])
    return tuple(
        FactDifference(one.fact.one, *(joined(list(words)) or "not stated" for words in (one.a, one.b)))
        for one in unequal
    )


def _unlike(found: Comparison) -> Iterator[Any]:
    if found.metrics and found.a and found.b:
        keys = (*likeness.DEPLOYED, "chips")
        yield from likeness.unlike((found.a.label, found.b.label), found.a.facts, found.b.facts, keys)


def _models(found: Comparison) -> list[str | None]:
    return [one.model for own in (found.a, found.b) if own for one in own.facts]


def _long(matched: Matched, ratios: list[PairRatios], margin: float) -> pd.DataFrame:
    """A row for each pair and metric: its place, what it is of, the ratio with its interval, and the verdict."""
    if not ratios:
        return pd.DataFrame()
    first = matched.rows.drop_duplicates(["pair", "side"]).pivot(index="pair", columns="side", values="point_id")
    facts = matched.rows.drop_duplicates("pair").set_index("pair")
    of_pair = matched.rows.groupby("pair")
    same_chips, same_tp = (of_pair[key].nunique() == 1 for key in ("chips", "tp"))
    parts = []
    for one in ratios:
        low, high = one.ratios.interval
        counts = matched.rows[matched.rows["pair"].isin(one.pairs) & (matched.rows[one.metric] > 0)]
        runs = counts.groupby(["pair", "side"]).size().unstack().reindex(one.pairs)
        parts.append(
            pd.DataFrame(
                {
                    "pair": one.pairs,
                    "metric": one.metric,
                    "a_value": one.a,
                    "b_value": one.b,
                    "b_over_a": np.exp(one.ratios.log),
                    "b_over_a_low": low,
                    "b_over_a_high": high,
                    "verdict": estimated.pair_verdicts(one, margin),
                    "interval_from": [BASES[place] for place in one.bases.tolist()],
                    "runs_a": runs["a"].to_numpy(),
                    "runs_b": runs["b"].to_numpy(),
                    "repeats_to_decide": estimated.repeats(one, margin),
                    "point_id": first["b"].reindex(one.pairs).to_numpy(),
                    "baseline_point": first["a"].reindex(one.pairs).to_numpy(),
                    **{key: facts[key].reindex(one.pairs).to_numpy() for key in FACTS if key in facts},
                    "accelerators": facts["chips"].where(same_chips).reindex(one.pairs).to_numpy(),
                    "tp": facts["tp"].where(same_tp).reindex(one.pairs).to_numpy(),
                }
            )
        )
    return pd.concat(parts, ignore_index=True)


def _rows(found: Comparison, main: PairRatios | None) -> pd.DataFrame:
    """One row for each matched pair, of the metric that the headline is about."""
    if main is None:
        return pd.DataFrame(columns=["point_id", *(one.key for one in COLUMNS)])
    own = found.pairs[found.pairs["metric"] == main.metric].drop(columns=["pair", "metric"])
    first = [key for key in ("point_id", *FACTS) if key in own]
    shown = own[[*first, *(one for one in own if one not in first)]]
    return shown.dropna(axis="columns", how="all").reset_index(drop=True)


def _why(found: Comparison) -> Iterator[Why]:
    """How ratio, interval and verdict come about."""
    main = found.main
    if main is None:
        return
    within = "" if main.low is None else f", between {number(main.low)} and {number(main.high)}"
    yield Why(
        "Ratio",
        "geometric mean over the matched pairs of B / A, each side's repeats as their geometric mean",
        f"{main.row.label}: {number(main.ratio)}{within}, of {counted(main.pairs, 'pair')}",
        "bench/maths/verdict.py",
    )
    yield Why(
        "Interval",
        "95 %, Student's t on logarithms: by the scatter of repeats; of runs measured once by a block bootstrap over"
        " their requests in time order or by how other repeats of the library scatter, whichever is wider",
        f"from {BASIS_WORDS[main.basis]}; {counted(found.scatter, 'group')} of repeats elsewhere",
        "bench/maths/verdict.py; bench/maths/bootstrap.py: Künsch 1989, Politis and White 2004",
    )
    yield Why(
        "Verdict",
        f"the same where the interval lies within {number(found.margin * 100)} % of 1, else faster or slower at 5 %,"
        " else unknown; pairs, and metrics, are tested together",
        "at most 5 % of the verdicts told are expected to be false",
        "Benjamini and Hochberg 1995; Schuirmann 1987",
    )
