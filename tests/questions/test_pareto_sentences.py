"""What the Pareto question says: one sentence of about thirty words, the reader's limits first, and what is missing."""

from __future__ import annotations

import pytest

from bench.library import Library
from bench.names import display_name
from bench.questions import pareto
from bench.questions.pareto import sentences
from bench.view import View


@pytest.fixture(scope="module")
def shipped(tmp_path_factory):
    return Library.open(tmp_path_factory.mktemp("own"))


@pytest.mark.parametrize(
    ("model", "ending"),
    [
        ("mixtral-8x7b", "the throughput of 126 of them is on the heatmap."),
        ("mixtral-8x22b", "their throughput is on the heatmap."),
        ("llama-2-70b", "the Data page lists what was."),
    ],
)
def test_a_model_without_any_latency_is_told_so(shipped, model, ending):
    answer = pareto.answer(shipped, View.of({"model": [model]}))
    count = shipped.fetch("SELECT count(*) FROM points WHERE model = ?", (model,))[0][0]
    name = display_name("model", model)
    assert answer.headline == (
        f"No latency was published for any of the {count} selected points of {name}, so there is nothing to weigh"
        f" throughput against; {ending}"
    )
    assert answer.rows.empty


def test_where_another_metric_was_published_it_is_named(shipped):
    view = View.of({"model": ["flan-ul2"]}, {"x": "ttft_ms_mean"})
    answer = pareto.answer(shipped, view)
    assert answer.headline == (
        "None of the 40 selected points of Flan-UL2 has both mean TTFT and output throughput per accelerator,"
        " but 40 have median TTFT: choose it under Across."
    )
    assert not pareto.answer(shipped, view.with_options(x="ttft_ms_p50")).rows.empty
    up = pareto.answer(shipped, View.of({"model": ["flan-ul2"]}, {"y": "total_tokens_per_s"}))
    assert up.headline.endswith("but 40 have output throughput per accelerator: choose it under Up.")


def test_one_point_is_told_with_its_flag_and_what_to_do(shipped):
    answer = pareto.answer(shipped, View.of({"model": ["gemma-4-31b"]}))
    assert answer.headline.startswith(
        "Only one point of Gemma 4 31B FP8 at 6,256/200 on TPU v6e has both metrics, "
    )
    assert answer.findings[1:] == (
        "It has a flag: The document says 320 requests were submitted and 315 of 315 were successful."
        " Treat the latencies as a lower bound.",
        "For a frontier, choose other or more values of precision, input length or output length in the filters.",
    )


@pytest.mark.parametrize("x", ["interactivity_tokens_per_s_per_user_p50", "ttft_ms_mean"])
@pytest.mark.parametrize(
    "model", ["deepseek-r1", "llama-3.1-8b", "llama-3.1-70b", "qwen3.5-397b-a17b", "llama-7b"]
)
def test_a_headline_is_about_thirty_words(shipped, model, x):
    answer = pareto.answer(shipped, View.of({"model": [model]}, {"x": x}))
    assert len(answer.headline.split()) <= sentences.LONGEST + 1
    if len(answer.numbers["leads"]) > sentences.LISTED:
        assert " elsewhere" in answer.headline
        assert "the lead changes" in answer.findings[0]


def test_the_readers_limits_lead_the_answer_and_what_was_filled_in_is_said(shipped: Library) -> None:
    asked = View.of({"model": ["deepseek-r1"], "isl": [1024], "osl": [1024]}, {"slo_x": 60, "slo_y": 200})
    answer = pareto.answer(shipped, asked)
    assert answer.headline.startswith("With median interactivity of 60 tokens/s/user or more and")
    assert "Narrowed to precision fp8; 228 points of the selection beside it left out." in answer.caveats
    assert not [note for note in pareto.answer(shipped, answer.view).caveats if note.startswith("Narrowed")]
