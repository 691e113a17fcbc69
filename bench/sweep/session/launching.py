"""Sweeps that somebody starts, ends or goes on with: who may, what may be measured, how often, and who did it.

Pages and the HTTP API come through here. Whoever is at the shell may name any host; everybody else the endpoints of
endpoints.toml, those to practise on and, in local mode, this machine's own. What a restart of the machine or the
container cut off goes on by itself, where that is asked for.
"""

from __future__ import annotations

import datetime
import os
import secrets
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from bench import access
from bench.access import Visitor
from bench.errors import BenchError, UsageError
from bench.library import ledger
from bench.library.store import Root
from bench.sweep.checks.endpoint_checks import Preflight
from bench.sweep.folder import Folder, listed
from bench.sweep.planning.endpoint_address import demand_own_machine
from bench.sweep.planning.endpoints import VOUCHED, Endpoints, narrowed
from bench.sweep.planning.plan import Plan
from bench.sweep.session import jobs, origin, setup
from bench.sweep.session.demo_endpoints import is_practice, revive
from bench.sweep.session.origin import SweepOrigin
from bench.sweep.session.priority import at_the_front
from bench.sweep.session.queue import QUEUED, measured_at
from bench.wording import counted, joined

MOST_STARTS, WITHIN_S = 10, 60
"""Starts within so many seconds: more are a script or an accident, and each is a process of its own."""
MOST_WAITING = 32
STAMP = "%Y%m%d-%H%M%S"
ASKED_BY = "KNEEPOINT_RESUME"
MOST_SESSIONS = 20
"""A sweep that was cut off so often is likely what ends the machine; then a person has to look."""


class TooMany(UsageError):
    """Too many sweeps were started lately, or wait: the same wish may be met later."""


def launch(library: Path, plan: Plan, visitor: Visitor, *, own_port: int | None = None) -> Folder:
    """The folder of a sweep that was started and goes on by itself; `own_port` is the app's.

    A plan without a seed gets one, so that the endpoint has not seen its prompts.

    Raises:
        AccessDenied: this visitor may not.
        UsageError: the endpoint may not be measured from where the visitor is, or too many sweeps were started.
        BenchError: it did not start.
    """
    demand_endpoint(library, plan, visitor, own_port)
    plan = _within_caps(library, plan)
    _demand_room(library)
    folder = Folder.create(library, plan.settled(seed=secrets.randbelow(2**32)))
    origin.keep(folder, SweepOrigin.now(ledger.who(visitor), from_page=not visitor.shell))
    tell(library, visitor, "launch", folder)
    at_the_front(lambda: jobs.start(folder))
    return folder


def check(library: Path, plan: Plan, visitor: Visitor, *, own_port: int | None = None) -> Preflight:
    """What the preflight finds for this plan, a problem included; raises as `launch`."""
    demand_endpoint(library, plan, visitor, own_port)
    return setup.looked_at(plan, from_page=not visitor.shell)


def models(library: Path, plan: Plan, visitor: Visitor, *, own_port: int | None = None) -> Preflight:
    """Which models the plan's endpoint lists; raises as `launch`."""
    demand_endpoint(library, plan, visitor, own_port)
    return setup.listed(plan, from_page=not visitor.shell)


def cancel(library: Path, sweep: str, visitor: Visitor) -> Mapping[str, Any]:
    """The status of a sweep that was told to end, once it has; raises as `launch`, and NotFound."""
    access.demand("launch", visitor)
    folder = Folder.of(library, sweep)
    told = jobs.cancel(folder)
    tell(library, visitor, "cancel", folder)
    return told


def resume(library: Path, sweep: str, visitor: Visitor, *, own_port: int | None = None) -> Folder:
    """The folder of a sweep that goes on with what is missing; raises as `launch`, and NotFound.

    An endpoint to practise on that has ended meanwhile is started again.
    """
    access.demand("launch", visitor)
    folder = Folder.of(library, sweep)
    plan = folder.plan
    if plan.endpoint.url is not None:
        revive(library, plan.endpoint.url)
    demand_endpoint(library, plan, visitor, own_port)
    _demand_room(library)
    if not visitor.shell:
        origin.hold_to_page(folder)
    at_the_front(lambda: jobs.start(folder))
    tell(library, visitor, "resume", folder)
    return folder


def tell(library: Path, visitor: Visitor, what: str, folder: Folder) -> None:
    """Say in the audit that this visitor launched, cancelled or resumed this sweep."""
    _record(library, ledger.who(visitor), what, folder)


def _record(library: Path, who: str, what: str, folder: Folder) -> None:
    where = measured_at(folder.plan.endpoint)
    ledger.audit(Root(library, writable=True), who, what, sweep=folder.id, endpoint=where)


def demand_endpoint(library: Path, plan: Plan, visitor: Visitor, own_port: int | None) -> None:
    """Raise AccessDenied or UsageError when this visitor may not have this endpoint measured."""
    access.demand("launch", visitor)
    endpoint = plan.endpoint
    if visitor.shell or endpoint.url is None or Endpoints(library).vouches_for(endpoint):
        return
    for url in endpoint.bases:
        if not is_practice(library, url):
            if access.mode() != "local":
                raise UsageError(
                    "From a page only endpoints of endpoints.toml can be measured here: pick one, or state yours there."
                )
            demand_own_machine(url, own_port)
    beside = [key for key in VOUCHED if getattr(endpoint, key) is not None]
    if beside:
        raise UsageError(
            f"A URL in a page goes without {joined(beside)}: state the endpoint with it in endpoints.toml, and pick "
            "its name."
        )


def _within_caps(library: Path, plan: Plan) -> Plan:
    """The plan within what its endpoint's caps are now: one that is run again may be from before they were narrowed."""
    known = Endpoints(library)
    if plan.endpoint.name is None or not known.vouches_for(plan.endpoint):
        return plan
    caps = narrowed(plan.caps.model_dump(), known.endpoint(plan.endpoint.name).caps)
    return Plan.from_mapping({**plan.document(), "caps": caps})


def _demand_room(library: Path) -> None:
    """Raise TooMany when too many were started lately, or wait."""
    now = datetime.datetime.now(datetime.UTC)
    since = now - datetime.timedelta(seconds=WITHIN_S)
    sweeps = listed(library)
    stamps = (folder.id[: len("20260101-000000")] for folder in sweeps)
    lately = sum(f"{since:{STAMP}}" <= stamp <= f"{now:{STAMP}}" for stamp in stamps)  # a clock may have run ahead
    if lately >= MOST_STARTS:
        raise TooMany(f"{counted(lately, 'sweep')} were started within a minute; wait a little before the next.")
    waiting = sum(folder.held() and folder.status["state"] == QUEUED for folder in sweeps)
    if waiting >= MOST_WAITING:
        raise TooMany(f"{counted(waiting, 'sweep')} wait for their turn already; cancel some, or wait.")


def is_asked() -> bool:
    """Whether this server is to go on with what was cut off, by $KNEEPOINT_RESUME."""
    return os.environ.get(ASKED_BY, "").strip().lower() in ("1", "true", "yes")


def resume_interrupted(library: Path) -> tuple[str, ...]:
    """The ids of the sweeps that were interrupted and go on now; each waits for its turn.

    An endpoint to practise on, which the restart has ended as well, is started again.
    One that was cancelled, failed or is done is left alone, as is one that cannot be started.
    """
    resumed = []
    for folder in reversed(listed(library)):
        try:
            if folder.status["state"] != "interrupted" or len(folder.read.sessions) >= MOST_SESSIONS:
                continue
            endpoint = folder.plan.endpoint
            if endpoint.url is not None:
                revive(library, endpoint.url)
            at_the_front(partial(jobs.start, folder))
            _record(library, "restart", "resume", folder)
        except BenchError:
            continue
        resumed.append(folder.id)
    return tuple(resumed)
