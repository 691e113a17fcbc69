"""A broken file beside a result costs the facts that it cannot give, is told once, and never costs the result."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from bench.catalogue import is_metric
from bench.errors import InputError
from bench.formats.reading import SourceFile, csv_rows
from bench.formats.reading.companion import Companion, companion_rows
from bench.formats.reading.fields import Fields
from bench.library.library import Library
from bench.records import Refusal
from tests.formats.documents import JSON
from tests.formats.reading_of import read_points

SAMPLES = Path(__file__).parents[2] / "samples"
WITHOUT = "; the result was imported without it."

RESULTS = {
    "inference_perf/concurrency-4/stage_0_lifecycle_metrics.json": "config.yaml",
    "genai_bench/failures-16/*time*.json": "experiment_metadata.json",
    "aiperf/requests-alone/profile_export.jsonl": "run_config.json",
}
"""Results that are told by a file beside them, and its name."""


@pytest.fixture(params=RESULTS)
def pair(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    (result,) = SAMPLES.glob(request.param)
    folder = Path(shutil.copytree(result.parent, tmp_path / "folder"))
    return folder / result.name, folder / RESULTS[request.param]


def of_metrics(points: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{key: value for key, value in point.items() if is_metric(key)} for point in points]


@given(JSON)
def test_a_value_is_what_a_result_s_would_be_or_absent_and_told(value: object) -> None:
    for read in ("number", "whole", "count", "text", "truth", "list"):
        told: list[Refusal] = []
        beside = Companion("run.json", {"a": value}, refusals=told)
        try:
            expected = getattr(Fields("run.json", {"a": value}), read)("a")
            reasons = []
        except InputError as problem:
            expected, reasons = None, [str(problem).rstrip(".") + WITHOUT]
        found = getattr(beside, read)("a")
        assert found == expected or (not found and not expected)
        assert getattr(beside, read)("a") == found
        assert [refusal.reason for refusal in told] == reasons


@given(JSON)
def test_objects_and_lists_of_them_keep_what_is_right(value: object) -> None:
    told: list[Refusal] = []
    beside = Companion("run.json", {"a": value, "b": [value, {"c": 1}]}, refusals=told)
    assert beside.fields("a").keys() == (tuple(value) if isinstance(value, dict) else ())
    assert beside.fields("a") is beside.fields("a")
    assert [one.raw("c") for one in beside.each("b")][-1:] == [1]
    expected = {"a in run.json", "b[0] in run.json"} - ({"a in run.json"} if value is None else set())
    places = {refusal.reason.split(" is ")[0] for refusal in told}
    assert places == (set() if isinstance(value, dict) else expected)


@pytest.mark.parametrize(
    "content", [b"", b"- a\n- b\n", b"{", b"\0", b"a: &b 1\nc: *b\n", b"# " + b"x" * 70_000 + b"\n- 1\n"]
)
def test_the_figures_are_the_same_whatever_lies_beside(pair: tuple[Path, Path], content: bytes) -> None:
    result, beside = pair
    points, refused = read_points(result)
    assert refused == []
    beside.write_bytes(content)
    broken, (told,) = read_points(result)
    assert of_metrics(broken) == of_metrics(points)
    assert beside.name in told.reason
    assert told.reason.endswith(WITHOUT)


def test_its_facts_are_asked_for_and_the_import_tells_why(tmp_path: Path) -> None:
    report = Path(shutil.copytree(SAMPLES / "inference_perf" / "concurrency-4", tmp_path / "report"))
    (report / "config.yaml").write_text("server:\n  type: vllm\n  model_name: [a, b]\n")
    library = Library.open(tmp_path / "library", shipped=False)
    said = library.add([report])
    assert [row.points for row in said.imported] == [1]
    assert ["server.model_name in config.yaml" in row.reason for row in said.refused] == [True]
    assert "model" in {row.fact for row in said.missing_facts}
    assert "engine" not in {row.fact for row in said.missing_facts}


def test_a_unit_that_only_the_broken_file_states_is_not_guessed(tmp_path: Path) -> None:
    levels = Path(shutil.copytree(SAMPLES / "genai_bench" / "failures-16", tmp_path / "levels"))
    (result,) = levels.glob("*time*.json")
    run = json.loads(result.read_text())
    run.pop("_time_unit", None)
    result.write_text(json.dumps(run))
    (levels / "experiment_metadata.json").write_text("[]")
    with pytest.raises(InputError, match=r"in s or ms, and experiment_metadata\.json beside it"):
        read_points(result)


def test_rows_of_a_table_beside_are_read_and_one_that_is_gone_or_broken_is_told(tmp_path: Path) -> None:
    main, table = tmp_path / "run_stats.csv", tmp_path / "run_history.csv"
    table.write_text("users,name\n8,all\n")
    file = SourceFile(main, companions=(table,))
    told: list[Refusal] = []
    rows = companion_rows(file, "_history.csv", csv_rows.rows, told)
    assert ([one.text("users") for one in rows], told) == (["8"], [])
    assert companion_rows(file, "_failures.csv", csv_rows.rows, told) == told == []
    table.write_text("users,name\n8,all,9\n")
    assert companion_rows(file, "_history.csv", csv_rows.rows, told) == []
    table.unlink()
    assert companion_rows(file, "_history.csv", csv_rows.rows, told) == []
    assert [one.file for one in told] == [table.name] * 2
    assert all(one.reason.endswith(WITHOUT) for one in told)


def test_a_count_in_words_is_told_and_the_rest_is_taken(tmp_path: Path) -> None:
    levels = Path(shutil.copytree(SAMPLES / "genai_bench" / "failures-16", tmp_path / "levels"))
    (result,) = levels.glob("*time*.json")
    beside = levels / "experiment_metadata.json"
    said = json.loads(beside.read_text())
    beside.write_text(json.dumps({**said, "server_gpu_type": "H100", "server_gpu_count": "8 GPUs"}))
    (point,), (told,) = read_points(result)
    assert "server_gpu_count in experiment_metadata.json is '8 GPUs'" in told.reason
    assert point["accelerator"] == "h100-sxm"
    assert "accelerators" not in point
    assert "model" in point
