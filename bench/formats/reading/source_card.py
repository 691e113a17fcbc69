"""The source card `<stem>.source.toml` beside a result file: who published it, under which licence, how measured."""

from __future__ import annotations

import datetime
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from bench.catalogue import is_metric, metric
from bench.errors import InputError
from bench.formats.reading.point_table import ABOUT
from bench.formats.reading.source_file import SourceFile
from bench.records import Passport

SUFFIX = ".source.toml"
MAX_BYTES = 1_000_000
MAX_TEXT = 4096
PASSPORT_FIELDS = ("definition", "unit_in_file", "denominator", "window", "token_source")
LINKS = ("url", "licence_url")


@dataclass(frozen=True)
class SourceCard:
    """What is known about a source as a whole; None where the card does not say or there is no card.

    `metrics` maps catalogue keys to the passport fields stated for them.
    """

    slug: str | None = None
    title: str | None = None
    licence: str | None = None
    licence_url: str | None = None
    url: str | None = None
    retrieved: datetime.date | None = None
    attribution: str | None = None
    harness: str | None = None
    metrics: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def about(self) -> dict[str, str]:
        """What the card says about the source as a whole, by the keys of ABOUT."""
        return {key: str(getattr(self, key)) for key in ABOUT if getattr(self, key) is not None}

    def passport(self, key: str, format_name: str) -> Passport:
        """The passport of one metric: as the card states it, else as the catalogue defines it."""
        stated = dict(self.metrics.get(key, {}))
        stated.setdefault("unit_in_file", metric(key).unit)
        return Passport(metric=key, format=format_name, **stated)


def card_path(path: Path) -> Path:
    """Where the source card of a result file would lie."""
    return path.with_name(path.name.removesuffix(path.suffix) + SUFFIX)


def read_card(file: SourceFile) -> SourceCard:
    """The card of a result file, empty when there is none; InputError when it cannot be understood."""
    wanted = card_path(file.path).name
    card = next((path for path in file.companions if path.name == wanted), card_path(file.path))
    if not card.is_file():
        return SourceCard()
    if card.stat().st_size > MAX_BYTES:
        raise InputError(f"{card.name} is larger than {MAX_BYTES:,} bytes; a source card is a few lines.")
    try:
        stated = tomllib.loads(card.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise InputError(f"{card.name} is not valid TOML: {problem}.") from problem
    return _card(card.name, stated)


def _card(name: str, stated: Mapping[str, Any]) -> SourceCard:
    known = {column.name for column in fields(SourceCard)} - {"metrics"}
    unknown = sorted(stated.keys() - known - {"metric"})
    if unknown:
        raise InputError(f"{name} has an unknown entry {unknown[0]!r}; known are {', '.join(sorted(known))}.")
    values: dict[str, Any] = {}
    for key in known & stated.keys():
        values[key] = _day(name, stated[key]) if key == "retrieved" else _text(name, key, stated[key])
    for key in LINKS:
        if values.get(key) and not values[key].startswith(("https://", "http://")):
            raise InputError(f"{name}: {key} is {values[key]!r}; a link begins with https:// or http://.")
    return SourceCard(**values, metrics=_passports(name, stated.get("metric", {})))


def _passports(name: str, stated: object) -> dict[str, dict[str, str]]:
    if not isinstance(stated, dict) or not all(isinstance(entry, dict) for entry in stated.values()):
        raise InputError(f"{name}: write passports as tables named [metric.<key>].")
    passports: dict[str, dict[str, str]] = {}
    for key, entry in stated.items():
        if not is_metric(key):
            raise InputError(f"{name}: [metric.{key}] is no metric of the catalogue.")
        unknown = sorted(entry.keys() - set(PASSPORT_FIELDS))
        if unknown:
            raise InputError(
                f"{name}: [metric.{key}] has an unknown entry {unknown[0]!r}; known are {', '.join(PASSPORT_FIELDS)}."
            )
        passports[key] = {column: _text(name, column, value) for column, value in entry.items()}
    return passports


def _text(name: str, key: str, value: object) -> str:
    if not isinstance(value, str) or not value.strip() or len(value) > MAX_TEXT or "\0" in value:
        raise InputError(f"{name}: {key} must be a text of 1 to {MAX_TEXT:,} characters.")
    return value.strip()


def _day(name: str, value: object) -> datetime.date:
    if isinstance(value, datetime.date) and not isinstance(value, datetime.datetime):
        return value
    try:
        return datetime.date.fromisoformat(str(value))
    except ValueError as problem:
        raise InputError(f"{name}: retrieved is {value!r}; write a date as 2026-11-20.") from problem
