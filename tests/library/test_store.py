"""Files on disk: ledgers survive torn lines, ids never become paths, half a write is no write."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.errors import NotFound
from bench.library import ledger
from bench.library.store import Root, append_lines, clear_abandoned, document, exclusive, read_manifest, staging_folder


@settings(max_examples=30)
@given(st.lists(st.dictionaries(st.text(max_size=5), st.text(max_size=9), max_size=3), max_size=6), st.data())
def test_whole_lines_survive_a_torn_one(
    tmp_path_factory: pytest.TempPathFactory, rows: list[dict[str, str]], data: st.DataObject
) -> None:
    path = tmp_path_factory.mktemp("ledger") / "notes.jsonl"
    for row in rows:
        append_lines(path, row)
    torn = json.dumps({"id": "torn", "text": "x"})
    if rows:
        with path.open("a") as stream:
            stream.write(torn[: data.draw(st.integers(1, len(torn) - 1))])
        assert ledger.lines(path) == rows
    append_lines(path, {"after": "1"})
    assert ledger.lines(path) == [*rows, {"after": "1"}]


NO_DOCUMENT = {
    "deep": b"[" * 200_000,
    "not UTF-8": b'{"file": "\xff"}',
    "half a letter": b'{"file": "\\ud800"}',
    "half a key": b'{"\\udfff": 1}',
    "too long a number": b'{"file": ' + b"1" * 5_000 + b"}",
    "a list": b"[]",
    "nothing": b"",
}


@pytest.mark.parametrize("content", NO_DOCUMENT.values(), ids=NO_DOCUMENT)
def test_a_file_of_ours_that_cannot_be_read_is_told(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        document(content)
    (tmp_path / "manifest.json").write_bytes(content)
    with pytest.raises(NotFound):
        read_manifest(tmp_path)


@pytest.mark.parametrize("text", ["..", "a" * 63, "A" * 64, "a" * 64 + "\n", "../" * 21 + "a", "a" * 65, ""])
def test_only_a_source_id_becomes_a_folder(tmp_path: Path, text: str) -> None:
    with pytest.raises(NotFound):
        Root(tmp_path, writable=True).source(text)


def test_a_lock_is_held_once_and_ends_with_its_block(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    with exclusive(lock, wait=False) as held, exclusive(lock, wait=False) as again:
        assert (held, again) == (True, False)
    with exclusive(lock, wait=True) as held:
        assert held


def test_only_folders_of_the_dead_are_cleared(tmp_path: Path) -> None:
    root = Root(tmp_path, writable=True)
    clear_abandoned(root.staged)
    dead, young = root.staging / "dead", root.staging / "young"
    for folder in (dead, young):
        folder.mkdir(parents=True)
        (folder / "lock").touch()
    with staging_folder(root) as alive:
        os.utime(dead, (0, 0))
        os.utime(alive, (0, 0))
        clear_abandoned(root.staged)
        assert (dead.exists(), young.exists(), alive.exists()) == (False, True, True)
    assert not alive.exists()
