"""One sentence of an answer: its part in it, a name for what it says, and the values and points it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from bench.basis.document import HIDDEN

Role = Literal["headline", "finding", "coverage", "caveat", "variation"]
Value = str | float | int | bool | None | list[Any] | tuple[Any, ...]


@dataclass(frozen=True)
class Statement:
    """A sentence. `kind` stays the same whatever the words are; `values` are what the sentence says in numbers.

    `point_ids` are the points it names or rests on: their flags stand in its text or beside it. A headline that `tells`
    says what was asked; any other says why that cannot be told. `flags` are the words of the flags of the points that
    it names, where a dagger in its text stands for them.
    """

    role: Role
    kind: str
    text: str
    values: Mapping[str, Value] = field(default_factory=dict)
    point_ids: tuple[str, ...] = ()
    tells: bool = field(default=True, metadata={HIDDEN: True})
    flags: tuple[str, ...] = field(default=(), metadata={HIDDEN: True})


def finding(kind: str, text: str, point_ids: Iterable[str] = (), **values: Value) -> Statement:
    """A further sentence of what was found."""
    return Statement("finding", kind, text, values, tuple(point_ids))


def caveat(kind: str, text: str, point_ids: Iterable[str] = (), **values: Value) -> Statement:
    """A sentence of what to know besides."""
    return Statement("caveat", kind, text, values, tuple(point_ids))


def coverage(kind: str, text: str, **values: Value) -> Statement:
    """A sentence of what enters and what is left out."""
    return Statement("coverage", kind, text, values)
