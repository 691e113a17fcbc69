"""How a point is measured once more: by the sweep that gave it, or by an endpoint that the library names."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.library import Library
from bench.runs import repeat_point
from bench.sweep.folder import Folder
from bench.sweep.planning import form
from bench.sweep.planning.endpoints import Endpoints

ROW = {
    "model": "llama-3.1-70b",
    "accelerator": "h100-sxm",
    "accelerators": 4,
    "isl": 1024,
    "osl": 256,
    "load_kind": "closed",
    "concurrency": 16.0,
    "engine": "vllm",
}
LAB = '[endpoints.lab]\nbase_url = "http://127.0.0.1:9"\nmodel = "meta-llama/Llama-3.1-70B-Instruct"\n'


def test_a_point_of_a_sweep_is_asked_what_it_was_asked(measured: Folder) -> None:
    library = measured.path.parent.parent
    rows = Library.open(library, shipped=False).query("SELECT * FROM points").to_dict("records")
    for row in rows:
        number = row["locator"].removeprefix("point ")
        link = repeat_point.in_a_link(library, row, (measured.id, number))
        assert link is not None
        stated, problems = form.from_link(link.items())
        plan = form.checked(stated).plan
        assert not problems
        assert plan is not None
        assert plan.endpoint == measured.plan.endpoint
        (point,) = plan.points()
        line = next(line for line, _ in measured.read.points if line.number == int(number))
        assert (point.load, point.shape.key) == (line.load, f"isl={line.isl} osl={line.osl}")


def test_a_sweep_of_another_machine_says_no_endpoint(tmp_path: Path) -> None:
    run = ("20260101-000000-abcdef", "1")
    assert not repeat_point.swept(tmp_path, run)
    assert repeat_point.in_a_link(tmp_path, ROW, run) is None


def test_an_endpoint_that_serves_the_model_measures_a_point_of_a_file(tmp_path: Path) -> None:
    assert repeat_point.in_a_link(tmp_path, ROW, None) is None
    (tmp_path / "endpoints.toml").write_text(LAB)
    link = repeat_point.in_a_link(tmp_path, ROW, None)
    assert link is not None
    stated, _ = form.from_link(link.items())
    plan = form.checked(stated, Endpoints(tmp_path)).plan
    assert plan is not None
    assert (plan.endpoint.name, [point.load.concurrency for point in plan.points()]) == ("lab", [16])


@pytest.mark.parametrize(
    ("facts", "row"),
    [
        ('accelerator = "MI300X"', {}),
        ("accelerators = 8", {}),
        ("", {"model": "qwen3-32b"}),
        ("", {"load_kind": "saturated", "concurrency": None}),
        ("", {"isl": None}),
    ],
)
def test_an_endpoint_of_something_else_does_not(facts: str, row: dict[str, object], tmp_path: Path) -> None:
    (tmp_path / "endpoints.toml").write_text(f"{LAB}[endpoints.lab.facts]\n{facts}\n")
    assert repeat_point.in_a_link(tmp_path, ROW | row, None) is None


def test_a_broken_list_of_endpoints_offers_nothing(tmp_path: Path) -> None:
    (tmp_path / "endpoints.toml").write_text("[endpoints")
    assert repeat_point.in_a_link(tmp_path, ROW, None) is None
