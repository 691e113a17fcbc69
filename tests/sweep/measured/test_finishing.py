"""A point's line once its load is over: which of several base URLs its failures were at."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

import pytest

from bench.formats.journal import PointLine
from bench.sweep.wire.exchange import Limits
from tests.sweep.made import exchange
from tests.sweep.sweeping import line_of_load, plan_for

BASES = ("10.0.0.1:8000", "10.0.0.2:8000", "10.0.0.3:8000")
MANY = 60


def finished(place: Path, failed: Collection[int], bases: tuple[str, ...] = BASES) -> PointLine:
    """The line of a point of MANY requests, one after another over these base URLs, of which these failed."""
    sent = range(0, 100 * MANY, 100)
    made = [
        exchange(number, at, end=at + 90, outcome="http_5xx")
        if number in failed
        else exchange(number, at, [at + 50, at + 90])
        for number, at in enumerate(sent)
    ]
    return line_of_load(place, plan_for("http://127.0.0.1:9", loads__concurrency="1"), Limits(), made, bases)


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
