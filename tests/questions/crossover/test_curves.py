"""No measured point of a newest run is missing from a curve or understated: the curves against the raw points.

What is ranked, and the newest run, is worked out here from the rows themselves, with code of its own.
"""

from __future__ import annotations

import json
from collections import defaultdict
from itertools import combinations
from typing import Any

import pytest

from bench.questions import crossover
from bench.records import DEPLOYMENT_FIELDS
from bench.view import View
from tests.questions.crossover.results import kind, knots, outcome
from tests.thorough import some

IMPOSSIBLE = {
    "littles-law",
    "unit-doubtful",
    "role-chips-unknown",
    "implausible",
    "capacity",
    "no-source",
    "cold-start",
    "clock_trouble",
}
COLUMNS = (
    *DEPLOYMENT_FIELDS,
    "isl",
    "osl",
    "concurrency",
    "output_tokens_per_s",
    "date",
    "source_url",
    "flags",
    "harness",
    "load_kind",
    "point_id",
)
FEWEST = 3

Row = dict[str, Any]
Workload = tuple[str, str, float, float]


@pytest.fixture(scope="module")
def newest(shipped) -> dict[Workload, dict[str, dict[int, list[Row]]]]:
    """Of every workload and accelerator of InferenceX the rows of the newest runs, by concurrency."""
    found = shipped.fetch(
        f"SELECT {', '.join(COLUMNS)} FROM points_as_stated WHERE source = 'inferencex' AND evidence = 'measured'"
        " AND concurrency > 0 AND output_tokens_per_s > 0 AND precision IS NOT NULL AND isl IS NOT NULL"
    )
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in found]
    stated = defaultdict(set)
    for row in rows:
        stated[row["source_url"], row["engine"], row["accelerator"]].add(row["engine_version"])
    lines: dict[tuple[Any, ...], list[Row]] = defaultdict(list)
    for row in rows:
        versions = stated[row["source_url"], row["engine"], row["accelerator"]] - {None}
        row["engine_version"] = row["engine_version"] or (versions.pop() if len(versions) == 1 else None)
        deployment = tuple(row[key] for key in DEPLOYMENT_FIELDS if key != "engine_version")
        if not IMPOSSIBLE & {flag["kind"] for flag in json.loads(row["flags"] or "[]")}:
            lines[(*deployment, row["isl"], row["osl"], row["harness"], row["load_kind"])].append(row)
    told: dict[Workload, dict[str, dict[int, list[Row]]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for held in lines.values():
        runs = defaultdict(list)
        for row in held:
            runs[row["source_url"], row["engine_version"]].append(row)
        last = max(row["date"] for row in held)
        for run in runs.values():
            if max(row["date"] for row in run) == last:
                for row in run:
                    workload = (row["model"], row["precision"], row["isl"], row["osl"])
                    told[workload][row["accelerator"]][row["concurrency"]].append(row)
    return told


def pairs(newest: dict[Workload, dict[str, dict[int, list[Row]]]]) -> list[tuple[Workload, str, str]]:
    """Every workload and pair of accelerators with so many shared concurrencies."""
    return [
        (workload, a, b)
        for workload, chips in newest.items()
        for a, b in combinations(sorted(chips), 2)
        if len(chips[a].keys() & chips[b].keys()) >= FEWEST
    ]


def answer_of(shipped, workload: Workload, a: str, b: str):
    model, precision, isl, osl = workload
    where = {"source": ["inferencex"], "model": [model], "precision": [precision], "isl": [int(isl)], "osl": [int(osl)]}
    options = {
        "a": f"accelerator={a}",
        "b": f"accelerator={b}",
        "along": "concurrency",
        "metric": "output_tokens_per_s",
        "per": "accelerator",
    }
    return crossover.answer(shipped, View.of(where, options))


def test_no_measured_point_of_a_newest_run_is_missing_or_understated(shipped, newest):
    every = pairs(newest)
    assert len(every) > 20
    for workload, a, b in some(every, 12):
        answer = answer_of(shipped, workload, a, b)
        compared = outcome(answer)
        for side, chip in (("a", a), ("b", b)):
            raw, curve = newest[workload][chip], compared.curves[side]
            assert {place.x for member in curve.members for place in member.places} == set(raw)
            for x, rows in raw.items():
                best = max(row["output_tokens_per_s"] / row["accelerators"] for row in rows)
                assert curve.envelope.y(x) >= best * (1 - 1e-12), (workload, chip, x)
        at_knots = {knot.x for knot in knots(answer)}
        for x in newest[workload][a].keys() | newest[workload][b].keys():
            both = compared.curves["a"].envelope.covers(x) and compared.curves["b"].envelope.covers(x)
            assert (x in at_knots) == both


def test_on_deepseek_at_1024_8192_the_mi355x_leads_the_h200_at_all_six_places(shipped, newest):
    workload = ("deepseek-r1", "fp8", 1024, 8192)
    answer = answer_of(shipped, workload, "h200-sxm", "mi355x")
    assert kind(answer) == "b_leads"
    found = {knot.x: knot for knot in knots(answer)}
    assert list(found) == [4, 8, 16, 32, 64, 256]
    assert all(knot.leader == "b" for knot in found.values())
    assert {x: round(-found[x].lead_percent) for x in (64, 256)} == {64: 115, 256: 15}
    raw = newest[workload]
    best = [max(row["output_tokens_per_s"] for row in raw["mi355x"][x] if row["accelerators"] == 8) for x in (64, 256)]
    assert best == pytest.approx([4381.736, 9039.12])
    assert found[256].y_b == pytest.approx(9039.12 / 8)
    assert {x: (knot.measured_a, knot.measured_b) for x, knot in found.items() if not knot.measured_b} == {
        16: (True, False)
    }
