"""What a Pareto answer says: who leads where, the knees, the best point within the limits, and what was left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bench.catalogue import PRICED, Metric
from bench.chart import value_label
from bench.flags import words as flag_words
from bench.maths.pareto import Step
from bench.pricing import ChipPrice, terms_in_words
from bench.questions.pareto.axes import Axes
from bench.questions.pareto.frontiers import Frontiers, Lead, Place
from bench.questions.pareto.points import Tally
from bench.wording import counted, inline, is_or_are, joined, name_of, number, share

LISTED = 2
"""A headline names up to this many leaders; of more, it names the one that leads over the widest range."""

LONGEST = 33
"""The knee is in the headline as long as that has no more words than this; else it is a finding."""

LISTED_BELOW = 8
"""A further sentence lists up to this many."""

LEAST_SHARE, LEAST_CHANGE = 0.001, 0.01
TIMES = ("ms", "s")

MANY_TIMES = 2.5
"""From this ratio on, a step is "2.5 times the throughput" instead of a percentage."""


def subject(tally: Tally) -> str:
    """What the points are about: "DeepSeek R1 0528 FP8 at 1,024/1,024"; models beyond two are counted."""
    models = [value_label("model", slug) for slug in tally.distinct["model"]]
    words = joined(models) if len(models) <= 2 else counted(len(models), "model")
    if len(tally.distinct["precision"]) == 1 and tally.distinct["precision"][0]:
        words += f" {tally.distinct['precision'][0].upper()}"
    if len(tally.workloads) == 1 and None not in tally.workloads[0]:
        isl, osl = tally.workloads[0]
        words += f" at {number(isl)}/{number(osl)}"
    return words.strip() or "the selection"


def headline(axes: Axes, tally: Tally, found: Frontiers) -> str:
    """The one sentence: who leads where along the overall frontier, and the leader's knee."""
    if not tally.selected:
        return "No point is selected."
    if not tally.usable:
        return f"{none_of(axes, tally)}."
    if found.ends is None:
        return (
            f"None of the {counted(tally.usable, 'point')} of {subject(tally)} is measured, so none is ranked;"
            " let every evidence enter to see a frontier."
        )
    if axes.owner is None or len(tally.owners) == 1:
        return _of_one(axes, tally, found)
    assert found.widest is not None
    widest = found.widest
    told = f"On {_ranked(tally)}, {_who_leads(axes, found.leads, widest)}"
    named = found.leads if len(found.leads) <= LISTED else (widest,)
    flags = flagged([point_id for lead in named for point_id in lead.point_ids], found.flags)
    knee = found.knees.get(widest.owner)
    if flags or knee is None or knee.point_id not in widest.point_ids:
        return f"{told}{flags}."
    whose = f"{widest.owner}'s" if len({lead.owner for lead in found.leads}) == 2 else "its"
    whole = f"{told}; {whose} knee is {at(axes, knee)}."
    return whole if len(whole.split()) <= LONGEST else f"{told}."


def flagged(point_ids: Sequence[str], flags: Mapping[str, tuple[str, ...]]) -> str:
    """In brackets, which of these points a sentence rests on are flagged and for what; empty when none is."""
    own = [flags[point_id] for point_id in point_ids if point_id in flags]
    if not own:
        return ""
    kinds = joined([flag_words(kind) for kind in dict.fromkeys(kind for kinds in own for kind in kinds)])
    some = "" if len(own) == len(point_ids) else f"{len(own)} of {len(point_ids)} points "
    return f" ({some}flagged: {kinds})"


def none_of(axes: Axes, tally: Tally) -> str:
    """That no selected point has both metrics."""
    lacking = "The {} has not" if tally.selected == 1 else "None of the {} has"
    return f"{lacking.format(selected(tally))} both {inline(axes.x)} and {inline(axes.y)}"


def selected(tally: Tally) -> str:
    """The selected points and whose they are: "24 selected points of Mixtral 8x7B", "selected point of Qwen3 32B"."""
    about = subject(tally)
    of = "" if about == "the selection" else f" of {about}"
    if tally.selected == 1:
        return f"selected point{of}"
    return f"{tally.selected:,} selected points{of}"


def _of_one(axes: Axes, tally: Tally, found: Frontiers) -> str:
    assert found.ends is not None
    least, most = found.ends
    if tally.entering == 1:
        measured = "measured point" if tally.usable > 1 else "point"
        return (
            f"Only one {measured} of {_about_one(axes, tally)} has both metrics, {at(axes, least, named=True)}"
            f"{flagged([least.point_id], found.flags)}; a frontier needs two."
        )
    told = f"of {_about_one(axes, tally)}"
    if found.overall == 1:
        told = f"Of {counted(tally.entering, 'point')} {told}, one beats all others: {at(axes, least, named=True)}"
        return f"{told}{flagged([least.point_id], found.flags)}."
    if found.overall == tally.entering:
        told = (
            f"{'Both' if found.overall == 2 else f'All {found.overall:,}'} points {told} are worth choosing"
        )
    else:
        told = f"Of {counted(tally.entering, 'point')} {told}, {found.overall:,} are worth choosing"
    told += f", from {at(axes, least, named=True)} to {number(most.y)} at {number(most.x)}"
    knee = next(iter(found.knees.values()), None)
    with_knee = f"{told}; the knee is {number(knee.y)} at {number(knee.x)}" if knee else told
    if axes.x.unit in TIMES and len(with_knee.split()) > LONGEST + 1:
        knee = None
    told = with_knee if knee else told
    named = dict.fromkeys(place.point_id for place in (least, most, knee) if place)
    return f"{told}{flagged(list(named), found.flags)}."


def _about_one(axes: Axes, tally: Tally) -> str:
    """The subject and whose the one frontier is, where that is stated and not said yet."""
    owner = next(iter(tally.owners), "")
    if not owner or not axes.owner or axes.owner in ("model", "precision"):
        return _ranked(tally)
    label = value_label(axes.owner, owner)
    return (
        f"{_ranked(tally)} on {label}"
        if axes.owner in ("accelerator", "engine")
        else f"{_ranked(tally)} ({label})"
    )


def _ranked(tally: Tally) -> str:
    """The subject and, where points enter that were not measured, what they are: "(simulated)"."""
    kinds = tally.distinct["evidence"]
    if tally.entering < tally.usable or set(kinds) == {"measured"}:
        return subject(tally)
    return f"{subject(tally)} ({joined([kind or 'evidence not stated' for kind in kinds])})"


def _who_leads(axes: Axes, leads: Sequence[Lead], lead: Lead) -> str:
    """Who leads where; of more leads than are listed, `lead` alone is named."""
    stricter_is_more = axes.x.direction == "higher"
    if len(leads) == 1:
        reach = "up to" if stricter_is_more else "down to"
        end = with_unit(leads[0].strictest, axes.x)
        return f"{leads[0].owner} {gives_most(axes.y)} at every measured {inline(axes.x)}, {reach} {end}"
    if len(leads) > LISTED:
        rivals = list(dict.fromkeys(row.owner for row in leads if row.owner != lead.owner))
        rest = rivals[0] if len(rivals) == 1 else f"{len(rivals)} others"
        again = "it or " if sum(row.owner == lead.owner for row in leads) > 1 else ""
        return f"{lead.owner} {gives_most(axes.y)} at {inline(axes.x)} {between(axes, lead)}, {again}{rest} elsewhere"
    first, *others = leads
    end = with_unit(first.strictest, axes.x)
    if stricter_is_more:
        start, word = f"at {inline(axes.x)} up to {end}", "up to"
    else:
        start, word = f"where {inline(axes.x)} may be {end} or more", "down to"
    parts = [f"{other.owner} {word} {number(other.strictest)}" for other in others]
    return joined([f"{first.owner} {gives_most(axes.y)} {start}", *parts])


def between(axes: Axes, lead: Lead) -> str:
    """The range of a lead in words: "up to 20 tokens/s/user", "between 20 and 60 ms"."""
    if lead.weakest is None:
        end = with_unit(lead.strictest, axes.x)
        return f"up to {end}" if axes.x.direction == "higher" else f"of {end} or more"
    low, high = sorted((lead.weakest, lead.strictest))
    return f"between {number(low)} and {with_unit(high, axes.x)}"


def findings(axes: Axes, tally: Tally, found: Frontiers, said: str) -> list[str]:
    """Beyond the headline `said`: every lead when that names one, the knees, and how many points stay."""
    told = []
    if len(found.leads) > LISTED:
        word = "up to" if axes.x.direction == "higher" else "down to"
        first, *following = found.leads
        parts = [f"{first.owner} {word} {with_unit(first.strictest, axes.x)}"]
        parts += [f"{lead.owner} {word} {number(lead.strictest)}" for lead in following]
        order = "rises" if axes.x.direction == "higher" else "falls"
        told.append(
            f"As {inline(axes.x)} {order}, the lead changes {counted(len(parts) - 1, 'time')}:"
            f" {joined(parts, at_most=LISTED_BELOW)}."
        )
    if axes.owner and (len(found.knees) > 1 or (found.knees and " knee " not in said)):
        parts = [f"{knee.owner} {number(knee.y)} at {number(knee.x)}" for knee in found.knees.values()]
        lead = f"{'Knees' if len(parts) > 1 else 'Knee'}, in {spoken(axes.y)} at {spoken(axes.x)}"
        told.append(f"{lead}: {joined(parts, at_most=LISTED_BELOW)}.")
    if tally.entering and axes.owner and len(tally.owners) > 1:
        told.append(
            f"Of {counted(tally.entering, 'point')}, {found.overall:,} {is_or_are(found.overall)} beaten by none at all"
            f" and {found.grouped:,} by none of their own group."
        )
    return told


def within(axes: Axes, slos: tuple[float | None, float | None], best: Place | None, words: tuple[str, str],
           groups: Mapping[str, Place | None], flags: Mapping[str, tuple[str, ...]]) -> list[str]:  # fmt: skip
    """What the reader's limits leave: the best point, and what each group reaches; nothing without a limit.

    `words` are the best point in full and in brief: the headline takes the brief ones where it would be too long.
    """
    if slos == (None, None) or not groups:
        return []
    asked = _asked(axes, slos)
    if best is None:
        return [f"No point that may enter has {asked}."]
    values = (
        with_unit(value, metric) if limit is None else number(value)
        for value, metric, limit in ((best.y, axes.y, slos[1]), (best.x, axes.x, slos[0]))
    )
    start = f"With {asked}, the best is {' at '.join(values)}:"
    full, brief = words
    end = f"{flagged([best.point_id], flags)}."
    told = [f"{start} {full}{end}"]
    if len(told[0].split()) > LONGEST and brief != full:
        told = [f"{start} {brief}{end}", f"The best point in full: {full}."]
    metric, value = (axes.x, "x") if slos[0] is None else (axes.y, "y")
    reached = [f"{owner} {number(getattr(place, value))}" for owner, place in groups.items() if place]
    missed = [owner for owner, place in groups.items() if place is None]
    if len(groups) > 1 and reached:
        text = f"Best there, in {spoken(metric)}: {joined(reached, at_most=LISTED_BELOW)}"
        told.append(
            f"{text}; {joined(missed)} {'does' if len(missed) == 1 else 'do'} not reach it."
            if missed
            else f"{text}."
        )
    return told


def _asked(axes: Axes, slos: tuple[float | None, float | None]) -> str:
    """The limits in words: "median interactivity of 60 tokens/s/user and output throughput of 200 … or more"."""
    limits = [
        (
            f"{inline(metric).removesuffix(' per accelerator')} of {with_unit(limit, metric)}",
            "or more" if metric.direction == "higher" else "or less",
        )
        for metric, limit in zip((axes.x, axes.y), slos, strict=True)
        if limit is not None
    ]
    if len({bound for _, bound in limits}) == 1:
        return f"{joined([words for words, _ in limits])} {limits[0][1]}"
    return joined([f"{words} {bound}" for words, bound in limits])


def caveats(axes: Axes, tally: Tally, flags: Mapping[str, tuple[str, ...]], undrawn: int, *,
            in_a_grid: bool) -> list[str]:  # fmt: skip
    """What was left out and how many, what is not measured, and what is mixed on one axis."""
    told = []
    if in_a_grid:
        told.append(f"{counted(tally.usable, 'point')} counted in a grid; every frontier is exact.")
    without = [
        f"{count:,} {'has' if count == 1 else 'have'} no {inline(metric)}"
        for count, metric in ((tally.without_x, axes.x), (tally.without_y, axes.y))
        if count
    ]
    left_out = tally.selected - tally.usable
    if left_out == tally.selected and without:
        told.append(f"{joined(without)}.")
    elif left_out:
        told.append(
            f"{left_out:,} of {counted(tally.selected, 'selected point')} left out: {joined(without)}."
        )
    if tally.usable > tally.entering:
        kinds = joined(
            [kind or "of unstated evidence" for kind in tally.distinct["evidence"] if kind != "measured"]
        )
        told.append(
            f"{counted(tally.usable - tally.entering, 'point')} not measured ({kinds}): shown open, not ranked."
        )
    mixed = [
        counted(len(values), what)
        for what, values in (("model", tally.distinct["model"]), ("workload", tally.workloads),
                             ("precision", tally.distinct["precision"]), ("load kind", tally.distinct["load_kind"]))
        if tally.usable and len(values) > 1
    ]  # fmt: skip
    if mixed:
        told.append(f"Unlike points share these axes: {joined(mixed)}.")
    if flags:
        reasons = dict.fromkeys(flag_words(kind) for own in flags.values() for kind in own)
        told.append(f"{counted(len(flags), 'frontier point')} flagged: {joined(list(reasons))}.")
    if undrawn:
        told.append(f"{counted(undrawn, 'group')} with the lowest frontiers drawn without a line.")
    if tally.dates and tally.dates[0] != tally.dates[1]:
        first, last = (str(date)[:10] for date in tally.dates)
        engines = "; engines changed in between" if tally.engines_differ else ""
        told.append(f"Measured between {first} and {last}{engines}.")
    return told


def prices(axes: Axes, tally: Tally, book: str, terms: str) -> list[str]:
    """Which prices a cost stands on, and the accelerators the book does not price; nothing without a cost."""
    if not book or axes.y.key not in PRICED:
        return []
    known = [axes.prices[chip] for chip in tally.accelerators if chip in axes.prices]
    told = [f"Prices from {book}, {price_words(known, terms)}."] if known else []
    unpriced = [value_label("accelerator", chip) for chip in tally.accelerators if chip not in axes.prices]
    if unpriced:
        told.append(f"{book} has no {terms_in_words(terms)} price for {joined(unpriced)}: left out.")
    return told


def price_words(prices: Sequence[ChipPrice], terms: str, at_most: int = 6) -> str:
    """Prices under these terms: "modelled, neocloud, in USD/h: B200 SXM 2.07 and B300 SXM 2.52"."""
    modelled = terms.startswith("modelled")
    if not modelled and any(price.quotes > 1 for price in prices):
        listed = [f"{value_label('accelerator', price.accelerator)} {price.words}" for price in prices]
        return f"{terms_in_words(terms)}: {joined(listed, at_most=at_most)}"
    listed = [f"{value_label('accelerator', price.accelerator)} {number(price.median)}" for price in prices]
    each = "" if modelled else ", one quote each"
    return f"{terms_in_words(terms)}{each}, in USD/h: {joined(listed, at_most=at_most)}"


def step_words(axes: Axes, start: float, end: float, step: Step) -> str:
    """What one step from x = start to x = end gives and costs: "+18 % throughput for +9 ms TPOT"."""
    return f"{_gain(axes.y, step)} for {_price(axes.x, start, end)}"


def _gain(metric: Metric, step: Step) -> str:
    noun = _noun(metric)
    if step.y_ratio is None:
        return _change(step.y_change, metric.unit)
    if step.y_ratio >= MANY_TIMES:
        return f"{number(step.y_ratio)} times the {noun}"
    change = step.y_ratio - 1
    if abs(change) < LEAST_SHARE:
        return f"under {share(LEAST_SHARE)} {'more' if change > 0 else 'less'} {noun}"
    return f"{'+' if change > 0 else '−'}{share(abs(change))} {noun}"


def _price(metric: Metric, start: float, end: float) -> str:
    if metric.base == "interactivity_tokens_per_s_per_user" and start > 0 and end > 0:
        return _change(1000 / end - 1000 / start, "ms", "TPOT")
    return _change(end - start, metric.unit, name_of(metric))


def _noun(metric: Metric) -> str:
    for part, noun in (
        ("requests_per_s", "requests"),
        ("per_s", "throughput"),
        ("usd", "cost"),
        ("joules", "energy"),
    ):
        if part in metric.key:
            return noun
    return inline(metric)


def _change(value: float, unit: str, noun: str = "") -> str:
    """A change in words: "+9 ms TPOT", "under 0.01 ms more TPOT"."""
    if 0 < abs(value) < LEAST_CHANGE:
        return f"under {LEAST_CHANGE} {unit} {'more' if value > 0 else 'less'} {noun}".rstrip()
    return f"{'+' if value >= 0 else '−'}{number(abs(value))} {unit} {noun}".rstrip()


def at(axes: Axes, place: Place, *, named: bool = False) -> str:
    """A place in words: "4,120 tokens/s per chip at 85 tokens/s/user".

    A time alone does not tell of what it is, so where nothing else does it is `named`: "at 15.5 ms decode step".
    """
    of = f" {name_of(axes.x)}" if named and axes.x.unit in TIMES else ""
    return f"{with_unit(place.y, axes.y)} at {with_unit(place.x, axes.x)}{of}"


def with_unit(value: float, metric: Metric) -> str:
    """A value with its unit as it is spoken: an accelerator is a chip."""
    return f"{number(value)} {spoken(metric)}".rstrip()


def spoken(metric: Metric) -> str:
    """A metric's unit as it is spoken: "tokens/s per chip"."""
    return metric.unit.replace("/accelerator", " per chip")


def gives_most(metric: Metric) -> str:
    """What the leader does: "gives the most per chip", "has the lowest cost per million output tokens"."""
    if metric.direction == "higher" and metric.key.endswith("tokens_per_s_per_accelerator"):
        return "gives the most per chip"
    return f"has the {'highest' if metric.direction == 'higher' else 'lowest'} {inline(metric)}"
