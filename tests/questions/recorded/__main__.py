"""Writes answers.json anew."""

import json
import tempfile
from pathlib import Path

from bench.library import Library
from tests.questions.recorded import ANSWERS, every_answer

with tempfile.TemporaryDirectory() as folder:
    told = every_answer(Library.open(Path(folder) / "own"))
ANSWERS.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n")
