"""What a recipe makes: a table in the published format, and the source card that belongs to it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from decimal import Decimal
from pathlib import Path
from typing import Any

from bench.catalogue import METRICS, is_metric
from bench.formats.reading.point_table import POINT_COLUMNS, SCORE_COLUMNS
from bench.records import Flag

TRANSCRIPTIONS = Path(__file__).resolve().parent.parent / "transcriptions"
RENAMED = {"isl_requested": "isl", "osl_requested": "osl"}

Row = dict[str, Any]


@dataclass(frozen=True)
class Card:
    """Who published a table, under which licence, and how each metric in it was made; None where not stated.

    `metrics` maps a catalogue key to the passport fields definition, unit_in_file, denominator, window,
    token_source.
    """

    slug: str
    title: str
    licence: str
    url: str | None
    attribution: str
    licence_url: str | None = None
    harness: str | None = None
    metrics: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def toml(self, columns: Sequence[str] = ()) -> str:
        """The card as TOML, with a passport for each of these columns that it states one for."""
        lines = [
            f"{column.name} = {_quoted(getattr(self, column.name))}"
            for column in fields(self)
            if column.name != "metrics" and getattr(self, column.name) is not None
        ]
        for key in columns:
            if key in self.metrics:
                lines += ["", f"[metric.{key}]"]
                lines += [f"{name} = {_quoted(text)}" for name, text in self.metrics[key].items()]
        return "\n".join(lines) + "\n"


@dataclass(frozen=True)
class Kept:
    """A result file that ships as it was written, such as the journal of a sweep, and its card."""

    path: Path
    card: Card

    def write(self, folder: Path) -> Path:
        """The file copied into the folder, its source card beside it."""
        folder.mkdir(parents=True, exist_ok=True)
        copy = folder / self.path.name
        copy.write_bytes(self.path.read_bytes())
        copy.with_name(f"{self.path.stem}.source.toml").write_text(self.card.toml(), encoding="utf-8")
        return copy


@dataclass(frozen=True)
class Table:
    """One published table: its file's stem, its card, and its rows by published column; None is absent."""

    stem: str
    card: Card
    rows: Sequence[Row]

    def columns(self) -> tuple[str, ...]:
        """The columns some row fills: deployment, workload, load, provenance, then metrics."""
        filled = {key for row in self.rows for key, value in row.items() if value not in (None, [], ())}
        order = [RENAMED.get(key, key) for key in dict.fromkeys((*POINT_COLUMNS, *SCORE_COLUMNS))]
        known = [key for key in order if key in filled]
        metrics = sorted(filled - set(known), key=_metric_order)
        unknown = [key for key in metrics if not is_metric(key)]
        if unknown:
            raise ValueError(f"{self.stem}: {unknown[0]} is neither a column of a point nor a metric.")
        return (*known, *metrics)

    def csv(self) -> str:
        """The table as CSV; the same rows give the same bytes."""
        columns = self.columns()
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows([_cell(row.get(key)) for key in columns] for row in self.rows)
        return text.getvalue()

    def write(self, folder: Path) -> Path:
        """The CSV file written into the folder, its source card beside it."""
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"{self.stem}.csv"
        path.write_text(self.csv(), encoding="utf-8")
        path.with_name(f"{self.stem}.source.toml").write_text(self.card.toml(self.columns()), encoding="utf-8")
        return path


def read(source: str, file: str) -> list[dict[str, str]]:
    """The rows of a transcription, text as it stands there."""
    with (TRANSCRIPTIONS / source / file).open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def number(text: str) -> Decimal | None:
    """The exact decimal a transcription prints; None for an empty cell."""
    return Decimal(text) if text.strip() else None


def times(value: Decimal | None, factor: int | None) -> Decimal | None:
    """The exact product, None when either is absent."""
    return None if value is None or factor is None else value * factor


def milliseconds(text: str) -> Decimal | None:
    """Seconds as printed, in milliseconds; None for an empty cell."""
    return times(number(text), 1000)


def passports(keys: Sequence[str], **stated: str) -> dict[str, dict[str, str]]:
    """One passport for each of several metrics that were made in the same way."""
    return {key: dict(stated) for key in keys}


def _metric_order(key: str) -> tuple[int, str]:
    places = {row.key: place for place, row in enumerate(METRICS)}
    base = next((name for name in sorted(places, key=len, reverse=True) if key.startswith(name)), "")
    return (places.get(base, len(places)), key)


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return format(value.normalize(), "f")
    if isinstance(value, (list, tuple)):
        return _listed(value)
    return str(value)


def _listed(values: Sequence[object]) -> str:
    if not values:
        return ""
    plain = [asdict(value) if isinstance(value, Flag) else value for value in values]
    return json.dumps(plain, ensure_ascii=False)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
