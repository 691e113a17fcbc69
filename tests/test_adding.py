"""docs/adding.md is true: what its blocks add to a copy of Kneepoint is found everywhere the page says."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.long, pytest.mark.exhaustive]

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"`([^`\n]+)`(?:, after `([^\n]+)`|, (at its end))?:\n\n```\w+\n(.*?)```\n", re.DOTALL)
COPIED = ("bench", "pages", "data", "docs", "tests", ".streamlit", "pyproject.toml", "README.md", "app.py")

KEY = "kv_cache_in_use"
"""The metric that the page adds."""


def add(place: Path, path: str, after: str, end: str, text: str) -> None:
    """Write one block of the page: a new file, or lines behind a line or at the end of one that is there."""
    file = place / path
    file.parent.mkdir(parents=True, exist_ok=True)
    if end:
        file.write_text(file.read_text(encoding="utf-8") + text, encoding="utf-8")
    elif after:
        begin, line, rest = file.read_text(encoding="utf-8").partition(f"{after}\n")
        assert line, f"{path} has no line that ends with {after}"
        file.write_text(f"{begin}{line}{text}{rest}", encoding="utf-8")
    else:
        assert not file.exists(), path
        file.write_text(text, encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("added") / "kneepoint"
    place.mkdir()
    for path in (ROOT / name for name in COPIED):
        if path.is_dir():
            shutil.copytree(path, place / path.name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(path, place)
    blocks = BLOCK.findall(PAGE)
    assert len(blocks) == PAGE.count("```") / 2
    for block in blocks:
        add(place, *block)
    for command in ("tests.sweep.tables", "tests.questions.golden context"):
        assert f"`python -m {command}`" in PAGE
        run(place, "-m", *command.split())
    return place


def run(place: Path, *words: str) -> str:
    """What Python prints in the copy."""
    environment = {**os.environ, "PYTHONPATH": str(place), "COLUMNS": "200"}
    ran = subprocess.run([sys.executable, *words], cwd=place, env=environment, capture_output=True, text=True)
    assert ran.returncode == 0, f"{ran.stdout[-6000:]}\n{ran.stderr[-6000:]}"
    return ran.stdout


@pytest.fixture(scope="module")
def told(copy: Path) -> dict[str, Any]:
    out = run(copy, "-m", "tests.added_things", str(copy.parent), KEY)
    found: dict[str, Any] = json.loads(out.splitlines()[-1])
    return found


def test_readers_take_what_is_new_and_refuse_a_share_beyond_one(told: dict[str, Any]) -> None:
    said = told["imported"]
    assert "3 points imported (format published" in said["table.csv"]
    assert "kv_cache_in_use is '1.75', expected a share from 0 to 1" in said["beyond.csv"]
    assert "1 point imported (format plainbench" in said["sample"]
    assert "kv_cache_in_use is 37, but a share is from 0 to 1" in said["beyond.json"]
    assert "plainbench" in told["formats"]
    assert "plainbench" in told["read by the Data page"]
    assert "import run.json" in said["log.jsonl"]


def test_a_metric_is_listed_stored_exported_and_offered(told: dict[str, Any]) -> None:
    assert f"\n{KEY}" in told["metrics"]
    assert told["columns"] == [KEY]
    assert json.loads(told["query"])[0][KEY] == 0.75
    rows = list(csv.DictReader(io.StringIO(told["csv"].partition("\n")[2])))
    assert 0.25 in {float(row[KEY] or 0) for row in rows}
    answer = json.loads(told[f"heatmap {KEY}"])
    assert max(row["value"] for row in answer["rows"] if row["state"] == "measured") == 0.75
    offered = told["pages"]["heatmap"]["offers"]["heatmap.metric"]
    assert any(option.startswith("KV cache in use") for option in offered), offered
    led = json.loads(told[f"goto {KEY}"])
    assert any(one["page"] == "heatmap" and f"metric={KEY}" in one["query"] for one in led["destinations"])


def test_a_share_is_in_percent_wherever_people_read_it(told: dict[str, Any]) -> None:
    page = told["pages"]["heatmap"]
    assert "Heatmap: KV cache in use, Example 9B" in told["goto"]
    assert "slo=kv_cache_in_use%3C%3D0.5" in json.loads(told["limited"])["destinations"][0]["query"]
    for text in (told[f"heatmap {KEY}"], page["headline"][0], page["charts"][0]):
        assert "75 %" in text
    column = json.loads(page["tables"][0])["value"]
    assert (column["label"], column["type_config"]["format"]) == ("KV cache in use", "percent")


def test_a_question_and_an_export_have_their_pages_and_their_files(told: dict[str, Any]) -> None:
    assert "65,536 tokens" in json.loads(told["context"])["headline"]
    page = told["pages"]["context"]
    assert "65536.0" in page["charts"][0]
    assert "Longest request (tokens)" in page["tables"][0]
    assert "\nlatex " in told["exports"]
    for text in (told["latex"], told["sent"]):
        assert "example-9b & x100 & 8 & 400.0 \\\\" in text
    assert "LaTeX table" in told["pages"]["heatmap"]["files"]
    assert "LaTeX table" in told["pages"]["points"]["files"]


def test_a_check_tells_of_a_flag_and_an_example_of_sql_is_on_its_page(told: dict[str, Any]) -> None:
    audit = json.loads(told["audit"])
    assert [one["values"] for one in audit["findings"] if one["check"] == "parallelism"] == [{"parts": 2}]
    assert any("Parallelism" in table for table in told["pages"]["audit"]["rows"])
    assert "Which accelerators were measured most?" in told["pages"]["sql"]["buttons"]


def test_arrivals_and_a_stop_rule_are_a_plans_and_a_forms(told: dict[str, Any], copy: Path) -> None:
    assert "rising" in told["sweep"]
    assert re.search(r"sweep___arrivals_choices=.*\brising\b", told["completion"])
    assert "concurrency 4" in told["ramp"]
    assert told["measured from"] == "done"
    page = told["pages"]["launch"]
    assert "single_user" in told["sweep"] + told["completion"]
    assert any(option.startswith("Single user: ") for option in page["offers"]["plan.profile"])
    assert "rising" in page["offers"]["plan.loads.arrivals"]
    assert "plan.stop.least_gain" in page["fields"]
    docs = (copy / "docs" / "sweeps.md").read_text(encoding="utf-8")
    assert "| `rising` | ever faster" in docs
    assert "| `least_gain` | how much more" in docs


def test_prices_an_accelerator_and_a_model_are_known_by_name(told: dict[str, Any]) -> None:
    assert json.loads(told["books"]) == [{"usd_per_accelerator_hour": 1.25}]
    assert json.loads(told["chips"]) == [{"name": "X100"}]
    assert json.loads(told["models"]) == [{"name": "Example 9B"}]
    assert "0.868 USD" in json.loads(told["cost"])["headline"]  # 1.25 USD/h / 3600 s / 400 tokens/s x 1e6
    assert "lab" in told["pages"]["cost"]["offers"]["cost.price_book"]
    assert json.loads(told["memory"])["headline"].startswith("Example 9B FP8")
    assert json.loads(told["engines"]) == [{"engine": "plainserve"}]
    for kind, name in (("model", "Example 9B"), ("accelerator", "X100"), ("engine", "PlainServe")):
        assert name in told["pages"]["launch"]["offers"][f"plan.facts.{kind}"]
    assert any(one.startswith("Example 9B") for one in told["pages"]["cost"]["offers"]["select.model"])


def test_no_page_has_anything_to_complain_about(told: dict[str, Any]) -> None:
    assert {name: page["wrong"] for name, page in told["pages"].items() if page["wrong"]} == {}


def test_what_is_promised_of_every_one_of_its_kind_holds_for_the_new_ones(copy: Path) -> None:
    """The contract tests find what was added, and the docs name it."""
    tests = (
        "formats/test_contract.py",
        "formats/test_formats_docs.py",
        "formats/test_not_results.py",
        "questions",
        "audit/test_checks.py",
        "sweep/planning/test_profiles.py",
        "sweep/test_executors.py",
        "test_flags.py",
        "test_names.py",
        "test_sql_examples.py",
        "sweep/test_arrivals.py",
        "sweep/planning/test_stop_rules.py",
        "sweep/test_sweeps_docs.py",
    )
    new = "plainbench or context or rising or least_gain or parallelism or single_user or Which"
    names = f"{new} or every_field or tables or listed or place"
    out = run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", names, *(f"tests/{one}" for one in tests))
    assert "passed" in out
