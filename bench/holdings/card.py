"""A point's card: all that is known of one point of a chart, in words, so that a page only has to draw it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bench import catalogue
from bench.catalogue import Kind
from bench.chart import deployment_words, value_label, workload_words
from bench.errors import NotFound
from bench.formats.journal import SWEEP_ID
from bench.holdings import opened, tables
from bench.library import Library
from bench.records import Flag
from bench.wording import joined, number, quantity

LATENCIES = ("ttft_ms", "tpot_ms", "itl_ms", "e2el_ms")
"""What every card says first of latency; others that a point states follow."""
THROUGHPUTS: tuple[Kind, ...] = ("throughput", "per_accelerator", "engine_rate", "submission")
COSTS: tuple[Kind, ...] = ("cost",)
OTHERS: tuple[Kind, ...] = ("latency", "energy", "count", "share", "other")
PER_CHIP = "_per_accelerator"
TOKENS = {"Output": "output_tokens_per_s", "Input": "input_tokens_per_s", "Total": "total_tokens_per_s"}
"""The throughputs that stand side by side, of the whole deployment and of each accelerator."""
SIDE_BY_SIDE = frozenset(f"{key}{per}" for key in TOKENS.values() for per in ("", PER_CHIP))
STATISTICS = {"mean": "Mean", "std": "Standard deviation", "min": "Smallest", "p50": "Median", "max": "Largest"}
AT_POINT = re.compile(r"point ([1-9][0-9]{0,8})")
COMMON = ("model", "precision", "isl", "osl")
"""What the points of a chart mostly have in common, and its page says already."""
TOLD_BY = ("model", "precision", "accelerator", "accelerators", "tp", "pp", "dp", "ep", "engine", "engine_version",
           "speculation", "disaggregated", "variant", "isl", "osl", "load_kind", "concurrency", "request_rate",
           "batch", "scenario")  # fmt: skip
"""The columns that the words for a point are made of."""


@dataclass(frozen=True)
class Card:
    """One point for the eye: deployment and workload in words, its figures, its flags, and where it comes from.

    `latencies` has a row for each statistic that the point states and a column, headed with its unit, for each metric;
    what is not stated is empty. `throughputs` has output, input and total, of the deployment and per accelerator.
    `costs` and `others` are labels with their figures, `facts` with what is known of the measurement. `run` names the
    sweep and its point where a sweep measured it. `passports` say how the source's figures became these metrics.
    """

    id: str
    deployment: str
    workload: str
    latencies: pd.DataFrame
    throughputs: pd.DataFrame
    costs: tuple[tuple[str, str], ...]
    others: tuple[tuple[str, str], ...]
    flags: tuple[Flag, ...]
    facts: tuple[tuple[str, str], ...]
    source_id: str
    source_url: str | None
    run: tuple[str, str] | None
    passports: pd.DataFrame
    row: Mapping[str, Any]


def card(library: Library, point_id: str, beside: Mapping[str, Any] | None = None) -> Card:
    """The card of a point; `beside` is its row in an answer, whose costs stand on the card.

    Raises:
        NotFound: there is no such point.
    """
    point = opened.point(library, point_id)
    if point.kind != "point":
        raise NotFound(f"{point_id} is a quality score and no point of a chart; the Data page opens it.")
    row = point.row
    stated = [key for key, value in row.items() if value is not None and catalogue.is_metric(key)]
    return Card(
        id=point_id,
        deployment=deployment_words(dict(row)),
        workload=workload_words(dict(row)),
        latencies=_latencies(row),
        throughputs=_throughputs(row),
        costs=_figures(beside or {}, COSTS),
        others=_figures(row, (*THROUGHPUTS, *OTHERS), without=SIDE_BY_SIDE),
        flags=point.flags,
        facts=tuple(_facts(library, row)),
        source_id=str(row["source_id"]),
        source_url=row.get("source_url"),
        run=_run(row),
        passports=tables.passports_of(library, point_id, stated),
        row=row,
    )


def in_words(library: Library, ids: Sequence[str]) -> dict[str, str]:
    """What each of these points is, in a line of its own: deployment, workload and load, and its day or id.

    What all of several points have in common is not said. The day stands there where that tells points apart that are
    alike otherwise, the id where nothing else does.
    """
    wanted = ", ".join(("point_id", "date", "source", *TOLD_BY))
    found = library.query(
        f"SELECT {wanted} FROM points WHERE point_id IN (SELECT unnest(CAST(? AS VARCHAR[])))", (list(ids),)
    )
    rows = found.astype(object).where(found.notna(), None).to_dict("records")
    shared = [key for key in COMMON if len(rows) > 1 and len({row[key] for row in rows}) == 1]
    words = {row["point_id"]: _words({**row, **dict.fromkeys(shared)}) for row in rows}
    for column in ("date", "source", "point_id"):
        alike = {text for text, many in Counter(words.values()).items() if many > 1}
        for row in rows:
            if words[row["point_id"]] in alike and row[column] is not None:
                words[row["point_id"]] += f", {str(row[column])[:10] if column == 'date' else row[column]}"
    return {id: words[id] for id in ids if id in words}


def _words(row: Mapping[Any, Any]) -> str:
    said = (deployment_words(dict(row)), workload_words(dict(row)))
    return ", ".join(filter(None, said)) or "A point"


def _latencies(row: Mapping[str, Any]) -> pd.DataFrame:
    """A row for each statistic in which some latency, or the interactivity, is stated."""
    bases = [one.key for one in catalogue.METRICS if one.distribution]
    ordered = sorted(bases, key=lambda base: LATENCIES.index(base) if base in LATENCIES else len(LATENCIES))
    stated = [key for key, value in row.items() if value is not None]
    held = {base: keys for base in ordered if (keys := catalogue.statistics_of(base, stated))}
    rows: dict[str, dict[str, str]] = {}
    for statistic in sorted({one for keys in held.values() for one in keys}, key=_order):
        figures = rows.setdefault(STATISTICS.get(statistic, statistic), {})
        for base, keys in held.items():
            metric = catalogue.metric(f"{base}_{keys[0]}")
            heading = f"{metric.label.rsplit(', ', 1)[0]} ({metric.unit})"
            figures[heading] = number(float(row[f"{base}_{statistic}"])) if statistic in keys else ""
    return pd.DataFrame.from_dict(rows, orient="index")


def _order(statistic: str) -> tuple[int, float]:
    """Mean and deviation, then from the smallest to the largest."""
    places = {"mean": 0, "std": 1, "min": 2, "max": 4}
    percent = 0.0 if statistic in places else float(statistic.removeprefix("p").replace("_", "."))
    return places.get(statistic, 3), percent


def _throughputs(row: Mapping[str, Any]) -> pd.DataFrame:
    """Output, input and total tokens a second, as far as stated, of the deployment and of each accelerator."""
    rows = {}
    for label, key in TOKENS.items():
        told = {"tokens/s": row.get(key), "per accelerator": row.get(f"{key}{PER_CHIP}")}
        if any(value is not None for value in told.values()):
            rows[label] = {name: "" if one is None else number(float(one)) for name, one in told.items()}
    found = pd.DataFrame.from_dict(rows, orient="index")
    return found.loc[:, (found != "").any()]


def _figures(
    row: Mapping[str, Any], kinds: Iterable[Kind], without: Container[str] = ()
) -> tuple[tuple[str, str], ...]:
    """The figures of these kinds that are no distribution, in the catalogue's order."""
    figures = []
    for metric in catalogue.METRICS:
        value = row.get(metric.key)
        if metric.distribution or metric.kind not in kinds or metric.key in without:
            continue
        if value is not None and value == value:
            figures.append((metric.label, quantity(float(value), metric.key)))
    return tuple(figures)


def _facts(library: Library, row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What is known of the measurement beside its figures: evidence, day, harness, source."""
    named = library.fetch("SELECT coalesce(title, file) FROM sources WHERE source_id = ?", (row["source_id"],))
    harness = [str(row[key]) for key in ("harness", "harness_version") if row.get(key)]
    facts = (
        ("Evidence", row.get("evidence")),
        ("Measured", str(row["date"])[:10] if row.get("date") else None),
        ("Harness", " ".join(harness)),
        ("Source", named[0][0] if named else row.get("source")),
        ("Also in", joined(list(row["restated_in"])) if row.get("restated_in") is not None else None),
        ("Data set", value_label("dataset", row["dataset"]) if row.get("dataset") else None),
        ("Note", row.get("note")),
    )
    return [(label, str(value)) for label, value in facts if value]


def _run(row: Mapping[str, Any]) -> tuple[str, str] | None:
    """The sweep and its point that this one was measured as; None for a point of a file."""
    found = AT_POINT.fullmatch(str(row.get("locator") or ""))
    sweep = str(row["source_id"])
    return (sweep, found[1]) if found and SWEEP_ID.fullmatch(sweep) else None
