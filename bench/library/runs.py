"""Which run of a series a point belongs to: points measured more than 7 days apart are two runs, so two series."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from bench.library.ids import Fingerprints, hex_digits, mixed

RUN_GAP_DAYS = 7
UNDATED = np.iinfo(np.int32).min
"""The day of a point that states no date; such points are one run."""


@dataclass(slots=True)
class RunSpan:
    """The days one run of a series spans, as days since 1970, and the series id its points carry."""

    first: int
    last: int
    series_id: str


KnownRuns = Callable[[NDArray[np.int64]], Iterable[tuple[int, RunSpan]]]


class Runs:
    """Series ids for rows that come in batches.

    A point joins the run of its series whose days it comes within 7 days of, be it in this import or already in the
    library; otherwise it begins a run of its own, named by its first day.
    """

    def __init__(self, known: KnownRuns | None = None) -> None:
        self._known = known
        self._runs: dict[int, list[RunSpan]] = {}
        self._single: dict[int, int] = {}
        """The day of a series that was met on one day only; in a large table most are."""

    def series_ids(self, keys: NDArray[np.int64], dates: pa.Array) -> pa.Array:
        """The series id of each row, from its series key and its date."""
        days = pc.fill_null(dates.cast(pa.int32()), UNDATED).to_numpy(zero_copy_only=False)
        numbers, first, place_of_row = np.unique(_numbers(keys, days), return_index=True, return_inverse=True)
        names: list[str] = hex_digits(numbers).to_pylist()
        met, met_days = keys[first], days[first]
        self._recall(met)
        rest = self._take_singles(met, met_days)
        for place in rest[np.lexsort((met_days[rest], met[rest]))].tolist():
            names[place] = self._join(int(met[place]), int(met_days[place]), names[place])
        return pa.array(names, type=pa.string()).take(pa.array(place_of_row))

    def _take_singles(self, keys: NDArray[np.int64], days: NDArray[np.int32]) -> NDArray[np.intp]:
        """The places of the keys that are not single; the others are noted with their day."""
        _, back, counts = np.unique(keys, return_inverse=True, return_counts=True)
        single = counts[back] == 1
        listed = keys.tolist()
        if not self._single.keys().isdisjoint(listed) or not self._runs.keys().isdisjoint(listed):
            single &= np.array([key not in self._single and key not in self._runs for key in listed])
        self._single.update(zip(keys[single].tolist(), days[single].tolist(), strict=True))
        return np.flatnonzero(~single)

    def _recall(self, keys: NDArray[np.int64]) -> None:
        """Ask once for the runs the library holds of these series."""
        if self._known is None:
            return
        unseen = [key for key in keys.tolist() if key not in self._runs and key not in self._single]
        if unseen:
            for key, run in self._known(np.array(unseen, dtype=np.int64)):
                self._runs.setdefault(key, []).append(run)

    def _join(self, key: int, day: int, name: str) -> str:
        runs = self._runs.setdefault(key, [])
        if key in self._single:
            before = self._single.pop(key)
            runs.append(RunSpan(before, before, _name(key, before)))
        for run in runs:
            if run.first - RUN_GAP_DAYS <= day <= run.last + RUN_GAP_DAYS:
                run.first, run.last = min(run.first, day), max(run.last, day)
                return run.series_id
        runs.append(RunSpan(day, day, name))
        return name


def _numbers(keys: NDArray[np.int64], days: NDArray[np.int32]) -> Fingerprints:
    """A 64-bit number for each (series key, first day): the id of the run that begins there."""
    return mixed(keys.view(np.uint64) + mixed(days.astype(np.int64).view(np.uint64)))


def _name(key: int, day: int) -> str:
    numbers = _numbers(np.array([key], dtype=np.int64), np.array([day], dtype=np.int32))
    name: str = hex_digits(numbers)[0].as_py()
    return name
