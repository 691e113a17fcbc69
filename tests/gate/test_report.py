"""What a gate decided, as people and machines read it."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

from bench.gate import judged, report
from tests.gate.files import runs


def test_it_is_written_for_people_and_machines(tmp_path: Path) -> None:
    now, then = runs(tmp_path / "now", 1.1, seed=1), runs(tmp_path / "then", 1.0, seed=2)
    with judged(then, now, {"output_tokens_per_s": 0.02, "ttft_ms_p99": 0.5}) as found:
        text, document = report.markdown(found), json.loads(json.dumps(report.document(found)))
        suite = ElementTree.fromstring(report.junit(found))
    assert text.startswith("❌ **The candidate is worse: output throughput.**")
    assert text.count("\n| ") == 3  # the heading, and a row for each metric
    assert (document["verdict"], len(document["metrics"])) == ("worse", 2)
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("2", "1", "0")
    assert [case.get("name") for case in suite if case.find("failure") is not None] == ["output_tokens_per_s"]
