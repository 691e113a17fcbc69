"""Purges that were cut off, or could not be done: nothing is called deleted that is not, and the rest follows."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from bench.errors import BenchError
from bench.library import Library, erasing, ledger
from bench.library.importing import batch
from bench.library.packs import listed
from bench.library.store import Root
from tests.library.files import SCORE, sweep, table


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A library of one pack that holds three sources."""
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([sweep(tmp_path, 1), sweep(tmp_path, 2), table(tmp_path / "scores.csv", {}, base=SCORE)])
    return library.path


def sources(place: Path) -> list[str]:
    library = Library.open(place, shipped=False)
    return [id for (id,) in library.fetch("SELECT source_id FROM sources ORDER BY imported, points DESC, source_id")]


def traces(place: Path, source: str) -> list[Path]:
    """The files that hold anything of a source, but for the ledgers, which say that it was purged."""
    found = [path for path in place.rglob("*") if path.is_file() and path.suffix != ".jsonl"]
    return [path for path in found if source in str(path) or source.encode() in path.read_bytes()]


def tombstone(place: Path, source: str) -> None:
    """What a purge writes first of all."""
    said = {"id": source, "source_id": source, "action": "purge", "reason": "personal data"}
    ledger.write(Root(place, writable=True), "retractions", said)


@pytest.mark.parametrize("files_are_gone", [False, True])
def test_a_purge_that_was_cut_off_is_finished_at_the_next_start(place: Path, files_are_gone: bool) -> None:
    first, second, _ = sources(place)
    tombstone(place, first)
    assert traces(place, first)
    if files_are_gone:
        shutil.rmtree(place / "sources" / first)
    Library.open(place, shipped=False)
    assert traces(place, first) == []
    assert second in sources(place)


def test_the_sidecars_of_a_pack_that_is_gone_are_deleted_with_their_source(place: Path) -> None:
    scores = sources(place)[2]
    (place / "points" / listed(place / "points")[0]).unlink()
    tombstone(place, scores)
    assert traces(place, scores)
    library = Library.open(place, shipped=False)
    assert traces(place, scores) == []
    library.rebuild()
    assert len(sources(place)) == 2


def test_a_purge_leaves_what_an_import_beside_it_is_publishing(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, library = sources(place)[0], Library.open(place, shipped=False)
    library.purge(first, "enough of it")
    purges = 0

    def with_purges(files: Sequence[tuple[Path, Path]]) -> None:
        nonlocal purges
        for source, target in files:
            erasing.erase(Root(place, writable=True), first, library._shown.watch, wait=True)
            source.rename(target)
            purges += 1

    monkeypatch.setattr(batch, "publish", with_purges)
    Library.open(place, shipped=False).add([table(tmp_path / "later.csv", {"model": "llama-3.1-8b"}, base=SCORE)])
    assert purges > 2
    assert Library.open(place, shipped=False).verify().wrong == ()


@pytest.mark.skipif(os.geteuid() == 0, reason="an administrator may delete anything")
def test_what_cannot_be_deleted_is_not_called_deleted(place: Path) -> None:
    first = sources(place)[0]
    folder = place / "sources" / first
    folder.chmod(0o500)
    library = Library.open(place, shipped=False)
    with pytest.raises(BenchError, match=r"hidden for good, but not yet deleted .permission denied.: sources/"):
        library.purge(first, "personal data")
    assert first not in sources(place)
    folder.chmod(0o700)
    Library.open(place, shipped=False)
    assert traces(place, first) == []


def test_what_lies_in_a_damaged_pack_is_not_called_deleted(place: Path) -> None:
    first, second, third = sources(place)
    pack = place / "points" / listed(place / "points")[0]
    content = bytearray(pack.read_bytes())
    content[len(content) // 3] ^= 1
    pack.write_bytes(content)
    library = Library.open(place, shipped=False)
    with pytest.raises(BenchError, match=rf"not yet deleted: points/{pack.name} is still in the library"):
        library.purge(first, "personal data")
    assert library.rebuild().sources == 2
    assert traces(place, first) == []
    assert set(sources(place)) == {second, third}


def test_a_source_that_is_brought_back_is_not_deleted_by_who_finishes_the_purge(place: Path, tmp_path: Path) -> None:
    library = Library.open(place, shipped=False)
    first = library.add([sweep(tmp_path, 1)]).already[0].sha256
    library.purge(first, "by mistake")
    other = Library.open(place, shipped=False)
    assert library.add([sweep(tmp_path, 1)], force=True).imported[0].sha256 == first
    erasing.erase(Root(place, writable=True), first, other._shown.watch, wait=True)
    assert first in sources(place)
    assert traces(place, first)
