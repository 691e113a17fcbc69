"""The HTTP API: what the server answers to programs, as JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.errors import BenchError
from bench.holdings import counts
from bench.library import Library


def health(library: Callable[[], Library]) -> tuple[int, dict[str, Any]]:
    """The HTTP status and what the library holds: its version and its counts, or why it cannot be read."""
    try:
        opened = library()
        opened.refresh()
        return 200, {"status": "ok", "library_version": opened.version, **counts(opened)}
    except (BenchError, OSError) as problem:
        return 503, {"status": "failed", "reason": str(problem)}
