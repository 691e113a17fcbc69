"""docs/published-format.md holds what it promises: its examples import as they stand, and it names every column."""

from __future__ import annotations

import re
from pathlib import Path

from bench.formats.reading.point_table import POINT_COLUMNS, SCORE_COLUMNS
from tests.formats.reading_of import passports_of, read_points, read_scores, reading

DOCS = (Path(__file__).resolve().parents[2] / "docs" / "published-format.md").read_text(encoding="utf-8")


def examples(language: str) -> list[str]:
    """The code blocks of one language, in order."""
    return re.findall(rf"^```{language}\n(.*?)^```", DOCS, flags=re.DOTALL | re.MULTILINE)


def test_the_example_table_and_its_card_import(tmp_path: Path) -> None:
    (tmp_path / "results.csv").write_text(examples("csv")[0])
    (tmp_path / "results.source.toml").write_text(examples("toml")[0])
    points, refusals = read_points(tmp_path / "results.csv")
    assert refusals == []
    assert [point["output_tokens_per_s"] for point in points] == [71.4, 842.5, 2104.0]
    assert {point["source"] for point in points} == {"llama-on-h100"}
    found = reading(tmp_path / "results.csv")
    assert found.about["licence"] == "CC-BY-4.0"
    assert passports_of(found)["tpot_ms_p50"]["token_source"] == "usage reported by the server"


def test_the_json_example_imports(tmp_path: Path) -> None:
    (tmp_path / "results.json").write_text(examples("json")[0])
    points, refusals = read_points(tmp_path / "results.json")
    assert refusals == []
    assert points[0]["model"] == "llama-3.1-70b"
    assert points[0]["restated_in"] == ["https://example.org/slides"]


def test_the_scores_example_imports(tmp_path: Path) -> None:
    (tmp_path / "scores.csv").write_text(examples("csv")[1])
    scores, refusals = read_scores(tmp_path / "scores.csv")
    assert refusals == []
    assert [score["value"] for score in scores] == [0.9575, 0.9522]


def test_every_column_is_explained() -> None:
    written = set(re.findall(r"`([a-z0-9_]+)`", DOCS))
    in_file = {"isl_requested": "isl", "osl_requested": "osl"}
    columns = {in_file.get(name, name) for name in (*POINT_COLUMNS, *SCORE_COLUMNS)} - {"locator"}
    assert columns - written == set()
