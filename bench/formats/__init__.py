"""Result formats: one module (or package) per format in this folder; adding one is adding a file.

A format module states NAME (a slug) and TITLE, and has `recognises(file)` and `read(file)`. Optional are
`companions(path)`, the files that belong to a main file, and `restated(paths)`, which of some files only sum up others.
Formats are recognised by content, never by file name.

    recognises      the keys that every version writes are a KeyShape: `recognises = by_keys(SHAPE)`
    read            opens the objects of the file as Fields, files their figures by formula into
                    `figures.of_point()` of a MetricCollector, makes a Point of each, and returns
                    `finished(file, points, figures, fields=objects)`; all of it is imported from `reading`

What holds for every tool is done there: figures that cannot be true together are refused; failures, latencies of 0, odd
lengths and loads are told; passports and what nobody read are handed over. `each_row` refuses a table's bad rows alone.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast, runtime_checkable

from bench.errors import InputError
from bench.formats.recognition import NoResult, Recognition

if TYPE_CHECKING:  # pyarrow behind them takes a tenth of a second, which who only writes a journal need not wait
    from bench.formats.reading import Reading, SourceFile

__all__ = ["Format", "NoResult", "Recognition", "companions", "modules", "recognise", "restated"]

SHOWN_NEAR, NEAR = 2, 0.4
"""So many formats are named as nearest, those of which a file has this share of the keys or more."""


@runtime_checkable
class Format(Protocol):
    """What a module in this folder states to be a result format."""

    NAME: str
    TITLE: str

    def recognises(self, file: SourceFile) -> Recognition:
        """How surely this file is in this format; looks at its outline or its beginning only."""

    def read(self, file: SourceFile) -> Reading:
        """What the file says, in the one vocabulary; InputError when it cannot be read."""


@cache
def modules() -> tuple[Format, ...]:
    """Every result format in this folder, by name."""
    names = sorted(found.name for found in pkgutil.iter_modules(__path__))
    loaded = [importlib.import_module(f"{__name__}.{name}") for name in names]
    return tuple(cast(Format, module) for module in loaded if isinstance(module, Format))


def companions(module: Format, path: Path) -> tuple[Path, ...]:
    """The files beside a main file that belong to it: its source card, and what else the format names."""
    from bench.formats.reading.source_card import card_path

    own = getattr(module, "companions", None)
    named = tuple(own(path)) if own else ()
    card = card_path(path)
    return (*named, card) if card.is_file() and card not in named else named


def restated(module: Format, paths: Sequence[Path]) -> Mapping[Path, Path]:
    """Those among a format's files that only sum up others of them, each with one that it sums up."""
    own = getattr(module, "restated", None)
    found: Mapping[Path, Path] = own(paths) if own else {}
    return found


def recognise(file: SourceFile) -> Format:
    """The most specific format that knows this file by its beginning, else by its first value to the end.

    Raises:
        NoResult: none does, and it is known what the file is and what to import instead.
        InputError: none does, with what it lacks of the nearest ones, or that it is not whole, or why not all of it was
            looked at; or two do.
    """
    from bench.formats.not_results import not_a_result
    from bench.formats.reading.outline import CUT_OFF

    recognitions, unread = _recognitions(file), None
    if not any(said.specificity for _, said in recognitions) and file.further is not None:
        try:
            recognitions = _recognitions(file.further)
            file = file.further
        except InputError as problem:
            unread = problem
    best = max((recognition.specificity for _, recognition in recognitions), default=0)
    winners = [module for module, recognition in recognitions if recognition.specificity == best]
    if best == 0:
        if (kind := not_a_result(file)) is not None:
            raise NoResult(f"{file.name} {kind.says}", kind.beside)
        if unread is not None:
            raise unread
        raise InputError(f"{file.name} {CUT_OFF if file.is_cut_off else _how_near(recognitions)}")
    if len(winners) > 1:
        titles = " and ".join(module.TITLE for module in winners)
        raise InputError(f"{file.name} could be {titles} alike; take out what makes it look like more than one.")
    return winners[0]


def _recognitions(file: SourceFile) -> list[tuple[Format, Recognition]]:
    return [(module, module.recognises(file)) for module in modules()]


def _how_near(found: Sequence[tuple[Format, Recognition]]) -> str:
    """The formats a file comes nearest to and what it lacks of them; where it is near none, what could be imported."""
    ordered = sorted(found, key=lambda pair: -pair[1].near)
    near = [f"{module.TITLE} ({said.why})" for module, said in ordered if said.near >= NEAR][:SHOWN_NEAR]
    if near:
        return f"is in no known result format; nearest is {' and '.join(near)}."
    return (
        "is in no known result format: it begins like no result of a tool that is read (python -m bench formats lists "
        "them), and a table needs the column model and one named as a metric, such as output_tokens_per_s."
    )
