"""A table for a document in Markdown: an issue, a chat, a report. What all rows share stands above it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, islice

import pandas as pd

from bench import catalogue, chart
from bench.export import ExportFormat
from bench.export.rows import readable
from bench.holdings.listing import selected
from bench.library import Library
from bench.plain_text import markdown
from bench.selection import described
from bench.view import View

MOST_ROWS = 1000
"""A table for people; longer ones are for programs."""

MOST_COLUMNS, MOST_FACTS, MOST_METRICS = 12, 7, 3
"""So many columns a page or a chat has room for; of them facts of the deployment and load, and metrics, at least."""

FACTS = tuple(
    (
        "model precision accelerators accelerator engine variant isl osl concurrency request_rate batch tp "
        "speculation disaggregated engine_version evidence"
    ).split()
)
"""What tells deployments and loads apart, the most telling first."""

METRICS = (
    "output_tokens_per_s_per_accelerator ttft_ms tpot_ms interactivity_tokens_per_s_per_user output_tokens_per_s "
    "total_tokens_per_s e2el_ms".split()
)
"""What people compare, each by its median where there is one."""

PLACES = ("date", "source")
SHARED = ("precision", "engine", "engine_version", "isl", "osl", "concurrency", "batch")
"""What is said once above the table where all rows have it."""


def written(
    rows: pd.DataFrame,
    first: Sequence[str] = (),
    labels: Mapping[str, str] | None = None,
    *,
    always: Sequence[str] = (),
    of: int = 0,
) -> bytes:
    """The rows as a Markdown table in the words of the pages; numbers are aligned right, absent values are blank.

    At most MOST_COLUMNS of the columns stand there: those of `first`, then those of `always` and, of what is stated and
    not the same in all rows, what tells most. `labels` head what is no metric. At most MOST_ROWS rows stand there, and
    where that is not all of them, or of the `of` there are, a sentence above the table says so.
    """
    shown = readable.table(rows.head(MOST_ROWS))
    if shown.empty:
        return b""
    shown = shown[_columns(shown, first, always)]
    numeric = [pd.api.types.is_numeric_dtype(shown[name]) for name in shown]
    lines = [
        [markdown((labels or {}).get(str(name)) or chart.title(str(name))) for name in shown.columns],
        ["---:" if number else "---" for number in numeric],
        *(
            [_cell(str(name), value) for name, value in zip(shown.columns, row, strict=True)]
            for row in shown.itertuples(index=False, name=None)
        ),
    ]
    table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    return (_cut(len(shown), max(of, len(rows))) + table).encode()


def _cut(shown: int, rows: int) -> str:
    """How many of the rows stand in the table and where the others are; nothing where it has all."""
    if shown == rows:
        return ""
    return f"The first {shown:,} of {rows:,} rows. To have all of them, save CSV, Parquet or JSON instead.\n\n"


def under(headline: str, link: str, table: bytes) -> bytes:
    """The table with what it says, in bold, and the link to it above it."""
    return f"**{markdown(headline)}**\n\n<{link}>\n\n".encode() + table


def _columns(shown: pd.DataFrame, first: Sequence[str], always: Sequence[str]) -> list[str]:
    """The columns that are told, in the table's own order."""
    differing = [str(name) for name in shown if len(shown) == 1 or shown[name].nunique(dropna=False) > 1]
    usable = differing or [str(name) for name in shown]
    places = [name for name in PLACES if name in usable]
    room = MOST_COLUMNS - len(places)
    leading = [name for name in dict.fromkeys(first) if name in shown][:room]
    facts = [name for name in FACTS if name in usable and name not in leading]
    told = dict.fromkeys((*(name for name in always if name in shown), *_metrics(shown[usable])))
    metrics = [name for name in told if name not in leading]
    few = max(0, room - len(leading) - min(len(metrics), MOST_METRICS))
    rest = (name for name in usable if name not in (*FACTS, *places, *readable.LINKS))
    chosen = dict.fromkeys(chain(leading, facts[: min(MOST_FACTS, few)], metrics, rest))
    kept = {*islice(chosen, room), *places}
    return [*leading, *(str(name) for name in shown if name in kept and name not in leading)]


def _metrics(shown: pd.DataFrame) -> Iterator[str]:
    """The metrics of METRICS that these rows state, each by one statistic: the median, else the first there is."""
    held = [str(name) for name in shown if catalogue.is_metric(str(name))]
    for base in METRICS:
        own = [name for name in held if catalogue.metric(name).base == base]
        yield from sorted(own, key=lambda name: not name.endswith("_p50"))[:1]


def _cell(name: str, value: object) -> str:
    if value is None or (not isinstance(value, str) and pd.isna(value)):  # type: ignore[call-overload]
        return ""
    if isinstance(value, pd.Timestamp):
        return value.isoformat(sep=" ", timespec="minutes").removesuffix(" 00:00")
    if isinstance(value, str):
        return markdown(value)
    return chart.value_label(name, value)


def _selected(library: Library, view: View) -> bytes:
    condition = selected(view)
    rows = library.query(
        "SELECT *, count(*) OVER () AS selected_points FROM points"
        f" WHERE {condition.sql} ORDER BY source, model, concurrency, point_id LIMIT {MOST_ROWS}",
        condition.params,
    )
    if rows.empty:
        return b""
    of = int(rows.pop("selected_points").iloc[0])
    said = [described(library, view), *(_shared(rows) if of == len(rows) else ())]
    about = f"Kneepoint library {library.version}, `/data?{view.made_whole().query()}`"
    return f"**{markdown('; '.join(said))}**\n\n{about}\n\n".encode() + written(rows, of=of)


def _shared(rows: pd.DataFrame) -> list[str]:
    """What all rows share of deployment and workload, in words."""
    alike = [name for name in SHARED if name in rows and rows[name].nunique() == 1 and rows[name].notna().all()]
    held = {name: rows[name].head(1).tolist()[0] for name in alike}
    return [words for words in (chart.deployment_words(held), chart.workload_words(held)) if words]


FORMATS = (
    ExportFormat(
        "markdown",
        "Markdown table",
        ".md",
        "text/markdown",
        _selected,
        f"For an issue, a chat or a report: at most {MOST_COLUMNS} columns and the first {MOST_ROWS:,} points,"
        " of how many it says.",
    ),
)
