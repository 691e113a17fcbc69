"""Profiles, which are plans with blanks, and the searches: which point comes next, or why there is none.

A profile is a file data/profiles/<name>.toml. A search is a pure function of the plan and of the points measured so
far, whatever their order: resuming a sweep replays its journal through it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.errors import UnknownName, UsageError
from bench.records import Load
from bench.sweep import ramp
from bench.sweep.ramp import Finished, Sustained
from bench.sweep.shapes import MOST_TOKENS, Length, PlannedPoint, Shape

if TYPE_CHECKING:
    from bench.sweep.plan import Plan

FOLDER = Path(__file__).resolve().parents[2] / "data" / "profiles"
REPLACED = ("workloads", "loads", "stop")
"""Tables of a profile that a plan states anew as a whole, or not at all; the others are laid over each other.

Fields of one workload go over those of the profile's only one: an isl alone keeps its osl.
"""
OF_FILES = ("prompts", "trace")
"""What a workload is read from; where that is stated, lengths below it say nothing."""

ENDS = ("requests", "requests_per_concurrency", "duration_s")
"""What says when a point ends: where one of them is stated anew, those under it no longer count."""

CONTEXT_SHARE, CONTEXT_TOKENS = 0.02, 4
"""An input may be this much longer than asked for, by share or by tokens, and must still fit."""

LEAST_STEP = 1.25
"""The last input, which fills the context, is only worth a point when it is so much longer than the one before."""


@dataclass(frozen=True)
class Profile:
    """A plan with blanks: its name, what it is for, and the fields it states."""

    name: str
    title: str
    about: str
    settings: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True)
class Stop:
    """Why no point comes next, in a sentence, and the highest level each shape sustained where levels were climbed."""

    reason: str
    sustained: tuple[Sustained, ...] = ()


@cache
def profiles() -> tuple[Profile, ...]:
    """Every profile in data/profiles, by name."""
    return tuple(_read(path) for path in sorted(FOLDER.glob("*.toml")))


def profile(name: str) -> Profile:
    """The profile of this name.

    Raises:
        UnknownName: there is none.
    """
    found = next((known for known in profiles() if known.name == name), None)
    if found is None:
        raise UnknownName("profile", name, [known.name for known in profiles()])
    return found


def filled(stated: Mapping[str, Any]) -> dict[str, Any]:
    """What is stated, laid over the profile it names; without one, as it stands.

    Where the stated fields say when a point ends, the profile's own ends no longer count.
    """
    settings = dict(stated)
    name = settings.pop("profile", None)
    if name is None:
        return settings
    if not isinstance(name, str):
        raise UsageError(
            f"profile is {str(name)[:80]!r}; write one of {', '.join(p.name for p in profiles())}."
        )
    chosen = profile(name)
    return laid_over({"title": chosen.title, "based_on": chosen.name, **chosen.settings}, settings)


def laid_over(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """What is under with what is over it: table by table, or as a whole for those of REPLACED."""
    merged = dict(under)
    for key, value in over.items():
        below = under.get(key)
        if key == "workloads" and isinstance(value, Mapping):
            merged[key] = _over_the_only(below, value)
        elif key in REPLACED or not (isinstance(below, Mapping) and isinstance(value, Mapping)):
            merged[key] = value
        else:
            own_end = key == "point" and any(end in value for end in ENDS)
            merged[key] = {k: v for k, v in below.items() if not (own_end and k in ENDS)} | dict(value)
    return merged


def _over_the_only(below: Any, value: Mapping[str, Any]) -> dict[str, Any]:
    """A workload's fields, over those of the one workload below where there is just one and neither is of a file."""
    rows = below if isinstance(below, list | tuple) else [below]
    only = rows[0] if len(rows) == 1 and isinstance(rows[0], Mapping) else {}
    of_files = any(name in row for name in OF_FILES for row in (only, value))
    return dict(value) if of_files else {**only, **value}


def next_load(plan: Plan, finished: Sequence[Finished]) -> PlannedPoint | Stop:
    """The point to measure next, or why there is none; the same for the same plan and points, in any order."""
    return SEARCHES[plan.search](plan, {point.key: point for point in finished})


def possible(plan: Plan) -> tuple[PlannedPoint, ...]:
    """Every point the plan may come to measure; what climbs may end before."""
    if plan.search not in CLIMBS:
        return plan.points()
    return tuple(point for climb in CLIMBS[plan.search](plan) for point in climb)


def doublings(shape: Shape, context_tokens: int | None) -> Iterator[Shape]:
    """The shape with its isl doubled until the context is full; the last one fills it.

    Without a known limit it goes on to the longest length a plan may state.
    """
    if shape.isl is None or shape.osl is None:
        return
    left = (context_tokens or 2 * MOST_TOKENS) - shape.osl.most
    room = min(int(left / (1 + CONTEXT_SHARE)), left - CONTEXT_TOKENS, MOST_TOKENS)
    length = shape.isl.a
    while length <= room:
        yield replace(shape, isl=Length("fixed", length))
        if length * 2 > room and context_tokens and room >= length * LEAST_STEP:
            yield replace(shape, isl=Length("fixed", room))
        length *= 2


def _grid(plan: Plan, finished: Mapping[str, Finished]) -> PlannedPoint | Stop:
    missing = next((point for point in plan.points() if point.key not in finished), None)
    return missing or Stop(f"Every one of the {len(plan.points()):,} points is measured.")


def _climb(plan: Plan, finished: Mapping[str, Finished]) -> PlannedPoint | Stop:
    walks = []
    for points in CLIMBS[plan.search](plan):
        walk = ramp.climbed(points, finished, plan.stop, plan.repeats)
        if walk.next is not None:
            return walk.next
        walks.append(walk)
    return Stop(
        " ".join(dict.fromkeys(walk.reason for walk in walks)),
        tuple(walk.sustained for walk in walks if walk.sustained is not None),
    )


def _by_load(plan: Plan) -> Iterator[list[PlannedPoint]]:
    """For each shape, the levels of each kind of load, each as often as it is repeated."""
    for shape in plan.shapes:
        for _, loads in groupby(plan.levels(shape), key=lambda load: load.load_kind):
            yield [point for load in loads for point in _repeated(plan, shape, load)]


def _by_length(plan: Plan) -> Iterator[list[PlannedPoint]]:
    """For each shape and load, ever longer inputs, each as often as it is repeated."""
    for shape in plan.shapes:
        longer = tuple(doublings(shape, plan.context_tokens))
        for load in plan.levels(shape):
            yield [point for step in longer for point in _repeated(plan, step, load)]


def _repeated(plan: Plan, shape: Shape, load: Load) -> Iterator[PlannedPoint]:
    return (PlannedPoint(shape, load, repeat) for repeat in range(1, plan.repeats + 1))


CLIMBS: Mapping[str, Callable[[Plan], Iterator[list[PlannedPoint]]]] = {
    "ramp": _by_load,
    "context": _by_length,
}

SEARCHES: Mapping[str, Callable[[Plan, Mapping[str, Finished]], PlannedPoint | Stop]] = {
    "grid": _grid,
    **dict.fromkeys(CLIMBS, _climb),
}


def _read(path: Path) -> Profile:
    settings = tomllib.loads(path.read_text(encoding="utf-8"))
    title, about = settings.pop("title"), settings.pop("about")
    return Profile(path.stem, title, about, settings)
