"""The frontier of earlier sweeps behind a run: of the same model and shape only, and never of what came later."""

from __future__ import annotations

from pathlib import Path

from bench import chart
from bench.formats.journal import encode
from bench.records import Deployment, Workload
from bench.runs import curve_chart, story
from bench.runs.earlier import EarlierBest, earlier
from bench.sweep.folder import Folder
from bench.sweep.planning.plan import Plan
from tests.library import sweeps

X = "interactivity_tokens_per_s_per_user_p50"


def sweep(
    library: Path,
    second: int,
    points: list[tuple[float, float]],
    model: str = "m",
    osl: int = 64,
    evidence: str = "measured",
) -> Folder:
    """A sweep with these interactivities and throughputs, one for each concurrency."""
    folder = Folder(library / "sweeps" / f"20260101-0000{second:02d}-abcdef")
    folder.requests.mkdir(parents=True)
    folder.keep_plan(
        Plan.from_fields(
            {
                "endpoint.url": "http://127.0.0.1:9",
                "endpoint.model": model,
                "workloads.isl": "256",
                "workloads.osl": str(osl),
                "loads.concurrency": ", ".join(str(n + 1) for n in range(len(points))),
            }
        )
    )
    shape = {"isl": "256", "osl": str(osl), "workload": Workload(isl_requested=256, osl_requested=osl)}
    lines = [
        sweeps.point(n, key=f"k{n}", **shape, metrics={X: x, "output_tokens_per_s": y})
        for n, (x, y) in enumerate(points, 1)
    ]
    session = sweeps.session(folder.id, deployment=Deployment(model=model), evidence=evidence)
    folder.journal.write_bytes(b"".join(encode(line) for line in (session, *lines)))
    folder.tell({"id": folder.id, "state": "done"})
    return folder


def test_only_the_best_of_earlier_sweeps_of_the_same_model_and_shape(tmp_path: Path) -> None:
    first = sweep(tmp_path, 1, [(90, 100), (80, 300), (60, 290)])
    second = sweep(tmp_path, 2, [(95, 90), (70, 400)])
    others = [
        sweep(tmp_path, 3, [(99, 999)], model="other"),
        sweep(tmp_path, 4, [(99, 999)], osl=128),
        sweep(tmp_path, 5, [(99, 999)], evidence="simulated"),
    ]
    own = sweep(tmp_path, 6, [(85, 200), (65, 350)])
    later = sweep(tmp_path, 7, [(99, 999)])
    (found,) = earlier(own, story(own), [later, own, *reversed(others), second, first])
    assert found == EarlierBest(found.shape, (70, 80, 90, 95), (400, 300, 100, 90), 2)

    made = curve_chart.figure(story(own), chart.theme("dark"), behind=[found])
    assert list(made.data[0].y) == [400, 300, 100, 90]
    assert "2 earlier sweeps" in made.data[0].name
    assert made.layout.yaxis.range[1] > 400
    assert len(curve_chart.figure(story(own), chart.theme("dark")).data) == len(made.data) - 1


def test_an_earlier_sweep_that_cannot_be_read_is_passed_over(tmp_path: Path) -> None:
    first = sweep(tmp_path, 1, [(90, 100)])
    (first.path / "plan.json").write_text("{")
    own = sweep(tmp_path, 2, [(85, 200)])
    assert earlier(own, story(own), [first]) == ()
