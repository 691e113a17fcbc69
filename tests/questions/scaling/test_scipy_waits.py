"""SciPy is loaded by the calculation that needs it, so no page and no command waits for it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from bench.questions import heatmap
from bench.view import View

ROOT = Path(__file__).parents[3]
AT_THE_TOP = re.compile(r"^(?:from|import) scipy\b", re.MULTILINE)


def test_no_module_loads_scipy_as_it_is_imported():
    modules = [ROOT / "app.py", *(ROOT / "bench").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    assert [path.name for path in modules if AT_THE_TOP.search(path.read_text(encoding="utf-8"))] == []


def test_answering_without_a_fit_does_not_load_scipy(shipped, monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy", None)
    assert heatmap.answer(shipped, View.of({"model": ["mixtral-8x7b"]}, {"x": "osl"})).result.peak
