"""What a reader files of single requests is kept where it is read for them, and not by an import."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bench.errors import InputError
from bench.formats import vllm
from bench.formats.reading import request_samples
from bench.formats.reading.metric_collector import MetricCollector
from bench.formats.reading.source_file import SourceFile

SAMPLES = Path(__file__).parents[2] / "samples" / "vllm"


def test_nothing_is_kept_where_nobody_asks() -> None:
    metrics = MetricCollector("made", None).of_point()
    metrics.file_samples("ttft_ms", np.array([0.1, 0.2]), unit="s", factor=1000, definition="as catalogue")
    kept = request_samples.of_points(lambda _: request_samples.keep(metrics, "ttft_ms", np.array([1.0]), 1.0),
                                     SourceFile(SAMPLES / "concurrency-4.json"))  # fmt: skip
    assert kept == {}


def test_a_file_that_cannot_be_read_leaves_nothing_behind(tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(InputError):
        request_samples.of_points(vllm.read, SourceFile(tmp_path / "broken.json"))
    assert request_samples.of_points(lambda _: None, SourceFile(tmp_path / "broken.json")) == {}
