"""What a sweep says of itself: its place in the queue, where it is, and how it went in the last minutes."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from time import monotonic
from typing import Any

from bench.formats.journal import PointLine
from bench.sweep.folder import Folder, now
from bench.sweep.generator.live import Pace, RequestTally
from bench.sweep.planning import searches
from bench.sweep.planning.plan import Plan
from bench.sweep.planning.shapes import PlannedPoint
from bench.sweep.session import setup
from bench.sweep.session.queue import QueuedSweep, measured_at

StatusListener = Callable[[Mapping[str, Any]], object]

RECENT_EVERY_S, RECENT = 1.0, 180
"""How the load went is kept once a second for three minutes: enough for a small chart, little to be rewritten."""
DIGITS = 4


class StatusWriter:
    """Writes a sweep's status, and tells whoever watches."""

    def __init__(self, folder: Folder, plan: Plan, watch: StatusListener | None) -> None:
        self.folder, self.watch = folder, watch
        self.queued, self.started, self.began = now(), now(), monotonic()
        self.standing = QueuedSweep(folder.id, measured_at(plan.endpoint), setup.workers(plan), self.queued)
        self.pace = Pace()
        self.recent: deque[tuple[Any, ...]] = deque(maxlen=RECENT)

    def begin(self) -> None:
        """Begin the sweep's turn, from which its time runs."""
        self.started, self.began = now(), monotonic()

    def begin_point(self) -> None:
        """Count what follows for another point."""
        self.pace = Pace()

    def current(self, point: PlannedPoint, tally: RequestTally) -> dict[str, Any]:
        """The point under way and how it goes."""
        current = {
            "key": point.key,
            "level": point.words,
            "requests_ok": tally.ok,
            "requests_failed": tally.failed,
            "output_tokens_per_s": self.pace.look(tally.tokens),
            "ttft_ms_p50": tally.ttft_ms_p50,
            "tpot_ms_p50": tally.tpot_ms_p50,
        }
        at = monotonic() - self.began
        if not self.recent or at - self.recent[-1][0] >= RECENT_EVERY_S:
            self.recent.append((at, *(current[name] for name in RECENT_FIELDS)))
        return current

    def tell(self, state: str, plan: Plan, lines: Sequence[PointLine], checks: Sequence[Any], **more: Any) -> None:
        """Say in the status where the sweep is."""
        possible, tried = len(searches.possible(plan)), len(lines)
        done = sum(line.measured for line in lines)
        spent = sum(line.seconds or 0.0 for line in lines)
        status = {
            "id": self.folder.id,
            "state": state,
            "title": plan.title,
            "pid": os.getpid(),
            "endpoint": self.standing.endpoint,
            "workers": self.standing.workers,
            "queued": self.queued,
            "started": self.started,
            "updated": now(),
            "points_done": done,
            "points_failed": tried - done,
            "points_possible": possible,
            "seconds": monotonic() - self.began,
            "seconds_left": spent / tried * (possible - tried) if tried and state == "running" else None,
            "checks": list(checks),
            "recent": self._recent() if state == "running" else {},
            **more,
        }
        self.folder.tell(status)
        if self.watch is not None:
            self.watch(status)

    def _recent(self) -> dict[str, list[float | None]]:
        columns = zip(*self.recent, strict=True) if self.recent else ()
        return {
            name: [None if value is None else float(f"{value:.{DIGITS}g}") for value in column]
            for name, column in zip(("s", *RECENT_FIELDS), columns, strict=False)
        }


RECENT_FIELDS = ("output_tokens_per_s", "ttft_ms_p50", "tpot_ms_p50", "requests_failed")
