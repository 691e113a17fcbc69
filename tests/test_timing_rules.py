"""Outside `timed` no test asserts an upper bound on time or memory, and browser tests wait instead of looking once."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
NOT_IN_MAKE_TEST = ("benchmarks", "engine")
CLOCK = re.compile(r"\b(monotonic|perf_counter|process_time|thread_time|time\.time)(_ns)?\(\)")
MEMORY = re.compile(r"memory_info\(|memory_full_info\(|getrusage\(|get_traced_memory\(|VmHWM|VmRSS|VmPeak|cpu_times\(")
ORDERS = ast.Lt | ast.LtE | ast.Gt | ast.GtE
LOOKS_ONCE = re.compile(r"assert .*\.(?:is_visible|is_hidden|is_enabled|inner_text|count)\(\)")


def sources() -> dict[str, str]:
    """The modules of tests that `make test` runs, by path."""
    paths = sorted(path.relative_to(TESTS) for path in TESTS.rglob("*.py"))
    return {path.as_posix(): (TESTS / path).read_text() for path in paths if path.parts[0] not in NOT_IN_MAKE_TEST}


def is_figure(node: ast.AST, names: set[str]) -> bool:
    """Whether an expression is a span of time or a size of memory: one that is read, or one with such a name in it."""
    text = ast.unparse(node)
    spans = [one for one in ast.walk(node) if isinstance(one, ast.BinOp) and isinstance(one.op, ast.Sub)]
    read = bool(MEMORY.search(text)) or any(CLOCK.search(ast.unparse(span.left)) for span in spans)
    return read or any(isinstance(one, ast.Name) and one.id in names for one in ast.walk(node))


def figures(function: ast.AST, measuring: set[str]) -> set[str]:
    """The names in a function that hold such a figure; `measuring` are the functions that return one."""
    names = set(measuring)
    for _ in range(2):
        for node in ast.walk(function):
            if isinstance(node, ast.Assign) and is_figure(node.value, names):
                names |= {one.id for target in node.targets for one in ast.walk(target) if isinstance(one, ast.Name)}
    return names


def upper_bounds(function: ast.AST, measuring: set[str], checking: set[str]) -> Iterator[int]:
    """The lines of a function that assert that such a figure is below something, or about something; or that it is not
    yet so late, but for a while loop, which waits; or that hand such a figure to a function of the tests to check it.
    """
    names = figures(function, measuring)
    waits = {inner for one in ast.walk(function) if isinstance(one, ast.While) for inner in ast.walk(one)}
    for check in (one for one in ast.walk(function) if isinstance(one, ast.Assert)):
        for node in (one for one in ast.walk(check.test) if isinstance(one, ast.Compare)):
            sides = [node.left, *node.comparators]
            for left, sign, right in zip(sides, node.ops, sides[1:], strict=False):
                small = right if isinstance(sign, ast.Gt | ast.GtE) else left
                late = check not in waits and CLOCK.search(ast.unparse(small))
                about = isinstance(sign, ast.Eq) and "approx(" in ast.unparse(right)
                if (about or isinstance(sign, ORDERS)) and (late or is_figure(small, names)):
                    yield check.lineno
    for one in (one.value for one in ast.walk(function) if isinstance(one, ast.Expr)):
        if isinstance(one, ast.Call) and ast.unparse(one.func) in checking:
            yield from [one.lineno for argument in one.args if is_figure(argument, names)]


def untimed(tree: ast.AST, timed: bool = False) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """The functions of a module that neither they, their class nor the module mark as timed."""
    body = getattr(tree, "body", [])
    marks = [one for one in body if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "pytestmark"]
    timed = timed or any("mark.timed" in ast.unparse(one.value) for one in marks)
    for node in body:
        marked = timed or any("mark.timed" in ast.unparse(one) for one in getattr(node, "decorator_list", ()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and not marked:
            yield node
        elif isinstance(node, ast.ClassDef):
            yield from untimed(node, marked)


@cache
def functions(module: str) -> dict[str, bool]:
    """The functions of a module of tests that reads a clock or looks at memory, and whether each returns a figure."""
    path = TESTS.parent / f"{module.replace('.', '/')}.py"
    source = path.read_text() if path.exists() else ""
    return functions_of(ast.parse(source)) if reads(source) else {}


def functions_of(tree: ast.Module) -> dict[str, bool]:
    """The functions of a module by name, and whether each returns such a figure."""
    found = [one for one in ast.walk(tree) if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
    named = {one.name: figures(one, set()) for one in found}
    returned = ((one.name, node.value) for one in found for node in ast.walk(one) if isinstance(node, ast.Return))
    measuring = {name for name, value in returned if value and is_figure(value, named[name])}
    return {one.name: one.name in measuring for one in found}


def reads(source: str) -> bool:
    """Whether a module reads a clock or looks at memory."""
    return bool(CLOCK.search(source) or MEMORY.search(source))


def broken(source: str) -> list[int]:
    """The lines of a module that bound a figure outside what is timed."""
    theirs = {module: functions(module) for module in re.findall(r"^from (tests\.[\w.]+) import", source, re.M)}
    if not reads(source) and not any(theirs.values()):
        return []
    tree = ast.parse(source)
    known = functions_of(tree)
    for node in (one for one in ast.walk(tree) if isinstance(one, ast.ImportFrom)):
        found = theirs.get(node.module or "", {})
        known |= {alias.asname or alias.name: found[alias.name] for alias in node.names if alias.name in found}
    measuring = {name for name, measures in known.items() if measures}
    return [line for function in untimed(tree) for line in upper_bounds(function, measuring, set(known))]


def test_only_timed_tests_bound_time_and_memory() -> None:
    assert {path: lines for path, source in sources().items() if (lines := broken(source))} == {}


def test_browser_tests_wait_for_what_they_assert() -> None:
    files = sorted((TESTS / "e2e").glob("test_*.py"))
    assert {path.name: found for path in files if (found := LOOKS_ONCE.findall(path.read_text()))} == {}
    assert [path.name for path in files if re.search(r"\bsleep\(", path.read_text())] == []


@pytest.mark.parametrize(
    ("body", "is_broken"),
    [
        ("began = time.monotonic()\n    act()\n    assert time.monotonic() - began < 5", True),
        ("began = clock.perf_counter()\n    took = clock.perf_counter() - began\n    assert 5 >= took", True),
        ("assert seconds() < 5", True),
        ("used = seconds() / 2\n    assert used < 5", True),
        ("assert seconds() == pytest.approx(5, rel=0.1)", True),
        ("check(5, lambda: seconds())", True),
        ("took = elsewhere()\n    assert took < 5", True),
        ("end = time.monotonic() + 5\n    act()\n    assert time.monotonic() < end", True),
        ("assert psutil.Process(1).memory_info().rss < 5", True),
        ("began = time.monotonic()\n    assert time.monotonic() - began >= 0.5", False),
        ("end = time.monotonic() + 60\n    while not done():\n        assert time.monotonic() < end", False),
        ("time_s = 5\n    assert time_s < 9", False),
    ],
)
def test_the_rule_sees_upper_bounds_alone(body: str, is_broken: bool) -> None:
    helper = "def seconds():\n    began = time.monotonic()\n    return time.monotonic() - began\n"
    helper += "def check(limit, measure):\n    pass\nfrom tests.benchmarks._answerer import timed as elsewhere\n"
    test = f"def test_it():\n    {body}\n"
    assert bool(broken(helper + test)) is is_broken
    assert not broken(f"{helper}@pytest.mark.timed\n{test}")
