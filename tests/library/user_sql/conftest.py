"""Queries may take so long that on a busy machine too nothing ends one but what a test is about."""

from __future__ import annotations

import pytest

from bench.library.user_sql import query


@pytest.fixture(autouse=True)
def time_limit_s(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(query, "TIME_LIMIT_S", 100.0)
