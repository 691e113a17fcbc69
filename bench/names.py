"""Canonical names: accelerators, models and engines, with their aliases, families, colours and facts.

The rows are data (data/accelerators.csv, data/models.csv, data/engines.csv); a fact that is not known is absent.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar

DATA = Path(__file__).resolve().parent.parent / "data"
MACHINE = re.compile(r"^(?:ct\d|tpu\d).*-(?:standard|hightpu)-\d+t$")
"""The machine types of Google Cloud that have TPUs, which end in the chips of one host."""


@dataclass(frozen=True)
class Accelerator:
    """One accelerator: its names, colour and published facts, per physical chip; None where not published.

    `memory_gb` is what a program can use at most, in the vendors' GB, which are GiB (data/SOURCE.md).
    """

    slug: str
    name: str
    family: str
    vendor: str | None = None
    aliases: tuple[str, ...] = ()
    devices_per_chip: int | None = None
    colour_light: str | None = None
    colour_dark: str | None = None
    memory_gb: float | None = None
    hbm_tb_s: float | None = None
    bf16_tflops: float | None = None
    fp8_tflops: float | None = None
    fp4_tflops: float | None = None
    scale_up_gb_s: float | None = None
    scale_up_domain: str | None = None
    tdp_w: float | None = None
    source: str | None = None
    verified: str | None = None
    note: str | None = None


@dataclass(frozen=True)
class Model:
    """One model: its names and published architecture; None where not published.

    Where some layers look back on `kv_window_tokens` tokens alone, a token beyond them adds fewer bytes of KV cache.
    `kv_layers` says what each layer caches, where attention, heads and sizes alone do not (bench/basis/model_shape.py).
    """

    slug: str
    name: str
    family: str
    checkpoint: str | None = None
    aliases: tuple[str, ...] = ()
    total_params_b: float | None = None
    active_params_b: float | None = None
    type: str | None = None
    attention: str | None = None
    layers: float | None = None
    hidden: float | None = None
    q_heads: float | None = None
    kv_heads: float | None = None
    head_dim: float | None = None
    kv_bytes_per_token_bf16: float | None = None
    kv_bytes_per_token_bf16_beyond_window: float | None = None
    kv_window_tokens: float | None = None
    context: float | None = None
    kv_layers: str | None = None
    vocabulary: float | None = None
    embeddings: str | None = None
    experts: float | None = None
    experts_per_token: float | None = None
    sixteen_bit: str | None = None
    source: str | None = None
    verified: str | None = None
    note: str | None = None


@dataclass(frozen=True)
class Engine:
    """One serving engine: its names and its marker shape in charts (a plotly symbol)."""

    slug: str
    name: str
    aliases: tuple[str, ...] = ()
    marker: str | None = None
    source: str | None = None


Named = TypeVar("Named", Accelerator, Model, Engine)


def slugified(text: str) -> str:
    """The text as a lower-case slug: letters, digits and dots, joined by single hyphens.

    The owner in front of a slash is dropped, as in a checkpoint's name.
    """
    last = text.strip().rsplit("/", 1)[-1]
    return re.sub(r"[^a-z0-9.]+", "-", last.lower()).strip("-.")


@cache
def accelerators() -> tuple[Accelerator, ...]:
    """Every known accelerator, in the order of data/accelerators.csv."""
    return _read("accelerators.csv", Accelerator)


@cache
def models() -> tuple[Model, ...]:
    """Every known model, in the order of data/models.csv."""
    return _read("models.csv", Model)


@cache
def engines() -> tuple[Engine, ...]:
    """Every known serving engine, in the order of data/engines.csv."""
    return _read("engines.csv", Engine)


def accelerator(slug: str) -> Accelerator | None:
    """The accelerator with this slug, or None."""
    return next((row for row in accelerators() if row.slug == slug), None)


def one_device_a_chip(slug: str | None) -> bool:
    """Whether this accelerator is known to have one device to a chip, so that a count of either is one of chips.

    False of a name that no row has: it may be that of a chip with two.
    """
    known = accelerator(slug) if slug else None
    return known is not None and known.devices_per_chip == 1


def is_machine(text: str) -> bool:
    """Whether this spelling is a cloud machine's: `ct6e-standard-8t` is a host of eight chips, so one is not a chip."""
    return MACHINE.search(text.strip().lower()) is not None


def model(slug: str) -> Model | None:
    """The model with this slug, or None."""
    return next((row for row in models() if row.slug == slug), None)


def engine(slug: str) -> Engine | None:
    """The engine with this slug, or None."""
    return next((row for row in engines() if row.slug == slug), None)


def slug(kind: str, text: str) -> str:
    """The canonical slug for any spelling of a model, a checkpoint, an accelerator or an engine.

    What no row spells is slugified as it stands.
    """
    spellings, last = _spellings(kind), text.rsplit("/", 1)[-1] if kind == "model" else text
    return spellings.get(_folded(text)) or spellings.get(_folded(last)) or slugified(text)


model_slug = partial(slug, "model")
accelerator_slug = partial(slug, "accelerator")
engine_slug = partial(slug, "engine")


def display_name(kind: str, slug: str) -> str:
    """The name people read for a slug of this kind (accelerator, model, engine); the slug itself when unknown."""
    return _display_names(kind).get(slug, slug)


KINDS = ("model", "accelerator", "engine")
"""What has canonical names: each is also the name of a fact and of a column."""


@cache
def offered(kind: str) -> Mapping[str, str]:
    """Every known slug of this kind with the name people read, in the order of those names; none for other kinds."""
    return dict(sorted(_display_names(kind).items(), key=lambda one: one[1].lower()))


def unknown(kind: str, text: str) -> str:
    """What it means that a name of this kind is not known, in one sentence; empty where it is known."""
    found = slug(kind, text)
    if not found or found in _display_names(kind):
        return ""
    return f"{found} is no known {kind}: it stands by itself, without {CONSEQUENCES[kind]}."


CONSEQUENCES = {
    "model": "the sizes and aliases of a known one",
    "accelerator": "memory, peak figures, a price and a colour of its own",
    "engine": "aliases and a marker of its own",
}


@cache
def _display_names(kind: str) -> dict[str, str]:
    return {row.slug: row.name for row in rows(kind)} if kind in {"accelerator", "model", "engine"} else {}


def matching(kind: str, text: str) -> tuple[str, ...]:
    """The slugs a filter value stands for: by slug, alias or family, without regard to case.

    A slug stands for itself alone. Any other value stands for the rows of that family, for the row with that
    spelling and, since a result may carry a name that no row has, for itself, slugified.
    """
    if any(row.slug == text.lower() for row in rows(kind)):
        return (text.lower(),)
    wanted = _folded(text)
    found = {row.slug for row in rows(kind) if wanted and _folded(getattr(row, "family", "")) == wanted}
    spelled = _spellings(kind).get(wanted)
    return tuple(sorted({*found, spelled or slugified(text)}))


def _folded(text: str) -> str:
    return re.sub(r"[^a-z0-9.]+", "", text.lower())


def rows(kind: str) -> tuple[Accelerator | Model | Engine, ...]:
    """Every known accelerator, model or engine, in the order of its file."""
    if kind == "accelerator":
        return accelerators()
    return models() if kind == "model" else engines()


@cache
def _spellings(kind: str) -> dict[str, str]:
    spellings: dict[str, str] = {}
    for row in rows(kind):
        for spelling in (row.slug, row.name, getattr(row, "checkpoint", None) or row.slug, *row.aliases):
            spellings.setdefault(_folded(spelling), row.slug)
    return spellings


@cache
def table(name: str) -> tuple[dict[str, str], ...]:
    """The rows of a table of data/ by its file's name, each a text by its column's name."""
    with (DATA / name).open(newline="", encoding="utf-8") as lines:
        return tuple(csv.DictReader(lines))


def _read(name: str, kind: type[Named]) -> tuple[Named, ...]:
    return tuple(kind(**_typed(kind, row)) for row in table(name))


def _typed(kind: type[Named], row: dict[str, str]) -> dict[str, Any]:
    typed: dict[str, Any] = {}
    for column in fields(kind):
        text = (row.get(column.name) or "").strip()
        declared = str(column.type)
        if column.name == "aliases":
            typed["aliases"] = tuple(alias.strip() for alias in text.split("|") if alias.strip())
        elif "float" in declared or "int" in declared:
            typed[column.name] = _number(text, whole="int" in declared)
        else:
            typed[column.name] = text or (None if "None" in declared else "")
    return typed


def _number(text: str, *, whole: bool) -> float | int | None:
    try:
        value = float(text)
    except ValueError:
        return None  # an absent fact, or one stated in words ("16 sliding / 4 global")
    return int(value) if whole else value
