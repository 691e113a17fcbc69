"""How wrong interpolation has been: sums by hand, too few is nothing, and each source's own error is its own."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest

from bench.basis import interpolated, load_curves
from bench.basis.interpolated import FEWEST, PredictionError
from bench.errors import UnknownName
from bench.library import Library
from tests.library.files import published
from tests.questions.heatmap.results import Row, library_of, point

RATE, TPOT = "output_tokens_per_s", "tpot_ms_p50"


def curve(
    number: int, loads: Sequence[int] = (1, 2, 4), wrong: float = 0.0, source: str = "made", **facts: object
) -> list[Row]:
    """A curve whose times grow with load^0.8, but for one that is predicted `wrong` too high."""
    rows = []
    for place, load in enumerate(loads):
        tpot = (10 + number) * (1 + load**0.8) / (1 + wrong if place == 1 else 1)
        rate = load / tpot * 1000
        figures = {"concurrency": load, TPOT: tpot, "tp": number, "source": source, **facts}
        rows.append({**point(128, 128, rate), **figures})
    return rows


def many(wrongs: Iterable[float], **facts: object) -> list[Row]:
    return [row for number, wrong in enumerate(wrongs, 1) for row in curve(number, wrong=wrong, **facts)]


def error_of(library: Library, metric: str, gap: float, **more: str) -> PredictionError:
    found = interpolated.of(library, metric, gap, **more)
    assert found is not None
    return found


def test_where_nothing_is_wrong_the_error_is_0(tmp_path: Path) -> None:
    library = library_of(tmp_path, many([0.0] * FEWEST))
    for error in (error_of(library, RATE, 4), error_of(library, TPOT, 4), error_of(library, RATE, 4, at=TPOT)):
        assert (error.points, error.gap) == (FEWEST, 4)
        assert (error.median, error.p90) == pytest.approx((0, 0), abs=1e-9)


def test_the_median_and_the_90th_percentile_by_hand(tmp_path: Path) -> None:
    """Of 21 errors from 0 to 20 % in steps of 1 % the median is 10 %, and the 90th percentile the 19th, 18 %."""
    library = library_of(tmp_path, many([step / 100 for step in range(21)]))
    error = error_of(library, TPOT, 3)
    assert (error.points, error.median, error.p90) == (21, pytest.approx(0.10), pytest.approx(0.18))
    assert error.mean == pytest.approx(0.10)
    # A TPOT predicted 10 % too high is a throughput 1 - 1 / 1.1 too low.
    assert error_of(library, RATE, 3).median == pytest.approx(1 - 1 / 1.1)
    at_interactivity = error_of(library, RATE, 4, at="interactivity_tokens_per_s_per_user_p50")
    assert at_interactivity == interpolated.of(library, RATE, 4, at=TPOT)
    assert interpolated.of(library, RATE, 4, at="ttft_ms_p99") is None


def test_too_few_points_say_nothing(tmp_path: Path) -> None:
    library = library_of(tmp_path, many([0.0] * (FEWEST - 1)))
    assert interpolated.of(library, RATE, 4) is None
    assert interpolated.errors(library) == ()


def test_nearer_neighbours_are_judged_by_further_ones_and_never_the_other_way(tmp_path: Path) -> None:
    near, far = many([0.1] * FEWEST), many([0.3] * FEWEST, loads=(1, 4, 16), isl=256)
    library = library_of(tmp_path, near + far)
    gaps = (2, 2.01, 3, 4, 4.03, 5, 16, 17)
    told = [interpolated.of(library, TPOT, gap) for gap in gaps]
    assert [error and error.gap for error in told] == [4, 4, 4, 4, 4, 16, 16, None]
    assert [error.median for error in told if error] == pytest.approx([0.1] * 5 + [0.3] * 2)


def test_the_source_of_the_points_comes_first_and_all_of_them_where_it_has_too_few(tmp_path: Path) -> None:
    rows = many([0.0] * FEWEST, source="good") + many([0.2] * 30, source="bad", isl=256)
    library = library_of(tmp_path, [*rows, *curve(1, wrong=0.1, source="small", isl=512)])
    told = [interpolated.of(library, TPOT, 4, source=source) for source in ("good", "bad", "small", None)]
    assert [error and (error.source, error.points) for error in told] == [
        ("good", 20),
        ("bad", 30),
        (None, 51),
        (None, 51),
    ]


def test_what_two_sources_print_counts_once(tmp_path: Path) -> None:
    rows = many([0.01 * step for step in range(FEWEST)], source="own")
    library = library_of(tmp_path, rows)
    before = interpolated.of(library, TPOT, 4)
    library.add([published(tmp_path / "copy.csv", [{**row, "source": "copy"} for row in rows])])
    assert interpolated.of(library, TPOT, 4) == before
    assert interpolated.of(library, TPOT, 4, source="copy") is not None


@pytest.mark.parametrize(("metric", "at"), [("power_w_per_accelerator", None), (RATE, "duration_s")])
def test_what_is_not_interpolated_has_no_error(tmp_path: Path, metric: str, at: str | None) -> None:
    with pytest.raises(UnknownName, match="interpolated along the load"):
        interpolated.of(library_of(tmp_path, curve(1)), metric, 4, at=at)


def test_the_errors_are_those_of_all_points_left_out_one_by_one(shipped: Library) -> None:
    curves = load_curves.of(shipped)
    for error in interpolated.errors(shipped):
        if error.source is None:
            continue
        left_out = interpolated.predictions(curves, error.metric, error.at)
        beyond = max((gap for gap in (2, 4, 16) if gap < (error.gap or np.inf)), default=0)
        kept = (curves.sources[left_out.places] == error.source) & (left_out.gaps > beyond * 1.01)
        kept &= left_out.gaps <= (error.gap or np.inf) * 1.01
        assert error.points == kept.sum() >= FEWEST
        assert error.median == np.median(np.abs(left_out.errors[kept]))
        assert error.mean == pytest.approx(np.mean(np.abs(left_out.errors[kept])))


def test_throughput_at_given_interactivity_over_inferencex(shipped: Library) -> None:
    """What docs/sizing.md says: half of them to 10 %, nine of ten to 24 % up to 16 times apart, and not beyond."""
    curves = load_curves.of(shipped)
    left_out = interpolated.predictions(curves, RATE, TPOT)
    ours = curves.sources[left_out.places] == "inferencex"
    gaps, wrong = left_out.gaps[ours], np.abs(left_out.errors[ours])
    assert np.quantile(wrong, (0.5, 0.9)) == pytest.approx((0.1006, 0.2687), abs=5e-4)
    assert np.quantile(wrong[gaps <= 16.16], (0.5, 0.9)) == pytest.approx((0.0957, 0.2369), abs=5e-4)
    near = error_of(shipped, RATE, 4, at=TPOT, source="inferencex")
    assert (near.points, near.median, near.p90) == (37, pytest.approx(0.037, abs=5e-4), pytest.approx(0.098, abs=5e-4))
