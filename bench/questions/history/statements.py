"""What a history says: whether it got faster and when, what came with that, and what is only a change of method."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from bench.basis import evidence, interpolated, wording
from bench.basis.statement import Statement, caveat, coverage, finding, headline, untold
from bench.basis.wording import FINDING, NOTHING_SELECTED, flagged, flags_of, is_tie, subject
from bench.chart import hardware_words, setting, value_label
from bench.maths.change_points import FEWEST
from bench.questions.history.method import WORDS
from bench.questions.history.result import FixedLoad, History, LoadValue, MethodChange, SpeedChange
from bench.wording import counted, inline, is_or_are, joined, number, quantity, share

MOST_TOLD = 3
"""So many changes at one load, and so many changes of method, are told; more are counted."""


def statements(found: History) -> Iterator[Statement]:
    """Headline, findings and caveats."""
    if not found.loads:
        yield untold("nothing", _nothing(found), selected=found.counted.selected)
    else:
        yield _headline(found, found.loads[0])
        yield from _findings(found)
    yield from evidence.left_out(found.counted)
    if found.loads:
        yield from _caveats(found)


def speed_words(speed: float) -> str:
    """A ratio of speeds in words: "30 % faster", "2.1 times as fast", "21 % slower", "as fast"."""
    if is_tie(speed):
        return "as fast"
    if speed >= wording.TWICE:
        return f"{number(speed)} times as fast"
    return f"{share(speed - 1)} faster" if speed > 1 else f"{share(1 - speed)} slower"


def load_words(one: FixedLoad) -> str:
    """The load in a sentence: "concurrency 64"."""
    return setting(one.axis, one.load) if one.axis != "load" else f"load {number(one.load)}"


def method_words(changes: Iterable[MethodChange]) -> str:
    """In what something was measured unlike: "harness and window"."""
    return joined([WORDS[one.kind] for one in changes], at_most=4)


def _nothing(found: History) -> str:
    """Why there is no history, by the commonest reason."""
    if not found.counted.selected:
        return NOTHING_SELECTED
    if found.runs:
        return f"None of {counted(len(found.runs), 'run')} states this metric at this load; choose another load."
    counts = {one.words: many for one in found.counted.reasons if (many := found.counted.of(one.code))}
    words, many = max(counts.items(), key=lambda row: row[1], default=("of one date", found.counted.used))
    if found.counted.selected == 1:
        return f"The 1 point has no history: it is {words}."
    none = f"None of {counted(found.counted.selected, 'point')} has a history"
    return f"{none}: {'all' if many == found.counted.selected else f'{many:,}'} are {words}."


def _who(found: History) -> list[str]:
    """What it is a history of, the fullest first."""
    facts = found.facts
    if facts is None:
        return [""]
    of = subject([facts])
    short = of.split(" at ")[0]
    chip = value_label("accelerator", facts.accelerator) if facts.accelerator else ""
    hardware = hardware_words({"accelerator": facts.accelerator, "accelerators": facts.accelerators})
    hardware = f"one {chip}" if chip and facts.accelerators == 1 else hardware
    engine = f" with {value_label('engine', facts.engine)}" if facts.engine else ""
    on = f" on {hardware}" if hardware else ""
    bare = f" on {chip}" if chip and facts.accelerators == 1 else on
    return [f"{of}{on}{engine}", f"{short}{on}{engine}", f"{short}{on}", f"{short}{bare}"]


def _told(found: History, one: FixedLoad) -> str:
    """The changes at a load, in the order of time: "21 % slower from 2026-01-05, 30 % faster from 2026-05-18"."""
    parts = [f"{speed_words(change.speed)} from {found.runs[change.after].name}" for change in one.told]
    rest = len(parts) - MOST_TOLD
    return ", ".join([*parts[:MOST_TOLD], *[f"{rest} more"] * (rest > 0)])


def _headline(found: History, one: FixedLoad) -> Statement:
    if one.verdict == "changed":
        return _of_changes(found, one)
    values, at = _compared(one), load_words(one)
    first, last = found.runs[values[0].run].name, found.runs[values[-1].run].name
    flags, speed = _flags(values), one.speed(values[0].value, values[-1].value)
    if one.verdict == "same":
        least, span = f"{100 * found.least:g} %", f"{counted(len(values), 'run')} from {first} to {last}"
        what = (
            f"no change{_by(found)} of {least} or more at {at} in {span}",
            f"no {least} change{_by(found)} at {at} in {span}",
        )
        texts = [f"{who}: {text}{flags}." for text, who in product(what, _who(found)[:3])]
    elif one.verdict == "untested":
        reads = f"reads {speed_words(speed)}{_by(found)} at {at} on {last} {_than(speed)} on {first}"
        few = f"{counted(len(values), 'run')} cannot tell"
        ends = (f"; {few} that from noise{flags}.", f"; {few}{flags}.")
        texts = [f"{who} {reads}{end}" for who, end in product(_who(found), ends)]
        since = f"reads {speed_words(speed)}{_by(found)} at {at} since {first}"
        texts += [f"{_who(found)[-1]} {text}; {few}{flags}." for text in (since, since.replace(_by(found), ""))]
    else:
        reads = f"{_reads(one, values[0], values[-1])}{_by(found)} at {at} since {first}"
        texts = [
            f"{who}: {reads} is {words}, not speed{flags}."
            for words, who in product((f"a change of {method_words(values[-1].changes)}", "method"), _who(found))
        ]
    return headline(one.verdict, wording.fitting(*texts), _ids(values), load=one.load, runs=len(values), speed=speed)


def _compared(one: FixedLoad) -> Sequence[LoadValue]:
    """The values a headline without a change is about: the longest stretch of one method, or the last two values."""
    start, end, _ = one.longest_stretch
    return one.values[start:end] if end - start > 1 else one.values[-2:]


def _reads(one: FixedLoad, before: LoadValue, after: LoadValue) -> str:
    """What two values read, without saying that it is speed: "2.6 % less"."""
    ratio = after.value / before.value
    return wording.times(ratio) if ratio < wording.TWICE else f"{number(ratio)} times as much"


def _of_changes(found: History, one: FixedLoad) -> Statement:
    """How fast it is now beside what it was, and the changes between."""
    start, end, levels = next(stretch for stretch in one.stretches if _holds(one, stretch, one.told[-1]))
    values = one.values[start:end]
    speed = one.speed(levels.levels[0], levels.levels[-1])
    net = f"{speed_words(speed)}{_by(found)} at {load_words(one)} {_than(speed)} on"
    first, flags = found.runs[values[0].run].name, _flags(values)
    own = [change for change in one.told if _holds(one, (start, end, levels), change)]
    last = own[-1]
    whole = len(own) == len(one.told) <= MOST_TOLD
    ends = [f": {_told(found, one)}", f": {_signed(found, own)}"] if whole and len(own) > 1 else []
    ends += [f"; last {speed_words(last.speed)} from {found.runs[last.after].name}"] if len(own) > 1 else []
    ends += [f", from {found.runs[last.after].name}", ""]
    texts = [f"{who} is {net} {first}{end}{flags}." for end, who in product(ends, _who(found))]
    changed = [
        values_of for change in own for values_of in one.values if values_of.run in (change.before, change.after)
    ]
    return headline(
        "changed",
        wording.fitting(*texts),
        _ids([values[0], *changed, values[-1]]),
        load=one.load,
        runs=len(values),
        speed=speed,
        changes=len(own),
        last=last.speed,
        last_from=found.runs[last.after].name,
    )


def _signed(found: History, changes: Sequence[SpeedChange]) -> str:
    """Changes in few words: "-18 % on 2026-01-05, +37 % on 2026-05-18"."""
    return ", ".join(f"{_percent(change.speed)} on {found.runs[change.after].name}" for change in changes)


def _percent(speed: float) -> str:
    return f"{number(speed)} times" if speed >= wording.TWICE else f"{'+' if speed > 1 else '-'}{share(abs(speed - 1))}"


def _by(found: History) -> str:
    """By which metric, where that is not a throughput: " by median TPOT"."""
    return "" if found.row.kind in ("throughput", "per_accelerator") else f" by {inline(found.row)}"


def _than(speed: float) -> str:
    """What follows `speed_words` before what is compared with."""
    return "as" if is_tie(speed) or speed >= wording.TWICE else "than"


def _holds(one: FixedLoad, stretch: tuple[int, int, object], change: SpeedChange) -> bool:
    return any(value.run == change.after for value in one.values[stretch[0] : stretch[1]])


def _findings(found: History) -> Iterator[Statement]:
    yield from _values(found, found.loads[0])
    for one in found.loads[1:]:
        if one.verdict in ("changed", "same"):
            yield _at_load(found, one)
    yield from _came_with(found)
    yield from _frontier(found)
    yield from _methods(found)
    yield from _interpolated(found)


def _values(found: History, one: FixedLoad) -> Iterator[Statement]:
    """The values behind the headline, and how far runs scatter where nothing changed."""
    values = _compared(one)
    first, last = (quantity(value.value, found.metric) for value in (values[0], values[-1]))
    name = found.row.label
    text = f"{name} at {load_words(one)} went from {first} to {last} over {counted(len(values), 'run')}"
    noise = one.longest_stretch[2].noise
    scatter = f"; about a level they scatter by {share(noise)}" if noise is not None else ""
    flags = _flags([values[0], values[-1]])
    yield finding(
        "values",
        f"{text}{scatter}{flags}.",
        _ids([values[0], values[-1]]),
        first=values[0].value,
        last=values[-1].value,
        noise=noise,
        runs=len(values),
    )


def _at_load(found: History, one: FixedLoad) -> Statement:
    """What another load says."""
    if not one.told:
        many = one.longest_stretch[1] - one.longest_stretch[0]
        text = f"At {load_words(one)} no change of {100 * found.least:g} % or more in {counted(many, 'run')}"
        return finding("at_load", f"{text}.", load=one.load, changes=0)
    changed = [value for value in one.values if any(value.run in (each.before, each.after) for each in one.told)]
    flags = _flags(changed)
    text = f"At {load_words(one)}: {_told(found, one)}{flags}."
    return finding("at_load", text, _ids(changed), load=one.load, changes=len(one.told), last=one.told[-1].speed)


def _came_with(found: History) -> Iterator[Statement]:
    """The engine versions on both sides of the changes; of how many they are not stated."""
    changes = {(each.before, each.after) for one in found.loads for each in one.told}
    if not changes:
        return
    versions = [(found.runs[after], found.runs[before].version) for before, after in sorted(changes)]
    stated = [
        f"{run.name} version {run.version} after {old}"
        for run, old in versions
        if run.version and old and run.version != old
    ]
    unstated = sum(not (run.version and old) for run, old in versions)
    parts = [f"With {joined(stated[:2])}"] if stated else []
    if unstated:
        parts.append(f"the versions around {counted(unstated, 'change')} are not stated on both sides")
    if parts:
        yield finding("came_with", f"{wording.opened('; '.join(parts))}.", stated=len(stated), unstated=unstated)


def _frontier(found: History) -> Iterator[Statement]:
    """How the two trade-offs compare."""
    then, now = found.frontier(found.then), found.frontier(found.now)
    if then is None or now is None or found.then == found.now:
        return
    first, last = found.runs[then.run].name, found.runs[now.run].name
    facts = [one.facts for run in (then, now) for one in found.runs[run.run].points.values()]
    named = [one for one in facts if one.point_id in (*then.point_ids, *now.point_ids)]
    flags, ids = flagged(flags_of(named)), [one.point_id for one in named]
    if found.unlike:
        words = method_words(found.unlike)
        yield finding(
            "frontier", f"The trade-offs of {first} and {last} differ in {words}: none is faster by them{flags}.", ids
        )
    elif found.gain is None:
        yield finding("frontier", f"The trade-offs of {first} and {last} do not overlap in speed per user{flags}.", ids)
    else:
        gain = found.gain
        span = f"{number(gain.start)} to {number(gain.end)} tokens/s per user"
        low, high = number(gain.low), number(gain.high)
        times = f"{low} to {high} times" if low != high else f"{low} times"
        text = f"From {span}, {last} gives {times} the throughput per chip of {first}"
        values = {"low": gain.low, "high": gain.high, "mean": gain.mean, "start": gain.start, "end": gain.end}
        yield finding("frontier", f"{text}, on average {number(gain.mean)}{flags}.", ids, **values)


def _methods(found: History) -> Iterator[Statement]:
    """What is only a change of method, at the loads that meet it last first; what its source says of it."""
    steps: dict[tuple[int, int], list[tuple[FixedLoad, LoadValue, LoadValue]]] = {}
    for one in found.in_order:
        for before, after in zip(one.values, one.values[1:], strict=False):
            if after.changes:
                steps.setdefault((before.run, after.run), []).append((one, before, after))
    for (first, last), own in sorted(steps.items(), reverse=True)[:MOST_TOLD]:
        words = method_words({each.kind: each for *_, after in own for each in after.changes}.values())
        start = f"Not told as speed: from {found.runs[first].name} to {found.runs[last].name} {words} changed"
        reads = [f"{_reads(one, before, after)} at {load_words(one)}" for one, before, after in own]
        flags = _flags([value for _, before, after in own for value in (before, after)])
        texts = [f"{start}: {joined(reads[-many:])}{flags}." for many in range(min(len(reads), 3), 0, -1)]
        text = wording.fitting(*texts, f"{start}{flags}.", longest=FINDING)
        yield finding("not_speed", text, _ids([value for _, *two in own for value in two]), loads=len(own))
    doubts = dict.fromkeys(said for one in found.loads for value in one.values for said in value.measured.doubts)
    for said in [said for said in doubts if len(said.split()) <= FINDING - 3][:1]:
        yield finding("doubt", f"Its source's flag says: {said.rstrip('.')}.")


def _interpolated(found: History) -> Iterator[Statement]:
    """How many values lie between measured loads, and how wrong such values have been."""
    between = [(one, value) for one in found.in_order for value in one.values if value.is_interpolated]
    if not between:
        return
    every = sum(len(one.values) for one in found.loads)
    worst = max((value for _, value in between), key=lambda value: (value.error is None, value.gap))
    told = f"{len(between)} of {counted(every, 'value')} {is_or_are(len(between))} interpolated"
    text = f"{told}; {interpolated.words(worst.error)}"
    p90 = worst.error.p90 if worst.error else None
    yield finding("interpolated", f"{text}.", values=len(between), of=every, p90=p90)


def _caveats(found: History) -> Iterator[Statement]:
    """What is not told for the interpolation, the versions that are not stated, and the loads with too few runs."""
    within = sum(not each.is_told for one in found.loads for each in one.changes)
    if within:
        text = (
            f"{counted(within, 'change')} {is_or_are(within)} no larger than interpolation may be wrong, and not told."
        )
        yield caveat("within_error", text, changes=within)
    few = [load_words(one) for one in found.loads[1:] if one.verdict == "untested"]
    if few:
        yield coverage(
            "few_runs",
            f"Fewer than {FEWEST} runs of one method at {joined(few)}: noise cannot be told.",
            loads=len(few),
        )
    unstated = sum(run.version is None for run in found.runs)
    if unstated:
        do = "states" if unstated == 1 else "state"
        text = f"{unstated:,} of {counted(len(found.runs), 'run')} {do} no engine version."
        yield coverage("versions", text, runs=unstated, of=len(found.runs))
    if found.others:
        have = "has" if found.others == 1 else "have"
        text = f"{counted(found.others, 'other deployment')} of this selection {have} a history too."
        yield coverage("others", text, others=found.others)


def _flags(values: Iterable[LoadValue]) -> str:
    return flagged(flags_of(one.measured.facts for one in values))


def _ids(values: Iterable[LoadValue]) -> list[str]:
    return list(dict.fromkeys(id for one in values for id in one.point_ids))
