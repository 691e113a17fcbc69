"""The sweeps of our own, on a CPU and on one H100: whole, as asked, sound, told by whom and on what, and apart."""

from __future__ import annotations

from itertools import product
from types import ModuleType

import pytest

from bench import names
from bench.formats.journal import Journal, decode
from bench.library import Library
from data.recipes import cpu_sweeps, h100_sweeps

SERVED = {cpu_sweeps: ("cpu", 1, "fp32"), h100_sweeps: ("h100-sxm", 1, "bf16")}
ACCELERATOR = {"random-llama-0.2m": "cpu", "random-llama-0.9m": "cpu", "random-llama-8b": "h100-sxm"}


def journals(recipe: ModuleType) -> list[Journal]:
    paths = sorted(recipe.FOLDER.glob("*.jsonl"))
    assert len(paths) == len(recipe.kept())
    return [decode(path) for path in paths]


def test_every_point_of_the_profile_on_a_cpu_is_there_once() -> None:
    grid = list(product((128, 512, 1024, 2048), (128, 512, 1024), (1, 4, 8, 16, 32)))
    for journal in journals(cpu_sweeps):
        of = [(line.workload, line.load.concurrency) for line, _ in journal.points]
        assert sorted((one.isl_requested, one.osl_requested, load) for one, load in of) == grid
        assert journal.ends[-1].state == "done"
        assert all((line.requests_ok, line.cancelled) == (line.load.concurrency, 0) for line, _ in journal.points)


def test_every_level_of_both_lengths_on_an_h100_is_there() -> None:
    lines = [line for journal in journals(h100_sweeps) for line, _ in journal.points if line.load.concurrency]
    found = {(line.workload.isl_requested, line.load.concurrency) for line in lines}
    assert found == set(product((128, 1024), (1, 2, 4, 8, 16, 32, 64)))
    # Little's law: of N in flight each has 128 tokens within its E2EL; with few requests the last run beside fewer.
    for line in lines:
        expected = line.load.concurrency * 128 / (line.metrics["e2el_ms_mean"] / 1000)
        assert line.metrics["output_tokens_per_s"] == pytest.approx(expected, rel=0.15)


@pytest.mark.parametrize("recipe", SERVED)
def test_lengths_are_those_asked_for_nothing_failed_and_what_was_measured_is_told(recipe: ModuleType) -> None:
    for journal in journals(recipe):
        for line, _ in journal.points:
            assert (line.state, line.requests_failed, line.token_source) == ("measured", 0, "usage")
            assert line.workload.isl_actual == pytest.approx(line.workload.isl_requested, rel=0.02)
            assert line.workload.osl_actual == line.workload.osl_requested
            assert {flag.kind for flag in line.flags} <= {"too_few_requests"}
        for session in journal.sessions:
            served = session.deployment
            assert (served.accelerator, served.accelerators, served.precision) == SERVED[recipe]
            assert (served.engine, served.engine_version) == ("hf-transformers", "5.23.0")
            assert names.model(str(served.model)) is not None
            assert session.evidence == "measured"
    assert all("the weights are random" in file.card.attribution for file in recipe.kept())


def test_no_published_point_shares_a_model_with_them(shipped: Library) -> None:
    for model, accelerator in ACCELERATOR.items():
        sql = "SELECT DISTINCT harness, accelerator, evidence, origin FROM points WHERE model = ?"
        assert shipped.fetch(sql, [model]) == [("kneepoint", accelerator, "measured", "own")]


@pytest.mark.parametrize("recipe", SERVED)
def test_nothing_in_them_names_a_place(recipe: ModuleType) -> None:
    for path in recipe.FOLDER.glob("*.jsonl"):
        assert not [word for word in ("/tmp", "/root", "/home", "/work") if word in path.read_text(encoding="utf-8")]
