"""Commands that check a library: audit, its figures against each other; verify, its files against their sums."""

from __future__ import annotations

import argparse
from dataclasses import asdict
from typing import TYPE_CHECKING

from bench import access
from bench.cli import output, progress
from bench.cli.arguments import Commands, command, opened
from bench.errors import NotFound, UsageError
from bench.wording import counted, joined

if TYPE_CHECKING:
    from bench.audit import Audit
    from bench.library import Library

FINE, WRONG = 0, 1
EVERY = "new"


def add_to(commands: Commands) -> None:
    """Describe these commands to the parser."""
    audit = command(commands, "audit", "find figures that contradict each other", _audit)
    audit.more = "Exit status: 0 nothing new, 1 something new."
    told = f"accept findings by the keys that `audit` lists; `{EVERY}` is every new one"
    audit.add_argument("--accept", nargs="+", metavar="KEY", default=[], help=told)
    audit.add_argument("--reason", help="why the findings are accepted")
    verify = command(commands, "verify", "check every file of the library for damage", _verify)
    verify.more = "Every file is read to the last byte. Exit status: 0 sound, 1 something is wrong."


def _audit(arguments: argparse.Namespace) -> int:
    from bench import audit

    library = opened(arguments)
    with progress.bar("Checking figures"):
        result = audit.run(library)
    if arguments.accept:
        _accept(library, result, arguments.accept, arguments.reason)
        with progress.bar("Checking figures again"):
            result = audit.run(library)
    output.remarks(library.incomplete())
    if arguments.json:
        output.document(result.document())
    else:
        _tell(result)
    return WRONG if result.many("new") else FINE


def _accept(library: Library, result: Audit, keys: list[str], reason: str | None) -> None:
    from bench.audit.finding import accept

    access.demand("annotate", access.Visitor.at_the_shell())
    if not reason:
        raise UsageError("--accept needs --reason, which says why the findings stay as they are.")
    new = [row.key for row in result.rows if row.status == "new"]
    wanted = new if keys == [EVERY] else keys
    unknown = next((key for key in wanted if key not in {row.key for row in result.rows}), None)
    if unknown is not None:
        raise NotFound(f"The audit has no finding {unknown[:80]!r}; `audit` lists their keys.")
    for key in wanted:
        accept(library, key, reason)
    output.remark(f"{counted(len(wanted), 'finding')} accepted.")


def _tell(result: Audit) -> None:
    output.line(result.headline)
    for row in result.rows:
        source = f"{row.finding.source}: " if row.finding.source else ""
        reason = f" ({row.reason})" if row.reason else ""
        output.line(f"{row.status:8}{row.key}  {row.check}  {source}{row.finding.text}{reason}")
    for check, many in result.unlisted.items():
        output.line(f"{many:,} more findings of {check} are not listed.")
    if result.interpolation:
        output.line(result.interpolation)


def _verify(arguments: argparse.Namespace) -> int:
    library = opened(arguments)
    with progress.bar("Checking files"):
        result = library.verify()
    if arguments.json:
        output.document({**asdict(result), "library_version": library.version})
        return WRONG if result.wrong else FINE
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
    return WRONG if result.wrong else FINE
