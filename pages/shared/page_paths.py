"""Which pages there are, and at which addresses."""

from __future__ import annotations

from functools import cache
from pathlib import Path

PAGES = Path(__file__).parents[1]
FIRST = "overview"


@cache
def addresses() -> tuple[str, ...]:
    """The address of each page, without the server's base; the first page has two."""
    names = [path.stem for path in sorted(PAGES.glob("*.py")) if path.stem not in ("__init__", "main")]
    return ("/", *(f"/{name}" for name in names))
