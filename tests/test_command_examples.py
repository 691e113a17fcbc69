"""Every command shows examples that can be typed, and those that only look, or change a library of their own, do."""

from __future__ import annotations

import argparse
import shlex
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.cli import main, parser
from bench.cli.arguments import EXAMPLES, PROGRAM, Parser, examples
from tests.test_cli import TABLE
from tests.thorough import QUICK

pytestmark = pytest.mark.long

STARTED = ("sweep", "status", "watch", "cancel", "resume", "run", "endpoint", "check")
"""These need an endpoint, a sweep that was started, or two sides; their own tests run them."""
SLOW = ("audit",)
CHANGING = ("import", "facts", "retract", "restore", "annotate", "tag", "rebuild", "verify", "completion")
"""What these do is tested of each by itself."""
OTHERS = ("purge",)
"""It needs a source that does not ship with Kneepoint."""


def commands(tree: Parser) -> Iterator[Parser]:
    """Every parser of this tree but the tree itself."""
    for action in tree._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield below
                yield from commands(below)


def words(example: str) -> list[str]:
    """What a shell passes to the program."""
    return shlex.split(example.partition(" > ")[0])


def test_every_command_says_in_its_help_what_it_does_with_an_example_of_its_own() -> None:
    for command in commands(parser()):
        name = command.prog.removeprefix(PROGRAM).strip()
        assert command.description, name
        assert examples(name), name
        told = command.format_help()
        assert all(f"\n  {PROGRAM} {example}\n" in told for example in examples(name))


def test_every_example_can_be_read() -> None:
    every = parser()
    assert all(every.parse_args(words(example)).run for example in EXAMPLES)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with what the examples name, in which those that change something change one library in turn."""
    folder = tmp_path_factory.mktemp("examples")
    (folder / "results").mkdir()
    (folder / "results" / "table.csv").write_text(TABLE)
    with zipfile.ZipFile(folder / "results.zip", "w") as archive:
        archive.write(folder / "results" / "table.csv", "table.csv")
    return folder


RUN = [one for one in EXAMPLES if words(one)[0] not in (*STARTED, *SLOW, *OTHERS)]
FIRST = {words(one)[0]: one for one in reversed(RUN) if words(one)[0] not in CHANGING}
"""An example of each command that only looks."""


@pytest.mark.parametrize("example", FIRST.values() if QUICK else RUN)
def test_an_example_does_what_it_shows(
    place: Path, example: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    monkeypatch.setenv("KNEEPOINT_LIBRARY", str(place / "library"))
    status = main(words(example))
    printed = capsys.readouterr()
    assert status == 0, printed.err
    if words(example)[0] not in ("endpoints", "history"):
        assert printed.out or printed.err
