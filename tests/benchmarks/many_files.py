"""A thousand small results of vLLM's bench serve imported at once as the app does, from a folder and from a zip."""

from __future__ import annotations

import json
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks import Figure
from tests.benchmarks._process import process

FILES = 1_000
RESULT = {
    "date": "20260101-000000",
    "backend": "vllm",
    "model_id": "synthetic/model-8b",
    "num_prompts": 100,
    "request_rate": "inf",
    "burstiness": 1.0,
    "max_concurrency": 8,
    "duration": 12.5,
    "completed": 100,
    "failed": 0,
    "total_input_tokens": 102400,
    "total_output_tokens": 12800,
    "request_throughput": 8.0,
    "output_throughput": 1024.0,
    "total_token_throughput": 9216.0,
    "mean_ttft_ms": 60.0,
    "median_ttft_ms": 55.0,
    "std_ttft_ms": 5.0,
    "p99_ttft_ms": 95.0,
    "mean_tpot_ms": 7.5,
    "median_tpot_ms": 7.4,
    "std_tpot_ms": 0.2,
    "p99_tpot_ms": 8.1,
    "mean_itl_ms": 7.5,
    "median_itl_ms": 7.4,
    "std_itl_ms": 0.3,
    "p99_itl_ms": 9.0,
}
"""A made-up result with the fields of vLLM 0.11."""


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
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for number in range(FILES):
            text = json.dumps({**RESULT, "max_concurrency": number % 256 + 1, "duration": 12.5 + number / 1e6})
            (folder / f"run{number:04}.json").write_text(text)
            packed.writestr(f"run{number:04}.json", text)
    return archive
