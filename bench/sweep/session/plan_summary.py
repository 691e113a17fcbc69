"""What a plan is going to do, in words and numbers, before anything is sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.sweep.checks.budget import Budget
from bench.sweep.planning.plan import Plan
from bench.sweep.planning.shapes import Length
from bench.sweep.session.queue import measured_at
from bench.wording import counted, joined, number

FEW = 4
"""So many values are named one by one; of more, the first and the last."""
LONG_MINUTES = 90


@dataclass(frozen=True)
class BudgetFigure:
    """One figure of the budget: its label, its value in words (None while that is open), and what it means."""

    label: str
    value: str | None
    help: str


def sentence(plan: Plan, budget: Budget) -> str:
    """What is going to be measured where, in one sentence: points, lengths, loads, and how long it takes at least."""
    where = measured_at(plan.endpoint)
    most = "At most " if budget.may_end_early else ""
    long = f", in {minutes(budget.minutes)} at least" if budget.minutes is not None else ""
    about = joined([part for part in (_lengths(plan), _loads(plan)) if part], "at", 2)
    return f"{most}{counted(budget.points, 'point')} of {plan.endpoint.model} at {where}: {about}{long}."


def figures(budget: Budget) -> tuple[BudgetFigure, ...]:
    """The budget's figures, as a reader looks them over before the start."""
    exact = "At most this many: no request is faster than one sent alone." if budget.minutes else ""
    cost = "no price" if budget.minutes is not None else None  # once the time is known, only a price can be missing
    if budget.usd is not None:
        cost = f"{number(budget.usd)} USD"
    early = " It may end before." if budget.may_end_early else ""
    return (
        BudgetFigure("Points", number(budget.points), f"Pairs of a workload and a load, with their repeats.{early}"),
        BudgetFigure("Requests", _whole(budget.requests), exact),
        BudgetFigure("Input tokens", _whole(budget.input_tokens), "What the endpoint is sent, as it counts them."),
        BudgetFigure("Output tokens", _whole(budget.output_tokens), "What the endpoint is asked to write."),
        BudgetFigure(
            "Time",
            minutes(budget.minutes) if budget.minutes is not None else None,
            "The least it takes, without checks, drains and waiting for its turn.",
        ),
        BudgetFigure("Cost", cost, "What the accelerators cost in that time, if their number and price are stated."),
    )


def minutes(least: float) -> str:
    """A time in minutes as people say it: "50 s", "35 min", "2.5 h"."""
    if least < 1.5:
        return f"{max(1, round(least * 60))} s"
    return f"{round(least)} min" if least < LONG_MINUTES else f"{least / 60:.3g} h"


def _lengths(plan: Plan) -> str:
    parts = []
    for workload in plan.workloads:
        if workload.trace or workload.prompts:
            parts.append("a trace" if workload.trace else "a file of prompts")
            continue
        parts.append(f"ISL {_span(workload.isl or ())} with OSL {_span(workload.osl or ())}")
    return joined(list(dict.fromkeys(parts)))


def _loads(plan: Plan) -> str:
    loads = []
    if plan.loads.concurrency:
        loads.append(f"concurrency {_span(plan.loads.concurrency)}")
    if plan.loads.request_rate:
        loads.append(f"{_span(plan.loads.request_rate)} requests/s")
    return joined(loads)


def _span(values: Sequence[Length | float]) -> str:
    words = [str(value) if isinstance(value, Length) else f"{value:g}" for value in values]
    many = f"{words[0]} to {words[-1]} ({len(words)} values)"
    return joined(words, at_most=FEW) if len(words) <= FEW else many


def _whole(value: int | None) -> str | None:
    return None if value is None else f"{value:,}"
