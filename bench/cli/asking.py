"""The command `ask`: a question, the filters and options of a View, and the answer as JSON or as text."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from bench.basis import document as documents
from bench.cli import output
from bench.cli.arguments import Parser, opened, shared, where
from bench.errors import UnknownName, UsageError
from bench.questions import Answer, answered, options, question, questions
from bench.view import FILTERS, LIMIT, View
from bench.wording import counted

SHOWN_ROWS = 10
SHOWN_COLUMNS = 12
IDS = frozenset({"point_id", "source_id", "deployment_id", "workload_id", "series_id", "locator"})


def run(argv: Sequence[str]) -> int:
    """Answer a question; `argv` is what follows `ask`, the question first."""
    if not argv or argv[0].startswith("-"):
        parser = Parser(prog="python -m bench ask", description=_overview(), parents=[shared()],
                        formatter_class=argparse.RawDescriptionHelpFormatter)  # fmt: skip
        parser.add_argument("question", metavar="QUESTION", help="one of the questions above")
        parser.parse_args(argv)
        raise UsageError("Name the question right after `ask`; see `python -m bench ask --help`.")
    name = argv[0]
    question(name)
    arguments = _arguments(name, argv[1:])
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
    answer = answered(name, opened(arguments), view)
    if arguments.json:
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
        "headline": answer.headline,
        "findings": answer.findings,
        "caveats": answer.caveats,
        "variations": answer.said("variation"),
        "statements": documents.document(answer.statements),
        "result": documents.document(answer.result) | {"robustness": documents.document(answer.robustness)},
        "rows": output.frame_rows(answer.rows),
        "library_version": answer.library_version,
    }


def _overview() -> str:
    lines = [f"  {name:<12} {module.QUESTION}" for name, module in questions().items()]
    filters = [f"  {row.key:<16} {row.label}" for row in FILTERS]
    return "\n".join(
        ["Answer a question:", "", *lines, "", "Any of them takes these filters by --where:", "", *filters]
    )


def _arguments(name: str, argv: Sequence[str]) -> argparse.Namespace:
    parser = Parser(
        prog=f"python -m bench ask {name}", description=question(name).QUESTION, parents=[shared()]
    )
    parser.add_argument(
        "--where", nargs="+", action="extend", default=[], metavar="key=value",
        help="a filter, as in a link; a key given again adds an alternative",
    )  # fmt: skip
    parser.add_argument(
        "--slo", nargs="+", action="extend", default=[], metavar="METRIC<=NUMBER",
        help="a limit that points have to keep, as ttft_ms_p99<=2000; any number of them",
    )  # fmt: skip
    for row in options(name):
        spellings = dict.fromkeys((f"--{row.key.replace('_', '-')}", f"--{row.key}"))
        parser.add_argument(*spellings, dest=_slot(row.key), metavar=row.kind.upper(), help=row.help)
    arguments, rest = parser.parse_known_args(argv)
    for text in rest:
        if text.startswith("--"):
            known = [row.key for row in options(name)] + ["where", "slo", "json", "library", "no-shipped"]
            raise UnknownName(f"option of {name}", text[2:].partition("=")[0], known)
    if rest:
        raise UsageError(f"{rest[0][:80]!r} belongs to no option; see `python -m bench ask {name} --help`.")
    return arguments


def _slot(key: str) -> str:
    return f"option_{key}"


def _tell(answer: Answer[Any]) -> None:
    for text in (answer.headline, *answer.findings):
        output.line(text)
    for text in (*answer.said("variation"), *answer.caveats):
        output.line(f"Note: {text}")
    rows = output.frame_rows(answer.rows.head(SHOWN_ROWS))
    names = [
        name for name in answer.rows.columns if name not in IDS and any(row[name] is not None for row in rows)
    ]
    if rows and names:
        output.line()
        output.table(rows, names[:SHOWN_COLUMNS])
        if len(answer.rows) > SHOWN_ROWS:
            output.line(
                f"The first {SHOWN_ROWS} of {counted(len(answer.rows), 'row')}; --json prints them all."
            )
