"""Is B better than A: pairs are like with like, intervals are those of repeats, and what nobody knows is unknown."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.chart import DARK, LIGHT
from bench.errors import UsageError
from bench.library import Library
from bench.maths.statistics import student_t_95
from bench.questions import Answer, compare
from bench.questions.compare.result import Comparison
from bench.view import View
from tests.questions.heatmap.results import library_of, point
from tests.questions.saying import headline, kinds, said

VERSIONS = {"a": "engine_version=0.17", "b": "engine_version=0.18"}
A, B = {"engine_version": "0.17"}, {"engine_version": "0.18"}


def ask(library: Library, where: dict[str, list[Any]] | None = None, **options: str) -> Answer[Comparison]:
    return compare.answer(library, View.of(where or {}, {**VERSIONS, **options}))


def repeated(value: float, spread: tuple[float, ...], **facts: Any) -> list[dict[str, Any]]:
    """A point measured as often as there are deviations from its value."""
    return [point(128, 128, value * (1 + one), repeat=at, **facts) for at, one in enumerate(spread, 1)]


SPREAD = (-0.01, 0.0, 0.01)


@pytest.fixture(scope="module")
def faster(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Two versions at two loads, three repeats each: the newer a fifth faster at both."""
    rows = [
        row
        for load in (4, 16)
        for facts, factor in ((A, 1.0), (B, 1.2))
        for row in repeated(100 * load * factor, SPREAD, concurrency=load, **facts)
    ]
    return library_of(tmp_path_factory.mktemp("faster"), rows)


def test_a_faster_version_is_told_with_the_interval_of_its_repeats(faster: Library) -> None:
    answer = ask(faster)
    kind, values = headline(answer)
    assert kind == "faster"
    assert (values["metric"], values["pairs"]) == ("output_tokens_per_s", 2)
    assert values["ratio"] == pytest.approx(1.2)
    (row, _) = answer.rows.to_dict("records")
    logs = np.log(1 + np.array(SPREAD))
    reach = student_t_95(4) * math.sqrt(logs.var(ddof=1) * 2 / 3)
    assert row["b_over_a"] == pytest.approx(1.2)
    assert row["b_over_a_low"] == pytest.approx(1.2 * math.exp(-reach))
    assert row["b_over_a_high"] == pytest.approx(1.2 * math.exp(reach))
    assert (row["verdict"], row["interval_from"], row["runs_a"], row["runs_b"]) == ("faster", "repeats", 3, 3)
    assert said(answer, "pairs")["pairs_faster"] == 2


def test_the_other_way_round_it_is_slower(faster: Library) -> None:
    kind, values = headline(ask(faster, a=VERSIONS["b"], b=VERSIONS["a"]))
    assert (kind, values["ratio"]) == ("slower", pytest.approx(1 / 1.2))


def test_a_lower_latency_is_faster(tmp_path: Path) -> None:
    rows = [
        row | {"ttft_ms_p50": row["output_tokens_per_s"], "output_tokens_per_s": 100}
        for facts, value in ((A, 50.0), (B, 40.0))
        for row in repeated(value, SPREAD, concurrency=4, **facts)
    ]
    kind, values = headline(ask(library_of(tmp_path, rows), metric="ttft_ms_p50"))
    assert (kind, values["ratio"]) == ("faster", pytest.approx(0.8))


def test_two_that_are_alike_are_the_same_only_within_the_margin(tmp_path: Path) -> None:
    spread = (-0.001, 0.0, 0.001)
    rows = [*repeated(100, spread, concurrency=4, **A), *repeated(100.5, spread, concurrency=4, **B)]
    library = library_of(tmp_path, rows)
    assert headline(ask(library))[0] == "same"
    assert headline(ask(library, margin="0.3"))[0] == "faster"


def test_what_scatters_is_unknown_and_repeats_are_asked_for(tmp_path: Path) -> None:
    spread = (-0.1, 0.0, 0.1)
    rows = [*repeated(100, spread, concurrency=4, **A), *repeated(112, spread, concurrency=4, **B)]
    kind, values = headline(ask(library_of(tmp_path, rows)))
    assert kind == "unknown"
    assert 5 <= values["repeats"] <= 20


UNREPEATED = [point(128, 128, value, concurrency=4, **facts) for facts, value in ((A, 100), (B, 150))]


def test_runs_that_nobody_repeated_are_unknown(tmp_path: Path) -> None:
    answer = ask(library_of(tmp_path, UNREPEATED))
    assert headline(answer)[0] == "unknown"
    assert "no_repeats" in kinds(answer)
    assert answer.rows["verdict"].tolist() == ["unknown"]


def test_how_repeats_scatter_elsewhere_stands_for_those_that_are_missing(tmp_path: Path) -> None:
    rows = [row for load in (1, 2, 8, 32) for row in repeated(90.0 * load, SPREAD, concurrency=load, **A)]
    answer = ask(library_of(tmp_path, UNREPEATED + rows))
    (row,) = answer.rows.to_dict("records")
    variance = np.log(1 + np.array(SPREAD)).var(ddof=1)
    assert row["interval_from"] == "library"
    assert math.log(row["b_over_a_high"] / 1.5) == pytest.approx(student_t_95(4) * math.sqrt(2 * variance))
    assert headline(answer)[0] == "faster"
    assert said(answer, "scatter")["groups"] == 4


def test_what_has_no_partner_is_counted(faster: Library, tmp_path: Path) -> None:
    rows = [*repeated(100, SPREAD, concurrency=4, **A), *repeated(100, SPREAD, concurrency=4, **B)]
    rows += [point(128, 128, 100, concurrency=64, **A), point(512, 128, 100, concurrency=4, **B)]
    answer = ask(library_of(tmp_path / "more", rows))
    alone = said(answer, "no_partner")
    assert (alone["alone_a"], alone["alone_b"]) == (1, 1)
    assert "no_partner" not in kinds(ask(faster))


def test_only_like_is_matched_with_like(tmp_path: Path) -> None:
    rows = [
        point(128, 128, rate, concurrency=4, accelerators=chips, **facts)
        for rate, chips, facts in ((100, 4, A), (250, 8, A), (110, 4, B))
    ]
    assert ask(library_of(tmp_path, rows)).rows["b_over_a"].tolist() == [pytest.approx(1.1)]


def test_other_deployments_at_a_load_are_no_repeats(tmp_path: Path) -> None:
    rows = repeated(100, SPREAD, concurrency=4, variant="usual", **A)
    rows += [point(128, 128, 300, concurrency=4, variant="tuned", **A)]
    rows += repeated(120, SPREAD, concurrency=4, variant="new", **B)
    (row,) = ask(library_of(tmp_path, rows)).rows.to_dict("records")
    assert (row["runs_a"], row["b_over_a"]) == (3, pytest.approx(1.2))


def test_unequal_chips_are_compared_chip_by_chip(tmp_path: Path) -> None:
    rows = [*repeated(100, SPREAD, concurrency=4, accelerator="h100-sxm", accelerators=4),
            *repeated(150, SPREAD, concurrency=4, accelerator="h200-sxm", accelerators=8)]  # fmt: skip
    answer = ask(library_of(tmp_path, rows), a="accelerator=h100-sxm", b="accelerator=h200-sxm")
    kind, values = headline(answer)
    assert (kind, values["metric"]) == ("slower", "output_tokens_per_s_per_accelerator")
    assert values["ratio"] == pytest.approx(0.75)
    assert {"accelerator", "chips"} <= {one.fact for one in answer.result.differences}


def test_what_nothing_matches_is_told_as_that(tmp_path: Path) -> None:
    rows = [point(128, 128, 100, concurrency=4, **A), point(128, 128, 100, concurrency=8, **B)]
    answer = ask(library_of(tmp_path, rows))
    assert (headline(answer)[0], answer.is_told, answer.rows.empty) == ("no_pairs", False, True)


def test_a_margin_or_metric_that_cannot_be_is_refused(faster: Library) -> None:
    with pytest.raises(UsageError, match="metric="):
        ask(faster, metric="requests_ok")
    with pytest.raises(UsageError, match="margin="):
        ask(faster, margin="0")
    with pytest.raises(UsageError, match="no side"):
        ask(faster, a="nonsense")


def test_the_two_sides_are_found_where_nobody_chose_them(faster: Library) -> None:
    answer = compare.answer(faster, View())
    assert (answer.view.option("a"), answer.view.option("b")) == ("engine_version=0.17", "engine_version=0.18")
    offered = dict(compare.choices(faster, answer.view)["a"])
    assert set(offered) >= {"engine_version=0.17", "engine_version=0.18"}


def test_the_chart_of_frontiers_is_drawn_too(shipped: Library) -> None:
    answer = compare.answer(shipped, View.of({"model": ["deepseek-r1"]}, {"show": "frontiers"}))
    for theme in (LIGHT, DARK):
        assert len(compare.figure(answer.result, theme).data) > 1
