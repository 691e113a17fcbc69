"""The command line as a contract: what it prints where, and how it ends."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench.cli import main, output
from bench.library import Library
from bench.library.importing import sandbox
from bench.questions import questions
from tests.formats.mutations import HOSTILE
from tests.thorough import some

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[1]
TABLE = (
    "model,precision,engine,accelerator,accelerators,isl,osl,concurrency,output_tokens_per_s,tpot_ms_p50,evidence,date\n"
    "Llama 3.1 70B,fp8,vLLM,H100,4,1024,256,1,71.4,13.9,measured,2026-03-02\n"
    "Llama 3.1 70B,fp8,vLLM,H100,4,1024,256,16,842.5,18.2,measured,2026-03-02\n"
    "Llama 3.1 70B,fp8,vLLM,H100,4,1024,256,64,-1,27.9,measured,2026-03-02\n"
    "Llama 3.1 70B,fp8,vLLM,H200,4,1024,256,16,1100,15.1,measured,2026-03-02\n"
)

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command on an empty library of its own: exit status, stdout, stderr.

    Files are read in this process; that the child process says the same is tested in importing/test_sandbox.py.
    """
    monkeypatch.setenv("KNEEPOINT_LIBRARY", str(tmp_path / "library"))
    monkeypatch.setattr(sandbox, "take_in", lambda library, paths, **options: library.add(paths, **options))

    def command(*argv: str) -> tuple[int, str, str]:
        shipped = () if argv[:1] in (("--help",), ()) else ("--no-shipped",)
        status = main([*argv, *shipped])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return command


@pytest.fixture
def table(tmp_path: Path) -> str:
    """A table of three good rows and one that is refused."""
    path = tmp_path / "results.csv"
    path.write_text(TABLE)
    return str(path)


def loaded(run: Run, table: str) -> str:
    """The id of the imported table."""
    status, out, _ = run("import", table, "--json")
    assert status == 0
    return str(json.loads(out)["imported"][0]["sha256"])


def held(sql: str) -> list[tuple[Any, ...]]:
    """What the library of this test holds, asked without the command line."""
    return Library.open(shipped=False).fetch(sql)


def rows(run: Run, sql: str) -> list[dict[str, Any]]:
    """What the command `query` finds."""
    status, out, err = run("query", sql, "--json")
    assert status == 0, err
    found: list[dict[str, Any]] = json.loads(out)
    return found


def test_import_reports_what_became_of_each_file(run: Run, table: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing of interest")
    status, out, _ = run("import", table, str(tmp_path / "notes.txt"), "--json")
    report = json.loads(out)
    assert status == 1
    assert [(row["file"], row["format"], row["points"]) for row in report["imported"]] == [(table, "published", 3)]
    assert [(row["row"], row["column"], row["value"]) for row in report["refused"] if row["row"]] == [
        (4, "output_tokens_per_s", "-1")
    ]
    assert any(
        row["file"].endswith("notes.txt") and "no known result format" in row["reason"] for row in report["refused"]
    )
    status, out, _ = run("import", table, "--json")
    assert (status, len(json.loads(out)["already"])) == (0, 1)
    assert held("SELECT count(*) FROM points") == [(3,)]


def test_a_dry_run_changes_nothing(run: Run, table: str) -> None:
    status, out, _ = run("import", table, "--dry-run")
    assert status == 0
    assert "3 points would be imported" in out
    assert "Row 4 was refused" in out
    assert held("SELECT count(*) FROM points") == [(0,)]


def test_facts_are_set_at_the_import_and_later(run: Run, tmp_path: Path) -> None:
    bare = tmp_path / "bare.csv"
    bare.write_text("model,tpot_ms_p50\na,1\n")
    status, out, _ = run("import", str(bare), "--set", "accelerator=H100", "accelerators=8")
    assert status == 0
    assert "without engine, precision, isl_requested and osl_requested; state what you know with `facts" in out
    assert held("SELECT accelerator, accelerators FROM points") == [("h100-sxm", 8)]
    source = held("SELECT source_id FROM sources")[0][0]
    assert run("facts", source[:12], "engine=vLLM", "accelerators=")[0] == 0
    assert held("SELECT engine, accelerators FROM points") == [("vllm", None)]


def test_retract_restore_annotate_purge(run: Run, table: str) -> None:
    source = loaded(run, table)
    point = held("SELECT point_id FROM points ORDER BY concurrency LIMIT 1")[0][0]
    assert run("retract", point, "--reason", "wrong clock")[0] == 0
    assert held("SELECT count(*) FROM points") == [(2,)]
    assert run("restore", point)[0] == 0
    assert held("SELECT count(*) FROM points") == [(3,)]
    status, out, _ = run("annotate", point, "looks slow", "--json")
    assert (status, json.loads(out)["text"]) == (0, "looks slow")
    assert "looks slow" in str(held("SELECT * FROM notes"))
    assert run("purge", source[:8], "--reason", "not ours")[0] == 0
    assert held("SELECT count(*) FROM points") == [(0,)]
    status, _, err = run("retract", "no-such-id", "--reason", "x")
    assert (status, err.count("\n")) == (1, 1)


def test_a_rebuild_reads_the_files_again(run: Run, table: str, tmp_path: Path) -> None:
    source = loaded(run, table)
    for pack in (tmp_path / "library" / "points").iterdir():
        pack.unlink()
    assert held("SELECT count(*) FROM points") == [(0,)]
    assert run("rebuild")[:2] == (0, "1 source read again from the files they came in.\n")
    assert held("SELECT count(*) FROM points") == [(3,)]
    status, out, _ = run("rebuild", "--json")
    assert status == 0
    assert {**json.loads(out), "library_version": ""} == {
        "action": "rebuild",
        "sources": 1,
        "unread": 0,
        "why": {},
        "moved_aside": {},
        "library_version": "",
    }
    (tmp_path / "library" / "sources" / source / "manifest.json").unlink()
    status, out, _ = run("rebuild")
    assert (status, out.splitlines()[1:]) == (
        1,
        [
            "1 source could not be read any more and keeps the rows it has:",
            f"{source[:12]}: The source {source[:12]}… has no readable manifest.json; import it again.",
        ],
    )
    assert held("SELECT count(*) FROM points") == [(3,)]


def test_an_export_tells_what_it_leaves_out(run: Run, tmp_path: Path) -> None:
    path, out = tmp_path / "results.csv", tmp_path / "reports.zip"
    path.write_text(
        TABLE.splitlines()[0]
        + "\n"
        + "".join(
            f"a,fp8,vLLM,H100,4,1024,256,{load},{rate},13.9,{evidence},2026-03-02\n"
            for load, rate, evidence in ((1, 71.4, "measured"), (2, 99, "projected"), (4, "", "measured"))
        )
    )
    loaded(run, str(path))
    status, printed, told = run("export", "llm-d", "-o", str(out))
    assert (status, printed, told.splitlines()[1:]) == (
        0,
        "",
        [
            "Left out: 1 point without a measurement, which a Benchmark Report claims.",
            "Left out: 1 point with neither a mean latency nor a throughput that a Benchmark Report has a place for.",
        ],
    )
    document = json.loads(run("export", "llm-d", "-o", str(out), "--json")[1])
    assert (document["file"], document["bytes"]) == (str(out), out.stat().st_size)
    assert [one["points"] for one in document["left_out"]] == [1, 1]
    assert json.loads(run("export", "markdown", "-o", str(out), "--json")[1])["left_out"] == []
    with pytest.raises(zipfile.BadZipFile):
        zipfile.ZipFile(out)


def test_every_metric_is_listed_by_its_key(run: Run) -> None:
    listed = json.loads(run("metrics", "--json")[1])
    assert {"output_tokens_per_s", "ttft_ms_p99"} <= {row["metric"] for row in listed}
    assert all(row["label"] and row["definition"] and row["formula"] for row in listed)
    assert "Output throughput" in run("metrics")[1]


def test_sources_and_formats_are_listed(run: Run, table: str) -> None:
    source = loaded(run, table)
    status, out, _ = run("sources", "--json")
    listed = json.loads(out)
    assert (status, listed[0]["source_id"], listed[0]["points"], listed[0]["last_date"]) == (0, source, 3, "2026-03-02")
    assert source[:12] in run("sources")[1]
    assert {"format": "published", "title": "Published table"} in json.loads(run("formats", "--json")[1])
    assert "Published table" in run("formats")[1]


def test_query_prints_json_csv_and_a_table(run: Run, table: str) -> None:
    loaded(run, table)
    sql = (
        "SELECT concurrency, output_tokens_per_s, 'NaN'::DOUBLE AS broken, NULL AS absent, 1.5 AS literal, date,"
        " 1::HUGEINT AS wide, [1, 2] AS several, 2 AS concurrency FROM points ORDER BY concurrency LIMIT 1"
    )
    assert rows(run, sql) == [
        {
            "concurrency": 1,
            "output_tokens_per_s": 71.4,
            "broken": None,
            "absent": None,
            "literal": 1.5,
            "date": "2026-03-02",
            "wide": 1,
            "several": [1, 2],
            "concurrency_2": 2,
        }
    ]
    status, out, _ = run("query", "SELECT '=1+1' AS formula, concurrency AS n FROM points ORDER BY n", "--csv")
    assert status == 0
    assert list(csv.reader(io.StringIO(out))) == [["formula", "n"], ["'=1+1", "1"], ["'=1+1", "16"], ["'=1+1", "16"]]
    status, out, _ = run("query", "SELECT accelerator, count(*) AS n FROM points GROUP BY 1 ORDER BY 1")
    assert out.splitlines() == ["accelerator  n", "h100-sxm     2", "h200-sxm     1"]


def test_a_query_prints_what_no_calendar_reaches_and_spans_of_time(run: Run) -> None:
    sql = "SELECT DATE '-infinity' AS d, INTERVAL 1 DAY AS i, TIME '12:00' AS t, [DATE 'infinity', NULL] AS l"
    row = {"d": "beyond the calendar", "i": "1 days", "t": "12:00:00", "l": "beyond the calendar"}
    assert json.loads(run("query", sql, "--json")[1]) == [row]
    assert list(csv.DictReader(io.StringIO(run("query", sql, "--csv")[1]))) == [row]
    assert run("query", sql)[0] == 0


@pytest.mark.parametrize("sql", some(["DELETE FROM points", "SELECT * FROM nothing", ""], 1))
def test_a_query_that_is_no_select_is_refused_in_a_sentence(run: Run, sql: str) -> None:
    status, out, err = run("query", sql)
    assert (status, out, err.count("\n")) == (1, "", 1)


def test_a_cut_result_says_so(run: Run) -> None:
    status, out, err = run("query", "SELECT range AS n FROM range(10001)", "--json")
    assert (status, len(json.loads(out))) == (0, 10_000)
    assert "first 10,000 rows" in err


@pytest.mark.parametrize("name", sorted(questions()))
def test_every_question_answers_in_json_and_in_text(run: Run, table: str, name: str) -> None:
    loaded(run, table)
    status, out, err = run("ask", name, "--where", "accelerator=H100", "accelerator=h200", "--json")
    assert status == 0, err
    answer = json.loads(out, parse_constant=lambda word: pytest.fail(f"{word} in JSON"))
    assert list(answer) == [
        "question",
        "view",
        "headline",
        "findings",
        "caveats",
        "variations",
        "statements",
        "result",
        "rows",
        "library_version",
    ]
    assert answer["question"] == questions()[name].QUESTION
    assert {one["text"] for one in answer["statements"]} >= {answer["headline"], *answer["findings"]}
    assert answer["view"]["where"]["accelerator"] == ["H100", "h200"]
    status, out, _ = run("ask", name, "--where", "accelerator=H100", "--where", "accelerator=h200")
    assert (status, out.splitlines()[0]) == (0, answer["headline"])


def test_a_few_words_lead_to_the_pages_that_can_answer(run: Run, table: str) -> None:
    loaded(run, table)
    status, out, err = run("goto", "h100", "h200", "llama", "wibble")
    assert (status, err) == (0, "Not understood: wibble.\n")
    assert "Crossover: H100 SXM against H200 SXM, Llama 3.1 70B at 1,024/256, 3 points" in out
    assert "/pareto?model=llama-3.1-70b&accelerator=h100-sxm&accelerator=h200-sxm\n" in out
    told = json.loads(run("goto", "h100 h200 llama wibble", "--json")[1])
    assert told["unknown"] == ["wibble"]
    assert [one["label"] for one in told["destinations"]] == out.splitlines()[::2]
    assert run("goto", "wibble")[0] == 1


def test_options_of_a_question_are_options_of_the_command(run: Run, table: str) -> None:
    loaded(run, table)
    asked = ("ask", "heatmap", "--x", "concurrency", "--y=accelerators", "--metric", "tpot_ms_p50", "--json")
    answer = json.loads(run(*asked)[1])
    assert {key: answer["view"]["options"][key] for key in ("x", "y", "metric")} == {
        "x": "concurrency",
        "y": "accelerators",
        "metric": "tpot_ms_p50",
    }


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (["imprt"], "There is no command named 'imprt'; did you mean import or export?"),
        (["ask", "heatmop"], "There is no question named 'heatmop'; did you mean heatmap?"),
        (["ask", "heatmap", "--metrc", "x"], "There is no option of heatmap named 'metrc'; did you mean metric?"),
        (["ask", "heatmap", "--where", "acelerator=h100"], "did you mean accelerator"),
        (["ask", "heatmap", "--where", "v=99"], "`python -m bench ask --help` lists them all"),
        (["ask", "heatmap", "--metric", "foo"], "`python -m bench metrics` lists them all"),
        (["ask", "heatmap", "--scale", "foo"], "choose one of auto, linear, log"),
        (["ask", "heatmap", "--where", "h100"], "'h100' is no key=value pair"),
        (["ask", "heatmap", "h100"], "'h100' belongs to no option"),
        (["ask", "heatmap", "--x"], "expected one argument"),
        (["ask"], "the following arguments are required: QUESTION"),
        (["import"], "the following arguments are required: PATH"),
        (["import", "x.csv", "--set", "accelerator"], "'accelerator' is no key=value pair"),
        (["import", "x.csv", "--set", "acelerator=h100"], "did you mean accelerator"),
        (["retract", "abc"], "--reason"),
        (["query", "SELECT 1", "--yaml"], "There is no option of query named 'yaml'; choose one of csv,"),
        (["sources", "--jsn"], "There is no option of sources named 'jsn'; did you mean json?"),
        (["sources", "mine"], "'mine' belongs to no option; see `python -m bench sources --help`."),
        (["endpoint", "--zzzz"], "; `python -m bench endpoint --help` lists them all."),
        (["completion", "fish"], "There is no shell named 'fish'"),
    ],
)
def test_wrong_usage_is_told_in_a_sentence_with_the_nearest_word(run: Run, argv: list[str], sentence: str) -> None:
    status, out, err = run(*argv)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert sentence.lower() in err.lower()


def test_hostile_text_is_harmless_in_a_terminal_and_whole_in_json(run: Run, tmp_path: Path) -> None:
    texts = [text.strip() for text in HOSTILE if text.strip() and len(text) <= 4096 and "\0" not in text]
    path = tmp_path / "hostile.json"
    path.write_text(json.dumps([{"model": "a", "tpot_ms_p50": 1, "variant": text, "note": text} for text in texts]))
    loaded(run, str(path))
    sql = "SELECT variant, note FROM points"
    status, printed, err = run("query", sql, "--json")
    assert status == 0, err
    assert sorted(row["variant"] for row in json.loads(printed)) == sorted(texts)
    for out in (printed, run("query", sql)[1], run("sources")[1]):
        assert not [mark for mark in out if mark != "\n" and not mark.isprintable()]


def test_help_is_no_error(run: Run) -> None:
    status, out, _ = run("--help")
    assert status == 0
    assert "import" in out
    assert "Where is it fast?" in run("ask", "--help")[1]
    assert "--metric" in run("ask", "heatmap", "--help")[1]


def command(*argv: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    """`python -m bench` in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "bench", *argv], cwd=ROOT, capture_output=True, text=True, timeout=60, **settings
    )


def test_the_module_runs_as_a_program(tmp_path: Path, table: str) -> None:
    library = ("--library", str(tmp_path / "elsewhere"), "--no-shipped")
    done = command("import", table, "--json", *library)
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["imported"][0]["points"] == 3
    done = command("ask", "nothing", *library)
    assert (done.returncode, done.stdout) == (2, "")
    assert "Traceback" not in done.stderr


def test_a_reader_who_leaves_early_is_no_error(tmp_path: Path) -> None:
    argv = [
        sys.executable,
        "-m",
        "bench",
        "query",
        "SELECT range AS n FROM range(10000)",
        "--no-shipped",
        "--library",
        str(tmp_path),
    ]
    with subprocess.Popen(argv, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert child.stderr is not None
        child.stdout.close()
        assert child.stderr.read() == b""
    assert child.returncode == 0


def test_a_terminal_without_unicode_gets_escapes(tmp_path: Path) -> None:
    settings = {"env": {**os.environ, "PYTHONIOENCODING": "ascii"}}
    done = command("query", "SELECT 'größer 模型' AS name", "--no-shipped", "--library", str(tmp_path), **settings)
    assert (done.returncode, done.stdout.splitlines()[1]) == (0, r"gr\xf6\xdfer \u6a21\u578b")


def test_refused_rows_that_are_not_listed_are_counted(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "wrong.csv"
    path.write_text("model,concurrency,output_tokens_per_s\na,1,1\n" + "a,1,bad\n" * 10_025)
    status, out, _ = run("import", str(path))
    assert status == 0
    assert "… and 10,005 more refusals; --json lists 10,001 of them." in out


def test_what_lies_beside_results_is_told_in_one_line(run: Run, table: str) -> None:
    folder = Path(table).parent
    (folder / "README.md").write_text("# What was measured\n")
    (folder / "server.log").write_text("INFO: ready\n")
    status, out, _ = run("import", str(folder))
    assert status == 0
    assert out.splitlines().count("2 files beside the results are no results: README.md and server.log.") == 1
    assert "known result format" not in out
    status, out, _ = run("import", str(folder / "README.md"))
    assert status == 1
    assert "README.md is in no known result format" in out


def test_an_import_tells_what_a_bundle_says_and_what_of_it_is_refused(run: Run, tmp_path: Path) -> None:
    table, packed = tmp_path / "t.csv", tmp_path / "b.zip"
    table.write_text("model,output_tokens_per_s\nx,1\ny,2\n")
    source = hashlib.sha256(table.read_bytes()).hexdigest()
    place = f"sources/{source}/t.csv"
    hidden, other = ({"action": "retract", "id": id, "source_id": id, "text": "bye"} for id in (source, "1" * 64))
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr(
            "bundle.json", json.dumps({"kneepoint_bundle": 1, "sources": [place], "said": [hidden, other]})
        )
        archive.write(table, place)
    for options, verb in (["--dry-run"], "would be"), ([], "is"):
        status, out, _ = run("import", str(packed), *options)
        assert status == 0
        assert f'b.zip: 1 source {verb} hidden, as it says, because: "bye"' in out
        assert "b.zip/bundle.json: 1 fact, note, tag or retraction of it is about what does not lie" in out
    status, out, _ = run("restore", source)
    status, out, _ = run("import", str(packed), "--json")
    assert (status, json.loads(out)["taken_over"]) == (0, [])


def test_a_table_has_shares_in_percent_and_flush_right(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"failed_share": 0.0283, "isl": 1024}, {"failed_share": 1, "isl": None}]
    output.table(rows, shares=["failed_share"])
    assert capsys.readouterr().out.splitlines() == ["failed_share   isl", "       2.8 %  1024", "       100 %     –"]
