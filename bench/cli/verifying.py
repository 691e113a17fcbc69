"""`python -m bench verify`: the files of a library held against their sums; exit 1 when something is wrong."""

from __future__ import annotations

import argparse

from bench.cli import output
from bench.cli.arguments import Commands, opened, shared
from bench.wording import counted, joined

SOUND, UNSOUND = 0, 1


def add_to(commands: Commands) -> None:
    """Describe this command to the parser."""
    verify = commands.add_parser(
        "verify", parents=[shared()], help="hold the files of the library against their sums",
        description="Read every pack, source and ledger to the last byte. Exit status: 0 sound, 1 something is wrong.",
    )  # fmt: skip
    verify.set_defaults(run=_verify)


def _verify(arguments: argparse.Namespace) -> int:
    library = opened(arguments)
    found = library.verify()
    if arguments.json:
        output.document({**found.document(), "library_version": library.version})
        return UNSOUND if found.wrong else SOUND
    for one in found.wrong:
        output.line(f"{one.where}: {one.what} {one.do}")
    amounts = (counted(found.packs, "pack"), counted(found.sources, "source"),
               counted(found.entries, "ledger line"))  # fmt: skip
    wrong = counted(len(found.wrong), "thing is", "things are") if found.wrong else "nothing is"
    output.line(f"{joined(amounts)}: {wrong} wrong.")
    if found.without_sums:
        packs = counted(found.without_sums, "pack was", "packs were")
        output.remark(
            f"{packs} made before packs had sums, so most of it is not checked; `rebuild` makes sums."
        )
    if found.young:
        sources = counted(found.young, "source without rows", "sources without rows")
        output.remark(
            f"{sources} came within the last minute and may still be on the way in: verify again in a minute."
        )
    if found.moved_aside:
        packs = counted(found.moved_aside, "damaged pack lies", "damaged packs lie")
        output.remark(
            f"{packs} in {library.path / 'damaged'}, where nobody reads it; delete it when you like."
        )
    return UNSOUND if found.wrong else SOUND
