"""A key is on no page, even where the endpoint repeats it in every answer and every error."""

from __future__ import annotations

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bench.sweep.folder import Folder
from bench.sweep.planning.endpoints import Endpoints
from bench.sweep.planning.plan import Plan
from bench.sweep.session.runner import run
from tests.pages.drawn import Open
from tests.sweep.played import ALWAYS, Played, playing
from tests.thorough import some

pytestmark = pytest.mark.long

KEY = "sk-lab-7fAxQ2hpq81kdm3"
PIECES = {KEY[at : at + 8] for at in range(len(KEY) - 7)} - {"sk-lab-7"}


def everything(page: AppTest) -> str:
    """All that was sent to the browser, and all that the session keeps."""
    assert not page.exception
    sent = "\n".join(str(part.proto) for part in _parts(page._tree) if hasattr(part, "proto"))
    kept = repr(page.session_state)
    return f"{sent}\n{kept}\n{page.query_params}"


def _parts(block):
    for child in block.children.values():
        yield child
        if hasattr(child, "children"):
            yield from _parts(child)


@pytest.mark.parametrize(("good", "leads_to"), some([(16, ""), (16, "http://127.0.0.1:9"), (ALWAYS, ""), (0, "")], 1))
def test_no_page_shows_the_key(
    good: int, leads_to: str, opened: Open, own_library: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAB_API_KEY", KEY)
    own_library.mkdir()
    with playing(Played(good=good, leads_to=leads_to, echoes=True)) as played:
        (own_library / "endpoints.toml").write_text(
            f'[endpoints.lab]\nbase_url = "{played.url}"\nmodel = "fake-model"\nkey_env = "LAB_API_KEY"\n'
        )
        fields = {
            "endpoint.name": "lab",
            "workloads.isl": "32",
            "workloads.osl": "4",
            "loads.concurrency": "4",
            "point.requests": "16",
            "point.warmup_requests": "1",
        }
        folder = Folder.create(own_library, Plan.from_fields(fields, files=False, endpoints=Endpoints(own_library)))
        run(folder)
        pages = {
            "launch": opened("launch", endpoint="lab", isl="32", osl="4", concurrency="1", requests="10"),
            "jobs": opened("jobs"),
            "job": opened("jobs", job=folder.id),
            "run": opened("run", run=folder.id),
            "point": opened("run", run=folder.id, point="1"),
            "data": opened("data"),
        }
    for name, page in pages.items():
        said = everything(page)
        assert len(said) > 1000
        assert not [piece for piece in PIECES if piece in said], name
    assert "lab" in everything(pages["launch"])
