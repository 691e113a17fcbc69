"""What a session settles before its first point: whom to ask and how, what serves, and that the plan fits its caps."""

from __future__ import annotations

import math
import os
import ssl
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, fields, replace
from pathlib import Path
from time import monotonic
from typing import Any

import bench
from bench import names
from bench.errors import BenchError, InputError, UsageError
from bench.formats.journal import Session
from bench.records import Deployment
from bench.sweep.checks import budget as budgets
from bench.sweep.checks import machine
from bench.sweep.checks.counting import TokenizerFile
from bench.sweep.checks.endpoint_checks import EndpointCheck, Preflight, glance
from bench.sweep.checks.engines import ServingEngine
from bench.sweep.checks.preflight import preflight
from bench.sweep.checks.waiting import await_model
from bench.sweep.generator.prompt_files import read_prompts
from bench.sweep.generator.prompts import lengths_to_calibrate
from bench.sweep.pauses import USUAL, Pauses
from bench.sweep.planning import searches
from bench.sweep.planning.endpoints import Endpoints, NamedEndpoint
from bench.sweep.planning.facts import PRICE
from bench.sweep.planning.plan import Plan
from bench.sweep.planning.plan_parts import Endpoint
from bench.sweep.wire.bodies import RequestStyle
from bench.sweep.wire.exchange import Target

AT_A_TIME = 16
"""Endpoints that are looked at together."""

LISTED_WITHIN_S = 10.0
"""A list of models is there at once, or the reader types the name."""

AT_ONCE = 512
"""Requests under way at once that one process has been measured to keep time with."""


def target_of(endpoint: Endpoint | NamedEndpoint, *, from_page: bool = False) -> Target:
    """Whom to ask, as it is stated; `from_page` holds the endpoint's host to what a page may ask.

    UsageError when the endpoint has no URL, or a key or a certificate authority is not where it is said to be.
    """
    if not endpoint.bases:
        raise UsageError("The endpoint is known by its name only: state endpoint.url.")
    headers = _headers(endpoint)
    first, *others = targets = [
        Target.at(
            url,
            api=endpoint.api,
            streaming=endpoint.streaming,
            headers=headers,
            ca_file=endpoint.ca_file,
            path=endpoint.path,
            query=endpoint.query,
        )
        for url in endpoint.bases
    ]
    try:
        for target in targets:
            target.context()
    except OSError as problem:
        why = "it is no PEM certificate" if isinstance(problem, ssl.SSLError) else str(problem.strerror or problem)
        raise UsageError(f"endpoint.ca_file {endpoint.ca_file} cannot be read: {why}.") from None
    return replace(first, others=tuple(others)).changed(from_page=from_page)


def glanced(endpoint: NamedEndpoint, *, from_page: bool = False) -> Preflight:
    """What a look at an endpoint finds without load: is it there, its engine, its models; raises as `target_of`."""
    target = target_of(endpoint, from_page=from_page)
    return glance(target, RequestStyle(endpoint.model or "", endpoint.api), key_env=endpoint.key_env)


def listed(plan: Plan, *, from_page: bool = False) -> Preflight:
    """Which models the plan's endpoint lists, asked with one GET; raises as `target_of`."""
    target = target_of(plan.endpoint, from_page=from_page)
    style, until = RequestStyle("", target.api), monotonic() + LISTED_WITHIN_S
    return glance(target, style, key_env=plan.endpoint.key_env, until=until, models_only=True)


def seen(endpoints: Endpoints, *, from_page: bool = False) -> list[dict[str, Any]]:
    """What each endpoint of a library says now, all asked at once: a row with its engine, its models and its checks."""
    named = endpoints.named
    with ThreadPoolExecutor(AT_A_TIME) as pool:
        rows = pool.map(lambda endpoint: _seen(endpoint, from_page), named.values())
        return [{"name": name, **row} for name, row in zip(named, rows, strict=True)]


def _seen(endpoint: NamedEndpoint, from_page: bool) -> dict[str, Any]:
    own = {"base_url": endpoint.base_url}
    try:
        checked = glanced(endpoint, from_page=from_page)
    except BenchError as problem:
        return {**own, "reachable": None, "engine": None, "version": None, "serves": [], "problem": str(problem)}
    return {
        **own,
        "reachable": next((one.passed for one in checked.checks if one.name == "reachable"), None),
        "engine": checked.engine.name,
        "version": checked.engine.version,
        "context_tokens": checked.engine.context_tokens,
        "simulates": checked.engine.simulates,
        "proxy": checked.proxy,
        "serves": list(checked.serves),
        "checks": [asdict(one) for one in checked.checks],
        "problem": checked.problem,
    }


def _headers(endpoint: Endpoint | NamedEndpoint) -> dict[str, str]:
    """The headers of every request, those that carry keys among them."""
    found = dict(endpoint.headers or {})
    if endpoint.key_env is not None:
        found["Authorization"] = f"Bearer {_value(endpoint.key_env)}"
    return found | {name: _value(variable) for name, variable in (endpoint.header_env or {}).items()}


def _value(variable: str) -> str:
    value = os.environ.get(variable)
    if not value:
        raise UsageError(f"The environment variable {variable} is not set, so there is no key.")
    return value


def looked_at(
    plan: Plan,
    *,
    from_page: bool = False,
    minutes: float | None = None,
    waiting: Callable[[str], object] | None = None,
    pauses: Pauses = USUAL,
) -> Preflight:
    """What the preflight found, a problem included; `from_page` as in `target_of`.

    All of it is over within so many minutes, those of the plan's cap where none are stated. Where `waiting` hears of
    it, a model may load for as long as the plan says first.

    InputError when a file of prompts or of a trace cannot be used; UsageError when the plan goes beyond its caps
    whatever the endpoint, or cannot be asked.
    """
    budgets.demand_within_caps(plan, budgets.budget(plan))
    shapes = {point.shape for point in searches.possible(plan)}
    # What is wrong with a file is told before anything is asked; a trace was read for the budget.
    for file, osl_needed in {(shape.prompts, shape.osl is None) for shape in shapes if shape.prompts}:
        read_prompts(Path(file), osl_needed=osl_needed)
    endpoint, held = plan.endpoint, plan.point.hold_osl
    tokenizer = TokenizerFile(Path(endpoint.tokenizer)) if endpoint.tokenizer else None
    manner = RequestStyle(
        endpoint.model, endpoint.api, endpoint.streaming, ignore_eos=held, min_tokens=held, vendor=plan.vendor
    )
    target = target_of(endpoint, from_page=from_page)
    until = monotonic() + 60 * (plan.caps.minutes if minutes is None else minutes)
    if waiting is not None and endpoint.wait_s:
        await_model(target, endpoint.model, min(endpoint.wait_s, until - monotonic()), waiting, pauses.model_s)
    checked = preflight(
        target,
        manner,
        isls=lengths_to_calibrate(plan.shapes if plan.context_tokens is None else shapes),
        further=lengths_to_calibrate(shapes),
        osls=[shape.osl.least for shape in shapes if shape.osl],
        longest=max((shape.longest or 0 for shape in plan.shapes), default=0) or None,
        key_env=endpoint.key_env,
        tokenizer=tokenizer,
        until=until,
        pauses=pauses,
    )
    if (short := budgets.too_short(plan, timed(checked))) is not None:
        checked.checks.append(EndpointCheck("duration", None, short))
    return checked


def settled(plan: Plan, checked: Preflight, done: Sequence[str]) -> Plan:
    """The plan with the model's limit as the endpoint tells it; `done` are the keys of the points measured before.

    InputError when the endpoint cannot be measured as planned; UsageError when the plan goes beyond the model's limit
    or, as the endpoint's speed is known now, its own caps.
    """
    if checked.problem is not None:
        raise InputError(checked.problem)
    whole = plan.settled(context_tokens=checked.engine.context_tokens)
    budgets.demand_within_caps(whole, budgets.budget(whole, timed(checked), done))
    return whole


def workers(plan: Plan) -> int:
    """How many load processes the plan needs: as stated, else one for each so many requests under way at once."""
    if plan.workers is not None:
        return plan.workers
    if plan.point.steady_within is not None:
        return 1  # whether a point may end is judged over all its requests, in one place
    highest = max((load.concurrency or 1 for shape in plan.shapes for load in plan.levels(shape)), default=1)
    return max(1, min(os.cpu_count() or 1, math.ceil(highest / AT_ONCE)))


def deployment(plan: Plan, engine: ServingEngine) -> Deployment:
    """What serves: as the facts state it, and where they do not, as the endpoint tells it."""
    own = {row.name for row in fields(Deployment)}
    stated = {key: value for key, value in plan.facts.items() if key in own}
    served = plan.endpoint.model
    facts = {
        "model": names.model_slug(served) or None,
        "checkpoint": served if "/" in served else None,
        "engine": engine.name,
    }
    if stated.get("engine", engine.name) == engine.name:
        facts["engine_version"] = engine.version
    return Deployment(**{**facts, **stated})  # type: ignore[arg-type]


def session(plan: Plan, checked: Preflight, sweep: str, started: str) -> Session:
    """The session's line in the journal."""
    note, price = plan.facts.get("note"), plan.facts.get(PRICE)
    return Session(
        sweep=sweep,
        started=started,
        deployment=deployment(plan, checked.engine),
        tool_version=bench.__version__,
        evidence="simulated" if checked.engine.simulates else "measured",
        simulates=checked.engine.simulates,
        proxy=checked.proxy,
        base_urls=len(checked.target.bases),
        title=plan.title,
        profile=plan.based_on,
        api=plan.endpoint.api,
        streaming=checked.manner.streaming,
        seed=plan.seed,
        max_model_len=plan.context_tokens,
        note=str(note) if note is not None else None,
        usd_per_accelerator_hour=float(price) if price is not None else None,
        machine=machine.described(),
    )


def timed(checked: Preflight) -> budgets.TimedRequest | None:
    """The one request that the preflight has timed; None when there was none."""
    if checked.e2el_ms is None or not checked.timed_osl:
        return None
    first = checked.ttft_ms or 0.0
    return budgets.TimedRequest(first / 1000, max(checked.e2el_ms - first, 0.0) / 1000 / max(checked.timed_osl - 1, 1))
