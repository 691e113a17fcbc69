"""`python -m bench endpoint`: starts, serves, ends at SIGTERM with its log written; refuses what it cannot be."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from bench.cli import main
from bench.endpoint import PRESETS, Settings, failures, truth
from bench.endpoint.settings import options
from tests.endpoint.asking import chat, get, post

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "bench", "endpoint"]


def test_it_serves_until_sigterm_and_leaves_its_log(tmp_path: Path) -> None:
    log = tmp_path / "truth.jsonl"
    asked = ["--port", "0", "--json", "--preset", "chat-gpu", "--model", "m", "--log", str(log)]
    with subprocess.Popen(
        [*COMMAND, *asked, "--api-key-env", "FAKE_KEY"],
        cwd=ROOT,
        env={**os.environ, "FAKE_KEY": "sesame"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        started = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")
        assert started["pid"] == process.pid
        headers = {"headers": {"Authorization": "Bearer sesame"}}
        assert get(started["url"], "/v1/models", **headers).json["data"][0]["id"] == "m"
        assert post(started["url"], chat(model="m", max_tokens=2), **headers).status == 200
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=10) == 0
        assert process.stderr.read() == ""
    (entry,) = truth.read(log)
    assert (entry.ended, entry.output_tokens) == ("whole", 2)


def test_it_ends_once_nobody_is_there() -> None:
    with subprocess.Popen(
        [*COMMAND, "--port", "0", "--json", "--idle-exit-s", "0.4"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        url = json.loads("".join(iter(process.stdout.readline, "}\n")) + "}")["url"]
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))), pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=1)
        assert process.wait(timeout=10) == 0


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--preset", "gpu"], "There is no preset named 'gpu'"),
        (["--fail", "stal=0.5"], "did you mean stall"),
        (["--fail", "stall=2"], "a share from 0 to 1"),
        (["--fail-at", "first=stall"], "takes numbers"),
        (["--itl-ms=-1"], "0 or more"),
        (["--port", "70000"], "0 to 65535"),
        (["--api-key-env", "NOT_SET_ANYWHERE"], "NOT_SET_ANYWHERE is not set"),
        (["--itl", "3"], "did you mean itl-ms"),
    ],
)
def test_what_it_cannot_be_is_one_sentence(argv: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["endpoint", *argv]) == 2
    told = capsys.readouterr().err
    assert re.search(re.escape(said), told, re.IGNORECASE), told
    assert told.count("\n") == 1


def test_what_it_cannot_have_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for argv, said in (
            (["--port", port], f"cannot listen on 127.0.0.1 port {port}"),
            (["--port", "0", "--log", str(tmp_path / "none" / "truth.jsonl")], "cannot be written"),
        ):
            assert main(["endpoint", *argv]) == 1
            told = capsys.readouterr().err
            assert said in told
            assert told.count("\n") == 1


def test_only_another_host_lets_other_machines_in() -> None:
    loopback = {
        host: Settings(host=host).loopback for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "10.0.0.5", "::")
    }
    assert [host for host, only_here in loopback.items() if only_here] == ["127.0.0.1", "localhost", "::1"]
    assert Settings().loopback


def test_every_option_failure_and_preset_is_documented(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "endpoint.md").read_text()
    assert main(["endpoint", "--help"]) == 0
    told = capsys.readouterr().out
    for row, _kind in options():
        spelled = "--api-key-env" if row.name == "api_key" else "--" + row.name.replace("_", "-")
        assert f"`{spelled}" in page or f"`--no-{spelled[2:]}" in page, spelled
        assert spelled in told
    for name in (*failures.KINDS, *PRESETS):
        assert f"`{name}`" in page, name


def test_serving_needs_none_of_the_heavy_libraries() -> None:
    code = "import sys, bench.endpoint, bench.cli.serving; print(*sorted(m for m in sys.modules if '.' not in m))"
    loaded = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert not {"duckdb", "pandas", "numpy", "pyarrow", "plotly", "streamlit"} & set(loaded.split())
