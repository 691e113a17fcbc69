"""Scaling denies no answer that the library holds: it tells it or leads to it, and a denial is true of every pair."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pytest

from bench import flags, selection
from bench.basis import limits, story
from bench.chart import value_label
from bench.library import Library
from bench.questions import Answer, scaling
from bench.questions.scaling import lines
from bench.questions.scaling.result import Scaling
from bench.suggestions.next_steps import next_steps
from bench.view import View
from tests.library.files import ROW
from tests.questions.heatmap.results import library_of_cases
from tests.questions.saying import headline, kinds, said, statement
from tests.thorough import some

OF_LINES = {"other_lines", "lone", "hollow", "efficiencies", "projected"}
"""What is said of lines, which a page without any must not say."""

OF_A_WAY = ("nothing_best", "nothing_level", "nothing_other_level")
DENIALS = ("nothing_counts", "nothing_shared_load", *OF_A_WAY)
"""The kinds of a headline that says that no two chip counts can be compared."""


def values(library: Library, column: str) -> list[str]:
    rows = library.fetch(f"SELECT {column} FROM points WHERE {column} IS NOT NULL GROUP BY 1 ORDER BY 1")
    return [one for (one,) in rows]


def others(library: Library, model: str) -> Iterator[View]:
    """Other ways to ask about a model: with older runs, of MLPerf, and of each of its precisions."""
    yield View.of({"model": [model]}, {"runs": "all"})
    yield View.of({"model": [model], "source": ["mlperf"]})
    rows = library.fetch("SELECT DISTINCT precision FROM points WHERE model = ? AND precision IS NOT NULL", (model,))
    for (precision,) in rows:
        yield View.of({"model": [model], "precision": [precision]})


def used(
    answer: Answer[Scaling], metric: str, *, limited: bool = True, own: bool = False
) -> tuple[str, tuple[object, ...]]:
    """The SQL of the points of an answer that may be compared: measured, newest, unflagged and whole."""
    view = story.own_choice(answer.view) if own else answer.view
    clause, parts = selection.clause(view), [f'"{metric}" > 0', "accelerators > 0", "evidence = 'measured'"]
    parts += ["point_id NOT IN (SELECT point_id FROM set_aside)", f"NOT {flags.has_sql(flags.EXCLUDING)}"]
    parts += [f"coalesce(failed_share, 0) <= {lines.MOST_FAILED}"]
    if not answer.view.values("disaggregated"):
        parts.append("disaggregated IS NOT TRUE")
    if limited and answer.view.slo:
        parts += [f"""({one.sql(f'"{one.metric.key}"')})""" for one in limits.read(answer.view)]
    return f"{clause.sql} AND {' AND '.join(parts)}", clause.params


def alike(library: Library, where: tuple[str, tuple[object, ...]], *further: str) -> set[str]:
    """The accelerators with points of one deployment on two counts of chips, also alike in `further` expressions."""
    same = ", ".join((*map(lines.column, lines.ALIKE), *further))
    rows = library.fetch(
        f"SELECT any_value(accelerator) FROM points WHERE {where[0]} GROUP BY {same}"
        " HAVING count(DISTINCT accelerators) > 1",
        where[1],
    )
    return {str(one) for (one,) in rows}


def denied(library: Library, answer: Answer[Scaling]) -> bool:
    """Whether the headline denies two chip counts; each that does was compared with every pair of points."""
    about = used(answer, answer.result.metric)
    load = "coalesce(concurrency, batch, request_rate)"
    lone = {value_label("accelerator", one) for one in alike(library, about)} & set(answer.result.lone)
    assert not lone, answer.view.query()
    if "nowhere" in kinds(answer):
        for key in (one for one in lines.METRICS if library.has(one)):
            assert not alike(library, used(answer, key, limited=False, own=True), load), (key, answer.view.query())
    kind, values = headline(answer)
    if kind not in DENIALS:
        return False
    assert not OF_LINES & set(kinds(answer)), (answer.view.query(), kinds(answer))
    if kind in OF_A_WAY:
        return True
    [(many,)] = library.fetch(f"SELECT count(*) FROM points WHERE {about[0]}", about[1])
    assert many == answer.result.tally.used == values["used"]
    assert not alike(library, about, *[load] * (kind == "nothing_shared_load")), answer.view.query()
    return True


@pytest.mark.long
def test_what_answers_of_a_model_is_told_or_led_to_and_a_denial_is_true_of_every_pair_of_points(
    shipped: Library,
) -> None:
    found = {model: scaling.answer(shipped, View.of({"model": [model]})) for model in some(values(shipped, "model"), 4)}
    assert [denied(shipped, one) for one in found.values()].count(True) >= 1
    lost = []
    for model, answer in found.items():
        if not answer.is_told and not any(one.page == "scaling" for one in next_steps(shipped, "scaling", answer)):
            lost += [view for view in others(shipped, model) if scaling.answer(shipped, view).is_told]
    assert lost == []


@pytest.mark.parametrize(
    ("field", "slo", "options"),
    [
        ("model", ("ttft_ms_p99<=2000",), {}),
        ("model", ("ttft_ms_p50<=2000", "tpot_ms_p50<=50"), {}),
        ("accelerator", (), {}),
        ("source", (), {}),
        ("engine", (), {"metric": "output_tokens_per_s"}),
    ],
)
@pytest.mark.exhaustive
def test_a_denial_of_every_filter_is_true_of_every_pair_of_points(
    shipped: Library, field: str, slo: tuple[str, ...], options: Mapping[str, str]
) -> None:
    found = [scaling.answer(shipped, View.of({field: [one]}, options, slo=slo)) for one in values(shipped, field)]
    assert sum(denied(shipped, one) for one in found)


@pytest.mark.parametrize(
    ("model", "metric", "accelerator", "counts", "speedup"),
    some(
        [
            ("deepseek-r1", "mlperf_tokens_per_s", "gb300", (288, 72), 3.88),
            ("llama-3.1-8b", "mlperf_tokens_per_s", "rtx-pro-6000", (10, 8), 1.22),
            ("qwen3.5-397b-a17b", "total_tokens_per_s", "mi355x", (4, 2), 1.91),
            ("llama-3.1-405b", "mlperf_tokens_per_s", "h100-sxm", (32, 16), 2),
        ],
        2,
    ),
)
def test_another_throughput_of_the_model_tells_where_the_usual_one_has_no_two_counts(
    shipped: Library, model: str, metric: str, accelerator: str, counts: tuple[int, int], speedup: float
) -> None:
    found = scaling.answer(shipped, View.of({"model": [model]}))
    values = said(found, "efficiency")
    assert found.result.steps[0].facts.accelerator == accelerator
    assert (values["accelerators"], values["base"]) == counts
    assert values["speedup"] == pytest.approx(speedup, abs=0.005)
    assert found.view.option("metric") == metric
    assert metric == "total_tokens_per_s" or said(found, "other_story") == {"odd": False}


def test_the_throughput_that_was_asked_for_stays_and_the_others_are_the_next_step(shipped: Library) -> None:
    found = scaling.answer(shipped, View.of({"model": ["deepseek-r1"]}, {"metric": "output_tokens_per_s"}))
    assert headline(found) == ("nothing_shared_load", {"used": 63})
    assert found.result.tally.selected == 413
    steps = next_steps(shipped, "scaling", found)
    assert [step.label for step in steps] == ["Show MLPerf tokens per second", "Let older runs in"]


COMMON: dict[str, object] = {**ROW, "concurrency": 16, "isl": 1000, "osl": 500}
FP8 = [{**COMMON, "precision": "fp8", "tp": 1, "accelerators": n, "output_tokens_per_s": 100 * n} for n in (1, 2)]
CASES = {
    "another-throughput": [
        *FP8,
        *({**FP8[0], "concurrency": load} for load in (1, 2, 4, 8)),
        *({**COMMON, "precision": "fp4", "tp": 1, "accelerators": n, "total_tokens_per_s": 60 * n} for n in (1, 2)),
    ],
    "disaggregated": [
        {**COMMON, "tp": 4, "disaggregated": True, "accelerators": n, "output_tokens_per_s": 30 * n} for n in (4, 8)
    ],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return library_of_cases(tmp_path_factory.mktemp("reach"), CASES)


def test_what_a_selection_has_of_another_throughput_is_not_denied_it(made: Library) -> None:
    found = scaling.answer(made, View.of({"source": ["another-throughput"]}, {"metric": "total_tokens_per_s"}))
    assert (said(found, "other_story"), found.view.values("precision")) == ({"odd": False}, ("fp4",))
    assert lines.lacking("total_tokens_per_s") in statement(found, "other_story").text


def test_a_headline_asks_for_disaggregated_deployments_nowhere_and_a_button_that_was_tried_does(made: Library) -> None:
    found = scaling.answer(made, View.of({"source": ["disaggregated"]}))
    assert headline(found) == ("nothing_disaggregated", {"points": 2})
    [step] = [one for one in next_steps(made, "scaling", found) if one.label.startswith("Compare disaggregated")]
    assert scaling.answer(made, step.view).is_told
