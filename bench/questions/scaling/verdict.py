"""What a scaling answer says: what more chips give, or why that is not known, and what of it needs an explanation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

from bench.basis import likeness, memory
from bench.basis.evidence import Ranking
from bench.basis.narrator import LISTED, Narrator
from bench.basis.points import PointFacts
from bench.basis.stated_share import StatedShare
from bench.basis.statement import Statement
from bench.basis.wording import is_tie
from bench.chart import title, value_label
from bench.maths.scaling import Law
from bench.questions.scaling.operating import BEST, FEWEST_COUNTS, INTERACTIVITY
from bench.questions.scaling.result import EVERY, MLPERF, WIDEST_BRACKET, ChipCount, Line, Replicas, Scaling, Way
from bench.questions.scaling.words import WORDS

SAY = Narrator(WORDS)
MOST_FINDINGS = 5
OWN = ("layout", "chips", "load", "variant")
"""What each line of a comparison has its own of."""


def statements(found: Scaling, ranking: Ranking, known: StatedShare) -> Iterator[Statement]:
    """Verdict, findings and notes of an answer; `known` is how many of the selected points decide."""
    first = next(iter(found.steps), None)
    if first is None:
        yield _unjudged(found) or _nothing(found, ranking)
    else:
        yield _growing(found, ranking, first, known)
    yield from islice(_findings(found), MOST_FINDINGS)
    yield from _notes(found)


def no_line(found: Scaling) -> str:
    """Why a model has no line: "no line drawn of two chip counts at concurrency 64"."""
    return SAY.text("no_line", {"where": where(found.way, found.level)})


def against_replicas(found: Scaling) -> Line | None:
    """The line that is set against replicas of its smallest count."""
    return next((line for line in found.steps if line.replicas), None)


def gives(line: Line, last: ChipCount) -> str:
    """What a count gives, for the variations of an answer: "8 x H100 SXM give 1.75 times"."""
    return SAY.text("gives", _growth(line, last))


def code(own: ChipCount, last: ChipCount) -> str:
    """The code of what a variation gives: "" within 1 % of the answer's own efficiency at the same count of chips."""
    same = own.accelerators == last.accelerators and is_tie((last.efficiency or 0) / (own.efficiency or 1))
    return "" if same else f"{last.accelerators} {last.efficiency}"


def where(way: Way, level: float | None) -> str:
    """Where counts are compared: "at concurrency 128", "at 29 tokens/s per user", "each at its best load"."""
    if level is None and way != BEST:
        return SAY.text("at_equal", {"load": way.replace("_", " ")})
    return SAY.text(f"at_{way}", {"level": level})


def projection(found: Scaling, place: str) -> tuple[str, str] | None:
    """The measured point behind a projected place of the chart, and how that comes about; None for any other place."""
    for line in found.steps:
        for one in (row.against for row in line.replicas if row.place == place):
            values = {
                "replicas": one.replicas,
                "base": line.base.accelerators,
                "each": line.base.throughput,
                "throughput": one.replicas_throughput,
                "metric": found.metric,
            }
            kind = "projection_interpolated" if line.base.between else "projection"
            return line.base.point.facts.point_id, SAY.text(kind, values)
    return None


def hardware(line: Line, count: int) -> str:
    """So many of a line's chips, with what tells it apart: "8 x H100 SXM", "one H100 SXM", "8 x H100 SXM (vLLM)"."""
    return f"one {_name(line)}" if count == 1 else f"{count:,} x {_name(line)}"


def _name(line: Line) -> str:
    accelerator = value_label("accelerator", line.facts.accelerator)
    return f"{accelerator} ({line.beside})" if line.beside else accelerator


def _where(found: Scaling, line: Line) -> str:
    """Where the counts of this line are compared; of the best, at which load that is where every point has the same."""
    facts = line.facts
    if found.way == BEST and facts.load_kind == "saturated":
        return SAY.text("at_saturated", {})
    if found.way == BEST and facts.load_kind == "scenario" and facts.scenario:
        return SAY.text("at_scenario", {"scenario": facts.scenario})
    return where(found.way, found.level)


def _facts(places: Iterable[ChipCount]) -> list[PointFacts]:
    """The measured points of these places."""
    return [facts for place in places for facts in place.facts]


def _growth(line: Line, place: ChipCount) -> dict[str, Any]:
    """What a count gives: its throughput as a multiple of the base's, its efficiency, and both counts."""
    base = line.base.accelerators
    return {
        "hardware": hardware(line, place.accelerators),
        "speedup": place.speedup,
        "efficiency": place.efficiency,
        "accelerators": place.accelerators,
        "base": base,
        "smallest": "one" if base == 1 else f"{base:,}",
    }


def _growing(found: Scaling, ranking: Ranking, line: Line, known: StatedShare) -> Statement:
    """What the largest count of a line gives; with its model where the subject names none or several."""
    base, last, model = line.base, line.judged[-1], line.facts.model
    values = {**known.values, **_growth(line, last), "where": _where(found, line)}
    if base.accelerators > 1:
        values["smallest"] = f"{base.accelerators:,} x {value_label('accelerator', line.facts.accelerator)}"
    if model is None or ranking.view.values("model") == (model,) or value_label("model", model) in line.beside:
        return SAY.verdict("efficiency", _facts([base, last]), **values)
    return SAY.verdict("efficiency_of_model", _facts([base, last]), **values, model=model)


def _unjudged(found: Scaling) -> Statement | None:
    """Why no efficiency can be told though counts can be set side by side; None where they cannot."""
    line = next((line for line in found.lines if len(line.places) >= FEWEST_COUNTS), None)
    if line is None:
        return None
    far = [place for place in line.places if not place.is_near]
    return SAY.untold("far_loads", _facts(far), where=where(found.way, found.level), widest=WIDEST_BRACKET)


def _nothing(found: Scaling, ranking: Ranking) -> Statement:
    """Why no two counts can be set side by side, of the points that were looked at."""
    tally, used, limits = found.tally, found.tally.used, len(ranking.limits)
    if not tally.selected:
        return SAY.untold("nothing_selected")
    if not used:
        if reason := next((one for one in ("beyond_limit", "unknown_limit") if tally.of(one)), None):
            return SAY.untold(f"nothing_{reason}", limits=limits)
        if split := tally.of("disaggregated"):
            return SAY.untold("nothing_disaggregated", points=split)
        return SAY.untold("nothing_unmeasured", metric=found.metric)
    if not (found.lines or found.absent):
        return SAY.untold("nothing_counts", used=used)
    if not found.shares_a_load and found.way != INTERACTIVITY:
        return SAY.untold("nothing_shared_load", used=used)
    if found.way == BEST:
        return SAY.untold("nothing_best", used=used)
    kind = "nothing_level" if found.common in (None, found.level) else "nothing_other_level"
    return SAY.untold(kind, used=used, where=where(found.way, found.level), common=found.common)


def _findings(found: Scaling) -> Iterator[Statement]:
    """The efficiency of each line, growth beyond proportion, replicas instead of a wide instance, and a law."""
    if found.steps:
        named = [place for line in found.steps[:LISTED] for place in (line.base, line.judged[-1])]
        lines = [{"line": _name(line), **_growth(line, line.judged[-1])} for line in found.steps]
        yield SAY.finding("efficiencies", _facts(named), lines=lines)
    beyond = [line for line in found.steps if line.beyond_linear]
    if beyond:
        yield _beyond(max(beyond, key=lambda line: line.beyond_linear[0].efficiency or 0))
    if line := against_replicas(found):
        yield from _replicas(found, line, line.replicas[-1])
    yield from (_law(line, line.law) for line in found.steps if line.law)


def _beyond(line: Line) -> Statement:
    """What a count gives beyond its share, and why: for what the weights leave to the cache, if that is known."""
    place = line.beyond_linear[0]
    small, wide = line.room(line.base), line.room(place)
    points, growth = _facts([line.base, place]), _growth(line, place)
    if line.facts.disaggregated:
        return SAY.finding("beyond_linear_designs", points, **growth)
    if small is None or wide is None or not memory.explains(small, wide, place.speedup or 0):
        return SAY.finding("beyond_linear", points, **growth)
    filled = {"weights_gib": small.weights_gib, "memory_gib": small.memory_gib}
    kind = "beyond_linear_room_least" if small.is_lower_bound else "beyond_linear_room"
    return SAY.finding(kind, points, **growth, **filled, room=wide.room_gib / small.room_gib)


def _replicas(found: Scaling, line: Line, row: Replicas) -> Iterator[Statement]:
    """One wide instance against replicas of the smallest: each at the same load, and at the same load in all."""
    against, base = row.against, line.base
    wide = next(place for place in line.judged if place.accelerators == against.accelerators)
    points = _facts([base, wide])
    values: dict[str, Any] = {
        "replicas": against.replicas,
        "smallest": hardware(line, base.accelerators),
        "accelerators": against.accelerators,
        "ratio": against.ratio,
        "throughput": against.throughput,
        "replicas_throughput": against.replicas_throughput,
    }
    if row.each_load is None:
        yield SAY.finding("replicas", points, **values)
    else:
        at = where(found.way, row.each_load)
        yield SAY.finding("replicas_loaded", points, **values, where=at, total=row.each_load * against.replicas)
        yield _at_one_load(found, row, (base, wide), at)
    yield from _gains(found, line, row, wide)


def _at_one_load(found: Scaling, row: Replicas, places: tuple[ChipCount, ChipCount], at: str) -> Statement:
    """What the replicas give at the wide instance's own load, shared among them, or that it is not known."""
    base, wide = places
    if row.shared_throughput is None:
        each = (row.each_load or 0) / row.against.replicas
        return SAY.finding("shared_unknown", where=at, load=row.each_load, each=each, base=base.accelerators)
    values = {"where": at, "throughput": row.shared_throughput, "ratio": row.shared_throughput / row.against.throughput}
    tpot = wide.figure(found.tpot)
    if row.shared_tpot_ms is None or tpot is None:
        return SAY.finding("shared", _facts(places), **values)
    beside = {"tpot": found.tpot, "tpot_ms": tpot, "replicas_tpot_ms": row.shared_tpot_ms}
    return SAY.finding("shared_tpot", _facts(places), **values, **beside)


def _gains(found: Scaling, line: Line, row: Replicas, wide: ChipCount) -> Iterator[Statement]:
    """The latencies of the wide instance and of the replicas, and what a million tokens cost on them."""
    base, against, on = line.base, row.against, hardware(line, wide.accelerators)
    points = _facts([base, wide])
    figures = [(key, wide.figure(key), base.figure(key)) for key in (found.tpot, found.ttft)]
    gains = [{"metric": key, "wide": own, "replicas": one} for key, own, one in figures if None not in (own, one)]
    if gains:
        yield SAY.finding("wide_instance", points, hardware=on, gains=gains)
    if against.usd_per_million is not None:
        usd = {"wide": against.usd_per_million, "replicas": against.replicas_usd_per_million}
        yield SAY.finding("wide_cost", points, metric=found.cost.key, hardware=on, **usd)


def _law(line: Line, law: Law) -> Statement:
    """The law that holds over the counts, and the peak that it predicts."""
    values = {"line": _name(line), "error": law.error, "contention": law.contention, "coherency": law.coherency}
    values |= {"counts": len(law.counts)}
    if peak := law.predicted:
        beyond = {"peak": peak.count, "low": peak.low, "high": peak.high, "largest": law.largest}
        return SAY.finding("law_peak", _facts(line.compared), **values, **beyond)
    return SAY.finding("law" if line.is_amdahl else "law_usl", _facts(line.compared), **values)


def _notes(found: Scaling) -> Iterator[Statement]:
    """Which lines are not drawn, what is unlike among them, how counts are compared, and what is projected."""
    steps = found.steps
    if found.lines and found.group != EVERY and found.other_lines:
        yield SAY.note("other_lines", field=title(found.group).split(" (")[0].lower(), many=found.other_lines)
    if steps and found.lone:
        yield SAY.note("lone", groups=list(found.lone))
    if unlike := likeness.mixed([line.facts for line in steps], (found.group, *OWN)):
        yield SAY.note("unlike", facts=unlike)
    if any(line.facts.harness == MLPERF for line in steps):
        yield SAY.note("submissions")
        yield SAY.note("derived")
    if designs := [line.label for line in steps if line.facts.disaggregated]:
        yield SAY.note("designs", lines=designs)
    if any(place.between for line in found.lines for place in line.places):
        yield SAY.note("interpolation")
    if any(line.replicas for line in steps):
        yield SAY.note("projected")
    if found.hollow:
        yield SAY.note("hollow", many=len(found.hollow))
    for line in found.lines:
        yield from _brackets(line)
        if line.judged and not all(place.peaked for place in line.places):
            yield SAY.note("may_rise", _facts(line.places), line=line.label)
    for reason in dict.fromkeys(one.reason for one in found.absent):
        absent = [{"line": one.line, "accelerators": one.accelerators} for one in found.absent if one.reason == reason]
        yield SAY.note(f"absent_{reason}", where=where(found.way, found.level), absent=absent)


def _brackets(line: Line) -> Iterator[Statement]:
    """Between which measured loads each interpolated count lies, and which of them are too far apart to judge."""
    places = [(place, *place.between) for place in line.places if place.between is not None]
    if not places or len(line.places) < FEWEST_COUNTS:
        return
    brackets = [{"low": low.load, "high": high.load, "accelerators": one.accelerators} for one, low, high in places]
    yield SAY.note("interpolated", _facts(place for place, *_ in places), line=_name(line), brackets=brackets)
    if line.judged and (far := [place.accelerators for place, *_ in places if not place.is_near]):
        yield SAY.note("far_apart", line=_name(line), accelerators=far)
