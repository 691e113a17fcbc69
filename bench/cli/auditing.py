"""`python -m bench audit`: the figures of a library held against each other; exit 1 when something new is found."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from bench import access
from bench.cli import output, progress
from bench.cli.arguments import Commands, command, opened
from bench.errors import NotFound, UsageError
from bench.wording import counted

if TYPE_CHECKING:
    from bench.audit import Audit
    from bench.library import Library

NOTHING_NEW, SOMETHING_NEW = 0, 1
EVERY = "new"


def add_to(commands: Commands) -> None:
    """Describe this command to the parser."""
    audit = command(commands, "audit", "find figures that contradict each other", _audit)
    audit.more = "Exit status: 0 nothing new, 1 something new."
    told = f"accept findings by the keys that `audit` lists; `{EVERY}` is every new one"
    audit.add_argument("--accept", nargs="+", metavar="KEY", default=[], help=told)
    audit.add_argument("--reason", help="why the findings are accepted")


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
    return SOMETHING_NEW if result.many("new") else NOTHING_NEW


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
