"""One figure, one price: what a deployment gives under a workload and a load is the same in every answer."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import Any

from bench import catalogue
from bench.library import Library
from bench.questions.history.result import History
from bench.wording import joined, number
from tests.questions.audited import answers
from tests.questions.audited.answers import AuditedAnswer, Contradiction, apart, contradiction, is_close
from tests.questions.audited.reference_answers import OLDER, SAME, PlainRow, value


def findings(library: Library) -> Iterator[Contradiction]:
    """The figures and prices that an answer shows and the points, the price books or another answer contradict."""
    for answer in answers.of_stories(library):
        for one in answer:
            yield from of_figures(one)
            yield from of_prices(one)
        yield from between(answer)


def of_figures(case: AuditedAnswer) -> Iterator[Contradiction]:
    """The figures of an answer that its points do not state."""
    for id, metric, shown in case.figures:
        row = case.reading.by_id.get(id)
        if row is None or metric not in row:
            continue
        held = value(row, metric)
        if held is None:
            yield contradiction(case, f"{metric} is {number(shown)}, its point states none", id, about=metric)
        elif not is_close(shown, held):
            yield contradiction(case, apart(shown, held, metric), id, about=metric)


def of_prices(case: AuditedAnswer) -> Iterator[Contradiction]:
    """The prices of an answer that are not those of the price books under its terms."""
    held = case.reading.usd(case.view)
    for chip, shown in answers.prices(case.answer).items() if held is not None else ():
        for usd in sorted(shown):
            if chip not in (held or {}):
                yield contradiction(case, f"a price of {chip}, which has none under these terms", about=chip)
            elif not is_close(usd, (held or {})[chip]):
                what = apart(usd, (held or {})[chip], f"the price of {chip} in USD/h")
                yield contradiction(case, what, about=chip)


def between(cases: Iterable[AuditedAnswer]) -> Iterator[Contradiction]:
    """The deployments, workloads and loads of which two answers show an unlike best.

    An answer within limits of its own is about other points, so it is compared with none; nor are the older runs of a
    history.
    """
    best: dict[tuple[Any, ...], dict[str, tuple[float, str, AuditedAnswer]]] = defaultdict(dict)
    for one in cases:
        for id, metric, shown in one.figures if not one.view.slo else ():
            row = one.reading.by_id.get(id)
            earlier = isinstance(one.answer.result, History) and one.reading.aside.get(id) == OLDER
            if row is not None and metric in row and not earlier:
                own = best[metric, one.view.option("runs"), _same(row)]
                if one.name not in own or _is_better(metric, shown, own[one.name][0]):
                    own[one.name] = shown, id, one
    for (metric, *_), own in best.items():
        values = [shown for shown, *_ in own.values()]
        if not is_close(min(values), max(values)):
            said = joined([f"{number(shown)} in {name}" for name, (shown, *_) in own.items()], at_most=9)
            ids = dict.fromkeys(id for _, id, _ in own.values())
            _, _, first = next(iter(own.values()))
            yield contradiction(first, f"one deployment and load has {metric} {said}", *ids, about=f"between {metric}")


def _same(row: PlainRow) -> tuple[Any, ...]:
    return tuple(row[name] for name in SAME)


def _is_better(metric: str, one: float, other: float) -> bool:
    return one < other if catalogue.metric(metric).direction == "lower" else one > other
