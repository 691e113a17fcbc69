"""One model: of models side by side no answer pools the points, so that no chip of one is ranked against another's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from bench.library import Library
from bench.questions.cost.result import Cost
from bench.questions.heatmap.result import Heatmap
from bench.questions.pareto.result import Pareto
from bench.questions.scaling.result import Scaling
from bench.wording import counted
from tests.questions.audited import answers, superlatives
from tests.questions.audited.answers import AuditedAnswer, Contradiction, contradiction

ModelsOfGroup = dict[Any, set[str | None]]


def findings(library: Library) -> Iterator[Contradiction]:
    """The groups of answers about several models that hold points of more than one."""
    yield from answers.contradictions(library, of_answer)


def of_answer(case: AuditedAnswer) -> Iterator[Contradiction]:
    """The groups of an answer that hold points of several models, where the reader chose those."""
    groups = KINDS.get(type(case.answer.result))
    if groups is None or len(case.view.values("model")) < 2:
        return
    found = groups(case)
    for name, models in found.items():
        if len(models) > 1:
            what = f"{name or 'one group'} pools {counted(len(models), 'model')}"
            yield contradiction(case, what, about=str(name))


def of_pareto(case: AuditedAnswer) -> ModelsOfGroup:
    """The models of each frontier."""
    return _models((row[case.answer.result.group or "evidence"], row) for *_, row in superlatives.on_axes(case))


def of_heatmap(case: AuditedAnswer) -> ModelsOfGroup:
    """The models of each panel; a ratio divides within a cell, or is of two models itself."""
    ratio = case.answer.result.ratio
    if ratio is not None and ratio.by == "model":
        return {}
    return _models((panel, row) for (panel, *_), rows in superlatives.cells(case).items() for row in rows)


def of_cost(case: AuditedAnswer) -> ModelsOfGroup:
    """The models of each group of deployments."""
    group = case.answer.result.asked.group
    by = "evidence" if group == "deployment" else group
    return _models(
        (case.reading.by_id[one.facts.point_id][by], vars_of(one.facts)) for one in case.answer.result.deployments
    )


def of_scaling(case: AuditedAnswer) -> ModelsOfGroup:
    """The models of each line."""
    facts = ((line.label, one) for line in case.answer.result.lines for place in line.places for one in place.facts)
    return _models((label, vars_of(one)) for label, one in facts)


def vars_of(facts: Any) -> dict[str, Any]:
    """The facts of a point as a row."""
    return dict(facts.row)


def _models(rows: Any) -> ModelsOfGroup:
    found: ModelsOfGroup = defaultdict(set)
    for name, row in rows:
        found[name].add(row["model"])
    return found


KINDS: dict[type, Callable[[AuditedAnswer], ModelsOfGroup]] = {
    Pareto: of_pareto,
    Heatmap: of_heatmap,
    Cost: of_cost,
    Scaling: of_scaling,
}
"""What stands for one thing in each kind of answer."""
