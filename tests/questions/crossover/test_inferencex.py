"""Every pair of InferenceX against its points, by brute force: none is missing from a curve, or lies above one."""

from __future__ import annotations

from collections import defaultdict
from itertools import combinations

import pytest

from bench.library import Library
from bench.questions import crossover
from bench.questions.crossover.result import Compared
from bench.selection import written
from bench.view import View
from tests.questions.audited.reference_answers import PlainRow, read, value
from tests.thorough import some

KEPT = ("model", "precision", "isl", "osl")
METRIC = "output_tokens_per_s"
SHARED, TURNS = 3, 4
"""So many concurrencies were run on both accelerators of a pair; so many tests share the pairs."""

Points = dict[float, list[tuple[float, int]]]
"""By concurrency the throughput and the chips of each point of an accelerator."""

InferencexPair = tuple[View, str, str, Points, Points]


@pytest.fixture(scope="module")
def pairs(shipped: Library) -> list[InferencexPair]:
    """The pairs of accelerators of each model, precision and lengths, with the points of each that may be ranked."""
    source = View.of({"source": ["inferencex"]})
    stories: dict[tuple[object, ...], list[PlainRow]] = defaultdict(list)
    for row in read(shipped, source).standing(source):
        stories[tuple(row[key] for key in KEPT)].append(row)
    made = []
    for story, rows in stories.items():
        view = source.with_where(**{key: [written(one)] for key, one in zip(KEPT, story, strict=True)})
        chips: dict[str, Points] = defaultdict(lambda: defaultdict(list))
        for row in rows:
            figure = value(row, METRIC)
            if row["accelerator"] and row["accelerators"] and row["concurrency"] and figure:
                chips[row["accelerator"]][float(row["concurrency"])].append((figure, row["accelerators"]))
        for a, b in combinations(sorted(chips), 2):
            if len(chips[a].keys() & chips[b].keys()) >= SHARED:
                made.append((view, a, b, chips[a], chips[b]))
    assert len(made) > 80
    return made


@pytest.mark.parametrize("turn", range(TURNS))
def test_no_measured_point_is_missing_from_a_curve_or_above_it(
    pairs: list[InferencexPair], turn: int, shipped: Library
) -> None:
    for view, a, b, *measured in some(pairs[turn::TURNS], 1, 3):
        for per in ("raw", "accelerator"):
            sides = {"a": f"accelerator={a}", "b": f"accelerator={b}"}
            options = {**sides, "along": "concurrency", "metric": METRIC, "per": per}
            outcome = crossover.answer(shipped, view.with_options(**options)).result.outcome
            assert isinstance(outcome, Compared), (view.query(), a, b)
            for curve, of in zip(outcome.curves.values(), measured, strict=True):
                missing = of.keys() - {*curve.envelope.xs}
                assert not missing, (view.query(), a, b, per)
                for x, figures in of.items():
                    most = max(figure / (chips if per == "accelerator" else 1) for figure, chips in figures)
                    assert curve.envelope.y(x) >= most * (1 - 1e-9), (view.query(), a, b, per, x)
