"""GenAI-Perf: AIPerf's forerunner, whose units and figures test_aiperf.py and .expected.json are about."""

from __future__ import annotations

import json
from pathlib import Path

from tests.formats.reading_of import read_points

SAMPLES = Path(__file__).parents[1] / "samples" / "genai_perf"
FILE = "profile_export_genai_perf.json"


def test_prompts_from_a_file_have_no_requested_length(tmp_path: Path) -> None:
    document = json.loads((SAMPLES / "nested" / FILE).read_text())
    document["input_config"]["input"]["file"] = "prompts.jsonl"
    path = tmp_path / FILE
    path.write_text(json.dumps(document))
    (point,), _ = read_points(path)
    assert not {"isl_requested", "osl_requested", "dataset"} & point.keys()
    assert point["isl_actual"] == 550
