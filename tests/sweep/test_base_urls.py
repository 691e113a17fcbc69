"""Several base URLs of one deployment: requests go round by their number, and each is held to the rules for one."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from bench.access import Visitor
from bench.endpoint import Settings, running
from bench.errors import UsageError
from bench.records import Load
from bench.runs.run import _environment
from bench.sweep.checks.preflight import preflight
from bench.sweep.folder import Folder
from bench.sweep.generator.load import run_point
from bench.sweep.planning.plan import Plan
from bench.sweep.session import launching
from bench.sweep.session.origin import SweepOrigin, keep
from bench.sweep.session.queue import QueuedSweep, measured_at, obstacle
from bench.sweep.session.runner import run
from bench.sweep.wire.bodies import RequestStyle, body
from bench.sweep.wire.exchange import Limits, PreparedRequest, Target
from tests.sweep.played import Played, playing
from tests.sweep.sweeping import folder_for, plan_for

MANNER = RequestStyle("fake-model")
HERE = Visitor(server_address="127.0.0.1", client_address="127.0.0.1", host="localhost:8501")
PRACTISE = Settings(ttft_ms=2, itl_ms=1)
LOAD = {"loads__concurrency": "4", "point__requests": "40", "point__warmup_requests": "4"}


def plan_over(*urls: str, **more: str) -> Plan:
    return plan_for("", endpoint__urls=",".join(urls), **LOAD, **more)


def over(*urls: str) -> Target:
    """The target under these base URLs."""
    first, *others = (Target.at(url) for url in urls)
    return replace(first, others=tuple(others))


def asks(count: int) -> list[PreparedRequest]:
    return [PreparedRequest(number, body(MANNER, "w", 4), None, 4) for number in range(count)]


@pytest.mark.parametrize(
    "load",
    [Load(load_kind="closed", concurrency=5), Load(load_kind="open", request_rate=200.0, arrivals="constant")],
    ids=["closed", "open"],
)
def test_requests_take_turns_by_their_number(load: Load) -> None:
    made = asks(60)
    for ask in made if load.load_kind == "open" else []:
        ask.at_ns = ask.number * 5_000_000
    with playing() as one, playing() as two, playing() as three:
        target = over(one.url, two.url, three.url)
        found = asyncio.run(run_point(target, iter(made), load, Limits()))
        hosts = [{headers["host"] for headers in role.headers} for role in (one, two, three)]
        assert [len(role.asked) for role in (one, two, three)] == [20, 20, 20]
        assert hosts == [{role.url.removeprefix("http://")} for role in (one, two, three)]
    assert Counter(exchange.outcome for exchange in found.exchanges) == {"ok": 60}
    apart = [{one.connection for one in found.exchanges if one.number % 3 == base} for base in range(3)]
    assert not apart[0] & apart[1] and not apart[1] & apart[2] and not apart[0] & apart[2]  # noqa: PT018


def test_no_more_connections_are_held_than_are_allowed() -> None:
    made = asks(100)
    for ask in made:
        ask.at_ns = 0
    load = Load(load_kind="open", request_rate=1000.0, arrivals="constant")
    with playing() as one, playing() as two:
        target = over(one.url, two.url)
        found = asyncio.run(run_point(target, iter(made), load, Limits(connections=10)))
    assert Counter(exchange.outcome for exchange in found.exchanges) == {"ok": 100}


@pytest.mark.long
def test_a_sweep_goes_round_with_all_its_workers_and_says_so(tmp_path: Path) -> None:
    with playing() as one, playing() as two:
        plan = plan_over(one.url, two.url, workers="2")
        folder = Folder.create(tmp_path, plan)
        ended = run(folder)
        posts = [sum(asked.startswith("POST /v1/chat") for asked in role.asked) for role in (one, two)]
        gets = [role.asked.count("GET /v1/models") for role in (one, two)]
    assert ended.state == "done", ended.reason
    ((line, session),) = folder.read.points
    assert line.requests_ok == 40
    assert min(posts) >= 20 + 2
    assert min(gets) == 1
    assert session.base_urls == 2
    checks = folder.status["checks"]
    (told,) = (check["said"] for check in checks if check["name"] == "base URLs")
    assert "over 2 base URLs" in told
    assert ("Requests go", "round robin over 2 base URLs") in list(_environment(plan, [session], [line]))


def problem_over(*urls: str) -> str:
    found = preflight(over(*urls), MANNER)
    assert found.problem is not None
    return found.problem


def test_every_url_has_to_answer_serve_the_model_and_be_one_engine() -> None:
    with running(PRACTISE) as url:
        found = preflight(over(url, url.replace("127.0.0.1", "localhost")), MANNER)
        assert found.problem is None
        assert [base.address for base in found.target.bases] == ["127.0.0.1", "127.0.0.1"]
        assert "Nothing listens at 127.0.0.1:9" in problem_over(url, "http://127.0.0.1:9")
        with playing(Played(loading=["another-model"] * 9)) as other:
            assert "fake-model" in problem_over(url, other.url)
        with running(Settings(dialect="sglang", ttft_ms=2, itl_ms=1)) as other_url:
            assert "is served by sglang" in problem_over(url, other_url)
        refusing = Played(
            told={"/version": (200, {"version": "0.11.0"}), "/v1/chat/completions": (400, {"error": "no"})}
        )
        with playing(refusing) as turns_away, playing(Played(told={"/version": (200, {"version": "0.11.0"})})) as good:
            assert "does not answer a short request (HTTP 400: no)" in problem_over(good.url, turns_away.url)


def test_a_proxy_or_a_mock_among_them_is_told() -> None:
    with playing() as own, playing(Played(more={"server": "nginx/1.27.3"})) as behind:
        found = preflight(over(own.url, behind.url), MANNER)
        assert (found.problem, found.proxy) == (None, "nginx 1.27.3")
        with playing(Played(owned_by="aimock")) as mock:
            told = problem_over(own.url, mock.url)
    assert f"127.0.0.1:{mock.port} is served by" in told
    assert "simulates an endpoint, as aimock" in told


def test_a_page_may_ask_none_that_it_may_not_ask_alone(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="may only name this machine"):
        launching.check(tmp_path, plan_over("http://127.0.0.1:8000", "http://10.0.0.1:8000"), HERE, own_port=8501)


@pytest.mark.parametrize(
    "more",
    [
        {"endpoint__path": "/x"},
        {"endpoint__query": {"a": "b"}},
        {"endpoint__headers": {"a": "b"}},
        {"endpoint__header_env": {"a": "PATH"}},
    ],
)
def test_a_page_states_no_path_query_or_header_of_its_own(more: dict[str, str], tmp_path: Path) -> None:
    plan = plan_for("http://127.0.0.1:8000", **more)
    with pytest.raises(UsageError, match=r"endpoints\.toml"):
        launching.check(tmp_path, plan, HERE, own_port=8501)


def test_a_name_that_means_this_machine_is_refused_for_each(tmp_path: Path) -> None:
    plan = plan_over("http://127.0.0.1:9", "http://2130706433:9")
    folder = Folder.create(tmp_path, plan)
    keep(folder, SweepOrigin.now("a reader", from_page=True))
    ended = run(folder)
    assert ended.state == "failed"
    assert "this machine itself" in ended.reason
    with pytest.raises(UsageError, match="link-local"):
        plan_over("http://127.0.0.1:9", "http://169.254.169.254")


def test_every_question_and_request_carries_the_headers_and_the_query(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ITS_KEY", "sk-of-this-test")
    reached = {
        "endpoint__headers": {"X-Team": "bench"},
        "endpoint__header_env": {"x-api-key": "ITS_KEY"},
        "endpoint__query": {"api-version": "2026-01", "x": "a b"},
        "endpoint__path": "/deployments/x/chat",
    }
    with playing(Played(route="/base/deployments/x/chat?api-version=2026-01&x=a+b")) as played:
        folder = folder_for(tmp_path, f"{played.url}/base/v1", **reached)
        ended = run(folder)
    assert ended.state == "done", ended.reason
    assert {asked.partition("?")[2] for asked in played.asked} == {"api-version=2026-01&x=a+b"}
    assert {asked.split()[1].split("/")[1] for asked in played.asked} == {"base"}
    assert {(one["x-team"], one["x-api-key"]) for one in played.headers} == {("bench", "sk-of-this-test")}
    assert "GET /base/version?api-version=2026-01&x=a+b" in played.asked
    assert "sk-of-this-test" not in folder.journal.read_text() + (folder.path / "plan.json").read_text()


def test_sweeps_that_share_a_url_take_turns() -> None:
    both = measured_at(plan_over("http://a:1", "http://b:1").endpoint)
    running_now = QueuedSweep("first", both, 1, "1", waits=False)
    assert obstacle(QueuedSweep("second", "b:1", 1, "2"), [running_now], 8) is not None
    assert obstacle(QueuedSweep("second", "c:1", 1, "2"), [running_now], 8) is None
