"""The import the app uses: what a hostile file does to the process that reads it is one sentence about that file."""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from bench import workers
from bench.errors import BenchError
from bench.library import ImportReport, Library
from bench.library.importing import sandbox
from bench.library.importing.sandbox import take_in
from tests.library.files import ROW, sweep, table
from tests.library.packing import tarred, zip_of_links, zipped
from tests.library.writers import importing, signalled

pytestmark = pytest.mark.long

MOST_CPU_S = 5.0
MOST_BYTES = 1_000_000_000


def points(library: Library) -> int:
    return int(library.fetch("SELECT count(*) FROM points")[0][0])


@pytest.fixture(scope="module")
def measuring() -> Iterator[ProcessPoolExecutor]:
    """A process of its own, since one that is started counts the memory of whoever started it as its own at first."""
    with ProcessPoolExecutor(1, get_context("spawn")) as process:
        yield process


def used(place: Path, path: Path) -> tuple[float, int]:
    """The processor seconds of a file's import, and the most bytes that any import took so far."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    take_in(Library.open(place, shipped=False), [path])
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, after.ru_maxrss * 1024


class TestTheReport:
    def test_is_that_of_an_import_in_this_process(self, library: Library, tmp_path: Path) -> None:
        bad = table(tmp_path / "bad.csv", {"output_tokens_per_s": "many"}, {"accelerator": None})
        (tmp_path / "notes.txt").write_text("nothing to read")
        zipped(tmp_path / "z.zip", {"runs/a.csv": sweep(tmp_path / "elsewhere", 3).read_bytes()})
        paths = [tmp_path, sweep(tmp_path, 1), bad]
        expected = Library.open(tmp_path / "other", shipped=False).add(paths, dry_run=True)
        assert [row.value for row in expected.refused if row.column] == ["many"]
        tried = take_in(library, paths, dry_run=True)
        assert tried == expected
        assert not library.path.exists()
        assert take_in(library, paths) == expected
        assert points(library) == 3 + 3 + 1

    def test_tells_how_far_it_is_by_the_names_that_were_given(
        self, library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        told: list[tuple[int, int, str]] = []
        files = [sweep(tmp_path / "files", number).relative_to(tmp_path) for number in range(3)]
        monkeypatch.chdir(tmp_path)
        report = take_in(library, files, progress=lambda *how_far: told.append(how_far))
        assert [row.file for row in report.imported] == [str(file) for file in files]
        looked, read = told[:3], told[3:]
        assert looked == [(0, 3, str(file)) for file in files]
        assert read == [*((done, 3, str(file)) for done, file in enumerate(files)), (3, 3, "")]


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of so many points that it takes a while to be read."""
    path = table(tmp_path_factory.mktemp("long") / "long.csv", {**ROW, "concurrency": 1})
    head, one = path.read_text().splitlines(keepends=True)
    path.write_text(head + one * 120_000)
    return path


class TestAFileThatEndsItsReader:
    def test_by_taking_too_long_is_refused_and_the_rest_goes_on(
        self, library: Library, long: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        files = [sweep(tmp_path, 0), long, sweep(tmp_path, 2)]
        usual = sandbox.FILE_LIMIT_S

        def limited(done: int, of: int, file: str) -> None:
            """The limit is tight for the long file alone: on a busy machine a short one may take its time too."""
            monkeypatch.setattr(sandbox, "FILE_LIMIT_S", 0.1 if file == str(files[1]) else usual)

        report = take_in(library, files, progress=limited)
        assert [(row.file, "stopped after 0.1 s" in row.reason) for row in report.refused] == [(str(long), True)]
        assert len(report.imported) == 2
        assert points(library) == 6
        assert library.fetch("SELECT file FROM refusals") == [("long.csv",)]
        assert list((library.path / "tmp").iterdir()) == []

    def test_by_taking_too_much_memory_is_refused(
        self, library: Library, long: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sandbox, "MEMORY", 100 << 20)
        report = take_in(library, [long, sweep(tmp_path, 2)])
        assert ["more memory" in row.reason for row in report.refused] == [True]
        assert points(library) == 3

    def test_by_killing_it_is_refused(self, library: Library, long: Path, tmp_path: Path) -> None:
        files = [sweep(tmp_path, 0), long, sweep(tmp_path, 3)]

        def die(done: int, of: int, file: str) -> None:
            if file == str(long) and done > 0:
                signalled(signal.SIGKILL)

        report = take_in(library, files, progress=die)
        assert [row.file for row in report.refused] == [str(long)]
        assert {row.file for row in report.imported} == {str(files[0]), str(files[2])}

    def test_again_and_again_is_given_up_with_nothing_imported(
        self, library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sandbox, "MOST_ENDED", 2)
        files = [sweep(tmp_path, number) for number in range(4)]
        with pytest.raises(BenchError, match="given up, since 2 of its files broke it off"):
            take_in(library, files, progress=lambda *_: signalled(signal.SIGKILL))
        library.refresh()
        assert points(library) == 0
        assert importing() == []

    def test_ends_with_the_caller_that_gives_up(self, library: Library, tmp_path: Path) -> None:
        def stop(*_: object) -> None:
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            take_in(library, [sweep(tmp_path, 1)], progress=stop)
        assert importing() == []
        assert points(library) == 0


class TestAChild:
    """What becomes of an import whose process does not do what it should."""

    @pytest.fixture
    def running(self, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
        """Has the next imports done by a process that runs this code once it has its request."""

        def instead(code: str) -> None:
            program = f"import sys, time; sys.stdin.readline(); {code}"
            monkeypatch.setattr(workers, "command", lambda module: [sys.executable, "-c", program])

        return instead

    def test_that_does_not_end_after_its_report_is_not_waited_for(
        self, library: Library, tmp_path: Path, running: Callable[[str], None]
    ) -> None:
        report = ImportReport(no_results=["notes.txt"])
        running(f"print({json.dumps({'report': report.document()})!r}, flush=True); time.sleep(600)")
        assert take_in(library, [sweep(tmp_path, 1)]) == report

    def test_that_dies_at_once_is_one_sentence(
        self, library: Library, tmp_path: Path, running: Callable[[str], None]
    ) -> None:
        running("sys.exit(3)")
        with pytest.raises(BenchError, match=r"The import broke off its reading \(status 3\)"):
            take_in(library, [sweep(tmp_path, 1)])

    def test_that_opens_no_file_is_stopped(
        self, library: Library, tmp_path: Path, running: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        running("time.sleep(600)")
        monkeypatch.setattr(sandbox, "START_LIMIT_S", 0.1)
        with pytest.raises(BenchError, match=r"The import was stopped after 0\.1 s"):
            take_in(library, [sweep(tmp_path, 1)])


def sparse(path: Path, begins: bytes) -> Path:
    path.write_bytes(begins)
    os.truncate(path, 2_000_000_000)
    return path


def nested(path: Path, opening: str, inner: str, closing: str) -> Path:
    path.write_text(opening + "[" * 100_000 + inner + "]" * 100_000 + closing)
    return path


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


VLLM = json.loads((Path(__file__).parents[2] / "samples" / "vllm" / "concurrency-4.json").read_text())
HEADER = "model,output_tokens_per_s\n"
DIGITS = "9" * 100_000

HOSTILE: Mapping[str, Callable[[Path], Path]] = {
    "a zip that leads out": lambda p: zipped(p / "a.zip", {"../../x.csv": b"1"}),
    "a tar that leads out": lambda p: tarred(p / "a.tgz", {"../../x.csv": b"1"}),
    "a zip of links": lambda p: zip_of_links(p / "a.zip"),
    "a sparse table": lambda p: sparse(p / "a.csv", HEADER.encode()),
    "a sparse file": lambda p: sparse(p / "a.json", b""),
    "sparse JSON": lambda p: sparse(p / "a.json", json.dumps(VLLM).encode()),
    "a whole number of 100,000 digits in JSON": lambda p: written(
        p / "a.json", json.dumps({**VLLM, "completed": 1}).replace(": 1,", f": {DIGITS},").encode()
    ),
    "a number of 100,000 digits in a table": lambda p: written(p / "a.csv", f"{HEADER}m,{DIGITS}\n".encode()),
    "a list of 100,000 levels": lambda p: nested(p / "a.json", "", "", ""),
    "a result with 100,000 levels": lambda p: nested(p / "a.json", json.dumps(VLLM)[:-1] + ',"x":', "1", "}"),
    "YAML of aliases": lambda p: written(
        p / "a.yaml",
        b"a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n"
        + b"".join(b"a%d: &a%d [%s]\n" % (n, n, b",".join([b"*a%d" % (n - 1)] * 10)) for n in range(1, 12)),
    ),
    "a llm-d report of aliases": lambda p: written(
        p / "a.yaml",
        b"version: '0.1'\nmetrics: &a [1]\nscenario: *a\n"
        + b"".join(b"a%d: &a%d [%s]\n" % (n, n, b",".join([b"*a"] * 10)) for n in range(1, 12)),
    ),
    "half a UTF-16 text": lambda p: written(p / "a.csv", b"\xff\xfe" + HEADER.encode("utf-16-le") + b"\x00\xd8\x00"),
}


def crowded(place: Path) -> Path:
    """A result with ten million objects beside it."""
    return written(place / "a.json", json.dumps(VLLM)[:-1].encode() + b',"x":[' + b'{"a":1},' * 10_000_000 + b"1]}")


@pytest.mark.timed
@pytest.mark.parametrize("make", [*HOSTILE.values(), crowded], ids=[*HOSTILE, "ten million objects"])
def test_a_hostile_file_takes_seconds_and_little_memory(
    measuring: ProcessPoolExecutor, tmp_path: Path, make: Callable[[Path], Path]
) -> None:
    cpu_s, most_bytes = measuring.submit(used, tmp_path / "library", make(tmp_path)).result()
    assert cpu_s < MOST_CPU_S
    assert most_bytes < MOST_BYTES


def test_hostile_files_are_refused_in_a_sentence_each_and_do_not_keep_a_good_one_out(
    library: Library, tmp_path: Path
) -> None:
    paths = []
    for number, make in enumerate(HOSTILE.values()):
        (tmp_path / f"{number}").mkdir()
        paths.append(make(tmp_path / f"{number}"))
    good = sweep(tmp_path, 1)
    report = take_in(library, [*paths[1:], good, paths[0]])
    assert [row.file for row in report.imported] == [str(good)]
    assert {row.file for row in report.refused} == set(map(str, paths))
    for refused in report.refused:
        assert refused.reason.endswith((".", ")"))
        assert "\n" not in refused.reason
        assert len(refused.reason) < 10_000
    assert not list(tmp_path.rglob("x.csv"))
