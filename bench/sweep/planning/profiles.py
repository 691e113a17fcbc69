"""Profiles, which are plans with blanks: each is a file data/profiles/<name>.toml."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from bench.errors import UnknownName, UsageError

FOLDER = Path(__file__).resolve().parents[3] / "data" / "profiles"
REPLACED = ("workloads", "loads", "stop")
"""Tables of a profile that a plan states anew as a whole, or not at all; the others are laid over each other.

Fields of one workload go over those of the profile's only one: an isl alone keeps its osl.
"""
OF_FILES = ("prompts", "trace")
"""What a workload is read from; where that is stated, lengths below it say nothing."""

ENDS = ("requests", "requests_per_concurrency", "duration_s")
"""What says when a point ends: where one of them is stated anew, those under it no longer count."""


@dataclass(frozen=True)
class Profile:
    """A plan with blanks: its name, what it is for, and the fields it states."""

    name: str
    title: str
    about: str
    settings: Mapping[str, Any] = field(repr=False)


@cache
def profiles() -> tuple[Profile, ...]:
    """Every profile in data/profiles, by name."""
    return tuple(_read(path) for path in sorted(FOLDER.glob("*.toml")))


def profile(name: str) -> Profile:
    """The profile of this name; UnknownName when there is none."""
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
        raise UsageError(f"profile is {str(name)[:80]!r}; write one of {', '.join(p.name for p in profiles())}.")
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
            kept = {k: v for k, v in below.items() if not (own_end and k in ENDS)}
            merged[key] = kept | {k: _over_a_table(kept.get(k), v) for k, v in value.items()}
    return merged


def _over_a_table(below: Any, value: Any) -> Any:
    """A field, over the one below; a table such as an endpoint's headers adds to it."""
    return {**below, **value} if isinstance(below, Mapping) and isinstance(value, Mapping) else value


def _over_the_only(below: Any, value: Mapping[str, Any]) -> dict[str, Any]:
    """A workload's fields, over those of the one workload below where there is just one and neither is of a file."""
    rows = below if isinstance(below, list | tuple) else [below]
    only = rows[0] if len(rows) == 1 and isinstance(rows[0], Mapping) else {}
    of_files = any(name in row for name in OF_FILES for row in (only, value))
    return dict(value) if of_files else {**only, **value}


def _read(path: Path) -> Profile:
    settings = tomllib.loads(path.read_text(encoding="utf-8"))
    title, about = settings.pop("title"), settings.pop("about")
    return Profile(path.stem, title, about, settings)
