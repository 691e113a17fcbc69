"""Who leads where: what comparing all points gives, level within a percent, and only of what was asked side by side."""

from __future__ import annotations

import math

import pytest

from bench.basis import prices
from bench.questions import Answer, pareto
from bench.view import View
from tests.questions.pareto.results import COST, X, at, library_of
from tests.questions.saying import headline, said, statement
from tests.thorough import some

DEEPSEEK = {"model": ["deepseek-r1"]}
LIMIT = f"{X}>=60"


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


LED = [
    ({}, {}),
    ({"model": ["llama-3.1-8b"]}, {}),
    (DEEPSEEK, {"x": "ttft_ms_p99"}),
    (DEEPSEEK, {"y": COST}),
    (DEEPSEEK, {"x": "e2el_ms_p50"}),
    (DEEPSEEK, {"group": "engine", "y": COST}),
]


@pytest.mark.parametrize(("where", "options"), LED)
def test_every_range_of_a_lead_is_what_comparing_all_points_gives(shipped, where, options):
    answer = pareto.answer(shipped, View.of(where, options))
    leads = answer.result.leads
    assert led(answer) == [(lead.group, lead.strictest) for lead in leads]
    assert len(leads) > 1
    shown = said(answer, "who_leads")["shown"]
    assert said(answer, "who_leads")["leads"] == len(leads) >= shown > 0
    ids = [spot.point.point_id for lead in leads[:shown] for spot in lead.spots]
    assert statement(answer, "who_leads").point_ids == tuple(dict.fromkeys(ids))
    widths = {lead: abs(math.log(lead.strictest / (lead.weakest or lead.spots[0].x))) for lead in leads}
    clear = [lead for lead in leads if not lead.is_tie]
    assert answer.result.widest == max(clear, key=lambda lead: widths[lead])
    assert answer.result.widest.group in answer.headline


def test_a_lead_within_one_percent_is_called_level(tmp_path):
    rows = [(100, 50, "h100-sxm"), (99.5, 100, "h200-sxm"), (10, 200, "h100-sxm")]
    answer = pareto.answer(library_of(tmp_path, [at(*one) for one in rows]), View())
    assert [(lead.group, lead.is_tie) for lead in answer.result.leads] == [
        ("H100 SXM", True),
        ("H200 SXM", False),
        ("H100 SXM", False),
    ]
    assert statement(answer, "who_leads").text.count("(level with the next)") == 1


def test_two_points_level_within_the_limits_are_both_named(tmp_path):
    rows = [(100, 70, "h100-sxm"), (99.5, 80, "h200-sxm"), (20, 90, "b200-sxm")]
    answer = pareto.answer(library_of(tmp_path, [at(*one) for one in rows]), View.of(slo=[LIMIT]))
    assert said(answer, "best_within") == {"x": pytest.approx(70), "y": 100, "level": 2}
    level = {one.best.point.point_id for one in answer.result.groups if one.label in ("H100 SXM", "H200 SXM")}
    assert {*statement(answer, "best_within").point_ids} == level


@pytest.mark.parametrize(
    ("options", "slo"),
    [
        ({}, ()),
        ({"y": COST}, ()),
        ({"y": COST, "group": "engine"}, ()),
        ({}, (LIMIT,)),
        ({"y": COST}, (LIMIT,)),
        ({"y": COST}, (f"{COST}<=8",)),
    ],
)
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
    found = pareto.robustness(shipped, View.of({**DEEPSEEK, "precision": ["fp8"], "isl": [1024], "osl": [8192]}))
    ((way, verdict),) = found.otherwise
    assert (found.holding, found.ways) == (2, 3)
    assert (way, verdict.code) == ("without speculation", "gb200")


def test_narrowing_to_the_accelerators_shown_changes_nothing(shipped):
    answer = pareto.answer(shipped, View.of(DEEPSEEK, {"y": COST}))
    chips = sorted({group.owner for group in answer.result.groups})
    again = pareto.answer(shipped, answer.view.with_where(accelerator=chips))
    assert again.rows["point_id"].tolist() == answer.rows["point_id"].tolist()
    assert again.rows[COST].tolist() == answer.rows[COST].tolist()
    assert again.headline == answer.headline


def test_models_and_workloads_are_ranked_against_each_other_only_on_purpose(shipped):
    whole = View.of(whole=True)
    answer = pareto.answer(shipped, whole)
    assert headline(answer)[0] == "unasked"
    assert {"model", "isl", "osl"} == set(answer.result.unasked)
    assert pareto.robustness(shipped, whole) is None
    assert not answer.said("finding")
    limited = pareto.answer(shipped, whole.with_slo([LIMIT]))
    assert limited.result.best is None
    asked = whole.with_where(model=["deepseek-r1", "qwen3.5-397b-a17b"], isl=[1024, 8192], osl=[1024])
    assert headline(pareto.answer(shipped, asked))[0] == "leads"
    by_model = whole.with_where(isl=[1024], osl=[1024]).with_options(group="model")
    assert headline(pareto.answer(shipped, by_model))[0] == "leads"


def test_lengths_that_were_only_counted_narrow_nothing(shipped):
    answer = pareto.answer(shipped, View.of({"model": ["flan-t5-xl"]}))
    assert not answer.view.values("isl")
    (best,) = shipped.fetch(
        "SELECT arg_max(accelerator, output_tokens_per_s / accelerators) FROM points WHERE model = 'flan-t5-xl'"
    )[0]
    assert best == "h100-sxm"
    assert "H100 SXM leads per chip" in answer.headline
