"""What the Pareto question says: one sentence of about thirty words, the reader's limits first, and what is missing."""

from __future__ import annotations

import json
import math
import re

import pytest

from bench import catalogue
from bench.library import Library
from bench.names import display_name
from bench.questions import Answer, pareto
from bench.questions.pareto import sentences
from bench.view import View
from bench.wording import number


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
    answer = pareto.answer(shipped, View.of({"model": ["gemma-4-31b"], "isl": ["6256"]}))
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
    assert answer.headline.startswith(
        "With median interactivity of 60 tokens/s/user and output throughput of 200 tokens/s per chip or more, the best"
    )
    assert len(answer.headline.split()) <= 38
    assert answer.findings[0].startswith("The best point in full: DeepSeek-R1, FP8, 20 x GB300 NVL72 (tp ")
    assert answer.headline.count("tokens/s/user") == answer.headline.count("tokens/s per chip") == 1
    assert "Narrowed to precision fp8; 228 points of the selection beside it left out." in answer.caveats
    assert not [note for note in pareto.answer(shipped, answer.view).caveats if note.startswith("Narrowed")]


def led(answer: Answer) -> list[tuple[str, float]]:
    """Who has the highest y for every requirement on x that a point just meets, easiest first; runs are one entry."""
    x, y = answer.numbers["x"], answer.numbers["y"]
    rows = answer.rows[answer.rows["enters"]] if "enters" in answer.rows else answer.rows
    lower = catalogue.metric(x).direction == "lower"
    runs: list[tuple[str, float]] = []
    for limit in sorted(rows[x].unique(), reverse=lower):
        meeting = rows[rows[x] <= limit] if lower else rows[rows[x] >= limit]
        owner = display_name("accelerator", meeting.loc[meeting[y].idxmax(), "owner"])
        if runs and runs[-1][0] == owner:
            runs.pop()
        runs.append((owner, limit))
    return runs


@pytest.mark.parametrize(
    ("model", "options"),
    [("llama-3.1-8b", {}), ("deepseek-r1", {"x": "ttft_ms_p99"}), ("deepseek-r1", {}),
     ("deepseek-r1", {"x": "e2el_ms_p50"})],
)  # fmt: skip
def test_every_range_of_a_lead_is_what_comparing_all_points_gives(shipped, model, options):
    answer = pareto.answer(shipped, View.of({"model": [model]}, options))
    runs = led(answer)
    assert len(runs) > sentences.LISTED
    word = "up" if catalogue.metric(answer.numbers["x"]).direction == "higher" else "down"
    said = re.search(r"the lead changes (\d+) times: (.+)\.$", answer.findings[0])
    assert int(said[1]) == len(runs) - 1
    listed = re.findall(rf"(?:, | and |^)([^,]+?) {word} to ([\d,.]+\d)", said[2])
    assert listed == [(owner, number(limit)) for owner, limit in runs[: len(listed)]]
    assert len(listed) == min(len(runs), sentences.LISTED_BELOW)


def test_two_leads_over_a_latency_are_told_by_their_lower_ends(tmp_path):
    library = Library.open(tmp_path / "library", shipped=False)
    facts = {"model": "llama-3.1-70b", "precision": "fp8", "accelerators": 1, "isl": 1024, "osl": 256,
             "evidence": "measured"}  # fmt: skip
    rows = [(100, 10, "h100-sxm"), (200, 40, "h100-sxm"), (300, 50, "h200-sxm"), (900, 80, "h200-sxm")]
    (tmp_path / "two.json").write_text(
        json.dumps(
            [
                {**facts, "output_tokens_per_s": y, "ttft_ms_p50": x, "accelerator": chip}
                for y, x, chip in rows
            ]
        )
    )
    assert not library.add([tmp_path / "two.json"]).refused
    answer = pareto.answer(library, View())
    assert answer.headline.startswith(
        "On Llama 3.1 70B FP8 at 1,024/256, H200 SXM gives the most per chip where median TTFT may be 50 ms or more"
        " and H100 SXM down to 10"
    )


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_the_widest_lead_is_the_one_with_the_largest_ratio_of_its_ends(shipped, scale):
    answer = pareto.answer(shipped, View.of({"model": ["deepseek-r1"]}, {"x_scale": scale}))
    leads = answer.numbers["leads"]
    widest = max(leads, key=lambda one: abs(math.log(one["to"] / (one["beyond"] or one["from"]))))
    assert f"{widest['group']} gives the most per chip" in answer.headline
    assert number(widest["to"]) in answer.headline


def test_prices_are_told_in_words_and_shortly(shipped):
    view = View.of({"model": ["deepseek-r1"]}, {"y": "usd_per_million_output_tokens"})
    answer = pareto.answer(shipped, view)
    (told,) = [caveat for caveat in answer.caveats if caveat.startswith("Prices from ")]
    assert told == (
        "Prices from semianalysis-tco-2026-08, modelled, neocloud, in USD/h: B200 SXM 2.07, B300 SXM 2.52,"
        " GB200 NVL72 2.26, GB300 NVL72 2.79, H100 SXM 1.55, H200 SXM 1.59 and 3 more."
    )
    price = next(why for why in answer.why if why.what == "Price")
    assert not [
        text for text in (price.formula, price.inputs, price.source) if re.search("quote|:neo|_", text)
    ]
    assert "MI355X 2.09" in price.inputs


def test_every_asked_value_that_narrowing_empties_is_named(shipped):
    asked = View.of({"model": ["deepseek-r1", "llama-3.1-8b"]})
    (told,) = [caveat for caveat in pareto.answer(shipped, asked).caveats if caveat.startswith("Narrowed to")]
    assert told.endswith("points of the selection beside it left out, among them all of Llama 3.1 8B.")
    both = pareto.answer(shipped, View.of({"accelerator": ["h100", "h200"], "model": ["deepseek-r1"]}))
    assert not [caveat for caveat in both.caveats if "among them" in caveat]


def test_a_narrowing_that_leaves_nothing_out_is_not_told(shipped):
    answer = pareto.answer(shipped, View.of({"model": ["glm-4.7"]}))
    assert answer.headline.startswith("All 8 points of GLM-4.7 BF16 at 1,024/1,024")
    assert not [caveat for caveat in answer.caveats if caveat.startswith("Narrowed")]


@pytest.mark.parametrize("options", [{}, {"x": "decode_step_ms_mean"}])
def test_a_default_with_too_few_points_makes_room_for_one_with_a_frontier(shipped, options):
    answer = pareto.answer(shipped, View.of({"model": ["gemma-4-31b"]}, options))
    assert answer.view.option("x") == "decode_step_ms_mean"
    assert answer.view.values("precision") == ("fp8",)
    assert (answer.numbers["usable"], len(answer.numbers["frontier"])) == (19, 9)
    assert answer.headline.endswith("(flagged: decode only and doubtful method).")


def test_engines_changed_only_where_more_than_one_is_stated(shipped):
    def dates(view: View) -> str:
        return next(
            note for note in pareto.answer(shipped, view).caveats if note.startswith("Measured between")
        )

    assert dates(View.of({"source": ["ibm-llm-pilot"]})) == "Measured between 2023-10-11 and 2023-10-16."
    assert dates(View.of({"model": ["deepseek-r1"]})).endswith("; engines changed in between.")


def test_limits_are_labelled_in_words() -> None:
    labels = {option.key: option.label for option in pareto.OPTIONS}
    assert labels["slo_x"] == "Limit on the horizontal axis"
    assert labels["slo_y"] == "Limit on the vertical axis"


def test_lengths_that_were_only_counted_narrow_nothing(shipped):
    answer = pareto.answer(shipped, View.of({"model": ["flan-t5-xl"]}))
    assert not answer.view.values("isl")
    (best,) = shipped.fetch(
        "SELECT arg_max(accelerator, output_tokens_per_s / accelerators) FROM points WHERE model = 'flan-t5-xl'"
    )[0]
    assert best == "h100-sxm"
    assert "H100 SXM gives the most per chip" in answer.headline


def test_a_time_is_told_with_what_it_is(shipped):
    said = pareto.answer(shipped, View.of({"model": ["gemma-4-31b"]})).headline
    assert "at 15.5 ms decode step to 8,786 at 58.3" in said
