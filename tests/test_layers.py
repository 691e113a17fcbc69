"""The import rule: a module imports from lower layers and from its own package, never upwards or sideways."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# From the ground up; modules of one line do not import each other.
LAYERS = (
    ("errors", "plain_text"),
    ("names",),
    ("catalogue",),
    ("records",),
    ("view", "access", "wording"),
    ("formats", "maths"),
    ("library", "endpoint"),
    ("selection", "chart", "pricing"),
    ("holdings", "dictionary", "sql_examples"),
    ("questions", "sweep"),
    ("snapshot", "export", "quality", "onward"),
    ("report",),
    ("cli", "api"),
    ("__main__",),
)
SWEEP_LAYERS = (("planning", "wire"), ("folder",), ("generator",), ("checks",), ("measured",))
"""The rooms of bench/sweep/; what else lies there stands above them."""
HEIGHT = {name: height for height, names in enumerate(LAYERS) for name in names}

BENCH = sorted((ROOT / "bench").rglob("*.py"))
SWEEP = sorted((ROOT / "bench" / "sweep").rglob("*.py"))
PAGES = sorted((ROOT / "pages").rglob("*.py"))
APP = [path for path in [ROOT / "app.py"] if path.exists()]

TABLES = "points|scores|prices|accelerators|models|refusals|notes|sources|passports"
SQL = re.compile(rf"\bselect\b.+\bfrom\s+({TABLES})\b|\bgroup\s+by\b", re.IGNORECASE | re.DOTALL)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def imported(path: Path) -> Iterator[str]:
    """Absolute dotted names of all that a file imports, wherever in the file."""
    package = path.relative_to(ROOT).parent.parts
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            start = ".".join((*base, *([node.module] if node.module else [])))
            yield from (f"{start}.{alias.name}" for alias in node.names)


def upward(path: Path) -> list[str]:
    """The imports of a file of bench/ that break the rule."""
    own = path.relative_to(ROOT / "bench").parts[0].removesuffix(".py")
    if own == "__init__":
        return list(imported(path))
    assert own in HEIGHT, f"bench/{own} stands on no layer yet: give it its place in LAYERS"
    wrong = []
    for name in imported(path):
        top, _, rest = name.partition(".")
        if top in ("app", "pages", "tests", "data", "streamlit"):
            wrong.append(name)
        elif top == "bench" and rest:
            other = rest.split(".")[0]
            if other != own and HEIGHT.get(other, len(LAYERS)) >= HEIGHT[own]:
                wrong.append(name)
    return wrong


@pytest.mark.parametrize("path", BENCH, ids=name_of)
def test_bench_imports_only_downwards(path: Path) -> None:
    assert not upward(path)


@pytest.mark.parametrize("path", SWEEP, ids=name_of)
def test_the_rooms_of_a_sweep_import_only_downwards(path: Path) -> None:
    height = {name: height for height, names in enumerate(SWEEP_LAYERS) for name in names}
    own = path.relative_to(ROOT / "bench" / "sweep").parts[0].removesuffix(".py")
    reached = {name.split(".")[2] for name in imported(path) if name.startswith("bench.sweep.")} - {own}
    top = len(SWEEP_LAYERS)
    assert own not in height or not [name for name in reached if height.get(name, top) >= height[own]]


@pytest.mark.parametrize("path", PAGES + APP, ids=name_of)
def test_pages_reach_each_other_by_their_full_name_and_hold_no_sql(path: Path) -> None:
    assert not [name for name in imported(path) if name.split(".")[0] in ("shared", "tests", "data")]
    text = [
        node.value
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    assert not [sentence for sentence in text if SQL.search(sentence)]
    assert "duckdb" not in {name.split(".")[0] for name in imported(path)}


@pytest.mark.parametrize("path", BENCH + PAGES + APP, ids=name_of)
def test_a_file_stays_below_400_lines_and_a_function_fits_on_a_screen(path: Path) -> None:
    assert len(path.read_text().splitlines()) < 400
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    assert not [
        f"{node.name}: {node.end_lineno - node.lineno + 1} lines"
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, functions) and node.end_lineno and node.end_lineno - node.lineno >= 60
    ]


def test_the_rule_sees_a_wrong_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    wrong = tmp_path / "bench" / "maths" / "wrong.py"
    wrong.parent.mkdir(parents=True)
    wrong.write_text(
        "import streamlit\n"
        "from bench import questions, errors\n"
        "from ..formats import published\n"
        "from .pareto import frontier\n"
        "def late():\n    from bench.library import Library\n"
    )
    assert upward(wrong) == [
        "streamlit",
        "bench.questions",
        "bench.formats.published",
        "bench.library.Library",
    ]
