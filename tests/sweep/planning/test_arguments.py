"""Options of the command line become the plan that TOML states."""

from __future__ import annotations

import argparse

import pytest

from bench.errors import UsageError
from bench.sweep.planning.arguments import add_to, plan_from
from bench.sweep.planning.plan import Plan

URL = "http://127.0.0.1:8000"


def planned(*words: str) -> Plan:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    add_to(parser)
    return plan_from(parser.parse_args(words))


def test_options_state_the_plan_that_toml_states(tmp_path):
    (tmp_path / "plan.toml").write_text(
        f"""
        repeats = 2
        seed = 5
        workers = 2
        endpoint = {{url = "{URL}", model = "M", streaming = false, key_env = "KEY"}}
        workloads = [{{isl = [128, "normal:512:64"], osl = [128]}}]
        loads = {{concurrency = [1, 16, 64], request_rate = [2, 4], arrivals = "burst", burst_size = 4}}
        point = {{requests = 512, duration_s = 30, warmup_s = 5}}
        facts = {{accelerator = "h100-sxm", accelerators = 8}}
        slo = {{ttft_ms = 500}}
        stop = {{limits = {{ttft_ms_p99 = 2000}}}}
        search = "ramp"
        """
    )
    words = (
        f"--url {URL} --model M --key-env KEY --no-stream --isl 128,normal:512:64 --osl 128 --concurrency 1,16,64 "
        "--request-rate 2,4 --arrivals burst --burst-size 4 --requests 512 --duration 30s --warmup 5s --repeats 2 "
        "--seed 5 --workers 2 --set accelerator=H100-SXM accelerators=8 "
        "--with slo.ttft_ms=500 search=ramp stop.limits.ttft_ms_p99=2000"
    )
    assert planned(*words.split()) == planned(str(tmp_path / "plan.toml"))


def test_a_profile_needs_an_endpoint_and_takes_other_loads():
    plan = planned("--url", URL, "--model", "m", "--profile", "quick", "--concurrency", "3", "--warmup", "7")
    assert [point.load.concurrency for point in plan.points()] == [3]
    assert (plan.point.duration_s, plan.point.warmup_requests) == (10, 7)


def test_options_are_laid_over_a_plans_file(tmp_path):
    (tmp_path / "plan.toml").write_text(
        'profile = "batch_sweep"\n[endpoint]\nname = "lab"\nmodel = "m"\n[[workloads]]\nprompts = "p.jsonl"\nosl = 8\n'
    )
    plan = planned(str(tmp_path / "plan.toml"), "--duration", "5s", "--with", "endpoint.model=other")
    assert plan.workloads[0].prompts == str(tmp_path / "p.jsonl")
    assert (plan.endpoint.model, plan.endpoint.name, plan.point.duration_s) == ("other", "lab", 5)
    assert plan.point.requests_per_concurrency is None
    with pytest.raises(UsageError, match="a plan already"):
        planned(str(tmp_path / "plan.toml"), "--profile", "quick")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--isl 8 --osl 8 --concurrency 1", "endpoint.model is missing|endpoint is missing"),
        (f"--url {URL} --model m --isl 8 --osl 8", "no load"),
        (f"--url {URL} --model m --concurrency 1", "workloads is missing"),
        (f"--url {URL} --model m --profile quick --set accelerator", "'accelerator' is no key=value pair"),
        (f"--url {URL} --model m --profile quick --warmup soon", "point.warmup_requests is 'soon'"),
        (f"--url {URL} --model m --profile quick --with a.b.c=1", "There is no field of a plan named 'a'"),
        (f"--url {URL} --model m --profile quick --with seed=2 seed.x=1", "'seed.x' cannot be stated beside 'seed'"),
        (f"--url {URL} --model m --profile quick --with repeats.x=1", "repeats is {'x': '1'}; write a whole number"),
    ],
)
def test_wrong_options_are_one_sentence(words, told):
    with pytest.raises(UsageError, match=told):
        planned(*words.split())
