"""Writes answers.json anew, or what it holds of the questions that are named."""

import json
import sys
import tempfile
from pathlib import Path

from bench.library import Library
from tests.questions.recorded import ANSWERS, answers, every_answer

with tempfile.TemporaryDirectory() as folder:
    told = every_answer(Library.open(Path(folder) / "own"), sys.argv[1:])
ANSWERS.write_text(json.dumps((answers() if sys.argv[1:] else {}) | told, indent=1, ensure_ascii=False) + "\n")
