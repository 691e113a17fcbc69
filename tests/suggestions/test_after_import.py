"""Where new results lead: links that hold them, written out whole, on the shipped library."""

from __future__ import annotations

from pathlib import Path

from bench.library import Library
from bench.questions import question
from bench.suggestions.after_import import COMPARISON, FRONTIER, onward
from tests.library.files import table

SAMPLES = Path(__file__).parents[1] / "samples"
LIKE_PUBLISHED = {
    "model": "deepseek-r1",
    "precision": "fp8",
    "engine": "vllm",
    "accelerator": "h200-sxm",
    "accelerators": 8,
    "isl": 1024,
    "osl": 1024,
    "load_kind": "closed",
    "evidence": "measured",
    "source": "our-lab",
    "date": "2026-11-01",
}


def added(tmp_path: Path, base: dict[str, object], **latency: float) -> tuple[Library, list[str]]:
    rows = [{"concurrency": n, "output_tokens_per_s": 300.0 * n**0.8, **latency} for n in (1, 4, 16, 64)]
    library = Library.open(tmp_path / "library")
    report = library.add([table(tmp_path / "lab.csv", *rows, base=base)])
    assert not report.refused
    return library, [row.sha256 for row in report.imported]


def test_new_points_are_on_the_frontier_and_beside_the_published(tmp_path: Path) -> None:
    library, ids = added(tmp_path, LIKE_PUBLISHED, tpot_ms_p50=12.0)
    (alone, beside), told = onward(library, ids)
    assert told == ""
    assert (alone.page, alone.label) == ("pareto", FRONTIER)
    assert alone.view.whole
    assert alone.view.values("source") == ("our-lab",)
    assert set(question("pareto").answer(library, alone.view).rows["source"]) == {"our-lab"}
    assert (beside.page, beside.label) == ("pareto", COMPARISON)
    assert beside.view.whole
    assert beside.view.option("group") == "source"
    assert (beside.view.values("isl"), beside.view.values("osl")) == (("1024",), ("1024",))
    compared = question("pareto").answer(library, beside.view)
    assert "our-lab" in set(compared.rows["source"])
    assert len(set(compared.rows["source"])) > 1
    assert (
        len(compared.rows)
        == library.fetch(
            "SELECT count(*) FROM points WHERE model = 'deepseek-r1' AND precision = 'fp8'"
            f' AND isl = 1024 AND osl = 1024 AND isfinite("{beside.view.option("x")}")'
            f' AND isfinite("{beside.view.option("y")}")'
            " AND (point_id NOT IN (SELECT point_id FROM set_aside) OR evidence <> 'measured')"
        )[0][0]
    )


def test_points_that_nobody_measured_enter_the_frontier_of_their_link(tmp_path: Path) -> None:
    mine = {**LIKE_PUBLISHED, "evidence": "unverified", "precision": "int3"}
    library, ids = added(tmp_path, mine, tpot_ms_p50=12.0)
    (alone, beside), _ = onward(library, ids)
    assert alone.view.values("evidence") == beside.view.values("evidence") == ("measured", "unverified")
    assert question("pareto").answer(library, alone.view).rows["on_frontier"].any()
    assert beside.view.values("precision") == ()  # where nobody has it, the workload is enough
    assert len(set(question("pareto").answer(library, beside.view).rows["source"])) > 1


def test_a_model_nobody_else_measured_has_no_comparison_and_the_page_says_so(tmp_path: Path) -> None:
    library, ids = added(tmp_path, {**LIKE_PUBLISHED, "model": "our-own"}, tpot_ms_p50=12.0)
    (alone,), told = onward(library, ids)
    assert alone.page == "pareto"
    assert "our-own" in told
    assert onward(library, []) == onward(library, ["0" * 64]) == ([], "")


def test_throughput_alone_is_compared_by_crossover(tmp_path: Path) -> None:
    library, ids = added(tmp_path, {**LIKE_PUBLISHED, "evidence": "unverified"})
    cells, crossing = onward(library, ids)[0]
    assert (cells.page, crossing.page) == ("heatmap", "crossover")
    assert cells.view.whole
    assert len(question("heatmap").answer(library, cells.view).rows) > 0
    assert "our-lab" in crossing.view.option("a")


def test_a_file_of_a_tool_whose_results_were_published_too_is_told_apart_from_them(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library")
    report = library.add([SAMPLES / "inferencex" / "agg_bmk.json"])
    (alone, beside), told = onward(library, [row.sha256 for row in report.imported])
    assert told == ""
    assert [alone.label, beside.label] == [FRONTIER, COMPARISON]
    own = question("pareto").answer(library, alone.view).rows
    assert len(own) == 3
    assert (alone.view.values("source"), alone.view.values("origin")) == (("inferencex",), ("imported",))
    assert beside.view.option("group") == "origin"
    both = question("pareto").answer(library, beside.view).rows
    assert set(own["point_id"]) <= set(both["point_id"])
    assert set(both["owner"]) == {"imported", "published"}
