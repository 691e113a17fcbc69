"""The library of results: files are the truth, DuckDB is an index in memory that any process rebuilds in a moment.

Library is loaded when it is first asked for: DuckDB and pyarrow take 0.2 s and 60 MB, which who only writes a line into
a ledger, such as a sweep, need not have.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bench.library.importing.report import ImportReport

if TYPE_CHECKING:
    from bench.library.library import Library

__all__ = ["ImportReport", "Library"]


def __getattr__(name: str) -> Any:
    if name == "Library":
        from bench.library.library import Library

        return Library
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
