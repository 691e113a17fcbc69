"""A real engine for tests: `transformers serve` with continuous batching, on the CPU, with a small random model.

It lives in a virtual environment of its own, which `make test-engine` makes and names in KNEEPOINT_ENGINE.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
VARIABLE = "KNEEPOINT_ENGINE"
MODEL = "random-llama"
STARTS_WITHIN_S = 120

BLOCKS = ("--cb-block-size", "32", "--cb-num-blocks", "512", "--cb-max-batch-tokens", "512")
"""16,384 tokens of KV cache. Without a number of blocks it takes most of the memory there is."""


@dataclass(frozen=True)
class Engine:
    """A running engine: its address, and its version as its package says."""

    url: str
    version: str

    def ask(self, text: str, osl: int, **more: Any) -> dict[str, Any]:
        """The answer to one request in one piece, asked without a line of the project's own client."""
        host, port = self.url.removeprefix("http://").split(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=60)
        asked = {"model": MODEL, "messages": [{"role": "user", "content": text}], "max_tokens": osl, **more}
        connection.request("POST", "/v1/chat/completions", json.dumps(asked), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        told = json.loads(answer.read())
        assert answer.status == 200, told
        connection.close()
        return dict(told)


def installed() -> Path | None:
    """The folder of the engine's commands; None where none is asked for."""
    named = os.environ.get(VARIABLE)
    return ROOT / named if named else None


@contextmanager
def serving(commands: Path, work: Path) -> Iterator[Engine]:
    """The engine, from the making of its model until the block ends; its log is `work`/engine.log."""
    (work / "cache" / "hub").mkdir(parents=True)  # without it /v1/models answers 500
    here = {
        **os.environ,
        "HF_HUB_OFFLINE": "1",
        "HF_HOME": str(work / "cache"),
        "OMP_NUM_THREADS": "1",
        "TOKENIZERS_PARALLELISM": "false",
    }
    maker = ROOT / "tests" / "engine" / "tiny_model.py"
    _done([commands / "python", maker, work / MODEL, "--layers", "2", "--hidden", "64"], here)
    version = _done([commands / "python", "-c", "import transformers; print(transformers.__version__)"], here)
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    listens = ("--host", "127.0.0.1", "--port", str(port), "--device", "cpu", "--continuous-batching")
    command = [commands / "transformers", "serve", MODEL, *listens, *BLOCKS]
    with (work / "engine.log").open("w+") as log:
        process = subprocess.Popen(
            command, cwd=work, env=here, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            _until_healthy(process, port, work / "engine.log")
            yield Engine(f"http://127.0.0.1:{port}", version.strip())
        finally:
            process.terminate()
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _done(command: list[Any], environment: dict[str, str]) -> str:
    done = subprocess.run(list(map(str, command)), env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def _until_healthy(process: subprocess.Popen[bytes], port: int, log: Path) -> None:
    until = time.monotonic() + STARTS_WITHIN_S
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
        try:
            connection.request("GET", "/health")
            if connection.getresponse().status == 200:
                return
        except OSError:
            assert process.poll() is None, log.read_text()[-2000:]
            assert time.monotonic() < until, log.read_text()[-2000:]
            time.sleep(0.2)
        finally:
            connection.close()
