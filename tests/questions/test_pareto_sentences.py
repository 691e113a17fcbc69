"""What the Pareto question says: short sentences that hold, the reader's limits first, flags with what they are of."""

from __future__ import annotations

import json
import math
import re

import pytest

from bench import catalogue
from bench.basis import prices, variations
from bench.basis.wording import LONGEST
from bench.flags import telling
from bench.library import Library
from bench.names import display_name
from bench.questions import Answer, pareto
from bench.questions.pareto import axes as choosing
from bench.questions.pareto import statements
from bench.view import View
from bench.wording import number
from tests.questions import recorded
from tests.thorough import some

X, Y = "interactivity_tokens_per_s_per_user_p50", "output_tokens_per_s_per_accelerator"
COST = "usd_per_million_output_tokens"
DEEPSEEK = {"model": ["deepseek-r1"]}
LIMIT = f"{X}>=60"


def first(answer: Answer) -> str:
    return next(one.kind for one in answer.statements if one.role == "headline")


@pytest.mark.parametrize("model", ["mixtral-8x7b", "mixtral-8x22b", "llama-2-70b"])
def test_a_model_without_any_latency_is_told_so(shipped, model):
    answer = pareto.answer(shipped, View.of({"model": [model]}))
    assert display_name("model", model) in answer.headline
    assert "states both a latency and a throughput" in answer.headline
    assert answer.result.instead is None
    assert answer.rows.empty


def test_where_the_usual_story_has_no_latency_the_nearest_that_has_is_told(shipped):
    answer = pareto.answer(shipped, View.of({"model": ["llama-3.1-70b"]}))
    assert "other_story" in [one.kind for one in answer.statements]
    assert len(answer.result.overall) > 1


def test_where_another_metric_was_published_it_is_named(shipped):
    view = View.of({"model": ["flan-ul2"]}, {"x": "ttft_ms_mean"})
    answer = pareto.answer(shipped, view)
    assert first(answer) == "no_frontier"
    assert "both mean TTFT and output throughput per accelerator; choose" in answer.headline
    x, y = answer.result.instead
    assert not pareto.answer(shipped, view.with_options(x=x.key, y=y.key)).rows.empty


def test_one_point_is_told_with_its_flag(shipped):
    answer = pareto.answer(shipped, View.of({"model": ["gemma-4-31b"], "isl": ["6256"]}))
    assert answer.headline.startswith("Only one point of Gemma 4 31B FP8 has both metrics, TPU v6e with ")
    (only,) = answer.result.overall
    for one in answer.statements[:2]:
        assert one.point_ids == (only.point.point_id,)
        assert "(flagged: requests unaccounted for)" in one.text


@pytest.mark.parametrize("x", [X, "ttft_ms_mean"])
@pytest.mark.parametrize(
    "model", ["deepseek-r1", "llama-3.1-8b", "llama-3.1-70b", "qwen3.5-397b-a17b", "llama-7b"]
)
def test_a_headline_is_short(shipped, model, x):
    answer = pareto.answer(shipped, View.of({"model": [model]}, {"x": x}))
    assert len(answer.headline.split()) <= LONGEST


def test_the_readers_limits_lead_the_answer_and_what_was_filled_in_is_said(shipped: Library) -> None:
    asked = View.of({**DEEPSEEK, "isl": [1024], "osl": [1024]}, slo=[LIMIT, f"{Y}>=200"])
    answer = pareto.answer(shipped, asked)
    assert first(answer) == "best_within"
    assert answer.headline.startswith("With median interactivity ≥ 60 tokens/s/user and output throughput")
    assert [one.kind for one in answer.statements if one.role == "finding"][:4] == [
        "point",
        "reached",
        "never",
        "leads",
    ]
    assert "narrowed" in [one.kind for one in answer.statements]


def led(answer: Answer) -> list[tuple[str, float]]:
    """Who has the best y for every requirement on x that a point just meets, easiest first; runs are one entry."""
    found = answer.result
    rows, (x, y) = answer.rows[answer.rows["enters"]], found.metrics
    lower = x.direction == "lower"
    labels = {group.owner: group.label for group in found.groups}
    runs: list[tuple[str, float]] = []
    for limit in sorted(rows[found.x].unique(), reverse=lower):
        meeting = rows[rows[found.x] <= limit] if lower else rows[rows[found.x] >= limit]
        best = meeting[found.y].idxmin() if y.direction == "lower" else meeting[found.y].idxmax()
        owner = labels[meeting.loc[best, "owner"]]
        if runs and runs[-1][0] == owner:
            runs.pop()
        runs.append((owner, limit))
    return runs


LED = [({}, {}), ({"model": ["llama-3.1-8b"]}, {}), (DEEPSEEK, {"x": "ttft_ms_p99"}), (DEEPSEEK, {"y": COST}),
       (DEEPSEEK, {"x": "e2el_ms_p50"}), (DEEPSEEK, {"group": "engine", "y": COST})]  # fmt: skip


@pytest.mark.parametrize(("where", "options"), LED)
def test_every_range_of_a_lead_is_what_comparing_all_points_gives(shipped, where, options):
    answer = pareto.answer(shipped, View.of(where, options))
    leads = answer.result.leads
    assert led(answer) == [(lead.group, lead.strictest) for lead in leads]
    assert len(leads) > 1
    (told,) = [one.text for one in answer.statements if one.kind == "who_leads"]
    rest = re.search(r"and (\d+) more\.$", told)
    for lead in leads[: len(leads) - int(rest[1]) if rest else None]:
        assert (
            f"{statements.FORM.sub('', lead.group)} " in f"{statements.FORM.sub('', told)} "
            or lead.group in told
        )
        assert number(lead.strictest) in told
    widths = {lead: abs(math.log(lead.strictest / (lead.weakest or lead.spots[0].x))) for lead in leads}
    clear = [lead for lead in leads if not lead.is_tie]
    assert answer.result.widest == max(clear, key=lambda lead: widths[lead])
    assert answer.result.widest.group in answer.headline


def test_leaders_say_what_they_are_where_the_points_are_mixed(shipped):
    answer = pareto.answer(shipped, View())
    told = {one.values["fact"]: one.text for one in answer.statements if one.kind == "leaders"}
    assert told == {
        "disaggregated": "The leaders differ in deployment: GB300, GB200 and B200 disaggregated; B300"
        " disaggregated or aggregated; MI355X aggregated.",
        "speculation": "The leaders differ in speculation: GB300 no speculation; GB200 no speculation or"
        " MTP speculation; B300, MI355X and B200 MTP speculation.",
    }


def test_a_lead_within_one_percent_is_called_level(tmp_path):
    rows = [(100, 50, "h100-sxm"), (99.5, 100, "h200-sxm"), (10, 200, "h100-sxm")]
    answer = pareto.answer(made(tmp_path, rows), View())
    assert [(lead.group, lead.is_tie) for lead in answer.result.leads] == [
        ("H100 SXM", True), ("H200 SXM", False), ("H100 SXM", False),
    ]  # fmt: skip
    assert "(level with the next)" in answer.findings[0]


def made(folder, rows) -> Library:
    """A library of points with a throughput and an interactivity on one chip each."""
    facts = {"model": "llama-3.1-70b", "precision": "fp8", "accelerators": 1, "isl": 1024, "osl": 256,
             "evidence": "measured"}  # fmt: skip
    told = [
        {**facts, "output_tokens_per_s": y, "tpot_ms_p50": 1000 / x, "accelerator": chip}
        for y, x, chip in rows
    ]
    (folder / "made.json").write_text(json.dumps(told))
    library = Library.open(folder / "library", shipped=False)
    assert not library.add([folder / "made.json"]).refused
    return library


def test_two_points_level_within_the_limits_are_both_named(tmp_path):
    library = made(tmp_path, [(100, 70, "h100-sxm"), (99.5, 80, "h200-sxm"), (20, 90, "b200-sxm")])
    answer = pareto.answer(library, View.of(slo=[LIMIT]))
    assert "H100 SXM and H200 SXM are level within 1 %" in answer.headline
    assert len(next(iter(answer.statements)).point_ids) == 2


@pytest.mark.parametrize("about", list(recorded.VIEWS))
def test_every_flag_of_a_point_that_a_sentence_names_stands_in_it(shipped, about):
    for options, slo in (({}, ()), ({"y": COST}, (LIMIT,))):
        answer = pareto.answer(shipped, View.of(recorded.VIEWS[about], options, slo=slo))
        kinds = {spot.point.point_id: spot.point.flag_kinds for spot in answer.result.overall}
        flagged = dict(zip(answer.rows.get("point_id", ()), answer.rows.get("flags", ()), strict=True))
        for one in answer.statements:
            for point_id in one.point_ids:
                stated = json.loads(flagged[point_id] or "[]") if isinstance(flagged[point_id], str) else []
                assert set(kinds.get(point_id, ())) <= {flag["kind"] for flag in stated}
                assert all(word in one.text for word in telling(flag["kind"] for flag in stated))


@pytest.mark.parametrize(
    ("options", "slo"),
    [({}, ()), ({"y": COST}, ()), ({"y": COST, "group": "engine"}, ()), ({}, (LIMIT,)), ({"y": COST}, (LIMIT,)),
     ({"y": COST}, (f"{COST}<=8",))],
)  # fmt: skip
@pytest.mark.parametrize(("isl", "osl"), [(8192, 1024), (1024, 8192)])
def test_a_variation_says_what_the_answer_says_with_that_choice(shipped, isl, osl, options, slo):
    view = View.of({**DEEPSEEK, "precision": ["fp8"], "isl": [isl], "osl": [osl]}, options, slo=slo)
    whole = pareto.complete(shipped, view)
    found = pareto.robustness(shipped, whole)
    told = {words: verdict.code for words, verdict in found.otherwise}
    own = leader(pareto.answer(shipped, whole))
    others = {
        "without flagged points": whole.with_options(flagged="out"),
        "with older runs too": whole.with_options(runs="all"),
        "without speculation": whole.with_where(speculation=["none"]),
    }
    if "y" in options:
        choice = prices.read(shipped, whole)
        others |= {
            f"at {words}": whole.with_options(price_book=other.book, provider=other.provider)
            for words, other in prices.alternatives(shipped, choice).items()
        }
    for words, other in some(others.items(), 4):
        answer = pareto.answer(shipped, other)
        then = leader(answer)
        priced = {group.owner for group in answer.result.groups}
        if then is None or (words.startswith("at ") and own not in priced):
            assert (words, None) in found.others or words not in told
        else:
            assert told.get(words, own) == then
    assert found.holding + len(found.otherwise) == found.ways


def leader(answer: Answer) -> str | None:
    """The owner that an answer's headline names."""
    found = answer.result
    label = found.widest and found.widest.group
    if found.limits:
        best = [group for group in found.groups if group.best and group.best == found.best]
        return best[0].owner if best else None
    return next((group.owner for group in found.groups if group.label == label), None)


def test_a_verdict_that_does_not_hold_says_what_leads_instead(shipped):
    view = View.of({**DEEPSEEK, "precision": ["fp8"], "isl": [1024], "osl": [8192]})
    (told,) = variations.statements(pareto.robustness(shipped, view))
    assert told.text == ("Holds in 2 of 3 checks: GB200 leads over the widest range without speculation.")


def test_narrowing_to_the_accelerators_shown_changes_nothing(shipped):
    answer = pareto.answer(shipped, View.of(DEEPSEEK, {"y": COST}))
    chips = sorted({group.owner for group in answer.result.groups})
    again = pareto.answer(shipped, answer.view.with_where(accelerator=chips))
    assert again.rows["point_id"].tolist() == answer.rows["point_id"].tolist()
    assert again.rows[COST].tolist() == answer.rows[COST].tolist()
    assert again.headline == answer.headline


def test_groups_are_named_in_words():
    named = {
        ("accelerators", "8"): "8 chips", ("speculation", "mtp"): "MTP speculation", ("disaggregated", "true"):
        "disaggregated", ("precision", "fp8"): "FP8", ("engine", ""): "engine not stated", ("tp", "4"): "tp 4",
    }  # fmt: skip
    assert {key: statements.label(*key) for key in named} == named


def test_models_and_workloads_are_ranked_against_each_other_only_on_purpose(shipped):
    whole = View.of(whole=True)
    answer = pareto.answer(shipped, whole)
    assert first(answer) == "unasked"
    assert {"model", "isl", "osl"} == set(answer.result.unasked)
    assert pareto.robustness(shipped, whole) is None
    assert not answer.said("finding")
    limited = pareto.answer(shipped, whole.with_slo([LIMIT]))
    assert limited.result.best is None
    asked = whole.with_where(model=["deepseek-r1", "qwen3.5-397b-a17b"], isl=[1024, 8192], osl=[1024])
    assert first(pareto.answer(shipped, asked)) == "leads"
    by_model = whole.with_where(isl=[1024], osl=[1024]).with_options(group="model")
    assert first(pareto.answer(shipped, by_model)) == "leads"


def test_axes_are_labelled_in_words() -> None:
    labels = {option.key: option.label for option in pareto.OPTIONS}
    assert (labels["x"], labels["y"]) == ("Horizontal axis", "Vertical axis")


def test_lengths_that_were_only_counted_narrow_nothing(shipped):
    answer = pareto.answer(shipped, View.of({"model": ["flan-t5-xl"]}))
    assert not answer.view.values("isl")
    (best,) = shipped.fetch(
        "SELECT arg_max(accelerator, output_tokens_per_s / accelerators) FROM points WHERE model = 'flan-t5-xl'"
    )[0]
    assert best == "h100-sxm"
    assert "H100 SXM leads per chip" in answer.headline


@pytest.mark.parametrize("options", [{}, {"x": "decode_step_ms_mean"}])
def test_a_default_with_too_few_points_makes_room_for_one_with_a_frontier(shipped, options):
    answer = pareto.answer(shipped, View.of({"model": ["gemma-4-31b"]}, options))
    assert answer.view.option("x") == "decode_step_ms_mean"
    assert answer.view.values("precision") == ("fp8",)
    assert (answer.result.tally.used, len(answer.result.overall)) == (19, 9)
    assert answer.headline.endswith("(flagged: decode only and doubtful method).")


def test_a_time_is_told_with_what_it_is(shipped):
    answer = pareto.answer(shipped, View.of({"model": ["gemma-4-31b"]}))
    (knee,) = [one.text for one in answer.statements if one.kind == "knees"]
    assert knee.startswith("Knee, in tokens/s per chip at ms decode step: 5,802 at 22.1 ")


def test_every_metric_of_these_kinds_that_is_held_can_stand_on_an_axis(shipped):
    offered = pareto.choices(shipped, View())
    held = [
        key
        for key in list(catalogue.keys())
        if shipped.has(key) and catalogue.metric(key).direction != "neutral"
    ]
    for axis, kinds in (("x", choosing.ACROSS), ("y", choosing.UP)):
        keys = {key for key, _ in offered[axis]}
        assert {catalogue.metric(key).kind for key in keys} <= set(kinds)
        assert {key for key in held if catalogue.metric(key).kind in kinds} <= keys
    assert COST in {key for key, _ in offered["y"]}
