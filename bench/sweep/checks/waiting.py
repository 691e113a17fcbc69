"""Waiting for an endpoint whose model still loads, up to a limit."""

from __future__ import annotations

import time
from collections.abc import Callable
from time import monotonic

from bench.sweep.checks.endpoint_probe import EndpointProbe, NotReached
from bench.sweep.pauses import USUAL
from bench.sweep.wire.bodies import RequestStyle, body
from bench.sweep.wire.exchange import Target
from bench.wording import number

ANSWERS_WITHIN_S = 5.0
LOADING = 500
"""From this status on a gateway or an engine is not ready: 503 of vLLM, 502 of a proxy whose engine does not listen."""


def await_model(
    target: Target, model: str, wait_s: float, tell: Callable[[str], object], every_s: float = USUAL.model_s
) -> None:
    """Wait until every base URL serves the model, or the limit has passed and the checks say what is wrong.

    `tell` hears how long it has waited before each look but the first, and may raise to end it. A look comes every
    `every_s`.
    """
    begun = monotonic()
    until = begun + wait_s
    while not all(serves(base, model, until) for base in target.bases):
        left = until - monotonic()
        if left <= 0:
            return
        tell(f"waiting for the model to load, {_time(monotonic() - begun)} of {_time(wait_s)}")
        time.sleep(min(every_s, left))


def serves(target: Target, model: str, until: float) -> bool:
    """Whether a look at a base URL gives no reason to wait: it lists the model, and answers a short request."""
    try:
        site = EndpointProbe(target, ANSWERS_WITHIN_S, until=until)
    except NotReached:
        return False
    try:
        reply = site.get("/v1/models")
        listed = None if reply.models is None else [row["id"] for row in reply.models]
        if reply.status >= LOADING or not (listed is None or not model or model in listed):
            return False
        short = body(RequestStyle(model, target.api, streaming=False), "a", 1)
        return _answers(site, target.path.removeprefix(target.root), short)
    except NotReached:
        return False
    finally:
        site.close()


def _answers(site: EndpointProbe, path: str, short: bytes) -> bool:
    """Whether a short request is not turned away; one that takes long is no reason to wait, engines compile on it."""
    try:
        return site.post(path, short).status < LOADING
    except NotReached:
        return True


def _time(seconds: float) -> str:
    return f"{number(seconds // 60)} min" if seconds >= 60 and not seconds % 60 else f"{seconds:.0f} s"
