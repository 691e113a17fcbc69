"""What a format read -> rows of a pack: facts laid over, lengths and ids worked out, batch by batch."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Any, Protocol

import pyarrow as pa
import pyarrow.compute as pc

from bench.catalogue import is_metric
from bench.errors import InputError
from bench.formats.plausibility.columns import with_doubts
from bench.formats.reading import days
from bench.formats.reading.point_table import POINT_COLUMNS, REAL, SCORE_COLUMNS, Reading
from bench.library import facts as stated
from bench.library import ids
from bench.library.columns import IDENTITY, PASSPORTS, REFUSALS, SCORES, SERIES_KEY
from bench.library.facts import LENGTHS, PRICE, WANTED
from bench.library.packs import HeldSource
from bench.library.runs import Runs
from bench.library.spread import Spreads
from bench.records import Refusal

REFUSAL_TEXT = 500
KEPT_KEYS, KEY_LENGTH = 24, 200
"""Keys not understood that the library keeps of a source by name, and how much of each: every start reads them."""


class RowWriter(Protocol):
    """Where rows go: onto disk, or into memory."""

    def write(self, rows: pa.Table) -> None:
        """Take rows of points."""

    def write_beside(self, name: str, rows: pa.Table) -> None:
        """Take rows of a sidecar."""


class SourceRows:
    """The rows of one source on their way into a pack, and what is counted on the way."""

    def __init__(
        self,
        held: HeldSource,
        facts: Mapping[str, Any],
        runs: Runs,
        priced: Collection[str] = (),
        sought: Collection[str] = (),
    ) -> None:
        """`priced`: the accelerators that cost something in a price book; `sought`: ids of points and scores of which
        `here` says afterwards those that are here."""
        self._held = held
        self._facts = facts
        self._runs = runs
        self._priced = pa.array(sorted(priced), type=pa.string())
        self._sought = pa.array(sorted(sought), type=pa.string())
        self.here: set[str] = set()
        self._costs = False
        self._points = 0
        self._slugs: set[str] = set()
        self._accelerators: set[str] = set()
        self._dates: list[datetime.date] = []
        self._url: str | None = None
        self._open: dict[str, int] = {}
        self.spreads = Spreads()

    def write(self, reading: Reading, writer: RowWriter, *, keep: bool = True) -> HeldSource:
        """What the pack now holds of this source; InputError when the format gave what the vocabulary lacks.

        With `keep` false the rows are made and checked but not written.
        """
        self._costs = self._facts.get(PRICE, reading.usd_per_accelerator_hour) is not None
        for batch in reading.batches():
            rows = self._finished(pa.Table.from_batches([batch]))
            if keep:
                writer.write(rows)
        scores = self._scores(reading.scores)
        passports = _beside(reading.passports, self._held.id, PASSPORTS)
        refusals = _refusals(reading.refusals, self._held.id)
        writer.write_beside("scores", scores)
        writer.write_beside("passports", passports)
        writer.write_beside("refusals", refusals)
        return replace(
            self._held,
            tool_version=reading.tool_version,
            points=self._points,
            scores=len(scores),
            passports=len(passports),
            refusals=sum(refusal.many for refusal in reading.refusals),
            slugs=tuple(sorted(self._slugs)),
            accelerators=tuple(sorted(self._accelerators)),
            first_date=min(self._dates).isoformat() if self._dates else None,
            last_date=max(self._dates).isoformat() if self._dates else None,
            source_url=self._url,
            usd_per_accelerator_hour=reading.usd_per_accelerator_hour,
            unread_keys=len(reading.not_understood),
            not_understood=tuple(key[:KEY_LENGTH] for key in reading.not_understood[:KEPT_KEYS]),
        )

    @property
    def missing(self) -> Mapping[str, int]:
        """The facts that points are compared by and this source leaves open, with the points they are missing in."""
        return {key: count for key, count in self._open.items() if count}

    def _finished(self, rows: pa.Table) -> pa.Table:
        as_read, rows = rows, _completed(stated.applied(rows, self._facts, POINT_COLUMNS))
        rows = _judged(rows, as_read) if self._facts else rows
        rows = rows.append_column("isl", _length(rows, "isl")).append_column("osl", _length(rows, "osl"))
        locators = rows.column("locator").to_pylist()
        if None in locators or len(set(locators)) < len(locators):
            raise InputError(f"{self._held.file}: two points share a place in the file; correct the format.")
        count = len(rows)
        made = ids.point_ids(self._held.points_of or self._held.id, locators)
        self._find(made)
        rows = rows.append_column("point_id", made)
        rows = rows.append_column("source_id", pa.repeat(pa.scalar(self._held.id), count))
        deployments, workloads = ids.deployments(rows), ids.workloads(rows)
        rows = rows.append_column("deployment_id", ids.hex_digits(deployments))
        rows = rows.append_column("workload_id", ids.hex_digits(workloads))
        keys = ids.series_keys(rows, deployments, workloads)
        series = self._runs.series_ids(keys, rows.column("date").combine_chunks())
        rows = rows.append_column("series_id", series).append_column(SERIES_KEY, pa.array(keys))
        self._count(rows)
        return rows

    def _find(self, made: pa.Array) -> None:
        if len(self._sought):
            self.here.update(made.filter(pc.is_in(made, self._sought)).to_pylist())

    def _count(self, rows: pa.Table) -> None:
        self._points += len(rows)
        self._note(rows)
        self.spreads.add(rows)
        for key in WANTED:
            self._open[key] = self._open.get(key, 0) + rows.column(key).null_count
        unnamed = rows.column("dataset").is_null()
        for key in LENGTHS:
            without = pc.sum(pc.and_(unnamed, rows.column(key).is_null())).as_py() or 0
            self._open[key] = self._open.get(key, 0) + without
        if not self._costs:
            costs = pc.sum(pc.is_in(rows.column("accelerator"), self._priced)).as_py() or 0
            self._open[PRICE] = self._open.get(PRICE, 0) + len(rows) - costs

    def _note(self, rows: pa.Table) -> None:
        self._slugs.update(_distinct(rows, "source"))
        self._accelerators.update(_distinct(rows, "accelerator"))
        self._dates.extend(day for day in pc.min_max(rows.column("date")).as_py().values() if day)
        if self._url is None:
            self._url = next(iter(_distinct(rows, "source_url")), None)

    def _scores(self, scores: pa.Table | None) -> pa.Table:
        rows = _beside(scores, self._held.id, SCORES)
        if not len(rows):
            return rows
        rows = stated.applied(rows, self._facts, SCORE_COLUMNS)
        locators = [f"score {text}" for text in rows.column("locator").to_pylist()]
        made = ids.point_ids(self._held.points_of or self._held.id, locators)
        self._note(rows)
        self._find(made)
        return rows.set_column(rows.schema.get_field_index("score_id"), "score_id", made)


def _judged(rows: pa.Table, as_read: pa.Table) -> pa.Table:
    """The rows with the flags that their figures earn beside what was stated of them after they were read, without
    those that they earned only as they were read."""
    now, before = ({name: one.column(name).combine_chunks() for name in one.column_names} for one in (rows, as_read))
    flags = with_doubts(now, len(rows), before)
    place = rows.schema.get_field_index("flags")
    return rows.set_column(
        place, rows.schema.field(place), pa.nulls(len(rows), pa.string()) if flags is None else flags
    )


def _completed(rows: pa.Table) -> pa.Table:
    """The rows with every identity column in its type; a metric the catalogue lacks is the format's mistake."""
    for name in rows.column_names:
        if name not in POINT_COLUMNS and not is_metric(name):
            raise InputError(f"{name} is neither a column nor a metric of the catalogue; correct the format.")
        if name not in POINT_COLUMNS and not pc.all(pc.is_finite(rows.column(name)), min_count=0).as_py():
            raise InputError(f"{name} is not a finite number in a row that was read; absent values are left out.")
    columns = {name: rows.column(name).cast(POINT_COLUMNS.get(name, REAL)) for name in rows.column_names}
    for name, kind in POINT_COLUMNS.items():
        if name not in columns:
            columns[name] = pa.nulls(len(rows), kind)
    for name in stated.NAMES:
        columns[name] = pc.if_else(pc.equal(columns[name], ""), None, columns[name])
    columns["date"] = _days(columns["date"])
    return pa.table(columns)


def _days(column: pa.Array) -> pa.Array:
    """The days of measurements; absent where nothing can have been measured yet, or any more."""
    range_of = pc.min_max(column).as_py().values()
    if all(day is None or days.may_be(day) for day in range_of):
        return column
    known = pc.and_(pc.greater_equal(column, days.EARLIEST), pc.less_equal(column, days.latest()))
    return pc.if_else(known, column, None)


def _length(rows: pa.Table, axis: str) -> pa.ChunkedArray:
    """The length a chart puts on its axis: as requested, else as counted, to the whole token."""
    actual = pc.round(rows.column(f"{axis}_actual")).cast(IDENTITY[axis])
    return pc.coalesce(rows.column(f"{axis}_requested"), actual)


def _beside(rows: pa.Table | None, source_id: str, kinds: Mapping[str, pa.DataType]) -> pa.Table:
    """The rows of a sidecar with all its columns."""
    count = 0 if rows is None else len(rows)
    columns = {name: pa.nulls(count, kind) for name, kind in kinds.items()}
    if rows is not None:
        columns.update((name, rows.column(name).cast(kinds[name])) for name in rows.column_names)
    columns["source_id"] = pa.repeat(pa.scalar(source_id), count)
    return pa.table(columns)


def _refusals(refusals: list[Refusal], source_id: str) -> pa.Table:
    rows = [refusal_values(refusal) for refusal in refusals]
    columns = {name: pa.array([row.get(name) for row in rows], type=kind) for name, kind in REFUSALS.items()}
    columns["source_id"] = pa.repeat(pa.scalar(source_id), len(rows))
    return pa.table(columns)


def refusal_values(refusal: Refusal) -> dict[str, Any]:
    """A refusal as plain values; long texts from files are cut."""
    return {
        name: value[:REFUSAL_TEXT] if isinstance(value, str) else value
        for name, value in vars(refusal).items()
        if name in REFUSALS and value is not None
    }


def _distinct(rows: pa.Table, column: str) -> list[Any]:
    return [value for value in pc.unique(rows.column(column)).to_pylist() if value is not None]
