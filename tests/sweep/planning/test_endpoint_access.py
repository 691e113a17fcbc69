"""How an endpoint is reached beyond its URL: every way to state it makes the same plan, and none holds a key."""

from __future__ import annotations

import argparse
import shlex
from pathlib import Path

import pytest

from bench.errors import UsageError
from bench.sweep.planning import form
from bench.sweep.planning.arguments import add_to, plan_from
from bench.sweep.planning.endpoints import Endpoints
from bench.sweep.planning.plan import Plan

REST = "--model m --isl 8 --osl 8 --concurrency 1 --requests 4"
OPTIONS = (
    "--url http://a:8000/ --url http://b:8000 --header 'X-Team: bench' --header-env x-api-key=LAB_KEY "
    "--query api-version=2026-01 --path /v2/chat --wait 10m"
)
TOML = """
[endpoint]
urls = ["http://a:8000", "http://b:8000"]
model = "m"
headers = {X-Team = "bench"}
header_env = {x-api-key = "LAB_KEY"}
query = {api-version = "2026-01"}
path = "/v2/chat"
wait_s = "10m"
[[workloads]]
isl = 8
osl = 8
[loads]
concurrency = [1]
[point]
requests = 4
"""
NAMED = """
# the lab's
[endpoints.lab]
base_url = "http://a:8000"
urls = ["http://a:8000", "http://b:8000"]
model = "m"
path = "/v2/chat"
wait_s = 600

[endpoints.lab.headers]
X-Team = "bench"

[endpoints.lab.header_env]
x-api-key = "LAB_KEY"

[endpoints.lab.query]
api-version = "2026-01"
"""
KEY = "sk-lab-0123456789abcdef"


def plan(words: str, endpoints: Endpoints | None = None) -> Plan:
    parser = argparse.ArgumentParser()
    add_to(parser)
    return plan_from(parser.parse_args(shlex.split(words)), endpoints)


def library(place: Path) -> Endpoints:
    (place / "endpoints.toml").write_text(NAMED)
    return Endpoints(place)


def test_options_a_file_a_name_and_a_form_state_the_same(tmp_path: Path) -> None:
    known = library(tmp_path)
    stated = plan(f"{OPTIONS} {REST}")
    named = plan(f"--endpoint lab {REST}", known)
    assert stated == Plan.from_toml(TOML) == Plan.from_toml(stated.to_toml())
    assert {**named.endpoint.model_dump(), "name": None} == stated.endpoint.model_dump()
    assert stated.endpoint.bases == ("http://a:8000", "http://b:8000")
    assert (stated.endpoint.url, stated.endpoint.wait_s) == ("http://a:8000", 600)
    assert known.vouches_for(named.endpoint)
    fields = form.stated_by(stated)
    assert fields is not None
    assert form.checked(fields).plan == stated
    assert plan(form.command(fields).partition("sweep ")[2]) == stated


def test_a_plan_of_one_url_is_the_plan_it_was() -> None:
    one = plan(f"--url http://a:8000 {REST}")
    assert one.endpoint.urls is None
    assert one.document()["endpoint"] == {"url": "http://a:8000", "model": "m", "api": "chat", "streaming": True}
    assert one.id == plan(f"--url http://a:8000 --wait 10m {REST}").id
    assert one.id != plan(f"--url http://a:8000 --path /v2/chat {REST}").id


def test_options_beside_a_file_replace_all_its_urls(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(TOML)
    over = plan(f"{tmp_path / 'plan.toml'} --url http://c:8000 --header X-Run:7")
    assert over.endpoint.bases == ("http://c:8000",)
    assert over.endpoint.headers == {"X-Team": "bench", "X-Run": "7"}


def test_a_plan_adds_headers_to_those_of_a_named_endpoint_and_is_its_own_then(tmp_path: Path) -> None:
    known = library(tmp_path)
    added = plan(f"--endpoint lab --header X-Run:7 {REST}", known)
    assert added.endpoint.headers == {"X-Team": "bench", "X-Run": "7"}
    assert not known.vouches_for(added.endpoint)
    over = plan(f"--endpoint lab --header x-team:other --header-env X-API-KEY=OTHER_KEY {REST}", known)
    assert over.endpoint.headers == {"x-team": "other"}
    assert over.endpoint.header_env == {"X-API-KEY": "OTHER_KEY"}
    for more in ("--path /other", "--query x=y", "--header-env x=OTHER_KEY"):
        assert not known.vouches_for(plan(f"--endpoint lab {more} {REST}", known).endpoint)


def test_base_urls_that_are_equal_but_for_v1_are_one() -> None:
    twice = plan(f"--url http://a:8000 --url http://a:8000/v1/ --url http://b:8000/v1 --url http://b:8000 {REST}")
    assert twice.endpoint.bases == ("http://a:8000", "http://b:8000")
    one = Plan.from_toml(TOML.replace("http://b:8000", "http://a:8000/v1"))
    assert (one.endpoint.urls, one.endpoint.bases) == (None, ("http://a:8000",))
    stated = Plan.from_toml(TOML.replace("urls =", 'url = "http://a:8000/v1/"\nurls ='))
    assert stated.endpoint.bases == ("http://a:8000", "http://b:8000")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (f"--header 'Authorization: Bearer {KEY}'", "headers.Authorization would hold a key"),
        (f"--header 'Cookie: session={KEY}'", "would hold a key"),
        (f"--header 'X-Anything: {KEY}'", "would hold a key"),
        (f"--header '{KEY}'", "no key:value pair"),
        (f"--header-env x-api-key={KEY}", "never a key itself"),
        (f"--query api-key={KEY}", "as a header"),
        ("--header 'Host: elsewhere'", "Kneepoint itself"),
        ("--header 'X Team: bench'", "letters, digits"),
        ("--header 'X-Team: ü'", "ASCII"),
        ("--header 'X-Team: a' --header 'x-team: b'", "upper and lower case"),
        ("--path v2/chat", "a path"),
        ("--path '/v2/chat?key=1'", "a path"),
        ("--path //elsewhere/v1", "a path"),
        ("--wait 2d", "from 0 to a day"),
        ("--url http://169.254.169.254", "link-local"),
        (f"--url http://user:{KEY}@b:8000", "the user name"),
    ],
)
def test_what_cannot_be_is_told_in_a_sentence_without_a_key(words: str, said: str) -> None:
    with pytest.raises(UsageError) as problem:
        plan(f"--url http://a:8000 {words} {REST}")
    assert said in str(problem.value)
    assert KEY not in str(problem.value)


def test_a_url_and_urls_that_do_not_agree_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="not both"):
        Plan.from_toml(TOML.replace("urls =", 'url = "http://c:8000"\nurls ='))
    known = library(tmp_path)
    with pytest.raises(UsageError, match=r"leave endpoint\.urls out"):
        plan(f"--endpoint lab --with endpoint.urls=http://a:8000,http://c:8000 {REST}", known)
