"""The form: every field of a plan, and the same plan again from its fields, its link and its command."""

from __future__ import annotations

import argparse
import shlex
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import UsageError
from bench.sweep.planning import form
from bench.sweep.planning.arguments import add_to, plan_from
from bench.sweep.planning.plan import Plan
from bench.sweep.planning.profiles import profiles
from tests.thorough import some

ENDPOINT = {"endpoint.url": "http://127.0.0.1:8000", "endpoint.model": "m"}
GRID = {
    **ENDPOINT,
    "workloads.isl": "128, uniform:64:256",
    "workloads.osl": "normal:64:8",
    "loads.concurrency": "1, 16",
}
MORE = {
    "title": "Café -- \"quoted\" 'so'",
    "endpoint.api": "completions",
    "endpoint.streaming": "false",
    "endpoint.key_env": "LAB_KEY",
    "workloads.shared_prefix_share": "0.5",
    "loads.request_rate": "0.5, 2",
    "loads.arrivals": "burst",
    "point.duration_s": "30",
    "point.warmup_requests": "3",
    "repeats": "2",
    "slo.ttft_ms": "500",
    "caps.minutes": "60",
    "seed": "7",
    "workers": "2",
    "facts.accelerator": "h100-sxm",
    "facts.accelerators": "8",
    "facts.prefix_caching": "false",
    "vendor": "{top_k = 3, temperature = 0.5}",
}


def plan_of(stated: dict[str, str]) -> Plan:
    found = form.checked(stated)
    assert found.plan is not None, found.problem
    return found.plan


def by_command(stated: dict[str, str]) -> Plan:
    words = shlex.split(form.command(stated))
    assert words[:4] == ["python", "-m", "bench", "sweep"]
    parser = argparse.ArgumentParser()
    add_to(parser)
    return plan_from(parser.parse_args(words[4:]))


@given(st.sets(st.sampled_from(sorted(MORE))))
def test_fields_link_and_command_state_one_plan(chosen: set[str]) -> None:
    stated = GRID | {key: MORE[key] for key in chosen}
    plan = plan_of(stated)
    again = form.stated_by(plan)
    assert again is not None
    assert plan_of(again) == plan
    read, problems = form.from_link(parse_qsl(urlencode(form.in_a_link(stated))))
    assert (read, problems) == (stated, [])
    assert by_command(stated) == plan
    assert by_command(again) == plan


@pytest.mark.parametrize("name", some([one.name for one in profiles()], 2))
def test_a_profile_is_stated_by_its_name(name: str) -> None:
    plan = plan_of({"profile": name, **ENDPOINT, "slo.ttft_ms": "250"})
    stated = form.stated_by(plan)
    assert stated is not None
    assert stated["profile"] == name
    assert set(stated) == {"profile", *ENDPOINT, "slo.ttft_ms"}
    assert plan_of(stated) == plan == by_command(stated)


def test_one_length_alone_keeps_the_profiles_other_one() -> None:
    longer = {"profile": "quick", **ENDPOINT, "workloads.isl": "512"}
    plan = plan_of(longer)
    quick = plan_of({"profile": "quick", **ENDPOINT})
    assert {str(shape.isl) for shape in plan.shapes} == {"512"}
    assert {shape.osl for shape in plan.shapes} == {shape.osl for shape in quick.shapes}
    assert form.stated_by(plan) == longer
    assert by_command(longer) == plan
    assert form.texts(plan)["workloads.osl"] == form.texts(quick)["workloads.osl"]
    open_loop = plan_of({"profile": "quick", **ENDPOINT, "loads.request_rate": "2"})
    assert "loads.concurrency" not in form.texts(open_loop)


def test_every_field_is_offered_once_with_its_help_and_what_it_may_hold() -> None:
    rows = [row for group in form.groups().values() for row in group]
    assert len({row.key for row in rows}) == len(rows)
    assert all(row.label for row in rows)
    assert all(row.help and row.allowed for row in rows if not row.key.startswith("facts."))
    stated = Plan.model_fields.keys() - {"based_on"}
    assert stated <= {row.key.partition(".")[0] for row in rows}


@pytest.mark.parametrize(
    ("wrong", "field", "advice"),
    [
        ({"loads.concurrency": "1, x"}, "loads.concurrency", "Write whole numbers"),
        ({"workloads.isl": "many"}, "workloads.isl", ""),
        ({"slo.ttft_ms": "-1"}, "slo.ttft_ms", ""),
        ({"facts.accelerators": "few; or more"}, "facts.accelerators", "Write a whole number"),
        ({"vendor": "top_k 3"}, "vendor", ""),
        ({"vendor": "{api_key = 'x'}"}, "vendor", ""),
        ({"endpoint.url": "gpu.example"}, "endpoint.url", "Start the address with http://"),
        ({"profile": "fast"}, None, "There is no profile"),
        ({"loads.concurrency": "2000"}, "loads.concurrency", ""),
    ],
)
def test_what_is_wrong_is_said_at_its_field(wrong: dict[str, str], field: str | None, advice: str) -> None:
    """A reader before the field is told what to do alone."""
    found = form.checked(GRID | wrong)
    assert found.plan is None
    assert found.field == field
    assert found.problem
    assert found.advice.startswith(advice)


def test_files_of_this_machine_are_no_fields() -> None:
    stated, problems = form.from_link([("prompts", "/etc/passwd"), ("trace", "x"), ("isl", "5")])
    assert (stated, len(problems)) == ({"workloads.isl": "5"}, 2)
    assert form.checked(ENDPOINT | {"workloads.prompts": "/etc/passwd", "loads.concurrency": "1"}).plan is None


def test_what_a_form_cannot_hold_is_not_stated() -> None:
    two = plan_of(GRID).document()
    two["workloads"] = [{"isl": 1, "osl": 1}, {"isl": 2, "osl": 2}]
    assert form.stated_by(Plan.from_mapping(two)) is None


@given(st.lists(st.tuples(st.text(max_size=12), st.text(max_size=30)), max_size=5))
def test_any_link_is_read(pairs: list[tuple[str, str]]) -> None:
    stated, problems = form.from_link(pairs)
    assert len(stated) + len(problems) <= len(pairs)
    found = form.checked(GRID | stated)
    assert (found.plan is None) == bool(found.problem)


def test_an_endpoint_can_be_asked_before_there_is_a_plan() -> None:
    plan = form.endpoint({"endpoint.url": "127.0.0.1:8701", "loads.concurrency": "x"})
    assert plan.endpoint.url == "http://127.0.0.1:8701"
    with pytest.raises(UsageError, match="start the address"):
        form.endpoint({"endpoint.url": "gpu.example"})
