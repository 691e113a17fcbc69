"""What a Pareto answer says: who leads where, the best within the limits, the knees, and what is unlike or left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise

from bench import catalogue, flags
from bench.basis import evidence, likeness
from bench.basis.narrator import LISTED, Narrator
from bench.basis.points import PointFacts
from bench.basis.statement import Statement
from bench.basis.wording import is_tie, times
from bench.catalogue import Metric
from bench.chart import SETTINGS, setting, value_label
from bench.questions.pareto.axes import Axes
from bench.questions.pareto.result import DRAWN_GROUPS, Group, Lead, Pareto, Spot, Undrawn
from bench.questions.pareto.words import WORDS
from bench.wording import inline, joined, name_of, number

SAY = Narrator(WORDS)
FINDINGS = 5
PER_CHIP = "output_tokens_per_s_per_accelerator"
"""Who leads in this metric leads per chip."""

UNLIKE = ("disaggregated", "speculation")
"""What leaders are told apart by where the ranked points are not all alike in it."""


NOUNS = {"requests": "requests", "tokens_per_s": "throughput", "usd": "cost", "joules": "energy"}
"""What a metric with this part in its key is called."""

LEAST_CHANGE = 0.01


def statements(pareto: Pareto) -> Iterator[Statement]:
    """Verdict, findings and notes; where nobody is named for what is mixed no finding."""
    yield _verdict(pareto)
    if not pareto.unasked:
        yield from islice(_findings(pareto), FINDINGS)
        yield from _unlike(pareto)
    yield from evidence.left_out(pareto.tally)
    if pareto.overall:
        yield from _notes(pareto)


def label(field: str | None, owner: str) -> str:
    """What a frontier's owner is called: "H200 SXM", "8 chips", "MTP speculation"; "" where there is but one."""
    if field is None:
        return ""
    if field in SETTINGS and owner:
        return setting(field, int(owner))
    return likeness.fact_words(field, owner or None)


def in_words(field: str | None, owner: str, *, is_limited: bool) -> str:
    """What a verdict says of whom it names: "H200 SXM leads over the widest range"."""
    leader = label(field, owner)
    return SAY.text("leads_within" if is_limited else "leads_most", {"who": leader, "many": _many(field, leader)})


def gains(axes: Axes, x: Sequence[float], y: Sequence[float], line: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Each position on a frontier but the first, and what it gives: "18 % more throughput for +9 ms TPOT"."""
    for before, after in pairwise(line):
        yield after, f"{_gain(axes.y, y[before], y[after])} for {_cost(axes.x, x[before], x[after])}"


def _gain(metric: Metric, start: float, end: float) -> str:
    if not start:
        return _change(end, metric.unit)
    return times(end / start, next((noun for part, noun in NOUNS.items() if part in metric.key), inline(metric)))


def _cost(metric: Metric, start: float, end: float) -> str:
    if metric.base == "interactivity_tokens_per_s_per_user" and start > 0 and end > 0:
        return _change(1000 / end - 1000 / start, "ms", "TPOT")
    return _change(end - start, metric.unit, name_of(metric))


def _change(value: float, unit: str, noun: str = "") -> str:
    """A change in words: "+9 ms TPOT", "under 0.01 ms more TPOT"."""
    if 0 < abs(value) < LEAST_CHANGE:
        return f"under {LEAST_CHANGE} {unit} {'more' if value > 0 else 'less'} {noun}".rstrip()
    return f"{'+' if value >= 0 else '−'}{number(abs(value))} {unit} {noun}".rstrip()


def _verdict(pareto: Pareto) -> Statement:
    if not pareto.overall and not pareto.deciding.of:
        return _no_frontier(pareto)
    if pareto.unasked:
        return SAY.verdict("unasked", fields=[likeness.BY_KEY[key].several for key in pareto.unasked])
    if pareto.best is not None:
        return _best_within(pareto, pareto.best)
    if pareto.limits:
        return _none_within(pareto)
    if pareto.widest is None or len(pareto.groups) == 1:
        return _one_frontier(pareto)
    return _leads(pareto, pareto.widest)


def _no_frontier(pareto: Pareto) -> Statement:
    """Why no point is ranked with both metrics."""
    selected, kind = pareto.tally.selected, "no_axes" if pareto.instead else "no_frontier"
    if not selected:
        kind = "nothing_selected"
    elif pareto.tally.of("other_evidence") == selected:
        kind = "not_measured"
    elif pareto.tally.of("unpriced"):
        kind = "no_price"
    return SAY.untold(kind, selected=selected, **_axes(pareto))


def _leads(pareto: Pareto, lead: Lead) -> Statement:
    """Who leads over the widest range, and who elsewhere."""
    low, high = sorted((lead.weakest or lead.strictest, lead.strictest))
    elsewhere = _elsewhere(pareto, lead)
    rest = [elsewhere] if pareto.y == PER_CHIP else []
    named = [one for one in pareto.leads if one == lead or one.group in [part.get("other") for part in rest]]
    return SAY.verdict(
        "leads",
        _points(spot for one in named for spot in one.spots),
        leader=lead.group,
        beyond=lead.weakest,
        to=lead.strictest,
        who=_called(pareto, lead.group, lead.spots),
        many=_many(pareto.group, lead.group),
        measure="per_chip" if pareto.y == PER_CHIP else "in_metric",
        range="from_easiest" if lead.weakest is None else "between",
        lead=[{"way": _way(pareto), "to": lead.strictest, "low": low, "high": high, **_axes(pareto)}],
        elsewhere=elsewhere["kind"],
        rest=rest,
        **pareto.known.values,
    )


def _elsewhere(pareto: Pareto, lead: Lead) -> Mapping[str, object]:
    """Who leads outside the range of a lead: others, or they in turn with its own group."""
    if len(pareto.leads) == 1:
        return {"kind": "everywhere"}
    others = list(dict.fromkeys(one.group for one in pareto.leads if one.group != lead.group and not one.is_tie))
    if not others or sum(one.group == lead.group for one in pareto.leads) > 1:
        return {"kind": "in_turn"}
    side = "elsewhere"
    if lead in (pareto.leads[0], pareto.leads[-1]):
        side = "above" if (lead == pareto.leads[0]) == (_way(pareto) == "up") else "below"
    if len(others) == 1:
        return {"kind": "one_other", "other": others[0], "many": _many(pareto.group, others[0]), "side": side}
    return {"kind": "others" if lead.weakest is None else "more_others", "others": len(others), "side": side}


def _one_frontier(pareto: Pareto) -> Statement:
    """The best y and the best x of the only frontier; where one point has both, that point."""
    used, line = pareto.tally.used, pareto.overall
    return SAY.verdict(
        "one_point" if used == 1 else "one_best" if len(line) == 1 else "one_frontier",
        _points((line[0], line[-1])),
        points=used,
        on_frontier=len(line),
        on=_on(pareto, pareto.groups[0]),
        y=line[-1].y,
        x=line[0].x,
        **_axes(pareto),
        **pareto.known.values,
    )


def _best_within(pareto: Pareto, best: Spot) -> Statement:
    """The best point within the limits, and the groups whose best is level with it."""
    level = [one for one in pareto.groups if one.best and is_tie(pareto.value(one.best) / pareto.value(best))]
    is_named = level[0].owner and len(pareto.groups) + len(pareto.without) > 1
    return SAY.verdict(
        "level_within" if len(level) > 1 else "best_within" if is_named else "reached_within",
        _points([best, *(one.best for one in level if one.best)]),
        x=best.x,
        y=best.y,
        level=len(level),
        who=[_called(pareto, one.label, [one.best]) for one in level if one.best],
        many=_many(pareto.group, level[0].label),
        on=_on(pareto, level[0]),
        value=pareto.value(best),
        metric=_judged(pareto),
        **_axes(pareto),
        **pareto.known.values,
    )


def _none_within(pareto: Pareto) -> Statement:
    """Why no best is named within the limits."""
    deciding = pareto.deciding
    counts = {"known": deciding.points, "points": deciding.of}
    if not deciding.points:
        return SAY.untold("unknown_limits", metrics=deciding.metrics, **counts)
    if deciding.names_a_best:
        return SAY.untold("none_within", **counts)
    few = {"accelerators": deciding.accelerators, "of_accelerators": deciding.of_accelerators}
    return SAY.verdict("no_best", **few, **counts)


def _findings(pareto: Pareto) -> Iterator[Statement]:
    """What else was found, the best first."""
    line, kinds = pareto.overall, [kind or "not stated" for kind in pareto.mixed["evidence"]]
    if line and kinds != ["measured"]:
        yield SAY.finding("evidence", evidence=kinds)
    only = line[0] if pareto.tally.used == 1 else pareto.best
    if only is not None:
        yield SAY.finding("point", [only.point], point=only.point.words())
    instead = pareto.instead if line or not pareto.deciding.of else None
    other = zip(instead or (), pareto.metrics, ("horizontal", "vertical"), strict=False)
    if choose := [{"metric": one.key, "axis": axis} for one, now, axis in other if one != now]:
        yield SAY.finding("instead", choose=choose)
    if pareto.cheapest:
        yield _cheapest(pareto, pareto.cheapest)
    if pareto.limits:
        yield from _reached(pareto)
    if len(pareto.leads) > 1 and pareto.names_a_best:
        yield _who_leads(pareto)
    elif len(pareto.groups) == 1 and len(line) > 1:
        ends = {"x": line[0].x, "y": line[0].y, "last_x": line[-1].x, "last_y": line[-1].y}
        yield SAY.finding("ends", _points((line[0], line[-1])), **ends, **_axes(pareto))
    knees = [(one.label, one.knee) for one in pareto.groups if one.knee]
    if knees:
        each = [{"group": group, "x": knee.x, "y": knee.y, **_axes(pareto)} for group, knee in knees]
        part = "knee_of" if len(pareto.groups) > 1 else "knee"
        spots = _points(one for _, one in knees[:LISTED])
        yield SAY.finding("knees", spots, knees=len(knees), across=pareto.x, part=part, each=each)
    if line and pareto.tally.used > 1:
        yield SAY.finding("counts", points=pareto.tally.used, overall=len(line))


def _cheapest(pareto: Pareto, cheapest: Undrawn) -> Statement:
    """What the cheapest point costs where it cannot be drawn, and which axis would have it."""
    model = value_label("model", cheapest.point.model) if cheapest.point.model else ""
    return SAY.finding(
        "cheapest_undrawn",
        [cheapest.point],
        who=f"{model} on {cheapest.point.hardware}" if pareto.compares_models else cheapest.point.hardware,
        many=cheapest.point.accelerators,
        usd_per_million=cheapest.usd_per_million,
        choose=[{"metric": key, "axis": "horizontal"} for key in cheapest.along[:1]],
        **_axes(pareto),
    )


def _reached(pareto: Pareto) -> Iterator[Statement]:
    """The best of each of several groups within the limits."""
    bests = [(one.label, one.best) for one in pareto.groups if one.best]
    metric = _judged(pareto)
    bests.sort(key=lambda one: pareto.value(one[1]), reverse=catalogue.metric(metric).direction == "higher")
    if bests and len(pareto.groups) + len(pareto.without) > 1:
        each = [{"group": name, "value": pareto.value(best), "metric": metric} for name, best in bests]
        yield SAY.finding(
            "reached", _points(best for _, best in bests[:LISTED]), groups=len(bests), metric=metric, best=each
        )


def _who_leads(pareto: Pareto) -> Statement:
    """Who leads from the easiest requirement on x to the strictest."""
    each = [
        {
            "who": _called(pareto, lead.group, lead.spots),
            "to": lead.strictest,
            "across": pareto.x,
            "level": [{}] if lead.is_tie else [],
        }
        for lead in pareto.leads
    ]
    spots = _points(spot for lead in pareto.leads[:LISTED] for spot in lead.spots)
    return SAY.finding("who_leads", spots, leads=len(each), across=pareto.x, way=_way(pareto), who=each)


def _unlike(pareto: Pareto) -> Iterator[Statement]:
    """Who is never within the limits, who does not say, and in what the leaders are not alike."""
    for kind, says in (("never", True), ("silent", False)) if pareto.overall else ():
        if names := [one.label for one in pareto.without if (one.known == one.points) is says]:
            yield SAY.note(kind, groups=len(names), names=names)
    own: dict[str, list[PointFacts]] = {}
    for lead in pareto.leads if pareto.names_a_best else ():
        own.setdefault(lead.group, []).extend(_points(lead.spots))
    for key in UNLIKE:
        alike: dict[tuple[str, ...], list[str]] = {}
        for name, points in own.items():
            values = sorted({likeness.fact_words(key, getattr(point, key)) for point in points})
            alike.setdefault(tuple(values), []).append(name)
        if len(alike) > 1 and key != pareto.group:
            each = [{"names": names, "values": values} for values, names in alike.items()]
            yield SAY.note("leaders", fact=key, differ=likeness.BY_KEY[key].one, alike=each)


def _notes(pareto: Pareto) -> Iterator[Statement]:
    """What is mixed on one pair of axes, and what of it is counted, flagged or not drawn."""
    if pareto.grid is not None:
        yield SAY.note("grid", points=pareto.tally.used)
    told = (pareto.group, "evidence")
    unlike = [likeness.several(key, values) for key, values in pareto.mixed.items() if key not in told]
    if mixed := list(filter(None, unlike)):
        yield SAY.note("mixed", unlike=len(mixed), mixed=", ".join(mixed))
    kinds = list(filter(None, (flags.printed(spot.point.flag_kinds) for spot in pareto.overall)))
    if kinds:
        yield SAY.note("flags", flagged=len(kinds), kinds=list(dict.fromkeys(kind for own in kinds for kind in own)))
    if (undrawn := len(pareto.groups) - DRAWN_GROUPS) > 0:
        yield SAY.note("undrawn", groups=undrawn)
    if pareto.dates and pareto.dates[0] != pareto.dates[1]:
        first, last = pareto.dates
        yield SAY.note("dates", days=(last - first).days, first=str(first), last=str(last))


def _axes(pareto: Pareto) -> dict[str, str]:
    return {"across": pareto.x, "up": pareto.y}


def _way(pareto: Pareto) -> str:
    """Which way x goes as requirements on it get stricter."""
    return "up" if pareto.metrics[0].direction == "higher" else "down"


def _judged(pareto: Pareto) -> str:
    """The metric by which a point is best within the limits."""
    return pareto.x if pareto.is_x_best else pareto.y


def _called(pareto: Pareto, name: str, spots: Iterable[Spot]) -> str:
    """What a group is called: a model that is compared with others by its chips too, "Llama 3.1 8B on L40S"."""
    chips = dict.fromkeys(spot.point.accelerator for spot in spots if spot.point.accelerator)
    on = joined([value_label("accelerator", one) for one in chips], at_most=LISTED) if pareto.compares_models else ""
    return f"{name} on {on}" if on else name


def _on(pareto: Pareto, group: Group) -> list[dict[str, str]]:
    """Whose the only frontier is, where it is another thing than what the answer is about."""
    is_told = pareto.group in (None, "model", "precision") or not group.owner
    return [] if is_told else [{"name": group.label}]


def _many(field: str | None, name: str) -> int:
    """1 for a name of one thing, 2 for one of several: "8 chips lead"."""
    return 2 if field == "accelerators" and name != "1 chip" else 1


def _points(spots: Iterable[Spot]) -> list[PointFacts]:
    return [spot.point for spot in spots]
