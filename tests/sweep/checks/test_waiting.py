"""A model that still loads is waited for up to a limit, and all that is waited for keeps within the cap on minutes."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

import pytest

from bench.endpoint import Settings, running
from bench.sweep.checks import waiting
from bench.sweep.checks.preflight import preflight
from bench.sweep.folder import Folder
from bench.sweep.pauses import Pauses
from bench.sweep.session.runner import run
from bench.sweep.wire.bodies import RequestStyle
from bench.sweep.wire.exchange import RequestApi, Target
from tests.sweep.played import Played, playing, reserved
from tests.sweep.sweeping import failing, folder_for

SHORT = Pauses(model_s=0.02)


def plan_in(place: Path, url: str, **more: str) -> Folder:
    return folder_for(place, url, loads__concurrency="1", point__requests="4", **more)


def swept(place: Path, url: str, seen: Callable[[str], object] = str, **more: str) -> tuple[Folder, str, str]:
    """The sweep of a plan in this process, its state and why; `seen` gets the reasons its status gave meanwhile."""
    folder = plan_in(place, url, **more)

    def watch(status) -> None:
        if status.get("reason"):
            seen(status["reason"])

    ended = run(folder, watch, pauses=SHORT)
    return folder, ended.state, ended.reason


def test_a_model_that_loads_is_waited_for(tmp_path: Path) -> None:
    """A gateway whose engine does not answer yet says 500 or 502, an engine 503, and a router names other models."""
    told: list[str] = []
    with playing(Played(loading=[500, 502, 503, "another-model"])) as played:
        folder, state, reason = swept(tmp_path, played.url, told.append, endpoint__wait_s="600")
    assert state == "done", reason
    assert len(folder.read.points) == 1
    waits = [one for one in told if one.startswith("waiting for the model to load, ")]
    assert len(waits) == 4
    assert waits[0].endswith(" s of 10 min")


def test_an_engine_that_lists_its_model_and_answers_nothing_yet_is_waited_for(tmp_path: Path) -> None:
    told: list[str] = []
    with running(failing(0, 3)) as url:
        _, state, reason = swept(tmp_path, url, told.append, endpoint__wait_s="60")
    assert state == "done", reason
    assert len([one for one in told if one.startswith("waiting for the model to load, ")]) == 3


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_what_a_model_is_tried_with_is_a_request_as_any_other(api: RequestApi) -> None:
    with running(Settings(ttft_ms=1, itl_ms=1)) as url:
        assert waiting.serves(Target.at(url, api=api), "fake-model", time.monotonic() + 60)


def test_an_endpoint_that_does_not_listen_yet_is_waited_for(tmp_path: Path) -> None:
    with ExitStack() as open_until_the_end:
        port = open_until_the_end.enter_context(reserved())

        def listen(reason: str) -> None:
            if "waiting" in reason and not begun:
                begun.append(open_until_the_end.enter_context(playing(port=port)))

        begun: list[Played] = []
        _, state, reason = swept(tmp_path, f"http://127.0.0.1:{port}", listen, endpoint__wait_s="60")
    assert begun
    assert state == "done", reason


def test_without_a_limit_nothing_is_waited_for_and_after_it_the_usual_sentence_comes(tmp_path: Path) -> None:
    told: list[str] = []
    with playing(Played(loading=["another-model"] * 10_000)) as played:
        _, state, at_once = swept(tmp_path / "a", played.url, told.append)
        assert not [one for one in told if "waiting" in one]
        _, _, later = swept(tmp_path / "b", played.url, endpoint__wait_s="0.2")
    assert state == "failed"
    assert later == at_once
    assert "fake-model" in later


def test_a_sweep_that_waits_can_be_cancelled(tmp_path: Path) -> None:
    folder = plan_in(tmp_path, "http://127.0.0.1:9", endpoint__wait_s="600")

    def watch(status) -> None:
        if "waiting" in (status.get("reason") or ""):
            folder.cancel.touch()

    assert run(folder, watch, pauses=SHORT).state == "cancelled"


@pytest.mark.parametrize(
    "drips",
    [
        (b"", 0.1),
        (b"HTTP/1.1 100 Continue\r\n\r\n", 0.05),
        pytest.param((b"HTTP/1.1 200 OK\r\nx: y\r\n", 0.7), marks=pytest.mark.exhaustive),
    ],
    ids=["silent", "announcing", "half a head"],
)
def test_all_checks_are_over_when_the_cap_on_minutes_is(drips: tuple[bytes, float], tmp_path: Path) -> None:
    begun = time.monotonic()
    with playing(Played(drips=drips)) as played:
        _, state, reason = swept(tmp_path, played.url, caps__minutes="0.015")
    assert time.monotonic() - begun >= 0.9
    assert state == "failed"
    assert "did not answer within the time caps.minutes leaves" in reason


def test_heads_that_announce_an_answer_without_end_are_none() -> None:
    with playing(Played(drips=(b"HTTP/1.1 100 Continue\r\n\r\n" * 4000, 0.001))) as played:
        problem = preflight(Target.at(played.url), RequestStyle("fake-model"), first_s=60).problem or ""
    assert "too_large: the answer is nothing but heads" in problem
    with playing(Played(drips=(b"HTTP/1.1 102 Processing\r\n\r\n", 0.05))) as played:
        problem = preflight(Target.at(played.url), RequestStyle("fake-model"), first_s=0.2).problem or ""
    assert "had not ended after 0.2 s" in problem


def test_a_wait_keeps_within_the_cap_on_minutes(tmp_path: Path) -> None:
    """Until then it waits, and then nothing is asked any more."""
    told: list[str] = []
    begun = time.monotonic()
    _, state, reason = swept(tmp_path, "http://127.0.0.1:9", told.append, endpoint__wait_s="600", caps__minutes="0.003")
    assert time.monotonic() - begun >= 0.18
    assert state == "failed"
    assert "waiting for the model to load" in told[0]
    assert reason.startswith("127.0.0.1:9 was not asked for /v1/models")
    assert "caps.minutes" in reason
