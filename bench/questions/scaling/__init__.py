"""What more accelerators buy: throughput over chips, efficiency, scaling laws, and one wide instance or replicas."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from bench import catalogue, pricing, selection
from bench.chart import Theme, deployment_words, value_label
from bench.library import Library
from bench.questions import Answer, Choices, Option, records
from bench.questions.scaling import (
    caveats,
    defaults,
    drawing,
    findings,
    measured,
    operating,
    prices,
    projections,
    reasons,
    sentences,
)
from bench.questions.scaling import lines as held_lines
from bench.questions.scaling.defaults import Drawn, Prepared
from bench.questions.scaling.lines import EVERY, GROUPS, LAYOUT, LOADS
from bench.questions.scaling.measured import Line
from bench.view import View

TITLE = "Scaling"
QUESTION = "What do more accelerators buy?"
SECTION = "Decide"
ORDER = 40

OPTIONS: tuple[Option, ...] = (
    Option("metric", "Throughput", "choice", "Which throughput is compared over counts of chips."),
    Option("at", "Compare", "choice", "What is held equal: what a user sees, the load, or nothing."),
    Option("level", "At", "number", "The interactivity (tokens/s per user) or load that is held equal."),
    Option("group", "A line for each", "choice", "Draws one line for each value of this field."),
    Option(
        "price_book", "Price book", "choice", "The price list that wide instance and replicas are priced by."
    ),
    Option("price_terms", "Price terms", "choice", "On demand, spot, reserved or modelled."),
)


def complete(library: Library, view: View) -> View:
    """The View with every option explicit; unless it is whole, one model, precision and workload are filled in.

    NotFound when nothing loaded states a throughput.
    """
    return defaults.prepared(library, view).view


def choices(library: Library, view: View) -> Choices:
    """The throughputs, ways to compare, groups and prices to choose from."""
    this = defaults.prepared(library, view)
    own = [one.kept.points for one in this.lines]
    ways = {*operating.supported(own, this.seen), this.way}
    groups = [(key, sentences.value_word(key).capitalize()) for key in GROUPS if library.has(key)]
    return {
        "metric": [(key, catalogue.metric(key).label) for key in defaults.metrics(library)],
        "at": sentences.ways(sorted(ways)),
        "group": [*groups, (EVERY, "Every deployment")],
        **prices.choices(library, this.view),
    }


def rows(library: Library, view: View) -> pd.DataFrame:
    """One row for each line and count of chips, smallest first: throughput, efficiency, and the point behind it.

    An interpolated one names the nearest measured point. Below them, those not measured, without an efficiency.
    """
    this = defaults.prepared(library, view)
    return _rows(this, _lines(this), held_lines.projected(library, this.view, this.metric))


def answer(library: Library, view: View) -> Answer:
    """What more chips give on each line, why where it is beyond proportion, and what replicas would give."""
    this = defaults.prepared(library, view)
    lines = _lines(this)
    held = held_lines.selected(library, this.view, this.metric, this.group)
    open_ = held_lines.projected(library, this.view, this.metric) if held.other_evidence else pd.DataFrame()
    return Answer(
        question=QUESTION,
        view=this.view,
        headline=sentences.headline(this, lines, held),
        rows=_rows(this, lines, open_),
        findings=tuple(findings.findings(this, lines)),
        numbers=_numbers(this, lines, open_),
        caveats=(
            *selection.not_loaded(library, this.view),
            *selection.narrowed(library, view, this.view),
            *caveats.caveats(this, lines, held, len(open_)),
        ),
        why=tuple(reasons.reasons(this, lines)),
        library_version=library.version,
    )


def figure(answer: Answer, theme: Theme) -> go.Figure:
    """Throughput over chips with the ideal line, and below it per chip, TPOT and TTFT; customdata is a point's id."""
    return drawing.draw(answer.rows, answer.numbers, theme)


def _lines(this: Prepared) -> list[Line]:
    found = (
        measured.line(
            one.held.group,
            one.label,
            one.kept,
            this.way,
            this.level,
            this.seen,
            _price(this, one),
            this.metric,
        )
        for one in this.lines
    )
    kept = [line for line in found if line is not None]
    return sorted(kept, key=lambda line: (not line.is_told_first, -len(line.judged), -len(line.places)))


def _price(this: Prepared, one: Drawn) -> pricing.ChipPrice | None:
    return this.prices.get(one.kept.points[0]["accelerator"]) if one.kept.points else None


def _rows(this: Prepared, lines: list[Line], open_: pd.DataFrame) -> pd.DataFrame:
    found = [_row(this, line, position) for line in lines for position in range(len(line.places))]
    for row in records(open_):
        per_chip = row["value"] / row["accelerators"]
        found.append({**dict.fromkeys(found[0] if found else (), None), "point_id": row["point_id"],
                      "line": value_label("accelerator", row["accelerator"]), this.metric: row["value"],
                      "throughput_per_chip": per_chip, "scaling_efficiency": None, "speedup": None,
                      "interpolated": False, **{key: row.get(key) for key in (*_TOLD, *LOADS)}})  # fmt: skip
    return pd.DataFrame(found, columns=None if found else ["point_id", "line", "accelerators", this.metric])


_TOLD = ("accelerators", "model", "precision", "engine", "engine_version", "accelerator", "variant", "isl", "osl",
         "evidence", "source", "date")  # fmt: skip


def _row(this: Prepared, line: Line, position: int) -> dict[str, Any]:
    place = line.places[position]
    seen = (
        {} if this.seen is None else {this.seen: this.level if place.interpolated else place.row[this.seen]}
    )
    latencies = {key: line.latency(position, key) for key in (line.tpot, line.ttft) if key is not None}
    loads = dict.fromkeys(LOADS) if place.interpolated else {key: place.row[key] for key in LOADS}
    return {
        "point_id": place.point_ids[0],
        "line": line.label,
        "accelerators": place.accelerators,
        this.metric: place.throughput,
        "throughput_per_chip": place.throughput / place.accelerators,
        "scaling_efficiency": line.efficiencies[position],
        "speedup": line.speedup(position),
        "interpolated": place.interpolated,
        **seen,
        **latencies,
        **loads,
        **{key: place.row[key] for key in (*LAYOUT[1:5], *_TOLD[1:], "load_kind", "speculation", "source_url", "flags",
                                           "source_id")},
    }  # fmt: skip


def _numbers(this: Prepared, lines: list[Line], open_: pd.DataFrame) -> dict[str, Any]:
    tpots = [line.tpot for line in lines if line.tpot]
    ttfts = [line.ttft for line in lines if line.ttft]
    not_measured = [_not_measured(this, row) for row in records(open_)]
    unit = catalogue.metric(this.metric).unit
    return {
        "metric": this.metric,
        "unit": unit,
        "at": this.way,
        "level": this.level,
        "interactivity": this.seen,
        "tpot_ms": tpots[0] if tpots else None,
        "ttft_ms": ttfts[0] if ttfts else None,
        "group": this.group,
        "lines": [measured.numbers(line) for line in lines],
        "lines_not_drawn": this.held - len(this.lines),
        "disaggregated_lines_left_out": this.split,
        "not_measured": not_measured,
        "projections": projections.projections(lines, unit, not_measured),
        "prices": {
            chip: {
                "usd_per_hour": price.median,
                "quotes": price.quotes,
                "lowest": price.lowest,
                "highest": price.highest,
            }
            for chip, price in this.prices.items()
            if any(line.facts["accelerator"] == chip for line in lines)
        },
    }


def _not_measured(this: Prepared, row: dict[str, Any]) -> dict[str, Any]:
    return {
        "point_id": row["point_id"],
        "accelerators": int(row["accelerators"]),
        "throughput": row["value"],
        "evidence": row["evidence"],
        "accelerator": row["accelerator"],
        "engine": row["engine"],
        "words": f"{row['evidence'] or 'of unstated evidence'}: {deployment_words(row)},"
        f" {row['value']:,.0f} {catalogue.metric(this.metric).unit}",
    }
