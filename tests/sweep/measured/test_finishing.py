"""A point's line once its load is over: which of several base URLs its failures were at."""

from __future__ import annotations

from array import array
from collections.abc import Collection
from pathlib import Path

import pytest

from bench.formats.journal import PointLine
from bench.sweep.generator.spool import Spool, gathered
from bench.sweep.measured.clock import ClockDrift
from bench.sweep.measured.finishing import FinishedLoad, line_of
from bench.sweep.wire.exchange import Limits, PointRun
from tests.sweep.made import S, exchange
from tests.sweep.sweeping import plan_for

BASES = ("10.0.0.1:8000", "10.0.0.2:8000", "10.0.0.3:8000")
MANY = 60


def finished(place: Path, failed: Collection[int], bases: tuple[str, ...] = BASES) -> PointLine:
    """The line of a point of MANY requests, one after another over these base URLs, of which these failed."""
    spool = Spool(place / "1.part")
    for number in range(MANY):
        sent = 100.0 * number
        made = (
            exchange(number, sent, end=sent + 90, outcome="http_5xx")
            if number in failed
            else exchange(number, sent, [sent + 50, sent + 90])
        )
        spool.add(made, 10, 2)
    spool.close()
    plan = plan_for("http://127.0.0.1:9", loads__concurrency="1")
    run = PointRun(start_ns=0, end_ns=6 * S, lag_ns=array("q", [0] * 600), cpu_s=0.1)
    ran = FinishedLoad(
        plan.points()[0], Limits(), gathered([place / "1.part"]), [run], ClockDrift(0, 0, 0), (), "", bases=bases
    )
    return line_of(ran, plan, 1, "requests/1.parquet")


def where(line: PointLine) -> str:
    (flag,) = (flag for flag in line.flags if flag.kind == "failures")
    return flag.seen


def test_the_base_url_that_nearly_all_failures_were_at_is_named(tmp_path: Path) -> None:
    line = finished(tmp_path, {1, 4, 7, 10, 13, 16, 19, 22, 3})
    assert line.requests_failed == 9
    assert "8 of them at 10.0.0.2:8000" in where(line)


@pytest.mark.parametrize("failed", [range(9), {1, 4, 7, 3, 6}])
def test_failures_at_several_base_urls_name_none(tmp_path: Path, failed: Collection[int]) -> None:
    assert "of them at" not in where(finished(tmp_path, failed))


def test_a_single_base_url_needs_no_name(tmp_path: Path) -> None:
    assert "of them at" not in where(finished(tmp_path, {1, 4, 7}, BASES[:1]))
