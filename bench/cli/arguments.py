"""Arguments that several commands share, and `key=value` pairs."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

from bench.errors import UnknownName, UsageError
from bench.names import DATA

if TYPE_CHECKING:
    from bench.library import Library

Commands: TypeAlias = "argparse._SubParsersAction[Parser]"
RunCommand: TypeAlias = Callable[[argparse.Namespace], int]
PROGRAM = "python -m bench"
EXAMPLES = (DATA / "command_examples.txt").read_text(encoding="utf-8").splitlines()
SWEEP = "a sweep's id, or the end of it, as `sweeps` lists it"


class Parser(argparse.ArgumentParser):
    """An argument parser whose complaints are UsageErrors, and whose help ends with `more` and with examples."""

    more = ""

    def __init__(self, **settings: Any) -> None:
        super().__init__(allow_abbrev=False, **settings)

    def format_help(self) -> str:
        """The help as it is printed."""
        shown = [f"  {PROGRAM} {one}" for one in examples(self.prog.removeprefix(PROGRAM).strip())]
        blocks = [super().format_help().rstrip(), self.more, "\n".join(["Examples:", *shown])]
        return "\n\n".join(block for block in blocks if block) + "\n"

    def error(self, message: str) -> NoReturn:
        """Raise the complaint as a sentence that names the command's help."""
        raise UsageError(f"{message[:1].upper()}{message[1:]}; see `{self.prog} --help`.")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """What is given, and nothing left over: a word too many is told with the nearest that exists."""
        stated, rest = super().parse_known_args(args, namespace)
        if rest and rest[0].startswith("--"):
            shown = [action for action in self._actions if action.help != argparse.SUPPRESS]
            known = [word[2:] for action in shown for word in action.option_strings if word.startswith("--")]
            name = rest[0][2:].partition("=")[0]
            raise UnknownName(f"option of {self.prog.split()[-1]}", name, known, f"{self.prog} --help")
        if rest:
            self.error(f"{rest[0][:80]!r} belongs to no option")
        return stated, rest

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            raise UnknownName(action.dest, str(value), map(str, action.choices))


def examples(command: str) -> list[str]:
    """The examples of a command, such as `ask pareto`; the first three for whoever asks for none."""
    return [one for one in EXAMPLES if f"{one} ".startswith(f"{command} ")] if command else EXAMPLES[:3]


def command(commands: Commands, name: str, does: str, run: RunCommand, *, library: bool = True) -> Parser:
    """The parser of a command, which does what `does` says; with `library` it reads one, not only its folder."""
    parser = commands.add_parser(name, help=does, description=f"{does[:1].upper()}{does[1:]}.")
    add_place(parser, shipped=library)
    parser.set_defaults(run=run)
    return parser


def add_place(parser: argparse.ArgumentParser, shipped: bool = False) -> None:
    """Add the options of a command that needs no more of a library than its folder; `place` reads them."""
    group = parser.add_argument_group("output and library")
    group.add_argument("--json", action="store_true", help="print one JSON document")
    group.add_argument(
        "--library", type=Path, metavar="DIR", help="the library (default: $KNEEPOINT_LIBRARY, else ./library)"
    )
    if shipped:
        group.add_argument("--no-shipped", action="store_true", help="leave out the results that ship with Kneepoint")


def opened(arguments: argparse.Namespace) -> Library:
    """The library the arguments name."""
    from bench.library import Library

    return Library.open(arguments.library, shipped=not arguments.no_shipped)


def place(arguments: argparse.Namespace) -> Path:
    """The folder of the library the arguments name, which need not exist yet."""
    return Path(arguments.library or os.environ.get("KNEEPOINT_LIBRARY") or "library").absolute()


def pairs(texts: Iterable[str], example: str) -> list[tuple[str, str]]:
    """`key=value` texts taken apart at their first equals sign; UsageError for one without."""
    split = []
    for text in texts:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"{text[:80]!r} is no key=value pair; write it as in {example}.")
        split.append((key.strip(), value.strip()))
    return split


def add_where(parser: Parser) -> None:
    """Add the filters of a View, which `where` reads."""
    add_list(parser, "--where", "key=value", "filters, as in a link; a key given twice takes either value")


def add_list(parser: argparse.ArgumentParser, flag: str, shown: str, told: str, dest: str | None = None) -> None:
    """Add an option that takes several values, and may be given again."""
    parser.add_argument(flag, nargs="+", action="extend", default=[], metavar=shown, help=told, dest=dest or flag[2:])


def where(texts: Iterable[str]) -> dict[str, list[str]]:
    """The filters of a View from `key=value` texts; a key given again adds an alternative."""
    found: dict[str, list[str]] = {}
    for key, value in pairs(texts, "--where accelerator=h100"):
        found.setdefault(key, []).append(value)
    return found
