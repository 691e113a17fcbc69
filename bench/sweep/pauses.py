"""How long a sweep waits between two looks or two attempts, in one record: tests hand in a short one."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pauses:
    """Seconds between two looks at a model that loads, at the queue, and at a point under way; and how a limiter is
    asked before the load.

    While an endpoint limits requests it is asked one at a time, after pauses that double from `limited_first_s` to
    `limited_longest_s`, until `limited_for_s` have passed.
    """

    model_s: float = 1.0
    turn_s: float = 0.5
    point_s: float = 0.5
    limited_first_s: float = 0.75
    limited_longest_s: float = 5.0
    limited_for_s: float = 60.0


USUAL = Pauses()
