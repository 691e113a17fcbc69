"""Sweeps that somebody starts, ends or goes on with: who may, what may be measured, how often, and who did it.

Pages and the HTTP API come through here. Whoever is at the shell may name any host; everybody else the endpoints of
endpoints.toml, those to practise on and, in local mode, this machine's own.
"""

from __future__ import annotations

import datetime
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench import access
from bench.access import Visitor
from bench.errors import UsageError
from bench.library import ledger
from bench.library.store import Root
from bench.sweep.checks.endpoint_checks import Preflight
from bench.sweep.folder import Folder, listed
from bench.sweep.planning.endpoint_address import demand_own_machine
from bench.sweep.planning.endpoints import Endpoints, narrowed
from bench.sweep.planning.plan import Plan
from bench.sweep.session import jobs, origin, setup
from bench.sweep.session.demo_endpoints import is_practice, revive
from bench.sweep.session.origin import SweepOrigin
from bench.sweep.session.priority import at_the_front
from bench.sweep.session.queue import QUEUED, measured_at
from bench.wording import counted

MOST_STARTS, WITHIN_S = 10, 60
"""Starts within so many seconds: more are a script or an accident, and each is a process of its own."""
MOST_WAITING = 32
STAMP = "%Y%m%d-%H%M%S"


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
    access.demand("launch", visitor)
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
    access.demand("launch", visitor)
    demand_endpoint(library, plan, visitor, own_port)
    return setup.looked_at(plan, from_page=not visitor.shell)


def models(library: Path, plan: Plan, visitor: Visitor, *, own_port: int | None = None) -> Preflight:
    """Which models the plan's endpoint lists; raises as `launch`."""
    access.demand("launch", visitor)
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
    endpoint = folder.plan.endpoint
    where = measured_at(endpoint)
    ledger.audit(Root(library, writable=True), ledger.who(visitor), what, sweep=folder.id, endpoint=where)


def demand_endpoint(library: Path, plan: Plan, visitor: Visitor, own_port: int | None) -> None:
    """Raise UsageError when this visitor may not have this endpoint measured."""
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
    if endpoint.key_env is not None or endpoint.ca_file is not None or endpoint.header_env is not None:
        raise UsageError(
            "A URL in a page goes without a key: state the endpoint in endpoints.toml with key_env, and pick its name."
        )
    if endpoint.tokenizer is not None:
        raise UsageError(
            "A URL in a page goes without a file: state the endpoint with its tokenizer in endpoints.toml, and pick "
            "its name."
        )
    if endpoint.headers is not None or endpoint.query is not None or endpoint.path is not None:
        raise UsageError(
            "A URL in a page goes without headers, query and path: state the endpoint with them in endpoints.toml, and "
            "pick its name."
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
