"""An import's report, file by file, on real imports."""

from __future__ import annotations

import shutil
from pathlib import Path

from bench.library import Library, report_by_file
from bench.library.facts import PRICE
from bench.library.report_by_file import FileLine, open_sources, stated, still_open
from tests.library.files import SCORE, sweep, table


def looked_through(tmp_path: Path, *paths: Path) -> list[FileLine]:
    library = Library.open(tmp_path / "library", shipped=False)
    report = library.add(paths, dry_run=True)
    return report_by_file.by_file(report, lambda file: Path(file).name)


def test_each_file_has_one_line_whatever_became_of_it(tmp_path: Path) -> None:
    good = sweep(tmp_path, 1)
    again = tmp_path / "again.csv"
    shutil.copy(good, again)
    partly = table(tmp_path / "partly.csv", {"concurrency": 1}, {"concurrency": "many"}, {"isl": -1})
    broken = tmp_path / "broken.json"
    broken.write_text('{"model": [')
    unknown = table(tmp_path / "wrong.csv", {"isl": "x"}, {"isl": "y"})
    scores = table(tmp_path / "scores.csv", {}, base=SCORE)
    lines = {line.file: line for line in looked_through(tmp_path, good, again, partly, broken, unknown, scores)}
    assert set(lines) == {"sweep1.csv", "again.csv", "partly.csv", "broken.json", "wrong.csv", "scores.csv"}
    assert {name for name, line in lines.items() if line.loads} == {"sweep1.csv", "partly.csv", "scores.csv"}
    assert [lines[name].points for name in ("sweep1.csv", "partly.csv", "scores.csv")] == [3, 1, 0]
    assert lines["sweep1.csv"].recognised == "Published table"
    assert (lines["partly.csv"].refused_rows, lines["scores.csv"].scores) == (2, 1)
    assert lines["again.csv"].known
    assert "broken.json" in str(lines["broken.json"].reason)
    assert lines["wrong.csv"].reason
    assert lines["wrong.csv"].refused_rows == 2
    before, after = report_by_file.would_add(list(lines.values())), report_by_file.added(list(lines.values()))
    for counted in ("3 of 6 files", "4 points and 1 score", "1 file is in the library already", "2 rows are refused"):
        assert counted in before
    for counted in ("4 points and 1 score from 3 files", "1 file was in the library already", "2 rows were refused"):
        assert counted in after


def test_what_a_file_leaves_open_is_asked_and_never_what_it_says(tmp_path: Path) -> None:
    full = sweep(tmp_path, 1)
    open_ = table(tmp_path / "open.csv", {"accelerator": None, "accelerators": None, "concurrency": 2}, {})
    scores = table(tmp_path / "scores.csv", {}, base=SCORE)
    sources = {one.file: one for one in open_sources(looked_through(tmp_path, full, open_, scores))}
    assert set(sources) == {"sweep1.csv", "open.csv"}
    assert sources["open.csv"].open["accelerator"] == 1
    assert "accelerator" not in sources["sweep1.csv"].open
    assert sources["sweep1.csv"].open[PRICE] == 3
    facts = stated([*sources.values()], {"accelerator": "h200-sxm", PRICE: 2.5}, {})
    assert facts[sources["open.csv"].source_id] == {"accelerator": "h200-sxm", PRICE: 2.5}
    assert facts[sources["sweep1.csv"].source_id] == {PRICE: 2.5}
    assert "Accelerator" in still_open(sources["open.csv"], {})
    assert "Accelerator" not in still_open(sources["open.csv"], facts[sources["open.csv"].source_id])


def test_what_is_stated_for_one_wins_over_what_is_stated_for_all() -> None:
    sources = [FileLine(f"{id}.csv", source_id=id, points=1, open={"model": 1}) for id in ("a", "b")]
    assert stated(sources, {"model": "x"}, {"b": {"model": "y"}}) == {"a": {"model": "x"}, "b": {"model": "y"}}
    assert stated(sources, {}, {"b": {"model": ""}}) == {}


def test_files_of_one_name_are_told_apart_by_what_differs(tmp_path: Path) -> None:
    files = []
    for concurrency, accelerator in ((1, "h100-sxm"), (16, "h100-sxm"), (16, "b200-sxm")):
        folder = tmp_path / f"{concurrency}-{accelerator}"
        folder.mkdir()
        row = {"concurrency": concurrency, "accelerator": accelerator, "output_tokens_per_s": 100.0}
        files.append(table(folder / "vllm.csv", row))
    files.append(table(tmp_path / "grid.csv", *({"concurrency": n, "output_tokens_per_s": 100.0 * n} for n in (1, 2))))
    lines = looked_through(tmp_path, *files)
    assert report_by_file.differing_columns(lines) == ("accelerator", "concurrency", "output_tokens_per_s")
    assert sorted(map(str, report_by_file.cells(lines, "concurrency"))) == ["1", "1 and 2", "16", "16"]
    called = report_by_file.told_apart(lines)
    assert sorted(called.values()) == [
        "grid.csv",
        "vllm.csv (accelerator B200 SXM, concurrency 16)",
        "vllm.csv (accelerator H100 SXM, concurrency 1)",
        "vllm.csv (accelerator H100 SXM, concurrency 16)",
    ]
    assert sorted(one.file for one in open_sources(lines)) == sorted(called.values())


def test_of_one_file_load_and_throughput_are_told_as_numbers(tmp_path: Path) -> None:
    lines = looked_through(tmp_path, table(tmp_path / "a.csv", {"concurrency": 4, "output_tokens_per_s": 9.5}))
    assert report_by_file.differing_columns(lines) == ("concurrency", "output_tokens_per_s")
    assert [report_by_file.cells(lines, column) for column in report_by_file.differing_columns(lines)] == [[4], [9.5]]
