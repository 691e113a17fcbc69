"""Points as files for other programs: what is exported and imported again is equal, whatever it holds."""

from __future__ import annotations

import datetime
import io
import json
import math
import zipfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench import catalogue
from bench.errors import UnknownName
from bench.export import format_named, formats, llmd_report, markdown, published
from bench.formats.reading import POINT_COLUMNS
from bench.library import Library
from bench.view import View
from tests.formats.reading_of import read_points
from tests.library.files import table

SAMPLES = Path(__file__).parents[1] / "samples"
TEXT = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")), min_size=1, max_size=12)
LATENCY = st.floats(0.001, 1e6, allow_subnormal=False)
ROWS = st.fixed_dictionaries(
    {
        "model": st.sampled_from(["llama-3.1-70b", "Qwen/Qwen3-8B", "my model"]),
        "concurrency": st.integers(1, 4096),
        "load_kind": st.just("closed"),
        "evidence": st.sampled_from(["measured", "estimated", "unverified"]),
        "origin": st.sampled_from(["published", "imported", "own"]),
        "source": st.sampled_from(["a", "b"]),
        "output_tokens_per_s": st.floats(0.001, 1e7, allow_subnormal=False),
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
        "ttft_ms_p50": LATENCY,
        "tpot_ms_mean": LATENCY,
        "itl_ms_p99": LATENCY,
        "requests_ok": st.integers(0, 10**6).map(float),
    },
)  # fmt: skip


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


@pytest.mark.long
@pytest.mark.parametrize("name", ["published-csv", "published-json", "published-parquet"])
@settings(max_examples=20)
@given(rows=st.lists(ROWS, min_size=1, max_size=5))
def test_what_is_exported_and_imported_again_is_equal(
    name: str, rows: list[dict[str, object]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("export")
    path = folder / "made.json"
    path.write_text(json.dumps([{**row, "repeat": number} for number, row in enumerate(rows)]))
    first = library(folder, path)
    written = format_named(name)
    again = folder / f"again{written.ending}"
    again.write_bytes(written.write(first, View()))
    assert stated(library(folder / "second", again)) == stated(first)


@pytest.mark.parametrize("name", ["published-csv", "published-json", "published-parquet"])
def test_results_of_a_tool_that_names_no_model_come_back_too(name: str, tmp_path: Path) -> None:
    first = library(tmp_path, SAMPLES / "sglang" / "rust-concurrency-4.jsonl")
    assert "model" not in stated(first)[0]
    written = format_named(name)
    again = tmp_path / f"again{written.ending}"
    again.write_bytes(written.write(first, View()))
    assert stated(library(tmp_path / "second", again)) == stated(first)


def test_a_filter_selects_what_is_exported(tmp_path: Path) -> None:
    held = library(tmp_path, table(tmp_path / "a.csv", *({"concurrency": 2**n} for n in range(5))))
    rows = published.points(held, View.of({"concurrency": ["4", "8"]}))
    assert sorted(rows["concurrency"]) == [4, 8]
    assert "point_id" not in rows


def test_what_follows_from_other_columns_is_left_out(tmp_path: Path) -> None:
    held = library(
        tmp_path,
        table(tmp_path / "a.csv", {"tpot_ms_p50": 10.0}, {"interactivity_tokens_per_s_per_user_p50": 70.0}),
    )
    key = "interactivity_tokens_per_s_per_user_p50"
    assert sorted(held.query("SELECT * FROM points")[key]) == [70.0, 100.0]
    rows = published.points(held, View())
    assert [value for value in rows[key] if not math.isnan(value)] == [70.0]


def test_a_markdown_table_shows_hostile_text_as_text(tmp_path: Path) -> None:
    held = library(
        tmp_path, table(tmp_path / "a.csv", {"variant": "a | b <img src=x> **c** [d](https://e.example)"})
    )
    text = markdown.written(held.query("SELECT * FROM points")).decode()
    header, rule, row = text.splitlines()
    assert header.startswith("| Model | ")
    assert header.count("|") == rule.count("|") == row.replace(r"\|", "").count("|")
    assert r"Llama 3\.1 70B" in row
    assert "| 2026-01-01 |" in row
    assert r"a \| b \<img" in row
    assert r"\*\*c\*\* \[d\]" in row
    assert "---:" in rule


def test_a_report_of_llm_d_comes_back_with_what_its_schema_holds(tmp_path: Path) -> None:
    latencies = {"ttft_ms_mean": 31.5, "ttft_ms_p50": 30.25, "ttft_ms_p99": 60.0, "tpot_ms_mean": 9.5,
                 "itl_ms_p50": 9.0, "e2el_ms_mean": 1500.0}  # fmt: skip
    held = library(
        tmp_path,
        table(
            tmp_path / "a.csv",
            {
                **latencies,
                "requests_ok": 95,
                "requests_failed": 5,
                "requests_per_s": 2.5,
                "harness": "vllm-bench",
            },
        ),
    )
    content = llmd_report.written(held.query("SELECT * FROM points"))
    assert content == llmd_report.written(held.query("SELECT * FROM points"))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        (name,) = archive.namelist()
        archive.extract(name, tmp_path)
    (point,), _ = read_points(tmp_path / name)
    (before,) = stated(held)
    kept = [*latencies, "model", "engine", "engine_version", "accelerator", "accelerators", "tp", "concurrency",
            "load_kind", "output_tokens_per_s", "requests_per_s", "requests_ok", "requests_failed"]  # fmt: skip
    kept.remove("itl_ms_p50")
    assert {key: point[key] for key in kept} == {key: before[key] for key in kept}
    assert (point["isl_requested"], point["osl_requested"], point["harness"]) == (1024, 512, "vllm-bench")
    description = json.loads((tmp_path / name).read_text())["run"]["description"]
    assert "Beyond this schema: itl_ms_p50 9" in description


@pytest.mark.long
@settings(max_examples=40)
@given(
    harness=st.sampled_from(
        [None, "kneepoint", "vllm-bench", "guidellm", "aiperf", "rvllm client not stated"]
    ),
    version=st.none() | st.from_regex(r"[0-9]\.[0-9]{1,2}(\.post[0-9])?", fullmatch=True),
    latencies=st.fixed_dictionaries(
        {},
        optional={
            "ttft_ms_mean": st.floats(100, 102),
            "tpot_ms_mean": st.floats(10, 10.1),
            "tpot_ms_p99": st.floats(11, 12),
            "itl_ms_mean": st.floats(9.8, 9.9),
            "ntpot_ms_mean": st.floats(10.2, 10.3),
            "e2el_ms_mean": st.floats(5200, 5250),
        },
    ),
)
def test_a_report_of_llm_d_comes_back_as_measured_by_the_tool_that_measured_it(
    harness: str | None,
    version: str | None,
    latencies: dict[str, float],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    row = {"point_id": "1" * 16, "evidence": "measured", "source": "a", "isl_requested": 1024,
           "harness": harness, "harness_version": version, "output_tokens_per_s": 100.0, **latencies}  # fmt: skip
    path = tmp_path_factory.mktemp("report") / "report.json"
    path.write_text(json.dumps(llmd_report.report(row)))
    (point,), _ = read_points(path)
    assert (point.get("harness"), point.get("harness_version")) == (harness, version)
    back = {
        key: value
        for key, value in point.items()
        if key.split("_ms_")[0] in ("ttft", "tpot", "itl", "ntpot", "e2el")
    }
    beyond = json.loads(path.read_text())["run"]["description"]
    assert all(back[key] == pytest.approx(latencies[key]) for key in back)
    assert [key for key in latencies if key not in back and f"{key} " not in beyond] == []


@pytest.mark.parametrize(
    ("row", "kept", "absent"),
    [
        # Two devices to a chip: the schema's count is of one replica, tp of them.
        (
            {"accelerator": "tpu-v7x", "accelerators": 4, "tp": 8},
            {"accelerator": "tpu-v7x", "devices": 8, "tp": 8, "engine": "vllm"},
            ["accelerators"],
        ),
        (
            {"accelerator": None, "accelerators": None, "engine": None, "engine_version": None, "tp": 8},
            {"model": "llama-3.1-70b", "tp": 8},
            ["accelerator", "accelerators", "devices", "engine", "engine_version"],
        ),
    ],
)
def test_a_report_of_llm_d_invents_nothing(
    row: dict[str, object], kept: dict[str, object], absent: list[str], tmp_path: Path
) -> None:
    held = library(tmp_path, table(tmp_path / "a.csv", row))
    (found,) = held.query("SELECT * FROM points").astype(object).to_dict("records")
    clean = {str(key): None if _absent(value) else value for key, value in found.items()}
    path = tmp_path / "report.json"
    path.write_text(json.dumps(llmd_report.report(clean)))
    (point,), _ = read_points(path)
    assert {key: point.get(key) for key in kept} == kept
    assert [key for key in absent if key in point] == []


def test_a_report_names_nothing_that_the_schema_forbids(tmp_path: Path) -> None:
    """schema_v0_2.py of llm-d-benchmark forbids further keys; these are the ones it has at each place."""
    known = {
        "": {"version", "run", "scenario", "results"},
        "run": {"uid", "eid", "cid", "pid", "time", "user", "description", "keywords"},
        "scenario": {"stack", "load"},
        "scenario.load.standardized": {"tool", "tool_version", "parallelism", "source", "stage", "input_seq_len",
                                       "output_seq_len", "prefix", "multi_turn", "rate_qps", "concurrency"},
        "results.request_performance.aggregate": {"requests", "latency", "throughput"},
        "results.request_performance.aggregate.latency.time_to_first_token": {
            "units", "mean", "mode", "stddev", "min", "max", "p0p1", "p1", "p5", "p10", "p25", "p50", "p75", "p90",
            "p95", "p99", "p99p9"},
    }  # fmt: skip
    statistics = ("mean", "std", "min", "p0_1", "p1", "p50", "p90", "p99", "p99_9", "max")
    held = library(
        tmp_path,
        table(tmp_path / "a.csv", {f"ttft_ms_{name}": 5.0 for name in statistics} | {"requests_ok": 5}),
    )
    report = llmd_report.report(held.query("SELECT * FROM points").to_dict("records")[0])
    for place, keys in known.items():
        here = report
        for step in filter(None, place.split(".")):
            here = here[step]
        assert set(here) <= keys, place


LEFT_TO_THE_IMPORT = {"point_id", "source_id", "deployment_id", "workload_id", "series_id", "source", "locator", "isl",
                      "osl", "note", "flags", "origin", "evidence", "restated_in", "source_url"}  # fmt: skip
"""What an import gives a point anew, works out of the rest, or what docs/exporting.md says is in no report."""


@pytest.mark.parametrize("tool", ["vllm", "sglang", "aiperf", "guidellm", "inferencex"])
def test_what_does_not_come_back_of_a_report_of_llm_d_is_told_in_it(tool: str, tmp_path: Path) -> None:
    held = Library.open(tmp_path / "library", shipped=False)
    held.add([SAMPLES / tool])
    rows = held.query("SELECT * FROM points")
    lost = set()
    with zipfile.ZipFile(io.BytesIO(llmd_report.written(rows))) as archive:
        for row in rows.astype(object).to_dict("records"):
            archive.extract(f"{row['point_id']}.json", tmp_path)
            path = tmp_path / f"{row['point_id']}.json"
            (point,), _ = read_points(path)
            run = json.loads(path.read_text())["run"]
            _, _, beyond = run["description"].removesuffix(".").partition("Beyond this schema: ")
            told = dict(part.partition(" ")[::2] for part in beyond.split(", "))
            told["duration_s"] = run.get("time", {}).get("duration", "")[2:-1]
            for key in row.keys() - LEFT_TO_THE_IMPORT - set(catalogue.derivable(row)):
                value = row[key].date() if key == "date" and not _absent(row[key]) else row[key]
                if not _absent(value) and point.get(key) != value:
                    lost.add(key)
                    assert (float(told[key]) if isinstance(value, float) else told[key]) in (
                        value,
                        str(value),
                    ), key
    assert "output_tokens" in lost or tool == "inferencex"
    assert not lost & {
        "ttft_ms_mean",
        "tpot_ms_mean",
        "e2el_ms_mean",
        "output_tokens_per_s",
        "model",
        "concurrency",
    }


def test_a_duration_and_a_random_dataset_have_a_place_in_a_report_of_llm_d(tmp_path: Path) -> None:
    """95 requests at 2.5 a second took 38 s."""
    row = {
        "requests_ok": 95,
        "requests_failed": 5,
        "requests_per_s": 2.5,
        "duration_s": 38.0,
        "dataset": "random",
    }
    held = library(tmp_path, table(tmp_path / "a.csv", row))
    (found,) = held.query("SELECT * FROM points").astype(object).to_dict("records")
    report = llmd_report.report({str(key): None if _absent(value) else value for key, value in found.items()})
    assert report["run"]["time"]["duration"] == "PT38S"
    assert report["scenario"]["load"]["standardized"]["source"] == "random"
    path = tmp_path / "report.json"
    path.write_text(json.dumps(report))
    (point,), _ = read_points(path)
    assert (point["duration_s"], point["dataset"], point["requests_ok"]) == (38, "random", 95)


@pytest.mark.parametrize("name", formats())
def test_every_format_writes_a_selection_and_an_empty_one(name: str, tmp_path: Path) -> None:
    held = library(tmp_path, table(tmp_path / "a.csv", {}))
    one = format_named(name)
    assert one.ending.startswith(".")
    assert one.write(held, View())
    assert isinstance(one.write(held, View.of({"model": ["none"]})), bytes)


def test_an_unknown_format_is_told_with_those_there_are() -> None:
    with pytest.raises(UnknownName, match="published-csv"):
        format_named("published-cvs")


def test_columns_of_a_published_table_are_all_of_a_points(tmp_path: Path) -> None:
    held = library(tmp_path, table(tmp_path / "a.csv", {"isl": 7}))
    rows = published.points(held, View())
    assert {"isl_requested" if name == "isl" else name for name in rows} >= {
        "model",
        "isl_requested",
        "concurrency",
    }
    assert not set(rows) & (set(POINT_COLUMNS) & {"locator", "isl_requested"})


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
        view = View.of(options=options)
        assert set(published.points(held, view)["concurrency"]) == loads
        for kind in formats().values():
            assert kind.write(held, view)
