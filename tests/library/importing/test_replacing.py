"""What is said of a file that stands instead of one that was imported before."""

from __future__ import annotations

import re
from pathlib import Path

from bench.library import Library, report_by_file
from tests.library.importing.test_duplicates import given

DAY = r"\d{4}-\d\d-\d\d"


def test_the_older_file_is_named_with_its_day(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    whole, alone = given("inference_perf", tmp_path)
    library.add([alone])
    for dry_run, verb in ((True, "will replace it"), (False, "replaces it")):
        report = library.add([whole], dry_run=dry_run)
        (told,) = report_by_file.replacements(report, library, dry_run=dry_run, shown=lambda file: Path(file).name)
        name = r"stage_0_lifecycle_metrics\.json"
        assert re.fullmatch(f"{name}: newer version of {name}, imported (today|on {DAY}); {verb}\\.", told)


def test_where_nothing_is_replaced_nothing_is_said(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    whole, _ = given("inference_perf", tmp_path)
    assert report_by_file.replacements(library.add([whole]), library, dry_run=False) == []


def test_two_files_of_one_import_are_told_as_such(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    whole, alone = given("inference_perf", tmp_path)
    report = library.add([alone, whole], dry_run=True)
    (told,) = report_by_file.replacements(report, library, dry_run=True)
    assert told.endswith(": newer version of another file of this import; will replace it.")
