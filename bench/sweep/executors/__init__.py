"""Places to run load from: each is one module of this folder, found by listing it."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Protocol, cast

from bench.errors import UnknownName

if TYPE_CHECKING:
    from pathlib import Path

    from bench.sweep.generator.assignment import Assignment
    from bench.sweep.generator.live import RequestTally
    from bench.sweep.wire.exchange import PointRun


class Executor(Protocol):
    """What sends the load of one point after another."""

    @property
    def tally(self) -> RequestTally:
        """How the point under way is going, or how the last one went."""

    async def run(self, job: Assignment) -> tuple[list[Path], list[PointRun]]:
        """Where the raw samples lie and what each worker did; BenchError where one could not do its part."""

    async def close(self) -> None:
        """End what was begun for the load."""


class Place(Protocol):
    """What every module of this folder has. EXECUTOR gives one of so many load processes."""

    NAME: str
    EXECUTOR: Callable[[int], Executor]


@cache
def places() -> dict[str, Place]:
    """Every place by its name."""
    modules = [importlib.import_module(f"{__name__}.{one.name}") for one in pkgutil.iter_modules(__path__)]
    return {one.NAME: one for one in cast(list[Place], modules)}


def executor(name: str, workers: int) -> Executor:
    """An executor of so many load processes at the place of this name; UnknownName where there is none."""
    if name not in places():
        raise UnknownName("place to run load from", name, places())
    return places()[name].EXECUTOR(workers)
