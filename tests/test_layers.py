"""The import rule: a module imports from lower layers and from its own package, never upwards or sideways."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# From the ground up; modules of one line do not import each other.
LAYERS = (
    ("errors", "plain_text"),
    ("names",),
    ("catalogue",),
    ("records", "flags", "old_links"),
    ("view", "access", "wording"),
    ("formats", "maths"),
    ("library", "endpoint"),
    ("selection", "chart"),
    ("basis",),
    ("holdings", "dictionary", "sql_examples"),
    ("questions", "sweep"),
    ("snapshot", "export", "quality", "onward", "destinations", "next_steps", "audit"),
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


def breaking(rule: Callable[[Path], list[str]], files: Sequence[Path]) -> dict[str, list[str]]:
    """What in each of these files breaks a rule, by the names of those where something does."""
    assert files
    return {name_of(path): found for path in files if (found := rule(path))}


@cache
def imported(path: Path) -> tuple[str, ...]:
    """Absolute dotted names of all that a file imports, wherever in the file."""
    return tuple(_imported(path))


def _imported(path: Path) -> Iterator[str]:
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


def upstairs(path: Path) -> list[str]:
    """The rooms of a sweep that a file reaches though they stand no lower than its own."""
    height = {name: height for height, names in enumerate(SWEEP_LAYERS) for name in names}
    own = path.relative_to(ROOT / "bench" / "sweep").parts[0].removesuffix(".py")
    reached = {name.split(".")[2] for name in imported(path) if name.startswith("bench.sweep.")} - {own}
    top = len(SWEEP_LAYERS)
    return [name for name in sorted(reached) if own in height and height.get(name, top) >= height[own]]


def foreign(path: Path) -> list[str]:
    """What a page imports by less than its full name, or from where no page may."""
    tops = ("shared", "tests", "data", "duckdb")
    return [name for name in imported(path) if name.split(".")[0] in tops]


def sql(path: Path) -> list[str]:
    """The texts of a file that are SQL."""
    return [
        node.value
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.search(node.value)
    ]


def too_long(path: Path) -> list[str]:
    """The functions of a file that do not fit on a screen, and the file where it has 600 lines."""
    text = path.read_text()
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    lines = len(text.splitlines())
    return [f"{lines} lines"] * (lines >= 600) + [
        f"{node.name}: {node.end_lineno - node.lineno + 1} lines"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, functions) and node.end_lineno and node.end_lineno - node.lineno >= 60
    ]


def test_bench_imports_only_downwards() -> None:
    assert not breaking(upward, BENCH)


def test_the_rooms_of_a_sweep_import_only_downwards() -> None:
    assert not breaking(upstairs, SWEEP)


def test_pages_reach_each_other_by_their_full_name_and_hold_no_sql() -> None:
    assert not breaking(foreign, PAGES + APP)
    assert not breaking(sql, PAGES + APP)


def test_a_file_stays_below_600_lines_and_a_function_fits_on_a_screen() -> None:
    assert not breaking(too_long, BENCH + PAGES + APP)


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
