"""Write the golden values anew, or those of the questions that are named."""

import sys
import tempfile
from pathlib import Path

from bench.library import Library
from bench.questions import questions
from tests.questions.golden import write

with tempfile.TemporaryDirectory() as folder:
    write(Library.open(Path(folder) / "own"), sys.argv[1:] or list(questions()))
