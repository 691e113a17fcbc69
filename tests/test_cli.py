"""The command line as a contract: what it prints where, and how it ends."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import subprocess
import sys
import tempfile
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
from tests.sweep.sweeping import no_file_beyond
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


def test_import_reports_what_became_of_each_file(run: Run, table: str, tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# What was measured\n")
    status, out, _ = run("import", str(tmp_path), "--dry-run")
    assert status == 0
    assert "3 points would be imported" in out
    assert "Row 4 was refused" in out
    assert out.count("README.md") == 1
    assert held("SELECT count(*) FROM points") == [(0,)]
    status, out, _ = run("import", table, str(tmp_path / "README.md"), "--json")
    report = json.loads(out)
    assert status == 1
    assert [(row["file"], row["format"], row["points"]) for row in report["imported"]] == [(table, "published", 3)]
    no_result, bad_row = sorted(report["refused"], key=lambda refusal: bool(refusal["row"]))
    assert (bad_row["row"], bad_row["column"], bad_row["value"]) == (4, "output_tokens_per_s", "-1")
    assert no_result["file"].endswith("README.md")
    status, out, _ = run("import", table, "--json")
    assert (status, len(json.loads(out)["already"])) == (0, 1)
    assert held("SELECT count(*) FROM points") == [(3,)]
    (listed,) = json.loads(run("sources", "--json")[1])
    assert (listed["points"], listed["last_date"]) == (3, "2026-03-02")
    assert listed["source_id"][:12] in run("sources")[1]


def test_facts_are_set_at_the_import_and_later(run: Run, tmp_path: Path) -> None:
    bare = tmp_path / "bare.csv"
    bare.write_text("model,tpot_ms_p50\na,1\n")
    status, out, _ = run("import", str(bare), "--set", "accelerator=H100", "accelerators=8")
    assert status == 0
    assert "without engine, precision, isl_requested and osl_requested" in out
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
    removed = ("tag", source[:8], "rerun wanted", "--remove")
    assert [run(*words)[0] for words in (("tag", source[:8], "Rerun wanted"), removed, removed)] == [0, 0, 1]
    changes = [row["what"] for row in json.loads(run("history", source[:8], "--json")[1])]
    assert changes == ["took a tag off", "tagged", "noted", "brought back", "hid", "imported"]
    assert run("purge", source[:8], "--reason", "not ours")[0] == 0
    assert held("SELECT count(*) FROM points") == [(0,)]
    status, _, err = run("retract", "no-such-id", "--reason", "x")
    assert (status, err.count("\n")) == (1, 1)


def test_an_export_that_the_disk_does_not_take_leaves_the_earlier_file_and_nothing_else(
    run: Run, tmp_path: Path
) -> None:
    path, folder = tmp_path / "results.csv", tmp_path / "out"
    path.write_text(TABLE)
    loaded(run, str(path))
    folder.mkdir()
    out = folder / "kept.csv"
    assert run("export", "published-csv", "-o", str(out))[0] == 0
    before = out.read_bytes()
    with no_file_beyond(len(before) - 1):
        status, _, told = run("export", "published-csv", "-o", str(out))
    assert status == 1
    assert told
    assert out.read_bytes() == before
    assert [one.name for one in folder.iterdir()] == ["kept.csv"]


@pytest.mark.parametrize("code", [errno.EACCES, errno.EROFS, errno.ENOSPC])
def test_an_export_onto_a_file_beside_which_nothing_can_be_made_leaves_that_as_it_is(
    run: Run, table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    def refused(**where: object) -> None:
        raise OSError(code, os.strerror(code))

    loaded(run, table)
    out = tmp_path / "kept.csv"
    out.write_text("what stood there")
    monkeypatch.setattr(tempfile, "NamedTemporaryFile", refused)
    status, printed, told = run("export", "published-csv", "-o", str(out))
    assert (status, printed, out.read_text()) == (1, "", "what stood there")
    assert told.splitlines()[-1].startswith(f"{out} cannot be written ({os.strerror(code)}): ")


def test_an_export_is_written_straight_to_a_pipe_and_to_what_is_open_already(
    run: Run, table: str, tmp_path: Path
) -> None:
    """As /dev/stdout is, which may lead to a file that more is written to: it stays that file."""
    loaded(run, table)
    reading, writing = os.pipe()
    with (tmp_path / "open.csv").open("wb") as stream:
        for out in (tmp_path / "new.csv", f"/dev/fd/{writing}", f"/dev/fd/{stream.fileno()}", "/dev/null"):
            assert run("export", "published-csv", "-o", str(out))[0] == 0
        written = (tmp_path / "new.csv").read_bytes()
        assert os.fstat(stream.fileno()).st_size == len(written) > 0
    os.close(writing)
    with open(reading, "rb") as piped:
        assert piped.read() == written == (tmp_path / "open.csv").read_bytes()


def test_an_export_tells_what_it_leaves_out(run: Run, tmp_path: Path) -> None:
    path, out = tmp_path / "results.csv", tmp_path / "reports.zip"
    path.write_text(TABLE.replace("1,71.4", "1,").replace("18.2,measured", "18.2,projected"))
    loaded(run, str(path))
    status, printed, told = run("export", "llm-d", "-o", str(out))
    assert (status, printed, told.count("Left out: 1 point ")) == (0, "", 2)
    document = json.loads(run("export", "llm-d", "-o", str(out), "--json")[1])
    assert (document["file"], document["bytes"]) == (str(out), out.stat().st_size)
    assert [one["points"] for one in document["left_out"]] == [1, 1]
    assert json.loads(run("export", "markdown", "-o", str(out), "--json")[1])["left_out"] == []
    with pytest.raises(zipfile.BadZipFile):
        zipfile.ZipFile(out)


def test_query_prints_json_csv_and_a_table(run: Run, table: str) -> None:
    loaded(run, table)
    sql = (
        "SELECT concurrency AS n, 'NaN'::DOUBLE AS broken, NULL AS absent, 1.5 AS literal, date, [1, 2] AS several,"
        " DATE '-infinity' AS no_day, 2 AS n FROM points, range(4000) ORDER BY concurrency"
    )
    status, out, err = run("query", sql, "--json")
    row = {"n": 1, "broken": None, "absent": None, "literal": 1.5, "date": "2026-03-02", "several": [1, 2]}
    assert (status, json.loads(out)[0]) == (0, {**row, "no_day": "beyond the calendar", "n_2": 2})
    assert len(json.loads(out)) == 10_000
    assert "first 10,000 rows" in err
    status, out, _ = run("query", "SELECT '=1+1' AS formula, concurrency AS n FROM points ORDER BY n", "--csv")
    assert status == 0
    assert list(csv.reader(io.StringIO(out))) == [["formula", "n"], ["'=1+1", "1"], ["'=1+1", "16"], ["'=1+1", "16"]]
    status, out, _ = run("query", "SELECT accelerator, count(*) AS n FROM points GROUP BY 1 ORDER BY 1")
    assert out.splitlines() == ["accelerator  n", "h100-sxm     2", "h200-sxm     1"]


@pytest.mark.parametrize("name", some(sorted(questions()), 2))
def test_every_question_answers_in_json_and_in_text(run: Run, table: str, name: str) -> None:
    loaded(run, table)
    status, out, err = run("ask", name, "--where", "accelerator=H100", "accelerator=h200", "--json")
    assert status == 0, err
    answer = json.loads(out, parse_constant=lambda word: pytest.fail(f"{word} in JSON"))
    keys = "question view subject verdict headline findings notes variations result rows library_version"
    assert list(answer) == keys.split()
    assert answer["question"] == questions()[name].QUESTION
    assert answer["headline"].endswith(answer["verdict"]["text"])
    assert answer["headline"].startswith(answer["subject"])
    assert all(one.keys() == {"kind", "text", "values", "point_ids"} for one in answer["findings"] + answer["notes"])
    assert answer["view"]["where"]["accelerator"] == ["H100", "h200"]
    status, out, _ = run("ask", name, "--where", "accelerator=H100", "--where", "accelerator=h200")
    assert (status, out.splitlines()[0]) == (0, answer["headline"])


def test_options_of_a_question_are_options_of_the_command(run: Run, table: str) -> None:
    loaded(run, table)
    asked = ("ask", "heatmap", "--x", "concurrency", "--y=accelerators", "--metric", "tpot_ms_p50", "--json")
    options = json.loads(run(*asked)[1])["view"]["options"]
    assert (options["x"], options["y"], options["metric"]) == ("concurrency", "accelerators", "tpot_ms_p50")


def test_a_few_words_lead_to_the_pages_that_can_answer(run: Run, table: str) -> None:
    loaded(run, table)
    status, out, err = run("goto", "h100", "h200", "llama", "wibble")
    assert (status, err) == (0, "Not understood: wibble.\n")
    assert "/pareto?model=llama-3.1-70b&accelerator=h100-sxm&accelerator=h200-sxm\n" in out
    told = json.loads(run("goto", "h100 h200 llama wibble", "--json")[1])
    assert told["unknown"] == ["wibble"]
    assert [one["label"] for one in told["destinations"]] == out.splitlines()[::2]
    assert run("goto", "wibble")[0] == 1


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (["imprt"], "'imprt'; did you mean import or export?"),
        (["ask", "heatmop"], "'heatmop'; did you mean heatmap?"),
        (["ask", "heatmap", "--metrc", "x"], "'metrc'; did you mean metric?"),
        (["ask", "heatmap", "--where", "acelerator=h100"], "did you mean accelerator"),
        (["ask", "heatmap", "--where", "v=99"], "`python -m bench ask --help` lists them all"),
        (["ask", "heatmap", "--metric", "foo"], "`python -m bench metrics` lists them all"),
        (["ask", "heatmap", "--scale", "foo"], "choose one of auto, linear, log"),
        (["ask", "heatmap", "--where", "h100"], "'h100' is no key=value pair"),
        (["ask", "heatmap", "h100"], "'h100' belongs to no option"),
        (["ask"], "QUESTION"),
        (["import", "x.csv", "--set", "acelerator=h100"], "did you mean accelerator"),
        (["retract", "abc"], "--reason"),
        (["sources", "--jsn"], "'jsn'; did you mean json?"),
        (["completion", "fish"], "'fish'"),
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


def test_the_module_is_a_program_whose_reader_may_leave_and_whose_terminal_may_know_no_unicode(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bench"]
    library = ("--no-shipped", "--library", str(tmp_path))
    pipes = {"cwd": ROOT, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*command, "query", "SELECT range AS n FROM range(10000)", *library], **pipes) as child:
        child.stdout.close()
        assert child.stderr.read() == b""
    assert child.returncode == 0
    asked = [*command, "query", "SELECT 'größer 模型' AS name", *library]
    done = subprocess.run(asked, env={**os.environ, "PYTHONIOENCODING": "ascii"}, timeout=60, **pipes)
    assert (done.returncode, done.stdout.splitlines()[1]) == (0, rb"gr\xf6\xdfer \u6a21\u578b")


def test_a_table_has_shares_in_percent_and_flush_right(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"failed_share": 0.0283, "isl": 1024}, {"failed_share": 1, "isl": None}]
    output.table(rows, shares=["failed_share"])
    assert capsys.readouterr().out.splitlines() == ["failed_share   isl", "       2.8 %  1024", "       100 %     –"]
