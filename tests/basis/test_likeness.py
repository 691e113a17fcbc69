"""In what compared points are unlike: found by facts, told in words, and what one side alone states."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.basis import likeness
from bench.basis.likeness import DEPLOYED, FACTS, ONE_SIDED, Difference
from bench.basis.points import PointFacts
from tests.questions.saying import CAVEAT

H200 = PointFacts("1", precision="fp8", engine="vllm", accelerator="h200-sxm", accelerators=8, tp=8, isl=1024, osl=1024)
A100 = PointFacts(
    "2", precision="fp16", engine="sglang", accelerator="a100-sxm-80gb", accelerators=8, tp=4, isl=1024, osl=1024
)


MAY = datetime.date(2026, 5, 11)


def facts(**stated: object) -> PointFacts:
    return PointFacts.of({"point_id": "p", **stated})


def keys(found: tuple[Difference, ...]) -> list[str]:
    return [one.fact.key for one in found]


some = st.builds(
    PointFacts,
    st.just("p"),
    precision=st.sampled_from((None, "fp8", "fp16")),
    engine=st.sampled_from((None, "vllm", "sglang")),
    speculation=st.sampled_from((None, "none", "mtp")),
    isl=st.sampled_from((None, 128.0, 1024.0)),
    accelerators=st.sampled_from((None, 4, 8)),
    tp=st.sampled_from((None, 1, 8)),
)
EVERY = tuple(fact.key for fact in FACTS)


class TestDifferences:
    def test_are_what_both_state_and_not_the_same(self) -> None:
        found = likeness.differences([H200], [A100], (*DEPLOYED, "accelerator", "layout"))
        assert [one.words for one in found] == [
            "precision (FP8 against FP16)",
            "engine (vLLM against SGLang)",
            "accelerator (H200 SXM against A100 SXM 80 GB)",
            "layout (tp 8 against tp 4)",
        ]

    def test_of_what_one_side_leaves_out_only_some_facts_count(self) -> None:
        found = likeness.differences([facts(engine="vllm", speculation="mtp")], [facts()], ("engine", "speculation"))
        assert [(one.fact.key, one.a, one.b) for one in found] == [("engine", ("vLLM",), ())]
        assert found[0].words == "engine (vLLM against not stated)"

    @given(st.lists(some, max_size=4), st.lists(some, max_size=4))
    def test_are_the_same_from_the_other_side(self, a: list[PointFacts], b: list[PointFacts]) -> None:
        assert likeness.differences(a, a[::-1], EVERY) == ()
        there, back = likeness.differences(a, b, EVERY), likeness.differences(b, a, EVERY)
        assert [(one.fact, one.a, one.b) for one in there] == [(one.fact, one.b, one.a) for one in back]
        for one in there:
            assert one.a != one.b
            assert (one.a and one.b) or one.fact.key in ONE_SIDED

    @given(st.lists(st.tuples(some, some), max_size=4))
    def test_everywhere_are_those_of_every_pair(self, pairs: list[tuple[PointFacts, PointFacts]]) -> None:
        found = set(keys(likeness.everywhere(pairs, EVERY)))
        assert all(found <= set(keys(likeness.differences([a], [b], EVERY))) for a, b in pairs)
        always = [set(keys(likeness.differences([a], [b], EVERY))) for a, b in pairs]
        both = set(keys(likeness.differences([a for a, _ in pairs], [b for _, b in pairs], EVERY)))
        assert found == (set.intersection(*always) & both if pairs else set())


class TestWords:
    def test_of_what_points_are_mixed_of_are_counted_the_most_first(self) -> None:
        rows = [facts(engine="vllm"), facts(engine="vllm"), facts(engine="sglang"), facts(engine="vllm", isl=128)]
        assert likeness.mixed(rows) == [
            "input lengths not stated (3) and 128 tokens (1)",
            "engines vLLM (3) and SGLang (1)",
        ]
        assert likeness.mixed(rows, besides=("isl", "engine")) == []
        assert likeness.mixed([H200, A100], besides=("layout",)) == [
            "accelerators H200 SXM and A100 SXM 80 GB",
            "precisions FP8 and FP16",
            "engines vLLM and SGLang",
        ]


class TestUnlike:
    @pytest.mark.parametrize(
        ("a", "b", "said"),
        [
            (
                facts(engine="vllm", precision="fp8", isl=128),
                facts(engine="sglang", precision="fp8"),
                {"unlike": {"unlike": 1}, "one_sided": {"one_sided": 1}},
            ),
            (
                facts(precision="fp8", date=MAY),
                facts(precision="fp4", engine="vllm", accelerators=8, date=MAY - datetime.timedelta(40)),
                {"unlike": {"unlike": 1}, "one_sided": {"one_sided": 1}, "apart": {"days": 40}},
            ),
            (facts(date=MAY), facts(), {"undated": {}}),
        ],
    )
    def test_says_what_differs_what_one_side_alone_states_and_when_they_were_measured(
        self, a: PointFacts, b: PointFacts, said: dict[str, dict[str, int]]
    ) -> None:
        told = likeness.unlike(("H200", "MI355X"), [a], [b])
        assert [(one.kind, one.values) for one in told] == list(said.items())
        assert all(len(one.text.split()) <= CAVEAT for one in told)

    def test_says_nothing_of_what_is_alike(self) -> None:
        assert likeness.unlike(("a", "b"), [H200], [H200]) == []
        assert likeness.apart(("a", "b"), [facts()], [facts()]) == []

    @pytest.mark.parametrize(("days", "kinds"), [(0, []), (30, []), (31, ["apart"]), (400, ["apart"])])
    def test_says_how_far_apart_in_time(self, days: int, kinds: list[str]) -> None:
        first = datetime.date(2026, 1, 1)
        told = likeness.apart(("a", "b"), [facts(date=first)], [facts(date=first + datetime.timedelta(days))])
        assert [one.kind for one in told] == kinds
        assert [one.values["days"] for one in told] == [days] * len(kinds)
