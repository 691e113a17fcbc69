"""Damaged libraries: whatever happens to a pack, it opens, takes in new files, says what is wrong, and is mended."""

from __future__ import annotations

import itertools
import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bench import api
from bench.errors import InputError
from bench.holdings.tables import counts
from bench.library import Library, merging
from bench.library.importing import batch
from bench.library.packs import listed
from bench.library.store import Root
from tests.library.files import SCORE, sweep, table
from tests.thorough import QUICK, times

ASKED = (
    "SELECT * FROM points ORDER BY point_id",
    "SELECT * FROM scores ORDER BY score_id",
    "SELECT * FROM passports ORDER BY ALL",
    "SELECT * FROM refusals ORDER BY ALL",
    "SELECT * FROM sources ORDER BY source_id",
)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A library of two packs with every sidecar; its sources have been there for long."""
    place = tmp_path_factory.mktemp("sound")
    library = Library.open(place / "library", shipped=False)
    for number in range(2):
        library.add(
            [
                sweep(place, number, 20),
                table(place / f"scores{number}.csv", {"value": 0.5 + number / 10}, base=SCORE),
                table(place / f"part{number}.csv", {"output_tokens_per_s": -3}, {"ttft_ms_p99": 9.0 + number}),
            ]
        )
    library.close()
    for folder in (library.path / "sources").iterdir():
        os.utime(folder, (0, 0))
    return library.path


@pytest.fixture
def place(sound: Path, tmp_path: Path) -> Path:
    """A copy of it that a test may damage."""
    return Path(shutil.copytree(sound, tmp_path / "library"))


def shown(place: Path) -> list[list[tuple[Any, ...]]]:
    library = Library.open(place, shipped=False)
    try:
        return [library.fetch(sql) for sql in ASKED]
    finally:
        library.close()


@pytest.fixture(scope="module")
def before(sound: Path) -> list[list[tuple[Any, ...]]]:
    """What it shows as long as nothing is damaged."""
    return shown(sound)


def wrong(place: Path) -> list[str]:
    return [one.where for one in Library.open(place, shipped=False).verify().wrong]


def flip(path: Path, chance: random.Random) -> None:
    """One bit of the file is another now."""
    content = bytearray(path.read_bytes())
    content[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    path.write_bytes(content)


def empty(path: Path, chance: random.Random) -> None:
    path.write_bytes(b"")


def cut(path: Path, chance: random.Random) -> None:
    os.truncate(path, chance.randrange(1, path.stat().st_size))


def delete(path: Path, chance: random.Random) -> None:
    path.unlink()


ENDINGS = (".parquet", ".json", ".passports.parquet", ".scores.parquet", ".refusals.parquet")
SAMPLE = ((flip, ".parquet"), (cut, ".json"))
CROSS = tuple(itertools.product((flip, empty, cut, delete), ENDINGS))


@pytest.mark.parametrize(("damage", "ending"), SAMPLE if QUICK else CROSS)
def test_whatever_happens_to_a_file_of_a_pack_a_rebuild_mends_it(
    sound: Path,
    before: list[list[tuple[Any, ...]]],
    place: Path,
    tmp_path: Path,
    damage: Callable[[Path, random.Random], None],
    ending: str,
) -> None:
    chance = random.Random(f"{damage.__name__} {ending}")
    for _ in range(times(4, 1, 2) if damage is flip else 1):
        shutil.rmtree(place)
        shutil.copytree(sound, place)
        pack = place / "points" / listed(place / "points")[0]
        damage(pack.with_name(pack.stem + ending), chance)
        library = Library.open(place, shipped=False)
        counts(library)
        assert all("Rows are missing" in one for one in library.incomplete())
        assert library.incomplete()
        assert library.add([sweep(tmp_path, 99)]).refused == []
        library.close()
        found = wrong(place)
        assert found
        assert f"points/{pack.name}" in found or not pack.exists()
        done = Library.open(place, shipped=False).rebuild()
        assert (done.sources, done.unread) == (7, {})
        assert all(set(map(str, was)) <= set(map(str, now)) for was, now in zip(before, shown(place), strict=True))
        if pack.exists() or done.moved_aside:
            assert wrong(place) == []


def test_a_pack_that_is_gone_is_told_beside_one_that_is_damaged(place: Path) -> None:
    damaged, gone = (place / "points" / name for name in listed(place / "points"))
    flip(damaged, random.Random(3))
    gone.unlink()
    told = " ".join(Library.open(place, shipped=False).incomplete())
    assert damaged.name in told
    assert "6 sources have none" in told


def test_what_is_damaged_under_a_running_app_is_told_and_the_rest_goes_on(place: Path) -> None:
    library = Library.open(place, shipped=False)
    before = len(library.fetch("SELECT * FROM points"))
    pack = place / "points" / listed(place / "points")[0]
    pack.with_suffix(".passports.parquet").unlink()
    assert library.fetch("SELECT count(*) FROM passports")[0][0] > 0
    assert library.fetch("SELECT count(*) FROM points")[0][0] == before // 2
    assert any("passports.parquet" in reason and "damaged" in reason for reason in library.refusals()["reason"])
    assert any("3 sources have none" in one for one in library.incomplete())
    assert api.health(lambda: library)[0] == 200


def test_an_import_under_way_lacks_nothing_and_one_that_died_is_told(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looked at from the app that imports and from another process, between a source's files and its pack."""
    library, publish, seen = Library.open(place, shipped=False), batch.publish_pack, list[Any]()

    def meanwhile(staged: Path, root: Root) -> Path:
        other = Library.open(place, shipped=False)
        seen.extend((library.incomplete(), other.incomplete(), other.verify().wrong))
        if len(seen) > 3:
            raise KeyboardInterrupt
        return publish(staged, root)

    monkeypatch.setattr(batch, "publish_pack", meanwhile)
    assert len(library.add([sweep(tmp_path, 50)]).imported) == 1
    assert [*seen, library.incomplete()] == [[], [], (), []]
    with pytest.raises(KeyboardInterrupt):
        library.add([sweep(tmp_path, 51)])
    assert seen[3:] == [[], [], ()]
    assert ["1 source has none" in one for one in library.incomplete()] == [True]
    for file in (place / "points").iterdir():
        file.unlink()
    library.refresh()
    assert "8 sources have none" in library.incomplete()[0]


def test_facts_whose_pack_is_gone_are_told_though_an_older_one_has_the_rows(place: Path) -> None:
    library = Library.open(place, shipped=False)
    (source,) = library.fetch("SELECT source_id FROM sources WHERE points > 3 LIMIT 1")[0]
    before = listed(place / "points")
    library.set_facts(source, {"variant": "tuned"})
    assert library.incomplete() == []
    (new,) = set(listed(place / "points")) - set(before)
    (place / "points" / new).unlink()
    library.refresh()
    assert library.fetch("SELECT count(*) FROM points WHERE variant = 'tuned'") == [(0,)]
    assert [one.partition(".")[0] for one in library.incomplete()] == ["Facts are missing"]
    library.rebuild()
    assert library.fetch("SELECT count(*) > 0 FROM points WHERE variant = 'tuned'") == [(True,)]
    assert library.incomplete() == []


def test_a_file_is_not_refused_because_packs_are_cut_short_during_its_import(place: Path, tmp_path: Path) -> None:
    library, cut_at = Library.open(place, shipped=False), list[str]()

    def meanwhile(number: int, of: int, file: str) -> None:
        if file and of and not cut_at:
            cut_at.append(file)
            for name in listed(place / "points"):
                os.truncate(place / "points" / name, 50)

    report = library.add([sweep(tmp_path, 9)], progress=meanwhile)
    assert (len(cut_at), len(report.imported), report.refused) == (1, 1, [])
    assert library.fetch("SELECT count(*) FROM points") == [(3,)]
    assert "damaged" in library.refusals()["reason"][0]


def test_a_source_that_was_changed_on_the_disk_is_not_read_again_under_its_id(place: Path) -> None:
    before = shown(place)
    changed = next(path for path in sorted((place / "sources").glob("*/*.csv")) if path.name == "sweep0.csv")
    changed.write_text(changed.read_text().replace("fp8", "bf16").replace(",1.0,", ",1000.0,", 1))
    changed.write_text(changed.read_text() + "\n")
    library = Library.open(place, shipped=False)
    done = library.rebuild()
    (source,) = done.unread
    assert source == changed.parent.name
    assert "was changed since it was imported" in done.unread[source]
    assert shown(place) == before
    with pytest.raises(InputError, match="was changed since"):
        library.set_facts(source, {"variant": "x"})
    assert wrong(place) == [f"sources/{source}"]


def test_each_source_of_a_rebuild_is_judged_by_itself(place: Path) -> None:
    """One has no files, one no manifest, and the pack of both is damaged."""
    library = Library.open(place, shipped=False)
    first, second, *_ = (id for (id,) in library.fetch("SELECT source_id FROM sources ORDER BY imported, source_id"))
    shutil.rmtree(place / "sources" / first)
    (place / "sources" / second / "manifest.json").unlink()
    for name in listed(place / "points"):
        os.truncate(place / "points" / name, 100)
    again = Library.open(place, shipped=False)
    done = again.rebuild()
    assert (done.sources, set(done.unread)) == (4, {second})
    assert len(done.moved_aside) == 2
    assert again.fetch("SELECT count(*) FROM sources") == [(4,)]
    assert sorted(listed(place / "damaged")) == sorted(done.moved_aside)
    assert set(wrong(place)) == {f"sources/{second}"}


def test_a_merge_makes_no_sound_pack_of_a_damaged_one(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merging, "FAN", 3)
    pack = place / "points" / listed(place / "points")[0]
    content = bytearray(pack.read_bytes())
    content[len(content) // 3] ^= 1
    pack.write_bytes(content)
    library = Library.open(place, shipped=False)
    library.add([sweep(tmp_path, 5, 20)])
    assert pack.exists()
    assert f"points/{pack.name}" in wrong(place)


def test_a_sheet_whose_words_were_changed_is_no_sheet(place: Path) -> None:
    sheet = next(iter(sorted((place / "points").glob("*.json"))))
    sheet.write_text(sheet.read_text().replace("CC0", "MIT").replace('"points":20', '"points":21'))
    assert "has no readable sheet" in " ".join(Library.open(place, shipped=False).refusals()["reason"])


def test_the_sums_of_an_earlier_version_are_missed_and_a_rebuild_makes_them(place: Path) -> None:
    for sheet in (place / "points").glob("*.json"):
        said = json.loads(sheet.read_text())
        del said["seal"], said["files"]
        sheet.write_text(json.dumps(said))
    before = shown(place)
    library = Library.open(place, shipped=False)
    assert (library.verify().without_sums, library.verify().wrong) == (2, ())
    library.rebuild()
    assert shown(place) == before
