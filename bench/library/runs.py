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


@dataclass
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
        rows = zip(distinct["key"].tolist(), distinct["day"].tolist(), fresh.to_pylist(), strict=True)
        ids = pa.array([self._join(key, day, name) for key, day, name in rows], type=pa.string())
        return ids.take(pa.array(inverse))

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
