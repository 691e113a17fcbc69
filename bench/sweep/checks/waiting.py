"""Waiting for an endpoint whose model still loads, up to a limit."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from time import monotonic

from bench.sweep.checks.site import NotReached, Site
from bench.sweep.wire.exchange import Target
from bench.wording import number

EVERY_S = 1.0
ANSWERS_WITHIN_S = 5.0
LOADING = 503


def await_model(target: Target, model: str, wait_s: float, told: Callable[[str], object]) -> None:
    """Nothing; every base URL serves the model, or the limit has passed and the checks say what is wrong.

    `told` hears how long it has waited before each look but the first, and may raise to end it.
    """
    begun = monotonic()
    until = begun + wait_s
    while not all(serves(base, model, until) for base in target.bases):
        left = until - monotonic()
        if left <= 0:
            return
        told(f"waiting for the model to load, {_time(monotonic() - begun)} of {_time(wait_s)}")
        time.sleep(min(EVERY_S, left))


def serves(target: Target, model: str, until: float) -> bool:
    """Whether a look at a base URL gives no reason to wait: it answers, is not busy loading, and lists the model."""
    try:
        site = Site(target, ANSWERS_WITHIN_S, until=until)
    except NotReached:
        return False
    try:
        reply = site.get("/v1/models")
    except NotReached:
        return False
    finally:
        site.close()
    if reply.status == LOADING:
        return False
    document = reply.document if reply.status == 200 else None
    rows = document.get("data") if isinstance(document, Mapping) else None
    named = (
        [row["id"] for row in rows if isinstance(row, Mapping) and "id" in row]
        if isinstance(rows, list)
        else None
    )
    return named is None or not model or model in named


def _time(seconds: float) -> str:
    return f"{number(seconds // 60)} min" if seconds >= 60 and not seconds % 60 else f"{seconds:.0f} s"
