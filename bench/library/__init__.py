"""The library of results: files are the truth, DuckDB is an index in memory that any process rebuilds in a moment."""

from bench.library.library import Library
from bench.library.report import Already, Imported, ImportReport, MissingFact

__all__ = ["Already", "ImportReport", "Imported", "Library", "MissingFact"]
