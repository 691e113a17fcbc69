"""What every test stands on, and the library as it ships, opened once; no test writes to it."""

from __future__ import annotations

import gc
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hypothesis import settings

from bench.library import Library
from bench.questions import questions
from bench.view import View

# A slow machine is no failure; a fault that twenty examples do not show, the next run has twenty others for.
settings.register_profile("patient", parent=settings.default, deadline=None, max_examples=20)
settings.register_profile("thorough", parent=settings.get_profile("patient"), max_examples=200)
settings.register_profile("fuzz", parent=settings.get_profile("patient"), max_examples=1000, print_blob=True)
settings.register_profile("quick", parent=settings.get_profile("patient"), max_examples=5)
settings.register_profile(
    "ci", parent=settings.get_profile("patient"), max_examples=25, derandomize=True, database=None
)
settings.load_profile("patient")

HERE = Path(__file__).parent


COSTLY = frozenset((HERE / "costly.txt").read_text().split())
"""The files whose tests took over 0.6 s of processor time together; the others, half of all tests, take a tenth."""

OF_A_COSTLY_FILE = 2


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """In the fast loop a few tests of each costly file are left, spread evenly over its functions."""
    from tests.thorough import FAST_LOOP, some  # not before hypothesis has its profile

    if not FAST_LOOP:
        return
    functions: dict[Path, dict[str, pytest.Item]] = {}
    for item in items:
        functions.setdefault(item.path, {}).setdefault(item.nodeid.partition("[")[0], item)
    few = {item for path, of in functions.items() for item in some(of.values(), OF_A_COSTLY_FILE)}
    kept = [item for item in items if item in few or item.path.relative_to(HERE).as_posix() not in COSTLY]
    config.hook.pytest_deselected(items=[item for item in items if item not in set(kept)])
    items[:] = kept


def pytest_collection_finish() -> None:
    """What was imported and collected stays: Streamlit and every load look for garbage, and need not look there."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000)  # a twentieth of the time of some folders was spent on looking


def pytest_unconfigure() -> None:
    """What modules keep is given back as they end, as without it."""
    gc.unfreeze()


class Remembering(Library):
    """A library whose index is asked the same query once, and a question the same View once, while nothing changes.

    Most of what tests ask of the shipped library was asked before. Whether the same View is answered alike twice,
    test_contract.py asks of a library that remembers nothing.
    """

    def __init__(self, roots: Any) -> None:
        super().__init__(roots)
        self._results: dict[tuple[str, ...], Any] = {}

    def fetch(self, sql: str, params: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        return list(self.once(lambda: super(Remembering, self).fetch(sql, params), "fetch", sql, repr(params)))

    def query(self, sql: str, params: Sequence[object] = ()) -> pd.DataFrame:
        table = self.once(lambda: super(Remembering, self).query(sql, params), "query", sql, repr(params))
        return table.copy()  # type: ignore[no-any-return]

    def once(self, compute: Callable[[], Any], *key: str) -> Any:
        """What was computed under this key for the library as it is, or what `compute` returns now."""
        whole = (self.version, *key)
        if whole not in self._results:
            self._results[whole] = compute()
        return self._results[whole]


def remember_answers(name: str, module: Any) -> None:
    """Let a question compute the answer to a View of a remembering library once."""
    compute = module.answer

    def answer(library: Library, view: View) -> Any:
        if not isinstance(library, Remembering):
            return compute(library, view)
        return library.once(lambda: compute(library, view), "answer", name, view.query())

    module.answer = answer


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate for 127.0.0.1 with its key, signed by itself: it is its own authority."""
    program = shutil.which("openssl")
    if program is None:
        pytest.skip("openssl, which makes the certificate, is not installed")
    file = tmp_path_factory.mktemp("tls") / "both.pem"
    command = [
        program,
        "req",
        "-x509",
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=127.0.0.1",
        "-addext",
        "subjectAltName=IP:127.0.0.1",
        "-keyout",
        str(file),
        "-out",
        str(file) + ".crt",
    ]
    subprocess.run(command, check=True, capture_output=True)
    file.write_text(file.read_text() + Path(str(file) + ".crt").read_text())
    return file


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Library:
    for name, module in questions().items():
        remember_answers(name, module)
    return Remembering.open(tmp_path_factory.mktemp("none") / "own")
