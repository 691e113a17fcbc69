"""What is ranked, and that every selected point is counted once, under the first reason that keeps it out."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings

from bench import selection
from bench.basis import evidence
from bench.basis.evidence import USED, PointTally, Ranking, Reason
from bench.library import Library
from bench.view import View
from tests.basis.libraries import mixed, views
from tests.questions.heatmap.results import flag, library_of, point
from tests.thorough import times


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return mixed(tmp_path_factory.mktemp("evidence"))


def ids(library: Library, ranking: Ranking) -> set[str]:
    """The ids of the ranked points."""
    found = evidence.ranked(library, ranking)
    return {name for (name,) in library.fetch(f"SELECT point_id FROM points WHERE {found.sql}", found.params)}


often = settings(max_examples=times(100, 8, 25))


@often
@given(views)
def test_every_selected_point_is_counted_once_and_ranked_where_no_reason_keeps_it_out(
    library: Library, view: View
) -> None:
    ranking = evidence.read(view)
    shown, counted = ids(library, ranking), evidence.tally(library, ranking)
    assert counted.selected == selection.count(library, view)
    assert counted.counts.keys() <= {USED, *(reason.code for reason in counted.reasons)}
    assert counted.used == len(shown)
    told = (*evidence.reasons(library, ranking), *evidence.limit_reasons(library, ranking))
    code, condition = evidence.standing(told), selection.clause(view)
    standing = library.fetch(
        f"SELECT point_id, {code.sql} FROM points WHERE {condition.sql}", (*code.params, *condition.params)
    )
    assert {name for name, one in standing if one == USED} == shown


@often
@given(views)
def test_a_limit_takes_out_only_points_that_break_it_or_do_not_say(library: Library, view: View) -> None:
    ranking = evidence.read(view)
    limited, unlimited = ids(library, ranking), ids(library, ranking.unlimited)
    told = evidence.tally(library, ranking)
    assert limited <= unlimited
    assert len(unlimited) == told.used + told.of("beyond_limit") + told.of("unknown_limit")
    deciding = evidence.deciding(library, ranking)
    if ranking.limits:
        assert (deciding.of, deciding.of - deciding.points) == (len(unlimited), told.of("unknown_limit"))


@pytest.fixture(scope="module")
def eight(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Eight points, of which four are kept out, each for another reason."""
    rows = [
        point(128, 128, 10, ttft_ms_p50=5),
        point(256, 128, 20, evidence="projected"),
        point(512, 128, 30, flags=flag("implausible")),
        point(1024, 128, 40, date="2026-01-01"),
        point(1024, 128, 41, concurrency=1),
        point(128, 256, 50, repeat=1),
        point(128, 256, 60, repeat=2),
        point(128, 512, 70, flags=flag("roofline"), ttft_ms_p50=500),
    ]
    return library_of(tmp_path_factory.mktemp("eight"), rows)


KEPT_OUT = {"other_evidence": 1, "flagged": 1, "older run": 1, "repeat": 1}


class TestOneByOne:
    @pytest.mark.parametrize(
        ("options", "slo", "counts"),
        [
            ({}, [], {"used": 4, **KEPT_OUT}),
            ({"runs": "all"}, [], {"used": 5, "other_evidence": 1, "flagged": 1, "repeat": 1}),
            ({"flagged": "out"}, [], {"used": 3, **KEPT_OUT, "flagged": 2}),
            ({}, ["ttft_ms_p50<=100"], {"used": 1, **KEPT_OUT, "unknown_limit": 2, "beyond_limit": 1}),
        ],
    )
    def test_what_becomes_of_them(
        self, eight: Library, options: dict[str, str], slo: list[str], counts: dict[str, int]
    ) -> None:
        told = evidence.tally(eight, evidence.read(View.of(options=options, slo=slo)))
        assert told.counts == counts

    def test_what_is_left_out_is_counted_by_its_reason(self, eight: Library) -> None:
        tally = evidence.tally(eight, evidence.read(View()))
        (one,) = evidence.left_out(tally)
        assert (one.role, one.kind, one.values) == ("coverage", "left_out", tally.counts)
        assert evidence.left_out(evidence.tally(eight, evidence.read(View.of({"isl": ["128"], "osl": ["128"]})))) == []

    def test_other_evidence_is_ranked_where_it_is_asked_for(self, eight: Library) -> None:
        both = View.of({"evidence": ["measured", "projected"]})
        assert evidence.tally(eight, evidence.read(both)).of("other_evidence") == 0

    def test_a_questions_own_reasons_come_before_the_limits(self, eight: Library) -> None:
        ranking = evidence.read(View.of(slo=["ttft_ms_p50<=100"]))
        told = evidence.tally(eight, ranking, [Reason("long", "too long", "isl > ?", (500,))])
        assert (told.of("long"), told.of("unknown_limit")) == (1, 1)


@pytest.mark.parametrize(
    ("used", "text"),
    [
        (0, "None of 6 points is used: 1 not measured; 5 too long."),
        (1, "1 of 7 points is used; left out: 1 not measured; 5 too long."),
    ],
)
def test_what_is_left_out_is_one_sentence(used: int, text: str) -> None:
    reasons = [Reason("a", "not measured", "TRUE"), Reason("long", "too long", "TRUE")]
    counts = {USED: used, "a": 1, "long": 5}
    (one,) = evidence.left_out(PointTally(counts, tuple(reasons)))
    assert (one.kind, one.values, one.text) == ("left_out", counts, text)


class TestRuns:
    ROWS = (point(128, 128, 10, date="2026-01-01"), point(128, 128, 20, concurrency=64, date="2026-03-01"))

    def test_with_a_filter_on_time_the_newest_run_is_the_newest_selected(self, tmp_path: Path) -> None:
        library = library_of(tmp_path, list(self.ROWS))
        for where, used in (({}, 1), ({"date_to": ["2026-02-01"]}, 1), ({"date_from": ["2025-12-01"]}, 1)):
            told = evidence.tally(library, evidence.read(View.of(where)))
            assert told.used == used
        before = evidence.read(View.of({"date_to": ["2026-02-01"]}))
        assert len(ids(library, before)) == 1
        assert ids(library, before).isdisjoint(ids(library, evidence.read(View())))

    def test_another_filter_does_not_make_an_older_run_the_newest(self, tmp_path: Path) -> None:
        library = library_of(tmp_path, list(self.ROWS))
        told = evidence.tally(library, evidence.read(View.of({"concurrency": ["16"]})))
        assert told.counts == {"older run": 1}


class TestDeciding:
    def points(self, *stated: bool, chips: int = 1) -> list[dict[str, object]]:
        names = ("h100-sxm", "h200-sxm", "b200-sxm", "mi300x")
        return [
            point(128, 128, 10, concurrency=1 + place, accelerator=names[place % chips], ttft_ms_p50=5 if one else None)
            for place, one in enumerate(stated)
        ]

    def test_are_those_that_state_the_metric_of_a_limit(self, tmp_path: Path) -> None:
        limited = evidence.read(View.of(slo=["ttft_ms_p50<=10"]))
        few = evidence.deciding(library_of(tmp_path, self.points(*[True] * 2, *[False] * 8)), limited)
        assert (few.points, few.of, few.metrics) == (2, 10, "median TTFT")
        assert few.names_a_best

    def test_a_best_is_named_where_half_of_the_accelerators_say(self, tmp_path: Path) -> None:
        for many, is_named in ((1, False), (2, True)):
            rows = self.points(*[True] * many, *[False] * (4 - many), chips=4)
            library = library_of(tmp_path / str(many), rows)
            found = evidence.deciding(library, evidence.read(View.of(slo=["ttft_ms_p50<=10"])))
            assert (found.accelerators, found.of_accelerators, found.names_a_best) == (many, 4, is_named)
