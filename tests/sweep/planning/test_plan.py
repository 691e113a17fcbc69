"""What goes round unchanged, and what a wrong plan is told; the doors to one are in test_arguments and test_form."""

from __future__ import annotations

import tomllib
from random import Random
from statistics import fmean, stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import BenchError, InputError, UsageError
from bench.sweep.planning.plan import Plan
from bench.sweep.planning.shapes import Length
from tests.sweep.plans import ENDPOINT, LENGTHS, PLANS, mappings

FIELDS = {
    **{f"endpoint.{key}": value for key, value in ENDPOINT.items()},
    "workloads.isl": "128",
    "workloads.osl": "64",
    "loads.concurrency": "1",
}
SMALL = {"endpoint": ENDPOINT, "workloads": [{"isl": 128, "osl": 64}], "loads": {"concurrency": [1, 4]}}


@given(PLANS)
def test_a_plan_goes_through_toml_unchanged(plan):
    again = Plan.from_toml(plan.to_toml())
    assert again == plan
    assert again.id == plan.id


def test_a_profile_is_filled_in_and_written_out_whole():
    plan = Plan.from_mapping({"profile": "throughput_sweep", "endpoint": ENDPOINT, "point": {"duration_s": "10s"}})
    written = tomllib.loads(plan.to_toml())
    assert "profile" not in written
    assert written["based_on"] == "throughput_sweep"
    assert len(plan.points()) == 60
    assert (plan.point.duration_s, plan.point.requests_per_concurrency) == (10, None)


def test_the_id_is_of_what_is_measured():
    plan = Plan.from_mapping(SMALL)
    assert Plan.from_mapping({key: SMALL[key] for key in reversed(SMALL)}).id == plan.id
    assert Plan.from_mapping({**SMALL, "title": "other words", "workers": 2}).id == plan.id
    assert Plan.from_mapping({**SMALL, "repeats": 2}).id != plan.id
    assert Plan.from_mapping({**SMALL, "seed": 0}).id != Plan.from_mapping({**SMALL, "seed": 1}).id


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"loads.concurrency": "1,0"}, ["loads.concurrency[1]", "'0'", "1 to 8192"]),
        ({"loads.request_rate": "nan"}, ["loads.request_rate[0]", "'nan'", "above 0"]),
        ({"loads.arrivals": "random"}, ["loads.arrivals", "'random'", "poisson"]),
        ({"loads.concurrency": "2000"}, ["loads.concurrency", "2,000", "caps.concurrency"]),
        ({"workloads.isl": "0"}, ["workloads[0].isl[0]", "'0'", "from 1 to"]),
        ({"workloads.isl": "uniform:9:3"}, ["workloads[0].isl[0]", "'uniform:9:3'"]),
        ({"workloads.isl": ""}, ["workloads.isl", "workloads.osl"]),
        (
            {"workloads.isl": "", "workloads.osl": "", "workloads.trace": "t.csv"},
            ["its own load", "loads.concurrency", "workloads.trace"],
        ),
        ({"point.duration_s": "soon"}, ["point.duration_s", "'soon'", "2m"]),
        ({"point.requests": 5, "point.requests_per_concurrency": 5}, ["point.requests_per_concurrency", "not both"]),
        (
            {"loads.request_rate": 1, "point.requests_per_concurrency": 5},
            ["request rate", "point.duration_s", "point.requests"],
        ),
        ({"point.steady_within": "0.1", "workers": "2"}, ["point.steady_within", "workers", "one process"]),
        ({"search": "ramp"}, ["ramp", "[stop]"]),
        ({"stop.limits.ttft_ms_p99": "1"}, ["stop.limits", "ramp"]),
        ({"search": "ramp", "stop.limits.ttft_p99": "1"}, ["ttft_p99", "did you mean"]),
        ({"endpoint.model": ""}, ["endpoint.model", "missing"]),
        ({"endpoint.url": ""}, ["endpoint.url", "endpoint.name"]),
        ({"facts.gpu": "H100"}, ["gpu", "fact"]),
        ({"facts.tp": "1.5"}, ["facts.tp", "'1.5'", "whole number"]),
        ({"facts.disaggregated": "maybe"}, ["facts.disaggregated", "'maybe'", "true or false"]),
        ({"facts.max_model_len": "150"}, ["isl 128", "osl 64", "192", "150"]),
        ({"vendor.stream": False}, ["vendor.stream", "leave it out"]),
        ({"vendor.a": None, "vendor.b": float("inf")}, ["vendor", "8,192"]),
        ({"loads.concurency": "1"}, ["concurency", "did you mean concurrency"]),
        ({"profile": "quik"}, ["quik", "did you mean quick"]),
        ({"title": "a\nb"}, ["title", "printable"]),
    ],
)
def test_a_wrong_plan_is_told_field_value_and_what_is_allowed(fields, told):
    with pytest.raises(UsageError) as problem:
        Plan.from_fields({**FIELDS, **fields})
    sentence = str(problem.value)
    assert not [part for part in told if part not in sentence], sentence
    assert "\n" not in sentence
    assert len(sentence) < 500


@pytest.mark.parametrize(
    "fields",
    [
        {"endpoint.key_env": "sk-SECRETsecret"},
        {"endpoint.url": "http://me:SECRETsecret@host/"},
        {"endpoint.url": "http://host/?api_key=SECRETsecret"},
        {"vendor.api_key": "SECRETsecret"},
        {"vendor.Authorization": "Bearer SECRETsecret"},
    ],
)
def test_a_key_enters_no_plan_and_no_sentence(fields):
    with pytest.raises(UsageError) as problem:
        Plan.from_fields({**FIELDS, **fields})
    assert "SECRETsecret" not in str(problem.value)
    assert problem.value.__cause__ is None


TREES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=10), LENGTHS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)),
    max_leaves=8,
)


@given(mappings(), st.data())
def test_whatever_a_field_holds_the_answer_is_a_plan_or_one_sentence(stated, data):
    table = data.draw(st.sampled_from(sorted(stated)))
    value = data.draw(TREES)
    if isinstance(stated[table], dict) and stated[table] and data.draw(st.booleans()):
        name = data.draw(st.sampled_from(sorted(stated[table])))
        stated[table] = {**stated[table], name: value}
    else:
        stated[table] = value
    try:
        plan = Plan.from_mapping(stated)
    except BenchError as problem:
        told = str(problem)
    else:
        told = "nothing" if Plan.from_toml(plan.to_toml()) == plan else "another plan\n"
    assert "\n" not in told


@pytest.mark.parametrize("text", ["[", "a = " + "[" * 50_000, "a = " + "9" * 10_000, "x" * 300_000, "\0", "a=1\na=2"])
def test_text_that_is_no_toml_is_one_sentence(text):
    with pytest.raises(UsageError) as problem:
        Plan.from_toml(text)
    assert len(str(problem.value)) < 400


@pytest.mark.parametrize("content", [None, b"\xff\xfe"])
def test_a_plan_file_that_cannot_be_read_is_one_sentence(tmp_path, content):
    if content is not None:
        (tmp_path / "plan.toml").write_bytes(content)
    with pytest.raises(InputError, match=r"plan\.toml cannot be read as a plan: "):
        Plan.from_file(tmp_path / "plan.toml")


def test_what_was_open_is_settled_once():
    plan = Plan.from_mapping(SMALL)
    assert plan.seed is None
    settled = plan.settled(seed=7, context_tokens=4096)
    assert (settled.seed, settled.context_tokens) == (7, 4096)
    assert settled.settled(seed=8, context_tokens=1).context_tokens == 4096
    assert settled.settled(seed=8).seed == 7
    with pytest.raises(UsageError, match="192 tokens"):
        plan.settled(context_tokens=191)


@given(LENGTHS, st.integers(0, 2**32))
def test_lengths_are_drawn_within_their_bounds_and_around_their_mean(written, seed):
    length = Length.of(written)
    random = Random(seed)
    drawn = [length.drawn(random) for _ in range(100)]
    assert length.least <= min(drawn)
    assert max(drawn) <= length.most
    spread = (length.most - length.least) / (12**0.5 if length.distribution == "uniform" else 6) + 1
    assert abs(fmean(drawn) - length.mean) < 6 * spread / 10


def test_normal_lengths_have_the_deviation_that_is_stated():
    random = Random(1)
    drawn = [Length.of("normal:1000:100").drawn(random) for _ in range(20_000)]
    assert fmean(drawn) == pytest.approx(1000, abs=3)
    assert stdev(drawn) == pytest.approx(100, rel=0.03)  # 98.7 when cut at three deviations
