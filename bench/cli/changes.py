"""Commands that change a library: import, facts, retract, restore, annotate, tag, purge, rebuild."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from bench import access
from bench.cli import output, progress
from bench.cli.arguments import Commands, add_list, command, opened, pairs
from bench.wording import counted, joined

if TYPE_CHECKING:
    from bench.library import ImportReport, Library
    from bench.library.rebuilding import Rebuilt

SHOWN_REFUSALS = 20
SHOWN_OPEN = 20
SHOWN_KEYS = 8
SOURCE = "a source's id or its first 8 digits, as `sources` lists it"
ANY = "the id of a point or a score, or a source's first 8 digits"


def add_to(commands: Commands) -> None:
    """Describe the commands that change what was imported to the parser."""
    facts = command(commands, "facts", "state facts that the files of a source leave out", _facts)
    facts.add_argument("id", metavar="ID", help=SOURCE)
    facts.add_argument("facts", nargs="+", metavar="key=value", help="a fact; `key=` takes one back")
    retract = command(commands, "retract", "hide a point, a score or a source, and say why", _retract)
    retract.add_argument("id", metavar="ID", help=ANY)
    retract.add_argument("--reason", required=True, help="why; it is shown with the result")
    restore = command(commands, "restore", "show again what was retracted", _restore)
    restore.add_argument("id", metavar="ID", help="the id that was retracted")
    annotate = command(commands, "annotate", "add a note to a point, a score or a source", _annotate)
    annotate.add_argument("id", metavar="ID", help=ANY)
    annotate.add_argument("text", metavar="TEXT", help="the note")
    tag = command(commands, "tag", "add a tag to a point, a score or a source, or remove it", _tag)
    tag.add_argument("id", metavar="ID", help=ANY)
    tag.add_argument("tag", metavar="TAG", help="the tag")
    tag.add_argument("--remove", action="store_true", help="remove the tag")
    purge = command(commands, "purge", "delete a source for good, its files and its points", _purge)
    purge.add_argument("id", metavar="ID", help=SOURCE)
    purge.add_argument("--reason", required=True, help="why; whoever imports the file again is told")
    command(commands, "rebuild", "read every imported file again, as after an upgrade", _rebuild)


def add_import(commands: Commands) -> None:
    """Describe the command `import` to the parser."""
    parser = command(commands, "import", "import result files of benchmark tools", _import)
    told = "a result file, or a folder or an archive of them"
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help=told)
    told = "facts that the files do not state, such as accelerator=h100-sxm accelerators=8"
    add_list(parser, "--set", "key=value", told, "facts")
    parser.add_argument("--dry-run", action="store_true", help="say what would be imported, and import nothing")
    parser.add_argument("--force", action="store_true", help="import a source that was purged, too")


def _import(arguments: argparse.Namespace) -> int:
    access.demand("import", access.Visitor.at_the_shell())
    from bench.library.importing.sandbox import take_in

    facts = dict(pairs(arguments.facts, "--set accelerator=h100-sxm, after the files"))
    library = opened(arguments)
    with progress.bar("Looking for result files") as bar:
        report = take_in(
            library,
            arguments.paths,
            facts_of={"": facts},
            dry_run=arguments.dry_run,
            force=arguments.force,
            progress=bar.show,
        )
    if arguments.json:
        output.document(report.document())
    else:
        _tell(report, library, dry_run=arguments.dry_run)
    named = {str(path) for path in arguments.paths}
    whole = {refusal.file for refusal in report.refused if refusal.row is None and not refusal.further}
    return 1 if whole & named or not (report.imported or report.already or report.models) else 0


def _tell(report: ImportReport, library: Library, *, dry_run: bool) -> None:
    from bench.library import report_by_file
    from bench.library.store import short

    verb = "would be imported" if dry_run else "imported"
    for source in report.imported:
        held = [counted(source.points, "point")] if source.points or not source.scores else []
        held += [counted(source.scores, "score")] if source.scores else []
        output.line(f"{source.file}: {' and '.join(held)} {verb} (format {source.format}, id {source.sha256[:12]}).")
    for model in report.models:
        output.line(model.sentence(dry_run=dry_run))
    for sentence in report_by_file.replacements(report, library, dry_run=dry_run):
        output.line(sentence)
    for known in report.already:
        output.line(f"{known.file}: already in the library (id {short(known.sha256)}).")
    for sentence in report.said_of_taken_over(dry_run=dry_run):
        output.line(sentence)
    _tell_open(report, dry_run=dry_run)
    if aside := report.said_of_no_results():
        output.line(aside)
    for refusal in report.refused[:SHOWN_REFUSALS]:
        output.line(f"{refusal.file}: {refusal.reason}")
    shown = sum(refusal.many for refusal in report.refused[:SHOWN_REFUSALS])
    if report.refusals > shown:
        every = "all" if report.refusals == len(report.refused) else f"{len(report.refused):,}"
        output.line(f"… and {report.refusals - shown:,} more refusals; --json lists {every} of them.")


def _tell_open(report: ImportReport, *, dry_run: bool) -> None:
    """Print what the files leave open and what of them was not read, a line for each."""
    left_open: dict[tuple[str, str], list[str]] = {}
    for missing in report.missing_facts:
        left_open.setdefault((missing.file, missing.sha256), []).append(missing.fact)
    for (file, sha256), names in list(left_open.items())[:SHOWN_OPEN]:
        command = "--set" if dry_run else f"facts {sha256[:12]}"
        stated = " ".join(f"{name}=…" for name in names)
        output.line(f"{file}: without {joined(names)}; state what you know with `{command} {stated}`.")
    if len(left_open) > SHOWN_OPEN:
        output.line(f"… and {len(left_open) - SHOWN_OPEN:,} more files leave facts open; --json lists them all.")
    for odd in report.not_understood[:SHOWN_OPEN]:
        many = len(odd.keys) + odd.beyond
        named = ", ".join(odd.keys[:SHOWN_KEYS]) + (", …" if many > SHOWN_KEYS else "")
        output.line(f"{odd.file}: {counted(many, 'key')} not understood ({named}).")


def _facts(arguments: argparse.Namespace) -> int:
    facts = {key: value or None for key, value in pairs(arguments.facts, "accelerator=h100-sxm")}
    return _changed(arguments, "facts", lambda library: library.set_facts(arguments.id, facts), facts=facts)


def _retract(arguments: argparse.Namespace) -> int:
    reason = arguments.reason
    return _changed(arguments, "retract", lambda library: library.retract(arguments.id, reason), reason=reason)


def _restore(arguments: argparse.Namespace) -> int:
    return _changed(arguments, "restore", lambda library: library.restore(arguments.id))


def _annotate(arguments: argparse.Namespace) -> int:
    text = arguments.text
    return _changed(arguments, "annotate", lambda library: library.annotate(arguments.id, text), text=text)


def _tag(arguments: argparse.Namespace) -> int:
    tag, remove = arguments.tag, arguments.remove
    action = "untag" if remove else "tag"
    return _changed(arguments, action, lambda library: library.tag(arguments.id, tag, remove=remove), tag=tag)


def _purge(arguments: argparse.Namespace) -> int:
    reason = arguments.reason
    return _changed(arguments, "purge", lambda library: library.purge(arguments.id, reason), reason=reason)


def _rebuild(arguments: argparse.Namespace) -> int:
    access.demand("import", access.Visitor.at_the_shell())
    library = opened(arguments)
    with progress.bar("Reading the files again"):
        done = library.rebuild()
    if arguments.json:
        output.document(
            {
                "action": "rebuild",
                "sources": done.sources,
                "unread": len(done.unread),
                "why": dict(done.unread),
                "moved_aside": dict(done.moved_aside),
                "library_version": library.version,
            }
        )
    else:
        _tell_rebuilt(done, library.path)
    return 1 if done.unread else 0


def _tell_rebuilt(done: Rebuilt, place: Path) -> None:
    output.line(f"{counted(done.sources, 'source')} read again from the files they came in.")
    for reason in done.moved_aside.values():
        output.line(f"Moved to {place / 'damaged'}: {reason.partition(';')[0]}.")
    if done.unread:
        kept = "keeps the rows it has" if len(done.unread) == 1 else "keep the rows they have"
        output.line(f"{counted(len(done.unread), 'source')} could not be read any more and {kept}:")
    for source_id, reason in done.unread.items():
        output.line(f"{source_id[:12]}: {reason}")


DONE: Mapping[str, tuple[access.Action, str]] = {
    "facts": ("facts", "has these facts now"),
    "retract": ("retract", "is hidden"),
    "restore": ("retract", "is visible again"),
    "annotate": ("annotate", "has the note now"),
    "tag": ("annotate", "has the tag now"),
    "untag": ("annotate", "has the tag no longer"),
    "purge": ("purge", "is deleted for good"),
}
"""What each change asks of who makes it, and what is true of the result after it."""


def _changed(arguments: argparse.Namespace, action: str, change: Callable[[Library], None], **detail: object) -> int:
    asks, done = DONE[action]
    access.demand(asks, access.Visitor.at_the_shell())
    with progress.bar("Changing the library"):
        library = opened(arguments)
        change(library)
    if arguments.json:
        output.document({"action": action, "id": arguments.id, **detail, "library_version": library.version})
    else:
        output.line(f"{arguments.id} {done}.")
    return 0
