"""Models side by side: told apart on every page, none lost without a word, no chip of one ahead of another model's."""

from __future__ import annotations

import csv
from itertools import combinations
from pathlib import Path

import pytest

from bench.audit import answers, plain
from bench.audit.checks import one_model
from bench.basis import points, side_by_side
from bench.chart import DARK, LIGHT, value_label
from bench.errors import BenchError
from bench.library import Library
from bench.questions import question, questions
from bench.questions.pareto.figure import DIMMED
from bench.view import View
from tests.thorough import some

MODELS = (
    "deepseek-r1",
    "flan-t5-xl",
    "flan-ul2",
    "llama-3.1-70b",
    "llama-3.1-8b",
    "llama-3.3-70b",
    "qwen3.5-397b-a17b",
)
every_pair = pytest.mark.parametrize("pair", some([*combinations(MODELS, 2)], 8), ids=" ".join)
every_question = pytest.mark.parametrize("name", list(questions()))
RANKS = ("leads", "best_within", "who_leads", "leads_on", "peak", "peaks", "panels", "cheapest", "even", "ranking",
         "per_chip", "stream", "reached")  # fmt: skip
"""The kinds of sentence that call something the best."""


def table(path: Path, rows: list[dict[str, object]]) -> Path:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    with path.open("w", newline="", encoding="utf-8") as lines:
        writer = csv.DictWriter(lines, columns)
        writer.writeheader()
        writer.writerows(rows)
    return path


def point(model: str, chip: str, throughput: float, tpot: float | None, **facts: object) -> dict[str, object]:
    return {"model": model, "precision": "fp8", "engine": "vllm", "accelerator": chip, "accelerators": 1, "isl": 1024,
            "osl": 256, "load_kind": "closed", "concurrency": 8, "evidence": "measured", "tpot_ms_p50": tpot,
            "output_tokens_per_s": throughput, **facts}  # fmt: skip


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A small model on a slow chip beats a large one on a fast chip; in BF16 the large one alone was measured."""
    folder = tmp_path_factory.mktemp("two")
    rows = [
        point("llama-3.1-8b", "l40s", 900, 10),
        point("llama-3.1-8b", "l40s", 1200, 20, concurrency=16),
        point("llama-3.1-70b", "b200", 300, 12),
        point("llama-3.1-70b", "h100-sxm", 500, 25, concurrency=16),
    ]
    rows += [
        point("llama-3.1-70b", chip, 200 + load, 20 + load, precision="bf16", concurrency=load)
        for chip in ("b200", "h100-sxm")
        for load in (1, 2, 4, 8, 16)
    ]
    library = Library.open(folder / "library", shipped=False)
    assert not library.add([table(folder / "two.csv", rows)]).refused
    return library


BOTH = View.of({"model": ["llama-3.1-8b", "llama-3.1-70b"]})


@every_question
@every_pair
def test_nothing_ranked_pools_two_models_and_a_leader_stands_beside_both_names(
    name: str, pair: tuple[str, str], shipped: Library
) -> None:
    view = View.of({"model": pair})
    try:
        answer = question(name).answer(shipped, view)
    except BenchError:
        return
    told = answers.Told(name, answer, plain.read(shipped, View(answer.view.where)))
    assert [one.text for one in one_model.of_answer(told)] == []
    labels = [value_label("model", one) for one in pair]
    left = " ".join(one.text for one in answer.statements if one.kind == "model_left_out")
    for one in answer.statements:
        if one.role == "headline" or one.kind in RANKS:
            models = {facts.model for facts in points.named(shipped, one.point_ids).values()} - {None}
            known = [label for label in labels if label in one.text or label in left]
            assert len(models) < 2 or known == labels, (one.kind, one.text)


@every_question
@every_pair
def test_no_model_is_lost_without_a_word(name: str, pair: tuple[str, str], shipped: Library) -> None:
    if name == "overview":
        return
    try:
        answer = question(name).answer(shipped, View.of({"model": pair}))
    except BenchError:
        return
    if not answer.rows.empty:
        drawn = set(answer.rows["model"]) if "model" in answer.rows else set()
        said = " ".join(one.text for one in answer.statements)
        for model in pair:
            assert model in drawn or value_label("model", model) in said, (model, answer.headline)


@pytest.mark.parametrize("name", ["pareto", "heatmap", "cost", "scaling", "memory"])
def test_a_view_of_two_models_says_the_same_when_completed_again(name: str, shipped: Library) -> None:
    for pair in (
        ("deepseek-r1", "qwen3.5-397b-a17b"),
        ("llama-3.3-70b", "llama-3.1-70b"),
        ("flan-t5-xl", "flan-ul2"),
    ):
        complete = question(name).complete(shipped, View.of({"model": pair}))
        assert question(name).complete(shipped, complete) == complete
        answer = question(name).answer(shipped, complete)
        offered = question(name).choices(shipped, complete)
        for key in ("group", "panel"):
            if complete.option(key):
                assert complete.option(key) in [value for value, _ in offered[key]]
        for theme in (LIGHT, DARK):
            assert question(name).figure(answer.result, theme).data


def test_the_story_is_one_that_both_models_have(two: Library) -> None:
    alone = question("pareto").complete(two, View.of({"model": ["llama-3.1-70b"]}))
    assert alone.values("precision") == ("bf16",)
    assert {
        question(name).complete(two, BOTH).values("precision") for name in ("pareto", "heatmap", "cost")
    } == {("fp8",)}


def test_pareto_compares_the_models_and_names_the_chips_they_lead_on(two: Library) -> None:
    answer = question("pareto").answer(two, BOTH)
    assert [group.label for group in answer.result.groups] == ["Llama 3.1 8B", "Llama 3.1 70B"]
    assert answer.headline.startswith(
        "Of Llama 3.1 70B and Llama 3.1 8B FP8 at 1,024/256, Llama 3.1 8B (L40S) leads per chip"
    )
    drawn = question("pareto").figure(answer.result, LIGHT)
    assert {"Llama 3.1 8B", "Llama 3.1 70B"} <= {trace.name for trace in drawn.data}


def test_what_would_pool_models_gives_way_and_says_so(two: Library) -> None:
    for name, key, asked in (
        ("pareto", "group", "accelerator"),
        ("pareto", "group", "none"),
        ("heatmap", "panel", "none"),
        ("heatmap", "panel", "accelerator"),
    ):
        answer = question(name).answer(two, BOTH.with_options(**{key: asked}))
        assert answer.view.option(key) == "model"
        assert [one.kind for one in answer.statements].count("gave_way") == 1


def test_a_model_without_the_story_is_named_first_and_the_other_is_compared_by_chip(two: Library) -> None:
    answer = question("pareto").answer(two, BOTH.with_where(precision=["bf16"]))
    assert answer.caveats[0] == "Left out: Llama 3.1 8B, with no ranked point under these filters."
    assert [group.label for group in answer.result.groups] == ["B200 SXM", "H100 SXM"]


def test_heatmap_has_a_panel_and_a_peak_for_each_model(two: Library) -> None:
    answer = question("heatmap").answer(two, BOTH)
    assert answer.view.option("panel") == "model"
    assert (
        answer.headline
        == "Llama 3.1 8B on L40S peaks at 1,200 output tokens/s and Llama 3.1 70B on H100 SXM at 500."
    )


def test_memory_tells_every_model_and_draws_a_panel_for_each(shipped: Library) -> None:
    answer = question("memory").answer(shipped, View.of({"model": ["llama-3.3-70b", "deepseek-r1"]}))
    assert all(one in answer.headline for one in ("Llama 3.3 70B FP8 needs at least", "DeepSeek-R1 FP8"))
    drawn = question("memory").figure(answer.result, LIGHT)
    assert {trace.yaxis for trace in drawn.data} == {"y", "y2"}
    assert [note.text for note in drawn.layout.annotations] == ["<b>DeepSeek-R1</b>", "<b>Llama 3.3 70B</b>"]
    half = question("memory").answer(shipped, View.of({"model": ["llama-3.3-70b", "flan-t5-xl"]}))
    assert half.caveats[0].startswith("Left out: What Flan-T5 XL needs is not known")


def test_the_first_page_says_of_which_models_a_best_is(two: Library) -> None:
    said = {one.kind: one.text for one in question("overview").answer(two, BOTH).statements}
    assert said["per_chip"].startswith(
        "Most output per chip of Llama 3.1 70B and Llama 3.1 8B: 1,200 tokens/s on"
    )


def test_scaling_draws_lines_of_every_model(shipped: Library) -> None:
    answer = question("scaling").answer(shipped, View.of({"model": ["flan-t5-xl", "flan-ul2"]}))
    assert {line.facts.model for line in answer.result.lines} == {"flan-t5-xl", "flan-ul2"}
    assert len({line.label for line in answer.result.lines}) == len(answer.result.lines)


def test_side_by_side_are_models_that_a_reader_chose(two: Library) -> None:
    assert side_by_side.models(two, BOTH) == ("llama-3.1-70b", "llama-3.1-8b")
    assert side_by_side.models(two, View()) == ()
    assert side_by_side.models(two, View.of({"model": ["llama-3.1-8b", "nobody-knows"]})) == ()


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Two points keep a TTFT of 500 ms, the one with the most throughput breaks it, and one does not state it."""
    folder = tmp_path_factory.mktemp("limited")
    rows = [
        point("llama-3.1-8b", "h100-sxm", 100, 10, ttft_ms_p50=100),
        point("llama-3.1-8b", "h100-sxm", 200, 20, ttft_ms_p50=400, concurrency=16),
        point("llama-3.1-8b", "h100-sxm", 900, 30, ttft_ms_p50=9000, concurrency=64),
        point("llama-3.1-8b", "h200-sxm", 950, 31),
    ]
    rows += [point("llama-3.1-8b", "h200-sxm", 90, 11, ttft_ms_p50=90, concurrency=1)]
    library = Library.open(folder / "library", shipped=False)
    assert not library.add([table(folder / "limited.csv", rows)]).refused
    return library


def test_paretos_chart_is_within_the_limits_and_what_breaks_them_is_hollow(limited: Library) -> None:
    answer = question("pareto").answer(limited, View.of(slo=["ttft_ms_p50<=500"]))
    found = answer.result
    assert [spot.y for spot in found.overall] == [100, 200]
    assert answer.rows.set_index("output_tokens_per_s_per_accelerator")["aside"].dropna().to_dict() == {
        900.0: "beyond the limit", 950.0: "limit not stated",
    }  # fmt: skip
    assert (
        "3 of 5 points are used; left out: 1 that do not state median TTFT and 1 beyond median TTFT ≤ 500 ms."
        in answer.caveats
    )
    drawn = question("pareto").figure(found, LIGHT)
    symbols = [
        str(symbol)
        for trace in drawn.data
        if trace.mode == "markers" and trace.customdata is not None
        for symbol, opacity in zip(trace.marker.symbol, trace.marker.opacity, strict=True)
        if opacity == DIMMED
    ]
    assert sorted(one.partition("-")[2] for one in symbols) == ["open", "open-dot"]
    assert {"beyond the limits", "limit not stated"} <= {
        str(trace.name).replace("<br>", " ") for trace in drawn.data
    }


def test_where_nothing_keeps_the_limits_the_chart_ranks_nothing(limited: Library) -> None:
    answer = question("pareto").answer(limited, View.of(slo=["ttft_ms_p50<=1"]))
    assert answer.statements[0].kind == "none_within"
    assert answer.result.overall == answer.result.groups == answer.result.leads == ()
    assert len(answer.rows) == 5
    assert not answer.rows["on_frontier"].any()
    assert "lines+markers" not in {
        trace.mode for trace in question("pareto").figure(answer.result, LIGHT).data
    }


def test_heatmaps_headline_names_the_limit(limited: Library) -> None:
    answer = question("heatmap").answer(
        limited, View.of({"accelerator": ["h100-sxm"]}, slo=["ttft_ms_p50<=500"])
    )
    assert answer.headline.startswith("With median TTFT ≤ 500 ms, ")
