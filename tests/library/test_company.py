"""A result counts once whatever lies beside it: the import with more of its files stands, and keeps what was stated."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bench.library import Library
from tests.formats.damage import SAMPLES
from tests.library.files import entries

LEVELS = {
    "genai_bench": ("failures-16", "D100_128_text-to-text_num_concurrency_16_time_4s.json"),
    "inference_perf": ("concurrency-4", "stage_0_lifecycle_metrics.json"),
    "aiperf": ("concurrency-4", "profile_export_aiperf.json"),
    "llmperf": (".", "mock-model_100_64_summary.json"),
}
every_tool = pytest.mark.parametrize("tool", LEVELS)


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library.open(tmp_path / "library", shipped=False)


def visible(library: Library) -> list[str]:
    """The source of each visible point."""
    return [source for (source,) in library.fetch("SELECT source_id FROM points ORDER BY 1")]


def given(tool: str, tmp_path: Path) -> tuple[Path, Path]:
    """A folder as the tool wrote it, and one with a copy of its main file alone."""
    folder, name = LEVELS[tool]
    alone = tmp_path / "alone"
    alone.mkdir()
    shutil.copy(SAMPLES / tool / folder / name, alone)
    return SAMPLES / tool / folder, alone


@every_tool
def test_a_file_alone_is_the_one_that_was_imported_with_its_folder(
    library: Library, tmp_path: Path, tool: str
) -> None:
    whole, alone = given(tool, tmp_path)
    (first,) = library.add([whole]).imported
    for dry_run in (True, False):
        report = library.add([alone], {"accelerator": "h100-sxm"}, dry_run=dry_run)
        assert (report.imported, [row.sha256 for row in report.already]) == ([], [first.sha256])
    assert visible(library) == [first.sha256]
    assert library.fetch("SELECT accelerator FROM points") == [("h100-sxm",)]


@every_tool
def test_its_folder_stands_instead_of_the_file_alone_and_keeps_its_facts(
    library: Library, tmp_path: Path, tool: str
) -> None:
    whole, alone = given(tool, tmp_path)
    (poor,) = library.add([alone], {"accelerator": "h100-sxm"}).imported
    assert [row.instead_of for row in library.add([whole], dry_run=True).imported] == [poor.sha256]
    assert visible(library) == [poor.sha256]
    (rich,) = library.add([whole], who="Ann").imported
    assert (rich.instead_of, rich.sha256 != poor.sha256) == (poor.sha256, True)
    assert visible(library) == [rich.sha256]
    assert library.fetch("SELECT accelerator FROM points") == [("h100-sxm",)]
    sources = library.sources().set_index("source_id")
    said = sources.loc[poor.sha256, "retracted"]
    assert said == f"The same file was imported with more of what lies beside it ({rich.sha256[:12]})."
    assert [
        (row["who"], row["id"]) for row in entries(library.path / "audit.jsonl") if row["what"] == "retract"
    ] == [("Ann", poor.sha256)]
    for again in (whole, alone):
        assert library.add([again]).imported == []
    assert visible(library) == [rich.sha256]
    library.rebuild()
    assert visible(library) == [rich.sha256]


def test_both_in_one_import_count_once(library: Library, tmp_path: Path) -> None:
    whole, alone = given("inference_perf", tmp_path)
    report = library.add([alone, whole])
    assert [row.instead_of for row in report.imported] == [None, report.imported[0].sha256]
    assert visible(library) == [report.imported[1].sha256]
    other = Library.open(tmp_path / "other", shipped=False)
    report = other.add([whole, alone])
    assert (len(report.imported), [row.sha256 for row in report.already]) == (
        1,
        [report.imported[0].sha256],
    )
    assert visible(other) == [report.imported[0].sha256]


def test_what_a_reader_hid_stays_hidden_for_the_reason_given(library: Library, tmp_path: Path) -> None:
    whole, alone = given("genai_bench", tmp_path)
    (poor,) = library.add([alone]).imported
    library.retract(poor.sha256, "a wrong model")
    (rich,) = library.add([whole]).imported
    assert visible(library) == [rich.sha256]
    assert library.sources().set_index("source_id").loc[poor.sha256, "retracted"] == "a wrong model"


def test_another_file_beside_it_is_another_source(library: Library, tmp_path: Path) -> None:
    """Neither says which of the two configurations is the run's."""
    whole, _ = given("inference_perf", tmp_path)
    changed = Path(shutil.copytree(whole, tmp_path / "changed"))
    (changed / "config.yaml").write_text("server: {model_name: another, type: vllm}\n")
    assert len(library.add([whole, changed]).imported) == 2
    assert len(visible(library)) == 2


def test_a_run_of_the_same_name_and_size_is_another_run(library: Library, tmp_path: Path) -> None:
    whole, alone = given("genai_bench", tmp_path)
    (level,) = alone.iterdir()
    text = level.read_text()
    level.write_text(text.replace('"num_concurrency": 16', '"num_concurrency": 17'))
    assert level.read_text() != text
    library.add([whole])
    assert len(library.add([alone]).imported) == 1
    assert len(visible(library)) == 2


def test_a_table_with_a_card_stands_instead_of_the_table(library: Library, tmp_path: Path) -> None:
    table = tmp_path / "mine.csv"
    table.write_text("model,accelerator,output_tokens_per_s\nLlama 3.1 70B,H100,71.4\n")
    (poor,) = library.add([table]).imported
    (tmp_path / "mine.source.toml").write_text('licence = "CC-BY-4.0"\n')
    (rich,) = library.add([table]).imported
    assert rich.instead_of == poor.sha256
    assert visible(library) == [rich.sha256]
