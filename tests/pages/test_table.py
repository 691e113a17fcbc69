"""Tables write numbers as the sentences above them do."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from pages.shared import table


def test_an_efficiency_is_a_percentage_and_a_throughput_is_not():
    written = {
        name: table.column(name, None, np.dtype("float64"))["type_config"]["format"]
        for name in ("scaling_efficiency", "output_tokens_per_s")
    }
    assert written == {"scaling_efficiency": "percent", "output_tokens_per_s": "localized"}


@pytest.mark.parametrize(
    ("name", "held", "shown"),
    [
        ("output_tokens_per_s", [1000.0671, 74.0429, 0.0123456, -444.114], [1000, 74.04, 0.01235, -444.1]),
        ("output_tokens_per_s", [0.0, float("nan"), 14171.43], [0, float("nan"), 14171]),
        ("scaling_efficiency", [4.15521, 0.7986], [4.16, 0.799]),
    ],
)
def test_a_figure_has_the_digits_that_say_something(name: str, held: list[float], shown: list[float]):
    given = pd.DataFrame({name: held})
    assert list(table.rounded(given)[name]) == pytest.approx(shown, nan_ok=True)
    assert list(given[name]) == pytest.approx(held, nan_ok=True)


def test_whole_numbers_and_texts_are_shown_as_they_are():
    given = pd.DataFrame({"concurrency": [123456], "isl": pd.array([131072, None], "Int64")[:1], "model": ["a"]})
    assert table.rounded(given).equals(given)


def test_a_text_below_the_rows_that_the_table_measures_makes_its_column_wide_enough():
    units = pd.Series([None, *["tokens"] * 9, "devices"])
    assert table.width(units) == pytest.approx(len("devices") * 6.3 + 22, abs=1)
    assert table.width(units.head(10)) is None


def test_a_text_that_the_table_takes_for_an_outlier_makes_its_column_wide_enough():
    regions = pd.Series(["eu", "us", "eu", None, "us", "af-casablanca-1"])
    assert table.width(regions) == pytest.approx(len("af-casablanca-1") * 6.3 + 22, abs=1)
    assert table.width(pd.Series(["x"] * 9 + ["long" * 500])) == table.WIDEST_PX
    assert table.width(pd.Series([], dtype=str)) is None
    assert table.width(pd.Series([1.5, 2])) is None
