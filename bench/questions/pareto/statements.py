"""What a Pareto answer says: who leads where, what leads, the knees, the best within the limits, what was left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import product

from bench import flags
from bench.basis import evidence, likeness, limits
from bench.basis.points import PointFacts
from bench.basis.statement import Statement, Value, caveat, coverage, finding, headline, untold
from bench.basis.wording import FINDING, NOTHING_SELECTED, fitting, flagged, flags_of, is_tie, listing, subject, times
from bench.catalogue import Metric
from bench.chart import SETTINGS, setting, title, value_label
from bench.maths.pareto import FrontierStep
from bench.questions.pareto.result import DRAWN_GROUPS, Lead, Pareto, Spot
from bench.wording import counted, inline, is_or_are, joined, lowered, name_of, number

RIVALS = 4
"""A headline names up to so many groups besides the leader."""

DIFFER_IN = {"disaggregated": "deployment", "speculation": "speculation"}
"""What leaders are told by where the ranked points are not all alike in it, and what they then differ in."""

FIELDS = {"accelerators": "chip count", "disaggregated": "kind of deployment", "speculation": "kind of speculation"}
"""What a group is one of where the field's own title does not say it."""

LEAST_CHANGE = 0.01

FORM = re.compile(r" (?:SXM|NVL|PCIe)\b.*$")
"""The form of an accelerator at the end of its name, and what comes after it."""


def statements(pareto: Pareto) -> Iterator[Statement]:
    """Headline, findings and caveats; the reader's limits come first."""
    if not pareto.overall and not pareto.deciding.of:
        yield untold("no_frontier", _no_frontier(pareto), selected=pareto.tally.selected)
    elif pareto.unasked:
        lengths = [likeness.several(key, pareto.mixed[key]) for key in pareto.unasked if key != "model"]
        mixed = joined([*([_model(pareto)] if len(pareto.mixed["model"]) > 1 else []), *lengths])
        yield headline("unasked", f"{mixed} are mixed here, so no leader is named; choose one of each.")
    else:
        told = [_leading(pareto)] if pareto.overall and pareto.names_a_best else []
        first, *others = [*_within(pareto), *told]
        yield first
        yield from (replace(one, role="finding") for one in others)
        yield from _findings(pareto) if pareto.overall else ()
    yield from evidence.left_out(pareto.tally)
    if pareto.overall:
        yield from _caveats(pareto)


def label(field: str | None, owner: str) -> str:
    """The words for whose a frontier is: "H200 SXM", "8 chips", "MTP speculation"; "" where there is but one."""
    if field is None:
        return ""
    if field in SETTINGS and owner:
        return setting(field, int(owner))
    return likeness.fact_words(field, owner or None)


def about(pareto: Pareto) -> str:
    """What the points are of: "DeepSeek R1 0528 FP8 at 1,024/1,024", with their evidence where that is another."""
    alike = {key: pareto.mixed[key][0] for key in ("precision", "isl", "osl") if len(pareto.mixed[key]) == 1}
    words = subject([PointFacts("", model=model, **alike) for model in pareto.mixed["model"]]) or "the selection"
    kinds = [kind or "evidence not stated" for kind in pareto.mixed["evidence"]]
    return words if not pareto.tally.used or kinds == ["measured"] else f"{words} ({joined(kinds)})"


def _no_frontier(pareto: Pareto) -> str:
    """Why no point is ranked with both metrics, and what to do."""
    (x, y), tally, of = pareto.metrics, pareto.tally, about(pareto)
    if not tally.selected:
        return NOTHING_SELECTED
    if tally.of("other_evidence") == tally.selected:
        return f"No point of {of} was measured (0 of {tally.selected:,}), so none is ranked."
    if tally.of("unpriced"):
        return f"No accelerator measured with {of} has a price under these terms."
    if pareto.instead is None:
        return f"No point of {of} states both a latency and a throughput."
    return f"No point of {of} has both {inline(x)} and {inline(y)}; {_instead(pareto)}."


def _instead(found: Pareto) -> str:
    """What to choose for the axes that should be others: "choose median TTFT for the horizontal axis"."""
    told = zip(found.instead or (), found.metrics, ("horizontal", "vertical"), strict=True)
    return f"choose {joined([f'{inline(one)} for the {axis} axis' for one, now, axis in told if one != now])}"


def _fitting(kind: str, told: Sequence[tuple[str, Sequence[Spot]]], **values: Value) -> Statement:
    """The fullest of these sentences that fits a headline, each without its end and with the points it names."""
    whole = [(f"{text}{_flags(spots)}.", spots) for text, spots in told]
    text = fitting(*(one for one, _ in whole))
    return headline(kind, text, _ids(next(spots for one, spots in whole if one == text)), **values)


def _leading(pareto: Pareto) -> Statement:
    """Who leads along the overall frontier; of one group where its frontier goes."""
    if pareto.group is None or len(pareto.groups) == 1 or pareto.widest is None:
        return _of_one(pareto)
    (x, y), lead = pareto.metrics, pareto.widest
    others = [one for one in pareto.leads if one.group != lead.group]
    verb = _leads_in(y)
    verb = verb.replace("leads", "lead").replace("has", "have") if pareto.group == "accelerators" else verb
    if others:
        reach = f" {_range(x, lead)}"
    else:
        to = "up to" if x.direction == "higher" else "down to"
        reach = f" at every {name_of(x)} {to} {with_unit(lead.strictest, x)}"
    whole = f"{lead.group} {verb}{reach}"
    every = [spot for one in (lead, *others) for spot in one.spots]
    elsewhere = _elsewhere(pareto, lead, others) if others else ""
    texts = [(f"{start}{whole}{elsewhere}", every) for start in _starts(pareto, every)]
    if pareto.compares_models:
        named = f"{lead.group}{_on(lead.spots)} {verb}{reach}"
        texts = [(f"{start}{named}{elsewhere}", every) for start in _starts(pareto, every)] + texts
    starts = _starts(pareto, lead.spots)
    texts += [(f"{start}{whole}", list(lead.spots)) for start in starts]
    texts += [(f"{start}{whole.replace(f'at {inline(x)} ', '')}", list(lead.spots)) for start in starts]
    return _fitting("leads", texts, leader=lead.group, beyond=lead.weakest, to=lead.strictest, **pareto.known.values)


def _starts(pareto: Pareto, spots: Iterable[Spot]) -> list[str]:
    """How a sentence on these points may begin, the fullest first: coverage where it is short, what they are of."""
    if pareto.known.lead and not pareto.limits:
        return pareto.known.leads(_model(pareto) if pareto.compares_models else _model_of(spots))
    word, within = "Of" if pareto.compares_models else "On", _all(pareto)
    return [f"{word} {about(pareto)}{within}, ", f"{word} {_model(pareto)}{within}, "]


def _model(found: Pareto) -> str:
    """What the points are of, without precision and workload."""
    return subject([PointFacts("", model=model) for model in found.mixed["model"]]) or "the selection"


def _model_of(spots: Iterable[Spot]) -> str:
    """The models of these points."""
    return subject([PointFacts("", model=spot.point.model) for spot in spots])


def _all(found: Pareto) -> str:
    """What a sentence on the frontiers adds where the reader has limits: frontiers are drawn within them."""
    return f" within {limits.named(found.limits)}" if found.limits else ""


def _on(spots: Iterable[Spot]) -> str:
    """In brackets on which accelerators these points are: " (GB300 NVL72)"."""
    chips = list(dict.fromkeys(spot.point.accelerator for spot in spots if spot.point.accelerator))
    return f" ({joined([value_label('accelerator', one) for one in chips], at_most=2)})" if chips else ""


def _range(x: Metric, lead: Lead) -> str:
    """The range of a lead: "up to 20 tokens/s/user", "at median TTFT between 20 and 60 ms"."""
    named = "" if x.kind == "per_user" and x.statistic in ("mean", "p50") else f"at {inline(x)} "
    if lead.weakest is not None:
        low, high = sorted((lead.weakest, lead.strictest))
        return f"{named}between {value_label(x.key, low)} and {with_unit(high, x)}"
    end = with_unit(lead.strictest, x)
    return f"{named}up to {end}" if x.direction == "higher" else f"{named}of {end} or more"


def _elsewhere(pareto: Pareto, lead: Lead, others: Sequence[Lead]) -> str:
    """Who leads beside the range of the headline's lead: "; B300 and MI355X lead at higher speeds"."""
    x, where = pareto.metrics[0], "elsewhere"
    if lead in (pareto.leads[0], pareto.leads[-1]):
        comparatives = ("higher", "lower") if x.kind == "per_user" else ("shorter", "longer")
        comparative = comparatives[pareto.leads[0] is not lead]
        where = f"at {comparative} {'speeds' if x.kind == 'per_user' else name_of(x)}"
    names = list(dict.fromkeys(_short(pareto, one.group) for one in others if not one.is_tie))
    if names and sum(one.group == lead.group for one in pareto.leads) > 1:
        return f"; {where} it takes turns with {joined(names, at_most=RIVALS)}"
    if names:
        return f"; {joined(names, at_most=RIVALS)} {'leads' if len(names) == 1 else 'lead'} {where}"
    level = list(dict.fromkeys(_short(pareto, one.group) for one in others))
    return f"; {joined(level, at_most=RIVALS)} {is_or_are(len(level))} level with the runner-up {where}"


def _short(pareto: Pareto, name: str) -> str:
    """An accelerator without its form, "B200" for "B200 SXM", where no other group would be called the same."""
    stems = [FORM.sub("", one.label) for one in pareto.groups]
    stem = FORM.sub("", name)
    return stem if pareto.group == "accelerator" and stems.count(stem) == 1 else name


def _of_one(pareto: Pareto) -> Statement:
    """Where the frontier of the only group goes from and to."""
    used, many = pareto.tally.used, len(pareto.overall)
    own = "" if pareto.group in (None, "model", "precision") or not pareto.groups[0].owner else pareto.groups[0].label
    first, last = pareto.overall[0], pareto.overall[-1]
    y, values = pareto.metrics[1], {"points": used, "on_frontier": many, **pareto.known.values}
    if used == 1:
        who, ends = f", {own} with" if own else ":", (_at(pareto, first), with_unit(first.y, y))
        named = product((about(pareto), _model(pareto)), ends)
        texts = [(f"Only one point of {of} has both metrics{who} {end}", [first]) for of, end in named]
        return _fitting("one_frontier", texts, **values)
    is_few = pareto.known.lead and not pareto.limits
    starts = [f"{about(pareto)}{_all(pareto)} ", f"{_model(pareto)}{_all(pareto)} "]
    starts = _starts(pareto, [first, last]) if own or is_few else starts
    who = own or ("the best" if is_few else "")
    plural = pareto.group == "accelerators" and own != "1 chip"
    x, y = pareto.metrics
    if many == 1:
        verb, rest = (
            "reach" if plural else "reaches",
            "the other point" if used == 2 else f"all other {used - 1:,} points",
        )
        texts = [(f"{start}{who} {verb} {_at(pareto, first)}, better than {rest}", [first]) for start in starts]
    else:
        end = f"{value_label(y.key, last.y)} at {value_label(x.key, last.x)}"
        goes = f"{'go' if plural else 'goes'} from {_at(pareto, first)} to {end}"
        texts = [(f"{start}{who} {goes}", [first, last]) for start in starts]
    texts += [(f"{start}{who} {'reach' if plural else 'reaches'} {with_unit(last.y, y)}", [last]) for start in starts]
    texts = [(re.sub(" +", " ", text), spots) for text, spots in texts]
    return _fitting("one_frontier", texts, **values)


def _within(pareto: Pareto) -> Iterator[Statement]:
    """What the reader's limits leave: the best point, and what each group reaches; nothing without a limit."""
    deciding, named, subjects = pareto.deciding, limits.named(pareto.limits), (about(pareto), _model(pareto))
    if pareto.best is not None:
        yield from _best(pareto, pareto.best)
    elif pareto.limits:
        opening, kind, lead = untold, "none_within", pareto.known.lead
        part = f"{pareto.known.narrower} " if pareto.known.narrower else ""
        none = f"none keeps {'it' if len(pareto.limits) == 1 else 'them'}."
        texts = [f"{pareto.known.clause}; {part}{none}"] if lead else []
        if pareto.known.many_models:
            texts = [f"{start}{none}" for start in pareto.known.leads(_model(pareto))]
        has, keeps = ("is known to have", "is known to keep") if lead else ("has", "keeps")
        texts += [f"No point of {of} {has} {limits.short(pareto.limits)}." for of in subjects]
        texts += [f"No point of {of} {keeps} {named}." for of in subjects]
        if not deciding.points:
            kind = "unknown_limits"
            texts = [
                f"No point of {of} on these axes states {deciding.metrics}; lift {named} to see a frontier."
                for of in subjects
            ]
        elif not deciding.names_a_best:
            opening, kind = headline, "no_best"
            few = f"{deciding.accelerators} of {counted(deciding.of_accelerators, 'accelerator')}"
            texts = [f"Only {few} on {of} state {deciding.metrics}, so no best is named." for of in subjects]
        yield opening(kind, fitting(*texts), known=deciding.points, points=deciding.of)
    yield from _reached(pareto)


def _best(pareto: Pareto, best: Spot) -> Iterator[Statement]:
    """The best point within the limits, and the groups whose best is level with it."""
    level = [one for one in pareto.groups if one.best and is_tie(pareto.value(one.best) / pareto.value(best))]
    spots = [best, *(one.best for one in level if one.best and one.best != best)]
    (_, y), leads, named = pareto.metrics, pareto.known.leads(_model_of(spots)), limits.named(pareto.limits)
    names = joined([one.label for one in level]) if pareto.group and level[0].owner else "the best point"
    plural = len(level) > 1 or pareto.group == "accelerators"
    verb = "lead" if plural else "leads"
    if len(level) > 1:
        verb = "are level within 1 %"
    elif len(pareto.groups) + len(pareto.without) < 2 or names == "the best point":
        verb = "reaches"
    at, ends = "" if verb == "reaches" else "with ", (_at(pareto, best), with_unit(best.y, y))
    texts = [(f"{lead}{names} {verb} {at}{end} within {named}", spots) for end in ends for lead in leads]
    if not leads:
        whole, of = f"With {limits.short(pareto.limits)}, {names} {verb}", [about(pareto), _model(pareto)]
        after, compares = [f" on {one}" for one in of], pareto.group == "model" and len(level) == 1
        others = [one.label for one in (*pareto.groups, *pareto.without) if one not in level]
        if compares and others:
            whole = whole.replace(f"{names} {verb}", f"{names}{_on([best])} is")
            after = [f" ahead of {joined(others)}"]
        within = f"Within {named}, {names} {verb}"
        texts += [
            (f"{start} {end}{one}" if verb == "reaches" else f"{start}{one}: {end}", spots)
            for one, start, end in product(after, (whole, within), ends)
        ]
    yield _fitting("best_within", texts, x=best.x, y=best.y, level=len(level), **pareto.known.values)
    yield _that(best)


def _reached(pareto: Pareto) -> Iterator[Statement]:
    """The best of each group within the limits; who never keeps them is told apart from who does not say."""
    metric = pareto.metrics[0 if pareto.is_x_best else 1]
    known = [(one.label, one.best) for one in pareto.groups if one.best]
    known.sort(key=lambda one: pareto.value(one[1]), reverse=metric.direction == "higher")
    parts = [f"{name} {value_label(metric.key, pareto.value(best))}{_flags([best])}" for name, best in known]
    missed = [(one.known == one.points, one.label) for one in pareto.without]
    never, silent = ([name for states, name in missed if states is own] for own in (True, False))
    if parts and len(pareto.groups) + len(pareto.without) > 1:
        text, shown = listing(
            f"Best with {limits.short(pareto.limits)}, in {spoken(metric)}: ", parts, ".", longest=FINDING
        )
        yield finding("reached", text, _ids(best for _, best in known[:shown]), groups=len(known), shown=shown)
        for kind, lead, names in (("never", "Never within", never), ("silent", "Not known to be within", silent)):
            if names:
                text = listing(f"{lead} {limits.named(pareto.limits)}: ", names, ".").text
                yield finding(kind, text, groups=len(names))


def _that(spot: Spot) -> Statement:
    return finding("point", f"That point: {spot.point.words()}{_flags([spot])}.", _ids([spot]))


def _findings(pareto: Pareto) -> Iterator[Statement]:
    x, y = pareto.metrics
    if pareto.tally.used == 1:
        yield _that(pareto.overall[0])
        if pareto.instead not in (None, pareto.metrics):
            yield finding("instead", f"For a frontier, {_instead(pareto)}.")
    if len(pareto.leads) > 1 and pareto.names_a_best:
        word, order = ("up to", "rises") if x.direction == "higher" else ("down to", "falls")
        parts = [
            f"{_short(pareto, lead.group)} {word}"
            f" {value_label(x.key, lead.strictest) if place else with_unit(lead.strictest, x)}"
            f"{' (level with the next)' if lead.is_tie else ''}{_flags(lead.spots)}"
            for place, lead in enumerate(pareto.leads)
        ]
        text, shown = listing(f"Who leads{_all(pareto)} as {inline(x)} {order}: ", parts, ".", longest=FINDING)
        ids = _ids(spot for lead in pareto.leads[:shown] for spot in lead.spots)
        yield finding("who_leads", text, ids, leads=len(pareto.leads), shown=shown)
    if pareto.names_a_best:
        yield from (*_leads_on(pareto), *_leaders(pareto))
    several = len(pareto.groups) > 1
    knees = [(f"{_short(pareto, one.label)} " if several else "", one.knee) for one in pareto.groups if one.knee]
    if knees:
        parts = [
            f"{name}{value_label(y.key, knee.y)} at {value_label(x.key, knee.x)}{_flags([knee])}"
            for name, knee in knees
        ]
        of = f"{spoken(x)} {name_of(x)}" if x.kind == "latency" else spoken(x)
        text = f"{'Knees' if len(parts) > 1 else 'Knee'}{_all(pareto)}, in {spoken(y)} at {of}: "
        text, shown = listing(text, parts, ".", longest=FINDING)
        yield finding("knees", text, _ids(knee for _, knee in knees[:shown]), knees=len(knees), shown=shown)
    if several and pareto.group is not None:
        own, overall = sum(len(one.line) for one in pareto.groups), len(pareto.overall)
        text = f"{overall:,} of {counted(pareto.tally.used, 'point')} {is_or_are(overall)} on the overall frontier"
        field = FIELDS.get(pareto.group) or lowered(title(pareto.group).split(" (")[0])
        text += f"{_all(pareto)}; {own:,} {is_or_are(own)} on their own {field}'s."
        yield finding("counts", text, points=pareto.tally.used, overall=overall, own=own)
    elif pareto.tally.used > 1:
        overall, points = len(pareto.overall), counted(pareto.tally.used, "point")
        text = f"{overall:,} of {points} {is_or_are(overall)} on the frontier{_all(pareto)}."
        yield finding("counts", text, points=pareto.tally.used, overall=overall)


def _leads_on(pareto: Pareto) -> Iterator[Statement]:
    """On which accelerators each of several models leads."""
    chips: dict[str, list[str]] = {}
    for lead in pareto.leads if pareto.compares_models else ():
        names = [value_label("accelerator", one.point.accelerator) for one in lead.spots if one.point.accelerator]
        chips[lead.group] = [*dict.fromkeys([*chips.get(lead.group, []), *names])]
    parts = [f"{model} on {joined(own, 'or', 3)}" for model, own in chips.items() if own]
    if parts:
        yield finding("leads_on", f"The leading points{_all(pareto)}: {joined(parts, at_most=4)}.", models=len(parts))


def _leaders(pareto: Pareto) -> Iterator[Statement]:
    """In what the leaders are not alike, where the ranked points are not."""
    keys = [key for key in DIFFER_IN if len(pareto.mixed[key]) > 1 and key != pareto.group]
    if not keys or len(pareto.groups) < 2:
        return
    own: dict[str, list[PointFacts]] = {}
    for lead in pareto.leads:
        own.setdefault(_short(pareto, lead.group), []).extend(spot.point for spot in lead.spots)
    for key in keys:
        alike: dict[str, list[str]] = {}
        for name, ranked in own.items():
            values = dict.fromkeys(getattr(point, key) for point in ranked)
            words = joined([likeness.fact_words(key, value) for value in values], last="or")
            alike.setdefault(words, []).append(name)
        parts = [f"{joined(names)} {words}" for words, names in alike.items()]
        if len(parts) > 1:
            start = f"The leaders{_all(pareto)} differ in {DIFFER_IN[key]}: "
            yield finding("leaders", listing(start, parts, ".", by="; ", longest=FINDING).text, fact=key)


def _caveats(pareto: Pareto) -> Iterator[Statement]:
    """What is mixed on one pair of axes, and what of it is flagged, not drawn or counted."""
    if pareto.grid is not None:
        text = f"{counted(pareto.tally.used, 'point')} are drawn as counts in a grid; the frontiers are exact."
        yield coverage("grid", text, points=pareto.tally.used)
    told = (pareto.group, "evidence")
    unlike = (likeness.several(key, values) for key, values in pareto.mixed.items() if key not in told)
    if mixed := list(filter(None, unlike)):
        text = f"Mixed here: {', '.join(mixed)}."
        yield caveat("mixed", text, unlike=len(mixed))
    kinds = [own for spot in pareto.overall if (own := flags.printed(spot.point.flag_kinds))]
    if kinds:
        listed = joined(list(dict.fromkeys(kind for own in kinds for kind in own)))
        text = f"{counted(len(kinds), 'point')} of the overall frontier {is_or_are(len(kinds))} flagged: {listed}."
        yield caveat("flags", text, flagged=len(kinds))
    if (undrawn := len(pareto.groups) - DRAWN_GROUPS) > 0:
        text = f"{counted(undrawn, 'group')} with the lowest frontiers {'has' if undrawn == 1 else 'have'} no line."
        yield caveat("undrawn", text, groups=undrawn)
    if pareto.dates and pareto.dates[0] != pareto.dates[1]:
        first, last = pareto.dates
        yield caveat("dates", f"Measured between {first} and {last}.", days=(last - first).days)


def step_words(x: Metric, y: Metric, start: float, end: float, step: FrontierStep) -> str:
    """What one step from x = start to x = end gives and costs: "18 % more throughput for +9 ms TPOT"."""
    nouns = {"requests": "requests", "tokens_per_s": "throughput", "usd": "cost", "joules": "energy"}
    noun = next((noun for part, noun in nouns.items() if part in y.key), inline(y))
    gain = _change(step.y_change, y.unit) if step.y_ratio is None else times(step.y_ratio, noun)
    if x.base == "interactivity_tokens_per_s_per_user" and start > 0 and end > 0:
        return f"{gain} for {_change(1000 / end - 1000 / start, 'ms', 'TPOT')}"
    return f"{gain} for {_change(end - start, x.unit, name_of(x))}"


def _change(value: float, unit: str, noun: str = "") -> str:
    """A change in words: "+9 ms TPOT", "under 0.01 ms more TPOT"."""
    if 0 < abs(value) < LEAST_CHANGE:
        return f"under {LEAST_CHANGE} {unit} {'more' if value > 0 else 'less'} {noun}".rstrip()
    return f"{'+' if value >= 0 else '−'}{number(abs(value))} {unit} {noun}".rstrip()


def _at(found: Pareto, spot: Spot) -> str:
    """A place in words: "4,120 tokens/s per chip at 85 tokens/s/user", "… at 15.5 ms decode step"."""
    x, y = found.metrics
    of = f" {name_of(x)}" if x.kind == "latency" else ""
    return f"{with_unit(spot.y, y)} at {with_unit(spot.x, x)}{of}"


def with_unit(value: float, metric: Metric) -> str:
    """A value with its unit as it is spoken: an accelerator is a chip."""
    return f"{value_label(metric.key, value)} {spoken(metric)}".rstrip()


def spoken(metric: Metric) -> str:
    """A metric's unit as it is spoken: "tokens/s per chip", "USD per million output tokens"; a share's name."""
    if metric.kind == "share":
        return inline(metric)
    if metric.kind == "cost":
        return f"{metric.unit} {lowered(metric.label).removeprefix('cost ')}"
    return metric.unit.replace("/accelerator", " per chip")


def _leads_in(metric: Metric) -> str:
    """What the leader does: "leads per chip", "has the lowest cost per million output tokens"."""
    name = inline(metric).replace("per accelerator", "per chip")
    if metric.direction == "lower":
        return f"has the lowest {name}"
    return "leads per chip" if name == "output throughput per chip" else f"leads in {name}"


def _flags(spots: Iterable[Spot]) -> str:
    """In brackets what these points are flagged for."""
    return flagged(flags_of(spot.point for spot in spots))


def _ids(spots: Iterable[Spot]) -> list[str]:
    return list(dict.fromkeys(spot.point.point_id for spot in spots))
