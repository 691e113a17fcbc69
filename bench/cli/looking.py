"""Commands that look: goto, query, sources, history, formats, metrics."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict

from bench import access
from bench.cli import output
from bench.cli.arguments import Commands, opened, shared

SOURCE_COLUMNS = (
    "id",
    "title",
    "format",
    "points",
    "scores",
    "refusals",
    "last_date",
    "licence",
    "retracted",
)


def add_to(commands: Commands) -> None:
    """Describe these commands to the parser."""
    goto = commands.add_parser(
        "goto", parents=[shared()], help="say which pages can answer a few words",
        description="Say which pages can answer a few words, as in: goto h200 mi355x deepseek fp8. Names, precisions,"
        " lengths (1k/1k, isl 1024), limits (ttft<=2000) and pages (cost, tpu vs gpu) are understood.",
    )  # fmt: skip
    goto.add_argument("words", nargs="+", help="what to look for")
    goto.set_defaults(run=_goto)
    query = commands.add_parser(
        "query", parents=[shared()], help="run one SELECT statement on the library",
        description="Run one SELECT statement, read-only, on the tables points, scores, prices, accelerators, models, "
        "refusals, notes, sources and passports.",
    )  # fmt: skip
    query.add_argument("sql", help="the statement")
    query.add_argument("--csv", action="store_true", help="print CSV")
    query.set_defaults(run=_query)
    sources = commands.add_parser("sources", parents=[shared()], help="list what was imported")
    sources.set_defaults(run=_sources)
    history = commands.add_parser("history", parents=[shared()], help="who changed what, when and why")
    history.add_argument("id", nargs="?", default="", help="a source's id: only what was done to it")
    history.set_defaults(run=_history)
    formats = commands.add_parser(
        "formats", parents=[shared()], help="list the result formats that can be read"
    )
    formats.set_defaults(run=_formats)
    metrics = commands.add_parser("metrics", parents=[shared()], help="list every metric by its key")
    metrics.set_defaults(run=_metrics)


def _goto(arguments: argparse.Namespace) -> int:
    from bench.destinations import directions

    found = directions(opened(arguments), " ".join(arguments.words))
    if arguments.json:
        output.document(asdict(found))
        return 0
    for one in found.destinations:
        output.line(one.label)
        output.line(f"  /{one.page}{'?' if one.query else ''}{one.query}")
    for told in found.told:
        output.remark(told)
    return 0 if found.destinations else 1


def _query(arguments: argparse.Namespace) -> int:
    from bench.library import people_sql

    access.demand("query", access.Visitor.at_the_shell())
    found = people_sql.run(opened(arguments), arguments.sql)
    if arguments.csv:
        from bench.export import csv
        from bench.library.people_frame import frame

        sys.stdout.write(csv.written(frame(found.table)).decode().replace("\r\n", "\n"))
    elif arguments.json:
        output.document(output.arrow_rows(found.table))
    else:
        output.table(output.arrow_rows(found.table), found.table.column_names)
    if found.truncated:
        output.remark(
            f"Only the first {found.table.num_rows:,} rows are printed; select less to see the rest."
        )
    return 0


def _sources(arguments: argparse.Namespace) -> int:
    from bench.holdings import of_lost_rows
    from bench.library.store import short

    library = opened(arguments)
    rows = output.frame_rows(library.sources())
    if lost := of_lost_rows(library):
        output.remark(lost)
    if arguments.json:
        output.document(rows)
        return 0
    shown = [
        {**row, "id": short(row["source_id"]), "title": row.get("title") or row.get("file")} for row in rows
    ]
    output.table(shown, SOURCE_COLUMNS)
    return 0


def _history(arguments: argparse.Namespace) -> int:
    from bench.holdings import history

    rows = output.frame_rows(history.changes(opened(arguments), arguments.id))
    if arguments.json:
        output.document(rows)
    else:
        output.table(rows, history.COLUMNS)
    return 0


def _formats(arguments: argparse.Namespace) -> int:
    from bench import formats

    rows = [{"format": module.NAME, "title": module.TITLE} for module in formats.modules()]
    if arguments.json:
        output.document(rows)
    else:
        output.table(rows, ("format", "title"))
    return 0


def _metrics(arguments: argparse.Namespace) -> int:
    from bench import catalogue

    rows = [
        {"metric": row.key, "label": row.label, "unit": row.unit, "better": row.direction,
         "definition": row.definition, "formula": row.formula}
        for row in map(catalogue.metric, catalogue.keys())
    ]  # fmt: skip
    if arguments.json:
        output.document(rows)
    else:
        output.table(rows, ("metric", "label", "unit", "better"))
    return 0
