"""A real engine measured as a person would: the quick profile whole, its figures, its answers, cancel and resume."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from bench.library import Library
from bench.sweep.folder import Folder, listed
from tests.engine.conftest import Swept, finished
from tests.engine.serving import MODEL, Engine
from tests.sweep.sweeping import bench, document

pytestmark = pytest.mark.engine

ISL, OSL, LEVELS = 256, 64, [1, 4, 16, 64]


def requests(folder: Folder, number: int) -> list[dict[str, Any]]:
    """Every request of a point, the warm-up's included."""
    return list(pq.read_table(folder.requests / f"{number}.parquet").to_pylist())


def said(told: dict[str, Any], name: str) -> str:
    return next(str(check["said"]) for check in told["checks"] if check["name"] == name)


def test_the_quick_profile_runs_whole(quick: Swept) -> None:
    assert quick.told["state"] == "done"
    points = quick.told["points"]
    assert [(point["isl"], point["osl"], point["concurrency"]) for point in points] == [
        (ISL, OSL, level) for level in LEVELS
    ]
    for point in points:
        assert point["requests_ok"] > 0
        assert (point["requests_failed"], point["failures"]) == (0, {})
        assert 0 < point["ttft_ms_p50"] < point["e2el_ms_p50"]
        assert 0 < point["tpot_ms_p50"] * (OSL - 1) < point["e2el_ms_p50"]
        assert point["output_tokens_per_s"] > 0
    # Continuous batching: sixteen at once give more than one alone, and each of them waits longer.
    alone, sixteen = points[0], points[2]
    assert sixteen["output_tokens_per_s"] > 1.2 * alone["output_tokens_per_s"]
    assert sixteen["e2el_ms_p50"] > alone["e2el_ms_p50"]


def test_the_preflight_says_what_it_learned(quick: Swept) -> None:
    told = quick.folder.status
    assert all(check["passed"] is not False for check in told["checks"])
    assert said(told, "engine").startswith("The engine is hf-transformers")
    assert said(told, "model").endswith("does not list its models (HTTP 200).")
    assert "in the stream" in said(told, "usage")
    for name in ("ignore_eos", "min_tokens"):
        assert said(told, name).startswith(f"The endpoint does not accept {name} (HTTP 422: Unexpected fields")
    assert said(told, "isl") == "isl is met, counted by usage."
    assert said(told, "timed").startswith("One request alone: TTFT ")


def test_inputs_are_as_long_as_asked_as_the_engine_counts_them(quick: Swept) -> None:
    for point in quick.told["points"]:
        counts = [row["input_tokens"] for row in requests(quick.folder, point["number"])]
        assert abs(sum(counts) / len(counts) / ISL - 1) <= 0.02
        assert all(abs(count - ISL) <= max(0.02 * ISL, 4) for count in counts)
        assert "isl_off_target" not in {flag["kind"] for flag in point["flags"]}


def test_output_tokens_are_those_the_engine_counts(engine: Engine, quick: Swept) -> None:
    # Asked apart from the client that measures, the engine answers with as many tokens as it is asked for.
    assert engine.ask("How far is it to the sea?", OSL)["usage"]["completion_tokens"] == OSL
    for point, (line, _) in zip(quick.told["points"], quick.folder.read.points, strict=True):
        rows = [row for row in requests(quick.folder, point["number"]) if row["outcome"] == "ok"]
        assert {row["token_source"] for row in rows} == {"usage"}
        assert {row["output_tokens"] for row in rows} == {OSL}
        assert {row["finish"] for row in rows} == {"length"}
        # The chunks that carried them add up to the same, whatever came before, after and between them.
        assert {sum(row["chunk_tokens"]) for row in rows} == {OSL}
        assert line.whole["output_tokens"] == OSL * len(rows)
        assert point["osl_actual"] == OSL


def test_the_journal_is_in_the_library_as_measured(quick: Swept) -> None:
    library = Library.open(quick.library, shipped=False)
    found = library.fetch(
        "SELECT DISTINCT origin, evidence, harness, model, engine, accelerator, precision,"
        " output_tokens_per_s = output_tokens_per_s_per_accelerator FROM points"
    )
    library.close()
    assert found == [("own", "measured", "kneepoint", MODEL, "hf-transformers", "cpu", "fp32", True)]


def test_a_question_answers_over_it(quick: Swept) -> None:
    done = bench(
        "ask", "pareto", "--library", str(quick.library), "--no-shipped", "--where", "evidence=measured", "--json"
    )
    assert done.returncode == 0, done.stderr
    answer = document(done.stdout)
    assert len(answer["rows"]) == len(LEVELS)
    assert {row["evidence"] for row in answer["rows"]} == {"measured"}
    assert answer["headline"]


def test_a_sweep_is_cancelled_and_gone_on_with(engine: Engine, tmp_path: Path) -> None:
    where = ("--library", str(tmp_path))
    shape = ("--isl", "64", "--osl", "32", "--concurrency", "1,2,4", "--duration", "3s")
    begun = bench("sweep", "--url", engine.url, "--model", MODEL, *shape, *where, "--detach", "--json")
    assert begun.returncode == 0, begun.stderr
    (folder,) = listed(tmp_path)
    until = time.monotonic() + 60
    while not folder.read.points:
        assert time.monotonic() < until, folder.log.read_text()
        time.sleep(0.05)
    cancelled = document(bench("cancel", folder.id, *where, "--json").stdout)
    assert cancelled["state"] == "cancelled"
    before = [point["number"] for point in cancelled["points"]]
    assert 1 <= len(before) < 3
    assert bench("resume", folder.id, "--detach", *where).returncode == 0
    after = finished(tmp_path, folder.id).told
    assert after["state"] == "done"
    assert [point["concurrency"] for point in after["points"]] == [1, 2, 4]
    assert [point["number"] for point in after["points"]] == [1, 2, 3]
    assert after["points"][: len(before)] == cancelled["points"]
    assert len(folder.read.sessions) == 2
    library = Library.open(tmp_path, shipped=False)
    assert library.fetch("SELECT count(*), count(DISTINCT source_id) FROM points") == [(3, 1)]
    library.close()
