"""The published format: one tidy table of points, or of scores, that people write by hand or by script.

docs/published-format.md describes it. It is the one format in which a single row may be refused while the others
load: each refusal names file, row, column, value and what was expected.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from bench.catalogue import is_metric, is_part, metric
from bench.errors import InputError, UnknownName
from bench.formats.plausibility.columns import contradicted, with_doubts
from bench.formats.reading import Reading, Recognition, SourceFile
from bench.formats.reading.point_table import POINT_COLUMNS, SCORE_COLUMNS, passports_table
from bench.formats.reading.source_card import SourceCard, card_path, read_card
from bench.formats.table import column_names, open_table, row_order
from bench.formats.table.cells import MAX_TEXT, POINT_CELLS, SCORE_CELLS
from bench.formats.table.columns import CellMask, CellReader, RefusedRows, Verdicts, mask, measured, shown, stated
from bench.formats.table.slices import OpenedTable, Slice, ahead
from bench.names import slugified

NAME = "published"
TITLE = "Published table"

MAX_SCORES = 1_000_000
HINTED = 50
"""So many columns of what is no table are searched for a misspelled metric, which takes milliseconds for each."""
STORED_AS = {"isl": "isl_requested", "osl": "osl_requested"}
WRITTEN_AS = {stored: written for written, stored in STORED_AS.items()}
NOT_IN_FILE = frozenset({"locator", *WRITTEN_AS})
NAMING = ("model", "harness", "source")
"""One of them says what a row is of: a model, the tool that measured one without naming it, or where it stands."""

SCORE_MARKS = ("model", "benchmark", "metric", "value")
STATISTIC = re.compile(r"(^|_)(p\d+(_\d+)?|mean|median|std|min|max)$")
LOAD_NUMBERS = {"concurrency": "closed", "request_rate": "open", "batch": "batch"}


def recognises(file: SourceFile) -> Recognition:
    """Whether the file is a table of scores, or has a metric of the catalogue and a column `model` or one instead."""
    names = column_names(file)
    if not names:
        return Recognition(0, "it is no table in CSV, JSON or Parquet")
    if set(SCORE_MARKS) <= set(names):
        return Recognition(2, "a table of scores")
    metrics = [name for name in names if is_metric(name)]
    told = next((name for name in NAMING if name in names), None)
    if told and metrics:
        return Recognition(2, f"the columns {told} and {metrics[0]}")
    if metrics:
        return Recognition(0, f"it has the column {metrics[0]} but no column model", 0.5)
    if "model" in names:
        near = next((hint for name in names[:HINTED] if (hint := _nearest_metric(name))), None)
        hint = f"; did you mean {near}?" if near else ""
        return Recognition(0, f"it has the column model but no column named as a metric of the catalogue{hint}", 0.5)
    return Recognition(0, "it has neither a column model nor one named as a metric of the catalogue")


def companions(path: Path) -> tuple[Path, ...]:
    """The source card beside the table, when there is one."""
    return (card_path(path),) if card_path(path).is_file() else ()


def read(file: SourceFile) -> Reading:
    """The points, or the scores, of a tidy table; points are streamed.

    What a row does not say is absent, but: `evidence` is then unverified, `origin` published, `source` the card's
    slug or the file's name, `load_kind` what the one load number given stands for.
    """
    card, table = read_card(file), open_table(file)
    refused = RefusedRows(file.name)
    if set(SCORE_MARKS) <= set(column_names(file)):
        no_points = pa.table({"locator": pa.array([], pa.string())})
        scores = _scores(_Reader(file, card, scores=True), table, refused)
        return Reading(NAME, no_points, scores, refusals=refused.kept, about=card.about())
    keys = [name for name in table.columns if is_metric(name)]
    passports = passports_table([card.passport(key, NAME) for key in keys]) if keys else None
    points = ahead(_stream(_Reader(file, card, scores=False), table, refused))
    return Reading(NAME, points, passports=passports, refusals=refused.kept, about=card.about())


def _stream(reader: _Reader, table: OpenedTable, refused: RefusedRows) -> Iterator[pa.RecordBatch]:
    rows = 0
    for part in table.slices():
        rows += len(part.numbers) + len(part.broken)
        batch, verdicts = reader.canonical(part)
        refused.of_slice(part, verdicts)
        if batch.num_rows:
            yield batch
    if rows == 0:
        raise InputError(f"{reader.file} has a header and no rows.")
    refused.finish()


def _scores(reader: _Reader, table: OpenedTable, refused: RefusedRows) -> pa.Table:
    batches: list[pa.RecordBatch] = []
    for batch in _stream(reader, table, refused):
        batches.append(batch)
        if sum(part.num_rows for part in batches) > MAX_SCORES:
            raise InputError(f"{reader.file} has more than {MAX_SCORES:,} scores; divide it.")
    tables = [pa.Table.from_batches([batch]) for batch in batches]
    return pa.concat_tables(tables, promote_options="default") if tables else None


class _Reader:
    """Turns slices of one file into canonical columns."""

    def __init__(self, file: SourceFile, card: SourceCard, *, scores: bool) -> None:
        self.file = file.name
        self._scores = scores
        self._types = SCORE_COLUMNS if scores else POINT_COLUMNS
        cells = SCORE_CELLS if scores else POINT_CELLS
        self._cells = {name: CellReader(kind, parse) for name, (kind, parse) in cells.items()}
        self._constants = {
            "source": card.slug or slugified(file.path.stem) or NAME,
            "harness": card.harness,
            "evidence": "unverified",
            "origin": "published",
        }
        self._unknown: dict[str, str] = {}

    def canonical(self, part: Slice) -> tuple[pa.RecordBatch, Verdicts]:
        """The rows of a slice that are in order, and the verdicts on the others."""
        verdicts = Verdicts(len(part.numbers))
        _pass_over_blanks(part, verdicts)
        columns: dict[str, pa.Array] = {}
        for name, column in part.columns.items():
            stored = self._stored_name(name)
            if stored is None:
                self._refuse_unknown(name, column, verdicts)
            elif stored in self._cells:
                columns[stored] = self._cells[stored].read(column, name, verdicts)
            else:
                columns[stored] = self._number(name, column, verdicts, sound=part.sound)
        self._require(columns, verdicts)
        if not self._scores:
            row_order.check({key: columns[key] for key in columns if is_metric(key)}, verdicts)
            _keep_checkpoints(columns, part.columns.get("model"))
        self._fill(columns, part, len(part.numbers))
        if not self._scores:
            for row, problem in contradicted(columns, len(part.numbers)).items():
                at = np.arange(len(part.numbers)) == row
                verdicts.against(at, problem.key, shown(columns[problem.key]), f"another number, since {problem.why}")
        if not self._scores and (flags := with_doubts(columns, len(part.numbers))) is not None:
            columns["flags"] = flags
        batch = pa.RecordBatch.from_arrays(list(columns.values()), names=list(columns))
        return (batch if verdicts.kept.all() else batch.filter(pa.array(verdicts.kept))), verdicts

    def _stored_name(self, name: str) -> str | None:
        if name in STORED_AS and not self._scores:
            return STORED_AS[name]
        if name in self._types:
            return None if name in NOT_IN_FILE else name
        return name if not self._scores and is_metric(name) else None

    def _number(self, name: str, column: pa.Array, verdicts: Verdicts, *, sound: bool) -> pa.Array:
        signed = name == "value"
        known = sound and pa.types.is_floating(column.type)
        numbers, wrong = (column, None) if known else measured(column, -np.inf if signed else 0.0)
        if wrong is not None:
            unit = metric(name).unit if is_metric(name) else ""
            verdicts.against(wrong, name, shown(column), _number_expected(signed, unit))
        if is_part(name):
            verdicts.against(mask(pc.greater(numbers, 1.0)), name, shown(column), "a share from 0 to 1")
        return numbers

    def _refuse_unknown(self, name: str, column: pa.Array, verdicts: Verdicts) -> None:
        if name not in self._unknown:
            self._unknown[name] = f"a column of the published format{self._nearest(name)}"
        verdicts.against(stated(column), name, shown(column), self._unknown[name])

    def _nearest(self, name: str) -> str:
        if name in WRITTEN_AS and not self._scores:
            return f"; write {WRITTEN_AS[name]}"
        own = sorted({*STORED_AS, *self._types} - NOT_IN_FILE)
        near = difflib.get_close_matches(name.lower(), own, n=1, cutoff=0.75)
        found = near[0] if near else None if self._scores else _nearest_metric(name)
        if found is None and STATISTIC.search(name):
            return "; a statistic follows the key of its metric, as in ttft_ms_p99"
        return f"; the nearest is {found}" if found else ""

    def _require(self, columns: dict[str, pa.Array], verdicts: Verdicts) -> None:
        needed = (*SCORE_MARKS, "direction") if self._scores else ("model",)
        everyone = np.ones(len(verdicts.bad), dtype=np.bool_)
        for name in needed:
            absent = mask(pc.is_null(columns[name])) if name in columns else everyone
            for other in NAMING if name == "model" else ():
                # A tool that names no model measured one all the same; an export of its points has none to give.
                absent = absent & mask(pc.is_null(columns[other])) if other in columns else absent
            verdicts.against(absent, name, None, "a value in every row")
        if not self._scores:
            verdicts.against(_without_metric(columns, len(verdicts.bad)), "metrics", None, "at least one metric")

    def _fill(self, columns: dict[str, pa.Array], part: Slice, rows: int) -> None:
        for name, value in self._constants.items():
            if value is not None:
                constant = pa.repeat(pa.scalar(value, pa.string()), rows)
                columns[name] = _coalesced(columns.get(name), constant)
        if not self._scores:
            kind = _implied_kind(columns, rows)
            columns["load_kind"] = _coalesced(columns.get("load_kind"), kind)
        numbers = pc.cast(pa.array(part.numbers), pa.string())
        columns["locator"] = pc.binary_join_element_wise("row", numbers, " ")


def _pass_over_blanks(part: Slice, verdicts: Verdicts) -> None:
    """Pass over rows without any cell, such as an empty line, which say nothing and break nothing."""
    blank = np.ones(len(part.numbers), dtype=np.bool_)
    for column in part.columns.values():
        blank &= ~stated(column)
        if not blank.any():
            return
    verdicts.blank = blank


def _without_metric(columns: dict[str, pa.Array], rows: int) -> CellMask:
    without = np.ones(rows, dtype=np.bool_)
    for name, column in columns.items():
        if is_metric(name):
            without &= mask(pc.is_null(column))
            if not without.any():
                break
    return without


def _coalesced(column: pa.Array | None, absent: pa.Array) -> pa.Array:
    """The column, and where it is absent or NULL, what stands for it."""
    if column is None:
        return absent
    return pc.coalesce(column, absent) if column.null_count else column


def _number_expected(signed: bool, unit: str) -> str:
    if signed:
        return "a number"
    return f"a number of {unit}, at least 0" if unit else "a number of at least 0"


def _implied_kind(columns: dict[str, pa.Array], rows: int) -> pa.Array:
    """The load kind a row's one load number stands for: unknown when it gives none, or more than one."""
    kind = pa.repeat(pa.scalar("unknown", pa.string()), rows)
    numbers = np.zeros(rows, dtype=np.int64)
    for name, meaning in LOAD_NUMBERS.items():
        if name in columns:
            given = pc.is_valid(columns[name])
            numbers += mask(given)
            kind = pc.if_else(given, meaning, kind)
    if "scenario" in columns:
        kind = pc.if_else(pc.is_valid(columns["scenario"]), "scenario", kind)
        numbers[mask(pc.is_valid(columns["scenario"]))] = 1
    return pc.if_else(pa.array(numbers > 1), "unknown", kind)


def _keep_checkpoints(columns: dict[str, pa.Array], spelled: pa.Array | None) -> None:
    """Keep a model that is spelled owner/name as its checkpoint unless another is stated."""
    if spelled is None or pa.types.is_floating(spelled.type):
        return
    words = spelled if pa.types.is_dictionary(spelled.type) else spelled.dictionary_encode()
    names = pc.utf8_trim_whitespace(words.dictionary)
    owned = pc.and_(pc.match_substring(names, "/"), pc.less_equal(pc.utf8_length(names), MAX_TEXT))
    if pc.any(owned).as_py():
        checkpoint = pc.if_else(owned, names, None).take(words.indices)
        columns["checkpoint"] = _coalesced(columns.get("checkpoint"), checkpoint)


def _nearest_metric(name: str) -> str | None:
    """The catalogue's key nearest to a column name, None when none is near."""
    try:
        return metric(name).key
    except UnknownName as problem:
        close = difflib.get_close_matches(name.lower(), problem.near, n=1, cutoff=0.7)
        return close[0] if close else None
