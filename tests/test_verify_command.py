"""`python -m bench verify`, `rebuild` and `sources` on a library that was damaged, as a person sees it."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from bench.cli import main
from bench.library import Library
from bench.library.packs import listed
from bench.library.store import Root, promise, staging_folder
from tests.library.files import sweep


@pytest.fixture
def place(tmp_path: Path) -> Path:
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([sweep(tmp_path, 1)])
    library.add([sweep(tmp_path, 2)])
    for folder in (library.path / "sources").iterdir():
        os.utime(folder, (0, 0))
    return library.path


def run(place: Path, capsys: pytest.CaptureFixture[str], *argv: str) -> tuple[int, str, str]:
    status = main([*argv, "--library", str(place), "--no-shipped"])
    printed = capsys.readouterr()
    return status, printed.out, printed.err


@pytest.mark.exhaustive
def test_facts_about_what_ships_are_nothing_wrong(place: Path) -> None:
    """They put its rows into a pack of this library; its files stay where it ships."""
    own = ("--library", str(place))
    shipped = Library.open(place).fetch("SELECT source_id FROM sources WHERE points = 4")[0][0]
    statuses = [main([*argv, *own]) for argv in (["facts", shipped[:8], "engine=vllm"], ["verify"], ["rebuild"])]
    assert statuses == [0, 0, 0]


def test_what_is_wrong_is_told_with_what_to_do_and_is_mended_by_it(
    place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pack = place / "points" / listed(place / "points")[0]
    content = bytearray(pack.read_bytes())
    content[len(content) // 2] ^= 4
    pack.write_bytes(content)
    status, out, _ = run(place, capsys, "verify")
    assert (status, len(out.splitlines())) == (1, 3)
    assert out.startswith(f"points/{pack.name}: ")
    assert "python -m bench rebuild" in out
    status, out, _ = run(place, capsys, "rebuild")
    assert (status, len(out.splitlines())) == (0, 2)
    assert f"{place / 'damaged'}: The pack {pack.name}" in out
    status, out, told = run(place, capsys, "verify")
    assert (status, out) == (0, "2 packs, 2 sources and 3 ledger lines: nothing is wrong.\n")
    assert "1 damaged pack lies in" in told
    status, out, _ = run(place, capsys, "verify", "--json")
    assert (status, json.loads(out)["wrong"], json.loads(out)["moved_aside"]) == (0, [], 1)


def test_a_source_that_is_gone_is_told_and_keeps_its_rows(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gone = sorted((place / "sources").iterdir())[0]
    shutil.rmtree(gone)
    status, out, _ = run(place, capsys, "rebuild")
    assert (status, len(out.splitlines())) == (1, 3)
    assert gone.name[:12] in out.splitlines()[2]
    status, out, _ = run(place, capsys, "verify")
    assert status == 1
    assert f"sources/{gone.name}: " in out
    assert run(place, capsys, "purge", gone.name[:12], "--reason", "it is lost")[0] == 0
    assert run(place, capsys, "verify")[0] == 0


def test_a_source_without_rows_is_told_however_young_unless_a_living_import_brings_it(place: Path) -> None:
    for file in (place / "points").iterdir():
        file.unlink()
    for folder in (place / "sources").iterdir():
        os.utime(folder)
    brought, other = sorted(folder.name for folder in (place / "sources").iterdir())
    library, dead = Library.open(place, shipped=False), place / "tmp" / "dead"
    dead.mkdir(parents=True)
    (dead / "lock").touch()
    promise(dead, [other])
    with staging_folder(Root(place, writable=True)) as folder:
        promise(folder, [brought])
        assert [one.where for one in library.verify().wrong] == [f"sources/{other}"]
        assert ["1 source has none in any sound pack" in one for one in library.incomplete()] == [True]
    assert [one.where for one in library.verify().wrong] == [f"sources/{brought}", f"sources/{other}"]
    assert ["2 sources have none in any sound pack" in one for one in library.incomplete()] == [True]
