"""Sweeps as they are watched: all of a library in a table, and one in a sentence while it runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from bench.errors import InputError
from bench.sweep.folder import UNDER_WAY, Folder, listed
from bench.sweep.session.origin import origin_of
from bench.sweep.session.plan_summary import minutes
from bench.wording import counted, joined, quantity

SHOWN = 500
STATES = {
    "running": ("runs", "run"),
    "checking": ("checks its endpoint", "check their endpoints"),
    "starting": ("starts", "start"),
    "queued": ("waits", "wait"),
    "done": ("is done", "are done"),
    "stopped": ("was stopped at a cap", "were stopped at a cap"),
    "cancelled": ("was cancelled", "were cancelled"),
    "interrupted": ("was interrupted", "were interrupted"),
    "failed": ("failed", "failed"),
    "broken": ("cannot be read", "cannot be read"),
}
"""What one sweep, and what several, do or did, in the order in which they matter to whoever looks."""
COLUMNS = ("state", "title", "model", "endpoint", "points", "started", "minutes", "by", "id")


def is_under_way(status: Mapping[str, Any]) -> bool:
    """Whether the sweep has not ended, so that looking again is worth it."""
    return status.get("state") in UNDER_WAY


def table(library: Path) -> pd.DataFrame:
    """A row for each sweep of the library, the newest first; `minutes` is None before the first point."""
    return pd.DataFrame([_row(folder) for folder in listed(library)[:SHOWN]], columns=list(COLUMNS))


def headline(states: Sequence[str]) -> str:
    """How many sweeps do what, in one sentence."""
    if not states:
        return "Nothing has been measured in this library yet."
    many = Counter(states)
    parts = [f"{many[state]:,} {words[many[state] > 1]}" for state, words in STATES.items() if many[state]]
    return f"{counted(len(states), 'sweep')}: {joined(parts, at_most=len(STATES))}."


def sentence(status: Mapping[str, Any]) -> str:
    """Where one sweep is: its points, the load under way, the time left; or how it ended and why."""
    state = str(status.get("state"))
    title = status.get("title") or f"Sweep {status.get('id')}"
    where = f" at {status['endpoint']}" if status.get("endpoint") else ""
    points = _points(status)
    if state not in UNDER_WAY:
        whole = state == "done" and status.get("points_done") == status.get("points_possible")
        reason = f": {status['reason']}" if status.get("reason") and not whole and state != "cancelled" else ""
        told = f"{title}{where} {STATES.get(state, (state,))[0]} with {points}{reason}".rstrip(".")
        return told if told.endswith(("?", "!")) else f"{told}."
    current = status.get("current") or {}
    level = f", {current['level']} under way" if current.get("level") else ""
    left = status.get("seconds_left")
    long = f", about {minutes(left / 60)} left" if left else ""
    if state == "running":
        return f"{title}{where}: {points}{level}{long}."
    reason = str(status.get("reason") or "")
    if reason.startswith("It waits "):
        return f"{title}{where} {reason.removeprefix('It ')}"
    return f"{title}{where} {STATES[state][0]}{': ' + reason if reason else '.'}"


def share_done(status: Mapping[str, Any]) -> float:
    """How much of the sweep is done, from 0 to 1, by its points."""
    done, possible = status.get("points_done") or 0, status.get("points_possible") or 0
    done += status.get("points_failed") or 0
    return min(1.0, done / possible) if possible else 0.0


def announced(status: Mapping[str, Any]) -> str:
    """How far the sweep is, for whoever hears the page: which of its points and the tens of percent; or how it ended.

    It changes with a point or ten percent, not with every look.
    """
    possible = status.get("points_possible") or 0
    if status.get("state") != "running":
        return sentence(status)
    if not possible:
        return f"{counted(status.get('points_done') or 0, 'point')} measured so far."
    share = share_done(status)
    begun = min(round(share * possible) + 1, possible)
    return f"Point {begun:,} of {possible:,}, {int(share * 10 + 0.001) * 10} % done."


def live(status: Mapping[str, Any]) -> list[tuple[str, str | None, list[float]]]:
    """The load under way: a label, the figure of the moment in words, and its course over the last minutes."""
    current, recent = status.get("current") or {}, status.get("recent") or {}
    rows = []
    for label, key, metric in (
        ("Output tokens/s", "output_tokens_per_s", "output_tokens_per_s"),
        ("TTFT p50", "ttft_ms_p50", "ttft_ms_p50"),
        ("TPOT p50", "tpot_ms_p50", "tpot_ms_p50"),
    ):
        value = current.get(key)
        words = None if value is None else quantity(float(value), metric)
        rows.append((label, words, _course(recent.get(key))))
    failed = current.get("requests_failed")
    rows.append(("Failed requests", None if failed is None else f"{failed:,}", _course(recent.get("requests_failed"))))
    return rows


def _course(values: Any) -> list[float]:
    return [float(value) for value in values or () if isinstance(value, int | float)]


def _points(status: Mapping[str, Any]) -> str:
    done, possible = status.get("points_done") or 0, status.get("points_possible")
    failed = f", {status['points_failed']:,} failed" if status.get("points_failed") else ""
    return (f"{done:,} of {counted(possible, 'point')}" if possible else counted(done, "point")) + failed


def _row(folder: Folder) -> dict[str, Any]:
    status, origin = folder.status, origin_of(folder)
    try:
        model: str | None = folder.plan.endpoint.model
    except InputError:
        model = None
    return {
        "state": status.get("state"),
        "title": status.get("title"),
        "model": model,
        "endpoint": status.get("endpoint"),
        "points": _points(status),
        "started": str(status.get("started") or "")[:16].replace("T", " ") or None,
        "minutes": round(status["seconds"] / 60, 1) if status.get("seconds") else None,
        "by": origin.by if origin else None,
        "id": folder.id,
    }
