"""What a comparison says: who is faster, how surely, where not, and what would decide."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bench import flags
from bench.basis import evidence, wording
from bench.basis.evidence import PointTally
from bench.basis.statement import Statement, Value, caveat, coverage, finding, headline, untold
from bench.basis.wording import FINDING, NOTHING_SELECTED, flags_of, listing
from bench.catalogue import Metric
from bench.library import Library
from bench.library.newest_runs import REPEAT
from bench.questions.compare.matching import Matched
from bench.questions.compare.result import ComparedSide, Comparison, IntervalBasis, MetricRatio
from bench.wording import counted, inline, is_or_are, joined, number, share

BASIS_WORDS: dict[IntervalBasis, str] = {
    "repeats": "repeats of both sides",
    "requests": "the requests of both runs",
    "library": "how other repeats in the library scatter",
    "pairs": "how the pairs differ among each other",
    "none": "nothing: no repeats",
}
FACT_WORDS = {
    "accelerators": "chips",
    "isl": "input length",
    "osl": "output length",
    "engine_version": "engine version",
}


def statements(found: Comparison) -> Iterator[Statement]:
    """The headline, the findings, and what to know besides."""
    yield _headline(found)
    if found.main is not None:
        yield from _findings(found)
        yield from _caveats(found)
    yield from _coverage(found)


def verdict_words(one: MetricRatio) -> str:
    """A verdict as it follows "in words": "B is faster"."""
    return {"same": "both are the same", "unknown": "neither is known to be faster"}.get(
        one.verdict, f"B is {one.verdict}"
    )


def change(row: Metric, ratio: float) -> str:
    """A ratio as a change: "12 % more", "8.1 % less", "2.6 times"."""
    if ratio >= wording.TWICE:
        return f"{number(ratio)} times"
    if abs(ratio - 1) < 5e-4:
        return "the same"
    words = ("higher", "lower") if row.kind == "latency" else ("more", "less")
    return f"{share(abs(ratio - 1))} {words[0] if ratio > 1 else words[1]}"


def within(one: MetricRatio) -> str:
    """The interval of a ratio: "1.08 to 1.15"; "" where it is not known."""
    if one.low is None or one.high is None:
        return ""
    return f"{one.low:.3g} to {one.high:.3g}"


def defined_apart(library: Library, matched: Matched, metrics: Sequence[str]) -> frozenset[str]:
    """The metrics that the sources of one side define otherwise than those of the other."""
    sides = [matched.rows.loc[matched.rows["side"] == key, "source_id"].unique().tolist() for key in "ab"]
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


def _headline(found: Comparison) -> Statement:
    main, a, b = found.main, found.a, found.b
    if not found.tally.used:
        return untold("nothing_selected", NOTHING_SELECTED if not found.tally.selected else "0 points can be compared.")
    if a is None or b is None:
        return untold(
            "no_sides", f"Among {counted(found.tally.used, 'point')} no two sides share a load; choose A and B."
        )
    if main is None:
        why = f"A has {counted(a.points, 'point')}, B {b.points:,}, none at one workload and load"
        return untold("no_pairs", f"Nothing can be matched: {why}.")
    values: dict[str, Value] = {
        "metric": main.metric,
        "ratio": main.ratio,
        "low": main.low,
        "high": main.high,
        "pairs": main.pairs,
        "verdict": main.verdict,
        "repeats": main.repeats,
    }
    return headline(main.verdict, wording.opened(wording.fitting(*_told(found, main, a, b))), (), **values)


def _told(found: Comparison, main: MetricRatio, a: ComparedSide, b: ComparedSide) -> Iterator[str]:
    """The headline, the fullest first."""
    of, pairs, by = inline(main.row), counted(main.pairs, "matched pair"), change(main.row, main.ratio)
    interval = f" ({within(main)} times)" if main.low is not None else ""
    if main.verdict == "same":
        yield f"{b.label} is as fast as {a.label} within {number(found.margin * 100)} %: {of} over {pairs}."
        yield f"B is as fast as A within {number(found.margin * 100)} %: {of} over {pairs}."
    elif main.low is None:
        yield f"{b.label} against {a.label}: {of} {by} over {pairs}; nothing was repeated, so how surely is unknown."
        yield f"{b.label} against {a.label}: {of} {by} over {pairs}; how surely is unknown."
        yield f"B against A: {of} {by} over {pairs}; how surely is unknown."
    elif main.verdict == "unknown":
        more = needed(main)
        tail = f"; {more}" if more else ""
        yield f"Whether {b.label} is faster than {a.label} is unknown: {of} {by}{interval} over {pairs}{tail}."
        yield f"Whether {b.label} is faster than {a.label} is unknown: {of} {by}{interval}{tail}."
        yield f"Whether {b.label} beats {a.label} is unknown: {of} {by} over {pairs}."
        yield f"Whether B is faster than A is unknown: {of} {by} over {pairs}."
    else:
        yield f"{b.label} is {main.verdict} than {a.label}: {of} {by}{interval} over {pairs}."
        yield f"{b.label} is {main.verdict} than {a.label}: {of} {by} over {pairs}."
        yield f"B is {main.verdict} than A: {of} {by}{interval} over {pairs}."


def needed(one: MetricRatio) -> str:
    """What would decide, in words; "" where it is decided."""
    if one.verdict != "unknown":
        return ""
    if one.low is None or one.basis == "pairs":
        return "repeats would tell"
    if one.repeats is None:
        return "over 50 more runs of each would be needed"
    return f"about {counted(one.repeats, 'more run')} of each would decide"


def _findings(found: Comparison) -> Iterator[Statement]:
    main = found.main
    if main is None:
        return
    told = {word: many for word, many in main.counts.items() if many and word != "unknown"}
    if told:
        parts = [f"{'the same' if word == 'same' else word} in {many:,}" for word, many in told.items()]
        rest = main.counts["unknown"]
        tail = f"; {rest:,} {is_or_are(rest)} unknown" if rest else ""
        text = f"By {inline(main.row)}, of {counted(main.pairs, 'pair')} B is {joined(parts)}{tail}."
        yield finding("pairs", text, (), **{f"pairs_{word}": many for word, many in main.counts.items()})
    others = [f"{inline(one.row)} {_brief(one, main.pairs)}" for one in found.metrics[1:]]
    if others:
        listed = listing("B against A: ", others, ".", by="; ", longest=FINDING)
        yield finding("others", listed.text, (), metrics=len(others))
    for one in found.metrics[1:]:
        if one.verdict == "unknown" and (more := needed(one)):
            yield finding(
                "undecided",
                f"{wording.opened(inline(one.row))} is undecided: {more}.",
                metric=one.metric,
                repeats=one.repeats,
            )
            break
    extreme = found.pairs[(found.pairs["metric"] == main.metric)]
    if len(extreme) > 2:
        low, high = extreme["b_over_a"].min(), extreme["b_over_a"].max()
        text = f"Over the pairs B / A goes from {low:.3g} to {high:.3g}."
        yield finding("spread", text, (), low=float(low), high=float(high))


def _brief(one: MetricRatio, pairs: int) -> str:
    """A metric's ratio and verdict in a list, with how many pairs it is over where those are others."""
    said = change(one.row, one.ratio) + (f" over {one.pairs:,}" if one.pairs != pairs else "")
    interval = f" ({within(one)})" if one.low is not None else ""
    return f"{said}{interval}, {one.verdict}"


def _caveats(found: Comparison) -> Iterator[Statement]:
    main = found.main
    if main is None:
        return
    if apart := [inline(one.row) for one in found.metrics if one.apart]:
        text = (
            f"The tools of the two sides define {joined(apart, at_most=4)} unlike: what differs may be the definition."
        )
        yield caveat("definitions", text, metrics=len(apart))
    if found.single:
        yield caveat(
            "once", "Each side ran once: its interval is of these two runs, so nothing is told of the next one."
        )
    elif main.basis == "pairs":
        text = "Nothing was repeated: the interval is from how these pairs differ, and tells nothing of another run."
        yield caveat("no_repeats", text, pairs=main.pairs)
    elif main.basis == "none":
        yield caveat("no_repeats", "Nothing was repeated, here or elsewhere in the library: no interval can be told.")
    elif main.basis == "library":
        many = counted(found.scatter, "group")
        text = (
            f"Each side ran once at some loads: there the interval is from {many} of comparable repeats in the library."
        )
        yield caveat("scatter", text, groups=found.scatter)
    facts = [one for own in (found.a, found.b) if own for one in own.facts]
    if told := flags.printed(flags_of(facts)):
        yield caveat("flags", f"Some matched points are flagged: {joined(told, at_most=6)}.", kinds=len(told))
    if main.pairs > 1:
        text = (
            "Pairs are tested together (Benjamini and Hochberg): at most 5 % of what is told faster or slower is false."
        )
        yield caveat("together", text, pairs=main.pairs)


def _coverage(found: Comparison) -> Iterator[Statement]:
    if found.a and found.b and found.main is not None:
        rest = [(own, own.points - own.matched) for own in (found.a, found.b)]
        if any(many for _, many in rest):
            parts = [f"{many:,} of {counted(own.points, 'point')} of {own.label}" for own, many in rest if many]
            lone = sum(many for _, many in rest)
            text = f"Without a partner: {joined(parts)} {is_or_are(lone)} left out."
            yield coverage(
                "no_partner", text, **{f"alone_{key}": many for key, (_, many) in zip("ab", rest, strict=True)}
            )
    yield from evidence.left_out(_with_repeats(found.tally))


def _with_repeats(tally: PointTally) -> PointTally:
    """The tally with repeats among the used, as here each of them says how far runs scatter."""
    counts = {code: many for code, many in tally.counts.items() if code != REPEAT}
    return PointTally({**counts, evidence.USED: tally.used + tally.of(REPEAT)}, tally.reasons)
