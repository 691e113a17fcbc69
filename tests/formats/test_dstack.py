"""dstack's table: the values are those in the text of its rows, and a row that says two things is refused."""

from __future__ import annotations

import csv
import datetime
import json
from pathlib import Path

import pytest

from bench.errors import InputError
from bench.formats import recognise
from bench.formats.reading import SourceFile
from tests.formats.reading_of import passports, read_points, reading

TABLE = Path(__file__).parents[1] / "samples" / "dstack" / "results.csv"


def changed(folder: Path, **cells: str | None) -> Path:
    """The table's header and first row with these cells; a column of None is left out."""
    with TABLE.open(newline="") as stream:
        row = next(csv.DictReader(stream)) | cells
    kept = {key: value for key, value in row.items() if value is not None}
    path = folder / "results.csv"
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([kept, kept.values()])
    return path


def test_each_row_is_a_point() -> None:
    points, refused = read_points(TABLE)
    assert (len(points), refused) == (57, [])
    assert [point["locator"] for point in points] == [f"row {number}" for number in range(1, 58)]


def test_a_point_says_what_its_row_says() -> None:
    first = read_points(TABLE)[0][0]
    stated = {
        "model": "gpt-oss-120b",
        "checkpoint": "openai/gpt-oss-120b",
        "disaggregated": True,
        "prefill_workers": 1,
        "decode_workers": 1,
        "isl_requested": 128,
        "osl_requested": 2048,
        "load_kind": "closed",
        "concurrency": 128,
        "source": "dstack",
        "harness": "vllm-bench",
        "evidence": "measured",
        "origin": "imported",
        "date": datetime.date(2025, 9, 15),
        "duration_s": 37.86070487699999,
        "requests_ok": 500,
        "requests_failed": 0,
        "failed_share": 0,
        "input_tokens": 63996,
        "output_tokens": 348470,
        "requests_per_s": 13.20630457421159,
        "output_tokens_per_s": 9204.001909951025,
        "total_tokens_per_s": 10894.303245013514,
        "ttft_ms_mean": 335.78628439001477,
        "ttft_ms_p50": 255.84742699993512,
        "ttft_ms_std": 215.3334114248176,
        "ttft_ms_p99": 839.1076522000276,
        "tpot_ms_mean": 10.361619411763392,
        "tpot_ms_p50": 10.80831780630186,
        "tpot_ms_p99": 13.447203586376252,
        "itl_ms_mean": 9.91487795859988,
        "itl_ms_p50": 10.466727499760964,
        "itl_ms_p99": 16.330784599858816,
    }
    assert {key: first[key] for key in stated} == stated
    assert first["isl_actual"] == pytest.approx(63996 / 500)
    assert first["osl_actual"] == pytest.approx(348470 / 500)
    # What two workers ran on is in the README beside the table, not in it.
    assert not {"engine", "accelerator", "accelerators", "tp", "precision"} & first.keys()
    assert [flag["kind"] for flag in json.loads(first["flags"])] == ["osl_off_target"]


def test_requests_that_did_not_end_well_have_failed() -> None:
    fourth = read_points(TABLE)[0][3]
    assert (fourth["requests_ok"], fourth["requests_failed"]) == (380, 120)
    assert fourth["failed_share"] == pytest.approx(120 / 500)
    assert "failures" in [flag["kind"] for flag in json.loads(fourth["flags"])]


def test_its_passports_are_those_of_vllm_s_client() -> None:
    held = passports(TABLE)
    assert held["ttft_ms_p50"]["definition"].startswith("first chunk with choices")
    assert held["ttft_ms_p50"]["format"] == "dstack"
    assert held["output_tokens_per_s"]["window"] == "the whole run, ramp and tail inside"


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"conc": "64"}, "row 1.conc in results.csv is 64; expected 128, as max_concurrency has it."),
        ({"median_ttft_ms": "fast"}, "row 1.median_ttft_ms in results.csv is 'fast'; expected a number."),
        ({"isl": "1.5"}, "row 1.isl in results.csv is 1.5; expected a whole number."),
        ({"prefill": "-1"}, "row 1.prefill in results.csv is -1; expected a number of at least 0."),
        ({"date": "yesterday"}, "row 1.date in results.csv is 'yesterday'; expected a date such as 20261120-103734."),
    ],
)
def test_a_value_that_is_not_what_it_must_be_is_named(
    cells: dict[str, str | None], reason: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as problem:
        reading(changed(tmp_path, **cells))
    assert str(problem.value) == reason


def test_seconds_under_the_names_of_milliseconds_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="ttft_ms"):
        reading(changed(tmp_path, mean_ttft_ms="0.335", median_ttft_ms="0.255", p99_ttft_ms="0.839"))


def test_a_rate_is_an_open_load(tmp_path: Path) -> None:
    (found,), _ = read_points(changed(tmp_path, request_rate="8.0", max_concurrency=""))
    assert (found["load_kind"], found["request_rate"]) == ("open", 8.0)


def test_a_column_that_nobody_reads_is_told(tmp_path: Path) -> None:
    assert reading(changed(tmp_path, colour="red")).not_understood == ("colour",)


def test_a_header_alone_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    path.write_text(TABLE.read_text().split("\n")[0] + "\n")
    with pytest.raises(InputError, match=r"results\.csv has a header and no rows"):
        reading(path)


def test_a_table_without_the_ratio_is_told_what_it_is(tmp_path: Path) -> None:
    path = changed(tmp_path, prefill=None, decode=None)
    with pytest.raises(InputError, match=r"is a table that somebody made of vLLM results.*import the \.json files"):
        recognise(SourceFile(path))
