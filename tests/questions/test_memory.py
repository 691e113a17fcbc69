"""What fits in memory, worked out by hand from the published facts; answered where nothing was measured too."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from bench.chart import DARK, LIGHT
from bench.chart.line_names import EVERY_WIDTH
from bench.errors import UsageError
from bench.library import Library
from bench.questions import memory
from bench.view import View


def fit(found: memory.Memory, accelerator: str, accelerators: int) -> memory.Fit:
    return next(
        one for one in found.fits if (one.accelerator, one.accelerators) == (accelerator, accelerators)
    )


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library.open(tmp_path_factory.mktemp("none") / "own", shipped=False)


def test_llama_on_h100_by_hand(empty: Library) -> None:
    """0.9 x 80 GiB less 70e9 bytes leave 6.81 GiB; 2,048 tokens of 327,680 bytes are 0.625 GiB, so 10 requests fit."""
    view = View.of(
        {"model": ["llama-3.1-70b"], "precision": ["fp8"], "accelerator": ["h100-sxm"]}, {"context": "2048"}
    )
    answer = memory.answer(empty, view)
    one = fit(answer.result, "h100-sxm", 1)
    assert one.room_gib == pytest.approx(72 - 70e9 / 2**30)
    assert one.requests == 10
    assert answer.headline == (
        "Llama 3.1 70B FP8 needs at least one chip: one H100 SXM holds 10 requests of 2,048 tokens at once."
    )
    assert fit(memory.answer(empty, view.with_options(cache="fp8")).result, "h100-sxm", 1).requests == 21


def test_a_model_that_nobody_measured_is_answered_on_every_known_accelerator(empty: Library) -> None:
    answer = memory.answer(empty, View.of({"model": ["kimi-k2.5"], "precision": ["fp4"]}))
    assert {one.accelerator for one in answer.result.fits} > {"h100-sxm", "mi355x", "tpu-v6e"}
    assert all(one.requests is None for one in answer.result.fits)
    assert answer.headline.startswith("Kimi K2.5 FP4 needs at least 2 MI355X.")
    assert "Nothing is loaded for model kimi-k2.5." in answer.caveats
    for theme in (LIGHT, DARK):
        assert "Room for KV cache" in memory.figure(answer.result, theme).layout.yaxis.title.text


def test_the_story_measured_is_answered_on_what_it_was_measured_on(shipped: Library) -> None:
    """DeepSeek R1 in FP8 is 671e9 bytes, 625 GiB: 4 H200 have 0.9 x 564, 8 have 1,015 GiB."""
    answer = memory.answer(shipped, View())
    assert answer.headline.startswith("DeepSeek-R1 FP8 needs at least 4 chips")
    assert fit(answer.result, "h200-sxm", 4).room_gib < 0 < fit(answer.result, "h200-sxm", 8).room_gib
    assert "8 chips at least: H200 SXM." in answer.findings
    assert memory.answer(shipped, answer.view).rows.equals(answer.rows)


def test_more_tokens_to_a_request_leave_fewer_requests(shipped: Library) -> None:
    held = [
        fit(memory.answer(shipped, View.of({}, {"context": tokens})).result, "mi355x", 8).requests
        for tokens in ("1024", "2048", "8192")
    ]
    assert held == sorted(held, reverse=True)
    assert held[0] == pytest.approx(8 * held[2], rel=0.01)


def test_what_cannot_be_is_one_sentence(empty: Library) -> None:
    answer = memory.answer(empty, View.of({"model": ["no-such-model"], "precision": ["fp8"]}))
    assert answer.headline == (
        "What no-such-model FP8 needs is not known: no parameter count of it is published here; choose another model."
    )
    assert memory.figure(answer.result, LIGHT).layout.annotations
    for where, why in (
        ({"model": ["deepseek-r1"], "precision": ["fp8"], "accelerator": ["groq-lpu"]}, "no memory of"),
        (
            {"model": ["deepseek-r1"], "accelerator": ["h100-sxm"]},
            "the precision of its weights is not stated",
        ),
    ):
        assert why in memory.answer(empty, View.of(where)).headline
    for key, value in (("cache", "fp3"), ("context", "0"), ("context", "many")):
        with pytest.raises(UsageError):
            memory.answer(empty, View.of({}, {key: value}))
    assert not Path(empty.path).exists()


def test_lines_that_lie_on_each_other_are_named_together(shipped: Library) -> None:
    """Of DeepSeek R1 in FP8, 288 GB of MI355X and 269 of B300 differ by a few pixels from eight chips on."""
    answer = memory.answer(shipped, View())
    drawn = memory.figure(answer.result, LIGHT)
    lines = [one for one in drawn.data if "lines" in one.mode]
    named = [text for one in drawn.data if one.mode == "text" for text in one.text if "--until" not in text]
    assert len(named) < len(lines) == len({one.name for one in lines})
    together = [text for text in named if " and " in text]
    assert together
    assert all(
        any(one.name in text for text in (*named, *(line.hovertemplate for line in lines))) for one in lines
    )
    assert any("MI355X, GB300 and B300" in text for text in together)
    assert any("MI355X" in one.hovertemplate and "GB300" in one.hovertemplate for one in lines)
    shorter = [text for one in drawn.data if one.mode == "text" for text in one.text if "--until" in text]
    assert any("MI355X and 2 more" in text for text in shorter)


def test_models_side_by_side_have_their_names_their_ticks_and_one_scale(shipped: Library) -> None:
    view = View.of({"model": ["deepseek-r1", "llama-3.3-70b"]})
    layout = memory.figure(memory.answer(shipped, view).result, LIGHT).layout
    assert {note.text for note in layout.annotations} == {"<b>DeepSeek-R1</b>", "<b>Llama 3.3 70B</b>"}
    assert layout.xaxis.range == layout.xaxis2.range
    assert layout.yaxis.range == layout.yaxis2.range
    assert {"10", "100", "1,000", "10,000"} <= set(layout.yaxis.ticktext)
    assert layout.yaxis.ticktext == layout.yaxis2.ticktext
    assert layout.yaxis.gridcolor == layout.yaxis2.gridcolor == LIGHT.grid


def test_the_ticks_of_its_axis_separate_thousands(shipped: Library) -> None:
    axis = memory.figure(memory.answer(shipped, View()).result, LIGHT).layout.yaxis
    assert {"1,000", "10,000"} <= set(axis.ticktext)
    assert axis.range[0] < 1 + max(map(len, axis.ticktext))


def test_lines_apart_keep_names_of_their_own(empty: Library) -> None:
    view = View.of({"model": ["llama-3.1-70b"], "precision": ["fp8"], "accelerator": ["h100-sxm", "mi355x"]})
    drawn = memory.figure(memory.answer(empty, view).result, LIGHT)
    assert [text for one in drawn.data if one.mode == "text" for text in one.text if " and " in text] == []


def test_the_room_right_of_the_last_count_is_what_names_need(shipped: Library) -> None:
    view = View.of({"model": ["deepseek-r1", "llama-3.3-70b"]})
    low, high = memory.figure(memory.answer(shipped, view).result, LIGHT).layout.xaxis.range
    assert 0.15 < (high - math.log10(64)) / (high - low) < 0.28


def test_names_are_shortened_where_a_page_is_narrow(shipped: Library) -> None:
    drawn = memory.figure(memory.answer(shipped, View.of({"model": ["deepseek-r1"]})).result, LIGHT)
    told = {
        pages.start: [
            text
            for one in drawn.data
            if one.mode == "text"
            for text in one.text
            if pages.shown("x").split("x")[0] in text
        ]
        for pages in EVERY_WIDTH
    }
    assert any("MI355X, GB300" in text for text in told[1400])
    assert any("MI355X and " in text and " more" in text for text in told[1100])
    assert any("MI355X +" in text for text in told[700])
