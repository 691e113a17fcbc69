"""The model, precision and workload an answer is about, where the reader left them open: one choice for every page.

It is the story with the most ranked points times accelerators among all that the reader's filters leave, of equals the
one whose lengths are most nearly alike, then the longer. Where models stand side by side, one that more of them have
comes first. Under limits the points that state all they are on count next, since no other can tell what keeps them. A
page that needs what this story does not have says so and is about the nearest one that has it: of the same model first,
then the same precision, then the same workload.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from urllib.parse import parse_qsl, urlencode

from bench import catalogue, selection
from bench.basis import evidence, limits
from bench.basis.statement import Statement, coverage
from bench.catalogue import Kind
from bench.chart import value_label
from bench.library import Library
from bench.selection import Offer, as_asked
from bench.view import FILTER_BY_KEY, LIMIT, View
from bench.wording import counted, is_or_are, joined, number

KEYS = ("model", "precision", "isl", "osl")
FILLED = "filled"
"""The option in which a View says what of its filters was filled in and not chosen by the reader; of limits LIMIT."""

UNSTATED = "unstated"
"""What FILLED says where the first story gave way to one that states none of what is open: nothing narrows to it."""

NEAR = "near"
"""The option in which a View that is not complete says what was shown before: the story nearest to that is told."""

FIGURES: tuple[Kind, ...] = ("throughput", "engine_rate", "latency")
"""A story's points are those with a metric of one of these kinds; without any, all of them."""

TELLING = (None, "mean", "p50")
"""The statistics of such a metric that are looked at: a point that states its tail alone is counted after others."""


MANY = 50_000
"""Of so many ranked points it is cheaper to look at the first story's own before those of all."""


@dataclass(frozen=True)
class Needs:
    """What a page cannot do without: `points` is SQL that is TRUE for a point it can use, `words` say what that is.

    At least `fewest` groups of usable points, alike in the SQL expressions `each`, must meet the SQL aggregate
    `having`: "two counts of chips on one accelerator". Without either, at least `fewest` points must be usable.
    `params` are bound in `each` and `having`; keys that are `open` may differ within a group, as they stay open on the
    page. A group that meets the SQL aggregate `odd` is no first picture of what it shows: a story that has one comes
    after those without, and `odd_words` say what it has.
    """

    words: str
    points: str
    each: str = "1"
    having: str = "TRUE"
    fewest: int = 1
    params: tuple[Any, ...] = ()
    open: tuple[str, ...] = ()
    odd: str = "FALSE"
    odd_words: str = ""

    @property
    def grouped(self) -> bool:
        """Whether groups of points are needed, not points alone."""
        return (self.each, self.having) != (Needs.each, Needs.having)


Further = Callable[[View], Mapping[str, str]]


@dataclass(frozen=True)
class Stories:
    """The stories that a View leaves open: `own` is the View without what a story filled in before, by `pins`.

    `near` is what the reader saw before, as values of filters: what is told stays as near to it as points allow.
    """

    library: Library
    view: View
    own: View
    pins: Mapping[str, str]
    absent: tuple[str, ...]
    needs: Needs | None
    near: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """Every story, the nearest to what was shown first, else the best; looked for once."""
        found = _stories(self.library, self.own, self.absent, self.needs)
        kept = {key: self.near[key] for key in self.absent if key in self.near}
        return sorted(found, key=lambda row: _far(row, kept)) if kept else found

    @cached_property
    def usable(self) -> list[dict[str, Any]]:
        """Those that have what the page needs; of MANY points the first alone where it has, as none is nearer."""
        needs, rows = self.needs, self.rows
        if needs is None or not needs.grouped:
            return [row for row in rows if needs is None or row["usable"] >= needs.fewest]
        alike = [key for key in self.absent if key not in needs.open]
        tried = [(rows, self.own)]
        if sum(row["every"] for row in rows) > MANY and len(self.own.values("model")) < 2:
            tried.insert(0, (rows[:1], _narrowed(self.own, _pins(rows[0], alike, ()))))
        fitting = ((among, _fits(self.library, view, alike, needs)) for among, view in tried)
        usable: list[dict[str, Any]] = []
        for among, fit in fitting:
            told = [(row, fit.get(tuple(row[key] for key in alike))) for row in among]
            usable = [{**row, "odd": one[0], "using": one[1]} for row, one in told if one is not None]
            if not all(row["odd"] for row in usable):
                break
        return usable

    def story(self, free: Collection[str] = (), further: Further | None = None) -> Story:
        """The story that is told where keys that are `free` stay open, as a column that is an axis.

        A View that is whole, or that names every key, stays as it is. `further` are the filters by which a page narrows
        the story's View besides, as to one of MLPerf's scenarios.
        """
        if self.view.whole:
            return Story(self.view, self.pins, self, frozenset(free))
        pins: dict[str, str] = {}
        filled = ""
        if set(self.absent) - set(free) and self.rows:
            first = self.rows[0]
            chosen = min(self.usable, key=lambda row: _distance(first, row, self.absent), default=first)
            pins = _pins(chosen, self.absent, free)
            filled = UNSTATED if not pins and _pins(first, self.absent, free) else ""
            pins |= further(_narrowed(self.own, pins)) if further else {}
        view = _narrowed(self.own, pins).with_options(**{FILLED: " ".join(pins) or filled})
        return Story(view, pins, self, frozenset(free))


@dataclass(frozen=True)
class Story:
    """What an answer is about: the View narrowed to one story, and what was filled in.

    `lacking` says what the story of every other page has not, where a page knows it better than its needs do.
    """

    view: View
    pins: Mapping[str, str]
    among: Stories
    free: Collection[str]
    lacking: str = ""

    @property
    def needs(self) -> Needs | None:
        """What the page cannot do without."""
        return self.among.needs

    @cached_property
    def fits(self) -> bool:
        """Whether some story of the selection has what the page needs."""
        return not self.pins or bool(self.among.usable)

    @cached_property
    def left_out(self) -> int:
        """How many points the reader's own filters leave and the story does not hold."""
        if not (self.among.own.where and self.pins):
            return 0
        own, told = selection.clause(self.among.own), selection.clause(self.view)
        sql = f"SELECT count(*) FILTER (NOT coalesce({told.sql}, FALSE)) FROM points WHERE {own.sql}"
        return int(self.among.library.fetch(sql, (*told.params, *own.params))[0][0])

    @cached_property
    def odd_instead_of(self) -> str:
        """What is odd about the story of every other page, where this one is told instead of it; else ""."""
        rows = self.among.usable if self.instead_of and self.needs and self.needs.odd_words else []
        first = next((row for row in rows if _is_same(row, self.among.rows[0], self.among.absent)), None)
        return self.needs.odd_words if first and first.get("odd") and self.needs else ""

    @cached_property
    def instead_of(self) -> str:
        """The story of every other page, in words, where it lacks what this page needs; else ""."""
        is_filled = self.pins or self.view.option(FILLED) == UNSTATED
        rows, told = self.among.rows if is_filled else [], {k: self.pins[k] for k in KEYS if k in self.pins}
        if not rows or told == _pins(rows[0], self.among.absent, self.free):
            return ""
        return _words(rows[0], self.among.own)


def stories(library: Library, view: View, needs: Needs | None = None) -> Stories:
    """The stories of a View, for a page that knows which keys are free only once it has seen one."""
    pins = {key: view.values(key)[0] for key in _filled(view)}
    near = dict(parse_qsl(view.option(NEAR)))
    view = view.with_options(**{NEAR: None})
    own = view.with_where(**dict.fromkeys(pins))
    absent = tuple(key for key in KEYS if not own.values(key))
    return Stories(library, view, own, pins, absent, needs, near)


def of(
    library: Library, view: View, needs: Needs | None = None, free: Collection[str] = (), further: Further | None = None
) -> Story:
    """The story of a View; the View says in FILLED what was filled in."""
    return stories(library, view, needs).story(free, further)


def own_choice(view: View) -> View:
    """The View with the reader's own filters and limits alone, without those that were filled in."""
    own = view.with_where(**dict.fromkeys(_filled(view))).with_options(**{FILLED: None})
    return own.with_slo(()) if LIMIT in view.option(FILLED).split() else own


def limited(view: View, slo: Collection[str]) -> View:
    """The View after the reader chose other limits, or none; what a story had filled in goes."""
    whole = view.whole and not view.option(FILLED)
    return replace(own_choice(view).with_slo(tuple(slo)), whole=whole)


def chosen(library: Library, view: View, choice: Mapping[str, Collection[str]]) -> View:
    """The View after the reader chose other values of filters; no more whole, so that its story is filled in anew.

    With another model what a story had filled in goes, and each other filter is kept if something is left of the model
    and of those kept before it. With any other choice the model that was shown is the reader's from now on.
    """
    own = own_choice(view)
    if "model" not in choice:
        own = own.with_where(model=view.values("model"))
    own = own.with_where(**choice)
    return replace(_kept(library, own) if choice.get("model") else own, whole=False)


def shown(view: View) -> dict[str, str]:
    """What of a View's model, precision and lengths a story filled in, to stay near to."""
    return {key: view.values(key)[0] for key in _filled(view) if key in KEYS}


def nearest(view: View, near: Mapping[str, str]) -> View:
    """The View to be completed with the story nearest to what was shown before; one that is whole stays as it is."""
    return view if view.whole or not near else view.with_options(**{NEAR: urlencode(near)})


def offers(library: Library, view: View, key: str) -> tuple[list[Offer], list[Offer]]:
    """The values of a filter with the points that each selects: beside what is shown, and the further ones.

    Further are those that have no point beside what is shown: of a model those of the whole library, since another
    model keeps no filter that leaves nothing of it; else those of the model that is shown, whose story gives way.
    """
    about = View(own_choice(view).where if key == "model" else view.where)
    wider = View() if key == "model" else View(own_choice(view).with_where(model=view.values("model")).where)
    beside = selection.offers(library, about, key)
    known = {one.value for one in beside}
    return beside, [one for one in selection.offers(library, wider, key) if one.value not in known]


def workloads(library: Library, view: View) -> tuple[list[Offer], list[Offer]]:
    """The pairs of input and output length, "1024/8192", as `offers` tells the values of a filter."""
    wider = View(own_choice(view).with_where(model=view.values("model"), isl=(), osl=()).where)
    beside = selection.workloads(library, View(view.where))
    known = {one.value for one in beside}
    return beside, [one for one in selection.workloads(library, wider) if one.value not in known]


def statements(story: Story) -> list[Statement]:
    """What was filled in besides what the reader asked for, and that this is another story than other pages tell."""
    said = []
    if story.instead_of and story.needs is not None:
        lacks = f"has no {story.lacking or story.needs.words}; shown is the nearest selection that has"
        if story.odd_instead_of:
            lacks = f"has {story.odd_instead_of}; shown is the nearest selection without"
        said.append(coverage("other_story", f"{story.instead_of} {lacks}.", odd=bool(story.odd_instead_of)))
    if story.left_out:
        words = joined([_named(key, value) for key, value in story.pins.items()])
        many = f"{counted(story.left_out, 'other point')} {is_or_are(story.left_out)} left out"
        said.append(coverage("narrowed", f"Narrowed to {words}; {many}.", left_out=story.left_out, **story.pins))
    return said


def _filled(view: View) -> list[str]:
    """The filters of a View that were filled in; one with several values is a reader's."""
    return [key for key in view.option(FILLED).split() if key in FILTER_BY_KEY and len(view.values(key)) == 1]


def _narrowed(view: View, pins: Mapping[str, str]) -> View:
    return view.with_where(**{key: (value,) for key, value in pins.items()})


def _kept(library: Library, view: View) -> View:
    """The View without the filters under which its model has no point at all."""
    kept = View.of({"model": view.values("model")})
    for key, values in view.where:
        wider = kept.with_where(**{key: values})
        if selection.count(library, wider):
            kept = wider
    return replace(view, where=kept.where)


def _far(row: Mapping[str, Any], near: Mapping[str, str]) -> tuple[bool, ...]:
    """How unlike a story is to what was shown: the model first, then whether it can tell who keeps limits, then the
    precision and the lengths."""
    unlike = {key: row[key] is None or selection.written(row[key]) != value for key, value in near.items()}
    return (unlike.pop("model", False), not row["stating"], *unlike.values())


def _pins(row: Mapping[str, Any], absent: Sequence[str], free: Collection[str]) -> dict[str, str]:
    """The filters that narrow a View to a story."""
    return {key: selection.written(row[key]) for key in absent if row[key] is not None and key not in free}


def _stories(library: Library, view: View, absent: Sequence[str], needs: Needs | None) -> list[dict[str, Any]]:
    """Every story of the ranked points, best first, with how many are `usable`; where those are grouped, just all.

    `stating` weighs those that state what the reader's limits are on, those limits apart that a page has of itself.
    """
    condition = evidence.ranked(library, evidence.read(view.with_slo(())))
    keys = catalogue.metrics_of(*FIGURES, held=library.metric_columns())
    telling = (key for key in keys if catalogue.metric(key).statistic in TELLING)
    figures = " OR ".join(f'"{key}" IS NOT NULL' for key in telling) or "FALSE"
    groups = [as_asked(key) for key in absent]
    usable = needs.points if needs and not needs.grouped else "TRUE"
    stated = limits.stated_sql(library, limits.read(own_choice(view)))
    counts = ", ".join(f"count(*) FILTER ({one})" for one in (figures, "TRUE", usable, stated))
    alike = ", ".join(("accelerator", "model", *groups))
    rows = library.fetch(
        f"SELECT {alike}, {counts} FROM points WHERE {condition.sql} GROUP BY {alike}", condition.params
    )
    parts: dict[tuple[Any, ...], list[tuple[Any, ...]]] = {}
    for row in rows:
        parts.setdefault(row[2:-4], []).append((*row[:2], *row[-4:]))
    found = [{**dict(zip(absent, key, strict=True)), **_counts(part)} for key, part in parts.items()]
    return sorted(found, key=lambda row: _order(row, absent))


def _counts(part: Sequence[tuple[Any, ...]]) -> dict[str, int]:
    """What a story counts, from what its points of each accelerator and model do; DuckDB takes ten times as long to
    count what differs."""
    chips, models, figures, every, usable, stated = zip(*part, strict=True)

    def unlike(values: Sequence[object], among: Sequence[int]) -> int:
        return len({value for value, many in zip(values, among, strict=True) if many} - {None})

    return {
        "points": sum(figures),
        "every": sum(every),
        "chips": unlike(chips, every),
        "usable": sum(usable),
        "stating": sum(stated) * max(unlike(chips, stated), 1),
        "models": max(unlike(models, every), 1),
        "using": max(unlike(models, usable), 1),
    }


def _fits(library: Library, view: View, alike: Sequence[str], needs: Needs) -> dict[tuple[Any, ...], tuple[bool, int]]:
    """The values of the keys that are `alike` with the groups needed, whether one is odd, and of how many models."""
    condition = evidence.ranked(library, evidence.read(view.with_slo(()))).also(f"({needs.points})")
    groups = ["TRUE", *map(as_asked, alike)]
    columns = ", ".join(f"{sql} AS key_{place}" for place, sql in enumerate(groups))
    rows = library.fetch(
        "SELECT * EXCLUDE (is_odd, own), bool_or(is_odd), greatest(len(list_distinct(flatten(list(own)))), 1)"
        f" FROM (SELECT {columns}, {needs.odd} AS is_odd, list(DISTINCT model) AS own FROM points"
        f" WHERE {condition.sql} GROUP BY {', '.join((*groups, needs.each))} HAVING {needs.having})"
        f" GROUP BY ALL HAVING count(*) >= {needs.fewest}",
        (*condition.params, *needs.params),
    )
    return {tuple(row[1:-2]): (bool(row[-2]), row[-1]) for row in rows}


def _order(row: Mapping[str, Any], absent: Sequence[str]) -> tuple[Any, ...]:
    """More models, then more points times accelerators, before all of those that state what limits are on; of equals
    lengths most nearly alike, then longer ones, then by name."""
    isl, osl = row.get("isl"), row.get("osl")
    return (
        -row["models"],
        -row["stating"],
        -row["points"] * max(row["chips"], 1),
        -row["every"] * max(row["chips"], 1),
        abs(math.log(isl / osl)) if isl and osl else math.inf,
        -(isl + osl) if isl and osl else 0,
        *(str(row[key]) for key in absent),
    )


def _distance(first: Mapping[str, Any], row: Mapping[str, Any], absent: Sequence[str]) -> tuple[Any, ...]:
    """How far a story is from the first: an odd one is farthest, then one of fewer models, then another model's."""
    unlike = [row[key] != first[key] for key in absent]
    named = len([key for key in absent if key in KEYS[:2]])
    return (row.get("odd", False), -row["using"], *unlike[:named], any(unlike), *_order(row, absent))


def _is_same(one: Mapping[str, Any], other: Mapping[str, Any], absent: Sequence[str]) -> bool:
    return all(one[key] == other[key] for key in absent)


def _words(row: Mapping[str, Any], view: View) -> str:
    """A story in words, with what of it the reader named: "DeepSeek R1 0528 FP8 at 1,024/1,024"."""
    known = {key: row.get(key, (view.values(key) or (None,))[0]) for key in KEYS}
    words = [value_label("model", known["model"]) if known["model"] else "", str(known["precision"] or "").upper()]
    if known["isl"] is not None and known["osl"] is not None:
        words.append(f"at {number(float(known['isl']))}/{number(float(known['osl']))}")
    return " ".join(word for word in words if word) or "The selection"


def _named(key: str, value: str) -> str:
    if key == "model":
        return value_label("model", value)
    if key == "precision":
        return value.upper()
    if key not in ("isl", "osl"):
        return f"{key} {value}"
    return f"{number(float(value))} tokens {'in' if key == 'isl' else 'out'}"
