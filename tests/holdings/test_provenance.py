"""The line that says where a chart's data come from."""

from __future__ import annotations

import datetime

import pandas as pd

from bench.holdings import provenance
from bench.library import Library
from bench.view import View

DAY = datetime.date(2026, 3, 2)


def test_sources_stand_with_their_days_and_price_books(shipped: Library) -> None:
    rows = pd.DataFrame(
        {"source": ["b", "a", "a"], "date": [None, DAY, datetime.date(2026, 3, 5)], "book": ["list", None, "list"]}
    )
    assert provenance.line(shipped, View(), rows) == (
        f"Source: a (2026-03-02 to 2026-03-05) and b (undated); prices: list; Kneepoint library {shipped.version}."
    )


def test_rows_without_a_source_have_those_that_are_selected(shipped: Library) -> None:
    told = provenance.line(shipped, View.of({"source": ["mlperf"]}), pd.DataFrame({"pair": [1]}))
    assert told.startswith("Source: mlperf (2025-04-02 to 2026-04-01); ")
    facts = provenance.line(shipped, View(), pd.DataFrame(), of_points=False)
    assert facts.startswith("Source: the published facts of models and accelerators; ")
