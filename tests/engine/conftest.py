"""The engine the tests of this folder share, and what the quick profile measured on it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bench.sweep.folder import Folder
from tests.engine.serving import MODEL, VARIABLE, Engine, installed, serving
from tests.sweep.sweeping import bench, document


@dataclass(frozen=True)
class Swept:
    """A sweep that was measured: its library, its folder, and what `watch --json` told in the end."""

    library: Path
    folder: Folder
    told: dict[str, Any]


@pytest.fixture(scope="session")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    commands = installed()
    if commands is None:
        pytest.skip("no real engine is installed: `make test-engine` installs one and runs these tests")
    if not (commands / "transformers").is_file():
        pytest.fail(f"{VARIABLE} is {commands}, and there is no engine: `make test-engine` installs it.")
    with serving(commands, tmp_path_factory.mktemp("engine")) as running:
        yield running


@pytest.fixture(scope="session")
def quick(engine: Engine, tmp_path_factory: pytest.TempPathFactory) -> Swept:
    """The quick profile, whole, as a person starts it and leaves it to itself."""
    library = tmp_path_factory.mktemp("library")
    facts = ("accelerator=cpu", "accelerators=1", "precision=fp32", f"engine_version={engine.version}")
    asked = ("--url", engine.url, "--model", MODEL, "--profile", "quick", "--set", *facts)
    begun = bench("sweep", *asked, "--library", str(library), "--detach", "--json", timeout=60)
    assert begun.returncode == 0, begun.stderr
    return finished(library, document(begun.stdout)["id"])


def finished(library: Path, sweep: str) -> Swept:
    """A sweep under way, followed to its end."""
    watched = bench("watch", sweep, "--library", str(library), "--json", timeout=300)
    assert watched.returncode == 0, watched.stderr
    return Swept(library, Folder(library / "sweeps" / sweep), document(watched.stdout))
