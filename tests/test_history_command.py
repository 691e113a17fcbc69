"""`tag` and `history`: what a page shows of corrections, without a browser."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.cli import main
from bench.library.ledger import person
from tests.holdings.made import made, source_of


def test_history_tells_who_did_what_and_a_tag_comes_off_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    library = made(tmp_path)
    source = source_of(library, "mine.csv")
    place = ["--library", str(library.path), "--no-shipped"]
    assert main(["tag", source[:8], "Rerun wanted", *place]) == 0
    assert main(["tag", source[:8], "rerun wanted", "--remove", *place]) == 0
    assert main(["tag", source[:8], "rerun wanted", "--remove", *place]) == 1
    capsys.readouterr()
    assert main(["history", source[:8], "--json", *place]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [(row["what"], row["who"]) for row in told] == [
        ("took a tag off", person()),
        ("tagged", person()),
        ("imported", "importer"),
    ]
    assert told[0]["detail"] == "rerun wanted"
