"""How a plan is said: "40 chips = 5 x 8 H200 SXM", what it costs, and what keeps an instance from serving more."""

from __future__ import annotations

from bench import catalogue
from bench.chart import value_label
from bench.maths.capacity import Demand
from bench.questions.capacity.result import LARGEST, SLOWER, FleetPlan, InstanceLoad
from bench.questions.heatmap.cells import plan_fields
from bench.wording import counted, inline, number

LOADS = {"closed": "concurrency", "batch": "batch"}


def code(plan: FleetPlan) -> str:
    """A code that tells what hardware and engine a plan is on."""
    facts = plan.facts
    return f"{facts.model}|{facts.accelerator}|{facts.accelerators}|{facts.engine}"


def wins(plan: FleetPlan) -> str:
    """What a plan that comes first is: the cheapest, or the one with fewest chips where no price is known."""
    return "costs least" if plan.usd_per_month is not None else "takes the fewest chips"


def model_wins(plan: FleetPlan) -> str:
    """That a plan's model comes first of several: "Llama 3.1 70B costs least"."""
    return f"{value_label('model', plan.facts.model or '')} {wins(plan)}"


def hardware(plan: FleetPlan) -> str:
    """The chips of one instance: "8 x H200 SXM", "one H200 SXM"."""
    many, chip = plan.facts.accelerators or 1, value_label("accelerator", plan.facts.accelerator or "")
    return f"one {chip}" if many == 1 else f"{many} x {chip}"


def fleet(plan: FleetPlan) -> str:
    """All chips and how they make instances: "40 chips = 5 x 8 H200 SXM", of one chip alone "one H200 SXM"."""
    return of(plan, plan.fleet.instances)


def of(plan: FleetPlan, instances: int) -> str:
    """So many instances of a plan's deployment, as `fleet` says them."""
    each, chip = plan.facts.accelerators or 1, value_label("accelerator", plan.facts.accelerator or "")
    many = instances * each
    return f"one {chip}" if many == 1 else f"{counted(many, 'chip')} = {instances:,} x {each} {chip}"


def usd(plan: FleetPlan) -> str:
    """What a plan costs: "43,200 USD a month"; "" without a price."""
    return "" if plan.usd_per_month is None else f"{money(plan.usd_per_month)} USD a month"


def money(value: float) -> str:
    """An amount of USD as a bill of many has it: whole from 100 on."""
    return number(round(value)) if value >= 100 else number(value)


def demand(asked: Demand) -> str:
    """The demand in a sentence: "10 requests/s", "500 users", "100,000,000 output tokens a day"."""
    amount = number(asked.amount)
    if asked.unit == "requests":
        return requests(asked.amount)
    if asked.unit == "users":
        return f"{amount} {'user' if asked.amount == 1 else 'users'}"
    tokens = "token" if asked.amount == 1 else "tokens"
    return f"{amount} {'output ' if asked.unit == 'output_tokens' else ''}{tokens} a day"


def requests(rate: float) -> str:
    """So many requests a second: "1 request/s", "1.82 requests/s"."""
    return f"{number(rate)} {'request/s' if number(rate) == '1' else 'requests/s'}"


def at_load(plan: FleetPlan, load: float) -> str:
    """A load of an instance: "concurrency 53", "1.5 requests/s sent", "batch 8"."""
    kind = plan.facts.load_kind or ""
    if kind == "open":
        return f"{requests(load)} sent"
    return f"{LOADS[kind]} {number(load)}" if kind in LOADS else "full load"


def between(plan: FleetPlan) -> str:
    """The measured loads around the one that is served: "between 32 and 64 measured", "as measured"."""
    one = plan.instance
    return "as measured" if one.is_measured else f"between the measured {number(one.low)} and {number(one.high)}"


def stopped_by(instance: InstanceLoad) -> str:
    """What keeps an instance from serving more, in a table: "median TPOT", "no larger load was measured"."""
    if instance.stopped_by == LARGEST:
        return "no larger load was measured"
    if instance.stopped_by == SLOWER:
        return "more load serves less"
    return inline(catalogue.metric(instance.stopped_by))


def sweep_of(plan: FleetPlan) -> dict[str, str]:
    """What a sweep has to state to measure a plan's load, by the names of a plan's fields."""
    facts = plan.facts
    loads = {"closed": "concurrency", "open": "request_rate"}
    stated = {
        key: f"{value:g}" if isinstance(value, float) else str(value)
        for key, value in facts.row.items()
        if value is not None and key not in loads.values()
    }
    if load := loads.get(facts.load_kind or ""):
        stated[load] = f"{plan.instance.load:.6g}"
    return plan_fields(stated)
