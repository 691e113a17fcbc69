"""The toolkit of readers, all of which is imported from here: what a file is, its objects, its figures, and the end.

A reader recognises a file by a KeyShape, reads it with `document` or `csv_rows` as objects whose Fields it asks for,
files their figures by formula into a MetricCollector, makes a Point of each and returns what `finished` makes of them.
"""

from __future__ import annotations

from bench.formats.reading import csv_rows, document
from bench.formats.reading.companion import Companion, companion, companion_rows, left_out
from bench.formats.reading.days import day_of_seconds, day_of_text
from bench.formats.reading.fields import MOST_WHOLE, Fields
from bench.formats.reading.finishing import each_row, finished
from bench.formats.reading.key_shape import KeyShape, by_keys
from bench.formats.reading.metadata import Metadata, stated
from bench.formats.reading.metric_collector import AS_CATALOGUE, WELL, MetricCollector, PointMetrics, note_of
from bench.formats.reading.point_table import Reading
from bench.formats.reading.source_file import SourceFile
from bench.formats.recognition import Recognition

__all__ = [
    "AS_CATALOGUE",
    "MOST_WHOLE",
    "WELL",
    "Companion",
    "Fields",
    "KeyShape",
    "Metadata",
    "MetricCollector",
    "PointMetrics",
    "Reading",
    "Recognition",
    "SourceFile",
    "by_keys",
    "companion",
    "companion_rows",
    "csv_rows",
    "day_of_seconds",
    "day_of_text",
    "document",
    "each_row",
    "finished",
    "left_out",
    "note_of",
    "stated",
]
