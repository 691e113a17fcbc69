"""What tells files apart: the values of a column, all of a few, else from the least to the most."""

from __future__ import annotations

import datetime

import pyarrow as pa
import pytest

from bench.library.spread import MOST_SEEN, Spreads, spread


@pytest.mark.parametrize(
    ("column", "values", "said"),
    [
        ("concurrency", [4], "4"),
        ("concurrency", [16, 1, 4, None, 4], "1, 4 and 16"),
        ("concurrency", range(1, 513), "1 to 512"),
        ("output_tokens_per_s", [1234.5678], "1,235"),
        ("accelerator", ["h200-sxm", "h100-sxm"], "H100 SXM and H200 SXM"),
        ("engine_version", [f"0.{n}" for n in range(6)], "0.0, 0.1, 0.2, 0.3 and 2 more"),
        ("date", [datetime.date(2026, 1, day) for day in range(1, 9)], "2026-01-01 to 2026-01-08"),
    ],
)
def test_values_in_words(column: str, values: list[object], said: str) -> None:
    found = spread(column, values)
    assert found is not None
    assert found.words(column) == said


def test_batches_add_up_however_many_there_are() -> None:
    spreads = Spreads()
    for start in range(0, 3 * MOST_SEEN, MOST_SEEN // 2):
        part = range(start, start + MOST_SEEN // 2)
        spreads.add(pa.table({"concurrency": list(part), "model": ["m"] * len(part)}))
    assert set(spreads.by_column) == {"concurrency", "model"}
    assert spreads.by_column["concurrency"].words("concurrency") == f"0 to {3 * MOST_SEEN - 1:,}"
    assert spreads.by_column["model"].words("model") == "m"
    assert spread("isl", [None, None]) is None
