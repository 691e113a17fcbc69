"""What a comparison says: who is faster, how surely, where not, and what would decide."""

from __future__ import annotations

from collections.abc import Iterator

from bench import flags
from bench.basis import evidence
from bench.basis.evidence import PointTally
from bench.basis.narrator import Narrator
from bench.basis.statement import Statement
from bench.basis.wording import flags_of
from bench.library.newest_runs import REPEAT
from bench.questions.compare.result import Comparison, MetricRatio
from bench.questions.compare.words import BASIS_WORDS, WORDS
from bench.wording import inline

SAY = Narrator(WORDS)


def statements(found: Comparison) -> Iterator[Statement]:
    """Verdict, findings and notes."""
    yield _verdict(found)
    if found.main is not None:
        yield from _findings(found, found.main)
        yield from _notes(found, found.main)
    yield from _coverage(found)


def _verdict(found: Comparison) -> Statement:
    main, a, b = found.main, found.a, found.b
    if not found.tally.selected:
        return SAY.untold("nothing_selected")
    if not found.tally.used:
        return SAY.untold("nothing_compared", points=found.tally.selected)
    if a is None or b is None:
        return SAY.untold("no_sides", points=found.tally.used)
    if main is None:
        return SAY.untold("no_pairs", a_points=a.points, b_points=b.points)
    return SAY.verdict(
        main.verdict,
        a=a.label,
        b=b.label,
        metric=main.metric,
        ratio=main.ratio,
        low=main.low,
        high=main.high,
        pairs=main.pairs,
        verdict=main.verdict,
        repeats=main.repeats,
        margin=found.margin,
    )


def _findings(found: Comparison, main: MetricRatio) -> Iterator[Statement]:
    if main.low is not None and main.high is not None:
        yield SAY.finding("interval", low=main.low, high=main.high, basis=BASIS_WORDS[main.basis])
    if main.verdict == "unknown":
        yield _needed(main)
    if main.pairs > 1:
        counts = {f"pairs_{word}": many for word, many in main.counts.items()}
        yield SAY.finding("pairs", pairs=main.pairs, **counts)
    if others := [
        {"metric": one.metric, "ratio": one.ratio, "verdict": one.verdict, "pairs": one.pairs}
        for one in found.metrics[1:]
    ]:
        yield SAY.finding("others", others=others)
    ratios = found.pairs.loc[found.pairs["metric"] == main.metric, "b_over_a"]
    if len(ratios) > 2:
        yield SAY.finding("spread", low=float(ratios.min()), high=float(ratios.max()))


def _needed(one: MetricRatio) -> Statement:
    """What would decide."""
    if one.low is None or one.basis == "pairs":
        return SAY.finding("no_interval")
    return SAY.finding("many_repeats" if one.repeats is None else "repeats", repeats=one.repeats)


def _notes(found: Comparison, main: MetricRatio) -> Iterator[Statement]:
    if apart := [inline(one.row) for one in found.metrics if one.apart]:
        yield SAY.note("definitions", metrics=apart)
    if found.single:
        yield SAY.note("once")
    elif main.basis == "pairs":
        yield SAY.note("differing_pairs", pairs=main.pairs)
    elif main.basis == "none":
        yield SAY.note("no_repeats")
    elif main.basis == "library":
        yield SAY.note("scatter", groups=found.scatter)
    facts = [one for own in (found.a, found.b) if own for one in own.facts]
    if kinds := flags.printed(flags_of(facts)):
        yield SAY.note("flags", flags=kinds)
    if main.pairs > 1:
        yield SAY.note("together", pairs=main.pairs)


def _coverage(found: Comparison) -> Iterator[Statement]:
    a, b = found.a, found.b
    if a and b and found.main is not None and (a.points > a.matched or b.points > b.matched):
        alone = {"alone_a": a.points - a.matched, "alone_b": b.points - b.matched}
        yield SAY.note("no_partner", a=a.label, b=b.label, **alone)
    yield from evidence.left_out(_with_repeats(found.tally))


def _with_repeats(tally: PointTally) -> PointTally:
    """The tally with repeats among the used, as here each of them says how far runs scatter."""
    counts = {code: many for code, many in tally.counts.items() if code != REPEAT}
    return PointTally({**counts, evidence.USED: tally.used + tally.of(REPEAT)}, tally.reasons)
