"""Commands that look: goto, query, sources, history, formats, metrics."""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict

from bench import access
from bench.cli import output, progress
from bench.cli.arguments import Commands, command, opened

SOURCE_COLUMNS = ("id", "title", "format", "points", "scores", "refusals", "last_date", "licence", "retracted")


def add_to(commands: Commands) -> None:
    """Describe these commands to the parser."""
    goto = command(commands, "goto", "find the pages that answer a few words", _goto)
    goto.add_argument("words", nargs="+", metavar="WORD", help="a name, precision, length, limit or page")
    query = command(commands, "query", "run one SELECT statement on the library", _query)
    query.more = "Tables: points, scores, prices, accelerators, models, refusals, notes, sources and passports."
    query.add_argument("sql", metavar="SQL", help="the statement")
    query.add_argument("--csv", action="store_true", help="print CSV")
    command(commands, "sources", "list what was imported, with the ids", _sources)
    history = command(commands, "history", "list who changed what, when and why", _history)
    history.add_argument("id", nargs="?", default="", metavar="ID", help="only what was done to this source")
    command(commands, "formats", "list the result formats that can be imported", _formats)
    command(commands, "metrics", "list every metric with its key, label and unit", _metrics)


def _goto(arguments: argparse.Namespace) -> int:
    from bench.suggestions.typed import directions

    with progress.bar("Looking where this leads"):
        meant = directions(opened(arguments), " ".join(arguments.words))
    if arguments.json:
        output.document(asdict(meant))
        return 0
    for one in meant.destinations:
        output.line(one.label)
        output.line(f"  /{one.page}{'?' if one.query else ''}{one.query}")
    for told in meant.told:
        output.remark(told)
    return 0 if meant.destinations else 1


def _query(arguments: argparse.Namespace) -> int:
    from bench.library.user_sql import query as user_query

    access.demand("query", access.Visitor.at_the_shell())
    library = opened(arguments)
    with progress.bar("Running the query"):
        result = user_query.run(library, arguments.sql)
    output.remarks(library.incomplete())
    if arguments.csv:
        from bench.export.rows import files
        from bench.library.user_sql.frame import frame

        sys.stdout.write(files.csv(frame(result.table)).decode().replace("\r\n", "\n"))
    else:
        output.listing(output.arrow_rows(result.table), result.table.column_names, as_json=arguments.json)
    if result.truncated:
        output.remark(f"Only the first {result.table.num_rows:,} rows are printed; select less to see the rest.")
    return 0


def _sources(arguments: argparse.Namespace) -> int:
    from bench.library.store import short

    with progress.bar("Reading the library"):
        library = opened(arguments)
        rows = output.frame_rows(library.sources())
    output.remarks(library.incomplete())
    shown = [{**row, "id": short(row["source_id"]), "title": row.get("title") or row.get("file")} for row in rows]
    output.listing(rows if arguments.json else shown, SOURCE_COLUMNS, as_json=arguments.json)
    return 0


def _history(arguments: argparse.Namespace) -> int:
    from bench.holdings import history

    with progress.bar("Reading the library"):
        library = opened(arguments)
        rows = output.frame_rows(history.changes(library, arguments.id))
    output.remarks(history.incomplete(library))
    shown = [{**row, "at (UTC)": row["at"]} for row in rows]
    output.listing(rows if arguments.json else shown, ("at (UTC)", *history.COLUMNS[1:]), as_json=arguments.json)
    return 0


def _formats(arguments: argparse.Namespace) -> int:
    from bench import formats

    rows = [{"format": module.NAME, "title": module.TITLE} for module in formats.modules()]
    output.listing(rows, ("format", "title"), as_json=arguments.json)
    return 0


def _metrics(arguments: argparse.Namespace) -> int:
    from bench import catalogue

    rows = [
        {
            "metric": row.key,
            "label": row.label,
            "unit": row.unit,
            "better": row.direction,
            "definition": row.definition,
            "formula": row.formula,
        }
        for row in map(catalogue.metric, catalogue.keys())
    ]
    output.listing(rows, ("metric", "label", "unit", "better"), as_json=arguments.json)
    return 0
