"""The two sweeps of our own: whole, as asked, told by whom and on what, and apart from everything published."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from bench import names
from bench.formats.journal import Journal, decode
from bench.library import Library
from data.recipes.__main__ import SHIPPED
from data.recipes.cpu_sweeps import FOLDER, MODELS, kept

GRID = list(product((128, 512, 1024, 2048), (128, 512, 1024), (1, 4, 8, 16, 32)))


@pytest.fixture(params=MODELS)
def journal(request: pytest.FixtureRequest) -> Journal:
    return decode(FOLDER / f"{request.param}.jsonl")


def test_every_point_of_the_profile_is_there_once(journal: Journal) -> None:
    found = [
        (line.workload.isl_requested, line.workload.osl_requested, line.load.concurrency) for line, _ in journal.points
    ]
    assert sorted(found, key=GRID.index) == GRID
    assert journal.ends[-1].state == "done"
    assert {session.profile for session in journal.sessions} == {"throughput_sweep"}


def test_lengths_are_those_asked_for_and_nothing_failed(journal: Journal) -> None:
    for line, _ in journal.points:
        assert line.requests_ok == line.load.concurrency
        assert (line.requests_failed, line.cancelled) == (0, 0)
        assert line.workload.isl_actual == pytest.approx(line.workload.isl_requested, rel=0.02)
        assert line.workload.osl_actual == line.workload.osl_requested
        assert line.token_source == "usage"


def test_no_point_is_of_the_load_generator(journal: Journal) -> None:
    assert {flag.kind for line, _ in journal.points for flag in line.flags} <= {"too_few_requests"}


def test_what_was_measured_is_told(journal: Journal) -> None:
    for session in journal.sessions:
        served = session.deployment
        assert (served.accelerator, served.accelerators, served.precision) == ("cpu", 1, "fp32")
        assert (served.engine, served.engine_version) == ("hf-transformers", "5.23.0")
        assert "2 cores" in str(served.variant)
        assert names.model(str(served.model)) is not None
        assert "random weights" in str(session.note)
        assert "shared" in str(session.note)
        assert session.evidence == "measured"
    assert all("shared with other work" in file.card.attribution for file in kept())


def test_no_published_point_shares_a_model_with_them(journal: Journal) -> None:
    library = Library.open(SHIPPED, shipped=False)
    model = str(journal.sessions[0].deployment.model)
    found = library.fetch("SELECT DISTINCT harness, accelerator, evidence, origin FROM points WHERE model = ?", [model])
    library.close()
    assert found == [("kneepoint", "cpu", "measured", "own")]


def test_nothing_in_them_names_a_place(journal: Journal) -> None:
    for model in MODELS:
        text = (Path(FOLDER) / f"{model}.jsonl").read_text(encoding="utf-8")
        assert not [word for word in ("/tmp", "/root", "/home", "/work") if word in text]
