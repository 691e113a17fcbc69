"""docs/formats.md names every format, every metric that each files, and only keys that its module reads."""

from __future__ import annotations

import ast
import importlib
import re
from functools import cache
from pathlib import Path

import pytest

from bench import catalogue, formats
from bench.formats import Format
from tests.formats.damage import SAMPLES, main_files
from tests.formats.reading_of import passports

ROOT = Path(__file__).resolve().parents[2]
DOCS = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (.+?)\n(.*?)(?=^## |\Z)", DOCS, flags=re.DOTALL | re.MULTILINE))
FORMATS = {module.NAME: module for module in formats.modules()}
TOOLS = sorted(folder.name for folder in SAMPLES.iterdir() if folder.is_dir())
METRICS = {row.key for row in catalogue.METRICS}
every_tool = pytest.mark.parametrize("name", TOOLS)


def words(text: str) -> set[str]:
    """What stands in backticks."""
    return set(re.findall(r"`([^`\n]+)`", text))


def base(metric: str) -> str:
    """The metric without its statistic."""
    return re.sub(r"_(mean|std|min|max|p\d+(_\d+)?)$", "", metric)


@cache
def texts_in(module: Format) -> str:
    """Every text in the code of a format and of all of bench/formats that it uses, what explains it left out."""
    found, left = {}, [Path(str(importlib.import_module(f"bench.formats.{module.NAME}").__file__))]
    while left:
        path = left.pop()
        if path not in found:
            found[path], used = _of_file(path)
            left += used
    return "\n".join(found.values())


@cache
def _of_file(path: Path) -> tuple[str, list[Path]]:
    """The texts of one file, and the files of bench/formats that it uses."""
    tree = ast.parse(path.read_text())
    names = [
        f"{node.module}.{alias.name}" if below else str(node.module)
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith("bench.formats")
        for alias in node.names
        for below in (True, False)
    ]
    files = [ROOT / f"{name.replace('.', '/')}.py" for name in names]
    return "\n".join(_texts(tree)), [file for file in files if file.is_file()]


def _texts(tree: ast.Module) -> list[str]:
    explained = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in explained
    ]


def test_every_format_has_a_section() -> None:
    assert {module.TITLE for module in FORMATS.values()} <= SECTIONS.keys()


@every_tool
def test_every_metric_it_files_is_named_and_no_other_and_every_key_is_one_that_it_reads(name: str) -> None:
    section, code = SECTIONS[FORMATS[name].TITLE], texts_in(FORMATS[name])
    filed = {base(metric) for path in main_files(name) for metric in passports(path)}
    named = words(section) & METRICS
    assert filed - named == set()
    assert {metric for metric in named - filed if not re.search(rf"\b{metric}\b", code)} == set()
    rows = re.findall(r"^\| (?!in the file|---)(.*?) \|", section, re.MULTILINE)
    keys = {key for row in rows for key in words(row)}
    assert keys
    assert {key for key in keys if not re.search(rf"\b{re.escape(key)}\b", code)} == set()
