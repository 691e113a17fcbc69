"""What every reader ends with: figures are checked and judged, bad rows of a table refused alone, repeats numbered."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from bench.errors import InputError
from bench.formats.reading import Reading, SourceFile
from bench.formats.reading.fields import Fields
from bench.formats.reading.finishing import each_row, finished
from bench.formats.reading.metric_collector import MetricCollector
from bench.records import Deployment, Load, Point, Refusal, Workload

FILE = SourceFile(Path("table.csv"))
CLOSED = Load("closed", concurrency=4)


def row(number: int, **cells: object) -> Fields:
    return Fields(FILE.name, cells, f"row {number}")


def read_one(figures: MetricCollector, one: Fields) -> Point:
    metrics = figures.of_point()
    for key in ("ttft_ms_p50", "ttft_ms_p99", "output_tokens_per_s", "e2el_ms_mean", "failed_share"):
        metrics.file(key, one.number(key))
    metrics.file_failures(one.number("failed"), one.number("ok"))
    lengths = Workload(osl_requested=50, osl_actual=one.number("osl"))
    return Point(Deployment(), lengths, CLOSED, metrics, one.where, "a_tool", repeat=one.count("run"))


def read(*rows: Fields, numbered: bool = False, ignore: tuple[str, ...] = ()) -> Reading:
    figures = MetricCollector("a_tool", "1.0")
    points = [read_one(figures, one) for one in rows]
    return finished(FILE, points, figures, fields=rows, numbered=numbered, ignore=ignore)


def columns(reading: Reading) -> Mapping[str, list[object]]:
    (batch,) = reading.batches()
    return batch.to_pydict()


def test_a_point_is_measured_and_tells_failures_and_odd_lengths() -> None:
    found = read(row(1, ttft_ms_p50=30.0, ok=12, failed=4, osl=40.0, model="a"))
    assert found.format == "a_tool"
    assert found.tool_version == "1.0"
    assert found.not_understood == ("model",)
    assert found.passports is not None
    said = columns(found)
    assert said["evidence"] == ["measured"]
    (flags,) = said["flags"]
    assert "4 of 16 requests failed (25%)" in str(flags)
    assert "Outputs had 40 tokens on average where 50 were asked for" in str(flags)


def test_a_key_that_several_rows_have_is_told_once_and_a_known_part_not_at_all() -> None:
    found = read(row(1, ttft_ms_p50=3.0, a=1, b=2), row(2, ttft_ms_p50=3.0, a=1, c=2), ignore=("b",))
    assert found.not_understood == ("a", "c")


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ({"failed_share": 1.5}, "in row 1 failed_share is 1.5, but a share is from 0 to 1"),
        ({"ttft_ms_p50": -1.0}, "below zero"),
        ({"ttft_ms_p50": 9.0, "ttft_ms_p99": 3.0}, "in row 1 ttft_ms_p50 is 9, but it cannot be above ttft_ms_p99"),
    ],
)
def test_figures_that_cannot_be_are_refused(cells: dict[str, float], said: str) -> None:
    with pytest.raises(InputError, match=said):
        read(row(1, **cells))


def test_rows_that_cannot_be_are_refused_alone_and_leave_no_trace_in_the_next_one() -> None:
    """600 tokens/s in answers of 50 that take 300 ms are 3.6 requests in flight; of 0.3 ms they are 0.0036."""
    good = {"output_tokens_per_s": 600.0, "e2el_ms_mean": 300.0, "osl": 50.0}
    rows = [
        row(1, ttft_ms_p50=0.0, ttft_ms_p99="fast"),
        row(2, **good),
        row(3, **good | {"e2el_ms_mean": 0.3}),
        row(4, ttft_ms_p50=9.0, ttft_ms_p99=3.0),
        row(5, ttft_ms_p50=0.0, **good),
    ]
    figures, refusals = MetricCollector("a_tool", None), list[Refusal]()
    taken, points = each_row(rows, lambda one: read_one(figures, one), refusals)
    assert taken == [rows[1], rows[4]]
    for refusal, said in zip(refusals, ("row 1.ttft_ms_p99", "0.0036 requests in flight", "in row 4"), strict=True):
        assert said in refusal.reason
    said = columns(finished(FILE, points, figures, fields=taken, refusals=refusals))
    assert said["note"][0] is None
    assert "ttft_ms_p50" in str(said["note"][1])
    assert "ttft_ms_p50" not in said


def test_runs_that_were_appended_are_repeats_unless_they_say_which_they_are() -> None:
    rows = [row(1, ttft_ms_p50=3.0), row(2, ttft_ms_p50=4.0, osl=49.0), row(3, ttft_ms_p50=5.0, run=7)]
    assert columns(read(*rows, numbered=True))["repeat"] == [1, 2, 7]
    assert columns(read(*rows))["repeat"] == [None, None, 7]
    assert "repeat" not in columns(read(rows[0], numbered=True))


def test_where_no_point_is_left_the_first_reason_is_told() -> None:
    figures = MetricCollector("a_tool", None)
    with pytest.raises(InputError, match="has a header and no rows"):
        finished(FILE, [], figures)
    with pytest.raises(InputError, match="has no result that could be taken: it is late"):
        finished(FILE, [], figures, refusals=[Refusal(FILE.name, "it is late.")])
