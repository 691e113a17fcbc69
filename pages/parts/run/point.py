"""One point of a run: its figures, its flags, how it went over time, its latencies, its requests, its failures."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from bench import catalogue
from bench.errors import InputError
from bench.formats.journal import PointLine
from bench.plain_text import markdown
from bench.runs import PointStory
from bench.runs.levels import shape_words
from bench.sweep.planning.shapes import load_words
from bench.wording import counted, inline, joined, number, quantity
from pages.parts.run import requests
from pages.shared import cached_sweeps, charts, notices, runs, table
from pages.shared.runs import RunPage

TOLD = ("output_tokens_per_s", "ttft_ms_p50", "ttft_ms_p99", "tpot_ms_p50", "e2el_ms_p50")
BARS = "waterfall"
CHARTS = {
    "over_time": "Output tokens by when they arrived, and requests under way, over the point",
    "latencies": "Cumulative distributions of the latencies of the measured requests",
    "waterfall": "Where the time of each request went",
}
LABELS = {
    "latency": "Latency (ms)",
    "count": "Values",
    "mean": "Mean",
    "min": "Least",
    "max": "Most",
    **{f"p{percent}": f"p{percent}" for percent in (50, 90, 95, 99)},
}


def show(run: RunPage, chosen: int) -> None:
    """Draw the story of one point."""
    line = next(line for line in run.story.lines if line.number == chosen)
    with st.container(key="behind", border=True):
        _summary(line)
        try:
            point = cached_sweeps.point_story(run.folder, chosen)
        except InputError as problem:
            st.caption(markdown(str(problem)))
            return
        _figure(run, chosen, "over_time")
        st.caption(_course(point))
        if point.latencies:
            _figure(run, chosen, "latencies")
            _statistics(point)
        _figure(run, chosen, "waterfall")
        st.caption(markdown(f"{point.waterfall.said} Click a bar to open its request."))
        _failures(point)
        requests.listed(run, chosen, point.requests)


def _summary(line: PointLine) -> None:
    figures = [
        f"{inline(catalogue.metric(key))} {quantity(line.metrics[key], key)}" for key in TOLD if key in line.metrics
    ]
    text = joined(figures, at_most=len(TOLD))
    lost = line.requests_failed + line.warmup_failed
    early = f" ({line.warmup_failed:,} in the warm-up)" if line.warmup_failed else ""
    failed = f", {lost:,} failed{early}" if lost else ""
    if line.error:
        st.warning(markdown(f"This point failed: {line.error}."), icon=None)
    st.markdown(
        f"**Point {line.number}: {markdown(load_words(line.load))}, {markdown(shape_words(line))}**  \n"
        + markdown(
            f"{text[:1].upper()}{text[1:]}{'; ' if text else ''}"
            f"{counted(line.requests_ok, 'request')} ended well{failed}."
        )
    )
    notices.flagged(line.flags)


def _course(point: PointStory) -> str:
    if point.window is None:
        return "This journal does not say which part of the point was measured."
    width = float(point.over_time["to_s"].iloc[0] - point.over_time["from_s"].iloc[0])
    engine = (
        " The engine's own figures were read once a second."
        if len(point.engine)
        else " The engine told no figures of its own."
    )
    why = f" {point.window.why[:1].upper()}{point.window.why[1:]}." if point.window.why else ""
    return markdown(
        f"Tokens are counted by when they arrived, in stretches of {number(width * 1000)} ms; those inside the shaded "
        f"window, over its {number(point.window.duration_s)} s, are the point's throughput.{why}{engine}"
    )


def _figure(run: RunPage, number: int, name: str) -> None:
    drawn = cached_sweeps.point_figure(run.folder, number, name, run.theme)
    charts.draw(drawn, f"chart.run.{name}", CHARTS[name], _bar_clicked if name == BARS else None)
    runs.picture(run, f"{CHARTS[name]}: point {number}.", f"-{number}-{name}", f"chart.run.{name}")


def _bar_clicked(ids: list[str]) -> None:
    requests.open_(int(ids[0]) if ids else None)


def _statistics(point: PointStory) -> None:
    rows = [
        {"latency": catalogue.metric(f"{key}_p50").label.rsplit(", ", 1)[0], **shown.statistics}
        for key, shown in point.latencies.items()
    ]
    shown = pd.DataFrame(rows)
    table.show(shown, key="rows.latencies", alt="Percentiles of each latency, in ms", labels=LABELS)
    table.files(lambda: shown, "kneepoint-latencies")


def _failures(point: PointStory) -> None:
    if not point.failures:
        return
    lines = []
    for failure in point.failures:
        lines.append(f"- **{markdown(failure.kind.replace('_', ' '))}**: {counted(failure.requests, 'request')}")
        lines += [
            f"    - request {one.number:,} at {number(one.at_s)} s: {markdown(one.error)}" for one in failure.examples
        ]
    st.markdown("What failed, with the first of each kind  \n\n" + "\n".join(lines))
