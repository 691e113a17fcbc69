"""One model: of models side by side no answer pools the points, so that no chip of one is ranked against another's."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from bench.audit import answers
from bench.audit.answers import Told, contradiction
from bench.audit.checks import superlatives
from bench.audit.finding import Finding
from bench.library import Library
from bench.questions.cost.result import Cost
from bench.questions.heatmap.result import Heatmap
from bench.questions.pareto.result import Pareto
from bench.questions.scaling.result import Scaling
from bench.wording import counted

TITLE = "One model"
RULE = "what is ranked against another is of one model, or the models are what is compared"

Groups = dict[Any, set[str | None]]


def findings(library: Library) -> Iterator[Finding]:
    """The groups of answers about several models that hold points of more than one."""
    yield from answers.contradictions(library, of_answer)


def of_answer(told: Told) -> Iterator[Finding]:
    """The groups of an answer that hold points of several models, where the reader chose those."""
    groups = KINDS.get(type(told.answer.result))
    if groups is None or len(told.view.values("model")) < 2:
        return
    found = groups(told)
    for name, models in found.items():
        if len(models) > 1:
            what = f"{name or 'one group'} pools {counted(len(models), 'model')}"
            yield contradiction(told, what, about=str(name), models=len(models))


def of_pareto(told: Told) -> Groups:
    """The models of each frontier."""
    return _models(
        (row[told.answer.result.group or "evidence"], row) for *_, row in superlatives.on_axes(told)
    )


def of_heatmap(told: Told) -> Groups:
    """The models of each panel; a ratio divides within a cell, or is of two models itself."""
    ratio = told.answer.result.ratio
    if ratio is not None and ratio.by == "model":
        return {}
    return _models((panel, row) for (panel, *_), rows in superlatives.cells(told).items() for row in rows)


def of_cost(told: Told) -> Groups:
    """The models of each group of deployments."""
    group = told.answer.result.asked.group
    by = "evidence" if group == "deployment" else group
    return _models(
        (told.reading.by_id[one.facts.point_id][by], vars_of(one.facts))
        for one in told.answer.result.deployments
    )


def of_scaling(told: Told) -> Groups:
    """The models of each line."""
    facts = (
        (line.label, one) for line in told.answer.result.lines for place in line.places for one in place.facts
    )
    return _models((label, vars_of(one)) for label, one in facts)


def vars_of(facts: Any) -> dict[str, Any]:
    """The facts of a point as a row."""
    return dict(facts.row)


def _models(rows: Any) -> Groups:
    found: Groups = defaultdict(set)
    for name, row in rows:
        found[name].add(row["model"])
    return found


KINDS: dict[type, Callable[[Told], Groups]] = {
    Pareto: of_pareto, Heatmap: of_heatmap, Cost: of_cost, Scaling: of_scaling,
}  # fmt: skip
"""What stands for one thing in each kind of answer."""
