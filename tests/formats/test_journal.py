"""The journal's lines come back as they were written, a cut one says nothing, and the points are those measured."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import formats
from bench.errors import InputError
from bench.formats import journal
from bench.formats.journal import EndLine, PointLine, Session, decode, encode
from bench.formats.reading import SourceFile
from bench.records import Deployment, Flag, Load, Workload
from tests.formats.reading_of import read_points

SESSION = Session(
    sweep="20261121-120000-abcdef",
    started="2026-11-21T12:00:00.000+00:00",
    deployment=Deployment(model="llama-3.1-8b", engine="vllm", accelerator="h100-sxm", accelerators=2, tp=2),
    tool_version="0.1.0",
    max_model_len=4096,
)
FLAG = Flag("failures", "1 of 11 requests failed.", "Latencies are of those that did not.", "Look at the errors.")


def point(number: int = 1, **more: Any) -> PointLine:
    return PointLine(
        **{
            "number": number,
            "key": f"isl=128 osl=64 concurrency={number} repeat=1",
            "load": Load("closed", concurrency=number),
            "workload": Workload(isl_requested=128, isl_actual=128.4, osl_requested=64, dataset="random"),
            "metrics": {"output_tokens_per_s": 100.0 * number, "ttft_ms_p50": 20.5, "requests_ok": 10.0},
            "requests_ok": 10,
            "token_source": "usage",
            "samples": f"requests/{number}.parquet",
        }
        | more
    )


def written(path: Path, *lines: journal.JournalLine, rest: bytes = b"") -> Path:
    path.write_bytes(b"".join(encode(line) for line in lines) + rest)
    return path


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    lines = (
        point(1, failures={"stalled": 2}, requests_failed=2, flags=(FLAG,), telemetry={"running_max": 3.0}),
        point(2),
    )
    end = EndLine("done", "Every point is measured.", "2026-11-21T12:10:00+00:00", ({"level": "concurrency 2"},))
    found = decode(written(tmp_path / "j.jsonl", SESSION, *lines, end))
    assert found.sessions == (SESSION,)
    assert found.points == tuple((line, SESSION) for line in lines)
    assert found.ends == (end,)
    assert found.whole_bytes == (tmp_path / "j.jsonl").stat().st_size


@given(cut=st.integers(min_value=0))
def test_a_journal_cut_anywhere_keeps_every_whole_line(tmp_path_factory: pytest.TempPathFactory, cut: int) -> None:
    content = b"".join(encode(line) for line in (SESSION, point(1), point(2), point(3)))
    cut %= len(content) + 1
    path = tmp_path_factory.mktemp("cut") / "j.jsonl"
    path.write_bytes(content[:cut])
    found = decode(path)
    whole = content[:cut].count(b"\n")
    assert len(found.points) == max(0, whole - 1)
    assert found.whole_bytes == content[:cut].rfind(b"\n") + 1


def test_points_below_a_resume_are_of_the_deployment_found_then(tmp_path: Path) -> None:
    later = Session(
        SESSION.sweep,
        "2026-11-22T08:00:00+00:00",
        Deployment(model="llama-3.1-8b", engine="vllm", engine_version="0.12"),
    )
    rows, _ = read_points(written(tmp_path / "j.jsonl", SESSION, point(1), later, point(2)))
    assert [row.get("engine_version") for row in rows] == [None, "0.12"]
    assert [str(row["date"]) for row in rows] == ["2026-11-21", "2026-11-22"]


def test_it_is_a_result_format_with_points_of_our_own(tmp_path: Path) -> None:
    path = written(tmp_path / "any name", SESSION, point(1, flags=(FLAG,)), point(2, repeat=3))
    assert formats.recognise(SourceFile(path)).NAME == "journal"
    rows, refused = read_points(path)
    assert not refused
    first = rows[0]
    assert (first["evidence"], first["origin"], first["harness"]) == ("measured", "own", "kneepoint")
    assert (first["source"], first["locator"], first["accelerators"]) == ("sweep-20261121-120000-abcdef", "point 1", 2)
    assert (first["isl_requested"], first["isl_actual"], first["max_model_len"]) == (128, 128.4, 4096)
    assert (first["load_kind"], first["concurrency"], first["output_tokens_per_s"]) == ("closed", 1, 100.0)
    assert json.loads(first["flags"]) == [vars(FLAG)]
    assert "flags" not in rows[1]
    assert rows[1]["repeat"] == 3


def test_what_an_endpoint_simulates_is_no_measurement(tmp_path: Path) -> None:
    simulated = Session("s", SESSION.started, Deployment(model="m"), evidence="simulated", simulates="a big batch")
    rows, _ = read_points(written(tmp_path / "j.jsonl", simulated, point()))
    assert rows[0]["evidence"] == "simulated"


def changed(line: journal.JournalLine, **fields: Any) -> bytes:
    return json.dumps({**json.loads(encode(line)), **fields}).encode() + b"\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"{not json\n", "not valid JSON"),
        (b"[]\n", "no line of a journal"),
        (b'{"line":"song"}\n', "neither a session nor a point nor an end"),
        (changed(point(), metrics={"speed": 1.0}), "'speed'"),
        (changed(point(), metrics={"ttft_ms_p50": -1.0}), "ttft_ms_p50 '-1.0'"),
        (changed(point(), metrics={"ttft_ms_p50": "fast"}), "ttft_ms_p50 'fast'"),
        (changed(point(), metrics={"failed_share": 37}), "failed_share 37, but a share is from 0 to 1"),
        (changed(point(), workload={"shared_prefix_share": 1.5}), "shared_prefix_share 1.5, but a share is"),
        (changed(point(), load={"load_kind": "heavy"}), "load_kind 'heavy'"),
        (changed(point(), number="one"), "number 'one'"),
        (changed(point(), colour="red"), "the field 'colour', which no point has"),
        (changed(point(), flags=[{"kind": "x"}]), "lacks do, seen, why"),
        (changed(SESSION, evidence="estimated"), "the evidence 'estimated'"),
        (changed(SESSION, kneepoint_journal=2), "version 2"),
        (changed(SESSION, kneepoint_journal=True), "the version 'True'"),
        (changed(SESSION, colour="red"), "the field 'colour', which no session has"),
        (b"\0" * 40 + b"\n", "not valid JSON"),
        (encode(point(1)), "which an earlier line is about already"),
    ],
)
def test_a_line_that_cannot_be_ours_is_told_with_its_place(tmp_path: Path, line: bytes, said: str) -> None:
    path = written(tmp_path / "j.jsonl", SESSION, point(1), rest=line)
    with pytest.raises(InputError, match=r"j\.jsonl, line 3,") as told:
        decode(path)
    assert said in str(told.value)


def test_a_last_line_that_was_cut_off_is_told_and_the_others_count(tmp_path: Path) -> None:
    path = written(tmp_path / "j.jsonl", SESSION, point(1), rest=encode(point(2))[:-9])
    rows, refused = read_points(path)
    assert [row["locator"] for row in rows] == ["point 1"]
    assert [(one.file, one.row) for one in refused] == [("j.jsonl", 3)]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"hello\n", "line 1, is not valid JSON"),
        (encode(point(1)), "line 1, comes before any session"),
        (encode(SESSION) + b"x" * (2**20 + 1), "line 2, is longer than 1,048,576 bytes"),
        (b"[" * 100_000 + b"\n", "line 1, is not valid JSON"),
    ],
)
def test_a_file_that_is_no_journal_is_told_with_its_place(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "j.jsonl"
    path.write_bytes(content)
    with pytest.raises(InputError) as told:
        decode(path)
    assert said in str(told.value)


def test_whose_journal_it_is_and_what_the_accelerators_cost(tmp_path: Path) -> None:
    dear = dataclasses.replace(SESSION, usd_per_accelerator_hour=2.5)
    path = written(tmp_path / "j.jsonl", dear, point(1), SESSION, point(2))
    assert journal.sweep_of(path) == SESSION.sweep
    assert journal.read(SourceFile(path)).usd_per_accelerator_hour == 2.5
    assert journal.sweep_of(tmp_path / "none.jsonl") is None
    for line in (b"{", b"[]\n", b'{"sweep":"x"}\n', b'{"kneepoint_journal":1,"sweep":3}\n'):
        path.write_bytes(line)
        assert journal.sweep_of(path) is None


def test_a_journal_without_a_point_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no measured point yet"):
        journal.read(SourceFile(written(tmp_path / "j.jsonl", SESSION)))


def test_what_is_not_finite_is_left_out(tmp_path: Path) -> None:
    path = written(tmp_path / "j.jsonl", SESSION, point(metrics={"ttft_ms_p50": float("nan"), "ttft_ms_p99": 2.0}))
    assert decode(path).points[0][0].metrics == {"ttft_ms_p99": 2.0}
