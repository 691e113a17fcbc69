"""No test asserts what a clock, a processor or a process's memory shows, unless it is marked as timed.

What these show is followed through names, arithmetic and the functions of tests/. What breaks the rule is an assertion
that a busy machine would make untrue: that something took less than so long, and not that it took no less; that it is
over by a deadline, but for one in a while loop, which waits for something else and must not wait for ever.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from operator import or_
from pathlib import Path
from textwrap import indent

import pytest

ROOT = Path(__file__).resolve().parents[1]
LEFT_OUT = ("benchmarks", "engine")
"""Folders of tests/ that `make test` does not run."""

CLOCKS = ("monotonic", "perf_counter", "process_time", "thread_time", "time")
READINGS = {f"time.{name}{unit}" for name in CLOCKS for unit in ("", "_ns")}
FIGURES = {"resource.getrusage", "tracemalloc.get_traced_memory", "timeit.timeit", "timeit.repeat"}
OF_PROCESSES = {"memory_info", "memory_full_info", "memory_percent", "cpu_times", "cpu_percent"}
"""The methods of psutil's processes that give figures."""
IN_STATUS = ("VmHWM", "VmRSS", "VmPeak", "RssAnon")
"""The figures of /proc/…/status."""
SAME_KIND = {"abs", "float", "int", "max", "min", "round", "sorted"}
NEITHER = {"bool", "isinstance", "len", "repr", "str", "type"}
VALUES: dict[type[ast.AST], tuple[str, ...]] = {
    ast.DictComp: ("value",),
    ast.GeneratorExp: ("elt",),
    ast.IfExp: ("body", "orelse"),
    ast.JoinedStr: (),
    ast.Lambda: ("body",),
    ast.ListComp: ("elt",),
    ast.SetComp: ("elt",),
    ast.Subscript: ("value",),
}
"""The parts of an expression that say what it is; of all others every part does."""

GROWING = {"append", "extend", "add"}
SHOWS = re.compile(rf"(import|from) (time|timeit|resource|tracemalloc|psutil)\b|\.time\(\)|{'|'.join(IN_STATUS)}")

READ, INSTANT, DEADLINE, MORE, LESS = 1, 2, 4, 8, 16
"""What an expression is, each a bit: a clock's reading of now; a moment; one that lies after a moment; a figure that a
busy machine makes larger, such as seconds; one that it makes smaller, such as a rate."""
FIGURE = MORE | LESS
Kinds = tuple[int, ...]
"""What a function returns: the kind of each part of a tuple, or of the whole."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass
class Module:
    """A module of tests/: its functions, those inside others as outer.inner, and what its names are."""

    name: str
    text: str
    functions: dict[str, Function] = field(default_factory=dict)
    imported: dict[str, str] = field(default_factory=dict)
    timed: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.tree = ast.parse(self.text)
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                self.imported |= {alias.asname or alias.name: alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                self.imported |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
        assigned = (ast.unparse(one) for one in self.tree.body if isinstance(one, ast.Assign))
        self._visit(self.tree, "", any(one.startswith("pytestmark = ") and "mark.timed" in one for one in assigned))

    def _visit(self, node: ast.AST, outer: str, timed: bool) -> None:
        """Take in the functions below a node, and which are marked as timed by themselves, their class or module."""
        for inner in ast.iter_child_nodes(node):
            marked, within = timed, outer
            if isinstance(inner, Function | ast.ClassDef):
                marked = timed or any("mark.timed" in ast.unparse(one) for one in inner.decorator_list)
            if isinstance(inner, Function):
                name = f"{outer}.{inner.name}" if outer else inner.name
                name = f"{name}:{inner.lineno}" if name in self.functions else name
                self.functions[name] = inner
                self.timed |= {name} if marked else set()
                within = outer or name
            self._visit(inner, within, marked)

    def whole_name(self, node: ast.AST, outer: str = "") -> str:
        """The dotted name of what a name or an attribute is, as far as imports and functions tell."""
        if isinstance(node, ast.Name):
            own = next((one for one in (f"{outer}.{node.id}", node.id) if one in self.functions), None)
            return f"{self.name}.{own}" if own else self.imported.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            of = self.whole_name(node.value, outer)
            return f"{self.name if of in ('self', 'cls') else of}.{node.attr}"
        return self.whole_name(node.func, outer) + "()" if isinstance(node, ast.Call) else "?"


class Rule:
    """The rule over some modules, which know each other's functions."""

    def __init__(self, modules: Sequence[Module]) -> None:
        self.modules = modules
        self.returns: dict[str, Kinds] = {}
        while self._learn():
            pass

    def _learn(self) -> bool:
        """Whether anything new was learnt of what functions return, from what was known of the others."""
        before = dict(self.returns)
        for module in self.modules:
            for name, function in module.functions.items():
                values = list(returned(function))
                kinds = Follower(self, module, name).of_result(values) if values else ()
                if any(kinds):
                    known = self.returns.setdefault(f"{module.name}.{name}", kinds)
                    self.returns[f"{module.name}.{name}"] = tuple(map(or_, known, kinds))
        return self.returns != before

    def broken(self) -> dict[str, list[str]]:
        """The tests and fixtures that break the rule, by module."""
        asserting = {
            f"{module.name}.{name}": bool(Follower(self, module, name).asserted())
            for module in self.modules
            for name in module.functions
            if name not in module.timed
        }
        while reaching := [one for one in self._calls(asserting) if not asserting[one]]:
            asserting |= dict.fromkeys(reaching, True)
        return {
            module.name: names
            for module in self.modules
            if (names := [name for name in module.functions if self._is_told(module, name, asserting)])
        }

    def _calls(self, asserting: Mapping[str, bool]) -> Iterator[str]:
        """The functions that name one which asserts."""
        for module in self.modules:
            for name, function in module.functions.items():
                own, outer = f"{module.name}.{name}", name.partition(".")[0]
                if own in asserting and any(
                    asserting.get(module.whole_name(node, outer))
                    for node in ast.walk(function)
                    if isinstance(node, ast.Name | ast.Attribute)
                ):
                    yield own

    def _is_told(self, module: Module, name: str, asserting: Mapping[str, bool]) -> bool:
        fixture = any("fixture" in ast.unparse(one) for one in module.functions[name].decorator_list)
        test = name.startswith("test") and "." not in name
        return (fixture or test) and asserting.get(f"{module.name}.{name}", False)


class Follower:
    """Follows what clocks show through one function and those inside it."""

    def __init__(self, rule: Rule, module: Module, name: str) -> None:
        self.rule, self.module, self.outer = rule, module, name.partition(".")[0]
        self.nodes = list(ast.walk(module.functions[name]))
        loops = (node for node in self.nodes if isinstance(node, ast.While))
        self.waiting = {inner for loop in loops for inner in ast.walk(loop)}
        self.names: dict[str, int] = {}
        for _ in range(3):  # what a loop binds may be read above
            for node in self.nodes:
                self._bind(node)

    def of_result(self, values: Sequence[ast.expr]) -> Kinds:
        """What the function returns, of all that it may."""
        of_each = [
            tuple(map(self.kind, one.elts)) if isinstance(one, ast.Tuple) else (self.kind(one),) for one in values
        ]
        return next(filter(any, of_each), ())

    def asserted(self) -> list[int]:
        """The lines that assert what a busy machine would make untrue, or hand a figure on to be checked."""
        return [
            node.lineno
            for node in self.nodes
            if (isinstance(node, ast.Assert) and self.kind(node.test) & FIGURE)
            or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and self._is_handed_on(node.value))
        ]

    def _is_handed_on(self, call: ast.Call) -> bool:
        return self._name(call.func).startswith("tests.") and bool(self._of_all(given(call)) & FIGURE)

    def _name(self, node: ast.AST) -> str:
        return self.module.whole_name(node, self.outer)

    def _bind(self, node: ast.AST) -> None:
        """Take in what a node binds to names."""
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._set(target, node.value)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and node.value is not None:
            self._set(node.target, node.value)
        elif isinstance(node, ast.For | ast.AsyncFor):
            self._set_all(node.target, self.kind(node.iter))
        elif isinstance(node, ast.comprehension):
            self._set_all(node.target, self._of_all([node.iter, *node.ifs]))
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in GROWING:
            self._set_all(node.func.value, self._of_all(node.args))

    def _set(self, target: ast.expr, value: ast.expr) -> None:
        kinds = self._parts(value)
        if isinstance(target, ast.Tuple | ast.List) and len(kinds) == len(target.elts):
            for one, kind in zip(target.elts, kinds, strict=True):
                self._set_all(one, kind)
        else:
            self._set_all(target, self.kind(value))

    def _parts(self, value: ast.expr) -> Kinds:
        """The kinds of a tuple's parts, written out or returned by a function."""
        value = value.value if isinstance(value, ast.Await) else value
        if isinstance(value, ast.Tuple):
            return tuple(map(self.kind, value.elts))
        return self.rule.returns.get(self._name(value.func), ()) if isinstance(value, ast.Call) else ()

    def _set_all(self, target: ast.AST, kind: int) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            for one in target.elts:
                self._set_all(one, kind)
        elif isinstance(target, ast.Subscript | ast.Starred):
            self._set_all(target.value, kind)
        elif kind & ~READ:
            key = ast.unparse(target)
            self.names[key] = self.names.get(key, 0) | kind & ~READ

    def kind(self, node: ast.AST) -> int:
        """What an expression is; of a comparison, FIGURE where a busy machine would make it untrue."""
        if isinstance(node, ast.Call):
            return self._of_call(node)
        if isinstance(node, ast.BinOp):
            return self._of_arithmetic(node)
        if isinstance(node, ast.Compare):
            pairs = zip((node.left, *node.comparators), node.ops, node.comparators, strict=False)
            return FIGURE if any(self._is_bound(*pair, node in self.waiting) for pair in pairs) else 0
        if isinstance(node, ast.Name | ast.Attribute):
            return self._of_name(node)
        if isinstance(node, ast.Constant):
            return MORE if isinstance(node.value, str) and node.value.startswith(IN_STATUS) else 0
        names = VALUES.get(type(node))
        return self._of_all(
            [getattr(node, name) for name in names] if names is not None else ast.iter_child_nodes(node)
        )

    def _of_all(self, nodes: Iterable[ast.AST]) -> int:
        return reduce(or_, map(self.kind, nodes), 0)

    def _of_call(self, node: ast.Call) -> int:
        name = self._name(node.func)
        if name in READINGS or name.endswith(("_loop().time", ".loop.time")) or name == "loop.time":
            return READ | INSTANT
        if name in FIGURES or name.rpartition(".")[2] in OF_PROCESSES:
            return MORE
        if name in self.rule.returns:
            return reduce(or_, self.rule.returns[name])
        inside = self._of_all(given(node))
        if name in SAME_KIND:
            return inside
        of = self.kind(node.func.value) if isinstance(node.func, ast.Attribute) else 0
        return 0 if name in NEITHER else (inside | of) & FIGURE

    def _of_name(self, node: ast.Name | ast.Attribute) -> int:
        if known := self.names.get(ast.unparse(node)):
            return known
        of = self.kind(node.value) if isinstance(node, ast.Attribute) else 0
        return (of | reduce(or_, self.rule.returns.get(self._name(node), (0,)))) & FIGURE

    def _of_arithmetic(self, node: ast.BinOp) -> int:
        left, right = self.kind(node.left), self.kind(node.right)
        if isinstance(node.op, ast.Sub) and right & INSTANT:
            remaining = left & DEADLINE or right & READ > left & READ
            return LESS if remaining else MORE
        if isinstance(node.op, ast.Add) and (left | right) & INSTANT:
            return left | right | DEADLINE
        if isinstance(node.op, ast.Sub | ast.Div | ast.FloorDiv):
            return left | (right & MORE and LESS) | (right & LESS and MORE)
        return left | right

    def _is_bound(self, left: ast.expr, sign: ast.cmpop, right: ast.expr, waits: bool) -> bool:
        """Whether one side is held below the other, or to it, where a busy machine would take it beyond."""
        small, large = map(self.kind, (right, left) if isinstance(sign, ast.Gt | ast.GtE) else (left, right))
        if isinstance(sign, ast.Eq):
            return bool((small | large) & FIGURE)
        late = small & READ or large & DEADLINE
        ordered = isinstance(sign, ast.Lt | ast.LtE | ast.Gt | ast.GtE)
        return ordered and bool(small & MORE or large & LESS or (late and not waits))


def returned(function: Function) -> Iterator[ast.expr]:
    """What a function returns, without those inside it."""
    rest: list[ast.AST] = list(function.body)
    for node in rest:
        if isinstance(node, ast.Return) and node.value is not None:
            yield node.value
        rest += [] if isinstance(node, Function) else ast.iter_child_nodes(node)


def given(call: ast.Call) -> list[ast.expr]:
    """All arguments of a call."""
    return [*call.args, *(one.value for one in call.keywords)]


def modules() -> list[Module]:
    """The modules of tests/ that look at a clock or at memory, and those that take a function from one of them."""
    found = {
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path.read_text()
        for path in sorted((ROOT / "tests").rglob("*.py"))
    }
    showing = {name for name, text in found.items() if SHOWS.search(text)}
    return [Module(name, text) for name, text in found.items() if name in showing or takes_from(showing, text)]


def takes_from(names: set[str], text: str) -> bool:
    """Whether a module imports from one of these."""
    return any(module in names for module in re.findall(r"^from (tests[\w.]*) import", text, re.M))


def test_no_test_of_make_test_asserts_time_or_memory() -> None:
    broken = Rule(modules()).broken()
    assert {name: tests for name, tests in broken.items() if name.split(".")[1] not in LEFT_OUT} == {}


def test_no_browser_test_sleeps() -> None:
    """It would not hear meanwhile what goes wrong in its tabs."""
    files = sorted((ROOT / "tests" / "e2e").glob("*.py"))
    assert [path.name for path in files if sleeps(Module(path.stem, path.read_text()))] == []


def sleeps(module: Module) -> list[int]:
    """The lines that sleep."""
    calls = (node for node in ast.walk(module.tree) if isinstance(node, ast.Call))
    return [call.lineno for call in calls if module.whole_name(call.func) == "time.sleep"]


HELPERS = """
import resource, time
def seconds(act):
    began = time.monotonic()
    act()
    return time.monotonic() - began
def measured(act):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    report = act()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return report, after.ru_utime - before.ru_utime
def within(limit, measure):
    found = measure()
    assert found < limit
def quick(act):
    assert seconds(act) < 5
def until(look, seconds=60):
    end = time.monotonic() + seconds
    while not look():
        assert time.monotonic() < end
        time.sleep(0.02)
"""
HEAD = """
import asyncio, os, time, psutil, pytest
from time import perf_counter as clock
from tests import helpers
from tests.helpers import measured, quick, seconds, until, within
"""
BREAKING = {
    "directly": "began = time.monotonic()\nact()\nassert time.monotonic() - began < 5",
    "by a name": "began = clock()\nact()\ntook = clock() - began\nassert took < 5",
    "by arithmetic": "began = time.time_ns()\nact()\nms = round((time.time_ns() - began) / 1e6)\nassert 4 < ms < 9",
    "of the processor": "began = time.process_time()\nact()\nassert time.process_time() - began < 5",
    "by a deadline": "end = time.monotonic() + 5\nact()\nassert time.monotonic() < end",
    "as a ratio": "one, many = seconds(act), seconds(acts)\nassert many / one < 3",
    "of several": "took = []\nfor _ in range(3):\n    took.append(seconds(act))\nassert min(took) < 5",
    "of each": "took = [seconds(act) for _ in range(3)]\nassert all(one < 5 for one in took)",
    "by a function": "assert seconds(act) < 5",
    "by a module's function": "assert helpers.seconds(act) < 5",
    "by a function that checks": "within(5, lambda: seconds(act))",
    "in a function that checks": "quick(act)",
    "in a function inside": "def within_five():\n    assert seconds(act) < 5\nwithin_five()",
    "by one of several results": "report, cpu_s = measured(act)\nassert report\nassert cpu_s < 5",
    "by a function handed on": "report, cpu_s = pool.submit(measured, act).result()\nassert cpu_s < 5",
    "of memory": "assert psutil.Process(pid).memory_info().rss < 1e9",
    "of memory by a name": "most = psutil.Process(pid).memory_info().rss / 1e6\nassert most < 350",
    "of memory by text": "most = next(one for one in open(status) if one.startswith('VmHWM'))\nassert not most",
    "as a rate": "rate = 100 / seconds(act)\nassert rate > 20",
    "of what is left": "end = time.monotonic() + 5\nact()\nassert end - time.monotonic() > 0",
    "by a deadline of names": "began = clock()\nend = began + 5\nact()\nover = clock()\nassert over <= end",
    "of what a server says": "end = clock() + 5\nassert server.answered_at < end",
    "exactly": "assert seconds(act) == pytest.approx(5, rel=0.1)",
    "before": "is_quick = seconds(act) < 5\nassert is_quick",
    "of a loop's clock": "loop = asyncio.new_event_loop()\nbegan = loop.time()\nact()\nassert loop.time() - began < 5",
}
KEEPING = {
    "a wait": "end = time.monotonic() + 60\nwhile not there():\n    assert time.monotonic() < end\nassert there()",
    "a wait elsewhere": "until(there)\nassert there()",
    "a figure that is printed": "took = seconds(act)\nprint(took)\nassert there(), took",
    "another result": "report, cpu_s = measured(act)\nassert report",
    "that it takes as long": "began = time.monotonic()\nact()\nassert time.monotonic() - began >= 0.5",
    "that each takes as long": "took = [seconds(act)]\nassert all(one > 0.5 for one in took)\nassert len(took) == 1",
    "that it comes after": "start = clock()\nbehind = server.began_at - start\nassert behind >= 0",
    "a moment in between": "before = clock()\nat = act()\nafter = clock()\nassert before <= at <= after",
    "that nothing comes early": "due = clock() + 5\nact()\nassert clock() >= due",
    "an old file": "long_ago = time.time() - 1e6\nos.utime(path, (long_ago, long_ago))\nassert not path.exists()",
    "what is called time": "time_s = 5\nassert time_s < table.time < 9",
}
MARKED = {
    "the test": "@pytest.mark.long\n@pytest.mark.timed\ndef test_it():\n    assert seconds(act) < 5",
    "its class": "@pytest.mark.timed\nclass TestIt:\n    def test_it(self):\n        assert seconds(act) < 5",
    "its module": "pytestmark = [pytest.mark.long, pytest.mark.timed]\ndef test_it():\n    quick(act)",
}


def broken_by(source: str) -> bool:
    """Whether a module of this source breaks the rule."""
    rule = Rule([Module("tests.helpers", HELPERS), Module("tests.test_it", HEAD + source)])
    return bool(rule.broken().get("tests.test_it"))


def a_test(body: str) -> str:
    return "def test_it(tmp_path):\n" + indent(body, "    ")


@pytest.mark.parametrize("how", BREAKING)
def test_the_rule_sees_what_is_asserted(how: str) -> None:
    assert broken_by(a_test(BREAKING[how]))
    assert broken_by("class TestIt:\n" + indent(f"async {a_test(BREAKING[how])}", "    "))
    assert not broken_by(f"@pytest.mark.timed\n{a_test(BREAKING[how])}")


@pytest.mark.parametrize("how", KEEPING)
def test_the_rule_leaves_alone(how: str) -> None:
    assert not broken_by(a_test(KEEPING[how]))


@pytest.mark.parametrize("where", MARKED)
def test_a_mark_counts_on(where: str) -> None:
    assert not broken_by(MARKED[where])
    assert broken_by(MARKED[where].replace("mark.timed", "mark.slow"))


def test_the_rule_sees_a_method_that_checks_and_a_fixture_that_asserts() -> None:
    method = "def checks(self):\n        assert seconds(act) < 5\n    def test_it(self):\n        self.checks()"
    assert broken_by(f"class TestIt:\n    {method}")
    assert broken_by("@pytest.fixture\ndef library():\n    assert seconds(act) < 5")


@pytest.mark.parametrize("source", ["import time\ntime.sleep(1)", "from time import sleep as wait\nwait(1)"])
def test_the_rule_sees_a_sleep(source: str) -> None:
    assert sleeps(Module("test_it", source))
    assert not sleeps(Module("test_it", "import time\nasyncio.sleep(1)\ntime.monotonic()"))
