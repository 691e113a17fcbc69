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

SUMS = {
    "the trials of a cell": "aggregate/concurrency_4/profile_export_aiperf_aggregate.json",
    "a sweep": "sweep_aggregate/profile_export_aiperf_sweep.json",
}
"""A file that is a result when it is given alone, and sums up the others where it lies."""

ALONE = {
    "genai_bench": ("genai_bench/failures-16", "D100_128_text-to-text_num_concurrency_16_time_4s.json"),
    "inference_perf": ("inference_perf/concurrency-4", "stage_0_lifecycle_metrics.json"),
    "aiperf": ("aiperf/concurrency-4", "profile_export_aiperf.json"),
    "the requests of a run": ("aiperf/concurrency-4", "profile_export.jsonl"),
    "llmperf": ("llmperf", "mock-model_100_64_summary.json"),
    "the llm-d report of a stage": ("inference_perf/concurrency-4", "inference-perf.partial.stage_0.yaml"),
}
"""A file that is a result when it is given alone; where it lies it says more, or belongs to another."""

LEVELS_OF_AIPERF = SAMPLES / "aiperf" / "levels"
every_sum = pytest.mark.parametrize("of", some(SUMS, 1))


every_file = pytest.mark.parametrize("name", some(ALONE, 1))


def visible(library: Library) -> list[str]:
    """The source of each visible point."""
    return [source for (source,) in library.fetch("SELECT source_id FROM points ORDER BY 1")]


def reason(library: Library, source_id: str) -> str | None:
    """Why a source is hidden."""
    return library.fetch("SELECT retracted FROM sources WHERE source_id = $1", (source_id,))[0][0]  # type: ignore[no-any-return]


def given(name: str, tmp_path: Path) -> tuple[Path, Path]:
    """The folder of a run, and a copy of one file of it."""
    folder, file = ALONE[name]
    return SAMPLES / folder, Path(shutil.copy(SAMPLES / folder / file, tmp_path))


@every_file
def test_a_file_alone_gives_way_to_its_run_and_leaves_it_its_facts(library: Library, tmp_path: Path, name: str) -> None:
    whole, alone = given(name, tmp_path)
    (poor,) = library.add([alone], {"accelerator": "h100-sxm"}).imported
    assert [row.instead_of for row in library.add([whole], dry_run=True).imported] == [(poor.sha256,)]
    assert visible(library) == [poor.sha256]
    report = library.add([whole], who="Ann")
    (rich,) = report.imported
    assert (rich.instead_of, rich.sha256 != poor.sha256) == ((poor.sha256,), True)
    (told,) = report_by_file.replacements(report, library, dry_run=False)
    assert alone.name in told
    assert visible(library) == [rich.sha256]
    assert library.fetch("SELECT accelerator FROM points") == [("h100-sxm",)]
    assert rich.sha256[:12] in str(reason(library, poor.sha256))
    hidden = [row for row in entries(library.path / "audit.jsonl") if row["what"] == "retract"]
    assert [(row["who"], row["id"]) for row in hidden] == [("Ann", poor.sha256)]
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


@every_file
def test_a_file_alone_of_a_run_in_the_library_is_there_already(library: Library, tmp_path: Path, name: str) -> None:
    whole, alone = given(name, tmp_path)
    for files in ([whole, alone], [alone, whole]):
        both = Library.open(tmp_path / f"{files[0].name} first", shipped=False)
        both.add(files)
        assert len(visible(both)) == 1
    (rich,) = library.add([whole]).imported
    library.rebuild()
    for dry_run in (True, False):
        report = library.add([alone], {"accelerator": "h100-sxm"}, dry_run=dry_run)
        assert (report.imported, [row.sha256 for row in report.already]) == ([], [rich.sha256])
    assert library.fetch("SELECT accelerator FROM points") == [("h100-sxm",)]
    library.purge(rich.sha256, "not ours")
    assert len(library.add([alone]).imported) == 1


def test_another_run_and_another_file_beside_a_run_are_other_sources(library: Library, tmp_path: Path) -> None:
    """Neither says which of the two configurations is the run's; another figure in it makes another run."""
    whole = SAMPLES / "inference_perf" / "concurrency-4"
    changed = Path(shutil.copytree(whole, tmp_path / "changed"))
    (changed / "config.yaml").write_text("server: {model_name: another, type: vllm}\n")
    assert len(library.add([whole, changed]).imported) == 2
    run, alone = given("genai_bench", tmp_path)
    alone.write_text(alone.read_text().replace('"num_concurrency": 16', '"num_concurrency": 17'))
    library.add([run])
    assert len(library.add([alone]).imported) == 1
    for number, grown_file in enumerate(RUNS):
        (tmp_path / str(number)).mkdir()
        shutil.copy(grown_file, tmp_path / str(number) / "runs.jsonl")
    assert len(library.add([tmp_path / "0", tmp_path / "1"]).imported) == 2
    assert len(visible(library)) == 6


def test_a_table_with_a_card_stands_instead_of_the_table(library: Library, tmp_path: Path) -> None:
    table = tmp_path / "mine.csv"
    table.write_text("model,accelerator,output_tokens_per_s\nLlama 3.1 70B,H100,71.4\n")
    (poor,) = library.add([table]).imported
    (tmp_path / "mine.source.toml").write_text('licence = "CC-BY-4.0"\n')
    (rich,) = library.add([table]).imported
    assert rich.instead_of == (poor.sha256,)
    assert visible(library) == [rich.sha256]


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


def test_a_library_whose_packs_do_not_say_the_hashes_of_their_files_counts_once_too(
    library: Library, tmp_path: Path
) -> None:
    whole, alone = given("the requests of a run", tmp_path)
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
def test_a_bundle_says_which_sums_are_of_its_runs(library: Library, tmp_path: Path, of: str) -> None:
    alone, packed = Path(shutil.copy(LEVELS_OF_AIPERF / SUMS[of], tmp_path)), tmp_path / "bundle.zip"
    runs = {row.sha256 for row in library.add([LEVELS_OF_AIPERF]).imported}
    packed.write_bytes(bundle.written(library, View()))
    for files in ((alone, packed), (packed, alone)):
        other = Library.open(tmp_path / f"{files[0].name} first", shipped=False)
        for file in files:
            other.add([file])
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


def test_what_a_file_was_before_it_grew_is_there_already_under_its_own_name(library: Library, tmp_path: Path) -> None:
    before, after = grown(tmp_path)
    together = Library.open(tmp_path / "together", shipped=False)
    together.add([before, after])
    assert len(visible(together)) == 2
    new = library.add([after]).imported[0].sha256
    assert [row.sha256 for row in library.add([before]).already] == [new]
    other = Path(shutil.copy(before, tmp_path / "other.jsonl"))
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
