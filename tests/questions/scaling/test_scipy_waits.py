"""SciPy is loaded by the calculation that needs it, so no page and no command waits for it."""

from __future__ import annotations

import subprocess
import sys

import pytest

ANSWERED = """
import sys
from pathlib import Path
import bench.questions
from bench.library import Library
from bench.questions import heatmap, scaling
from bench.view import View
library = Library.open(Path(sys.argv[1]) / "own")
heatmap.answer(library, View())
assert "scipy" not in sys.modules
scaling.answer(library, View.of({"model": ["gemma-4-31b"]}))
assert "scipy.optimize" in sys.modules
"""


@pytest.mark.long
def test_answering_without_a_fit_does_not_load_scipy(tmp_path):
    subprocess.run([sys.executable, "-c", ANSWERED, str(tmp_path)], check=True, timeout=120)
