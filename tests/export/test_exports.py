"""Points as files for other programs: what is exported and imported again is equal, whatever it holds."""

from __future__ import annotations

import datetime
import json
import math
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.export import format_named, formats, markdown, published
from bench.library import Library
from bench.view import View
from tests.library.files import table
from tests.thorough import times

SAMPLES = Path(__file__).parents[1] / "samples"
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=12) | (
    st.from_regex(r"'{0,2}[=+@-][0-9a-c]{1,3}", fullmatch=True)
)
LATENCY = st.floats(0.001, 1e6, allow_subnormal=False)
ROWS = st.fixed_dictionaries(
    {
        "model": st.sampled_from(["llama-3.1-70b", "Qwen/Qwen3-8B", "my model"]),
        "concurrency": st.integers(1, 4096),
        "load_kind": st.just("closed"),
        "evidence": st.sampled_from(["measured", "estimated", "unverified"]),
        "origin": st.sampled_from(["published", "imported", "own"]),
        "source": st.sampled_from(["a", "b"]),
        "output_tokens_per_s": st.floats(0.001, 1e5, allow_subnormal=False),
    },
    optional={
        "accelerator": st.sampled_from(["h100-sxm", "tpu-v7x", "my chip"]),
        "accelerators": st.integers(1, 64),
        "tp": st.integers(1, 64),
        "dp_attention": st.booleans(),
        "isl": st.integers(1, 100_000),
        "osl_actual": st.floats(1, 1e5),
        "variant": TEXT,
        "note": TEXT,
        "date": st.dates(datetime.date(2020, 1, 1), datetime.date(2026, 1, 1)).map(str),
        "restated_in": st.lists(st.sampled_from(["https://a.example", "b; c", "d | e", 'said "f"']), min_size=1),
        "ttft_ms_p50": st.floats(0.1, 1.0),  # nor wait for their first token
        "tpot_ms_mean": st.floats(0.001, 1.0),  # no more than 100 times as many stream as are let in
        "itl_ms_p99": LATENCY,
        "requests_ok": st.integers(0, 10**6).map(float),
    },
)


def library(folder: Path, *files: Path) -> Library:
    held = Library.open(folder / "library", shipped=False)
    report = held.add(list(files))
    assert report.refused == []
    return held


def stated(held: Library) -> list[dict[str, object]]:
    """Every point without the ids and the place that its own file gives it, in an order of its own."""
    left_out = {"point_id", "source_id", "series_id", "deployment_id", "workload_id", "locator", "series_key"}
    rows = held.query("SELECT * FROM points").astype(object)
    points = [
        {
            str(key): list(value) if hasattr(value, "__iter__") and not isinstance(value, str) else value
            for key, value in row.items()
            if key not in left_out and (hasattr(value, "__iter__") or not _absent(value))
        }
        for row in rows.to_dict("records")
    ]
    return sorted(points, key=lambda point: json.dumps(point, default=str, sort_keys=True))


def _absent(value: object) -> bool:
    return value is None or value != value or str(value) in ("NaT", "<NA>")


def come_back(first: Library, folder: Path) -> None:
    """Assert that another library which takes in what each format of a table writes holds the same points."""
    for name in ("published-csv", "published-json", "published-parquet"):
        written = format_named(name)
        again = folder / f"again{written.ending}"
        again.write_bytes(written.write(first, View()))
        assert stated(library(folder / name, again)) == stated(first), name


@pytest.mark.long
@settings(max_examples=times(20, 2, 8))
@given(rows=st.lists(ROWS, min_size=1, max_size=5))
def test_what_is_exported_and_imported_again_is_equal(
    rows: list[dict[str, object]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("export")
    path = folder / "made.json"
    path.write_text(json.dumps([{**row, "repeat": number} for number, row in enumerate(rows)]))
    come_back(library(folder, path), folder)


def test_results_of_a_tool_that_names_no_model_come_back_too(tmp_path: Path) -> None:
    first = library(tmp_path, SAMPLES / "sglang" / "rust-concurrency-4.jsonl")
    assert "model" not in stated(first)[0]
    again = tmp_path / "again.csv"
    again.write_bytes(format_named("published-csv").write(first, View()))
    assert stated(library(tmp_path / "second", again)) == stated(first)


def test_what_follows_from_other_columns_is_left_out(tmp_path: Path) -> None:
    held = library(
        tmp_path, table(tmp_path / "a.csv", {"tpot_ms_p50": 10.0}, {"interactivity_tokens_per_s_per_user_p50": 70.0})
    )
    key = "interactivity_tokens_per_s_per_user_p50"
    assert sorted(held.query("SELECT * FROM points")[key]) == [70.0, 100.0]
    rows = published.points(held, View())
    assert [value for value in rows[key] if not math.isnan(value)] == [70.0]


def test_a_markdown_table_shows_hostile_text_as_text(tmp_path: Path) -> None:
    held = library(tmp_path, table(tmp_path / "a.csv", {"variant": "a | b <img src=x> **c** [d](https://e.example)"}))
    text = markdown.written(held.query("SELECT * FROM points")).decode()
    header, rule, row = text.splitlines()
    assert header.count("|") == rule.count("|") == row.replace(r"\|", "").count("|")
    assert "| 2026-01-01 |" in row
    assert r"a \| b \<img" in row
    assert r"\*\*c\*\* \[d\]" in row


def test_a_markdown_table_has_the_columns_that_differ_and_says_the_rest_once(shipped: Library) -> None:
    view = View.of({"model": ["deepseek-r1"], "precision": ["fp8"], "isl": ["8192"], "osl": ["1024"]})
    about, link, *lines = format_named("markdown").write(shipped, view).decode().split("\n\n")
    assert about.startswith(r"**DeepSeek\-R1, ")
    assert "/data?v=2&model=deepseek-r1&precision=fp8&isl=8192&osl=1024" in link
    header, rule, *rows = lines[0].splitlines()
    columns = header.strip("| ").split(" | ")
    assert 8 <= len(columns) <= markdown.MOST_COLUMNS == rule.count("-- |") or len(columns) == rule.count("|") - 1
    assert {"Accelerator", "Date"} <= set(columns)
    assert not {"Model", "Precision"} & set(columns)
    sql = "SELECT count(*) FROM points WHERE model = 'deepseek-r1' AND precision = 'fp8' AND isl = 8192 AND osl = 1024"
    assert [(len(rows),)] == shipped.fetch(sql)


def test_a_markdown_table_keeps_the_columns_asked_first_and_its_headline_is_text() -> None:
    rows = pd.DataFrame({"verdict": ["a", "b"], "knots": [1, 2], "ttft_ms_p50": [1.5, -2.5], "model": ["x", "x"]})
    told = markdown.written(rows, ("ttft_ms_p50", "model"), {"verdict": "Who | leads"}).decode()
    assert told.splitlines()[0] == r"| TTFT, median \(ms\) | Model | Who \| leads | Knots |"
    assert "| 1.50 | x | a | 1 |" in told
    written = markdown.under("**x** <b> [y](z)", "http://127.0.0.1/pareto?v=2", told.encode()).decode()
    assert written.startswith(r"**\*\*x\*\* \<b\> \[y\]\(z\)**" + "\n\n<http://127.0.0.1/pareto?v=2>\n\n| ")


@pytest.mark.parametrize("beyond", [0, 1])
def test_a_markdown_table_says_how_many_rows_it_leaves_out(tmp_path: Path, beyond: int) -> None:
    many = markdown.MOST_ROWS + beyond
    held = library(tmp_path, table(tmp_path / "a.csv", *({"concurrency": n + 1} for n in range(many))))
    lines = format_named("markdown").write(held, View()).decode().splitlines()
    assert sum(line.startswith("|") for line in lines) == 2 + markdown.MOST_ROWS
    assert any("1,000 of 1,001" in line for line in lines) == bool(beyond)


def test_every_format_writes_a_selection_and_an_empty_one(tmp_path: Path) -> None:
    held = library(tmp_path, table(tmp_path / "a.csv", {}))
    for one in map(format_named, formats()):
        assert one.ending.startswith(".")
        assert one.write(held, View())
        assert isinstance(one.write(held, View.of({"model": ["none"]})), bytes)


def test_an_export_is_of_the_points_that_the_table_of_points_lists(tmp_path: Path) -> None:
    first = table(tmp_path / "a.csv", *({"concurrency": 2**n, "model": "qwen3-8b"} for n in range(3)))
    second = table(tmp_path / "b.csv", {"concurrency": 32, "model": "deepseek-r1"})
    held = library(tmp_path, first, second)
    sources = held.sources()
    of_first = str(sources["source_id"][list(sources["file"]).index("a.csv")])
    tagged = held.fetch("SELECT point_id FROM points WHERE concurrency = 2")[0][0]
    held.tag(tagged, "night")
    for options, loads in (
        ({"source_id": of_first}, {1, 2, 4}),
        ({"search": "deepseek"}, {32}),
        ({"tag": "night"}, {2}),
    ):
        rows = published.points(held, View.of(options=options))
        assert set(rows["concurrency"]) == loads
        assert "point_id" not in rows
