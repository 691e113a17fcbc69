"""What stands on the axes: every metric on offer, and what points have that keep or state the limits."""

from __future__ import annotations

from bench import catalogue
from bench.library import Library
from bench.questions import pareto
from bench.questions.pareto import axes as choosing
from bench.view import View
from tests.questions.pareto.results import COST
from tests.questions.saying import kinds
from tests.thorough import some


def test_every_metric_of_these_kinds_that_is_held_can_stand_on_an_axis(shipped: Library) -> None:
    offered = pareto.choices(shipped, View())
    held = [key for key in list(catalogue.keys()) if shipped.has(key) and catalogue.metric(key).direction != "neutral"]
    for axis, of in (("x", choosing.ACROSS), ("y", choosing.UP)):
        keys = {key for key, _ in offered[axis]}
        assert {catalogue.metric(key).kind for key in keys} <= set(of)
        assert {key for key in held if catalogue.metric(key).kind in of} <= keys
    assert COST in {key for key, _ in offered["y"]}


def test_under_limits_the_axes_are_what_the_points_have_that_state_them(shipped: Library) -> None:
    """One FP8 point of it states both times; most others have step times alone, which stand there unless asked."""
    asked = View.of({"model": ["gemma-4-31b"], "precision": ["fp8"]})
    limited = pareto.answer(shipped, asked.with_slo(["ttft_ms_p50<=2000", "tpot_ms_p50<=50"]))
    assert pareto.complete(shipped, asked).option("x") == "decode_step_ms_mean"
    assert limited.view.option("x") != "decode_step_ms_mean"
    assert limited.is_told
    chosen = limited.view.with_options(x="decode_step_ms_mean")
    assert kinds(pareto.answer(shipped, chosen), "headline") == ["unknown_limits"]


def test_every_choice_offered_gives_an_answer(shipped: Library) -> None:
    view = pareto.complete(shipped, View.of({"accelerator": ["h100"], "model": ["deepseek-r1"]}))
    offered = {key: [value for value, _ in found] for key, found in pareto.choices(shipped, view).items()}
    for turn in some(range(max(len(offered[key]) for key in ("x", "y", "group"))), 2):
        taken = {
            key: offered[key][(turn + shift) % len(offered[key])] for key, shift in (("x", 0), ("y", 7), ("group", 3))
        }
        assert pareto.answer(shipped, view.with_options(**taken)).headline
