"""How close to the hardware: what is above its line, what binds, what is projected, and what the chart shows of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bench import audit
from bench.basis import evidence
from bench.chart import DARK, LIGHT
from bench.errors import UnknownName
from bench.library import Library
from bench.questions import Answer, openable, roofline
from bench.questions.roofline import measured
from bench.questions.roofline.result import HeldPoint, Roofline
from bench.view import View
from tests.questions.heatmap.results import Row, flag, library_of, library_of_cases, point
from tests.questions.saying import headline, kinds, said, tells
from tests.thorough import some

EVERY = {"runs": "all"}
"""Older runs too, as the audit looks at them."""


def ask(library: Library, where: dict[str, list[Any]] | None = None, **options: str) -> Answer[Roofline]:
    return roofline.answer(library, View.of(where or {}, options, whole=where == {}))


def by_rate(answer: Answer[Roofline]) -> dict[float, HeldPoint]:
    return {one.load.rate: one for one in answer.result.points}


@pytest.fixture(scope="module")
def every(shipped: Library) -> Answer[Roofline]:
    return ask(shipped, {}, **EVERY)


def test_every_point_that_the_audit_finds_lies_above_its_line_and_no_other(
    every: Answer[Roofline], shipped: Library
) -> None:
    found = {id for one in audit.checks()["roofline"].findings(shipped) for id in one.point_ids}
    beyond = {one.facts.point_id for one in every.result.points if one.is_beyond}
    flagged = {one.facts.point_id for one in every.result.points if one.is_flagged}
    assert found == beyond
    assert flagged <= beyond
    assert all(one.is_above for one in every.result.points if one.is_beyond)
    assert said(every, "beyond")["points"] == len(beyond) == 5


@pytest.mark.parametrize("phase", some(["served", "decode", "prefill"], 2, 3))
def test_what_inferencex_used_lies_between_nothing_and_all(phase: str, shipped: Library) -> None:
    answer = roofline.answer(shipped, View.of({"source": ["inferencex"]}, {"phase": phase, **EVERY}, whole=True))
    assert len(answer.result.ranked) > 500
    for one in answer.result.points:
        for used in (one.use.share, one.use.bandwidth, one.use.compute):
            assert used is None or 0 < used <= 1, one.facts.point_id


def test_the_closest_is_the_nearest_of_all_that_are_below_their_ceiling(shipped: Library) -> None:
    answer = ask(shipped)
    ranked = answer.rows[answer.rows["enters"] & (answer.rows["ceiling_share"] <= 1)]
    kind, values = headline(answer)
    assert kind == "closest"
    assert values["share"] == ranked["ceiling_share"].max()
    first = ranked.iloc[0]
    assert (first["accelerator"], first["accelerators"]) == (values["accelerator"], values["accelerators"])
    assert answer.result.tally.used == len(answer.result.ranked) == len(answer.rows[answer.rows["enters"]])


def test_shares_follow_from_the_columns_beside_them(shipped: Library) -> None:
    for row in ask(shipped).rows.to_dict("records"):
        assert row["ceiling_share"] == pytest.approx(row["output_tokens_per_s"] / row["ceiling"])
        step = row["requests_per_step"] / row["output_tokens_per_s"] * 1000
        assert row["model_bandwidth_utilisation"] == pytest.approx(row["memory_ms"] / step)
        assert row["model_flop_utilisation"] == pytest.approx(row["compute_ms"] / step)
        longest = max(row["memory_ms"], row["compute_ms"]) + row["exchange_ms"]
        assert row["ceiling"] == pytest.approx(1000 * row["requests_per_step"] / longest)


def test_what_binds_is_told_by_the_lightest_step_of_the_series_and_by_who_waits(tmp_path: Path) -> None:
    """Llama 3.1 70B FP8 on 4 H100: a step of one request reads 5.4 ms and takes 12.5, so every step has 7 of its own.

    At 32 it takes 13.5 ms, of which 5.5 are read: latency binds. At 64 of 64 that take 10 ms it is bandwidth. Where of
    64 requests 16 decode at 20 ms, 48 wait.
    """
    rows = [
        point(128, 128, 80, concurrency=1, tpot_ms_mean=12.5),
        point(128, 128, 32 / 0.0135, concurrency=32, tpot_ms_mean=13.5),
        point(128, 128, 64 / 0.010, concurrency=64, tpot_ms_mean=10, variant="fast"),
        point(128, 128, 800, concurrency=64, tpot_ms_mean=20, variant="waiting"),
        point(4096, 16, 130, concurrency=64, tpot_ms_mean=100, variant="prompts"),
        point(128, 128, 50, concurrency=64, variant="no time"),
    ]
    found = by_rate(ask(library_of(tmp_path, rows), {"model": ["llama-3.1-70b"]}, axis="batch"))
    told = {one.facts.variant or one.facts.concurrency: one.bound_by for one in found.values()}
    assert told == {1: "latency", 32: "latency", "fast": "bandwidth", "waiting": "scheduling", "no time": None}
    own = ask(library_of(tmp_path / "prompts", [rows[4]]), {"model": ["llama-3.1-70b"]})
    assert [one.bound_by for one in own.result.points] == ["compute"]
    (heavy,) = ask(library_of(tmp_path / "heavy", [rows[1]])).result.points
    assert heavy.bound_by is None
    assert heavy.shares["latency"] == pytest.approx(heavy.use.rate * heavy.use.least.exchange)  # the exchange alone


def test_a_point_above_its_bound_is_ringed_and_told_and_never_the_closest(tmp_path: Path) -> None:
    """Four H100 read 70e9 bytes and 16 caches 190 times a second: 16 x 190 tokens/s are all there is."""
    rows = [point(128, 128, 2000, tpot_ms_mean=8), point(128, 128, 9000, engine_version="0.18")]
    answer = ask(library_of(tmp_path, rows))
    assert said(answer, "beyond")["points"] == 1
    assert headline(answer)[1]["share"] == by_rate(answer)[2000].use.share < 1 < by_rate(answer)[9000].use.share
    (ring,) = [one for one in roofline.figure(answer.result, LIGHT).data if "above" in (one.name or "")]
    assert len(ring.x) == 1
    alone = ask(library_of(tmp_path / "alone", rows[1:]))
    assert (headline(alone)[0], headline(alone)[1]["points"]) == ("all_above", 1)


STORY = {"model": ["deepseek-r1"], "precision": ["fp8"], "isl": [1024], "osl": [8192]}


def test_what_is_projected_is_as_near_to_its_ceiling_as_the_nearest_batch_measured(shipped: Library) -> None:
    answer = ask(shipped, STORY, project="mi350x", axis="batch")
    projection = answer.result.projection
    assert projection is not None
    assert (projection.rig.hardware, projection.lender.hardware) == ("8 x MI350X", "8 x B200 SXM")
    lent = {one.facts.point_id: one for one in answer.result.points}
    for one in projection.places:
        assert one.use.share == pytest.approx(lent[one.of].use.share)
        assert lent[one.of].rig == projection.lender
    assert [one.requests for one in projection.places] == [2**step for step in range(10)]  # four times the 245 measured
    shares = sorted(one.use.share for one in projection.places)
    tells(answer, {"projected": {"low": shares[0], "high": shares[-1]}})
    drawn = roofline.figure(answer.result, DARK).data
    lines = {one.name: one for one in drawn if one.mode == "lines"}
    assert {"8 x H200 SXM", "8 x B200 SXM", "8 x MI350X"} <= set(lines)
    assert lines["8 x MI350X"].line.dash == "dot"
    assert [one.marker.symbol for one in drawn if one.name == "projected"] == ["circle-open"]
    assert all(list(curve.per_chip) == sorted(curve.per_chip) for curve in answer.result.curves)


def test_hardware_that_was_measured_is_projected_at_its_other_batches_alone(shipped: Library) -> None:
    answer = ask(shipped, STORY, project="h200")
    projection = answer.result.projection
    assert answer.view.option("project") == "h200-sxm"
    assert projection is not None
    assert projection.rig == projection.lender
    measured_at = [one.use.requests for one in answer.result.ranked if one.rig == projection.rig]
    for place in projection.places:
        assert all(max(one / place.requests, place.requests / one) >= 2**0.5 for one in measured_at if one)
    assert [one.requests for one in projection.places] == [1, 2, 128]


def test_what_does_not_fit_is_projected_on_more_chips_or_on_none(shipped: Library, tmp_path: Path) -> None:
    wide = ask(shipped, STORY, project="tpu-v6e").result.projection
    assert wide is not None
    assert (wide.rig.accelerators, len(wide.places) > 0) == (32, True)  # 671e9 bytes in 0.9 of 32 GiB each
    rows = [point(128, 128, 800, model="kimi-k3", accelerator="h200-sxm", accelerators=32, tpot_ms_mean=20)]
    none = ask(library_of(tmp_path, rows), project="t4")  # 2,800e9 bytes, of 64 x 0.9 x 16 GiB
    assert said(none, "not_projected_room")["places"] == 0
    with pytest.raises(UnknownName, match="accelerator to project onto"):
        ask(shipped, STORY, project="cpu")
    assert ask(shipped, {"model": ["gpt-j-6b"]}, project="h200").result.projection is None


def test_a_profilers_step_stands_beside_the_least_that_reading_takes(shipped: Library) -> None:
    """30e9 bytes and an embedding at 16 bit from 4 x 1.638 TB/s, and the cache of 512 tokens: 5.0 of 12.3 ms."""
    answer = ask(shipped, {"model": ["gemma-4-31b"], "precision": ["int8"]})
    (step,) = answer.result.breakdowns
    head = 262_144 * 5376
    cache = 50 * 512 * 16 * 256 * 2 * 2 + 10 * 512 * 4 * 512 * 2
    assert step.step_ms == 12.3
    # in tensor parallel over four the sixteen and the four heads divide whole
    assert step.memory_ms == pytest.approx((31e9 + head + cache) / (4 * 1.638e12) * 1000)
    within = {part.name: part.within for part in step.parts}
    assert sum(part.ms for part in step.parts if part.within == "step") == pytest.approx(step.step_ms)
    assert within["exchange"] == "layers"
    assert "breakdown" in kinds(answer, "finding")


def test_the_classic_picture_has_a_roof_for_each_accelerator_and_points_below_it(shipped: Library) -> None:
    answer = ask(shipped)
    figure = roofline.figure(answer.result, LIGHT)
    lines = {one.name: one for one in figure.data if one.mode == "lines"}
    assert set(lines) == {"H200 SXM", "B200 SXM", "B300 SXM", "MI300X", "MI325X", "MI355X"}
    x, y = lines["H200 SXM"].x, lines["H200 SXM"].y
    assert (y[1], y[2]) == (1979, 1979)
    assert x[1] == pytest.approx(1979 / 4.8)
    assert y[0] / x[0] == pytest.approx(4.8)
    marks = {one[0]: place for trace in figure.data for one, place in _marked(trace)}
    for one in answer.result.points:
        across, up, symbol = marks[one.facts.point_id]
        assert symbol.endswith("-open") != one.enters
        roof = next(roof for roof in answer.result.roofs if roof.accelerator == one.facts.accelerator)
        assert up <= min(across * roof.bandwidth, roof.operations or 0) / 1e12
        assert up == pytest.approx(one.use.bandwidth * across * roof.bandwidth / 1e12)
    assert set(openable.openable(answer.rows, figure)) == {one.facts.point_id for one in answer.result.points}


def test_points_that_are_not_ranked_are_drawn_hollow(tmp_path: Path) -> None:
    rows = [point(128, 128, 400), point(128, 128, 500, concurrency=32, flags=flag("littles-law"))]
    result = ask(library_of(tmp_path, rows)).result
    symbols = {one[0]: place[2] for trace in roofline.figure(result, LIGHT).data for one, place in _marked(trace)}
    assert {one.enters for one in result.points} == {True, False}
    assert all(symbols[one.facts.point_id].endswith("-open") != one.enters for one in result.points)


def _marked(trace: Any) -> list[tuple[Any, list[Any]]]:
    if not trace.customdata:
        return []
    marks = zip(trace.customdata, trace.x, trace.y, trace.marker.symbol, strict=True)
    return [(one, place) for one, *place in marks]


def test_models_side_by_side_have_a_colour_each_and_their_names_in_the_headline(shipped: Library) -> None:
    view = View.of({"model": ["deepseek-r1", "llama-3.1-70b"]}, whole=True)
    answer = roofline.answer(shipped, view)
    assert said(answer, "closest_models")["models"] == 2
    assert all(name in answer.headline for name in ("DeepSeek-R1", "Llama 3.1 70B"))
    figure = roofline.figure(answer.result, LIGHT)
    shown = [
        one.name for one in figure.data if one.showlegend is not False and one.mode == "markers" and one.customdata
    ]
    assert sorted(shown) == ["DeepSeek-R1", "Llama 3.1 70B"]


def test_limits_keep_points_out_and_where_few_state_them_nobody_is_closest(tmp_path: Path) -> None:
    rows = [
        point(128, 128, 800, tpot_ms_mean=20, ttft_ms_p50=100),
        point(128, 128, 900, tpot_ms_mean=18, accelerator="h200-sxm"),
        point(128, 128, 950, tpot_ms_mean=17, accelerator="b200-sxm"),
    ]
    held = library_of(tmp_path, rows)
    view = View.of({"model": ["llama-3.1-70b"]}, slo=["ttft_ms_p50<=200"])
    answer = roofline.answer(held, view)
    assert headline(answer)[0] == "reach"
    assert answer.result.closest == ()
    assert answer.result.tally.of(evidence.UNKNOWN) == 2
    assert roofline.robustness(held, answer.view) is None


def test_of_very_many_points_those_with_most_output_are_held_and_the_others_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = library_of(tmp_path, [point(128, 128, rate, concurrency=rate // 100) for rate in range(100, 1000, 100)])
    monkeypatch.setattr(measured, "MOST_POINTS", 4)
    answer = ask(held)
    assert sorted(by_rate(answer)) == [600, 700, 800, 900]
    assert (answer.result.tally.used, answer.result.tally.of(measured.TOO_MANY)) == (4, 5)


def test_a_point_without_any_limit_that_is_known_is_counted_and_not_told(tmp_path: Path) -> None:
    unknown = {"model": "qwen3-coder-480b-a35b", "precision": "int8", "load_kind": "saturated", "concurrency": None}
    rows = [point(128, 128, 900, **unknown), point(128, 128, 900, model="qwen3-coder-480b-a35b", precision="int8")]
    answer = ask(library_of(tmp_path, rows), {"model": ["qwen3-coder-480b-a35b"]})
    assert len(answer.result.points) == answer.result.tally.used == 1
    assert answer.result.tally.of("no_ceiling") == 1
    assert said(answer, "no_peak")["points"] == 1


def test_of_fp4_a_share_is_at_least_so_much_and_scales_are_those_that_the_checkpoint_names(tmp_path: Path) -> None:
    """A step reads half a byte of each weight but the head, with a scale for each 32 of them, of NVFP4 for each 16."""
    of = {"precision": "fp4", "kv_precision": "fp8", "accelerator": "b200-sxm", "tpot_ms_mean": 20}
    named = [None, "amd/Llama-3.1-70B-MXFP4", "nvidia/Llama-3.1-70B-Instruct-NVFP4"]
    rows = [point(128, 128, 800 + place, checkpoint=one, **of) for place, one in enumerate(named)]
    answer = ask(library_of(tmp_path, rows))
    assert headline(answer)[0] == "closest_least"
    assert said(answer, "at_least_weights") == {"points": 3}
    assert answer.rows["at_least"].all()
    unnamed, mxfp4, nvfp4 = (by_rate(answer)[800 + place].use.work.bytes or 0 for place in range(3))
    assert unnamed == mxfp4
    assert (nvfp4 - mxfp4) * 16 == pytest.approx((70e9 - 2 * 128_256 * 8192) / 32, rel=1e-3)


LLAMA = point(128, 128, 800, tpot_ms_mean=20)
H200 = {"accelerator": "h200-sxm"}
SAID: dict[str, tuple[list[Row], dict[str, str], dict[str, dict[str, object]]]] = {
    "one-point": ([LLAMA], {}, {"closest": {"share": 0.276}, "cache_supposed": {"points": 1}}),
    "one-that-cannot-be-told": ([point(128, 128, 800, speculation="mtp")], {}, {"nothing": {"selected": 1}}),
    "the-only-one-is-above": ([point(128, 128, 9000)], {}, {"all_above": {"points": 1}}),
    "all-above": (
        [point(128, 128, 9000), point(128, 128, 9500, **H200)],
        {},
        {"all_above": {"points": 2}, "beyond": {"points": 2}},
    ),
    "above-what-is-expected-alone": (
        [point(128, 128, 11_000, model="deepseek-r1", **H200, accelerators=8, tp=8, concurrency=64)],
        {},
        {"above": {"points": 1}},
    ),
    "a-measured-chips-other-batches": ([LLAMA], {"project": "h100"}, {"projected": {"low": 0.276, "high": 0.276}}),
    "a-flag-of-another-line": ([LLAMA | {"flags": flag("roofline")}], {"phase": "decode"}, {"flag_line": {}}),
    "no-batch-on-the-other-axis": (
        [LLAMA, point(128, 128, 800, load_kind="saturated", concurrency=None, model="qwen3-32b")],
        {"axis": "batch"},
        {"no_batch": {"points": 1}},
    ),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return library_of_cases(tmp_path_factory.mktemp("said"), {name: rows for name, (rows, *_) in SAID.items()})


@pytest.mark.parametrize("name", SAID)
def test_what_is_said(made: Library, name: str) -> None:
    _, options, wanted = SAID[name]
    tells(roofline.answer(made, View.of({"source": [name]}, options, whole="axis" in options)), wanted)
