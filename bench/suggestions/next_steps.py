"""What would let a page answer where it cannot: one thing changed at a time, the least change first.

Nothing is offered that was not tried: the question is asked with each change, and the first that lead to an answer are
the reader's next steps. Where no change does, a page that can answer for the same model is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice, product
from typing import Any

from bench import catalogue, selection
from bench.basis import evidence, limits, prices, story
from bench.chart import value_label
from bench.errors import BenchError
from bench.library import Library
from bench.library.newest_runs import OLDER, SET_ASIDE
from bench.questions import Answer, Steps, question, questions
from bench.suggestions import Step, answered, bare
from bench.view import FILTER_BY_KEY, View
from bench.wording import inline, joined, lowered, number

MOST, TRIED = 2, 10
"""So many steps are offered, and so many changes tried: a page without an answer waits about a second for them."""

OTHERS = 2
"""Of each option and of a model's precisions and lengths so many others are tried."""

SUPPOSED = ("bf16", "fp8", "fp4")
"""The weights that are supposed where no point states any."""


ChangedView = tuple[str, View]
"""What a change does in words, and the View it makes."""


@dataclass(frozen=True)
class DeadEnd:
    """A page without an answer, and its complete View."""

    library: Library
    name: str
    shown: View

    @property
    def steps(self) -> Steps:
        """What leads to an answer on this page."""
        return leading()[self.name]

    @cached_property
    def own(self) -> View:
        """What the reader chose, with the model that is shown: what else a story filled in is open again."""
        whole = self.shown.whole and not self.shown.option(story.FILLED)
        own = story.own_choice(self.shown).with_where(model=self.shown.values("model"))
        return replace(own, whole=whole)

    @cached_property
    def free(self) -> View:
        """The same with the page's own options as it chooses them by itself."""
        return self.own.with_options(**dict.fromkeys(one.key for one in question(self.name).OPTIONS))


def next_steps(library: Library, name: str, answer: Answer[Any]) -> tuple[Step, ...]:
    """Up to MOST steps on this page that were tried and lead to an answer, else one to another page.

    None where there is an answer already.
    """
    if answer.is_told or name not in leading():
        return ()
    dead = DeadEnd(library, name, answer.view)
    return tuple(islice(_here(dead), MOST)) or tuple(islice(_elsewhere(dead), 1))


def leading() -> dict[str, Steps]:
    """The questions that answer for a model, with what leads to an answer on each."""
    return {name: question.STEPS for name, question in questions().items() if question.STEPS}


def _here(dead: DeadEnd) -> Iterator[Step]:
    """The changes after which this page answers; what leads to a View that was seen before is not tried."""
    seen = {bare(dead.shown)}
    for words, view in islice(_changes(dead), TRIED):
        if found := answered(dead.library, dead.name, view, seen):
            yield Step(dead.name, _filled_in(words, dead, found.view), view, dead.steps.gain(found.rows))


def _elsewhere(dead: DeadEnd) -> Iterator[Step]:
    """The other pages that answer for what was selected, else without limits, else for its model alone.

    What fits in memory is no figure that was measured: it comes last.
    """
    own = View(dead.own.where, slo=dead.own.slo)
    about = {own: "", own.with_slo((limits.NONE,)): " without limits" if limits.read(own) else ""}
    for one in dead.shown.values("model"):
        about.setdefault(View.of({"model": [one]}, slo=(limits.NONE,)), f" of {value_label('model', one)}")
    for measured in (True, False):
        for view, page in product(about, leading()):
            is_other = page != dead.name and measured == (question(page).NEEDS == "points")
            if is_other and (answer := answered(dead.library, page, view)):
                yield _opened(page, about[view], answer, view)
    for view in about if dead.name != "memory" else ():
        for words, supposed in _weights(replace(dead, name="memory", shown=view)):
            if answer := answered(dead.library, "memory", supposed):
                yield _opened("memory", f", {lowered(words)}", answer, supposed)


def _opened(page: str, about: str, found: Answer[Any], view: View) -> Step:
    return Step(page, f"{question(page).TITLE}{about}", view, leading()[page].gain(found.rows))


def _changes(dead: DeadEnd) -> Iterator[ChangedView]:
    """Every change to try, the least first: limits, prices, options, what is shown of the model, runs, evidence."""
    yield from _limits(dead)
    yield from _prices(dead)
    yield from _weights(dead)
    yield from _options(dead)
    yield from _wider(dead)
    yield from _runs(dead)
    yield from dead.steps.further(dead.library, dead.free)
    yield from _evidence(dead)
    yield from _others(dead)


def _limits(dead: DeadEnd) -> Iterator[ChangedView]:
    """Without one limit, and without any; those that a page opened with are the reader's to lift too."""
    read = limits.read(dead.shown)
    for one in read if len(read) > 1 else ():
        rest = [other.text for other in read if other != one]
        yield f"Lift the limit on {inline(one.metric)}", dead.own.with_slo(rest)
    if read:
        lift = f"Lift the limit on {inline(read[0].metric)}" if len(read) == 1 else f"Lift all {len(read)} limits"
        yield lift, dead.own.with_slo((limits.NONE,))
        yield f"{lift} and {lowered(dead.steps.anew)}", dead.free.with_slo((limits.NONE,))


def _prices(dead: DeadEnd) -> Iterator[ChangedView]:
    """At everybody's prices, then on any terms, where it is prices that lack."""
    axes = [dead.shown.option(key) for key in ("x", "y")]
    is_cost = any(catalogue.is_metric(key) and catalogue.metric(key).kind == "cost" for key in axes)
    if not (dead.name == "cost" or is_cost or dead.shown.option("per") == "dollar"):
        return
    anybodys = dead.own.with_options(**dict.fromkeys((prices.BOOK.key, prices.PROVIDER.key)))
    yield "Take everyone's prices", anybodys
    yield "Take prices of any terms", anybodys.with_options(**{prices.TERMS.key: prices.EVERY})


def _options(dead: DeadEnd) -> Iterator[ChangedView]:
    """The page's own options as it opens by itself, then other values of those its defaults do not search through."""
    pair = dead.name == "crossover" and (dead.own.option("a") or dead.own.option("b"))
    yield "Show every pair" if pair else dead.steps.anew, dead.free
    if not dead.steps.tries:
        return
    try:
        offered = question(dead.name).choices(dead.library, dead.shown)
    except BenchError:
        return
    for key, words in dead.steps.tries.items():
        others = [one for one in offered.get(key, ()) if one[0] != dead.shown.option(key)]
        for value, label in others[:OTHERS]:
            yield words.format(lowered(label)), dead.own.with_options(**{key: value})


def _weights(dead: DeadEnd) -> Iterator[ChangedView]:
    """The sizes that weights may have, where a page is about facts and no point states a precision it knows."""
    if question(dead.name).NEEDS == "facts":
        for precision in SUPPOSED:
            yield f"Suppose {precision.upper()} weights", dead.own.with_where(precision=[precision])


def _wider(dead: DeadEnd) -> Iterator[ChangedView]:
    """Without one of the reader's filters, then without all but the model."""
    kept = [key for key, _ in dead.own.where if key != "model"]
    lengths = [key for key in ("isl", "osl") if key in kept]
    if "precision" in kept:
        yield "Show", dead.free.with_where(precision=None)
    if lengths:
        yield "Show", dead.free.with_where(isl=None, osl=None)
    for key in kept:
        if key not in ("precision", *lengths):
            words = f"Lift the filter on {lowered(FILTER_BY_KEY[key].label)} ({_named(key, dead.own)})"
            yield words, dead.free.with_where(**{key: None})
    if len(kept) > 1:
        yield "Lift every filter but the model", dead.free.with_where(**dict.fromkeys(kept))


def _runs(dead: DeadEnd) -> Iterator[ChangedView]:
    """With older runs, where the selection has some of which newer ones are ranked."""
    condition = selection.clause(dead.own).also(f"point_id IN (SELECT point_id FROM {SET_ASIDE} WHERE why = '{OLDER}')")
    sql = f"SELECT 1 FROM points WHERE {condition.sql} LIMIT 1"
    if dead.library.fetch(sql, condition.params):
        yield "Let older runs in", dead.free.with_options(**{evidence.RUNS.key: "all"})


def _evidence(dead: DeadEnd) -> Iterator[ChangedView]:
    """With points whose evidence is another than measured, where the selection has such."""
    condition = selection.clause(dead.own, without=("evidence",))
    rows = dead.library.fetch(f"SELECT DISTINCT evidence FROM points WHERE {condition.sql}", condition.params)
    kinds = sorted(str(kind) for (kind,) in rows if kind)
    if others := [kind for kind in kinds if kind != "measured"]:
        words = f"Rank {joined(others)} points{' too' if len(kinds) > len(others) else ''}"
        yield words, dead.free.with_where(evidence=kinds)


def _others(dead: DeadEnd) -> Iterator[ChangedView]:
    """Other precisions of the model, then other lengths, those with the most points first."""
    if not all(map(dead.library.has, ("precision", "isl", "osl"))):
        return
    isl, osl = selection.as_asked("isl"), selection.as_asked("osl")
    wider = dead.free.with_where(precision=None, isl=None, osl=None)
    condition = selection.clause(wider)
    rows = dead.library.fetch(
        f"SELECT precision, {isl} AS i, {osl} AS o, count(*) FROM points WHERE {condition.sql}"
        " GROUP BY 1, 2, 3 ORDER BY 4 DESC, 1, 2, 3 LIMIT 50",
        condition.params,
    )
    precisions = [one for one in dict.fromkeys(row[0] for row in rows) if one is not None]
    lengths = [pair for pair in dict.fromkeys(row[1:3] for row in rows) if None not in pair]
    for precision in precisions[:OTHERS]:
        yield "Show", wider.with_where(precision=[precision])
    for pair in lengths[:OTHERS]:
        yield "Show", wider.with_where(isl=[selection.written(pair[0])], osl=[selection.written(pair[1])])


def _filled_in(words: str, dead: DeadEnd, view: View) -> str:
    """What a step does, with what the answer is about where the step left that open: "Show FP4 at 1,024/1,024".

    Where options chosen anew show another throughput, that: "Show MLPerf tokens per second".
    """
    metric = view.option("metric")
    if words == Steps.anew and metric and metric != dead.shown.option("metric"):
        return f"Show {inline(catalogue.metric(metric))}"
    if words != "Show":
        return words
    isl, osl = (view.values(key) for key in ("isl", "osl"))
    precision = _named("precision", view) or "every precision"
    at = f" at {number(float(isl[0]))}/{number(float(osl[0]))}" if len(isl) == len(osl) == 1 else ""
    return f"Show {precision}{at}"


def _named(key: str, view: View) -> str:
    words = [one.upper() if key == "precision" else value_label(key, one) for one in view.values(key)]
    return joined(words, "or", at_most=2)
