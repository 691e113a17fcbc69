"""The command `ask`: a question, the filters and options of a View, and the answer as JSON or as text."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from bench import catalogue
from bench.basis import document as documents
from bench.basis.statement import Role
from bench.cli import output, progress
from bench.cli.arguments import Parser, add_list, add_where, command, opened, where
from bench.questions import Answer, answered, options, questions
from bench.view import FILTERS, LIMIT, View
from bench.wording import counted

SHOWN_ROWS = 10
SHOWN_COLUMNS = 12
SHOWN_VALUES = 12
IDS = frozenset({"point_id", "source_id", "deployment_id", "workload_id", "series_id", "locator"})


def describe(parser: Parser) -> None:
    """Add every question with its options to the parser of `ask`."""
    filters = [f"  {row.key:<16} {row.label}" for row in FILTERS]
    parser.more = "\n".join(["filters, for --where:", "", *filters])
    asked = parser.add_subparsers(title="questions", dest="question", metavar="QUESTION [--help]", required=True)
    for name, module in questions().items():
        parser = command(asked, name, module.QUESTION, _ask)
        parser.description = module.QUESTION
        _describe(parser, name)


def _describe(parser: Parser, name: str) -> None:
    add_where(parser)
    add_list(parser, "--slo", "METRIC<=NUMBER", "limits that points have to keep, such as 'ttft_ms_p99<=2000'")
    parser.add_argument("--csv", action="store_true", help="print the rows as CSV")
    for row in options(name):
        notes = [", ".join(row.values)] if 0 < len(row.values) <= SHOWN_VALUES else []
        notes += [f"default: {row.default}"] if row.default else []
        told = row.help + (f" ({'; '.join(notes)})" if notes else "")
        spelled = f"--{row.key.replace('_', '-')}"
        parser.add_argument(spelled, dest=_slot(row.key), metavar=row.kind.upper(), help=told)
        if "_" in row.key:  # as a link spells it
            parser.add_argument(f"--{row.key}", dest=_slot(row.key), help=argparse.SUPPRESS)


def _ask(arguments: argparse.Namespace) -> int:
    name = arguments.question
    stated = {row.key: getattr(arguments, _slot(row.key)) for row in options(name)}
    filters = where(arguments.where)
    View.of(filters)  # UnknownName for what is no filter; in a link it would be taken for an option
    view = View.from_pairs(
        [
            *((key, value) for key, values in filters.items() for value in values),
            *((LIMIT, limit) for limit in arguments.slo),
            *((key, value) for key, value in stated.items() if value is not None),
        ]
    )
    library = opened(arguments)
    with progress.bar("Working out the answer"):
        answer = answered(name, library, view)
    if arguments.csv:
        from bench.export.rows import files

        output.remarks(library.incomplete())
        sys.stdout.write(files.csv(answer.rows).decode().replace("\r\n", "\n"))
    elif arguments.json:
        output.document(document(answer))
    else:
        _tell(answer)
    return 0


def document(answer: Answer[Any]) -> dict[str, object]:
    """The answer as `ask --json` prints it; `view` is written out whole, as filters, options and a link's query."""
    return {
        "question": answer.question,
        "view": {
            "where": dict(answer.view.where),
            "slo": answer.view.slo,
            "options": dict(answer.view.options),
            "query": answer.view.query(),
        },
        "subject": answer.subject.text if answer.subject else "",
        "verdict": _said(answer, "headline")[0],
        "headline": answer.headline,
        "findings": _said(answer, "finding"),
        "notes": _said(answer, "coverage", "caveat"),
        "variations": answer.said("variation"),
        "result": documents.document(answer.result) | {"robustness": documents.document(answer.robustness)},
        "rows": output.frame_rows(answer.rows),
        "library_version": answer.library_version,
    }


def _said(answer: Answer[Any], *roles: Role) -> list[dict[str, Any]]:
    """The sentences with one of these parts in the answer: kind, text, values and ids of the points they rest on."""
    said = (documents.document(one) for one in answer.statements if one.role in roles)
    return [{key: value for key, value in one.items() if key != "role"} for one in said]


def _slot(key: str) -> str:
    return f"option_{key}"


def _tell(answer: Answer[Any]) -> None:
    for text in (answer.headline, *answer.findings):
        output.line(text)
    for text in (*answer.said("variation"), *answer.caveats):
        output.line(f"Note: {text}")
    rows = output.frame_rows(answer.rows.head(SHOWN_ROWS))
    names = [name for name in answer.rows.columns if name not in IDS and any(row[name] is not None for row in rows)]
    if rows and names:
        output.line()
        output.table(rows, names[:SHOWN_COLUMNS], shares=[*filter(catalogue.is_share, names)])
        if len(answer.rows) > SHOWN_ROWS:
            output.line(f"The first {SHOWN_ROWS} of {counted(len(answer.rows), 'row')}; --json prints them all.")
