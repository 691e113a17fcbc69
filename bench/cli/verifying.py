"""`python -m bench verify`: the files of a library held against their sums; exit 1 when something is wrong."""

from __future__ import annotations

import argparse
from dataclasses import asdict

from bench.cli import output, progress
from bench.cli.arguments import Commands, command, opened
from bench.wording import counted, joined

SOUND, UNSOUND = 0, 1


def add_to(commands: Commands) -> None:
    """Describe this command to the parser."""
    parser = command(commands, "verify", "check every file of the library for damage", _verify)
    parser.more = "Every file is read to the last byte. Exit status: 0 sound, 1 something is wrong."


def _verify(arguments: argparse.Namespace) -> int:
    library = opened(arguments)
    with progress.bar("Checking files"):
        result = library.verify()
    if arguments.json:
        output.document({**asdict(result), "library_version": library.version})
        return UNSOUND if result.wrong else SOUND
    for one in result.wrong:
        output.line(f"{one.where}: {one.what} {one.do}")
    amounts = (counted(result.packs, "pack"), counted(result.sources, "source"), counted(result.entries, "ledger line"))
    wrong = counted(len(result.wrong), "thing is", "things are") if result.wrong else "nothing is"
    output.line(f"{joined(amounts)}: {wrong} wrong.")
    if result.without_sums:
        packs = counted(result.without_sums, "pack was", "packs were")
        output.remark(f"{packs} made before packs had sums, so most of it is not checked; `rebuild` makes sums.")
    if result.moved_aside:
        packs = counted(result.moved_aside, "damaged pack lies", "damaged packs lie")
        output.remark(f"{packs} in {library.path / 'damaged'}, where nobody reads it; delete it when you like.")
    return UNSOUND if result.wrong else SOUND
