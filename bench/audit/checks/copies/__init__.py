"""Copies: the same figure of the same configuration in two sources, or twice in one, counts twice.

So does a row whose many figures are all another's, whatever deployment, load or lengths it is filed under.
"""

from __future__ import annotations

from collections.abc import Iterator

from bench.audit.checks.copies import configurations, figures
from bench.audit.finding import Finding
from bench.library import Library

TITLE = "Copies"
RULE = "a measurement is loaded once"


def findings(library: Library) -> Iterator[Finding]:
    """The pairs of sources, and the single ones, that hold the same measurements."""
    known: set[str] = set()
    for ids, finding in configurations.findings(library):
        known.update(ids)
        yield finding
    yield from figures.findings(library, known)
