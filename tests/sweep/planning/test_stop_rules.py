"""Each rule of [stop] is one module: what it judges by is a plan's field, and a level is judged as it says."""

from __future__ import annotations

import pytest

from bench.sweep.planning import form
from bench.sweep.planning.plan_parts import StopRules
from bench.sweep.planning.stop_rules import Finished, StopRule, judged, rules, stated


def level(throughput: float = 100.0, failed: int = 0, ttft_ms_p99: float = 50.0) -> Finished:
    metrics = {"output_tokens_per_s": throughput, "ttft_ms_p99": ttft_ms_p99}
    return Finished("", 100 - failed, failed, metrics)


@pytest.mark.parametrize("rule", rules(), ids=lambda rule: rule.FIELD)
def test_a_rules_fields_are_a_plans_a_forms_and_the_docs(rule: StopRule) -> None:
    assert rule.FIELD in rule.FIELDS.model_fields
    for name, field in rule.FIELDS.model_fields.items():
        assert StopRules.model_fields[name].description == field.description
        assert form.fields()[f"stop.{name}"].help == field.description
    assert rule not in stated(StopRules())


def test_nothing_breaks_where_no_rule_is_stated_but_by_no_request_at_all() -> None:
    for nothing in (None, StopRules()):
        assert judged(nothing, [level(), level(1.0, failed=99, ttft_ms_p99=9e9)]) == (True, "")
        assert judged(nothing, [level(failed=100)]) == (False, "no request succeeded")


@pytest.mark.parametrize(
    ("fields", "levels", "sustained", "why"),
    [
        ({"error_rate": 0}, [level(failed=1)], False, "1.0 % of the requests failed, and 0.0 % may"),
        ({"error_rate": 0.05}, [level(failed=5)], True, ""),
        ({"error_rate": 0.05}, [level(failed=6)], False, "6.0 % of the requests failed, and 5.0 % may"),
        ({"limits": {"ttft_ms_p99": 50}}, [level()], True, ""),
        ({"limits": {"ttft_ms_p99": 49}}, [level()], False, "TTFT, p99 is 50 ms, over the limit of 49 ms"),
        ({"limits": {"tpot_ms_p99": 49}}, [level()], True, ""),
        ({"falling_levels": 2}, [level(), level(96)], False, ""),
        (
            {"falling_levels": 2},
            [level(), level(96), level(95)],
            False,
            "2 levels in a row fell more than 3.0 % under the best, 100 tokens/s (96, then 95)",
        ),
        (
            {"falling_levels": 1, "error_rate": 0},
            [level(), level(9, failed=1)],
            False,
            "1.0 % of the requests failed, and 0.0 % may",
        ),
    ],
)
def test_a_level_is_judged_by_what_is_stated(
    fields: dict[str, object], levels: list[Finished], sustained: bool, why: str
) -> None:
    assert judged(StopRules.model_validate(fields), levels) == (sustained, why)
