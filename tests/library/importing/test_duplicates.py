"""A result counts once whatever lies beside it: the import with more of its files stands, and keeps what was stated."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from bench.export import bundle
from bench.library import Library, report_by_file
from bench.view import View
from tests.formats.damage import SAMPLES
from tests.library.files import entries
from tests.thorough import some

LEVELS = {
    "genai_bench": ("failures-16", "D100_128_text-to-text_num_concurrency_16_time_4s.json"),
    "inference_perf": ("concurrency-4", "stage_0_lifecycle_metrics.json"),
    "aiperf": ("concurrency-4", "profile_export_aiperf.json"),
    "llmperf": (".", "mock-model_100_64_summary.json"),
}
PARTS = {
    "the requests of a run": ("aiperf/concurrency-4", "profile_export.jsonl"),
    "the llm-d report of a stage": ("inference_perf/concurrency-4", "inference-perf.partial.stage_0.yaml"),
}
"""A file that is a result when it is given alone, and belongs to another where it lies."""

SUMS = {
    "the trials of a cell": "aggregate/concurrency_4/profile_export_aiperf_aggregate.json",
    "a sweep": "sweep_aggregate/profile_export_aiperf_sweep.json",
}
"""A file that is a result when it is given alone, and sums up the others where it lies."""

LEVELS_OF_AIPERF = SAMPLES / "aiperf" / "levels"
every_part = pytest.mark.parametrize("part", some(PARTS, 1))
every_sum = pytest.mark.parametrize("of", some(SUMS, 1))
every_tool = pytest.mark.parametrize("tool", some(LEVELS, 1, 3))


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
def test_a_file_alone_is_the_one_that_was_imported_with_its_folder(library: Library, tmp_path: Path, tool: str) -> None:
    whole, alone = given(tool, tmp_path)
    first, *more = library.add([whole, alone], dry_run=True).imported
    assert more == []
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
    assert [row.instead_of for row in library.add([whole], dry_run=True).imported] == [(poor.sha256,)]
    assert visible(library) == [poor.sha256]
    (rich,) = library.add([whole], who="Ann").imported
    assert (rich.instead_of, rich.sha256 != poor.sha256) == ((poor.sha256,), True)
    assert visible(library) == [rich.sha256]
    assert library.fetch("SELECT accelerator FROM points") == [("h100-sxm",)]
    assert rich.sha256[:12] in str(reason(library, poor.sha256))
    assert [(row["who"], row["id"]) for row in entries(library.path / "audit.jsonl") if row["what"] == "retract"] == [
        ("Ann", poor.sha256)
    ]
    for again in (whole, alone):
        assert library.add([again]).imported == []
    assert visible(library) == [rich.sha256]
    library.rebuild()
    assert visible(library) == [rich.sha256]


def test_another_run_and_another_file_beside_a_run_are_other_sources(library: Library, tmp_path: Path) -> None:
    """Neither says which of the two configurations is the run's; another figure in it makes another run."""
    whole = SAMPLES / "inference_perf" / "concurrency-4"
    changed = Path(shutil.copytree(whole, tmp_path / "changed"))
    (changed / "config.yaml").write_text("server: {model_name: another, type: vllm}\n")
    assert len(library.add([whole, changed]).imported) == 2
    run, alone = given("genai_bench", tmp_path)
    (level,) = alone.iterdir()
    level.write_text(level.read_text().replace('"num_concurrency": 16', '"num_concurrency": 17'))
    library.add([run])
    assert len(library.add([alone]).imported) == 1
    assert len(visible(library)) == 4


def test_a_table_with_a_card_stands_instead_of_the_table(library: Library, tmp_path: Path) -> None:
    table = tmp_path / "mine.csv"
    table.write_text("model,accelerator,output_tokens_per_s\nLlama 3.1 70B,H100,71.4\n")
    (poor,) = library.add([table]).imported
    (tmp_path / "mine.source.toml").write_text('licence = "CC-BY-4.0"\n')
    (rich,) = library.add([table]).imported
    assert rich.instead_of == (poor.sha256,)
    assert visible(library) == [rich.sha256]


def given_part(part: str, tmp_path: Path) -> tuple[Path, Path]:
    """The folder of a run, and a copy of a part of it alone."""
    folder, name = PARTS[part]
    return SAMPLES / folder, Path(shutil.copy(SAMPLES / folder / name, tmp_path))


def reason(library: Library, source_id: str) -> str | None:
    """Why a source is hidden."""
    return library.fetch("SELECT retracted FROM sources WHERE source_id = $1", (source_id,))[0][0]  # type: ignore[no-any-return]


@every_part
def test_a_part_of_a_run_gives_way_to_the_run_and_leaves_it_its_facts(
    library: Library, tmp_path: Path, part: str
) -> None:
    whole, alone = given_part(part, tmp_path)
    (poor,) = library.add([alone], {"accelerator": "h100-sxm"}).imported
    assert [row.instead_of for row in library.add([whole], dry_run=True).imported] == [(poor.sha256,)]
    (rich,) = library.add([whole], who="Ann").imported
    assert rich.instead_of == (poor.sha256,)
    assert visible(library) == [rich.sha256]
    assert library.fetch("SELECT accelerator FROM points") == [("h100-sxm",)]
    assert rich.sha256[:12] in str(reason(library, poor.sha256))
    for again in (whole, alone):
        assert library.add([again]).imported == []
    library.rebuild()
    assert visible(library) == [rich.sha256]
    packed = tmp_path / "bundle.zip"
    packed.write_bytes(bundle.written(library, View()))
    other = Library.open(tmp_path / "other", shipped=False)
    other.add([packed])
    assert visible(other) == [rich.sha256]
    library.restore(poor.sha256)
    assert set(visible(library)) == {poor.sha256, rich.sha256}
    library.purge(poor.sha256, "twice")
    assert [row.sha256 for row in library.add([alone]).already] == [rich.sha256]


@every_part
def test_a_part_of_a_run_in_the_library_is_there_already(library: Library, tmp_path: Path, part: str) -> None:
    whole, alone = given_part(part, tmp_path)
    (rich,) = library.add([whole]).imported
    library.rebuild()
    for dry_run in (True, False):
        report = library.add([alone], dry_run=dry_run)
        assert (report.imported, [row.sha256 for row in report.already]) == ([], [rich.sha256])
    library.purge(rich.sha256, "not ours")
    assert len(library.add([alone]).imported) == 1


def test_several_parts_give_way_to_one_run(library: Library, tmp_path: Path) -> None:
    """The file alone, the file with its configuration, and the stage's own report."""
    whole = SAMPLES / "inference_perf" / "concurrency-4"
    stage, partial = "stage_0_lifecycle_metrics.json", "inference-perf.partial.stage_0.yaml"
    poor = set()
    for names in ((stage,), (stage, "config.yaml"), (partial,)):
        folder = tmp_path / str(len(poor))
        folder.mkdir()
        for name in names:
            shutil.copy(whole / name, folder)
        poor |= {row.sha256 for row in library.add([folder]).imported}
    assert len(visible(library)) == 2
    (rich,) = library.add([whole]).imported
    assert set(rich.instead_of) == poor
    assert visible(library) == [rich.sha256]


@every_part
def test_a_library_whose_packs_do_not_say_the_hashes_of_their_files_counts_once_too(
    library: Library, tmp_path: Path, part: str
) -> None:
    whole, alone = given_part(part, tmp_path)
    (rich,) = library.add([whole]).imported
    (sheet,) = (library.path / "points").glob("*.json")
    said = json.loads(sheet.read_text())
    del said["seal"], said["files"]
    for source in said["sources"]:
        assert len(source.pop("digests")) > 1
    sheet.write_text(json.dumps(said))
    earlier = Library.open(library.path, shipped=False)
    assert [row.sha256 for row in earlier.add([alone]).already] == [rich.sha256]


@every_sum
def test_a_sum_gives_way_to_what_it_sums_up(library: Library, tmp_path: Path, of: str) -> None:
    alone = Path(shutil.copy(LEVELS_OF_AIPERF / SUMS[of], tmp_path))
    (sums,) = library.add([alone]).imported
    runs = {row.sha256 for row in library.add([LEVELS_OF_AIPERF]).imported}
    assert (len(runs), set(visible(library))) == (3, runs)
    assert any(run[:12] in str(reason(library, sums.sha256)) for run in runs)
    library.restore(sums.sha256)
    library.add([LEVELS_OF_AIPERF])
    assert set(visible(library)) == {*runs, sums.sha256}


@every_sum
@pytest.mark.parametrize("before", [True, False])
def test_a_bundle_says_which_sums_are_of_its_runs(library: Library, tmp_path: Path, of: str, before: bool) -> None:
    alone, packed = Path(shutil.copy(LEVELS_OF_AIPERF / SUMS[of], tmp_path)), tmp_path / "bundle.zip"
    runs = {row.sha256 for row in library.add([LEVELS_OF_AIPERF]).imported}
    packed.write_bytes(bundle.written(library, View()))
    other = Library.open(tmp_path / "other", shipped=False)
    for given in (alone, packed) if before else (packed, alone):
        other.add([given])
    assert set(visible(other)) == runs


@every_sum
def test_a_sum_that_comes_after_its_runs_counts_no_more_however_it_came(
    library: Library, tmp_path: Path, of: str
) -> None:
    """The runs first, then the sum by itself, which nothing tells from another's; then all of it."""
    for level in ("concurrency_1", "concurrency_4", "concurrency_16"):
        library.add([LEVELS_OF_AIPERF / level])
    runs = set(visible(library))
    alone = Path(shutil.copy(LEVELS_OF_AIPERF / SUMS[of], tmp_path))
    (sums,) = library.add([alone]).imported
    report = library.add([LEVELS_OF_AIPERF])
    assert (report.imported, {row.sha256 for row in report.already}) == ([], runs)
    assert set(visible(library)) == runs
    assert reason(library, sums.sha256) is not None


RUNS = [SAMPLES / "sglang" / name for name in ("rust-concurrency-4.jsonl", "rust-failures-concurrency-16.jsonl")]


def grown(tmp_path: Path) -> tuple[Path, Path]:
    """The file of a tool that appends its runs, with the first in it and with both; of one name, as it is one file."""
    one, both = (run.read_bytes() for run in RUNS)
    for name, content in (("before", one), ("after", one + both)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "runs.jsonl").write_bytes(content)
    return tmp_path / "before" / "runs.jsonl", tmp_path / "after" / "runs.jsonl"


@pytest.mark.parametrize("cut", [0, 100])
def test_a_file_that_grew_stands_instead_of_what_it_was_and_keeps_its_facts(
    library: Library, tmp_path: Path, cut: int
) -> None:
    """So too where it was imported while its second run was being written."""
    before, after = grown(tmp_path)
    before.write_bytes(after.read_bytes()[: before.stat().st_size + cut])
    old = library.add([before], {"accelerator": "h100-sxm"}).imported[0].sha256
    report = library.add([after])
    assert [(row.points, row.instead_of) for row in report.imported] == [(2, (old,))]
    assert visible(library) == [report.imported[0].sha256] * 2
    assert library.fetch("SELECT DISTINCT accelerator FROM points") == [("h100-sxm",)]
    assert library.add([before]).already[0].sha256 in {old, report.imported[0].sha256}
    assert len(visible(library)) == 2


@pytest.mark.parametrize("first", ["before", "after"])
def test_a_file_before_and_after_it_grew_counts_once_in_one_import(
    library: Library, tmp_path: Path, first: str
) -> None:
    files = dict(zip(("before", "after"), grown(tmp_path), strict=True))
    library.add([files.pop(first), *files.values()])
    assert len(visible(library)) == 2
    other = Path(shutil.copy(tmp_path / "before" / "runs.jsonl", tmp_path / "other.jsonl"))
    assert library.add([other]).imported, "a file of another name is another file"


def test_what_gave_way_to_a_source_stands_again_once_that_is_purged(library: Library, tmp_path: Path) -> None:
    before, after = grown(tmp_path)
    old, new = (library.add([file]).imported[0].sha256 for file in (before, after))
    library.purge(new, "it was another endpoint")
    assert visible(library) == [old]
    assert [row.sha256 for row in library.add([before]).already] == [old]
    library.add([after], force=True)
    assert visible(library) == [new] * 2


def test_what_gave_way_twice_gives_way_still_when_the_middle_one_is_purged(library: Library, tmp_path: Path) -> None:
    before, after = grown(tmp_path)
    longest = tmp_path / "longest" / "runs.jsonl"
    longest.parent.mkdir()
    third = (SAMPLES / "sglang" / "failures-concurrency-16.jsonl").read_bytes()
    longest.write_bytes(after.read_bytes() + third)
    _, middle, last = (library.add([file]).imported[0].sha256 for file in (before, after, longest))
    library.purge(middle, "no longer needed")
    assert visible(library) == [last] * 3


def test_runs_of_one_name_that_differ_all_stand(library: Library, tmp_path: Path) -> None:
    for number, run in enumerate(RUNS):
        (tmp_path / str(number)).mkdir()
        shutil.copy(run, tmp_path / str(number) / "runs.jsonl")
    assert len(library.add([tmp_path / "0", tmp_path / "1"]).imported) == 2
    assert len(visible(library)) == 2


def test_what_a_file_replaces_is_named_before_and_after(library: Library, tmp_path: Path) -> None:
    whole, alone = given("inference_perf", tmp_path)
    both = report_by_file.replacements(library.add([alone, whole], dry_run=True), library, dry_run=True)
    assert len(both) == 1
    assert "another file of this import" in both[0]
    library.add([alone])
    for dry_run in (True, False):
        report = library.add([whole], dry_run=dry_run)
        (told,) = report_by_file.replacements(report, library, dry_run=dry_run, shown=lambda file: Path(file).name)
        assert told.count("stage_0_lifecycle_metrics.json") == 2
    assert report_by_file.replacements(library.add([whole]), library, dry_run=False) == []
