"""Files for a server's readers: what a process of its own writes, how many at once, and for whom no longer."""

from __future__ import annotations

import threading
from pathlib import Path

import psutil
import pytest

from bench import export
from bench.errors import BenchError, UsageError
from bench.export.serving import desk
from bench.export.serving.desk import Busy, ExportDesk, VisitorLeft
from bench.library import Library
from bench.view import View
from tests.library.files import table
from tests.polling import until
from tests.thorough import some

CHILD = "bench.export.serving.child"

pytestmark = pytest.mark.long


@pytest.fixture
def library(tmp_path: Path) -> Library:
    held = Library.open(tmp_path / "library", shipped=False)
    held.add([table(tmp_path / "a.csv", *({"concurrency": 2**n} for n in range(5)))])
    return held


def children() -> list[psutil.Process]:
    return [one for one in psutil.Process().children() if CHILD in one.cmdline()]


@pytest.mark.parametrize("name", some(export.formats(), 1))
def test_a_process_writes_what_this_one_would(name: str, library: Library) -> None:
    kind, view = export.format_named(name), View.of({"concurrency": [2, 8]})
    with ExportDesk(library).written(kind, view) as file:
        assert file.read() == kind.write(library, view)
    assert not children()


def test_so_many_at_once_and_who_waits_gets_the_next_place(library: Library) -> None:
    at, kind = ExportDesk(library, at_once=1), export.format_named("markdown")
    leave = threading.Event()
    held = threading.Thread(target=pytest.raises, args=(VisitorLeft, at.written, kind, View(), leave.is_set))
    held.start()
    until(children)[0].suspend()
    with pytest.raises(Busy, match="1 export is being written"):
        at.written(kind, View())
    threading.Timer(0.5, leave.set).start()
    with at.written(kind, View(), wait_s=60) as file:
        assert file.read(2) == b"**"
    held.join()
    assert not children()


def test_a_file_that_takes_too_long_or_is_broken_off_is_told(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    at, kind = ExportDesk(library, at_once=1), export.format_named("markdown")
    monkeypatch.setattr(desk, "TIME_LIMIT_S", 0.01)
    with pytest.raises(UsageError, match=r"longer than 0\.01 s: narrow the selection"):
        at.written(kind, View())

    def kill() -> bool:
        for one in children():
            one.kill()
        return False

    monkeypatch.setattr(desk, "TIME_LIMIT_S", 60.0)
    with pytest.raises(BenchError, match="broke off"):
        at.written(kind, View(), kill)


def test_a_full_disk_is_told_in_a_sentence(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.TemporaryFile", lambda: open("/dev/full", "w+b"))  # noqa: SIM115
    with pytest.raises(BenchError, match="The export broke off; the library is unharmed"):
        ExportDesk(library).written(export.format_named("markdown"), View())
    assert not children()
