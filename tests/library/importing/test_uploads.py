"""Uploaded files: their names lead nowhere, they lie where only we can read them, and they go when they are done."""

from __future__ import annotations

import gc
import os
import stat
import tempfile
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import InputError
from bench.library.importing import uploads
from bench.library.importing.uploads import PREFIX, UploadFolder, cleaned


@pytest.fixture(autouse=True)
def own_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("results.csv", "results.csv"),
        ("Lauf 3 (größer).source.toml", "Lauf 3 (größer).source.toml"),
        ("../../etc/passwd", "passwd"),
        ("C:\\runs\\a.json", "a.json"),
        ("..", "file"),
        ("", "file"),
        (".hidden.csv", "hidden.csv"),
        ("**x** [a](b) <b>:red[c].csv", "__x__ _a_(b) _b__red_c_.csv"),
        ("a\nb\u202e\0.csv", "a_b__.csv"),
        ("x" * 400 + ".csv", "x" * 176 + ".csv"),
    ],
)
def test_a_name_becomes_one_harmless_part_of_a_path(name: str, plain: str) -> None:
    assert cleaned(name) == plain


@given(st.text(max_size=80))
def test_no_name_leads_out_or_grows(name: str) -> None:
    plain = cleaned(name)
    assert Path(plain).name == plain
    assert not plain.startswith(".")
    assert plain.isprintable()
    assert 0 < len(plain.encode()) <= uploads.NAME_BYTES
    assert cleaned(plain) == plain


def test_what_comes_together_lies_side_by_side_and_nothing_is_overwritten(tmp_path: Path) -> None:
    spool = UploadFolder()
    spool.add([("a.csv", b"1"), ("a.source.toml", b"card"), ("../a.csv", b"2")])
    spool.add([("a.csv", b"3"), ("b.csv", b"4")])
    first, card, second, third, other = spool.paths
    assert [path.read_bytes() for path in spool.paths] == [b"1", b"card", b"2", b"3", b"4"]
    assert first.parent == card.parent
    assert third.parent == other.parent
    assert len({first, second, third}) == 3
    assert all(path.is_relative_to(spool.folder) for path in spool.paths)
    assert spool.folder.is_relative_to(tmp_path)
    assert stat.S_IMODE(spool.folder.stat().st_mode) == 0o700
    assert spool.shown(str(third)) == "a.csv"
    assert spool.shown(f"{other}/inner/c.json") == "b.csv/inner/c.json"
    assert spool.shown("elsewhere.csv") == "elsewhere.csv"
    late = UploadFolder()
    for name in ("a.csv", "a.source.toml"):
        late.add([(name, b"1")])
    assert len({path.parent for path in late.paths}) == 1


def test_more_than_an_import_takes_is_refused_and_what_came_before_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "MOST_FILES", 2)
    monkeypatch.setattr(uploads, "MOST_BYTES", 10)
    spool = UploadFolder()
    with pytest.raises(InputError, match="big\\.csv"):
        spool.add([("a.csv", b"12345"), ("big.csv", b"123456")])
    with pytest.raises(InputError, match="2 files"):
        spool.add([("b.csv", b"1"), ("c.csv", b"1")])
    assert [path.name for path in spool.paths] == ["a.csv", "b.csv"]


def test_the_folder_goes_when_it_is_discarded_or_forgotten() -> None:
    discarded, forgotten, held = UploadFolder(), UploadFolder(), UploadFolder()
    folders = discarded.folder, forgotten.folder, held.folder
    for spool in (discarded, held):
        spool.add([("a.csv", b"1")])
    discarded.discard()
    del forgotten
    gc.collect()
    assert [folder.exists() for folder in folders] == [False, False, True]
    uploads.discard_all()  # as the process ends
    assert not held.folder.exists()


def test_files_that_nobody_imports_are_removed_in_time_and_those_under_way_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    clocks: list[threading.Timer] = []
    monkeypatch.setattr(threading.Timer, "start", lambda clock: clocks.append(clock))
    waiting, held = UploadFolder(), UploadFolder()
    held.add([("a.csv", b"1")])
    held.hold()
    for clock in clocks:
        assert clock.interval == uploads.KEPT_S
        clock.interval = 0
        clock.run()
    assert waiting.is_gone
    assert not waiting.folder.exists()
    assert held.paths[0].exists()


def test_what_a_dead_process_was_given_is_cleared_and_what_a_living_one_holds_is_not(tmp_path: Path) -> None:
    left, held = tmp_path / f"{PREFIX}left", UploadFolder()
    left.mkdir()
    for folder in (left, held.folder):
        os.utime(folder, (0, 0))
    UploadFolder()
    assert (left.exists(), held.folder.exists()) == (False, True)
