"""What ends a climb: each rule of a plan's [stop] is one module of this folder, found by listing it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, cast

from bench.sweep.planning.part import Part

if TYPE_CHECKING:
    from bench.formats.journal import PointLine

THROUGHPUT = "output_tokens_per_s"


@dataclass(frozen=True)
class Finished:
    """What the journal says about a measured point, or about a level's repeats together: requests and metrics."""

    key: str
    requests_ok: int
    requests_failed: int
    metrics: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, line: PointLine) -> Finished:
        """What a search is told of a point, its warm-up included; where it has no figure nothing ended well."""
        well = line.requests_ok + line.warmup_ok if line.measured else 0
        return cls(line.key, well, line.requests_failed + line.warmup_failed, line.metrics)


class Judgement(NamedTuple):
    """What a rule says of a level: whether it was sustained, and why the climb ends there; "" where it goes on."""

    sustained: bool = True
    why: str = ""


class StopRule(Protocol):
    """What every module of this folder has. Its FIELDS stand in [stop]; the rule holds where FIELD is stated.

    ON_A_GRID says that it has a meaning where no level is climbed, too. `judged` has the levels in ascending order.
    """

    FIELD: str
    ON_A_GRID: bool
    FIELDS: type[Part]

    def judged(self, stated: Any, levels: Sequence[Finished]) -> Judgement:
        """What the stated fields say of the last of these levels."""


@cache
def rules() -> tuple[StopRule, ...]:
    """Every rule, in the order in which they judge."""
    modules = [importlib.import_module(f"{__name__}.{one.name}") for one in pkgutil.iter_modules(__path__)]
    return cast(tuple[StopRule, ...], tuple(modules))


def stated(fields: Part | None) -> list[StopRule]:
    """The rules whose FIELD is not as it is where nobody states it."""
    return [one for one in rules() if fields and getattr(fields, one.FIELD) != getattr(one.FIELDS(), one.FIELD)]


def judged(fields: Part | None, levels: Sequence[Finished]) -> Judgement:
    """What all stated rules say of the last of these levels: the first that ends the climb, or else all of them."""
    if not levels[-1].requests_ok:
        return Judgement(False, "no request succeeded")
    verdicts = [rule.judged(fields, levels) for rule in stated(fields)]
    broken = (verdict for verdict in verdicts if verdict.why)
    return next(broken, Judgement(all(verdict.sustained for verdict in verdicts)))
