"""Commands that change a library: import, facts, retract, restore, annotate, tag, purge, rebuild."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from bench import access
from bench.cli import output
from bench.cli.arguments import Commands, Parser, opened, pairs, shared
from bench.wording import counted, joined

if TYPE_CHECKING:
    from bench.library import ImportReport, Library
    from bench.library.rebuilding import Rebuilt

SHOWN_REFUSALS = 20
SHOWN_OPEN = 20
SHOWN_KEYS = 8


def add_to(commands: Commands) -> None:
    """Describe these commands to the parser."""
    _add_import(commands)
    facts = _command(commands, "facts", "state facts about a source, such as accelerator=h100-sxm", _facts)
    facts.add_argument("id", help="the source's id or its first 8 digits")
    facts.add_argument("facts", nargs="+", metavar="key=value", help="a fact; `key=` takes one back")
    retract = _command(commands, "retract", "hide a point, a score or a source, with the reason", _retract)
    retract.add_argument("id", help="an id; a source's first 8 digits suffice")
    retract.add_argument("--reason", required=True, help="why; it is shown to whoever looks for the result")
    restore = _command(commands, "restore", "show again what was retracted", _restore)
    restore.add_argument("id", help="the id that was retracted")
    annotate = _command(commands, "annotate", "put a note beside a point, a score or a source", _annotate)
    annotate.add_argument("id", help="an id; a source's first 8 digits suffice")
    annotate.add_argument("text", help="the note")
    tag = _command(commands, "tag", "put a tag on a point, a score or a source, or take it off", _tag)
    tag.add_argument("id", help="an id; a source's first 8 digits suffice")
    tag.add_argument("tag", help="the tag, such as 'rerun wanted'")
    tag.add_argument("--remove", action="store_true", help="take the tag off")
    purge = _command(commands, "purge", "delete a source's bytes and rows for good", _purge)
    purge.add_argument("id", help="the source's id or its first 8 digits")
    purge.add_argument("--reason", required=True, help="why; it is told to whoever imports the file again")
    _command(commands, "rebuild", "read every imported file again, such as after an upgrade", _rebuild)


def _add_import(commands: Commands) -> None:
    parser = _command(commands, "import", "read result files into the library", _import)
    parser.add_argument(
        "paths", nargs="+", type=Path, metavar="PATH", help="a result file, a folder or an archive of them"
    )
    parser.add_argument(
        "--set", nargs="+", action="extend", default=[], metavar="key=value", dest="facts",
        help="facts the files do not state, such as accelerator=h100-sxm accelerators=8",
    )  # fmt: skip
    parser.add_argument("--dry-run", action="store_true", help="read and report, change nothing")
    parser.add_argument("--force", action="store_true", help="bring back a source that was purged")


def _command(commands: Commands, name: str, told: str, run: Callable[[argparse.Namespace], int]) -> Parser:
    parser = commands.add_parser(
        name, parents=[shared()], help=told, description=f"{told[:1].upper()}{told[1:]}."
    )
    parser.set_defaults(run=run)
    return parser


def _import(arguments: argparse.Namespace) -> int:
    access.demand("import", access.Visitor.at_the_shell())
    from bench.library.intake import take_in

    facts = dict(pairs(arguments.facts, "--set accelerator=h100-sxm, after the files"))
    library = opened(arguments)
    with output.Bar() as bar:
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
    return 1 if whole & named or not (report.imported or report.already) else 0


def _tell(report: ImportReport, library: Library, *, dry_run: bool) -> None:
    from bench.library import replacing
    from bench.library.store import short

    verb = "would be imported" if dry_run else "imported"
    for source in report.imported:
        held = [counted(source.points, "point")] if source.points or not source.scores else []
        held += [counted(source.scores, "score")] if source.scores else []
        output.line(
            f"{source.file}: {' and '.join(held)} {verb} (format {source.format}, id {source.sha256[:12]})."
        )
    for sentence in replacing.sentences(report, library, dry_run=dry_run):
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
    """What the files leave open and what of them was not read, a line for each."""
    left_open: dict[tuple[str, str], list[str]] = {}
    for missing in report.missing_facts:
        left_open.setdefault((missing.file, missing.sha256), []).append(missing.fact)
    for (file, sha256), names in list(left_open.items())[:SHOWN_OPEN]:
        command = "--set" if dry_run else f"facts {sha256[:12]}"
        stated = " ".join(f"{name}=…" for name in names)
        output.line(f"{file}: without {joined(names)}; state what you know with `{command} {stated}`.")
    if len(left_open) > SHOWN_OPEN:
        output.line(
            f"… and {len(left_open) - SHOWN_OPEN:,} more files leave facts open; --json lists them all."
        )
    for odd in report.not_understood[:SHOWN_OPEN]:
        many = len(odd.keys) + odd.beyond
        named = ", ".join(odd.keys[:SHOWN_KEYS]) + (", …" if many > SHOWN_KEYS else "")
        output.line(f"{odd.file}: {counted(many, 'key')} not understood ({named}).")


def _facts(arguments: argparse.Namespace) -> int:
    access.demand("facts", access.Visitor.at_the_shell())
    facts = {key: value or None for key, value in pairs(arguments.facts, "accelerator=h100-sxm")}
    return _changed(arguments, "facts", lambda library: library.set_facts(arguments.id, facts), facts=facts)


def _retract(arguments: argparse.Namespace) -> int:
    access.demand("retract", access.Visitor.at_the_shell())
    reason = arguments.reason
    return _changed(
        arguments, "retract", lambda library: library.retract(arguments.id, reason), reason=reason
    )


def _restore(arguments: argparse.Namespace) -> int:
    access.demand("retract", access.Visitor.at_the_shell())
    return _changed(arguments, "restore", lambda library: library.restore(arguments.id))


def _annotate(arguments: argparse.Namespace) -> int:
    access.demand("annotate", access.Visitor.at_the_shell())
    text = arguments.text
    return _changed(arguments, "annotate", lambda library: library.annotate(arguments.id, text), text=text)


def _tag(arguments: argparse.Namespace) -> int:
    access.demand("annotate", access.Visitor.at_the_shell())
    tag, remove = arguments.tag, arguments.remove
    action = "untag" if remove else "tag"
    return _changed(arguments, action, lambda library: library.tag(arguments.id, tag, remove=remove), tag=tag)


def _purge(arguments: argparse.Namespace) -> int:
    access.demand("purge", access.Visitor.at_the_shell())
    reason = arguments.reason
    return _changed(arguments, "purge", lambda library: library.purge(arguments.id, reason), reason=reason)


def _rebuild(arguments: argparse.Namespace) -> int:
    access.demand("import", access.Visitor.at_the_shell())
    library = opened(arguments)
    done = library.rebuild()
    if arguments.json:
        output.document(
            {"action": "rebuild", "sources": done.sources, "unread": len(done.unread), "why": dict(done.unread),
             "moved_aside": dict(done.moved_aside), "library_version": library.version}
        )  # fmt: skip
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


DONE = {
    "facts": "The facts are stated",
    "retract": "It is hidden",
    "restore": "It is visible again",
    "annotate": "The note is written",
    "tag": "The tag is on it",
    "untag": "The tag is off",
    "purge": "It is deleted",
}


def _changed(
    arguments: argparse.Namespace, action: str, change: Callable[[Library], None], **detail: object
) -> int:
    library = opened(arguments)
    change(library)
    if arguments.json:
        output.document({"action": action, "id": arguments.id, **detail, "library_version": library.version})
    else:
        output.line(f"{DONE[action]}: {arguments.id}.")
    return 0
