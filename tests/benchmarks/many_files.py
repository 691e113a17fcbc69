"""A thousand small results of vLLM's bench serve imported at once as the app does, from a folder and from a zip."""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks import Figure
from tests.benchmarks._process import process
from tests.formats.damage import SAMPLES

FILES = 1_000
RESULT = json.loads((SAMPLES / "vllm" / "concurrency-4.json").read_text())
"""A real one; what it holds of each request is left out."""


def measure() -> Iterator[Figure]:
    """A process that has its library open takes them in."""
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "files"
        archive = write_files(folder, Path(place) / "files.zip")
        for number, (what, given) in enumerate((("a folder", folder), ("a zip", archive))):
            with process("_importer", Path(place) / f"library{number}", given) as importer:
                importer.ask("ready")
                done = importer.ask("take in")
            if done["refused"] or done["points"] != FILES:
                raise AssertionError(f"{FILES} points lie in {what}, but {done} came of it")
            yield Figure(f"import of {what} of 1,000 small vLLM results", done["s"], "s", 10)


def write_files(folder: Path, archive: Path) -> Path:
    """The zip of all files, which are also in the folder; no two are alike."""
    folder.mkdir()
    short = {key: value for key, value in RESULT.items() if not isinstance(value, list)}
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for number in range(FILES):
            own = {"max_concurrency": number % 256 + 1, "duration": RESULT["duration"] + number / 1e6}
            text = json.dumps({**short, **own})
            (folder / f"run{number:04}.json").write_text(text)
            packed.writestr(f"run{number:04}.json", text)
    return archive
