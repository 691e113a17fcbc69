"""Which run of a series a point belongs to: points measured more than 7 days apart are two runs, so two series."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bench.library.ids import hex_digits, mixed

RUN_GAP_DAYS = 7
UNDATED = np.iinfo(np.int32).min
"""The day of a point that states no date; such points are one run."""


@dataclass(slots=True)
class Run:
    """The days one run of a series spans, as days since 1970, and the series id its points carry."""

    first: int
    last: int
    series_id: str


KnownRuns = Callable[[NDArray[np.int64]], Iterable[tuple[int, Run]]]


class Runs:
    """Series ids for rows that come in batches.

    A point joins the run of its series whose days it comes within 7 days of, be it in this import or already in the
    library; otherwise it begins a run of its own, named by its first day.
    """

    def __init__(self, known: KnownRuns | None = None) -> None:
        self._known = known
        self._runs: dict[int, list[Run]] = {}

    def series_ids(self, keys: NDArray[np.int64], dates: pa.Array) -> pa.Array:
        """The series id of each row, from its series key and its date."""
        days = pc.fill_null(dates.cast(pa.int32()), UNDATED).to_numpy(zero_copy_only=False)
        pairs = np.empty(len(keys), dtype=[("key", np.int64), ("day", np.int32)])
        pairs["key"], pairs["day"] = keys, days
        distinct, inverse = np.unique(pairs, return_inverse=True)
        self._recall(np.unique(distinct["key"]))
        fresh = hex_digits(mixed(distinct["key"].view(np.uint64) + mixed(_as_unsigned(distinct["day"]))))
        names: list[str] = fresh.to_pylist()
        found, days_found = distinct["key"].tolist(), distinct["day"].tolist()
        alone = self._alone(distinct["key"])
        self._runs.update(
            (found[place], [Run(days_found[place], days_found[place], names[place])]) for place in alone
        )
        for place in sorted(set(range(len(names))).difference(alone)):
            names[place] = self._join(found[place], days_found[place], names[place])
        return pa.array(names, type=pa.string()).take(pa.array(inverse))

    def _alone(self, keys: NDArray[np.int64]) -> list[int]:
        """The places, among sorted keys, of those that occur once and have no run yet: most of a large table."""
        repeated = np.zeros(len(keys), dtype=bool)
        repeated[1:] = keys[1:] == keys[:-1]
        repeated[:-1] |= repeated[1:].copy()
        places: list[int] = np.flatnonzero(~repeated).tolist()
        known = self._runs.keys()
        return [place for place, key in zip(places, keys[places].tolist(), strict=True) if key not in known]

    def _recall(self, keys: NDArray[np.int64]) -> None:
        unseen = np.array([key for key in keys.tolist() if key not in self._runs], dtype=np.int64)
        if self._known is None or not len(unseen):
            return
        for key, run in self._known(unseen):
            self._runs.setdefault(key, []).append(run)

    def _join(self, key: int, day: int, name: str) -> str:
        runs = self._runs.setdefault(key, [])
        for run in runs:
            if run.first - RUN_GAP_DAYS <= day <= run.last + RUN_GAP_DAYS:
                run.first, run.last = min(run.first, day), max(run.last, day)
                return run.series_id
        runs.append(Run(day, day, name))
        return name


def _as_unsigned(days: NDArray[np.int32]) -> NDArray[np.uint64]:
    return days.astype(np.int64).view(np.uint64)
