"""Did it get faster? One deployment and workload over engine versions and dates, and what of that is only method."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from bench import basis, catalogue
from bench.basis import evidence, side_by_side, story
from bench.basis.options import Option
from bench.basis.story import Needs, Story
from bench.basis.variations import Robustness
from bench.chart import setting
from bench.errors import UnknownName, UsageError
from bench.library import Library
from bench.maths.change_points import ALARMS, LEAST
from bench.questions import Answer, Choices, Column, Steps, Why, counting, pipeline
from bench.questions.history import fixed_loads, lines, method, trade_offs, verdict
from bench.questions.history.figure import figure as figure
from bench.questions.history.lines import DeploymentHistory, Histories
from bench.questions.history.result import FRONTIER, TIME, FixedLoad, History, LoadValue
from bench.records import LOAD_AXES
from bench.view import View
from bench.wording import joined, number, share

TITLE = "History"
QUESTION = "Did it get faster?"
SECTION = "Decide"
ORDER = 45
NEEDS = "points"
SHOWN = {TIME: "Over time", FRONTIER: "Then against now"}
MOST_LOADS = 8

OPTIONS = (
    Option("deployment", "Deployment", "choice", "What is followed over its runs: chips, layout and engine."),
    Option("metric", "Metric", "choice", "What is followed.", lines.METRICS),
    Option("load", "At load", "choice", "The loads at which runs are compared; between measured ones interpolated."),
    Option(
        "show", "Chart", "choice", "The metric over time, or the trade-off of two runs.", (TIME, FRONTIER), default=TIME
    ),
    Option("then", "Then", "choice", "The earlier of the two runs whose trade-offs are compared."),
    Option("now", "Now", "choice", "The later of them; step through the dates with it."),
    Option(
        "least",
        "Least change (%)",
        "number",
        "Changes smaller than this are not told.",
        most=1000,
        example="5",
        default=f"{100 * LEAST:g}",
    ),
)
COLUMNS = (
    Column("run", "Run"),
    Column("load", "At load", "", 0),
    Column("value", "Value"),
    Column("level", "Level"),
    Column("speed_change", "Faster by"),
    Column("method_changed", "Measured unlike in"),
    Column("interpolated", "Interpolated"),
)
STEPS = Steps(counting("date", "has a run", "have a run"))

FACTS = tuple("model precision accelerator accelerators tp pp dp ep engine engine_version isl osl load_kind".split())
LAST = ("variant", "harness", "evidence", "source", "date", "source_url", "flags", "source_id")


@dataclass(frozen=True)
class _Followed:
    """What an answer is about: its story with the complete View, every history of it and the one that is shown."""

    story: Story
    found: Histories
    line: DeploymentHistory | None


def complete(library: Library, view: View) -> View:
    """The View with the history that is shown and every option explicit; UnknownName for one that it has not."""
    return _followed(library, view).story.view


def choices(library: Library, view: View) -> Choices:
    """The histories of the selection, and the metrics, loads and runs of the one that is shown."""
    told = _followed(library, view)
    line, asked = told.line, told.story.view.option("load")
    offered: dict[str, list[tuple[str, str]]] = {"show": list(SHOWN.items())}
    offered["deployment"] = list(told.found.labels.items())
    if line is None:
        return offered
    metric = told.story.view.option("metric")
    runs = [(run.name, run.words) for run in line.runs]
    measured = sorted({load for run in line.runs for load in run.points})
    axis = fixed_loads.AXES.get(line.facts.load_kind or "", "load")
    loads = [_written(fixed_loads.usual(line.runs, metric)), *map(_number_of, measured), asked]
    return offered | {
        "metric": [(key, catalogue.metric(key).label) for key in line.metrics],
        "load": [(text, _load_words(text, axis)) for text in dict.fromkeys(loads) if text],
        "then": runs,
        "now": runs,
    }


def answer(library: Library, view: View) -> Answer[History]:
    """The history of one deployment of a View's selection."""
    told = _followed(library, view)
    result = _history(library, told)
    shown = [told.line.facts.model] if told.line else []
    said = (
        *verdict.statements(result),
        *side_by_side.left_out(library, told.story.view, shown, "a history of its own; one is shown at a time"),
    )
    why = _why(result) if result.loads else ()
    return pipeline.answer(library, QUESTION, told.story.view, result, said, _rows(result), why, told.story)


def robustness(library: Library, view: View) -> Robustness | None:
    """None: a history is of one deployment and all of its runs, so there is no choice to look again with."""
    return None


def _followed(library: Library, view: View) -> _Followed:
    """What is followed of a View's selection; UnknownName or UsageError for a choice that cannot be."""
    basis.check_every(view, OPTIONS)
    needs = Needs("deployment that was measured on two dates", lines.again_sql(library))
    told = story.of(library, view, needs)
    found = lines.histories(library, replace(evidence.read(told.view), all_runs=True))
    line = _line(view, found)
    written = {"deployment": line.code if line else None, **_own(library, view, line)}
    whole = basis.written_out(told.view.with_options(**written))
    return _Followed(replace(told, view=whole), found, line)


def _line(view: View, found: Histories) -> DeploymentHistory | None:
    """The history that a View names, else the best filled; one that its filters leave out gives way unless whole."""
    asked = view.option("deployment")
    named = found.line(asked) if asked else None
    if asked and named is None and view.whole and found.lines:
        raise UnknownName("deployment with a history here", asked, [one.code for one in found.lines])
    return named or next(iter(found.lines), None)


def _own(library: Library, view: View, line: DeploymentHistory | None) -> dict[str, str | None]:
    """The page's own options for a history, those that a View leaves open or cannot have here filled in."""
    least = OPTIONS[-1].number(view)
    own: dict[str, str | None] = {
        "show": view.option("show", TIME),
        "least": view.option("least") if least is not None else f"{100 * LEAST:g}",
    }
    if line is None:
        return own
    asked = view.option("metric")
    metric = asked if asked in line.metrics else line.metrics[0]
    names = [run.name for run in line.runs]
    pair = trade_offs.pair(line.runs, trade_offs.frontiers(line.runs), method.passports(library, trade_offs.PER_CHIP))
    then, now = pair or (0, len(names) - 1)
    run = {
        key: view.option(key) if view.option(key) in names else names[usual]
        for key, usual in (("then", then), ("now", now))
    }
    usual = _written(fixed_loads.usual(line.runs, metric))
    return own | run | {"metric": metric, "load": _written(_loads(view.option("load"))) or usual}


def _loads(text: str) -> tuple[float, ...]:
    """The loads that a link names: "64", "4,16,64"; UsageError for what is none."""
    try:
        loads = tuple(sorted({float(part) for part in text.split(",") if part.strip()}))
    except ValueError:
        loads = (0.0,)
    if len(loads) > MOST_LOADS or not all(0 < load < 1e9 for load in loads):
        raise UsageError(
            f"load={text[:40]!r} names no load to compare runs at; write it as in load=64 or load=4,16,64."
        )
    return loads


def _number_of(load: float) -> str:
    """A load as links hold it: "64", "0.5"."""
    return f"{load:.12g}"


def _written(loads: Sequence[float]) -> str:
    return ",".join(map(_number_of, loads))


def _load_words(text: str, axis: str) -> str:
    loads = [number(float(one)) for one in text.split(",")]
    first = setting(axis, float(text.split(",")[0])) if axis != "load" else f"load {loads[0]}"
    return joined([first, *loads[1:]], at_most=MOST_LOADS)


def _history(library: Library, told: _Followed) -> History:
    line, view = told.line, told.story.view
    metric = view.option("metric", lines.METRICS[0]) if line else lines.METRICS[0]
    counted = lines.tally(library, told.found.ranking, line, metric)
    least = (OPTIONS[-1].number(view) or 100 * LEAST) / 100
    if line is None:
        return History("", "", None, metric, view.option("show"), (), (), (), None, None, (), None, least, 0, counted)
    drawn = trade_offs.frontiers(line.runs)
    names = {run.name: place for place, run in enumerate(line.runs)}
    then, now = sorted((names[view.option("then")], names[view.option("now")]))
    unlike = trade_offs.unlike(line.runs[then], line.runs[now], method.passports(library, trade_offs.PER_CHIP))
    history = History(
        deployment=line.code,
        label=told.found.labels[line.code],
        facts=line.facts,
        metric=metric,
        show=view.option("show"),
        runs=line.runs,
        loads=fixed_loads.followed(library, line.runs, metric, _loads(view.option("load")), least),
        frontiers=drawn,
        then=then if len(drawn) > 1 else None,
        now=now if len(drawn) > 1 else None,
        unlike=unlike,
        gain=None,
        least=least,
        others=len(told.found.lines) - 1,
        counted=counted,
    )
    before, after = history.frontier(history.then), history.frontier(history.now)
    if unlike or before is None or after is None or then == now:
        return history
    return replace(history, gain=trade_offs.gain(before, after))


def _rows(found: History) -> pd.DataFrame:
    """One row for each value, in the order of loads and of time; of an interpolated one the nearest point below."""
    rows = [_row(found, one, place) for one in found.in_order for place in range(len(one.values))]
    return pd.DataFrame(rows, columns=None if rows else ["point_id", *FACTS, "date"])


def _row(found: History, one: FixedLoad, place: int) -> dict[str, Any]:
    value: LoadValue = one.values[place]
    facts, run = value.measured.facts, found.runs[value.run]
    start, _, levels = next(stretch for stretch in one.stretches if stretch[0] <= place < stretch[1])
    level = next(
        level
        for (first, last), level in zip(levels.bounds, levels.levels, strict=True)
        if first <= place - start < last
    )
    change = next((change for change in one.told if change.after == value.run), None)
    return {
        "point_id": facts.point_id,
        "run": run.name,
        **{key: getattr(facts, key) for key in (*FACTS, *LOAD_AXES)},
        "load": one.load,
        found.metric: None if value.is_interpolated else value.value,
        "value": value.value,
        "interpolated": value.is_interpolated,
        "level": level,
        "speed_change": f"{100 * (change.speed - 1):+.1f} %" if change else None,
        "method_changed": joined([method.WORDS[each.kind] for each in value.changes]) or None,
        **{key: getattr(facts, key) for key in LAST},
    }


def _why(found: History) -> Iterator[Why]:
    """How a change is told from noise, what is no change of speed, and how the two trade-offs are compared."""
    first = found.loads[0]
    longest = first.longest_stretch
    noise = longest[2].noise
    inputs = [
        f"{longest[1] - longest[0]} runs of one method",
        f"noise {share(noise)} of a level" if noise is not None else "too few to tell noise",
        f"changes of {share(found.least)} or more",
        f"at most {share(ALARMS)} of such answers find one where none is",
    ]
    yield Why(
        "Change point",
        "the partition into levels with the least squares of logarithms, and an F test of each further level; noise is"
        " lognormal, independent and of one size along a history",
        joined(inputs, at_most=9),
        "Auger and Lawrence 1989; Bai and Perron 1998; bench/maths/change_points.py",
    )
    yield Why(
        "Method",
        "another source, harness, variant, window, token count, image of one release, number of requests, or a method"
        " that a flag doubts: what changes with it is not told as speed",
        f"{sum(bool(value.changes) for one in found.loads for value in one.values)} such steps at these loads",
        "Kneepoint's definition; docs/history.md",
    )
    if found.gain is not None:
        yield Why(
            "Then against now",
            "tokens/s per chip now over then at equal tokens/s per user, straight between points on logarithms",
            f"from {number(found.gain.start)} to {number(found.gain.end)} tokens/s per user, where both reach",
            "bench/maths/interpolation.py",
        )
