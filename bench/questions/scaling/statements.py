"""What a scaling answer says first, or why it can say nothing, and what it goes on to say; the words all of it uses."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from bench.basis import likeness, limits, memory
from bench.basis.evidence import Ranking
from bench.basis.points import PointFacts
from bench.basis.stated_share import StatedShare
from bench.basis.statement import Statement, Value, caveat, finding, headline, untold
from bench.basis.story import KEYS
from bench.basis.wording import FINDING, NOTHING_SELECTED, fitting, flagged, flags_of, is_tie, listing, subject
from bench.chart import title, value_label
from bench.maths.scaling import Law
from bench.questions.scaling.operating import BEST, FEWEST_COUNTS, INTERACTIVITY, PUSHED_ALIKE
from bench.questions.scaling.result import EVERY, MLPERF, WIDEST_BRACKET, ChipCount, Line, Replicas, Scaling, Way
from bench.records import LOAD_AXES
from bench.wording import counted, inline, is_or_are, joined, number

LISTED = 2
"""Of so many lines it is told what replicas would give."""

LISTED_LINES, LISTED_COUNTS = 6, 4

OWN = ("layout", "chips", "load", "variant")
"""What each line of a comparison has its own of."""

SUBMISSIONS = (
    "MLPerf submissions are compared where only the chip count differs; they state no number of instances, so replicas"
    " are not projected."
)
DERIVED = "Efficiencies and figures per chip are derived here; MLCommons did not verify them."
NOWHERE = "Of the points left out, those that can be compared have no two chip counts at one load either."
PROJECTED = "Replicas are projected as multiples of the smallest count, with the load spread evenly."


def statements(scaling: Scaling, ranking: Ranking, known: StatedShare) -> Iterator[Statement]:
    """The headline, and beyond it: growth beyond linear explained, every efficiency, replicas, and the laws."""
    first = next(iter(scaling.headline_lines), None)
    if first is None:
        why, text = _nothing(scaling, ranking)
        yield _unjudged(scaling) or untold("nothing", text, why=why, used=scaling.tally.used)
    else:
        yield _headline(scaling, first, known)
    for line in scaling.steps:
        if line.beyond_linear:
            yield from _explained(line, line.beyond_linear[0])
    yield from _efficiencies(scaling.steps[:LISTED_LINES])
    for line in scaling.lines:
        yield from _brackets(line)
    for line in set_against_replicas(scaling):
        yield from _replicas(scaling, line, line.replicas[-1])
    for line in scaling.headline_lines:
        yield from _laws(line)


def no_line(scaling: Scaling) -> str:
    """Why a model has no line: "no line drawn of two chip counts at concurrency 64"."""
    return f"no line drawn of two chip counts {where(scaling.way, scaling.level)}"


def caveats(scaling: Scaling, ranking: Ranking) -> Iterator[Statement]:
    """Which lines are not drawn, what is unlike among them, how counts are compared, and what is projected."""
    steps, field = scaling.steps, title(scaling.group).split(" (")[0].lower()
    unlike = likeness.mixed([line.facts for line in steps], (scaling.group, *OWN))
    bases = [f"{chips(line.base.accelerators)} of {line.label}" for line in steps if line.base.accelerators > 1]
    designs = [line.label for line in steps if line.facts.disaggregated]
    others = scaling.other_lines if scaling.lines and scaling.group != EVERY else 0
    mlperf = sum(line.facts.harness == MLPERF for line in steps)
    between = sum(place.between is not None for line in scaling.lines for place in line.places)
    for kind, many, text in (
        ("limits", len(ranking.limits), f"Only points with {limits.short(ranking.limits)} are compared."),
        (
            "other_lines",
            others,
            f"One line is drawn for each {field}; {scaling.other_lines:,} more {is_or_are(scaling.other_lines)} not.",
        ),
        ("lone", len(scaling.lone) if steps else 0, f"No line of two chip counts: {joined(scaling.lone)}."),
        ("unlike", len(unlike), f"The lines differ in {joined(unlike, at_most=3)}."),
        ("base", len(bases), f"Efficiency starts at the smallest measured count: {joined(bases)}."),
        ("submissions", mlperf, SUBMISSIONS),
        ("derived", mlperf, DERIVED),
        ("designs", len(designs), f"Disaggregated, so each chip count is another design: {joined(designs)}."),
        ("interpolation", between, "Interpolation is along logarithmic axes; nothing is extrapolated."),
        ("projected", sum(bool(line.replicas) for line in steps), PROJECTED),
        (
            "hollow",
            len(scaling.hollow),
            f"{counted(len(scaling.hollow), 'point')} drawn hollow {is_or_are(len(scaling.hollow))} on no line.",
        ),
    ):
        if many:
            yield caveat(kind, text, many=many)
    for line in scaling.lines:
        yield from _runs(line)
        yield from _loads(scaling, line) if line.judged and scaling.way == BEST else ()
    yield from _absent(scaling)


def _runs(line: Line) -> Iterator[Statement]:
    """Which counts are months apart without a version, and which stand in another run only."""
    if line.apart and line.judged:
        text = f"The runs differ and state no engine version, so the software may differ too: {dates(line)}."
        yield caveat("runs_apart", text, ids(line.places))
    if line.other_runs:
        counts = joined([str(one) for one in line.elsewhere])
        only = f", the only ones on {counts}" if counts else ""
        text = f"Left out: {counted(line.other_runs, 'point')} of other runs of {line.label}{only}."
        yield caveat("other_runs", text, points=line.other_runs)


def _loads(found: Scaling, line: Line) -> Iterator[Statement]:
    """Where the best of the counts are at loads per chip far apart: said, with those loads."""
    loads = [(place, load) for place in line.places if (load := place.point.load) is not None]
    each = [load / place.accelerators for place, load in loads]
    if len(each) > 1 and max(each) > PUSHED_ALIKE * min(each):
        parts = [f"{number(load)} on {place.accelerators}" for place, load in loads]
        text = f"{line.label} is best at unlike loads per chip: {joined(parts)}."
        yield caveat("loads_apart", text, ids(line.places), **{str(one.accelerators): load for one, load in loads})
    elif any(not place.peaked for place, _ in loads):
        text = f"{line.label} may give more beyond its highest measured loads."
        yield caveat("may_rise", text, ids(line.places))


def _absent(scaling: Scaling) -> Iterator[Statement]:
    words = {
        "level": f"No point {where(scaling.way, scaling.level)}",
        "rising": "Throughput still rises at the highest measured load, so the best is not known",
        "once": "Measured at one load only, so the best is not known",
    }
    for reason, lead in words.items():
        own = [one for one in scaling.absent if one.reason == reason]
        named = [f"{one.line} on {joined([str(count) for count in one.accelerators])}" for one in own]
        if named:
            yield caveat(f"absent_{reason}", f"{lead}: {joined(named)}.")


def set_against_replicas(scaling: Scaling) -> list[Line]:
    """The lines of which it is told what replicas would give."""
    return [line for line in scaling.headline_lines if line.replicas][:LISTED]


def gives(line: Line, last: ChipCount) -> str:
    """What the largest count gives, the same words in headline and variations: "8 H100 SXM give 1.75 times"."""
    return f"{hardware(line, last.accelerators)} give {number(last.speedup)} times"


def verdict_code(own: ChipCount, last: ChipCount) -> str:
    """The same for all verdicts within 1 % of the answer's own efficiency at the same count of chips."""
    same = own.accelerators == last.accelerators and is_tie((last.efficiency or 0) / (own.efficiency or 1))
    return "" if same else f"{last.accelerators} {last.efficiency}"


def percent(ratio: float | None) -> str:
    """An efficiency with three digits: "21.9 %", "261 %"."""
    return f"{number(100 * (ratio or 0))} %"


def hardware(line: Line, count: int) -> str:
    """So many of a line's accelerators: "8 H100 SXM", "one H100 SXM"."""
    return f"{_count(count)} {value_label('accelerator', line.facts.accelerator)}"


def chips(count: int) -> str:
    """A count of chips in words."""
    return "one chip" if count == 1 else f"{count:,} chips"


def where(way: Way, level: float | None) -> str:
    """The way counts are compared, in words: "at concurrency 128", "at 29 tokens/s per user", "each at its best"."""
    if way == BEST:
        return "each at its best load"
    return f"at equal {way.replace('_', ' ')}" if level is None else f"at {_load(way, level)}"


def dates(line: Line) -> str:
    """When each count of a line was measured: "H100 on 4 chips is of 2025-12-19, on 8 of 2026-03-23"."""
    parts = [f"on {chips(count)} of {day or 'an unstated day'}" for count, day in line.apart]
    return f"{line.label} {joined(parts)}"


def ids(places: Iterable[ChipCount]) -> list[str]:
    """The measured points of these places."""
    return [one.point_id for place in places for one in place.facts]


def noted(places: Iterable[ChipCount]) -> str:
    """The flags of the points of these places, in brackets."""
    return flagged(flags_of(one for place in places for one in place.facts))


def _one_bracket(text: str) -> str:
    """Words in two brackets behind each other in one: "(21.9 %; flagged: decode only)"."""
    return text.replace(") (", "; ")


def projection(scaling: Scaling, place: str) -> tuple[str, str] | None:
    """The measured point behind a projected place of the chart, and how that comes about; None for any other place."""
    for line in scaling.headline_lines:
        for one in (row.against for row in line.replicas if row.place == place):
            interpolated = "is interpolated; the nearest measured point is below"
            each = interpolated if line.base.between else "is the measured point below"
            return line.base.point.facts.point_id, (
                f"Projected, not measured: {counted(one.replicas, 'replica')} of {chips(line.base.accelerators)},"
                f" {one.replicas} x {number(line.base.throughput)} = {number(one.replicas_throughput)}"
                f" {scaling.row.unit}. Each replica {each}."
            )
    return None


def _headline(scaling: Scaling, first: Line, known: StatedShare) -> Statement:
    """What the largest count gives, the fullest sentence that has room with coverage and flags."""
    last, base, about = first.judged[-1], first.base, subject([first.facts])
    own = [one for one in first.beside.split(", ") if one and one not in about]
    beside = f" with {', '.join(own)}" if own and scaling.group not in KEYS else ""
    pushed = all(one.facts.load_kind in ("saturated", "scenario") for one in scaling.steps)
    way = f"{', ' if scaling.way == BEST else ' '}{where(scaling.way, scaling.level)}"
    way = "" if scaling.way == BEST and pushed else way
    model = subject([PointFacts("", model=first.facts.model)])
    whole = f"{gives(first, last)} the throughput of {_count(base.accelerators)}"
    flags_told = noted([base, last])
    share = f" ({percent(last.efficiency)} efficiency)"
    ends = (f"{share}{way}", f" ({percent(last.efficiency)}){way}", share, f" ({percent(last.efficiency)})")
    starts = [*(f"On {one}, " for one in (f"{about}{beside}", about, model) if one), f"{model}: " if model else ""]
    starts = known.leads(model) or starts
    told = [f"{start}{whole}{end}" for end in (ends if known.lead else ends[:1]) for start in starts]
    told += [f"{start}{whole}{end}" for start in starts for end in ends[1:]] + [f"{starts[-1]}{whole}"]
    text = fitting(*(f"{_one_bracket(one + flags_told)}." for one in told))
    return headline("efficiency", text, ids([base, last]), **known.values, **_growth(first, last))


def _growth(line: Line, place: ChipCount) -> dict[str, Value]:
    """What a count gives in numbers: its efficiency and its throughput as a multiple of the base's, and both counts."""
    counts = {"accelerators": place.accelerators, "base": line.base.accelerators}
    return {"efficiency": place.efficiency, "speedup": place.speedup, **counts}


def _unjudged(scaling: Scaling) -> Statement | None:
    """Why no efficiency can be told though counts can be set side by side; None where they cannot."""
    line = next((line for line in scaling.lines if len(line.places) >= FEWEST_COUNTS), None)
    if line is None:
        return None
    about = subject([line.facts]) or line.label
    model = subject([PointFacts("", model=line.facts.model)]) or line.label
    if line.apart and line.judged:
        runs = [
            f"Scaling on {of} cannot be told: {when}, without an engine version"
            for of in (about, model)
            for when in (dates(line), dates(line).removeprefix(f"{line.label} "))
        ]
        texts = [*runs, f"Scaling on {model} cannot be told: its chip counts are of runs that may differ in software"]
        kind, places = "runs_apart", list(line.places)
    else:
        far = f"measured loads lie more than {WIDEST_BRACKET:g} times apart"
        texts = [f"Scaling on {of} cannot be told {where(scaling.way, scaling.level)}: {far}" for of in (about, model)]
        kind, places = "far_loads", [place for place in line.places if not place.is_near]
    return untold(kind, fitting(*(f"{one}{noted(places)}." for one in texts)), ids(places))


def _nothing(scaling: Scaling, ranking: Ranking) -> tuple[str, str]:
    """Why no two counts of what is shown can be set side by side, of the points looked at: a code, and in words."""
    tally, held = scaling.tally, bool(scaling.lines or scaling.absent)
    if not tally.selected:
        return "selected", NOTHING_SELECTED
    if not tally.used:
        return _nothing_used(scaling, ranking)
    if not held or not (scaling.shares_a_load or scaling.way == INTERACTIVITY):
        of = f", of {tally.selected:,} selected," if tally.selected > tally.used else ""
        why, two = ("shared_load", "two chip counts at one load") if held else ("counts", "two chip counts")
        if tally.used == 1:
            return why, f"Only one point{of} is used, so there are no two chip counts to compare."
        return why, f"No two of the {tally.used:,} points used{of} are of one deployment on {two}."
    if scaling.way == BEST:
        return "best", "No line has two chip counts whose best load is known."
    said = f"No line has two chip counts measured {where(scaling.way, scaling.level)}"
    if scaling.common is not None and scaling.common != scaling.level:
        return "level", f"{said}; most share {number(scaling.common)}: choose that level."
    return "level", f"{said}."


def _nothing_used(scaling: Scaling, ranking: Ranking) -> tuple[str, str]:
    """Why no selected point is used at all: a code, and in words."""
    tally, named = scaling.tally, limits.named(ranking.limits)
    none = f"None of the {tally.selected:,} points" if tally.selected > 1 else "No selected point"
    if many := tally.of("beyond_limit") + tally.of("unknown_limit") * bool(tally.of("beyond_limit")):
        none = f"None of the {many:,} points that can be compared" if many > 1 else "No point that can be compared"
        ease = f"ease {'it' if len(ranking.limits) == 1 else 'them'}"
        return "beyond_limit", f"{none} is known to keep {named}; {ease}."
    if many := tally.of("unknown_limit"):
        none = f"None of the {many:,} ranked points" if many > 1 else "No ranked point"
        metrics = limits.metrics(ranking.limits)
        return "unknown_limit", f"{none} states {metrics}; drop {named} to compare chip counts."
    if many := tally.of("disaggregated"):
        kept = f"{counted(many, 'point')} of disaggregated deployments {is_or_are(many)}"
        return "disaggregated", f"{none} is used; {kept} compared only where those are chosen."
    return "unmeasured", f"{none} is measured and states both its chips and its {inline(scaling.row)}."


def _efficiencies(lines: Sequence[Line]) -> Iterator[Statement]:
    """The efficiency of every count of every line, the first line first, where there is room for it."""
    if not lines:
        return
    parts, values = [], dict[str, float | None]()
    for line in lines:
        base = "" if line.base.accelerators == 1 else f" (against {line.base.accelerators:,})"
        own = [f"{percent(place.efficiency)} on {place.accelerators:,}" for place in line.judged]
        parts.append(f"{_named(line)}{base} {joined(own, at_most=LISTED_COUNTS)}{noted(line.compared)}")
        values |= {f"{line.label} {place.accelerators}": place.efficiency for place in line.judged}
    text, shown = listing("Efficiency: ", parts, ".", by="; ", longest=FINDING)
    yield finding("efficiencies", text, ids(place for line in lines[:shown] for place in line.compared), **values)


def _brackets(line: Line) -> Iterator[Statement]:
    """Between which measured loads each interpolated count lies, and which of them are too far apart to judge."""
    places = [place for place in line.places if place.between is not None]
    if not places or len(line.places) < FEWEST_COUNTS:
        return
    far = [chips(place.accelerators) for place in places if not place.is_near]
    between, some = [_bracket(place) for place in places], noted(places)
    text = listing(f"{_named(line)} is interpolated between ", between, f"{some}.", longest=FINDING).text
    yield finding("interpolated", text, ids(places))
    if far and line.judged:
        yield finding("far_apart", listing(f"Too far apart to judge {_named(line)}: ", far, ".").text)


def _bracket(place: ChipCount) -> str:
    """The measured points a count lies between: "concurrency 3 and 102 on 28 chips"."""
    low, high = place.between or (place.point, place.point)
    kind = next((key for key in LOAD_AXES if None not in (low.load_of(key), high.load_of(key))), None)
    if kind is None:
        return f"points of unstated load on {chips(place.accelerators)}"
    loads = f"{number(low.load_of(kind))} and {number(high.load_of(kind))}"
    return f"{kind.replace('_', ' ')} {loads} on {chips(place.accelerators)}"


def _explained(line: Line, place: ChipCount) -> Iterator[Statement]:
    """Why some count gives more than its share: what the weights leave for the cache, or that it is not known."""
    base, places = line.base, [line.base, place]
    small, wide = line.rooms[line.start], line.rooms[line.places.index(place)]
    if line.facts.disaggregated:
        why = "another count is another split of prefill and decode chips"
    elif small is None or wide is None:
        why = ""
    else:
        weights = f"the weights fill {number(small.weights_gib)} of {number(small.memory_gib)} GiB on"
        why = f"memory does not explain it, {weights} {chips(base.accelerators)}"
        if memory.explains(small, wide, place.speedup or 0):
            room = number(wide.room_gib / small.room_gib)
            why = f"{weights} {chips(base.accelerators)}, so KV cache gets at least {room} times the room"
    whole = f"{gives(line, place)} the throughput of {_count(base.accelerators)}"
    lead = _one_bracket(f"{whole} ({percent(place.efficiency)}){noted(places)}")
    text = fitting(f"{lead}{': ' * bool(why)}{why}.", f"{lead}.", longest=FINDING)
    yield finding("beyond_linear", text, ids(places), **_growth(line, place))
    if why not in text:
        yield finding("explained", f"That is beyond linear: {why}.")
    if small and wide and small.tokens and wide.tokens and memory.explains(small, wide, place.speedup or 0):
        most = f"{_rough(small.tokens)} tokens on {chips(base.accelerators)}"
        more = f"{_rough(wide.tokens)} on {chips(place.accelerators)}"
        text = f"That room is at most {most} and {more}."
        yield finding("kv_room", text, base_tokens=small.tokens, tokens=wide.tokens)


def _replicas(scaling: Scaling, line: Line, row: Replicas) -> Iterator[Statement]:
    """One wide instance against replicas of the smallest: at the same load each, and at the same load in all."""
    against, places = row.against, [line.base, line.judged[-1]]
    per_wide, per_chip = against.throughput_per_accelerator, against.replicas_throughput_per_accelerator
    of = f"{against.replicas:,} replicas of {hardware(line, line.base.accelerators)}"
    gives_more = f"would give {number(against.ratio)} times the throughput of one instance on {against.accelerators:,}"
    some, each = _one_bracket(f" (projected){noted(places)}"), ""
    if row.each_load is not None:
        each = f"each at {_load(scaling.way, row.each_load)} ({number(row.total_load)} in all)"
    text = fitting(*([f"{of}, {each}, {gives_more}{some}."] if each else []), f"{of} {gives_more}{some}.")
    both = {"throughput": against.throughput, "replicas_throughput": against.replicas_throughput}
    yield finding("replicas", text, ids(places), ratio=against.ratio, **both)
    if each not in text:
        yield finding("replicas_load", f"Those replicas are {each}.", each=row.each_load, total=row.total_load)
    text = f"Those replicas would give {number(per_chip)} {scaling.row.unit} per chip against {number(per_wide)}"
    yield finding("replicas_per_chip", f"{text}{some}.", ids(places), replicas=per_chip, wide_instance=per_wide)
    if row.each_load is not None:
        yield _at_one_load(scaling, line, row, row.each_load)
    usd = {"usd_per_million": against.usd_per_million, "replicas_usd_per_million": against.replicas_usd_per_million}
    for gain in _gains(scaling, row):
        text = f"One instance on {hardware(line, against.accelerators)} {gain}{noted(places)}."
        yield finding("wide_instance", text, ids(places), **usd)


def _at_one_load(scaling: Scaling, line: Line, row: Replicas, load: float) -> Statement:
    """What the replicas give at the wide instance's own load, shared among them, or that it is not known."""
    places, lead = [line.base, line.judged[-1]], f"At {_load(scaling.way, load)} in all"
    if row.shared_throughput is None:
        each = f"{number(load / row.against.replicas)} for each replica"
        never = f"{chips(line.base.accelerators)} never ran that load"
        text = f"{lead} ({each}) what they would give is not known: {never}."
        return finding("shared_unknown", text, load=load)
    ratio = row.shared_throughput / row.against.throughput
    text = (
        f"{lead} those replicas would give {number(row.shared_throughput)} {scaling.row.unit}, {number(ratio)} times"
        f" the one instance (projected)"
    )
    wide, tpot = places[-1].figure(scaling.tpot), ""
    if row.shared_tpot_ms is not None and wide is not None:
        tpot = f", at a TPOT of {number(row.shared_tpot_ms)} ms against {number(wide)}"
    some = noted(places)
    text = fitting(f"{text}{some}{tpot}.", f"{text}{some}.", longest=FINDING)
    return finding("shared", text, ids(places), ratio=ratio, throughput=row.shared_throughput)


def _gains(scaling: Scaling, row: Replicas) -> list[str]:
    """What the wide instance gains in latency over the replicas, and what it costs more or less."""
    against, usd, other = row.against, row.against.usd_per_million, row.against.replicas_usd_per_million
    saved = [
        f"{number(abs(value))} ms {'less' if value > 0 else 'more'} {name}"
        for name, value in (("TPOT", against.tpot_saved_ms), ("TTFT", against.ttft_saved_ms))
        if value is not None
    ]
    parts = [f"has {joined(saved)} than the replicas"] if saved else []
    if usd is not None and other is not None:
        part = scaling.metric.partition("_")[0]
        tokens = "tokens" if part == "total" else f"{part} tokens"
        parts.append(f"costs {number(usd)} USD per million {tokens} against {number(other)} on the replicas")
    return parts


def _laws(line: Line) -> Iterator[Statement]:
    """The laws that hold over the counts, and the peak that one predicts."""
    for law in line.laws:
        text = f"Amdahl's law with a serial share of {percent(law.contention)}"
        if law is not line.amdahl:
            text = (
                f"the Universal Scalability Law with contention {percent(law.contention)} and coherency"
                f" {number(law.coherency)}"
            )
        off = f" to within {percent(law.error)} on {counted(len(law.counts), 'chip count')}"
        peak = law.predicted
        text = f"{_named(line)} follows {text}{off}{noted(line.compared)}."
        values = {"error": law.error, "contention": law.contention, "peak": peak.count if peak else None}
        yield finding("law", text, ids(line.compared), **values)
        if where_it_peaks := _peak(law):
            yield finding("peak", where_it_peaks)


def _peak(law: Law) -> str:
    """Where the law's throughput is highest: measured, or predicted and called so."""
    peak, sure = law.peak, law.predicted
    if sure is not None:
        return (
            f"That law predicts a peak near {number(sure.count)} chips (95 % interval {number(sure.low)} to"
            f" {number(sure.high)}), beyond the measured {number(law.largest)}."
        )
    if peak is not None and peak.measured and peak.observed:
        return f"That law's peak is at {number(peak.count)} chips."
    return ""


def _named(line: Line) -> str:
    """A line in a sentence: its accelerator, and what tells it apart from the others."""
    accelerator = value_label("accelerator", line.facts.accelerator)
    return f"{accelerator} ({line.beside})" if line.beside else accelerator


def _count(count: int) -> str:
    return "one" if count == 1 else f"{count:,}"


def _load(way: Way, value: float) -> str:
    """What is held equal: "concurrency 128", "4 requests/s", "29 tokens/s per user"."""
    units = {INTERACTIVITY: "tokens/s per user", "request_rate": "requests/s"}
    return f"{number(value)} {units[way]}" if way in units else f"{way} {number(value)}"


def _rough(tokens: float) -> str:
    """An upper bound with two digits, rounded up."""
    step = 10 ** (math.floor(math.log10(tokens)) - 1)
    return f"{math.ceil(tokens / step) * step:,.0f}"
