"""The import rule: a module imports from lower layers and from its own package, never upwards or sideways."""

from __future__ import annotations

import ast
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cache
from graphlib import CycleError, TopologicalSorter
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[1]

README = (ROOT / "README.md").read_text(encoding="utf-8")
TABLE = {
    int(height): (modules, about)
    for height, modules, about in re.findall(r"^\| (\d) \| (.+?) \| (.+) \|$", README, re.M)
}
MODULE = re.compile(r"`(?:bench/)?(\w+)(?:/|\.py)?`")
LAYERS = [MODULE.findall(line) for height in sorted(TABLE) for line in TABLE[height][0].split(";")]
"""What the README's table says, from the ground up; modules of one line do not import each other."""
HEIGHT = {name: height for height, names in enumerate(LAYERS) for name in names}
SWEEP = MODULE.findall(TABLE[4][1].partition("from below:")[2])
"""The rooms of a sweep as the README orders them, from below."""

BENCH = sorted((ROOT / "bench").rglob("*.py"))
PAGES = sorted((ROOT / "pages").rglob("*.py"))
APP = [path for path in [ROOT / "app.py"] if path.exists()]

TABLES = "points|scores|prices|accelerators|models|refusals|notes|sources|passports"
SQL = re.compile(rf"\bselect\b.+\bfrom\s+({TABLES})\b|\bgroup\s+by\b", re.IGNORECASE | re.DOTALL)


@cache
def nodes(path: Path) -> list[ast.AST]:
    """Every node of a file, which is parsed once for all rules."""
    return list(ast.walk(ast.parse(path.read_text())))


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def breaking(rule: Callable[[Path], list[str]], files: Sequence[Path]) -> dict[str, list[str]]:
    """What in each of these files breaks a rule, by the names of those where something does."""
    assert files
    return {name_of(path): found for path in files if (found := rule(path))}


@cache
def imported(path: Path) -> tuple[str, ...]:
    """Absolute dotted names of all that a file imports, wherever in the file, types included."""
    return tuple(_imported(path))


def _imported(path: Path) -> Iterator[str]:
    package = path.relative_to(ROOT).parent.parts
    for node in nodes(path):
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
    assert own in HEIGHT, f"bench/{own} stands on no layer yet: give it its place in README's table"
    wrong = []
    for name in imported(path):
        top, _, rest = name.partition(".")
        if top in ("tests", "data", "streamlit") or HEIGHT.get(top, 0) > HEIGHT[own]:
            wrong.append(name)
        elif top == "bench" and rest:
            other = rest.split(".")[0]
            if other != own and HEIGHT.get(other, len(LAYERS)) >= HEIGHT[own]:
                wrong.append(name)
    return wrong


def reached(files: Sequence[Path]) -> dict[str, set[str]]:
    """The modules among these files by their dotted names, each with those of them that it imports."""
    paths = {module_name(path): path for path in files}
    return {
        name: {other for one in imported(path) if (other := nearest(one, paths)) != name and other}
        for name, path in paths.items()
    }


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def nearest(name: str, modules: Collection[str]) -> str:
    """The module that an imported name is, or lies in; "" where it is none of these."""
    while name and name not in modules:
        name = name.rpartition(".")[0]
    return name


def rooms_of(package: str, reached: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """The folders and files in a package, each with those that what lies in it reaches."""
    depth = package.count(".") + 1
    rooms: dict[str, set[str]] = {}
    for name, others in reached.items():
        if name.startswith(f"{package}."):
            room = name.split(".")[depth]
            beside = {other.split(".")[depth] for other in others if other.startswith(f"{package}.")}
            rooms[room] = rooms.get(room, set()) | (beside - {room})
    return rooms


def circle(reached: Mapping[str, set[str]]) -> list[str]:
    """The names of a circle among these, or [] where there is none."""
    try:
        TopologicalSorter(reached).prepare()
    except CycleError as problem:
        return list(problem.args[1])
    return []


def foreign(path: Path) -> list[str]:
    """What a page imports by less than its full name, or from where no page may."""
    tops = ("shared", "tests", "data", "duckdb")
    return [name for name in imported(path) if name.split(".")[0] in tops]


def sql(path: Path) -> list[str]:
    """The texts of a file that are SQL."""
    return [
        node.value
        for node in nodes(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and SQL.search(node.value)
    ]


def too_long(path: Path) -> list[str]:
    """The functions of a file that do not fit on a screen, and the file where it has 600 lines."""
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    lines = len(path.read_text().splitlines())
    return [f"{lines} lines"] * (lines >= 600) + [
        f"{node.name}: {node.end_lineno - node.lineno + 1} lines"
        for node in nodes(path)
        if isinstance(node, functions) and node.end_lineno and node.end_lineno - node.lineno >= 60
    ]


def types(path: Path) -> list[str]:
    """The names of a file's classes, and of the types that its module gives a name of its own."""
    body = nodes(path)[0].body  # type: ignore[attr-defined]  # the module
    assigned = [node.targets[0] for node in body if isinstance(node, ast.Assign)]
    assigned += [node.target for node in body if isinstance(node, ast.AnnAssign)]
    named = [target.id for target in assigned if isinstance(target, ast.Name)]
    classes = [node.name for node in nodes(path) if isinstance(node, ast.ClassDef)]
    return [*classes, *(name for name in named if re.fullmatch(r"_?[A-Z]\w*[a-z]\w*", name))]


def test_bench_imports_only_downwards() -> None:
    assert not breaking(upward, BENCH)


def test_every_layer_holds_what_is_there() -> None:
    rooms = {path.relative_to(ROOT / "bench").parts[0].removesuffix(".py") for path in BENCH} - {"__init__"}
    assert Counter(name for names in LAYERS for name in names) == Counter(rooms | {"app", "pages"})


def test_a_sweeps_rooms_import_only_those_below() -> None:
    rooms = rooms_of("bench.sweep", reached(BENCH))
    assert sorted(SWEEP) == sorted(rooms.keys() - {"__main__"})
    assert {room: others for place, room in enumerate(SWEEP) if (others := rooms[room] - set(SWEEP[:place]))} == {}


def test_neither_modules_nor_rooms_import_each_other_in_a_circle() -> None:
    every = reached(BENCH + PAGES)
    assert not circle(every)
    packages = [module_name(path) for path in BENCH + PAGES if path.stem == "__init__"]
    assert [package for package in packages if circle(rooms_of(package, every))] == []


def named(name: str) -> set[str]:
    """The distributions a requirements file asks for itself; the rest is what those need."""
    above = (ROOT / name).read_text().split("# What those need.")[0]
    return {canonicalize_name(line.split("==")[0]) for line in above.splitlines() if "==" in line}


def test_the_app_asks_for_what_it_imports() -> None:
    imports = {name.partition(".")[0] for path in APP + BENCH + PAGES for name in imported(path)}
    makers = packages_distributions()
    foreign = imports - set(sys.stdlib_module_names) - {"bench", "pages", "app"}
    asked = named("requirements.txt") | named("requirements-tokenizer.txt")
    assert {canonicalize_name(makers[name][0]) for name in foreign} <= asked


def test_the_walks_of_the_architecture_lead_through_files_that_are_there() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    named = re.findall(r"^\d+\. .*?`([^`]+)`: ", text, flags=re.MULTILINE)
    assert len(named) > 20
    assert [name for name in named if not (ROOT / name).is_file()] == []


def test_pages_reach_each_other_by_their_full_name_and_hold_no_sql() -> None:
    assert not breaking(foreign, PAGES + APP)
    assert not breaking(sql, PAGES + APP)


def test_a_file_stays_below_600_lines_and_a_function_fits_on_a_screen() -> None:
    assert not breaking(too_long, BENCH + PAGES + APP)


def test_a_name_of_a_class_or_a_type_is_used_once() -> None:
    names = Counter(name for path in BENCH + PAGES + APP for name in types(path))
    assert len(names) > 300
    assert [name for name, times in names.items() if times > 1] == []


def test_the_rules_see_what_breaks_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this they could pass on nothing."""
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    wrong = tmp_path / "bench" / "maths" / "wrong.py"
    wrong.parent.mkdir(parents=True)
    wrong.write_text(
        "import streamlit\n"
        "from bench import questions, errors\n"
        "from ..formats import published\n"
        "from .pareto import frontier\n"
        "from shared import frame\n"
        "Pair = tuple[int, int]\n"
        "def late():\n    from bench.library import Library\n    'SELECT model FROM points'\n" + 60 * "    0\n"
    )
    assert upward(wrong) == ["streamlit", "bench.questions", "bench.formats.published", "bench.library.Library"]
    assert (foreign(wrong), sql(wrong)) == (["shared.frame"], ["SELECT model FROM points"])
    assert (too_long(wrong), types(wrong)) == (["late: 63 lines"], ["Pair"])
    ring = {"bench.a.x": {"bench.b.y"}, "bench.b.y": {"bench.a.z"}, "bench.a.z": set[str]()}
    assert (circle(ring), sorted(circle(rooms_of("bench", ring)))) == ([], ["a", "a", "b"])
