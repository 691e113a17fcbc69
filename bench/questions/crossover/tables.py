"""The rows of a crossover as a table whose columns say side, metric and unit by themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from bench.questions.crossover.asked import Asked

PER_COLUMN = {"raw": "", "accelerator": "_per_chip", "dollar": "_per_usd_per_h", "watt": "_per_w"}


def knot_columns(along: str, metric: str, per: str) -> dict[str, str]:
    """What each fact of a knot is called as a column: {"a": "a_output_tokens_per_s_per_chip"}."""
    value = f"{metric}{PER_COLUMN[per]}"
    return {
        "x": along,
        "a": f"a_{value}",
        "b": f"b_{value}",
        "a_measured": "a_measured",
        "b_measured": "b_measured",
        "ratio": "a_over_b",
        "leads": "leads",
        "lead_percent": "a_lead_percent",
        "lead_low": "a_lead_percent_low",
        "lead_high": "a_lead_percent_high",
        "tie": "tie",
        "settled": "settled",
        "member_a": "a_series",
        "member_b": "b_series",
        "point_id_a": "a_point_id",
        "point_id_b": "b_point_id",
    }


def of_knots(asked: Asked, knots: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """One row for each knot."""
    columns = knot_columns(asked.along, asked.metric.key, asked.per)
    return pd.DataFrame(
        [{name: knot[key] for key, name in columns.items()} for knot in knots], columns=list(columns.values())
    )
