"""A Python process of its own for a measurement, told what to do line by line, and its memory."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


class Process:
    """A child that does what a word says and answers with numbers, one line each."""

    def __init__(self, child: subprocess.Popen[str]) -> None:
        self._child = child

    def ask(self, word: str) -> dict[str, Any]:
        """The answer to a word."""
        self.tell(word)
        return self.answer()

    def tell(self, word: str) -> None:
        """Let the child begin."""
        assert self._child.stdin is not None
        self._child.stdin.write(word + "\n")
        self._child.stdin.flush()

    def answer(self) -> dict[str, Any]:
        """The answer to what was told last."""
        assert self._child.stdout is not None
        line = self._child.stdout.readline()
        if not line:
            raise RuntimeError(f"A measuring process ended with {self._child.wait()}; see above.")
        answer: dict[str, Any] = json.loads(line)
        return answer


@contextlib.contextmanager
def process(module: str, *arguments: object) -> Iterator[Process]:
    """A module of tests/benchmarks as a fresh process; it ends with the block."""
    command = [sys.executable, "-m", f"tests.benchmarks.{module}", *map(str, arguments)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        yield Process(child)
        assert child.stdin is not None
        child.stdin.close()


def answering(words: dict[str, Callable[[], dict[str, Any]]]) -> None:
    """The child's side: answer each line with the numbers its function gives, until there is no more."""
    for line in sys.stdin:
        print(json.dumps(words[line.strip()]()), flush=True)


def peak_megabytes() -> float:
    """The most memory this process has held so far, in MB of 1,000,000 bytes."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) * 1024 / 1e6
