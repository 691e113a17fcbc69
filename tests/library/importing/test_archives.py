"""Archives: what they hold is unpacked as it was packed, and whatever is no archive of results is refused whole."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import string
import struct
import tarfile
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import InputError
from bench.library.importing import archives
from bench.library.importing.archives import Unpacking, kind_of
from tests.library.packing import add, tarred, zip_of_links, zipped
from tests.thorough import times

Mode = Literal["w", "w:gz", "w:bz2", "w:xz"]
MODES: tuple[Mode, ...] = ("w", "w:gz", "w:bz2", "w:xz")
CONTENT = {"a.json": b"{}", "runs/1/b.csv": b"model\nx\n" * 5000, "runs/2/b.csv": b""}

names = st.text(string.ascii_letters + string.digits + " -_äß中", min_size=1, max_size=20).filter(
    lambda text: text.strip()
)
contents = st.dictionaries(
    st.lists(names, min_size=1, max_size=3).map(
        lambda parts: "/".join(["d" + part for part in parts[:-1]] + ["f" + parts[-1]])
    ),
    st.binary(max_size=3000),
    min_size=1,
    max_size=6,
)


def unpacked(path: Path, into: Path) -> dict[str, bytes]:
    """What came out, by its place; every file lies below the folder."""
    found = Unpacking(into).unpack(path)
    assert all(file.path.resolve().is_relative_to(into.resolve()) for file in found)
    return {file.place: file.path.read_bytes() for file in found}


def refused(path: Path, into: Path) -> str:
    with pytest.raises(InputError) as caught:
        Unpacking(into).unpack(path)
    message = str(caught.value)
    assert path.name in message
    assert "\n" not in message
    assert message.isprintable()
    return message


@given(contents, st.sampled_from(["zip", *MODES]))
def test_what_was_packed_is_unpacked(
    tmp_path_factory: pytest.TempPathFactory, content: dict[str, bytes], how: str
) -> None:
    place = tmp_path_factory.mktemp("packed")
    pack: dict[str, Callable[[Path], Path]] = {"zip": lambda path: zipped(path, content)}
    for mode in MODES:
        pack[mode] = lambda path, mode=mode: tarred(path, content, mode)  # type: ignore[misc]
    # the name says nothing: an archive is known by its content
    assert unpacked(pack[how](place / "results.csv"), place / "into") == content


def test_a_single_file_that_was_made_smaller_is_read(tmp_path: Path) -> None:
    for ending, compress in (("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)):
        path = tmp_path / f"run.json.{ending}"
        path.write_bytes(compress(b"[]" * 3000))
        assert unpacked(path, tmp_path / ending) == {"run.json": b"[]" * 3000}


def test_hidden_files_and_what_macos_adds_are_passed_over(tmp_path: Path) -> None:
    content = {
        "a.json": b"1",
        ".hidden": b"2",
        "x/.git/config": b"3",
        "__MACOSX/._a.json": b"4",
        "._a.json": b"5",
        "x/": b"",
    }
    assert unpacked(zipped(tmp_path / "z.zip", content), tmp_path / "1") == {"a.json": b"1"}
    assert "without a file" in refused(zipped(tmp_path / "empty.zip", {}), tmp_path / "3")
    dotted = {f"./{name}": text for name, text in content.items() if not name.endswith("/")}
    assert unpacked(tarred(tmp_path / "t.tar", dotted), tmp_path / "2") == {"a.json": b"1"}


OUT = ("../x.json", "a/../../x.json", "/etc/x.json", "C:\\x.json", "..\\x.json", "\\x.json", "a/..")
REFUSED: tuple[tuple[str, dict[str, bytes]], ...] = (
    *(("leads out", {"good.json": b"1", name: b"2"}) for name in OUT),
    *(("control characters", {name: b"1"}) for name in ("a\nb.json", "a\x1b[2J.json", "a\x7f.json")),
    *(("too long or too deep", {name: b"1"}) for name in ("x" * 256, "/".join("a" * 33), "ä" * 128)),
    ("without a file", {".x": b"1"}),
    ("cannot be unpacked", {"a": b"1", "a/b.json": b"2"}),
)


@pytest.mark.parametrize(("said", "content"), REFUSED, ids=str)
def test_an_archive_with_such_names_is_refused_whole(tmp_path: Path, said: str, content: dict[str, bytes]) -> None:
    for pack in (zipped, tarred):
        assert said in refused(pack(tmp_path / pack.__name__, content), tmp_path / f"into {pack.__name__}" / "deep")
    assert not list(tmp_path.rglob("x.json"))


@pytest.mark.parametrize("head", [b"7z\xbc\xaf\x27\x1c", b"Rar!\x1a\x07", b"\x28\xb5\x2f\xfd", b"encrypted", b"lzma"])
def test_what_is_packed_in_another_way_is_refused(tmp_path: Path, head: bytes) -> None:
    path = zipped(tmp_path / "x.zip", {"a.json": b"1"})
    if head == b"lzma":
        with zipfile.ZipFile(path, "w", zipfile.ZIP_LZMA) as archive:
            archive.writestr("a.json", "1")
    elif head == b"encrypted":
        content = bytearray(path.read_bytes())
        for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
            content[content.index(mark) + offset] |= 1
        path.write_bytes(content)
    else:
        path.write_bytes(head + bytes(600))
    assert refused(path, tmp_path / "into")


def test_folders_of_windows_are_folders(tmp_path: Path) -> None:
    path = zipped(tmp_path / "w.zip", {"runs\\": b"", "runs\\1\\a.json": b"1"})
    assert unpacked(path, tmp_path / "into") == {"runs/1/a.json": b"1"}


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (tarfile.SYMTYPE, "a link"),
        (tarfile.LNKTYPE, "a link"),
        (tarfile.CHRTYPE, "a device"),
        (tarfile.BLKTYPE, "a device"),
        (tarfile.FIFOTYPE, "a device"),
    ],
)
def test_links_and_devices_are_refused(tmp_path: Path, kind: bytes, said: str) -> None:
    path = tmp_path / "t.tar"
    with tarfile.open(path, "w") as archive:
        add(archive, "good.json", b"1")
        add(archive, "run.json", kind=kind, link="/etc/passwd")
        add(archive, "run.json/passwd", b"2")
    assert f"holds {said} (run.json)" in refused(path, tmp_path / "into")
    assert "holds a link (results.csv)" in refused(zip_of_links(tmp_path / "z.zip"), tmp_path / "into")


def test_a_name_that_stands_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "z.zip"
    with warnings.catch_warnings(action="ignore"), zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a/b.json", "1")
        archive.writestr("a//./b.json", "2")
    assert "holds a/b.json twice" in refused(path, tmp_path / "1")
    tar = tmp_path / "t.tar"
    with tarfile.open(tar, "w") as archive:
        add(archive, "b.json", b"1")
        add(archive, "b.json", b"2")
    assert "holds b.json twice" in refused(tar, tmp_path / "2")


def test_names_that_are_no_utf8_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.tar"
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT, encoding="latin-1") as archive:
        add(archive, "ergebnis-ä.json", b"1")
    assert "not UTF-8" in refused(path, tmp_path / "1")
    path = zipped(tmp_path / "z.zip", {"ergebnis-XY.json": b"1"})
    path.write_bytes(path.read_bytes().replace(b"XY", b"\xe4\xff"))
    assert "not UTF-8" in refused(path, tmp_path / "2")


def test_a_zip_of_macos_does_not_say_that_its_names_are_utf8(tmp_path: Path) -> None:
    path = zipped(tmp_path / "z.zip", {"ergebnis-XY.json": b"1"})
    path.write_bytes(path.read_bytes().replace(b"XY", "ä".encode()))
    assert unpacked(path, tmp_path / "into") == {"ergebnis-ä.json": b"1"}


class TestLimits:
    @pytest.fixture(autouse=True)
    def smaller(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(archives, "FREE_BYTES", 1 << 17)
        monkeypatch.setattr(archives, "MAX_ENTRIES", 20)
        monkeypatch.setattr(archives, "MAX_BYTES", 1 << 20)

    @pytest.mark.parametrize("how", ["zip", "w:gz", "w:bz2", "w:xz"])
    def test_what_inflates_beyond_proportion_is_stopped_on_the_way(self, tmp_path: Path, how: Mode) -> None:
        content = {"a.json": bytes(1 << 19)}
        path = zipped(tmp_path / "z", content) if how == "zip" else tarred(tmp_path / "z", content, how)
        assert "200 times its size" in refused(path, tmp_path / "into")
        came = sum(file.stat().st_size for file in (tmp_path / "into").rglob("*") if file.is_file())
        assert came <= archives.FREE_BYTES
        noise = random.Random(1).randbytes(1 << 18)
        hidden = zipped(tmp_path / "y", {"a.json": noise, "b.json": bytes(1 << 19)})
        assert "y/b.json inflates" in refused(hidden, tmp_path / "behind incompressible bytes")

    def test_a_header_that_lies_about_sizes_does_not_help(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(archives, "MAX_RATIO", 3)
        noise = random.Random(1).randbytes(1 << 19)
        path = zipped(tmp_path / "z", {"a.json": bytes(1 << 20), "b.json": noise})
        content = bytearray(path.read_bytes())
        for mark, offset in ((b"PK\x03\x04", 18), (b"PK\x01\x02", 20)):  # the compressed size, then the size
            struct.pack_into("<I", content, content.index(mark) + offset, 1 << 19)
        path.write_bytes(content)
        assert "z/a.json inflates to more than 3 times" in refused(path, tmp_path / "into")

    def test_the_bytes_of_all_entries_have_a_limit(self, tmp_path: Path) -> None:
        chance = random.Random(1)
        content = {f"{number}.json": chance.randbytes(1 << 17) for number in range(9)}
        assert "unpacks to more than 1,048,576 bytes" in refused(zipped(tmp_path / "z", content), tmp_path / "1")
        assert "unpacks to more than" in refused(tarred(tmp_path / "t", content, "w"), tmp_path / "2")

    def test_all_archives_of_an_import_have_a_limit_together(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(archives, "MAX_IN_ALL", 1 << 16)
        unpacking = Unpacking(tmp_path / "into")
        path = zipped(tmp_path / "z", {"a.json": random.Random(1).randbytes(40_000)})
        assert len(unpacking.unpack(path)) == 1
        with pytest.raises(InputError, match="unpacks to more than"):
            unpacking.unpack(path)

    def test_entries_are_counted_folders_and_hidden_ones_too_and_a_directory_has_a_limit(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name in ("{}/", ".{}"):
            crowded = zipped(tmp_path / "c", {name.format(number): b"" for number in range(21)})
            assert "holds more than 20 entries" in refused(crowded, tmp_path / "1")
        path = zipped(tmp_path / "z", {f"{number}.json": b"" for number in range(9)})
        monkeypatch.setattr(archives, "MAX_DIRECTORY", 100)
        assert "a directory of more than 100 bytes" in refused(path, tmp_path / "into")

    def test_the_headers_of_a_tar_have_a_limit(self, tmp_path: Path) -> None:
        path = tmp_path / "t.tar"
        with tarfile.open(path, "w", format=tarfile.PAX_FORMAT) as archive:
            entry = tarfile.TarInfo("a.json")
            entry.pax_headers = {"comment": "x" * 70_000}
            archive.addfile(entry, io.BytesIO())
        assert "more than 65,536 bytes" in refused(path, tmp_path / "into")


@pytest.mark.parametrize("how", ["zip", *MODES])
def test_a_damaged_archive_is_refused_or_gives_what_was_in_it(tmp_path: Path, how: str) -> None:
    """Every third byte flipped, and cut off anywhere: a sentence, or files that lie inside; no other error."""
    whole = zipped(tmp_path / "z", CONTENT) if how == "zip" else tarred(tmp_path / "z", CONTENT, how)  # type: ignore[arg-type]
    content, chance = whole.read_bytes(), random.Random(how)
    damaged = tmp_path / "damaged"
    for number in range(times(400, 40)):
        cut = bytearray(content[: chance.randrange(len(content))] if number % 3 == 0 else content)
        for _ in range(number % 3 * chance.randint(1, 4)):
            cut[chance.randrange(len(cut))] ^= 1 << chance.randrange(8)
        damaged.write_bytes(cut)
        if kind_of(damaged) is None:
            continue
        said = ""
        try:
            unpacked(damaged, tmp_path / f"into{number}")
        except InputError as problem:
            said = str(problem)
        assert "\n" not in said
