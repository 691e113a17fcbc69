"""Whether a headline holds: its verdict again with one choice changed at a time, those alone that change anything."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from bench.basis import evidence, variations
from bench.basis.prices import Choice
from bench.basis.variations import Robustness, Variation, Verdict
from bench.library import Library
from bench.view import View
from tests.basis.libraries import mixed, views
from tests.questions.heatmap.results import flag, library_of, point
from tests.questions.saying import FINDING
from tests.thorough import times


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return mixed(tmp_path_factory.mktemp("variations"))


def most(library: Library, one: Variation) -> Verdict | None:
    """The accelerator of the point with the most throughput."""
    condition = evidence.ranked(library, one.ranking)
    rows = library.fetch(
        f"SELECT accelerator FROM points WHERE {condition.sql} AND output_tokens_per_s IS NOT NULL"
        " ORDER BY output_tokens_per_s DESC, point_id LIMIT 1",
        condition.params,
    )
    return Verdict(rows[0][0], f"{rows[0][0]} wins") if rows else None


ROWS = [
    point(128, 128, 90, accelerator="h100-sxm", flags=flag("roofline")),
    point(128, 128, 80, accelerator="h200-sxm", speculation="mtp"),
    point(128, 128, 70, accelerator="b200-sxm"),
    point(128, 128, 60, accelerator="mi300x", date="2026-01-01"),
    point(128, 128, 10, accelerator="mi300x", date="2026-03-01"),
]


@pytest.fixture(scope="module")
def five(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return library_of(tmp_path_factory.mktemp("five"), ROWS)


def ways(library: Library, view: View, choice: Choice | None = None) -> list[str]:
    """The ways in which a verdict is asked for, the own one first."""
    seen: list[str] = []

    def verdict(one: Variation) -> Verdict:
        seen.append(one.words)
        return Verdict("a", "a wins")

    variations.of(library, view, choice, verdict)
    return seen


often = settings(max_examples=times(100, 8, 25))


class TestWhatIsVaried:
    def test_are_choices_that_rank_other_points(self, five: Library) -> None:
        assert ways(five, View()) == ["", "without flagged points", "without speculation", "with older runs too"]
        assert ways(five, View.of({"accelerator": ["h100-sxm", "b200-sxm"]})) == ["", "without flagged points"]
        assert ways(five, View.of({"accelerator": ["b200-sxm"]})) == []

    def test_one_that_leaves_nothing_is_told_and_no_verdict_is_asked_for(self, five: Library) -> None:
        view = View.of({"accelerator": ["h100-sxm"]})
        assert ways(five, view) == [""]
        found = variations.of(five, view, None, lambda one: Verdict("a", "a wins"))
        assert found == Robustness(Verdict("a", "a wins"), (("without flagged points", None),))

    def test_one_that_ranks_the_same_usable_points_is_none(self, five: Library) -> None:
        wins = Verdict("a", "a wins")
        found = variations.of(five, View(), None, lambda one: wins, "output_tokens_per_s < 75")
        assert found == Robustness(wins, (("with older runs too", wins),))

    def test_with_older_runs_chosen_are_the_newest_alone(self, five: Library) -> None:
        assert ways(five, View.of(options={"runs": "all"}))[-1] == "with the newest runs alone"

    def test_are_each_other_book_and_provider_where_a_price_counts(self, shipped: Library) -> None:
        view = View.of({"model": ["deepseek-r1"], "precision": ["fp8"]})
        priced = [words for words in ways(shipped, view, Choice()) if words.startswith("at ")]
        held = shipped.fetch(
            "SELECT count(DISTINCT book), count(DISTINCT provider) FROM prices"
            " WHERE terms = 'on_demand' AND usd_per_accelerator_hour > 0"
        )[0]
        assert len(priced) == held[0] * (held[0] > 1) + held[1]
        assert not [words for words in ways(shipped, view) if words.startswith("at ")]

    def test_a_provider_at_whose_price_everything_costs_the_same_is_none(self, shipped: Library) -> None:
        """Of a chip that one provider quotes, that provider's price is the median."""
        chip, provider = shipped.fetch(
            "SELECT accelerator, any_value(provider) FROM prices WHERE terms = 'on_demand'"
            " AND usd_per_accelerator_hour > 0"
            " AND accelerator IN (SELECT accelerator FROM points WHERE evidence = 'measured')"
            " GROUP BY accelerator HAVING count(DISTINCT provider) = 1 ORDER BY accelerator"
        )[0]
        priced = ways(shipped, View.of({"accelerator": [chip]}), Choice())
        assert [words for words in priced if words.startswith("at ")]
        assert f"at {provider}'s price" not in priced

    @often
    @given(views)
    def test_each_ranks_some_points_and_not_as_many_as_the_own_one(self, library: Library, view: View) -> None:
        counts = {}

        def verdict(one: Variation) -> Verdict | None:
            told = most(library, one)
            if told is not None:
                counts[one.words] = evidence.tally(library, one.ranking).used
            return told

        found = variations.of(library, view, None, verdict)
        own = counts.pop("", None)
        assert (found is None) == (own is None)
        if found is not None:
            assert {words for words, _ in found.known} == counts.keys() <= {words for words, _ in found.others}
            assert all(many not in (0, own) for many in counts.values())
            assert len(found.otherwise) <= len(found.known) <= len(found.others)


class TestWhatIsFound:
    def test_is_in_how_many_ways_it_holds_and_what_wins_in_the_others(self, five: Library) -> None:
        found = variations.of(five, View(), None, lambda one: most(five, one))
        assert found is not None
        assert len(found.others) == len(found.known) == 3
        assert [(way, verdict.code) for way, verdict in found.otherwise] == [("without flagged points", "h200-sxm")]
        (told,) = variations.statements(found)
        assert (told.role, told.kind, told.values) == ("variation", "holds_in", {"ways": 3, "holding": 2})

    def test_is_nothing_without_a_verdict_of_its_own(self, five: Library) -> None:
        assert variations.of(five, View(), None, lambda one: None) is None
        assert variations.statements(None) == []

    def test_a_way_in_which_nothing_can_be_said_neither_holds_nor_not(self, five: Library) -> None:
        found = variations.of(five, View(), None, lambda one: None if one.words else Verdict("a", "a wins"))
        ways = ("without flagged points", "without speculation", "with older runs too")
        assert found == Robustness(Verdict("a", "a wins"), tuple((way, None) for way in ways))
        (told,) = variations.statements(found)
        assert told.values == {"ways": 0, "holding": 0}


A, B, C = (Verdict(one, f"{one} wins") for one in "abc")
FLAGGED, SPECULATION, OLDER = "without flagged points", "without speculation", "with older runs too"


@pytest.mark.parametrize(
    ("others", "values", "named"),
    [
        ([(OLDER, A)], {"ways": 1, "holding": 1}, [OLDER]),
        ([(FLAGGED, B), (SPECULATION, A), (OLDER, A)], {"ways": 3, "holding": 2}, ["b wins", FLAGGED]),
        ([(FLAGGED, None), (OLDER, None)], {"ways": 0, "holding": 0}, ["nothing can be said"]),
        (
            [*((f"in way {n}", B) for n in range(6)), ("in way 6", A), ("at c's price", C), ("in way 8", None)],
            {"ways": 8, "holding": 1},
            ["b wins in way 0", "c wins at the price of c", "In way 8"],
        ),
    ],
)
def test_one_winner_is_told_once_with_all_its_ways(
    others: list[tuple[str, Verdict | None]], values: dict[str, int], named: list[str]
) -> None:
    (told,) = variations.statements(Robustness(A, tuple(others)))
    assert told.values == values
    assert [words for words in named if told.text.count(words) != 1] == []


class TestWhatIsDoubted:
    WAYS = ((FLAGGED, B), ("at b's price", B), ("at c's price", B))

    def test_is_a_headline_that_holds_in_fewer_than_half_of_the_checks(self) -> None:
        (doubt,) = variations.doubts(Robustness(A, self.WAYS))
        assert (doubt.role, doubt.kind, doubt.values) == ("finding", "doubt", {"ways": 3, "holding": 0})
        assert variations.doubts(Robustness(A, (self.WAYS[0], ("at d's price", A)))) == []
        assert variations.doubts(None) == []

    def test_is_told_in_a_glance_whatever_wins_how_often(self) -> None:
        long = [(f"in a rather long way to look number {n}", Verdict(f"{n % 3}", f"{n % 3} wins")) for n in range(9)]
        for others in (self.WAYS, (*self.WAYS, (OLDER, C)), tuple(long)):
            (told,) = variations.doubts(Robustness(A, others))
            assert told.values == {"ways": len(others), "holding": 0}
            assert len(told.text.split()) <= FINDING
