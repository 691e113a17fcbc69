"""Which points make a curve: one run of one source, one at each load, and none that a flag or evidence rules out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.basis import load_curves
from bench.library import Library
from tests.questions.heatmap.results import Row, flag, library_of, point

RUN = "https://example.org/runs/"


def at(load: int, throughput: float, **facts: object) -> Row:
    return {**point(128, 128, throughput, concurrency=load), **facts}


def curves(library: Library) -> set[tuple[tuple[float, float], ...]]:
    """Each curve as its loads with their throughput."""
    found = load_curves.of(library)
    told: dict[int, list[tuple[float, float]]] = {}
    values = found.metrics["output_tokens_per_s"]
    for curve, load, value in zip(found.points.curves, found.points.loads, values, strict=True):
        told.setdefault(curve, []).append((load, value))
    return {tuple(one) for one in told.values()}


def test_points_of_one_run_are_a_curve_by_ascending_load(tmp_path: Path) -> None:
    rows = [at(64, 3), at(1, 1), at(8, 2), at(8, 7, accelerators=8), at(9, 7, accelerators=8)]
    assert curves(library_of(tmp_path, rows)) == {((1, 1), (8, 2), (64, 3))}


def test_runs_far_apart_are_curves_of_their_own(tmp_path: Path) -> None:
    old = [at(load, load, date="2026-01-01") for load in (1, 4, 16)]
    new = [at(load, 2 * load, date="2026-03-01") for load in (2, 8, 32)]
    assert curves(library_of(tmp_path, old + new)) == {((1, 1), (4, 4), (16, 16)), ((2, 4), (8, 16), (32, 64))}


def test_two_runs_of_one_week_are_told_apart_by_their_address(tmp_path: Path) -> None:
    first = [at(load, load, date="2026-01-01", source_url=f"{RUN}1") for load in (1, 4, 16)]
    second = [at(load, 2 * load, date="2026-01-03", source_url=f"{RUN}2") for load in (1, 4, 16)]
    assert curves(library_of(tmp_path, first + second)) == {((1, 1), (4, 4), (16, 16)), ((1, 2), (4, 8), (16, 32))}


def test_a_run_with_an_address_for_each_point_is_one_curve_over_midnight_too(tmp_path: Path) -> None:
    rows = [at(load, load, date=f"2026-01-0{load}", source_url=f"{RUN}{load}") for load in (1, 2, 4)]
    assert curves(library_of(tmp_path, rows)) == {((1, 1), (2, 2), (4, 4))}


def test_of_repeats_the_middle_one_stands(tmp_path: Path) -> None:
    rows = [at(load, load + 10 * n, repeat=n) for load in (1, 4, 16) for n in (1, 2, 3)]
    assert curves(library_of(tmp_path, rows)) == {((1, 21), (4, 24), (16, 36))}


def test_what_is_ruled_out_is_on_no_curve(tmp_path: Path) -> None:
    rows = [at(load, load) for load in (1, 4, 16)]
    rows += [at(8, 1, flags=flag("implausible")), at(2, 1, evidence="projected"), at(32, 32, flags=flag("roofline"))]
    assert curves(library_of(tmp_path, rows)) == {((1, 1), (4, 4), (16, 16), (32, 32))}


def test_each_kind_of_load_runs_along_its_own(tmp_path: Path) -> None:
    closed = [at(load, load) for load in (1, 2, 3)]
    offered = [at(rate, 10 * rate, load_kind="open", concurrency=None, request_rate=rate) for rate in (4, 5, 6)]
    batch = [at(size, 20 * size, load_kind="batch", concurrency=None, batch=size) for size in (7, 8, 9)]
    saturated = [at(load, 99, load_kind="saturated", concurrency=load) for load in (1, 2, 3)]
    assert curves(library_of(tmp_path, closed + offered + batch + saturated)) == {
        ((1, 1), (2, 2), (3, 3)),
        ((4, 40), (5, 50), (6, 60)),
        ((7, 140), (8, 160), (9, 180)),
    }


def test_what_a_point_does_not_state_is_absent(tmp_path: Path) -> None:
    rows = [at(1, 1, ttft_ms_p50=5), at(2, 2), at(4, 4, ttft_ms_p50=9)]
    found = load_curves.of(library_of(tmp_path, rows))
    assert np.isnan(found.metrics["ttft_ms_p50"]).tolist() == [False, True, False]
    assert "tpot_ms_p50" not in found.metrics


def test_of_many_lines_those_of_every_source_are_read_and_always_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = [at(load, load, tp=tp, source="many") for tp in range(1, 30) for load in (1, 2, 4)]
    few = [at(load, load, tp=tp, source="few") for tp in (1, 2) for load in (1, 2, 4)]
    library = library_of(tmp_path, many + few)
    monkeypatch.setattr(load_curves, "MOST_LINES", 6)
    seen = [load_curves._read(library) for _ in range(2)]
    assert [sorted(one.sources) for one in seen] == [["few"] * 6 + ["many"] * 12] * 2
    assert seen[0].points.curves.tolist() == seen[1].points.curves.tolist()
