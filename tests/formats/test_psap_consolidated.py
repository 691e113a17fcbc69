"""Red Hat's table: its figures are those of the GuideLLM reports that its rows were made from, filed by formula."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests.formats.damage import SAMPLES
from tests.formats.reading_of import passports, read_points

TABLE = SAMPLES / "psap_consolidated" / "consolidated.csv"
REPORTS = (
    ("concurrency-4", 0),
    ("concurrency-16", 0),
    ("failures-concurrency-16", 0),
    ("version-1", 0),
    ("version-1", 1),
)
OF_ALL = ("output_tokens_per_s", "total_tokens_per_s")


def changed(folder: Path, *rows: dict[str, str | None]) -> Path:
    """The table's first row once for each of these, with these cells; a column of None is left out of all."""
    with TABLE.open(newline="") as stream:
        first = next(csv.DictReader(stream))
    gone = {key for row in rows for key, value in row.items() if value is None}
    path = folder / "consolidated.csv"
    with path.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, [key for key in {**first, **rows[0]} if key not in gone], extrasaction="ignore")
        writer.writeheader()
        writer.writerows(first | row for row in rows)
    return path


def point(folder: Path, **cells: str | None) -> dict[str, Any]:
    (found,), refused = read_points(changed(folder, cells))
    assert refused == []
    return found


def test_each_row_has_the_figures_of_the_report_that_it_was_made_from() -> None:
    points, held = read_points(TABLE)[0], passports(TABLE)
    for found, (report, place) in zip(points, REPORTS, strict=True):
        original = read_points(SAMPLES / "guidellm" / report / "benchmarks.json")[0][place]
        metrics = {key for key in found if key in held} - set(OF_ALL)
        assert len(metrics) > 20
        assert {key: found[key] for key in metrics} == pytest.approx({key: original[key] for key in metrics})
        for key in ("isl_actual", "osl_actual", "harness", "harness_version", "date"):
            assert found[key] == original[key]


def test_throughput_is_of_all_requests_and_says_so() -> None:
    report = json.loads((SAMPLES / "guidellm" / "failures-concurrency-16" / "benchmarks.json").read_text())
    measured = report["benchmarks"][0]["metrics"]["output_tokens_per_second"]
    third = read_points(TABLE)[0][2]
    assert third["output_tokens_per_s"] == measured["total"]["mean"] != measured["successful"]["mean"]
    assert all("all requests" in passports(TABLE)[key]["definition"] for key in OF_ALL)


@pytest.mark.parametrize(
    ("cells", "absent"),
    [
        ({"guidellm_version": "v0.3.0"}, "ntpot_ms_p50"),
        ({"guidellm_version": ""}, "ntpot_ms_p50"),
        ({"output_tok/sec": "0"}, "output_tokens_per_s"),
        ({"measured rps": "0.0"}, "requests_per_s"),
        ({"intended concurrency": "0"}, "concurrency"),
        ({"prompt toks": "0", "output toks": "0"}, "isl_requested"),
        ({"turns": "3"}, "isl_requested"),
        ({"TP": "8"}, "tp"),  # the arguments say 4
        ({"accelerator": "TPU"}, "accelerator"),  # of which generation?
        ({"version": "nightly"}, "engine"),
        ({"prefill_pod_count": "2", "decode_pod_count": "0"}, "disaggregated"),
    ],
)
def test_what_is_not_known_is_absent(cells: dict[str, str | None], absent: str, tmp_path: Path) -> None:
    assert absent in point(tmp_path) or absent == "disaggregated"
    assert absent not in point(tmp_path, **cells)


def test_arguments_in_another_form_tell_deployments_apart(tmp_path: Path) -> None:
    assert point(tmp_path, runtime_args="--max-model-len 2248")["variant"] == "runtime_args=--max-model-len 2248"


def test_rows_of_one_run_again_are_repeats(tmp_path: Path) -> None:
    points, _ = read_points(changed(tmp_path, {"uuid": "a"}, {"uuid": "b"}))
    assert [one["repeat"] for one in points] == [1, 2]


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"TP": "1.5"}, "row 2.TP in consolidated.csv is 1.5"),
        ({"ttft_median": "0.0357", "ttft_mean": "0.0361"}, "ttft_ms"),  # seconds
        (
            {"request_latency_median": "595.3", "request_latency_min": "591", "request_latency_max": "600"},
            "requests in flight where",
        ),
    ],
)
def test_a_row_that_cannot_be_is_refused_alone(cells: dict[str, str | None], reason: str, tmp_path: Path) -> None:
    points, (refusal,) = read_points(changed(tmp_path, {}, cells, {}))
    assert [one["locator"] for one in points] == ["row 1", "row 3"]
    assert reason in refusal.reason
