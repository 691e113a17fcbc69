"""Scaling over MLPerf submissions: paired by submitter, system and round, never across them, never as replicas."""

from __future__ import annotations

import pytest

from bench.basis import story
from bench.library import Library
from bench.questions import Answer, scaling
from bench.questions.scaling.result import Scaling
from bench.view import View
from tests.questions.saying import headline, kinds, said
from tests.thorough import some


def asked(library: Library, **where: str) -> Answer[Scaling]:
    return scaling.answer(library, View.of({"source": ["mlperf"], **{key: [one] for key, one in where.items()}}))


# HPE's DL384 with 1 and 2 GH200, round 5.0: 9,362.85 / 4,609.05 / 2 = 1.0157, 5,666.16 / 2,845.43 / 2 = 0.9957.
@pytest.mark.parametrize(
    ("model", "scenario", "accelerator", "efficiencies"),
    some(
        [
            ("llama-2-70b", "offline", "gh200-144gb", {1: 1, 2: 1.0157}),
            ("gpt-j-6b", "offline", "gh200-144gb", {1: 1, 2: 0.9957}),
            ("deepseek-r1", "offline", "gb300", {72: 1, 288: 2494310 / 647076 / 4}),
            ("llama-2-70b", "server", "b200-sxm", {1: 1, 8: 98443.3 / 12078.4 / 8}),
            ("llama-2-70b", "interactive", "mi350x", {8: 1, 16: 103633 / 51616.6 / 2}),
        ],
        2,
    ),
)
def test_counts_of_one_system_are_compared(
    shipped: Library, model: str, scenario: str, accelerator: str, efficiencies: dict[int, float]
) -> None:
    [line] = asked(shipped, model=model, scenario=scenario, accelerator=accelerator).result.lines
    found = {place.accelerators: place.efficiency for place in line.places}
    assert found == pytest.approx(efficiencies, abs=5e-5)


def test_a_line_has_one_submitter_system_and_round(shipped: Library) -> None:
    answer = scaling.answer(shipped, View.of({"source": ["mlperf"]}, {"group": "line"}))
    assert len(answer.result.lines) > 1
    for _, own in answer.rows.groupby("line"):
        names = [name.split(" | ") for name in own["variant"]]
        assert len({submitter for submitter, _, _ in names}) == 1
        assert len({entry.rpartition("-")[0] for _, _, entry in names}) == 1
        assert own["date"].nunique() == 1


def test_the_default_is_one_scenario(shipped: Library) -> None:
    answer = asked(shipped)
    assert len(answer.view.values("scenario")) == 1
    assert {line.facts.scenario for line in answer.result.lines} == set(answer.view.values("scenario"))
    # What was filled in is no filter of the reader's, so it does not follow to other pages.
    assert not story.own_choice(answer.view).values("scenario")
    assert scaling.complete(shipped, answer.view) == answer.view


def test_a_system_is_not_set_against_replicas_and_mlcommons_is_named(shipped: Library) -> None:
    answer = asked(shipped, model="llama-2-70b")
    assert not any(line.replicas for line in answer.result.lines)
    assert {"submissions", "derived"} <= set(kinds(answer, "caveat"))
    assert said(answer, "lone") == {"groups": list(answer.result.lone)}
    assert said(answer, "other_lines") == {"field": "accelerator", "many": answer.result.other_lines}


def test_systems_with_one_count_each_are_refused_in_words(shipped: Library) -> None:
    answer = asked(shipped, model="qwen3-vl-235b-a22b")
    assert not answer.result.lines
    assert headline(answer) == ("nothing_counts", {"used": 8})
