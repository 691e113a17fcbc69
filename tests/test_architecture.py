"""The walks of docs/architecture.md: every file is there, and is tied to the one before as the page says."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest

from tests.test_layers import APP, BENCH, PAGES, ROOT, module_name, reached

TEXT = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
WALKS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", TEXT, flags=re.DOTALL | re.MULTILINE))
STEP = re.compile(r"^(\d+)\. (?:(imports|imported by|starts|lists|listed by) )?`([^`]+)`: (.+)$")
Step = tuple[str, Path]


@cache
def needed() -> dict[str, set[str]]:
    return reached([*BENCH, *PAGES, *APP])


def steps(walk: str) -> list[Step]:
    """How each file of a walk is tied to the one before, and the file."""
    lines = WALKS[walk].strip().splitlines()
    found = [match for line in lines if (match := STEP.match(line))]
    assert len(found) == len(lines), walk
    assert [int(match[1]) for match in found] == list(range(1, len(lines) + 1))
    return [(match[2] or "", ROOT / match[3]) for match in found]


def is_tied(how: str, before: Path, file: Path) -> bool:
    if how in ("imported by", "listed by"):
        before, file = file, before
    if how.startswith("import"):
        return module_name(file) in needed()[module_name(before)]
    if how == "starts":
        return f'"{module_name(file).removesuffix(".__main__")}"' in before.read_text(encoding="utf-8")
    folder = before.parent
    return "pkgutil.iter_modules(__path__)" in before.read_text(encoding="utf-8") and folder in file.parents


@pytest.mark.parametrize("walk", WALKS)
def test_each_file_is_there_and_tied_to_the_one_before(walk: str) -> None:
    way = steps(walk)
    assert not [str(file) for _, file in way if not file.is_file()]
    assert [how for how, _ in way].index("") == 0
    loose = [f"{before.name} {how} {file.name}" for (_, before), (how, file) in pairwise(way)
             if not is_tied(how, before, file)]  # fmt: skip
    assert loose == []


def test_there_are_three_walks_and_the_readme_leads_to_them() -> None:
    assert list(WALKS) == ["A file to a chart", "A form field to the journal", "A metric to a cell"]
    assert "(docs/architecture.md)" in (ROOT / "README.md").read_text(encoding="utf-8")
