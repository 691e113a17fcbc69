"""The table of planted faults fits the product and the tests as they are now."""

from __future__ import annotations

from tests.mutants import FAULTS
from tests.suite import ROOT


def is_there(test: str) -> bool:
    """Whether a file of tests is there and has the class and the function that an id names."""
    file, *names = test.partition("[")[0].split("::")
    text = (ROOT / file).read_text(encoding="utf-8") if (ROOT / file).is_file() else ""
    return bool(text) and all(f"def {name}(" in text or f"class {name}:" in text for name in names)


def test_each_fault_changes_one_place_and_names_tests_that_are_there() -> None:
    assert [fault.name for fault in FAULTS if fault.is_stale] == []
    assert [test for fault in FAULTS for test in fault.tests if not is_there(test)] == []
    assert len({fault.name for fault in FAULTS}) == len(FAULTS)
    assert not is_there("tests/test_mutants.py::test_nothing")
