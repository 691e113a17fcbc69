"""A run's story and a point's as plain values, for everyone without a browser."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import pandas as pd

from bench.runs.levels import Level, LevelCurve
from bench.runs.point import PointStory
from bench.runs.run import RunStory
from bench.sweep.session.jobs import point_document


def run_document(story: RunStory) -> dict[str, Any]:
    """The whole story of a run, its points with every metric included."""
    return {
        "id": story.id,
        "state": story.state,
        "reason": story.status.get("reason"),
        "title": story.title,
        "source": story.source,
        "headline": story.headline,
        "findings": list(story.findings),
        "caveats": list(story.caveats),
        "curves": [_curve(curve, story.latency.key) for curve in story.curves],
        "points": [point_document(line) for line in story.lines],
        "plan": dict(story.planned),
        "toml": story.toml,
        "environment": dict(story.environment),
        "preflight": [asdict(check) for check in story.checks],
        "sessions": _rows(story.sessions),
        "again": {
            "missing": [point.key for point in story.again.missing],
            "climbs": story.again.climbs,
            "failed": [line.number for line in story.again.failed],
            "plans": [plan.to_toml() for plan in story.again.plans],
        },
    }


def point_story_document(point: PointStory) -> dict[str, Any]:
    """The whole story of a point: its metrics, and what its requests tell."""
    window = point.window
    return {
        **point_document(point.line),
        "requests": point.requests,
        "window": None
        if window is None
        else {
            "start_s": window.start_ns / 1e9,
            "end_s": window.end_ns / 1e9,
            "steady": window.steady,
            "why_not_steady": window.why or None,
        },
        "latencies": {key: found.statistics for key, found in point.latencies.items()},
        "over_time": _rows(point.over_time),
        "engine": _rows(point.engine),
        "waterfall": {"said": point.waterfall.said, "requests": _rows(point.waterfall.rows)},
        "failures_told": [asdict(failure) for failure in point.failures],
    }


def _curve(curve: LevelCurve, latency: str) -> dict[str, Any]:
    return {
        "shape": curve.shape,
        "peak": _level(curve.peak, latency),
        "knee": _level(curve.knee, latency) if curve.knee else None,
        "levels": [_level(level, latency) for level in curve.levels],
    }


def _level(level: Level, latency: str) -> dict[str, Any]:
    return {
        "load": level.words,
        "output_tokens_per_s": level.throughput,
        latency: level.latency,
        "points": list(level.points),
    }


def _rows(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows as plain values; what is absent is None."""
    plain = frame.astype(object).where(frame.notna(), None)
    return [{str(key): value for key, value in row.items()} for row in plain.to_dict("records")]
