from __future__ import annotations

import datetime
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from bench.errors import InputError
from bench.formats import published
from bench.formats.reading.point_table import POINT_COLUMNS
from bench.records import Refusal
from tests.formats.mutations import HOSTILE
from tests.formats.reading_of import read_points, read_scores, reading
from tests.thorough import times

HEADER = (
    "model,accelerator,accelerators,isl,osl,concurrency,date,output_tokens_per_s,ttft_ms_p50,ttft_ms_p99,e2el_ms_p50"
)
GOOD = "Llama 3.1 70B,H100,8,1024,128,4,2026-03-02,842.5,96,171.3,4000"


def only_refusal(tmp_path: Path, **changes: str) -> Refusal:
    """The refusal of one row with some cells changed, which stands between two good rows that must load."""
    cells = dict(zip(HEADER.split(","), GOOD.split(","), strict=True)) | changes
    extra = [name for name in changes if name not in HEADER.split(",")]
    good = GOOD + "," * len(extra)
    path = tmp_path / "results.csv"
    path.write_text("\n".join([",".join(cells), good, ",".join(cells.values()), good]), encoding="utf-8")
    points, refusals = read_points(path)
    assert [point["locator"] for point in points] == ["row 2", "row 4"]
    assert len(refusals) == 1
    assert refusals[0].file == "results.csv"
    assert refusals[0].row == 3
    return refusals[0]


def test_a_row_becomes_canonical(tmp_path: Path) -> None:
    path = tmp_path / "Rows of Mine.csv"
    path.write_text(f"{HEADER},precision\n{GOOD},FP8\nmeta-llama/Llama-3.1-70B-Instruct,NVIDIA H100,4,,,,,1,,,,\n")
    points, refusals = read_points(path)
    assert refusals == []
    (flag,) = json.loads(points[0].pop("flags"))
    assert flag["kind"] == "littles-law"  # 842.5 / 128 x 4 s are 26 requests in flight, of 4
    assert points[0] == {
        "model": "llama-3.1-70b",
        "accelerator": "h100-sxm",
        "accelerators": 8,
        "isl_requested": 1024,
        "osl_requested": 128,
        "concurrency": 4,
        "date": datetime.date(2026, 3, 2),
        "output_tokens_per_s": 842.5,
        "ttft_ms_p50": 96.0,
        "ttft_ms_p99": 171.3,
        "e2el_ms_p50": 4000.0,
        "precision": "fp8",
        "source": "rows-of-mine",
        "evidence": "unverified",
        "origin": "published",
        "load_kind": "closed",
        "locator": "row 2",
    }
    assert points[1]["model"] == "llama-3.1-70b"
    assert points[1]["checkpoint"] == "meta-llama/Llama-3.1-70B-Instruct"
    assert points[1]["load_kind"] == "unknown"


@pytest.mark.parametrize(
    ("column", "values", "expected"),
    [
        ("output_tokens_per_s", "fast -842.5 NaN 1e999 0x10 1_000", "a number of tokens/s, at least 0"),
        ("ttft_ms_p50", "٣", "a number of ms, at least 0"),
        ("accelerators", "0 1.5", "whole number"),
        ("concurrency", "9" * 40, "whole number"),
        ("date", "2026-02-30 9999-01-01 02/03/2026", "a date"),
        ("model", "***", "at least one letter"),
        ("evidence", "guessed", "one of measured, simulated"),
        ("origin", "stolen", "one of own, imported"),
        ("load_kind", "half-open", "one of closed, open"),
        ("disaggregated", "perhaps", "true or false"),
        ("shared_prefix_share", "1.2", "a share from 0 to 1"),
        ("request_rate", "0", "a number above 0"),
        ("failed_share", "1.5", "a share from 0 to 1"),
        ("source_url", "javascript:alert(1)", "https://"),
        ("note", "x" * 4097, "at most 4,096 characters"),
        ("flags", "[1]", "kind, seen, why, do"),
        ("outptu_tokens_per_s", "7", "nearest is output_tokens_per_s"),
        ("latency_p99", "7", "as in ttft_ms_p99"),
        ("isl_requested", "7", "write isl"),
        ("point_id", "7", "a column of the published format"),
    ],
)
def test_a_cell_that_cannot_be_right_refuses_its_row(tmp_path: Path, column: str, values: str, expected: str) -> None:
    for value in values.split():
        refusal = only_refusal(tmp_path, **{column: value})
        assert (refusal.column, refusal.value) == (column, value[:200])
        assert expected in str(refusal.expected)


def test_a_row_without_model_or_metric_is_refused(tmp_path: Path) -> None:
    assert only_refusal(tmp_path, model="").column == "model"
    for other in ("harness", "source"):  # a tool that names no model measured one all the same
        path = tmp_path / f"{other}.csv"
        path.write_text(f"{other},tpot_ms_p50\nx,1\n,2\n")
        points, refusals = read_points(path)
        assert (len(points), [refusal.column for refusal in refusals]) == (1, ["model"])
    nothing = dict.fromkeys(("output_tokens_per_s", "ttft_ms_p50", "ttft_ms_p99", "e2el_ms_p50"), "")
    assert only_refusal(tmp_path, **nothing).expected == "at least one metric"


def test_figures_that_contradict_each_other_are_refused(tmp_path: Path) -> None:
    assert only_refusal(tmp_path, ttft_ms_p50="172").expected == "at least 172.0, the value of ttft_ms_p50"
    assert only_refusal(tmp_path, e2el_ms_p50="95").expected == "at least 96.0, the value of ttft_ms_p50"


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("a,9,8,,,20,1", "at least 9.0, the value of tpot_ms_min"),
        ("a,7,21,,,20,1", "at least 21.0, the value of tpot_ms_mean"),
        ("a,7,8,,,20,21", "at least 21.0, the value of tpot_ms_std"),
        ("a,9,,,8,,", "at least 9.0, the value of tpot_ms_min"),  # with nothing in between
    ],
)
def test_a_statistic_outside_its_bounds_is_refused(tmp_path: Path, row: str, expected: str) -> None:
    path = tmp_path / "a.csv"
    header = "model,tpot_ms_min,tpot_ms_mean,tpot_ms_p50,tpot_ms_p99,tpot_ms_max,tpot_ms_std"
    path.write_text(f"{header}\n{row}\na,7,8,,,20,1\n")
    points, refusals = read_points(path)
    assert (len(points), [refusal.expected for refusal in refusals]) == (1, [expected])


def test_a_row_with_a_cell_too_many_or_too_few_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "ragged.csv"
    path.write_text('model,tpot_ms_p50,note\na,1,"two\nlines"\n\na,1\na,2,x,y\na,3,\n')
    points, refusals = read_points(path)
    assert [(point["locator"], point["tpot_ms_p50"]) for point in points] == [("row 2", 1.0), ("row 6", 3.0)]
    assert [refusal.row for refusal in refusals] == [4, 5]


def test_a_column_filled_nowhere_refuses_nothing(tmp_path: Path) -> None:
    path = tmp_path / "padded.csv"
    path.write_text("model,tpot_ms_p50,,comment\na,1,, \n")
    assert len(read_points(path)[0]) == 1


@pytest.mark.parametrize(
    ("row", "kind"),
    [("4,,,", "closed"), (",2.5,,", "open"), (",,8,", "batch"), ("4,2.5,,", "unknown"), ("4,,,Server", "scenario")],
)
def test_a_load_kind_left_out_is_what_the_load_number_stands_for(tmp_path: Path, row: str, kind: str) -> None:
    path = tmp_path / "load.csv"
    path.write_text(f"model,tpot_ms_p50,concurrency,request_rate,batch,scenario\na,1,{row}\n")
    assert read_points(path)[0][0]["load_kind"] == kind


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (b"\x00\x01\x02", "is in no known result format"),
        (b"model,tpot_ms_p50\n", "t.csv has a header and no rows."),
        (b"model,tpot_ms_p50,model\na,1,a\n", "two columns named 'model'"),
        (b'model,tpot_ms_p50\na,1\n"b,2\n', "a quotation mark"),
        (b"model,tpot_ms_p50\na,1\n\xff\xfe,2\n", "t.csv is not UTF-8 text throughout; save it as UTF-8."),
        (b"model,tpot_ms_p50\n" + b"a,1\n" * 20_000 + b"\0,2\n", "holds NUL bytes"),
        (b'[{"model": "a", "tpot_ms_p50": 1}, {"model"', "is not valid JSON at line 1"),
        (b'[{"model": "a", "tpot_ms_p50": 1}] []', "goes on after the end of its list"),
        (b'[{"model": "a", "tpot_ms_p50": 1, "note": ' + b"[" * 64 + b"]" * 64 + b"}]", "more than 64 deep"),
        (b"tokens,ms\n1,2\n", "a table needs the column model and one named as a metric"),
        (b"model,ttft_p99\na,1\n", "did you mean ttft_ms_p99?"),
        (b"accelerator,ttft_ms_p99\na,1\n", "but no column model"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_in_a_sentence(tmp_path: Path, text: bytes, sentence: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(text)
    with pytest.raises(InputError) as refused:
        read_points(path)
    assert sentence in str(refused.value)
    assert "t.csv" in str(refused.value)


def test_a_header_of_a_million_columns_is_no_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A misspelled metric, which takes a millisecond a column, is looked for in the first columns only."""
    looked_at: list[str] = []
    monkeypatch.setattr(published, "_nearest_metric", looked_at.append)
    path = tmp_path / "wide.csv"
    path.write_text("model," + ",".join(f"column_{number}" for number in range(1_000_000)))
    with pytest.raises(InputError, match="no column named as a metric"):
        reading(path)
    assert len(set(looked_at)) == published.HINTED


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_unicode_encodings_read_alike(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes("model,tpot_ms_p50,variant\na,1,größer 模型 🚀\n".encode(encoding))
    assert read_points(path)[0][0]["variant"] == "größer 模型 🚀"


@pytest.mark.parametrize(("delimiter", "line_end"), [(",", "\n"), (";", "\r\n"), ("\t", "\r")])
def test_delimiters_and_line_ends_read_alike(tmp_path: Path, delimiter: str, line_end: str) -> None:
    path = tmp_path / "t.csv"
    rows = [["model", "tpot_ms_p50", "note"], ["a", "1.5", "x"], ["b", "2.5", ""]]
    path.write_bytes(line_end.join(delimiter.join(row) for row in rows).encode())
    points, refusals = read_points(path)
    assert refusals == []
    assert [(point["model"], point["tpot_ms_p50"]) for point in points] == [("a", 1.5), ("b", 2.5)]


@pytest.mark.parametrize("ending", ["csv", "json", "parquet"])
def test_hostile_text_is_text(tmp_path: Path, ending: str) -> None:
    texts = [*(text for text in HOSTILE if "\0" not in text and len(text) <= 4096), 'a,b;c\td"e\nf']
    rows = [{"model": "a", "tpot_ms_p50": 1.0, "variant": text, "note": text} for text in texts]
    points, refusals = read_points(written(tmp_path / f"t.{ending}", rows))
    assert refusals == []
    assert [point.get("variant", "") for point in points] == [text.strip() for text in texts]
    assert [point.get("note", "") for point in points] == [text.strip() for text in texts]


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    """The rows as a file of the kind its ending names."""
    if path.suffix == ".json":
        path.write_text(json.dumps(rows, default=str))
    elif path.suffix == ".jsonl":
        path.write_text("\n".join(json.dumps(row, default=str) for row in rows))
    elif path.suffix == ".parquet":
        columns = dict.fromkeys(key for row in rows for key in row)
        flat = {key: [row.get(key) for row in rows] for key in columns}
        if "restated_in" in flat:
            flat["restated_in"] = [value and json.dumps(value) for value in flat["restated_in"]]
        parquet.write_table(pa.table(flat), path)
    else:
        columns = list(dict.fromkeys(key for row in rows for key in row))
        lines = [columns, *[[cell(row.get(key)) for key in columns] for row in rows]]
        quoted = [['"' + text.replace('"', '""') + '"' for text in line] for line in lines]
        path.write_text("\n".join(",".join(line) for line in quoted), newline="")
    return path


def cell(value: object) -> str:
    """A value as a CSV's cell."""
    if value is None:
        return ""
    return json.dumps(value) if isinstance(value, list) else str(value)


TEXT = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), min_size=1, max_size=20)
FIGURE = st.floats(0, 1e12, allow_subnormal=False)
ROW = st.fixed_dictionaries(
    {"model": st.sampled_from(["a", "Llama 3.1 70B", "org/Name-7B"])},
    optional={
        "accelerators": st.integers(1, 4096),
        "dp_attention": st.booleans(),
        "isl": st.integers(1, 10**6),
        "isl_actual": FIGURE,
        "request_rate": st.floats(0.01, 1e6),
        "date": st.dates(datetime.date(2000, 1, 1), datetime.date(2026, 11, 1)),
        "variant": TEXT.filter(str.strip),
        "restated_in": st.lists(TEXT.filter(str.strip), min_size=1, max_size=3),
        "output_tokens_per_s": FIGURE,
        "ttft_ms_p50": st.floats(0.1, 1e6),
    },
)


@settings(max_examples=times(100, 8))
@given(rows=st.lists(ROW, min_size=1, max_size=8))
def test_csv_json_and_parquet_say_the_same(rows: list[dict[str, Any]], tmp_path_factory: Any) -> None:
    folder = tmp_path_factory.mktemp("same")
    rows = [{"tpot_ms_p99": 5.0, **row} for row in rows]
    readings = [read_points(written(folder / f"t.{ending}", rows)) for ending in ("json", "csv", "parquet", "jsonl")]
    assert all(refusals == [] for _, refusals in readings)
    without_place = [[{**point, "locator": ""} for point in points] for points, _ in readings]
    assert without_place[0] == without_place[1] == without_place[2] == without_place[3]
    for row, point in zip(rows, readings[0][0], strict=True):
        for key in ("accelerators", "isl_actual", "output_tokens_per_s", "ttft_ms_p50", "date", "dp_attention"):
            assert point.get(key) == row.get(key)
        assert point.get("variant") == (row["variant"].strip() if "variant" in row else None)
        assert point.get("restated_in") == ([t.strip() for t in row["restated_in"]] if "restated_in" in row else None)


def test_columns_come_in_the_types_the_library_stores(tmp_path: Path) -> None:
    row = {"model": "a", "accelerators": 2, "date": "2026-01-02", "dp_attention": True, "tpot_ms_p50": 1}
    rows = [row | {"restated_in": ["x"], "flags": [], "isl_actual": 12.5}]
    for batch in reading(written(tmp_path / "t.json", rows)).batches():
        for column in batch.schema:
            assert column.type == POINT_COLUMNS.get(column.name, pa.float64())


def test_parquet_numbers_of_any_kind_are_numbers(tmp_path: Path) -> None:
    table = pa.table(
        {
            "model": pa.array(["a", "b"]).dictionary_encode(),
            "accelerators": pa.array([2.0, None]),
            "concurrency": pa.array([4, 1 << 20], pa.uint32()),
            "date": pa.array([datetime.datetime(2026, 1, 2, 3, 4), None]),
            "ttft_ms_p50": pa.array([Decimal("12.50"), None]),
            "tpot_ms_p50": pa.array([1.5, 2.5], pa.float32()),
        }
    )
    parquet.write_table(table, tmp_path / "t.parquet")
    points, refusals = read_points(tmp_path / "t.parquet")
    assert refusals == []
    numbers = ("accelerators", "concurrency", "ttft_ms_p50", "tpot_ms_p50")
    assert [points[0][key] for key in numbers] == [2, 4, 12.5, 1.5]
    assert points[0]["date"] == datetime.date(2026, 1, 2)
    assert points[1]["concurrency"] == 1 << 20
    assert points[0]["locator"] == "row 1"


def test_parquet_nan_is_refused_and_nested_columns_refuse_the_file(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"model": ["a", "a"], "tpot_ms_p50": [float("nan"), 1.0]}), path)
    points, refusals = read_points(path)
    assert (len(points), refusals[0].row, refusals[0].column) == (1, 1, "tpot_ms_p50")
    parquet.write_table(pa.table({"model": [{"a": 1}], "tpot_ms_p50": [1.0]}), path)
    with pytest.raises(InputError, match="a cell holds one value"):
        read_points(path)
    parquet.write_table(pa.table({"model": ["a"], "tpot_ms_p50": [1.0], "restated_in": [["b"]]}), path)
    with pytest.raises(InputError, match="divided by"):
        read_points(path)


def test_a_few_bytes_of_parquet_do_not_grow_into_gigabytes(tmp_path: Path) -> None:
    """A dictionary holds each text once, however many rows have it."""
    rows, long = 4_000, pa.array(["x" * 1_000_000, "a"])
    words = pa.DictionaryArray.from_arrays(pa.array([0] * (rows - 1) + [1], pa.int32()), long)
    path = tmp_path / "t.parquet"
    for column in ("model", "tpot_ms_p50", "comment"):
        table = {"model": pa.repeat("a", rows), "tpot_ms_p50": pa.repeat(1.0, rows), column: words}
        parquet.write_table(pa.table(table), path, compression="zstd")
        assert path.stat().st_size < 1_000_000
        assert len(read_points(path)[0]) <= 1


def test_scores_are_read_from_their_own_table(tmp_path: Path) -> None:
    path = tmp_path / "scores.csv"
    path.write_text(
        "model,accelerator,benchmark,metric,value,direction,n,self_judged,ttft_ms_p50\n"
        "DeepSeek-R1,H200,gsm8k,exact_match,0.95,higher,1319,no,\n"
        "DeepSeek-R1,H200,wikitext,loss_change,-0.25,lower,,,\n"
        "DeepSeek-R1,H200,gsm8k,exact_match,inf,higher,,,\n"
        "DeepSeek-R1,H200,gsm8k,exact_match,0.95,up,,,\n"
        "DeepSeek-R1,H200,,exact_match,0.95,higher,,,\n"
        "DeepSeek-R1,H200,gsm8k,exact_match,0.95,higher,,,12\n"
    )
    scores, refusals = read_scores(path)
    assert [(score["value"], score["direction"], score["locator"]) for score in scores] == [
        (0.95, "higher", "row 2"),
        (-0.25, "lower", "row 3"),
    ]
    assert scores[0]["self_judged"] is False
    assert scores[0]["n"] == 1319
    assert [refusal.column for refusal in refusals] == ["value", "direction", "benchmark", "ttft_ms_p50"]


def test_beyond_ten_thousand_refusals_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("model,tpot_ms_p50\n" + "a,-1\n" * 12_345 + "a,1\n")
    points, refusals = read_points(path)
    assert [point["locator"] for point in points] == ["row 12347"]
    assert len(refusals) == 10_001
    assert "2,345" in refusals[-1].reason
