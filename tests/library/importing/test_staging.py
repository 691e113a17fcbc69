"""Files on their way into the library: what is copied is what was there, and its id follows from its bytes."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from bench.errors import InputError
from bench.library.importing import staging
from bench.library.importing.staging import source_id_of, stage


@pytest.mark.parametrize("size", [0, 1, 5 << 20])
def test_a_copy_is_the_file_and_its_id_the_hash_of_it_however_large(tmp_path: Path, size: int) -> None:
    content = os.urandom(size)
    (tmp_path / "a.jsonl").write_bytes(content)
    staged = stage(tmp_path / "a.jsonl", (), tmp_path / "in")
    assert staged.main.read_bytes() == content
    assert staged.source_id == hashlib.sha256(content).hexdigest() == source_id_of(tmp_path / "a.jsonl", ())


def test_a_file_that_does_not_fit_is_an_error_and_not_half_a_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """/dev/full takes nothing, as a full disk does."""
    (tmp_path / "a.jsonl").write_bytes(bytes(1 << 20))
    into = tmp_path / "in" / "fixed"
    into.mkdir(parents=True)
    (into / "a.jsonl").symlink_to("/dev/full")
    monkeypatch.setattr(staging.uuid, "uuid4", lambda: type("Fixed", (), {"hex": "fixed"}))
    with pytest.raises(OSError, match="No space left"):
        stage(tmp_path / "a.jsonl", (), tmp_path / "in")


def test_companions_are_part_of_the_id(tmp_path: Path) -> None:
    main, beside = tmp_path / "a.csv", tmp_path / "a.source.toml"
    main.write_text("x")
    beside.write_text("y")
    alone, both = source_id_of(main, ()), source_id_of(main, (beside,))
    beside.write_text("z")
    assert len({alone, both, source_id_of(main, (beside,))}) == 3
    staged = stage(main, (beside,), tmp_path / "in")
    assert staged.source_id == source_id_of(main, (beside,))
    assert [path.read_text() for path in (staged.main, *staged.companions)] == ["x", "z"]


def test_a_companion_outside_the_folder_is_refused(tmp_path: Path) -> None:
    main, outside = tmp_path / "in" / "a.csv", tmp_path / "b"
    main.parent.mkdir()
    main.write_text("x")
    outside.write_text("y")
    for companion in (outside, main.parent / ".." / "b"):
        with pytest.raises(InputError, match="outside"):
            source_id_of(main, (companion,))


def test_a_file_named_like_the_manifest_is_refused(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text("{}")
    with pytest.raises(InputError, match="rename"):
        stage(tmp_path / "manifest.json", (), tmp_path / "in")
