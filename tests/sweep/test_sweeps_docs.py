"""docs/sweeps.md holds what it promises: its plans load, its commands state plans, and it names every field."""

from __future__ import annotations

import argparse
import re
import shlex
from pathlib import Path

import pytest
from pydantic import BaseModel

from bench.sweep.planning import facts, plan_parts
from bench.sweep.planning.arguments import add_to, plan_from
from bench.sweep.planning.endpoints import Endpoints, NamedEndpoint
from bench.sweep.planning.plan import Plan
from bench.sweep.planning.profiles import profiles
from tests.sweep.tables import written

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "sweeps.md").read_text(encoding="utf-8")
TOML = re.findall(r"```toml\n(.*?)```", TEXT, re.DOTALL)
PLANS = [text for text in TOML if "[endpoints." not in text]
ENDPOINTS = [text for text in TOML if "[endpoints." in text]
COMMANDS = re.findall(r"^python -m bench sweep (.+)$", TEXT, re.MULTILINE)
NAMED = set(re.findall(r"`([a-z0-9_]+)`", TEXT))

PARTS = [part for part in vars(plan_parts).values() if isinstance(part, type) and issubclass(part, BaseModel)]


@pytest.mark.parametrize("text", PLANS)
def test_the_plans_load(text):
    plan = Plan.from_toml(text)
    assert Plan.from_toml(plan.to_toml()) == plan


def test_the_commands_state_plans(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.toml").write_text(PLANS[0])
    parser = argparse.ArgumentParser()
    add_to(parser)
    plans = [plan_from(parser.parse_args(shlex.split(words))) for words in COMMANDS]
    assert [len(plan.points()) for plan in plans] == [3, 4, 4, 20]


def test_its_tables_of_arrivals_and_stop_rules_are_those_of_their_folders():
    assert written(TEXT) == TEXT, "python -m tests.sweep.tables writes them"


def test_the_endpoints_can_be_named(tmp_path):
    (text,) = ENDPOINTS
    (tmp_path / "endpoints.toml").write_text(text)
    known = Endpoints(tmp_path)
    (name,) = known.named
    parser = argparse.ArgumentParser()
    add_to(parser)
    words = ["--endpoint", name, *"--isl 128 --osl 128 --concurrency 1 --requests 9".split()]
    plan = plan_from(parser.parse_args(words), known)
    assert (plan.endpoint.key_env, plan.facts["tp"], plan.caps.minutes) == ("LAB_API_KEY", 2, 120)
    assert not set(NamedEndpoint.model_fields) - NAMED


def test_every_field_profile_and_fact_is_named():
    fields = {name for part in (Plan, *PARTS) for name in part.model_fields} - {"endpoint", "facts", "vendor", "caps"}
    tables = {"point", "slo", "stop"}
    assert not fields - tables - NAMED
    assert not {profile.name for profile in profiles()} - NAMED
    assert not set(facts.kinds()) - NAMED
    assert all(
        f"`[{table}]`" in TEXT or f"`[[{table}]]`" in TEXT for table in ("point", "slo", "stop", "vendor", "caps")
    )
