"""The points of a View as files for other programs: one module for each export, found by listing this folder.

Every such module states FORMATS. What several write rows with lies in `rows`; a server's readers get their files from
`serving`.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from bench.errors import UnknownName, UsageError
from bench.holdings.tables import FILE_POINTS
from bench.wording import counted

if TYPE_CHECKING:
    from bench.library import Library
    from bench.view import View


@dataclass(frozen=True)
class LeftOut:
    """How many of the selected points a file does not hold, and what those are: words that follow "12 points"."""

    points: int
    why: str

    def __str__(self) -> str:
        return f"Left out: {counted(self.points, 'point')} {self.why}."


@dataclass(frozen=True)
class ExportFormat:
    """A kind of file that holds the points of a View.

    `mime` is its media type, `write` gives its bytes, `about` is a sentence on what is in it and what it is for.
    `demand` raises UsageError where what is selected cannot be one file, before anything of it is written.
    `left_out` tells which of the selected points the file will not hold, each point once.
    """

    name: str
    title: str
    ending: str
    mime: str
    write: Callable[[Library, View], bytes]
    about: str = ""
    demand: Callable[[Library, View], None] = lambda library, view: None
    left_out: Callable[[Library, View], tuple[LeftOut, ...]] = lambda library, view: ()

    def file_name(self, stem: str) -> str:
        """The name of a file of this format: what it holds, the format, and the ending once."""
        return f"{stem}-{self.name.removesuffix(f'-{self.ending[1:]}')}{self.ending}"


@cache
def formats() -> dict[str, ExportFormat]:
    """Every format that a module in this folder states, by name."""
    names = sorted(one.name for one in pkgutil.iter_modules(__path__) if not one.ispkg)
    modules = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return {one.name: one for module in modules for one in module.FORMATS}


def demand_few(points: int) -> None:
    """Raise UsageError where so many points are more than a server writes at once."""
    if points > FILE_POINTS:
        raise UsageError(
            f"{points:,} points are selected, and {FILE_POINTS:,} are exported at once: narrow the selection, or use "
            "`python -m bench export`, which has no limit."
        )


def format_named(name: str) -> ExportFormat:
    """The format of this name; UnknownName where there is none."""
    if name not in formats():
        raise UnknownName("format", name, formats())
    return formats()[name]
