"""A metric is one row of the catalogue: with the row, and nothing else edited, it is everywhere."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd
import pytest

from bench import catalogue
from bench.catalogue import Metric
from bench.cli import main
from bench.export import csv as csv_file
from bench.export import parquet
from bench.library import Library
from tests.pages.drawn import Open, headline

pytestmark = pytest.mark.long

COUNTED = Metric(
    "accepted_tokens_per_step", "other", "Accepted tokens per step", "tokens/step", "higher",
    "Tokens a speculation step keeps.", "accepted tokens / steps", "this test", base="accepted_tokens_per_step",
)  # fmt: skip
TIMED = Metric(
    "queue_ms", "latency", "Wait in the queue", "ms", "lower", "From the request sent to its first batch.",
    "first batch - request sent", "this test", base="queue_ms", distribution=True,
)  # fmt: skip
DERIVED = Metric(
    "steps_per_s", "throughput", "Steps", "steps/s", "higher", "Speculation steps of the deployment.",
    "output tokens per second / accepted tokens per step", "this test", base="steps_per_s",
    sql="output_tokens_per_s / nullif(accepted_tokens_per_step, 0)",
)  # fmt: skip

TABLE = """\
model,precision,engine,accelerator,accelerators,isl,osl,concurrency,evidence,output_tokens_per_s,accepted_tokens_per_step,queue_ms_p99
new-model,fp8,vllm,H100,1,1024,256,1,measured,90,3.0,5
new-model,fp8,vllm,H100,1,1024,256,8,measured,400,2.5,9
new-model,fp8,vllm,H100,1,2048,256,8,measured,380,2.0,12
"""
HEATMAP = {"model": "new-model", "x": "isl", "y": "concurrency"}


@pytest.fixture(autouse=True)
def rows_added(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The catalogue with three more rows; what it remembers is forgotten before and after."""
    remembered = (catalogue._by_base, catalogue._find, catalogue.keys)
    with monkeypatch.context() as patched:
        patched.setattr(catalogue, "METRICS", (*catalogue.METRICS, COUNTED, TIMED, DERIVED))
        for memory in remembered:
            memory.cache_clear()
        yield
    for memory in remembered:
        memory.cache_clear()


@pytest.fixture
def loaded(own_library: Path, tmp_path: Path) -> Library:
    table = tmp_path / "new.csv"
    table.write_text(TABLE, encoding="utf-8")
    library = Library.open(own_library)
    report = library.add([table])
    assert (report.imported[0].points, len(report.refused)) == (3, 0)
    return library


def test_sql_has_it_stored_and_derived(loaded: Library, capsys: pytest.CaptureFixture[str]) -> None:
    question = "SELECT {} FROM points WHERE model = 'new-model' ORDER BY isl, concurrency"
    assert loaded.fetch(question.format("queue_ms_p99, steps_per_s")) == [(5, 30), (9, 160), (12, 190)]
    # People's SQL runs in a process of its own, which has the stored columns but not this test's rows.
    assert main(["query", question.format("accepted_tokens_per_step, queue_ms_p99"), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [tuple(row.values()) for row in printed] == [(3, 5), (2.5, 9), (2, 12)]


@pytest.mark.parametrize(
    ("metric", "label", "best"),
    [
        ("accepted_tokens_per_step", "accepted tokens per step", 3.0),
        ("queue_ms_p99", "wait in the queue", 5.0),
        ("steps_per_s", "steps", 190.0),
    ],
)
def test_a_question_answers_about_it(
    loaded: Library, capsys: pytest.CaptureFixture[str], metric: str, label: str, best: float
) -> None:
    asked = ["--where", "model=new-model", "--x", "isl", "--y", "concurrency", "--metric", metric]
    assert main(["ask", "heatmap", *asked, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert label in answer["headline"].lower()
    values = [row["value"] for row in answer["rows"] if row["state"] == "measured"]
    assert (max if catalogue.metric(metric).direction == "higher" else min)(values) == best


def test_a_page_offers_it_and_draws_it_with_its_label_and_unit(loaded: Library, opened: Open) -> None:
    at = opened("heatmap", metric="queue_ms_p99", **HEATMAP)
    assert not at.exception
    assert not at.error
    assert "wait in the queue" in headline(at).lower()
    offered = next(box for box in at.selectbox if box.key == "heatmap.metric")
    assert {"Accepted tokens per step", "Wait in the queue, p99", "Steps"} <= {
        str(label) for label in offered.options
    }
    assert "Wait in the queue, p99 (ms)" in str(at.get("plotly_chart")[0].proto.spec)


def test_the_axes_of_the_frontier_offer_it(loaded: Library, capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--where", "model=new-model", "--x", "queue_ms_p99", "--y", "steps_per_s"]
    assert main(["ask", "pareto", *asked, "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    told = {(row["queue_ms_p99"], row["steps_per_s"]) for row in answer["rows"]}
    assert set() < told <= {(5, 30), (9, 160), (12, 190)}


def test_files_hold_it(loaded: Library) -> None:
    rows = loaded.query("SELECT * FROM points WHERE model = 'new-model' ORDER BY isl, concurrency")
    text = list(csv.DictReader(io.StringIO(csv_file.written(rows).decode())))
    assert [float(row["accepted_tokens_per_step"]) for row in text] == [3.0, 2.5, 2.0]
    assert [float(row["steps_per_s"]) for row in text] == [30.0, 160.0, 190.0]
    assert pd.read_parquet(io.BytesIO(parquet.written(rows)))["queue_ms_p99"].tolist() == [5.0, 9.0, 12.0]
