"""A key is in no file, log, status, message or answer of the API, even where an endpoint repeats it in all it says."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any
from unittest import mock

import pyarrow.parquet as pq
import pytest

from bench import api
from bench.endpoint import Settings, running
from bench.sweep.__main__ import main as run_detached
from bench.sweep.folder import Folder, listed
from bench.sweep.planning.endpoints import Endpoints
from bench.sweep.planning.plan import Plan
from bench.sweep.session.setup import looked_at
from bench.sweep.wire.exchange import Target
from bench.sweep.wire.redaction import kept, redacted, redacted_document
from tests.polling import until
from tests.sweep.played import Played, playing
from tests.sweep.sweeping import command
from tests.thorough import some

ELSEWHERE = "http://127.0.0.1:9/elsewhere"

pytestmark = pytest.mark.long

KEY = 'sk-lab/7fA"x+Q2\\h-pq81=='
"""With what JSON escapes in it."""
PLAN = """
title = "Keys"
[endpoint]
name = "lab"
[[workloads]]
isl = 32
osl = 4
[loads]
concurrency = [1, 2]
[point]
requests = 6
warmup_requests = 1
"""
PIECE = 10
"""No piece of the key of so many characters may be anywhere."""


def library_of(place: Path, url: str) -> Path:
    """A library whose endpoints.toml names an endpoint that takes a key, and a plan beside it."""
    library = place / "library"
    library.mkdir()
    (library / "endpoints.toml").write_text(
        f'[endpoints.lab]\nbase_url = "{url}"\nmodel = "fake-model"\nkey_env = "LAB_API_KEY"\n'
    )
    (place / "plan.toml").write_text(PLAN)
    return library


def everything(place: Path) -> Iterator[tuple[str, str]]:
    """Every file's name and text, tables unpacked."""
    for path in sorted(place.rglob("*")):
        if not path.is_file():
            continue
        yield str(path), path.read_bytes().decode("utf-8", "replace")
        if path.suffix == ".parquet":
            table = pq.read_table(path)
            rows = table.select([name for name in table.column_names if "chunk" not in name]).to_pylist()
            yield str(path), repr(rows) + repr(table.schema.metadata)


def pieces(key: str) -> set[str]:
    spelled = {key, json.dumps(key)[1:-1], json.dumps(key)[1:-1].replace("/", "\\/"), repr(key)[1:-1]}
    return {text[at : at + PIECE].lower() for text in spelled for at in range(len(text) - PIECE + 1)}


def assert_nowhere(key: str, said: Iterator[tuple[str, str]]) -> None:
    sought = pieces(key)
    seen = 0
    for where, text in said:
        seen += 1
        assert not [piece for piece in sought if piece in text.lower()], (where, text[:2000])
    assert seen > 3


@contextmanager
def knowing(library: Path, key: str) -> Iterator[None]:
    """The environment in which the key and the library are stated."""
    with mock.patch.dict(os.environ, {"LAB_API_KEY": key, "KNEEPOINT_LIBRARY": str(library)}):
        yield


def detached(library: Path) -> Folder:
    """A sweep of the plan as its own process runs it, from `--detach` on."""
    with knowing(library, KEY):
        folder = Folder.create(library, Plan.from_mapping(tomllib.loads(PLAN), endpoints=Endpoints(library)))
        with folder.log.open("w") as log, redirect_stdout(log), redirect_stderr(log):
            run_detached(folder.path)
    return folder


def said(place: Path, library: Path, *sweep: str) -> Iterator[tuple[str, str]]:
    """What the sweep command with these words and every command about sweeps says, and every file that is left."""
    with knowing(library, KEY):
        for words in (("endpoints", "--check", "--json"), sweep, ("sweeps", "--json")):
            if words:
                done = command(*words)
                yield " ".join(words), done.stdout + done.stderr
        for folder in listed(library):
            for name in ("watch", "status", "run"):
                done = command(name, folder.id, "--json")
                yield name, done.stdout + done.stderr
            yield "GET", json.dumps(api.sweep(library, folder.id)[1], ensure_ascii=False)
        yield "GET", json.dumps(api.sweeps(library)[1], ensure_ascii=False)
    if "--detach" in sweep:  # its process enters the results after it has said that it is done
        until(lambda: any((library / "points").glob("*.parquet")) and not any((library / "tmp").iterdir()))
    yield from everything(place)


def test_a_sweep_with_a_key_leaves_it_nowhere(tmp_path: Path) -> None:
    with running(Settings(ttft_ms=2, itl_ms=1, api_key=KEY)) as url:
        library = library_of(tmp_path, url)
        words = ("sweep", str(tmp_path / "plan.toml"), "--json", "--detach", "--workers", "2")
        assert_nowhere(KEY, said(tmp_path, library, *words))
    assert [folder.status["state"] for folder in listed(library)] == ["done"]


@pytest.mark.parametrize("leads_to", ["", ELSEWHERE])
def test_an_endpoint_that_repeats_the_key_as_it_turns_everybody_away_gets_it_nowhere(
    leads_to: str, tmp_path: Path
) -> None:
    with playing(Played(good=0, leads_to=leads_to, echoes=True)) as played:
        library = library_of(tmp_path, played.url)
        detached(library)
        assert_nowhere(KEY, said(tmp_path, library, "sweep", str(tmp_path / "plan.toml"), "--json"))
    assert {folder.status["state"] for folder in listed(library)} == {"failed"}


def test_what_an_endpoint_says_with_a_key_in_it_is_kept_without(tmp_path: Path) -> None:
    """The key is in a header of its own, whose value is in the environment."""
    with playing(Played(echoes=True)) as played:
        library = library_of(tmp_path, played.url)
        stated = library / "endpoints.toml"
        stated.write_text(
            stated.read_text().replace("key_env = ", "header_env.x-api-key = ") + 'headers = {X-Team = "bench"}\n'
        )
        folder = detached(library)
        assert_nowhere(KEY, said(tmp_path, library))
        assert {(one.get("x-api-key"), one.get("x-team")) for one in played.headers} == {(KEY, "bench")}
    assert folder.status["state"] == "done"
    ((line, session), *_) = folder.read.points
    assert session.deployment.engine_version == "1.0 of …"
    assert set(pq.read_table(folder.path / str(line.samples))["finish"].to_pylist()) == {"length …"}


@pytest.mark.parametrize(
    ("more", "kind"),
    some([({"in_a_stream": True}, "malformed"), ({"leads_to": ELSEWHERE}, "redirected"), ({}, "http_4xx")], 1),
)
def test_an_endpoint_that_begins_to_repeat_the_key_within_a_point_gets_it_nowhere(
    more: dict[str, Any], kind: str, tmp_path: Path
) -> None:
    """It answers the checks, the first point's seven requests and four of the second's."""
    with playing() as played:
        library = library_of(tmp_path, played.url)
        with knowing(library, KEY):
            looked_at(Plan.from_mapping(tomllib.loads(PLAN), endpoints=Endpoints(library)))
    with playing(Played(good=played.answered + 7 + 4, echoes=True, **more), port=played.port):
        folder = detached(library)
        assert_nowhere(KEY, said(tmp_path, library))
    assert [set(line.failures) for line, _ in folder.read.points] == [set(), {kind}]


def test_no_part_of_a_key_is_left_where_a_text_is_cut() -> None:
    key = "sk-lab-0123456789abcdef0123456789abcdef"
    for before in range(65_400, 65_540, 3):
        assert "sk-" not in kept(" " * before + key * 3 + "x" * 99, (key,), 500)
    assert kept(f"told {key}" + "x" * 900, (key,), 12) == "told …xxxxxx"


def test_what_is_no_secret_stays() -> None:
    assert (
        redacted("Bearer of news", Target("h", 1, "/", {"Authorization": "Bearer sk-12345678"}).secrets)
        == "Bearer of news"
    )
    assert redacted_document({"id": "none"}, ("none",)) == {"id": "none"}
    own = {"ids": ["sk-12345678"] * 2, "said": "No sk-12345678.", "sk-12345678": 1}
    assert redacted_document(own, ("sk-12345678",)) == {"ids": ["…", "…"], "said": "No ….", "…": 1}
    assert Target("h", 1, "/").secrets == ()
