"""How long a place of a closed loop rests after it was refused, so that an outage is not met with a flood.

A closed loop asks again as soon as it is answered, and a refusal is an answer that takes no time: without a rest the
load generator would measure how fast an endpoint can say no. An open loop keeps its schedule and never rests.
"""

from __future__ import annotations

import random
from email.utils import parsedate_to_datetime
from time import time

from bench.sweep.wire.answer import WireAnswer
from bench.sweep.wire.exchange import Exchange

LIMITERS = (429, 503)
"""The statuses by which an endpoint asks for less: RFC 6585, 4, and RFC 9110, 15.6.4; both may say Retry-After."""
FIRST_S, LONGEST_S = 0.05, 5.0
LONGEST_ASKED_S = 3600.0
"""A Retry-After is kept to, but not beyond any point's end."""
ROUND_PER_S = 100.0
"""After the first round of failures the next one is spread so thin, and each further one half as thick."""
PROBES_PER_S = 15.0
"""While nothing is answered well, so many requests a second are enough to see when it is again."""
JITTER = 0.5
"""Rests are shortened by up to this share, so that places do not come back all at once."""


def refused(answer: WireAnswer) -> bool:
    """Whether the endpoint asked for less."""
    return answer.head is not None and answer.head.status in LIMITERS


class Backoff:
    """The rests of one point's places; `failed_in_a_row` counts answers of all of them since the last good one.

    It begins with what failed at the end of the point before.
    """

    def __init__(self, places: int, failed_in_a_row: int = 0) -> None:
        self.failed_in_a_row = failed_in_a_row
        self._places = max(1, places)
        self._first = max(FIRST_S, self._places / ROUND_PER_S)
        self._longest = max(2.0, self._places / PROBES_PER_S)
        self._random = random.Random(places)

    def rest_s(self, answer: WireAnswer) -> float:
        """The seconds until the place that got this answer asks again, 0 after a good one or a single failure.

        A limiter's Retry-After holds, else the place's own refusals in a row double its rest. All places rest once as
        many answers as there are of them were bad and none was good.
        """
        self.failed_in_a_row += _failed_at_its_end(answer)
        rounds = self.failed_in_a_row // self._places
        rest = self._doubled(self._first, rounds, self._longest) if rounds else 0.0
        if not refused(answer):
            answer.refusals = 0
            return rest
        answer.refusals += 1
        assert answer.head is not None
        stated = retry_after_s(answer.head.retry_after)
        if stated is not None:
            return stated * self._random.uniform(1, 1 + JITTER / 5)
        return max(rest, self._doubled(FIRST_S, answer.refusals, LONGEST_S))

    def heard(self, answer: WireAnswer, read: Exchange) -> bool:
        """Whether this ended what had failed for a while; a failure that its end has told of counts already."""
        if read.outcome == "ok":
            before, self.failed_in_a_row = self.failed_in_a_row, 0
            return before >= self._places
        self.failed_in_a_row += not _failed_at_its_end(answer)
        return False

    def _doubled(self, first: float, times: int, longest: float) -> float:
        return min(longest, first * 2.0 ** min(times - 1, 16)) * self._random.uniform(1 - JITTER, 1)


def _failed_at_its_end(answer: WireAnswer) -> bool:
    """Whether an answer is known for a failure before it is read: by its head, or since it was cut off."""
    return answer.outcome is not None or (answer.head is not None and answer.head.status >= 300)


def retry_after_s(stated: str) -> float | None:
    """The seconds a Retry-After asks for, as a number or as a date; None where it says nothing that can be kept to."""
    text = stated.strip()
    try:
        seconds = float(text) if text.replace(".", "", 1).isdecimal() else _until(text)
    except (ValueError, TypeError, IndexError):
        return None
    return min(max(0.0, seconds), LONGEST_ASKED_S) if text else None


def _until(date: str) -> float:
    return parsedate_to_datetime(date).timestamp() - time()
