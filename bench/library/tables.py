"""The small tables of the index, as Arrow, from a snapshot: sources, ledgers, price books and canonical names."""

from __future__ import annotations

import dataclasses
import datetime
import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import json as arrow_json

from bench import names
from bench.errors import InputError
from bench.formats import journal
from bench.formats.reading.point_table import ABOUT, REAL, TEXT, WHOLE
from bench.library.columns import REFUSALS
from bench.library.facts import PRICE
from bench.library.model_configs import config_shape
from bench.library.prices import read_book
from bench.library.snapshot import LooseFile, Snapshot
from bench.records import Price, Refusal

SOURCES: Mapping[str, pa.DataType] = {
    "source_id": TEXT,
    "file": TEXT,
    "format": TEXT,
    "tool_version": TEXT,
    "sources": pa.list_(TEXT),
    **dict.fromkeys(ABOUT, TEXT),
    "source_url": TEXT,
    "points": WHOLE,
    "scores": WHOLE,
    "refusals": WHOLE,
    "unread_keys": WHOLE,
    "not_understood": pa.list_(TEXT),
    "first_date": pa.date32(),
    "last_date": pa.date32(),
    "imported": TEXT,
    "shipped": pa.bool_(),
    "facts": TEXT,
    "retracted": TEXT,
}
NOTES = {"id": TEXT, "source_id": TEXT, "text": TEXT, "at": TEXT, "who": TEXT}
TAGS = {"id": TEXT, "source_id": TEXT, "tag": TEXT, "at": TEXT, "who": TEXT}
RETRACTIONS = {**dict.fromkeys("id kind source_id reason at who".split(), TEXT), "purged": pa.bool_()}
FACTS = {"source_id": TEXT, "fact": TEXT, "value": TEXT}
HELD = {"source_id": TEXT, "pack": TEXT}
PRICES = {
    "book": TEXT,
    "provider": TEXT,
    "accelerator": TEXT,
    "accelerators": WHOLE,
    "instance": TEXT,
    "region": TEXT,
    "terms": TEXT,
    "usd_per_hour": REAL,
    "usd_per_accelerator_hour": REAL,
    "as_of": pa.date32(),
    "source_url": TEXT,
    "note": TEXT,
}


def of_snapshot(snapshot: Snapshot) -> dict[str, pa.Table]:
    """Every table that follows the library's state, by its name in SQL."""
    ledgers = snapshot.ledgers
    held = [{"source_id": source_id, "pack": str(pack.path)} for source_id, pack in snapshot.owners.items()]
    facts = [
        {"source_id": source_id, "fact": key, "value": str(value)}
        for source_id, stated in ledgers.facts.items()
        for key, value in stated.items()
    ]
    refused = [_book(book)[1] for book in snapshot.price_books]
    return {
        "held": _arrow(held, HELD),
        "sources": _arrow(_sources(snapshot), SOURCES),
        "notes": _arrow(ledgers.notes, NOTES),
        "tags": _arrow(ledgers.tags.values(), TAGS),
        "facts": _arrow(facts, FACTS),
        "retractions": _arrow([vars(row) for row in ledgers.retractions.values()], RETRACTIONS),
        "prices": _every_price(snapshot),
        "file_refusals": pa.concat_tables([_arrow(_of_files(snapshot), REFUSALS), *refused]),
    }


def priced(snapshot: Snapshot) -> frozenset[str]:
    """The accelerators that some price above 0 is of."""
    prices = _every_price(snapshot)
    return frozenset(prices.filter(pc.field("usd_per_accelerator_hour") > 0)["accelerator"].unique().to_pylist())


def _every_price(snapshot: Snapshot) -> pa.Table:
    return pa.concat_tables([_prices(_stated_prices(snapshot)), *(_book(book)[0] for book in snapshot.price_books)])


@cache
def of_names() -> dict[str, pa.Table]:
    """The tables of canonical names, by their name in SQL."""
    return {
        "accelerators": _named(names.accelerators()),
        "models": _named(names.models()),
        "engines": _named(names.engines()),
    }


@lru_cache(maxsize=64)
def _book(book: LooseFile) -> tuple[pa.Table, pa.Table]:
    """The prices of a book and what was refused in it; read again when the file has changed."""
    path = Path(book.path)
    try:
        prices, refusals = read_book(path)
    except InputError as problem:
        prices, refusals = [], [Refusal(path.name, str(problem))]
    return _prices(prices), _arrow([vars(refusal) for refusal in refusals], REFUSALS)


def _prices(prices: Iterable[Price]) -> pa.Table:
    rows = [{**vars(price), "usd_per_accelerator_hour": price.usd_per_accelerator_hour} for price in prices]
    return _arrow(rows, PRICES)


def _sources(snapshot: Snapshot) -> Iterable[Mapping[str, Any]]:
    for held, pack in snapshot.held():
        facts = snapshot.ledgers.facts.get(held.id, {})
        retraction = snapshot.ledgers.retractions.get(held.id)
        about = {key: facts.get(key, held.about.get(key)) for key in ABOUT}
        yield {
            **vars(held),
            **about,
            "source_id": held.id,
            "sources": list(held.slugs),
            "not_understood": list(held.not_understood),
            "first_date": _day(held.first_date),
            "last_date": _day(held.last_date),
            "shipped": pack.shipped,
            "facts": json.dumps(facts, ensure_ascii=False) if facts else None,
            "retracted": retraction.reason if retraction else None,
        }


def _stated_prices(snapshot: Snapshot) -> Iterable[Price]:
    """The prices people stated as a fact of a source, or of a sweep's plan."""
    for held, _ in snapshot.held():
        usd = snapshot.ledgers.facts.get(held.id, {}).get(PRICE, held.usd_per_accelerator_hour)
        if usd is not None:
            for accelerator in held.accelerators:
                yield Price("stated", held.file, accelerator, 1, "unstated", usd, note=f"stated for {held.file}")


def _of_files(snapshot: Snapshot) -> Iterable[Mapping[str, Any]]:
    """Refused files that were not loaded since, each reason once, lines of ledgers that say nothing, and packs that
    cannot be read."""
    latest: dict[tuple[object, ...], Mapping[str, Any]] = {}
    for entry in snapshot.ledgers.refusals:
        if entry.get("source_id") not in snapshot.owners:
            latest[tuple(entry.get(key) for key in REFUSALS)] = entry
    yield from latest.values()
    yield from map(vars, snapshot.ledgers.set_aside)
    for path, reason in snapshot.damaged.items():  # packs by their names, journals by their places in the library
        parts = Path(path).parts
        yield {"file": "/".join(parts[-3:] if parts[-1] == journal.FILE else parts[-1:]), "reason": reason}
    for file in snapshot.models:
        if isinstance(unread := config_shape(file), str):
            yield vars(Refusal(f"models/{Path(file.path).name}", unread))


def _named(rows: Sequence[Any]) -> pa.Table:
    """Rows of dataclasses with every field, typed by what the field declares."""
    by_word = {"tuple": pa.list_(TEXT), "float": REAL, "int": WHOLE, "": TEXT}
    kinds = {
        column.name: next(kind for word, kind in by_word.items() if word in str(column.type))
        for column in dataclasses.fields(rows[0])
    }
    return _arrow([{**vars(row), "aliases": list(row.aliases)} for row in rows], kinds)


def _arrow(rows: Iterable[Mapping[str, Any]], kinds: Mapping[str, pa.DataType]) -> pa.Table:
    """The rows as a table, by way of JSON: pyarrow imports pandas, a third of a second, to take Python lists."""
    listed = list(rows)
    if not listed:
        return pa.Table.from_batches([], schema=pa.schema(list(kinds.items())))
    columns = {name: [row.get(name) for row in listed] for name in kinds}
    text = json.dumps(columns, default=_days).encode()
    read = arrow_json.read_json(
        pa.BufferReader(text),
        read_options=arrow_json.ReadOptions(use_threads=False, block_size=len(text) + 1),
        parse_options=arrow_json.ParseOptions(
            explicit_schema=pa.schema([(name, pa.list_(kind)) for name, kind in kinds.items()])
        ),
    )
    return pa.table([read.column(name).chunk(0).flatten() for name in kinds], names=list(kinds))


def _days(day: datetime.date) -> int:
    return (day - datetime.date(1970, 1, 1)).days


def _day(text: str | None) -> datetime.date | None:
    return datetime.date.fromisoformat(text) if text else None
