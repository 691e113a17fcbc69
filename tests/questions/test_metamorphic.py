"""What holds of every question whatever is loaded and asked: tried on many Views, against a plain reading of the rules.

The points that stand, limits and prices are read by `tests.questions.audited.reference_answers`: no SQL of the answers
is in it.
"""

from __future__ import annotations

import csv
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import pandas as pd
import pytest

from bench import catalogue
from bench.basis import evidence
from bench.basis.document import document, records
from bench.errors import BenchError
from bench.library import Library, library
from bench.questions import Answer, question, questions
from bench.selection import written
from bench.view import FILTER_BY_KEY, View
from tests.library.files import published
from tests.questions.audited import answers, dropped_points, one_figure, reference_answers, superlatives
from tests.questions.audited.answers import AuditedAnswer
from tests.questions.audited.reference_answers import PlainRow, PlainRows
from tests.questions.heatmap.results import point
from tests.thorough import some, times

every_question = pytest.mark.parametrize("name", list(questions()))

R1 = {"model": ["deepseek-r1"], "precision": ["fp8"], "isl": [1024], "osl": [8192]}
VIEWS = {
    "R1 FP8": View.of(R1),
    "R1 FP4": View.of({"model": ["deepseek-r1"], "precision": ["fp4"], "isl": [8192], "osl": [1024]}),
    "Qwen": View.of({"model": ["qwen3.5-397b-a17b"]}),
    "Gemma": View.of({"model": ["gemma-4-31b"]}),
    "Llama of MLPerf": View.of({"model": ["llama-2-70b"]}),
    "within limits": View.of(R1, slo=["tpot_ms_p50<=40", "ttft_ms_p50<=5000"]),
}
every_view = pytest.mark.parametrize("view", [pytest.param(VIEWS[name], id=name) for name in some(VIEWS, 1, 2)])

NARROWED = ("accelerator", "engine", "source", "harness", "load_kind", "model", "precision")
LIKELY = (*NARROWED, "isl", "osl", "concurrency", "speculation", "disaggregated", "accelerators", "tp", "evidence")
LIMITED = (
    "ttft_ms_p50",
    "tpot_ms_p50",
    "interactivity_tokens_per_s_per_user_p50",
    "ttft_ms_p99",
    "output_tokens_per_s_per_accelerator",
    "tpot_ms_mean",
)


@pytest.fixture(scope="module")
def reading(shipped: Library) -> PlainRows:
    return reference_answers.read(shipped)


def asked(library: Library, name: str, view: View) -> Answer[Any] | None:
    """The answer, None where the question declines the View."""
    try:
        return question(name).answer(library, view)
    except BenchError:
        return None


def wrong(told: AuditedAnswer) -> list[str]:
    """What the points and the price books contradict in an answer."""
    checked = (one_figure.of_figures, one_figure.of_prices, superlatives.of_answer, dropped_points.of_answer)
    return [finding.text for check in checked for finding in check(told)]


def shown(answer: Answer[Any]) -> Counter[tuple[Any, ...]]:
    """The metrics and amounts of money in each row, with the points of the row."""
    rows: Counter[tuple[Any, ...]] = Counter()
    for row in records(answer.rows):
        ids = tuple(row.get(key) for key in answers.SIDES)
        found = [(key, one) for key, one in row.items() if one is not None and is_figure(answer, key)]
        if found:
            rows[ids, tuple(sorted((key, f"{one:.9g}") for key, one in found))] += 1
    return rows


def is_figure(answer: Answer[Any], key: str) -> bool:
    bare = key.removeprefix("a_").removeprefix("b_").removesuffix("_per_chip").removesuffix("_per_usd_per_h")
    return key == "value" or catalogue.is_metric(bare) or bool(money(answer, key))


def money(answer: Answer[Any], key: str) -> int:
    """Whether a column doubles with every price (1), halves (-1) or stays (0), by its unit."""
    labels = {one.key: one.unit for name in questions() for one in question(name).COLUMNS}
    unit = catalogue.metric(key).unit if catalogue.is_metric(key) else labels.get(key, "")
    if "per_usd" in key or "/USD" in unit or "per USD" in unit:
        return -1
    return 1 if "USD" in unit else 0


def in_rows(answer: Answer[Any], reading: PlainRows) -> list[PlainRow]:
    """The points that an answer's rows are about."""
    ids = {row[key] for row in records(answer.rows) for key in answers.SIDES if row.get(key) is not None}
    return [reading.by_id[id] for id in ids]


def narrower(answer: Answer[Any], reading: PlainRows) -> Iterator[tuple[str, View]]:
    """The View of an answer narrowed, for one filter after the other, to what all of its points state."""
    rows = in_rows(answer, reading)
    for key in NARROWED:
        values = {row[FILTER_BY_KEY[key].column] for row in rows}
        if values and None not in values and not answer.view.values(key):
            yield key, answer.view.with_where(**{key: sorted(values)})


@every_question
@every_view
def test_narrowing_to_what_is_shown_changes_no_figure_and_no_price(
    name: str, view: View, shipped: Library, reading: PlainRows
) -> None:
    """Sentences may be about other points too: what another use would take, on another chip."""
    wide = asked(shipped, name, view)
    if wide is None:
        return
    chips = {row["accelerator"] for row in in_rows(wide, reading)}
    kept = {chip: usd for chip, usd in answers.prices(wide).items() if chip in chips}
    for key, narrow in some(narrower(wide, reading), 1, 4):
        again = question(name).answer(shipped, narrow)
        assert shown(again) == shown(wide), key
        assert answers.prices(again).items() >= kept.items(), key


UNRELATED = {
    "model": "small-model-of-nobody-1b",
    "engine_version": "99.0",
    "date": "2026-11-01",
    "ttft_ms_p50": 1,
    "tpot_ms_p50": 0.1,
    "interactivity_tokens_per_s_per_user_p50": 10_000,
}


@pytest.fixture(scope="module")
def larger(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """The shipped library and a small source of a model that nobody else has, faster than all others."""
    folder = tmp_path_factory.mktemp("larger")
    rows = [
        point(1024, 8192, 1e5 * load, accelerator=chip, accelerators=chips, concurrency=load, **UNRELATED)
        for chip in ("h200-sxm", "mi355x")
        for chips in (1, 8)
        for load in (1, 64)
    ]
    found = Library.open(folder / "library")
    assert not found.add([published(folder / "unrelated.csv", rows)]).refused
    return found


@every_question
@every_view
def test_an_unrelated_source_changes_nothing(name: str, view: View, shipped: Library, larger: Library) -> None:
    """But for the count of all that is loaded, which the overview tells beside what is selected."""
    before, after = asked(shipped, name, view), asked(larger, name, view)
    if before is None or after is None:
        assert before is after
        return
    assert after.view == before.view
    assert after.rows.equals(before.rows)
    parts = [document(one.result) for one in (before, after)]
    counts = [part.pop("loaded", None) for part in parts]
    assert parts[0] == parts[1]
    if counts == [None, None]:
        assert after.statements == before.statements


@pytest.fixture(scope="module")
def doubled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    """The shipped library with every price of every book twice as high."""
    folder = tmp_path_factory.mktemp("doubled")
    for path in sorted(library.PRICE_BOOKS.glob("*.csv")):
        with path.open(newline="", encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines))
        for row in rows:
            for key in ("usd_per_hour", "usd_per_accelerator_hour"):
                row[key] = repr(2 * float(row[key])) if row[key] else ""
        published(folder / path.name, rows)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(library, "PRICE_BOOKS", folder)
        yield Library.open(folder / "none")


SIDES = {"a": "accelerator=h200-sxm", "b": "accelerator=mi355x"}
PRICED = [
    {},
    {"y": "usd_per_million_output_tokens"},
    {"per": "dollar"},
    {"per": "dollar", **SIDES},
    {"tokens": "blended"},
    {"price_terms": "modelled:rental", "group": "deployment"},
    {"price_terms": "every", "utilisation": "0.5"},
]


@every_question
@every_view
def test_twice_the_price_is_twice_the_cost_and_half_of_what_a_dollar_buys(
    name: str, view: View, shipped: Library, doubled: Library
) -> None:
    own = {option.key for option in question(name).OPTIONS} | {"price_terms", "utilisation"}
    for options in some([one for one in PRICED if one.keys() <= own], 3, 7):
        before, after = (asked(one, name, view.with_options(**options)) for one in (shipped, doubled))
        assert (before is None) == (after is None)
        if before is None or after is None:
            continue
        factors = {key: 2.0 ** money(before, key) for key in before.rows.columns}
        assert list(after.rows.columns) == list(before.rows.columns)
        for key, factor in factors.items():
            assert_times(factor, before.rows[key].tolist(), after.rows[key].tolist(), key)
        each = {chip: sorted(values) for chip, values in answers.prices(before).items()}
        twice = {chip: sorted(values) for chip, values in answers.prices(after).items()}
        assert twice == {chip: pytest.approx([2 * one for one in values]) for chip, values in each.items()}


def assert_times(factor: float, before: Sequence[Any], after: Sequence[Any], key: str) -> None:
    """That every number of a column is so many times what it was, and every text the same."""
    for one, other in zip(before, after, strict=True):
        if pd.isna(one):
            assert pd.isna(other), key
        elif isinstance(one, float | int) and not isinstance(one, bool):
            assert other == pytest.approx(factor * one, rel=1e-9), key
        elif "USD" not in str(one):
            assert other == one, key


def text_of(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else written(value)


VARIED = {
    "heatmap": [{}, {"metric": "tpot_ms_p50"}, {"panel": "none"}],
    "pareto": [{}, {"y": "usd_per_million_output_tokens"}, {"group": "engine"}],
    "scaling": [{}, {"at": "concurrency"}],
    "crossover": [{}, {"per": "accelerator"}, {"per": "dollar"}, {"metric": "tpot_ms_p50"}, SIDES],
    "cost": [{}, {"tokens": "blended"}, {"group": "engine"}, {"price_terms": "modelled:rental"}],
}
"""Options that such a View is asked with, one of them each time."""


def any_view(rng: random.Random, rows: Sequence[PlainRow]) -> View:
    """Filters that some point meets, and limits that some point keeps just so."""
    row, other = rng.choice(rows), rng.choice(rows)
    keys = rng.sample(LIKELY, rng.randint(0, 5))
    where = {
        key: {text_of(one[key]) for one in (row, other)[: rng.randint(1, 2)] if one[key] is not None} for key in keys
    }
    limited = [key for key in LIMITED if row.get(key) is not None]
    slo = []
    for key in rng.sample(limited, min(len(limited), rng.randint(0, 2))):
        slo.append(f"{key}{'<=' if catalogue.metric(key).direction == 'lower' else '>='}{row[key]:.6g}")
    options = rng.choice([{}, {}, {}, {"runs": "all"}, {"flagged": "out"}])
    return View.of({key: sorted(values) for key, values in where.items()}, options, slo=slo)


def test_what_is_ranked_and_called_the_best_is_that_of_a_plain_reading(shipped: Library, reading: PlainRows) -> None:
    """Of Views drawn at random, each asked of two questions: all of them would take longer and find the same."""
    rng, many, ranked, audited = random.Random(0), times(200, 4, 28), 0, 0
    for _ in range(many):
        view = any_view(rng, reading.rows)
        condition = evidence.ranked(shipped, evidence.read(view))
        found = shipped.fetch(f"SELECT point_id FROM points WHERE {condition.sql}", condition.params)
        assert {id for (id,) in found} == {row["point_id"] for row in reading.ranked(view)}, view.query()
        ranked += bool(found)
        for name in rng.sample(list(questions()), 2):
            answer = asked(shipped, name, view.with_options(**rng.choice(VARIED.get(name, [{}]))))
            if answer is not None:
                assert wrong(AuditedAnswer(name, answer, reading)) == [], (name, answer.view.query())
                audited += bool(answer.statements[0].point_ids)
    assert min(ranked, audited) >= many / 3  # that a View leaves nothing, or is declined, is no proof
