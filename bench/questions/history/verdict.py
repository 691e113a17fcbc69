"""What a history says: whether it got faster and when, what came with that, and what is only a change of method."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bench.basis import evidence, interpolated
from bench.basis.narrator import Narrator
from bench.basis.points import PointFacts
from bench.basis.statement import Statement
from bench.chart import hardware_words
from bench.maths.change_points import FEWEST
from bench.questions.history.method import named
from bench.questions.history.result import FixedLoad, History, LoadValue, SpeedChange
from bench.questions.history.words import WORDS

MOST_STEPS = 3
"""So many changes of method are said, the newest."""
LONGEST_DOUBT = 27
"""A flag's own sentence of more words is left to the point's page."""

SAY = Narrator(WORDS)


def statements(found: History) -> Iterator[Statement]:
    """Verdict, findings and notes."""
    yield _verdict(found, found.loads[0]) if found.loads else _nothing(found)
    if found.loads:
        yield from _findings(found, found.loads[0])
    yield from evidence.left_out(found.counted)
    if found.loads:
        yield from _method_notes(found)
        yield from _notes(found)


def _nothing(found: History) -> Statement:
    """Why there is no history, by the commonest reason."""
    selected = found.counted.selected
    if not selected:
        return SAY.untold("nothing_selected", selected=0)
    if found.runs:
        return SAY.untold("nothing_at_load", runs=len(found.runs), selected=selected)
    counts = {one.words: many for one in found.counted.reasons if (many := found.counted.of(one.code))}
    reason, many = max(counts.items(), key=lambda row: row[1], default=("of one date", found.counted.used))
    return SAY.untold("nothing", selected=selected, points=many, reason=reason)


def _verdict(found: History, one: FixedLoad) -> Statement:
    """Whether it got faster at the load that comes first, since when."""
    values, changes = _compared(one), [change for change in one.told if one.verdict == "changed"]
    speed = one.speed(values[0].value, values[-1].value)
    if changes:
        start, end, levels = next(own for own in one.stretches if _is_in(one.values[own[0] : own[1]], changes[-1]))
        values, speed = one.values[start:end], one.speed(levels.levels[0], levels.levels[-1])
        changes = [change for change in changes if _is_in(values, change)]
    changed = [value for change in changes for value in one.values if value.run in (change.before, change.after)]
    said: dict[str, object] = {
        "hardware": _hardware(found),
        "at": one.words,
        "metric": found.metric,
        "first": found.runs[values[0].run].name,
        "load": one.load,
        "runs": len(values),
        "speed": speed,
        "ratio": values[-1].value / values[0].value,
        "method": named(values[-1].changes),
    }
    if changes:
        last = changes[-1]
        said |= {"changes": len(changes), "last": last.speed, "last_from": found.runs[last.after].name}
    return SAY.verdict(one.verdict, _facts([values[0], *changed, values[-1]]), **said)


def _compared(one: FixedLoad) -> Sequence[LoadValue]:
    """The values a verdict without a change is about: the longest stretch of one method, or the last two values."""
    start, end, _ = one.longest_stretch
    return one.values[start:end] if end - start > 1 else one.values[-2:]


def _is_in(values: Sequence[LoadValue], change: SpeedChange) -> bool:
    return any(value.run == change.after for value in values)


def _hardware(found: History) -> str:
    """What it ran on: "8 x MI300X"."""
    facts = found.facts
    stated = {} if facts is None else {"accelerator": facts.accelerator, "accelerators": facts.accelerators}
    return hardware_words(stated) or "This deployment"


def _findings(found: History, one: FixedLoad) -> Iterator[Statement]:
    values, noise = _compared(one), one.longest_stretch[2].noise
    ends = [values[0], values[-1]]
    yield SAY.finding(
        "values",
        _facts(ends),
        label=found.row.label,
        metric=found.metric,
        first=values[0].value,
        last=values[-1].value,
        runs=len(values),
        noise=noise,
    )
    if len(one.told) > 1:
        yield SAY.finding("steps", steps=[_step(found, change) for change in one.told])
    elif noise is not None:
        yield SAY.finding("scatter", noise=noise)
    others = found.loads[1:]
    changed = [{"at": own.words, "load": own.load, **_step(found, own.told[-1])} for own in others if own.told]
    if changed:
        yield SAY.finding("at_loads", _facts(_changed_values(others)), loads=changed)
    yield from _came_with(found)
    yield from _frontier(found)


def _step(found: History, change: SpeedChange) -> dict[str, object]:
    return {"speed": change.speed, "run": found.runs[change.after].name}


def _changed_values(loads: Iterable[FixedLoad]) -> list[LoadValue]:
    """The values on both sides of the changes at these loads."""
    return [
        value
        for one in loads
        for value in one.values
        if any(value.run in (each.before, each.after) for each in one.told)
    ]


def _came_with(found: History) -> Iterator[Statement]:
    """The engine versions on both sides of the changes; of how many they are not stated."""
    changes = sorted({(each.before, each.after) for one in found.loads for each in one.told})
    versions = [(found.runs[after], found.runs[before].version) for before, after in changes]
    stated = [
        {"run": run.name, "version": run.version, "before": old}
        for run, old in versions
        if run.version and old and run.version != old
    ]
    if stated:
        yield SAY.finding("came_with", versions=stated)
    if unstated := sum(not (run.version and old) for run, old in versions):
        yield SAY.note("versions_unstated", changes=unstated)


def _frontier(found: History) -> Iterator[Statement]:
    """How the two trade-offs compare."""
    then, now, gain = found.frontier(found.then), found.frontier(found.now), found.gain
    if then is None or now is None or found.then == found.now:
        return
    ids = {*then.point_ids, *now.point_ids}
    facts = [one.facts for run in (then, now) for one in found.runs[run.run].points.values()]
    points = [one for one in facts if one.point_id in ids]
    runs = {"first": found.runs[then.run].name, "last": found.runs[now.run].name}
    if found.unlike:
        yield SAY.finding("frontier_unlike", points, **runs, method=named(found.unlike))
    elif gain is None:
        yield SAY.finding("frontier_apart", points, **runs)
    else:
        values = {"low": gain.low, "high": gain.high, "mean": gain.mean, "start": gain.start, "end": gain.end}
        yield SAY.finding("frontier", points, **runs, **values)


def _method_notes(found: History) -> Iterator[Statement]:
    """What is only a change of method, the newest first; what its source says of it."""
    steps: dict[tuple[int, int], list[LoadValue]] = {}
    for one in found.in_order:
        for before, after in zip(one.values, one.values[1:], strict=False):
            if after.changes:
                steps.setdefault((before.run, after.run), []).extend((before, after))
    for (first, last), values in sorted(steps.items(), reverse=True)[:MOST_STEPS]:
        method = named({each.kind: each for value in values[1::2] for each in value.changes}.values())
        yield SAY.note(
            "not_speed",
            _facts(values),
            first=found.runs[first].name,
            last=found.runs[last].name,
            method=method,
            loads=len(values) // 2,
        )
    doubts = dict.fromkeys(text for one in found.loads for value in one.values for text in value.measured.doubts)
    if short := [text for text in doubts if len(text.split()) <= LONGEST_DOUBT]:
        yield SAY.note("doubt", text=short[0].rstrip("."))


def _notes(found: History) -> Iterator[Statement]:
    """What lies between measured loads, and what is left out for that, for versions and for too few runs."""
    between = [value for one in found.in_order for value in one.values if value.is_interpolated]
    if between:
        worst = max(between, key=lambda value: (value.error is None, value.gap))
        yield SAY.note(
            "interpolated",
            values=len(between),
            of=sum(len(one.values) for one in found.loads),
            error=interpolated.words(worst.error),
            p90=worst.error.p90 if worst.error else None,
        )
    if same := [one.words for one in found.loads[1:] if one.verdict == "same"]:
        yield SAY.note("unchanged", loads=same)
    yield SAY.note("least", least=found.least)
    if within := sum(not each.is_told for one in found.loads for each in one.changes):
        yield SAY.note("within_error", changes=within)
    if few := [one.words for one in found.loads if one.verdict == "untested"]:
        yield SAY.note("few_runs", fewest=FEWEST, loads=few)
    if unstated := sum(run.version is None for run in found.runs):
        yield SAY.note("versions", runs=unstated, of=len(found.runs))
    if found.others:
        yield SAY.note("others", others=found.others)


def _facts(values: Iterable[LoadValue]) -> list[PointFacts]:
    return [one.measured.facts for one in values]
