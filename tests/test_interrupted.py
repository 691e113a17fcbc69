"""A command that is told to end clears away after itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from bench import cli
from bench.library import Library
from tests.polling import until
from tests.thorough import some

pytestmark = pytest.mark.long

ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
MANY = 1500
"""Files that take longer to import than a busy machine may take to say that the import has begun."""


@pytest.mark.parametrize("number", some(ENDING, 1))
def test_an_import_that_is_told_to_end_leaves_nothing_behind(tmp_path: Path, number: signal.Signals) -> None:
    """Told so while it unpacks and reads; what was published before then is there, and nothing else is."""
    archive, temporary = tmp_path / "many.zip", tmp_path / "tmp"
    temporary.mkdir()
    with zipfile.ZipFile(archive, "w") as many:
        for row in range(MANY):
            many.writestr(f"{row}.csv", f"model,output_tokens_per_s\nm{row},{row + 1}\n")
    command = [sys.executable, "-m", "bench", "import", str(archive)]
    command += ["--no-shipped", "--library", str(tmp_path / "library")]
    with subprocess.Popen(command, env={**os.environ, "TMPDIR": str(temporary)}, stderr=subprocess.PIPE) as importing:
        until(lambda: any(path.is_dir() for path in temporary.iterdir()))
        importing.send_signal(number)
        importing.communicate(timeout=60)
    assert importing.returncode == 128 + number
    assert list(temporary.iterdir()) == []
    points = Library.open(tmp_path / "library", shipped=False).fetch("select count(*) n from points")
    assert points == [(0,)] or points == [(MANY,)]


def test_each_signal_unwinds_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    for number in ENDING:  # the handler is called, not the signal sent: without one it would end the tests
        monkeypatch.setattr(cli, "parser", lambda _, number=number: signal.getsignal(number)(number, None))
        before = signal.signal(number, signal.default_int_handler if number is signal.SIGINT else signal.SIG_DFL)
        try:
            assert cli.main([]) == 128 + number
        finally:
            signal.signal(number, before)
