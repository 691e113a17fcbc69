"""A key is in no file, log, status, message or answer of the API, even where an endpoint repeats it in all it says."""

from __future__ import annotations

import html
import json
import os
import tomllib
import urllib.parse
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from unittest import mock

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import api
from bench.endpoint import Settings, running
from bench.sweep.__main__ import main as run_detached
from bench.sweep.folder import Folder, listed
from bench.sweep.planning.endpoints import Endpoints
from bench.sweep.planning.plan import Plan
from bench.sweep.wire.exchange import Target
from bench.sweep.wire.redaction import kept, redacted, redacted_document
from tests.sweep.played import ALWAYS, Played, playing
from tests.sweep.sweeping import command

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


def carried_out(place: Path, library: Path, key: str, *more: str) -> Iterator[tuple[str, str]]:
    """What every command says of a sweep with this key, `more` options among its own, and every file it left.

    Beside it is one that its own process would run, from `--detach` on.
    """
    commands = [
        ("endpoints", "--check"),
        ("endpoints", "--check", "--json"),
        ("sweep", str(place / "plan.toml"), "--json", *more),
        ("sweeps", "--json"),
    ]
    with knowing(library, key):
        aside = Folder.create(library, Plan.from_mapping(tomllib.loads(PLAN), endpoints=Endpoints(library)))
        with aside.log.open("w") as log, redirect_stdout(log), redirect_stderr(log):
            run_detached(aside.path)
        for words in commands:
            done = command(*words)
            yield " ".join(words), done.stdout + done.stderr
        for folder in listed(library):
            for name in ("watch", "status", "run"):
                done = command(name, folder.id, "--json")
                yield name, done.stdout + done.stderr
            yield "GET", json.dumps(api.sweep(library, folder.id)[1], ensure_ascii=False)
        yield "GET", json.dumps(api.sweeps(library)[1], ensure_ascii=False)
    yield from everything(place)


def test_a_sweep_with_a_key_leaves_it_nowhere(tmp_path: Path) -> None:
    with running(Settings(ttft_ms=2, itl_ms=1, api_key=KEY)) as url:
        library = library_of(tmp_path, url)
        assert_nowhere(KEY, carried_out(tmp_path, library, KEY, "--detach"))
    assert {folder.status["state"] for folder in listed(library)} == {"done"}


def test_a_wrong_key_is_told_without_it(tmp_path: Path) -> None:
    with running(Settings(api_key="another-key-of-the-lab")) as url:
        library = library_of(tmp_path, url)
        assert_nowhere(KEY, carried_out(tmp_path, library, KEY))
    (folder,) = listed(library)
    assert "refuses the key (HTTP 401): correct the variable LAB_API_KEY" in folder.status["reason"]


@pytest.mark.parametrize(
    ("good", "leads_to", "state"),
    [(0, "", "failed"), (1, "", "failed"), (ALWAYS, "", "done"), (0, ELSEWHERE, "failed")],
)
def test_an_endpoint_that_repeats_the_key_gets_it_nowhere(good: int, leads_to: str, state: str, tmp_path: Path) -> None:
    with playing(Played(good=good, leads_to=leads_to, echoes=True)) as played:
        library = library_of(tmp_path, played.url)
        assert_nowhere(KEY, carried_out(tmp_path, library, KEY))
    assert {folder.status["state"] for folder in listed(library)} == {state}


@pytest.mark.parametrize("good", [20, 0])
def test_a_line_of_a_stream_that_repeats_the_key_gets_it_nowhere(good: int, tmp_path: Path) -> None:
    with playing(Played(good=good, echoes=True, in_a_stream=True)) as played:
        library = library_of(tmp_path, played.url)
        assert_nowhere(KEY, carried_out(tmp_path, library, KEY))


@pytest.mark.parametrize("good", [20, ALWAYS, 0])
def test_a_header_from_the_environment_is_a_key(good: int, tmp_path: Path) -> None:
    with playing(Played(good=good, echoes=True)) as played:
        library = library_of(tmp_path, played.url)
        stated = library / "endpoints.toml"
        stated.write_text(
            stated.read_text().replace("key_env = ", "header_env.x-api-key = ") + 'headers = {X-Team = "bench"}\n'
        )
        assert_nowhere(KEY, carried_out(tmp_path, library, KEY))
        assert {(one.get("x-api-key"), one.get("x-team")) for one in played.headers} == {(KEY, "bench")}


def test_what_an_endpoint_calls_itself_with_the_key_in_it_is_kept_without(tmp_path: Path) -> None:
    with playing(Played(echoes=True)) as played:
        library = library_of(tmp_path, played.url)
        with knowing(library, KEY):
            command("sweep", str(tmp_path / "plan.toml"))
    (folder,) = listed(library)
    ((line, session), *_) = folder.read.points
    assert session.deployment.engine_version == "1.0 of …"
    assert set(pq.read_table(folder.path / str(line.samples))["finish"].to_pylist()) == {"length …"}


@pytest.mark.parametrize("leads_to", ["", ELSEWHERE])
def test_an_endpoint_that_begins_to_repeat_the_key_within_a_point_gets_it_nowhere(
    leads_to: str, tmp_path: Path
) -> None:
    library = tmp_path / "library"
    with playing() as played:
        library_of(tmp_path, played.url)
        with knowing(library, KEY):
            command("sweep", str(tmp_path / "plan.toml"))
    first = {folder.id for folder in listed(library)}
    with playing(Played(good=played.answered - 3, leads_to=leads_to, echoes=True), port=played.port):
        assert_nowhere(KEY, carried_out(tmp_path, library, KEY))
    second = min((folder for folder in listed(library) if folder.id not in first), key=lambda one: one.id)
    kind = "redirected" if leads_to else "http_4xx"
    assert [set(line.failures) for line, _ in second.read.points] == [set(), {kind}]


KEYS = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=12, max_size=60)
AROUND = st.text(max_size=600)


@given(KEYS, AROUND, AROUND)
def test_a_key_is_taken_out_in_every_spelling(key: str, before: str, after: str) -> None:
    secrets = Target("h", 1, "/", {"Authorization": f"Bearer {key}"}).secrets
    assert key in secrets
    document = {"error": {"message": f"{before}{key}{after}", "head": f"Bearer {key}"}, "ids": [key, key]}
    for text in (json.dumps(document), json.dumps(document).replace("/", "\\/"), str(document["error"]["message"])):
        assert key not in redacted(text, secrets)
        assert key.lower() not in redacted(text.swapcase(), secrets).lower()
        assert key not in kept(text, secrets, 500)
    own = {"ids": [key, key], "head": f"Bearer {key}", "said": f"No {key}.", key: 1}
    assert redacted_document(own, secrets) == {"ids": ["…", "…"], "head": "…", "said": "No ….", "…": 1}


@given(KEYS)
def test_a_key_is_taken_out_as_texts_escape_each_other(key: str) -> None:
    for spelled in (
        "".join(f"\\u{ord(one):04X}" for one in key),
        json.dumps("".join(f"\\u{ord(one):04x}" for one in key)),
        "".join(f"\\x{ord(one):02x}" for one in key),
        urllib.parse.quote(key, safe=""),
        "".join(f"%{ord(one):02x}" for one in key),
        html.escape(key),
        json.dumps(json.dumps(key)),
        repr(key),
    ):
        assert key not in html.unescape(urllib.parse.unquote(redacted(f"sent {spelled}!", (key,))))
        assert "…" in redacted(f"sent {spelled}!", (key,))


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
    assert Target("h", 1, "/").secrets == ()
