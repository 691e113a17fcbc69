"""The three sweeps of our own on one H100: told by whom and on what, sound, and apart from every published model."""

from __future__ import annotations

from itertools import product

import pytest

from bench import names
from bench.formats.journal import Journal, decode
from bench.library import Library
from data.recipes.__main__ import SHIPPED
from data.recipes.h100_sweeps import FOLDER, PARTS, kept

LEVELS = (1, 2, 4, 8, 16, 32, 64)


@pytest.fixture(params=PARTS)
def journal(request: pytest.FixtureRequest) -> Journal:
    return decode(FOLDER / f"random-llama-8b-{request.param}.jsonl")


def test_every_level_of_both_lengths_is_there() -> None:
    closed = [decode(FOLDER / f"random-llama-8b-{part}.jsonl") for part in ("short", "long")]
    found = {(line.workload.isl_requested, line.load.concurrency) for journal in closed for line, _ in journal.points}
    assert found == set(product((128, 1024), LEVELS))


def test_lengths_are_those_asked_for_and_nothing_failed(journal: Journal) -> None:
    for line, _ in journal.points:
        assert line.state == "measured"
        assert line.requests_failed == 0
        assert line.workload.isl_actual == pytest.approx(line.workload.isl_requested, rel=0.02)
        assert line.workload.osl_actual == line.workload.osl_requested
        assert line.token_source == "usage"
        assert {flag.kind for flag in line.flags} <= {"too_few_requests"}


def test_a_closed_loop_gives_each_user_a_token_in_the_time_it_states(journal: Journal) -> None:
    """Little's law: of N in flight each has 128 tokens within its E2EL."""
    for line, _ in journal.points:
        if line.load.concurrency:
            expected = line.load.concurrency * 128 / (line.metrics["e2el_ms_mean"] / 1000)
            assert line.metrics["output_tokens_per_s"] == pytest.approx(
                expected, rel=0.15
            )  # with few requests the last ones run beside fewer


def test_what_was_measured_is_told(journal: Journal) -> None:
    for session in journal.sessions:
        served = session.deployment
        assert (served.accelerator, served.accelerators, served.precision) == ("h100-sxm", 1, "bf16")
        assert (served.engine, served.engine_version) == ("hf-transformers", "5.23.0")
        assert names.model(str(served.model)) is not None
        assert session.evidence == "measured"
    assert all("the weights are random" in file.card.attribution for file in kept())


def test_no_published_point_shares_a_model_with_them() -> None:
    library = Library.open(SHIPPED, shipped=False)
    found = library.fetch("SELECT DISTINCT harness, accelerator, origin FROM points WHERE model = 'random-llama-8b'")
    assert found == [("kneepoint", "h100-sxm", "own")]
    assert library.fetch("SELECT count(*) FROM points WHERE model = 'random-llama-8b'") == [(18,)]
    library.close()


def test_nothing_in_them_names_a_place() -> None:
    for path in FOLDER.glob("*.jsonl"):
        assert not [word for word in ("/tmp", "/root", "/home", "/work") if word in path.read_text(encoding="utf-8")]
