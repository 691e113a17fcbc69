"""Endpoints to practise on: started once, found by everybody, and never mistaken for something else."""

from __future__ import annotations

import json
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.endpoint import Settings
from bench.endpoint.serving import running
from bench.sweep.session.demo_endpoints import FOLDER, is_practice, practices, practise
from tests.polling import until

pytestmark = pytest.mark.long


@pytest.fixture
def library(tmp_path: Path) -> Iterator[Path]:
    """A library whose practice endpoints end with the test."""
    yield tmp_path
    for record in (tmp_path / FOLDER).glob("*.json"):
        end(record)


def end(record: Path) -> None:
    os.kill(json.loads(record.read_text())["pid"], signal.SIGTERM)


def test_one_is_started_once_found_again_and_started_anew_at_its_port(library: Path) -> None:
    found: list[str | None] = []
    askers = [threading.Thread(target=lambda: found.append(practise(library, "chat-gpu").url)) for _ in range(3)]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    (url,) = set(found)
    assert url is not None
    assert {one.name: one.url for one in practices(library)} == {"chat-gpu": url, "batch-tpu": None, "saturating": None}
    assert is_practice(library, f"{url}/v1")
    assert not is_practice(library, "http://127.0.0.1:1")

    end(library / FOLDER / "chat-gpu.json")
    until(lambda: not is_practice(library, url))
    assert practise(library, "chat-gpu").url == url


def test_another_endpoint_at_a_remembered_port_is_no_practice(tmp_path: Path) -> None:
    (tmp_path / FOLDER).mkdir()
    with running(Settings(model="chat-gpu", simulates="something else")) as url:
        (tmp_path / FOLDER / "chat-gpu.json").write_text(json.dumps({"url": url}))
        assert not is_practice(tmp_path, url)


@pytest.mark.parametrize("record", ["", "[]", '{"url": 5}', '{"url": "http://example.org:80"}', "\x00", "[" * 200_000])
def test_a_strange_record_is_none(tmp_path: Path, record: str) -> None:
    (tmp_path / FOLDER).mkdir()
    (tmp_path / FOLDER / "chat-gpu.json").write_text(record)
    assert all(one.url is None for one in practices(tmp_path))
