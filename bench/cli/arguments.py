"""Arguments that several commands share, and `key=value` pairs."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from bench.errors import UsageError

if TYPE_CHECKING:
    from bench.library import Library

Commands: TypeAlias = "argparse._SubParsersAction[Parser]"


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are UsageErrors."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)

    def error(self, message: str) -> NoReturn:
        """Raise the complaint as a sentence that names the command's help."""
        raise UsageError(f"{message[:1].upper()}{message[1:]}; see `{self.prog} --help`.")


def add_place(parser: argparse.ArgumentParser) -> None:
    """Add the options of a command that needs no more of a library than its folder; `place` reads them."""
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument(
        "--library",
        type=Path,
        metavar="DIR",
        help="the library (default: $KNEEPOINT_LIBRARY, else ./library)",
    )


def shared() -> Parser:
    """The options every command on the library takes."""
    parser = Parser(add_help=False)
    add_place(parser)
    parser.add_argument(
        "--no-shipped", action="store_true", help="leave out the results that ship with Kneepoint"
    )
    return parser


def opened(arguments: argparse.Namespace) -> Library:
    """The library the arguments name."""
    from bench.library import Library

    return Library.open(arguments.library, shipped=not arguments.no_shipped)


def place(arguments: argparse.Namespace) -> Path:
    """The folder of the library the arguments name, which need not exist yet."""
    return Path(arguments.library or os.environ.get("KNEEPOINT_LIBRARY") or "library").absolute()


def pairs(texts: Iterable[str], example: str) -> list[tuple[str, str]]:
    """`key=value` texts taken apart at their first equals sign; UsageError for one without."""
    found = []
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"{text[:80]!r} is no key=value pair; write it as in {example}.")
        found.append((key.strip(), value.strip()))
    return found


def where(texts: Iterable[str]) -> dict[str, list[str]]:
    """The filters of a View from `key=value` texts; a key given again adds an alternative."""
    found: dict[str, list[str]] = {}
    for key, value in pairs(texts, "--where accelerator=h100"):
        found.setdefault(key, []).append(value)
    return found
