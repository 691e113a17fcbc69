"""The shape of a model: what data/models.csv publishes of it, read into layers, experts and what stays at 16 bit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from bench import names
from bench.library import Library
from bench.maths.model_shape import BESIDE, FULL, LATENT, STATE, WINDOW, LayerGroup, ModelShape, routed_params

BILLION = 1e9
BF16 = 2

PLAIN = ("GQA", "MHA", "MQA")
"""Attention that layers, KV heads and their size say all of."""

KV_LAYERS = re.compile(
    r"(?P<layers>\d+) (?:x (?P<heads>\d+) x (?P<size>\d+) x (?P<stored>[12])(?: window (?P<window>\d+))?"
    r"|latent (?P<latent>\d+)\+(?P<rope>\d+)(?: of (?P<keys>\d+)\+(?P<values>\d+))?"
    r"|state (?P<state>\d+) of (?P<state_heads>\d+)"
    r"|compressed (?P<compressed>\d+)|index (?P<index>\d+) of (?P<index_heads>\d+)"
    r"|kept (?P<kept>\d+))"
    r"(?: every (?P<every>\d+))?(?: top (?P<top>\d+))?"
)
"""One part of the column kv_layers: layers x KV heads x head size x (K and V 2, stored once 1), with a window's tokens;
layers with a latent of kv_lora_rank + rope size, whose K and V have so many values for each query head in a prompt;
layers with a state of so many bytes, divided over so many heads; and what layers keep beside: compressed entries of so
many values, an indexer's key, of whose queries there are so many heads, or a state of so many bytes that a step adds
to. An entry is kept for `every` so many tokens, and a step reads the `top` so many."""

ALL_BUT_EXPERTS = "all but experts"
COMPUTED = "parameters computed from its shapes"
"""What the column note has where no maker prints their number."""


def of(library: Library, model: str | None) -> ModelShape | None:
    """The shape of a model: as its config.json in the library has it, else as data/models.csv does; None where neither
    knows it."""
    return (library.model_shape(model) if model else None) or known(model)


def known(model: str | None) -> ModelShape | None:
    """The shape of the model with this slug as data/models.csv has it; None where no row is the model's."""
    row = names.model(model) if model else None
    if row is None:
        return None
    total, active = _billions(row.total_params_b), _billions(row.active_params_b)
    experts, per_token = _whole(row.experts), _whole(row.experts_per_token)
    is_moe = bool(experts) or (row.type or "").startswith("MoE")
    routed: float | None = None if is_moe else 0.0
    if total and active and experts and per_token:
        routed = routed_params(total, active, experts, per_token)
    table, tables = (row.hidden or 0) * (row.vocabulary or 0), {"tied": 1, "separate": 2}.get(row.embeddings or "", 0)
    kept = table * tables
    if row.sixteen_bit == ALL_BUT_EXPERTS and total and routed:
        kept = total - routed
    return ModelShape(
        name=row.slug,
        total_params=total,
        active_params=active,
        groups=tuple(_groups(row)),
        hidden=_whole(row.hidden),
        vocabulary=_whole(row.vocabulary),
        context=_whole(row.context),
        experts=experts,
        experts_per_token=per_token,
        routed_params=routed,
        sixteen_bit_params=kept,
        lookup_params=table if tables == 2 else 0.0,
        has_computed_params=COMPUTED in (row.note or ""),
        source=row.source or "",
    )


def _groups(row: names.Model) -> Iterator[LayerGroup]:
    """What the layers cache, as kv_layers says it, else the layers' number and sizes; none where that is not known."""
    queries = _whole(row.q_heads) or 0
    if row.kv_layers:
        for part in row.kv_layers.split(" + "):
            yield _group(part, queries)
    elif row.attention in PLAIN and row.layers and row.kv_heads and row.head_dim:
        heads, size = int(row.kv_heads), int(row.head_dim)
        yield LayerGroup(FULL, int(row.layers), 2 * heads * size, heads, attention_width=2 * queries * size)
    elif row.attention in (*PLAIN, "MLA") and row.layers and row.kv_bytes_per_token_bf16:
        layers = int(row.layers)
        yield LayerGroup(
            LATENT if row.attention == "MLA" else FULL, layers, int(row.kv_bytes_per_token_bf16 / BF16 / layers)
        )


def _group(text: str, queries: int) -> LayerGroup:
    """One part of kv_layers."""
    found = KV_LAYERS.fullmatch(text)
    if found is None:
        raise ValueError(f"kv_layers has {text!r}, which is no group of layers.")
    number = {key: int(value) for key, value in found.groupdict().items() if value is not None}
    stored = _stored(number, queries)
    return replace(stored, every=number.get("every", 1), read=number.get("top", stored.read))


def _stored(number: Mapping[str, int], queries: int) -> LayerGroup:
    """What the layers of one part store of each entry, and multiply with it."""
    layers = number["layers"]
    if "latent" in number:
        latent, rope = number["latent"], number["rope"]
        unfolded = queries * (number["keys"] + number["values"]) if "keys" in number else None
        width = queries * (2 * latent + rope)
        return LayerGroup(LATENT, layers, latent + rope, attention_width=width, prompt_width=unfolded)
    if "state" in number:
        return LayerGroup(STATE, layers, heads=number["state_heads"], state_bytes=number["state"])
    if "compressed" in number:
        size = number["compressed"]
        return LayerGroup(BESIDE, layers, size, attention_width=2 * queries * size)
    if "index" in number:
        size = number["index"]
        return LayerGroup(BESIDE, layers, size, attention_width=number["index_heads"] * size)
    if "kept" in number:
        return LayerGroup(BESIDE, layers, state_bytes=number["kept"], read=0)
    heads, size = number["heads"], number["size"]
    return LayerGroup(
        WINDOW if "window" in number else FULL,
        layers,
        heads * size * number["stored"],
        heads,
        number.get("window"),
        attention_width=2 * queries * size,
    )


def _billions(value: float | None) -> float | None:
    return value * BILLION if value else None


def _whole(value: float | None) -> int | None:
    return int(value) if value else None
