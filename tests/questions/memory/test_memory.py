"""What fits in memory, worked out by hand from the published facts; answered where nothing was measured too."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest

from bench import names
from bench.chart import DARK, LIGHT, value_label
from bench.errors import UsageError
from bench.library import Library
from bench.questions import Answer, memory
from bench.view import View
from tests.questions.heatmap.results import library_of, point
from tests.questions.saying import badly_said, headline, kinds, said, statements, tells
from tests.thorough import some

NVIDIA = ("h100-sxm", "h200-sxm", "b200-sxm", "b300-sxm", "gb200", "gb300")
CONFIGS = Path(__file__).parents[2] / "library" / "model_configs" / "files"


def fit(found: memory.Memory, accelerator: str, accelerators: int) -> memory.Fit:
    return next(one for one in found.fits if (one.accelerator, one.accelerators) == (accelerator, accelerators))


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library.open(tmp_path_factory.mktemp("none") / "own", shipped=False)


def test_llama_on_h100_by_hand(empty: Library) -> None:
    """Of 70e9 weights 2 x 128,256 x 8,192 have 2 bytes, the rest one and a scale of 4 for each 128 x 128: 67.17 GiB.

    0.9 x 80 GiB less these leave 4.83; 2,048 tokens of 327,680 bytes are 0.625 GiB, so 7 requests fit.
    """
    kept = 2 * 128_256 * 8192
    weights = (2 * kept + (70e9 - kept) * (1 + 4 / 128**2)) / 2**30
    view = View.of({"model": ["llama-3.1-70b"], "precision": ["fp8"], "accelerator": ["h100-sxm"]}, {"context": "2048"})
    answer = memory.answer(empty, view)
    one = fit(answer.result, "h100-sxm", 1)
    assert one.room_gib == pytest.approx(72 - weights) == pytest.approx(4.83, abs=0.01)
    assert one.requests == 7
    on = {"model": "llama-3.1-70b", "accelerators": 1, "accelerator": "h100-sxm"}
    reserved = {"reserved": 2, "reserved_on": "h100-sxm"}
    assert headline(answer) == ("fits_reserved", {**on, "requests": 7, "tokens": 2048, **reserved})
    assert answer.result.fewest() == [one]
    assert fit(memory.answer(empty, view.with_options(cache="fp8")).result, "h100-sxm", 1).requests == 15


def test_a_model_that_nobody_measured_is_answered_on_every_known_accelerator(empty: Library) -> None:
    answer = memory.answer(empty, View.of({"model": ["qwen3-coder-480b-a35b"], "precision": ["fp4"]}))
    assert {one.accelerator for one in answer.result.fits} > {"h100-sxm", "mi355x", "tpu-v6e"}
    assert all(one.requests is None for one in answer.result.fits)
    assert headline(answer)[0] == "fits_weights_least"
    tells(answer, {"fits_weights_least": {"accelerators": 1, "accelerator": "mi355x", "requests": None}})
    assert "not_loaded" in kinds(answer, "caveat")
    for theme in (LIGHT, DARK):
        assert "Room for KV cache" in memory.figure(answer.result, theme).layout.yaxis.title.text


def test_every_accelerator_is_answered_or_named_as_one_without_a_published_memory(empty: Library) -> None:
    answer = memory.answer(empty, View.of({"model": ["llama-3.1-70b"], "precision": ["fp8"]}))
    known = [row.slug for row in names.accelerators() if row.memory_gb]
    assert {one.accelerator for one in answer.result.fits} == {*known}
    assert {*answer.result.unknown} == {row.slug for row in names.accelerators()} - {*known}
    assert said(answer, "unknown")["accelerators"] == list(answer.result.unknown)
    assert [slug for slug, _ in memory.choices(empty, answer.view)["on"]] == known


def test_the_story_measured_is_answered_on_what_it_was_measured_on(shipped: Library) -> None:
    """DeepSeek R1 in FP8 is 671e9 bytes, 625 GiB: 4 H200 have 0.9 x 564, 8 have 1,015 GiB."""
    answer = memory.answer(shipped, View())
    assert said(answer, "fits")["accelerators"] == 4
    assert fit(answer.result, "h200-sxm", 4).room_gib < 0 < fit(answer.result, "h200-sxm", 8).room_gib
    fewest = {one.accelerator: one.accelerators for one in answer.result.fewest()}
    assert (fewest["h200-sxm"], answer.result.model, answer.result.precision) == (8, "deepseek-r1", "fp8")
    told = said(answer, "fewest_more")
    assert [one["chips"] for one in told["fewest"]] == sorted({*fewest.values()})[:2]
    assert all(fewest[slug] == one["chips"] for one in told["fewest"] for slug in one["on"])
    assert sum(len(one["on"]) for one in told["fewest"]) + told["others"] == said(answer, "drawn")["accelerators"]
    assert memory.answer(shipped, answer.view).rows.equals(answer.rows)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("cache", "fp3"),
        ("context", "0"),
        ("context", "many"),
        ("memory_used", "1.1"),
        ("reserve", "-1"),
        ("layout", "pp"),
        ("chart", "pie"),
        ("weights", "fp3"),
    ],
)
def test_what_cannot_be_chosen_is_refused(key: str, value: str, empty: Library) -> None:
    with pytest.raises(UsageError):
        memory.answer(empty, View.of({}, {key: value}))
    assert not Path(empty.path).exists()


def names_in(answer: Answer[Any]) -> list[str]:
    """The texts that name the lines of a chart."""
    drawn = memory.figure(answer.result, LIGHT).data
    return [text for one in drawn if one.mode == "text" for text in one.text]


def test_lines_that_lie_on_each_other_are_named_together_and_shorter_where_a_page_is_narrow(shipped: Library) -> None:
    """Of DeepSeek R1 in FP8, 288 GB of MI355X and 269 of B300 differ by a few pixels from eight chips on."""
    answer = memory.answer(shipped, View.of({"model": ["deepseek-r1"], "accelerator": ["mi355x", *NVIDIA]}))
    lines = [one for one in memory.figure(answer.result, LIGHT).data if "lines" in one.mode]
    named = [text for text in names_in(answer) if "--until" not in text]
    assert len(named) < len(lines) == len({one.name for one in lines})
    assert all(any(one.name in text for text in (*named, *(line.hovertemplate for line in lines))) for one in lines)
    assert any("MI355X, GB300 and B300" in text for text in named)
    assert any("MI355X" in one.hovertemplate and "GB300" in one.hovertemplate for one in lines)
    assert any("MI355X and 2 more" in text for text in names_in(answer) if "--until" in text)
    assert any("MI355X +" in text for text in names_in(answer))


def test_lines_apart_keep_names_of_their_own(empty: Library) -> None:
    view = View.of({"model": ["llama-3.1-70b"], "precision": ["fp8"], "accelerator": ["h100-sxm", "mi355x"]})
    assert [text for text in names_in(memory.answer(empty, view)) if " and " in text] == []


def test_models_side_by_side_have_their_names_their_ticks_and_one_scale(shipped: Library) -> None:
    answer = memory.answer(shipped, View.of({"model": ["deepseek-r1", "llama-3.3-70b"]}))
    kind, told = headline(answer)
    assert (kind, [one["model"] for one in told["models"]]) == ("fits_models", ["llama-3.3-70b", "deepseek-r1"])
    assert (answer.subject.models, answer.subject.precision) == (("DeepSeek-R1", "Llama 3.3 70B"), "fp8")
    assert len(answer.findings) <= 5
    assert all(one.values["model"] in ("llama-3.3-70b", "deepseek-r1") for one in statements(answer, "at_most_logged"))
    assert [one.values["least_gib"] for one in statements(answer, "at_most_logged")] == [4.9, 7.5]
    layout = memory.figure(answer.result, LIGHT).layout
    assert [note.text for note in layout.annotations] == ["<b>DeepSeek-R1</b>", "<b>Llama 3.3 70B</b>"]
    assert layout.xaxis.range == layout.xaxis2.range
    assert layout.yaxis.range == layout.yaxis2.range
    assert {"10", "100", "1,000", "10,000"} <= set(layout.yaxis.ticktext)
    assert layout.yaxis.ticktext == layout.yaxis2.ticktext
    low, high = layout.xaxis.range
    assert 0.15 < (high - math.log10(64)) / (high - low) < 0.28  # the room that names need
    half = memory.answer(shipped, View.of({"model": ["llama-3.3-70b", "flan-t5-xl"]}))
    assert kinds(half, "coverage", "caveat")[0] == "model_left_out"
    assert said(half, "model_left_out")["model"] == "flan-t5-xl"


def test_models_that_differ_in_precision_are_told_with_theirs(tmp_path: Path) -> None:
    """They have points without a precision in common, and more of their own in FP8 and in FP4."""
    measured = [("llama-3.1-70b", "fp8"), ("llama-3.1-8b", "fp4")]
    rows = [
        point(1024, 1024, 100.0, model=model, precision=stated, concurrency=load)
        for model, own in measured
        for stated, loads in ((own, (1, 2, 4)), (None, (1,)))
        for load in loads
    ]
    models = [model for model, _ in measured]
    answer = memory.answer(library_of(tmp_path, rows), View.of({"model": models}))
    kind, told = headline(answer)
    assert kind == "fits_precisions"
    assert {(one["model"], one["precision"]) for one in told["models"]} == {*measured}
    assert (answer.subject.models, answer.subject.precision) == (("Llama 3.1 70B", "Llama 3.1 8B"), None)
    assert badly_said(answer) == []


def test_the_subject_has_the_precision_that_the_weights_are_taken_in(empty: Library) -> None:
    view = View.of({"model": ["llama-3.1-70b"], "precision": ["fp8"]}, {"weights": "bf16"})
    assert memory.answer(empty, view).subject.precision == "bf16"


def test_heatmaps_are_of_one_accelerator_and_agree_with_the_rows(empty: Library) -> None:
    where = {"model": ["llama-3.1-70b"], "precision": ["fp8"], "accelerator": ["h100-sxm", "h200-sxm"]}
    view = View.of(where, {"context": "2048", "chart": "requests", "on": "h100-sxm"})
    answer = memory.answer(empty, view)
    cells = {(cell.across, cell.up): cell.value for cell in answer.result.requests_by}
    assert all(cells[chips, 2048] == fit(answer.result, "h100-sxm", chips).requests for chips in (1, 2, 4, 8, 64))
    assert (cells[1, 65_536], cells[1, 1024]) == (0, 15)
    longest = {(cell.across, cell.up): cell.value for cell in answer.result.longest_by}
    assert longest[1, 1] == fit(answer.result, "h100-sxm", 1).longest == 15_843  # 4.83 GiB / 327,680 B
    assert longest[1, 2] == 15_843 // 2
    for chart, title in (("requests", "Tokens of a request (ISL + OSL)"), ("longest", "Requests at once")):
        for theme in (LIGHT, DARK):
            drawn = memory.figure(memory.answer(empty, view.with_options(chart=chart)).result, theme)
            assert drawn.layout.yaxis.title.text == title
            assert any("on H100 SXM" in note.text for note in drawn.layout.annotations)
    none = memory.answer(empty, view.with_options(on="tpu-v6e"))  # which is not compared, so the first that fits
    assert none.result.on == none.view.option("on") == "h200-sxm"


def test_layouts_by_hand(empty: Library) -> None:
    """8 H200, DeepSeek-R1 with 8-bit weights: a latent cache lies on each device of a tensor-parallel group."""
    view = View.of({"model": ["deepseek-r1"], "precision": ["int8"], "accelerator": ["h200-sxm"]}, {"context": "2048"})
    kept = 2 * 129_280 * 7168
    routed = (671e9 - 37e9) / (1 - 8 / 256)
    each, room = 2048 * 70_272, 0.9 * 141 * 2**30
    together = fit(memory.answer(empty, view.with_options(layout="tp")).result, "h200-sxm", 8)
    assert together.requests == int((room - (671e9 + kept) / 8) / each)
    apart = fit(memory.answer(empty, view.with_options(layout="dp")).result, "h200-sxm", 8)
    assert apart.requests == 8 * int((room - (671e9 + kept - routed) - routed / 8) / each)
    best = fit(memory.answer(empty, view).result, "h200-sxm", 8)
    assert (best.requests, best.tp, best.dp) == (apart.requests, 1, 8)
    assert "latent" in kinds(memory.answer(empty, view.with_options(layout="tp")), "caveat")
    assert "latent" not in kinds(memory.answer(empty, view), "caveat")


def test_the_share_used_and_the_reserve_are_the_readers_choice(empty: Library) -> None:
    view = View.of({"model": ["llama-3.1-8b"], "precision": ["bf16"], "accelerator": ["h100-sxm"]}, {"context": "1000"})
    whole = fit(memory.answer(empty, view.with_options(memory_used="1")).result, "h100-sxm", 1)
    less = fit(memory.answer(empty, view.with_options(memory_used="1", reserve="10")).result, "h100-sxm", 1)
    assert whole.room_gib - less.room_gib == pytest.approx(10)
    assert whole.requests == int((80 * 2**30 - 16e9) / 131_072_000)


def test_the_reserve_of_logs_moves_the_first_count_that_fits(empty: Library) -> None:
    view = View.of({"model": ["llama-3.3-70b"], "precision": ["fp8"], "accelerator": ["h100-sxm"]})
    answer = memory.answer(empty, view)
    assert fit(answer.result, "h100-sxm", 1).requests_reserved == 0
    tells(answer, {"reserved_more": {"reserve_gib": 6.2, "accelerators": 2, "accelerator": "h100-sxm"}})
    assert said(answer, "fits_reserved") | {"accelerators": 1, "reserved": 2} == said(answer, "fits_reserved")
    assert headline(memory.answer(empty, view.with_options(reserve="6.2")))[0] == "fits"
    assert not any(one.startswith("reserved") for one in kinds(memory.answer(empty, view.with_options(reserve="6.2"))))


@pytest.mark.parametrize(
    ("precision", "on", "wanted"),
    [("fp4", "b200-sxm", (2, "tpu-v7x", 4, "b200-sxm")), ("fp8", "gb200", (4, "tpu-v7x", 4, "gb200"))],
)
def test_the_reserve_moves_the_first_accelerator_too(
    precision: str, on: str, wanted: tuple[object, ...], empty: Library
) -> None:
    """Where another has room for it, in more chips or in as many: both are named."""
    where = {"model": ["deepseek-v3.2"], "precision": [precision], "accelerator": [on, "tpu-v7x"]}
    answer = memory.answer(empty, View.of(where))
    kind, values = headline(answer)
    assert kind.startswith("fits_reserved")
    assert tuple(values[key] for key in ("accelerators", "accelerator", "reserved", "reserved_on")) == wanted
    assert all(value_label("accelerator", values[key]) in answer.verdict for key in ("accelerator", "reserved_on"))


def test_predicted_minus_allocated_stands_beside_an_engines_log(empty: Library) -> None:
    """Of each of 2 H100: 0.9 x 80 GiB less 33.58 of weights and 6.2 or 4.9 of reserve, vLLM logged 33.88 and 32.0."""
    view = View.of({"model": ["llama-3.3-70b"], "precision": ["fp8"], "accelerator": ["h100-sxm"]})
    answer = memory.answer(empty, view)
    logged = answer.result.allocations[0]
    weights = 67.165049839532 / 2
    assert logged.weights_off_gib == pytest.approx(weights - 33.88)
    assert logged.cache_off_gib == pytest.approx((72 - weights - 6.2 - 32, 72 - weights - 4.9 - 32))
    least, most = logged.cache_off_gib
    assert statements(answer, "allocated_cache")[0].values == {
        "engine": "vllm",
        "accelerator": "h100-sxm",
        "accelerators": 2,
        "weights_gib": 33.88,
        "weights_predicted_gib": pytest.approx(weights),
        "cache_gib": 32.0,
        "cache_least_gib": pytest.approx(32 + least),
        "cache_most_gib": pytest.approx(32 + most),
    }


def test_every_log_names_a_model_and_an_accelerator_that_are_known() -> None:
    for row in names.table("allocations.csv"):
        assert names.model(row["model"]) is not None
        assert names.accelerator(row["accelerator"]) is not None
        assert row["source"]
        stated = [float(row[key]) for key in ("weights_gib", "activation_gib", "other_gib", "cache_gib") if row[key]]
        assert row["cache_gib"] == "" or sum(stated) == pytest.approx(71.26, abs=0.06)  # 0.9 x 79.18 GiB


def test_a_dropped_config_is_a_model_of_the_page(tmp_path: Path) -> None:
    own = Library.open(tmp_path / "own", shipped=False)
    assert own.add([CONFIGS / "granite-4.0-h-small.json"]).refused == []
    answer = memory.answer(own, View.of({"model": ["granite-4.0-h-small"]}, {"weights": "bf16"}))
    assert said(answer, "fits")["accelerators"] == 1
    assert said(answer, "computed")["billions"] == pytest.approx(32.2, rel=0.001)
    unstated = memory.answer(own, View.of({"model": ["granite-4.0-h-small"]}))
    assert (headline(unstated), unstated.is_told) == (("no_precision", {}), False)
    assert said(unstated, "precisions_alike") == {"names": ["bf16", "fp8", "fp4"], "chips": 1}
    assert (unstated.result.precision, unstated.result.total_params) == (None, answer.result.total_params)


LEAST = {
    "fits_least",
    "fits_reserved_least",
    "fits_bare_least",
    "fits_weights_least",
    "fits_models",
    "does_not_fit",
    "fewest_least",
    "fewest_more_least",
    "precisions",
    "precisions_alike",
    "reserved_least",
    "reserved_more",
    "reserved_nowhere",
    "allocated_least",
    "allocated_cache_least",
}
"""What may be said of FP4 weights: it says "at least", or what holds of a lower bound too."""


@pytest.mark.parametrize("precision", ["fp4", "nvfp4", "mxfp4"])
@pytest.mark.parametrize("model", some(["llama-3.3-70b", "deepseek-r1", "gpt-oss-20b", "kimi-k2.5"], 2, 4))
def test_every_figure_of_fp4_weights_is_told_at_least(model: str, precision: str, empty: Library) -> None:
    where = {"model": [model], "precision": [precision], "accelerator": ["h100-sxm", "b200-sxm", "t4"]}
    answer = memory.answer(empty, View.of(where))
    assert {*kinds(answer, "headline", "finding")} <= LEAST
    assert kinds(answer, "headline")[0].endswith("_least")
    assert "at least" in answer.verdict
    assert answer.rows["at_least"].all()
    bound = "lower_bound_scales" if precision == "fp4" else "lower_bound"
    assert [one for one in kinds(answer, "caveat") if one.startswith("lower_bound")] == [bound]
    assert badly_said(answer) == []
    for chart in ("chips", "requests") if model != "kimi-k2.5" else ("chips",):
        drawn = memory.figure(memory.answer(empty, answer.view.with_options(chart=chart)).result, LIGHT)
        shown = [drawn.layout.yaxis.title.text, *(note.text for note in drawn.layout.annotations)]
        assert sum("at most" in text for text in shown if text) == 1
    wide = memory.answer(empty, answer.view.with_options(weights="fp8"))
    assert not wide.rows["at_least"].any()
    assert not [one for one in kinds(wide) if one.endswith("_least") or one.startswith("lower_bound")]


def test_the_format_of_fp4_is_that_which_the_checkpoint_of_every_point_names(tmp_path: Path) -> None:
    facts = {"model": "llama-3.3-70b", "precision": "fp4", "checkpoint": "nvidia/Llama-3.3-70B-Instruct-NVFP4"}
    rows = [
        *(point(1024, 1024, 10.0 * load, concurrency=load, source="named", **facts) for load in (1, 2)),
        point(1024, 1024, 50.0, source="unnamed", **{**facts, "checkpoint": None}),
    ]
    library = library_of(tmp_path, rows)
    view = View.of({"model": ["llama-3.3-70b"], "precision": ["fp4"], "accelerator": ["b200-sxm"]})
    both = memory.answer(library, view)
    named = memory.answer(library, view.with_where(source=["named"], accelerator=[]))
    assert (both.subject.precision, named.subject.precision) == ("fp4", "nvfp4")
    bigger = fit(named.result, "b200-sxm", 1).weights_gib / fit(both.result, "b200-sxm", 1).weights_gib
    assert bigger == pytest.approx(1.05, abs=0.02)


def test_the_range_over_precisions_is_told_where_it_is_one_count_too(shipped: Library) -> None:
    where = {"accelerator": ["mi355x"]}
    models = ("llama-3.1-8b", "deepseek-r1")
    small, large = (memory.answer(shipped, View.of({"model": [one], **where})) for one in models)
    assert said(small, "precisions_alike") == {"names": ["bf16", "fp8", "fp4"], "chips": 1}
    assert [one["chips"] for one in said(large, "precisions")["precisions"]] == [8, 4, 2]
    chosen = memory.answer(shipped, View.of({"model": ["llama-3.1-8b"], "precision": ["fp8"], **where}))
    assert not {"precisions", "precisions_alike"} & {*kinds(chosen)}


RANGES = {
    "llama-3.1-70b": {"h100-sxm": [2, 1, 1], "mi300x": [1, 1, 1], "t4": [16, 8, 4]},
    "deepseek-r1": {"h100-sxm": [32, 16, 8], "mi300x": [8, 4, 2], "t4": [None, 64, 32]},
}
"""Chips in BF16, FP8 and FP4. At 0.9 of 80, 192 and 16 GiB a chip has 72, 172.8 and 14.4; Llama's weights are 130.4,
67.2 and 37.5 GiB, DeepSeek's 1,250, 626 and 334, and 64 T4 have 921.6."""


@pytest.mark.parametrize("model", RANGES)
def test_every_accelerator_has_its_range_over_precisions_in_the_rows_and_where_its_line_is(
    model: str, shipped: Library
) -> None:
    answer = memory.answer(shipped, View.of({"model": [model], "accelerator": [*RANGES[model]]}, {"context": "2048"}))
    for slug, chips in RANGES[model].items():
        each = answer.rows[answer.rows["accelerator"] == slug]
        assert len(each) == 7
        for name, least in zip(memory.SPAN, chips, strict=True):
            told = {None if math.isnan(one) else int(one) for one in each[f"fewest_{name}"].astype(float)}
            assert told == {least}, (slug, name)
    hovers = [trace.hovertemplate for trace in memory.figure(answer.result, LIGHT).data if trace.hovertemplate]
    for slug, chips in RANGES[model].items():
        own = [one for one in hovers if f"<br>{value_label('accelerator', slug)}, " in one]
        assert len(own) == 1
        assert re.findall(r"(over 64|\d+) in [BF]", own[0]) == [str(one or "over 64") for one in chips]
    chosen = memory.answer(shipped, answer.view.with_options(weights="fp8"))
    assert not [one for one in chosen.rows if one.startswith("fewest_")]


def test_the_range_stands_for_every_accelerator_where_no_precision_is_stated(empty: Library) -> None:
    answer = memory.answer(empty, View.of({"model": ["llama-3.1-70b"]}))
    known = {row.slug for row in names.accelerators() if row.memory_gb}
    assert (headline(answer), {*answer.rows["accelerator"]}, len(answer.rows)) == (
        ("no_precision", {}),
        known,
        len(known),
    )
    rows = answer.rows.set_index("accelerator")
    for slug, chips in RANGES["llama-3.1-70b"].items():
        assert [rows.loc[slug, f"fewest_{name}"] for name in memory.SPAN] == chips
    unknown = statements(answer, "unknown")[0]
    assert {*unknown.values["accelerators"]} == {row.slug for row in names.accelerators()} - known
    assert all(value_label("accelerator", slug) in unknown.text for slug in unknown.values["accelerators"])


LLAMA = {"model": ["llama-3.1-70b"], "precision": ["fp8"]}
DEEPSEEK = {"model": ["deepseek-r1"], "precision": ["fp8"]}
SAID: dict[str, tuple[dict[str, list[str]], dict[str, str], dict[str, dict[str, object]]]] = {
    "several chips": (
        {**DEEPSEEK, "accelerator": ["mi355x"]},
        {},
        {"fits": {"accelerators": 4, "requests": 2672}, "reserved": {"requests": 2436, "reserve_gib": 7.9}},
    ),
    "memory that nobody published": (
        {**LLAMA, "accelerator": ["h100-sxm", "groq-lpu"]},
        {},
        {"unknown": {"accelerators": ["groq-lpu"]}},
    ),
    "that alone": ({**DEEPSEEK, "accelerator": ["groq-lpu"]}, {}, {"no_memory": {"accelerators": ["groq-lpu"]}}),
    "no number of chips": (
        {**DEEPSEEK, "precision": ["fp32"], "accelerator": ["tpu-v5e"]},
        {},
        {"does_not_fit": {"most": 64}},
    ),
    "one that it does not fit on": (
        {**DEEPSEEK, "precision": ["fp32"], "accelerator": ["h200-sxm", "tpu-v5e"]},
        {},
        {"fewest_more": {"others": 1}},
    ),
    "no model": ({"accelerator": ["h100-sxm"]}, {}, {"no_model": {}}),
    "a model that nobody knows": ({"model": ["no-such-model"], "precision": ["fp8"]}, {}, {"no_params": {}}),
    "no precision": ({"model": ["deepseek-r1"], "accelerator": ["h100-sxm"]}, {}, {"no_precision": {}}),
    "a precision that nobody knows": ({**DEEPSEEK, "precision": ["fp3"]}, {}, {"no_weight_size": {"precision": "fp3"}}),
    "a reserve of one's own": (
        {**LLAMA, "accelerator": ["h100-sxm"]},
        {"memory_used": "0.95", "reserve": "2"},
        {"reserved": {"requests": 4}, "at_most": {"utilisation": 0.95, "reserve_gib": 2.0}},
    ),
    "chips too small for what is reserved": (
        {**DEEPSEEK, "accelerator": ["t4"]},
        {},
        {"fits_bare": {"accelerators": 64}, "reserved_nowhere": {"most": 64, "reserve_gib": 7.9}},
    ),
    "more chips beside a reserve, and FP4 at least": (
        {"model": ["llama-3.1-8b"], "precision": ["fp4"], "accelerator": ["t4"]},
        {"context": "128000"},
        {"fits_reserved_least": {"accelerators": 2, "reserved": 4, "reserved_on": "t4"}},
    ),
    "no room for a reserve, and FP4 at least": (
        {**DEEPSEEK, "precision": ["fp4"], "accelerator": ["t4"]},
        {"memory_used": "0.6"},
        {"fits_bare_least": {"accelerators": 64}},
    ),
    "a log without a cache": (
        {"model": ["gpt-oss-120b"], "precision": ["fp4"], "accelerator": ["h100-sxm"]},
        {},
        {"allocated_least": {"weights_gib": 64.4}},
    ),
}


@pytest.mark.parametrize(("where", "options", "wanted"), SAID.values(), ids=SAID)
def test_what_is_said(
    where: dict[str, list[str]], options: dict[str, str], wanted: dict[str, dict[str, object]], empty: Library
) -> None:
    answer = memory.answer(empty, View.of(where, options))
    tells(answer, wanted)
    assert memory.figure(answer.result, LIGHT).layout.annotations or answer.result.fits
