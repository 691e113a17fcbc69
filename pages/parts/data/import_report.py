"""What an import would do or did, on the page: the table of its files, what is refused, and the ways on."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
import streamlit as st

from bench import formats
from bench.export.rows import readable
from bench.library import report_by_file
from bench.library.importing.report import ImportReport
from bench.library.report_by_file import FileLine
from bench.library.store import short
from bench.plain_text import markdown
from bench.wording import counted, joined
from pages.shared import cached, table
from pages.shared.page import Page
from pages.shared.page_paths import link

LABELS = {
    "file": "File",
    "outcome": "What happens",
    "recognised": "Recognised as",
    "points": "Points",
    "scores": "Scores",
    "refused_rows": "Refused rows",
    "not_understood": "Keys not understood",
    "open": "Still open",
    "row": "Row",
    "column": "Column",
    "value": "Value",
    "expected": "Expected",
    "reason": "Why",
}
SOURCE = re.compile(r"\b[0-9a-f]{64}\b")
"""A source's id, after which a bundle names its folders."""
LONG = 200
TOLD_FILES, TOLD_KEYS = 5, 3
"""So many files that cannot be loaded are told in sentences, and so many keys of one; the table below holds all."""


def formats_read() -> str:
    """The formats that are read, in one sentence."""
    titles = sorted(module.TITLE for module in formats.modules())
    return f"What is recognised, by content: {joined(titles, at_most=len(titles))}."


def table_of(lines: Sequence[FileLine], sources: Sequence[FileLine], facts: Mapping[str, Mapping[str, Any]]) -> None:
    """Draw a row for each file: what tells it from the others, what it was recognised as, gives, and becomes of it."""
    left = {one.source_id: report_by_file.still_open(one, facts.get(one.source_id, {})) for one in sources}
    apart = {column: report_by_file.cells(lines, column) for column in report_by_file.differing_columns(lines)}
    rows = pd.DataFrame(
        {
            "file": SOURCE.sub(lambda id: f"{short(id[0])}…", line.file),
            **{column: values[place] for column, values in apart.items()},
            "recognised": line.recognised,
            "outcome": _outcome(line),
            "points": line.points if line.loads else None,
            "scores": line.scores or None,
            "refused_rows": line.refused_rows or None,
            "not_understood": ", ".join(line.not_understood) or None,
            "open": ", ".join(left.get(line.source_id, ())) or None,
        }
        for place, line in enumerate(lines)
    )
    tools = ("recognised",) if rows["recognised"].nunique() > 1 else ()
    shown = readable.table(rows, first=("file", *tools, *apart, "open", *LABELS))
    table.show(shown, key="rows.adding", alt="What each file holds and what becomes of it", labels=LABELS)


def broken(lines: Sequence[FileLine]) -> None:
    """Tell why a file cannot be loaded, in a sentence for each of the first few."""
    reasons = [line.reason for line in lines if line.reason is not None]
    if reasons:
        told = [f"- {markdown(_short(reason))}" for reason in reasons[:TOLD_FILES]]
        beyond = [f"- {len(reasons) - TOLD_FILES} more, listed below."] if len(reasons) > TOLD_FILES else []
        st.markdown("\n".join([*told, *beyond]))


def aside(report: ImportReport, shown: Callable[[str], str], *, dry_run: bool) -> None:
    """Tell what else is worth knowing of the files, a quiet line for each: what of those that load was passed over or
    takes the place of an earlier import, and the files beside the results that plainly are none.

    Keys that were not understood are told here once the table of the files, which has them, is gone.
    """
    replaced = report_by_file.replacements(report, cached.library(), dry_run=dry_run, shown=shown)
    lines = [
        *_passed_over(report, shown),
        *replaced,
        *(one.sentence(dry_run=dry_run, shown=shown) for one in report.models),
    ]
    if not dry_run:
        lines += _not_understood(report, shown)
    said = [*_first(lines), report.said_of_no_results()]
    if any(said):
        st.caption("  \n".join(markdown(sentence) for sentence in said if sentence))


def _passed_over(report: ImportReport, shown: Callable[[str], str]) -> list[str]:
    """The reasons why rows of files that load are refused, such as a last line that is cut off."""
    loaded = {row.file for row in report.imported}
    rows = [one for one in report.refused if one.file in loaded]
    named = [(shown(one.file), _short(one.reason)) for one in rows]
    return list(dict.fromkeys(why if name in why else f"{name}: {why}" for name, why in named))


def _not_understood(report: ImportReport, shown: Callable[[str], str]) -> list[str]:
    """How many keys of each file its format did not read, and the first of them."""
    return [
        f"{shown(one.file)}: {counted(len(one.keys) + one.beyond, 'key')} not understood"
        f" ({joined(list(one.keys), at_most=TOLD_KEYS)})."
        for one in report.not_understood
    ]


def _first(told: Sequence[str]) -> list[str]:
    beyond = len(told) - TOLD_FILES
    return [*told[:TOLD_FILES], *([f"{beyond:,} more of this kind."] if beyond > 0 else [])]


def taken_over(report: ImportReport, shown: Callable[[str], str], *, dry_run: bool) -> None:
    """Tell what bundles bring along beside points: facts, notes and tags, and what they hide and why."""
    if told := report.said_of_taken_over(dry_run=dry_run, shown=shown):
        st.markdown("\n".join(f"- {markdown(sentence)}" for sentence in told))


def refusals(report: ImportReport, shown: Callable[[str], str], key: str) -> None:
    """Draw every refused row and file in a table to open and to save; `key` tells two such tables apart."""
    refused = report_by_file.refused(report, shown)
    if not refused:
        return
    rows = pd.DataFrame(refused)
    with st.expander(f"Refused: {counted(report.refusals, 'row or file', 'rows and files')}, and why"):
        first = ("file", "row", "column", "value", "expected", "reason")
        table.show(
            readable.table(rows, first=first),
            key=f"rows.{key}",
            alt="Every refused row and file, and why",
            labels=LABELS,
        )
        with st.container(key=f"actions.{key}", horizontal=True):
            table.downloads(lambda: rows, f"kneepoint-{key}")


def onward(source_ids: Sequence[str], page: Page) -> None:
    """Offer the new points on a chart, and beside others'; one click each."""
    if not source_ids:
        return
    ways, sentence = cached.onward(tuple(source_ids))
    with st.container(key="onward", horizontal=True):
        for way in ways:
            link(way.page, way.label, way.view.pairs())
    if sentence:
        st.caption(markdown(sentence))


def _short(reason: str) -> str:
    """The beginning of a long reason, to the end of a bracket or of a clause; the table below has it whole."""
    if len(reason) <= LONG:
        return reason
    begun = reason[:LONG]
    end = begun.rfind(")") + 1 or begun.rfind(", ")
    return f"{begun[:end]}." if end > 0 else f"{begun}…"


def _outcome(line: FileLine) -> str:
    if line.known:
        return "In the library already"
    if line.reason is not None:
        return "Cannot be loaded"
    return "Loads in part" if line.refused_rows else "Loads"
