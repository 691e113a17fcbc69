"""Points as a Parquet file."""

from __future__ import annotations

import io

import pandas as pd


def written(rows: pd.DataFrame) -> bytes:
    """The rows as Parquet, types as they are."""
    buffer = io.BytesIO()
    rows.to_parquet(buffer, index=False)
    return buffer.getvalue()
