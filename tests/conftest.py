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


def pytest_unconfigure() -> None:
    """What modules keep is given back as they end, as without it."""
    gc.unfreeze()


class Remembering(Library):
    """A library that puts the same query to its index once for as long as nothing in it changes.

    Half of what the questions ask of the shipped library over all their tests is what they asked before. Whether the
    same view is answered alike twice, test_contract.py asks of a library that remembers nothing.
    """

    def __init__(self, roots: Any) -> None:
        super().__init__(roots)
        self._told: dict[tuple[str, str, str, str], Any] = {}

    def fetch(self, sql: str, params: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        return list(self._once(super().fetch, sql, params))

    def query(self, sql: str, params: Sequence[object] = ()) -> pd.DataFrame:
        return self._once(super().query, sql, params).copy()  # type: ignore[no-any-return]

    def _once(self, ask: Callable[..., Any], sql: str, params: Sequence[object]) -> Any:
        key = (self.version, ask.__name__, sql, repr(params))
        if key not in self._told:
            self._told[key] = ask(sql, params)
        return self._told[key]


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
    return Remembering.open(tmp_path_factory.mktemp("none") / "own")
