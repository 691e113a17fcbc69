"""A real server, called by hand over Streamlit's agent API: who is offered no correction makes none."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.library import Library
from tests.holdings.made import made, point_of, source_of
from tests.pages.test_by_hand import PROXIED, REFUSED, ByHand, served
from tests.thorough import some

pytestmark = pytest.mark.long

TYPED = {
    "note.text": "a note",
    "tag.text": "odd",
    "hide.reason": "wrong",
    "purge.reason": "wrong",
    "fact.accelerator": "h200-sxm",
}
FORMS = {
    "note": "Keep the note",
    "tag": "Add the tag",
    "hide": "Hide it",
    "purge": "Delete it for good",
    "fact": "State it",
}


@pytest.fixture
def library(tmp_path: Path) -> Library:
    opened = made(tmp_path)
    opened.retract(point_of(opened, 1), "hidden before")
    return opened


@pytest.mark.parametrize(
    ("mode", "address", "headers", "why"),
    some(
        [
            ("off", "127.0.0.1", {}, "This server is read-only"),
            ("token", "127.0.0.1", {}, "KNEEPOINT_TOKEN is not set"),
            ("local", "0.0.0.0", {}, REFUSED),
            ("local", "127.0.0.1", {"X-Forwarded-For": "127.0.0.1"}, PROXIED),
        ],
        2,
    ),
)
def test_who_may_not_correct_is_offered_nothing_and_refused_by_hand(
    mode: str, address: str, headers: dict[str, str], why: str, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNEEPOINT_ACCESS", mode)
    monkeypatch.delenv("KNEEPOINT_TOKEN", raising=False)
    source, shown = source_of(library, "mine.csv"), point_of(library, 16)
    hidden = library.fetch("SELECT id FROM retractions")[0][0]
    before = {path: path.read_bytes() for path in library.path.rglob("*.jsonl")}
    with served(library.path, address) as server:
        reader = ByHand(server, **headers)
        for query in ({"source_id": source}, {"point_id": shown}, {"point_id": hidden}):
            page = reader.opened("data", **query)
            assert why in page
            id = next(iter(query.values()))
            states = {f"correct.{name}.{id[:16]}": text for name, text in TYPED.items()}
            states[f"correct.purge.typed.{id[:16]}"] = source[:8]
            for form, label in FORMS.items():
                assert label not in page
                button = f"FormSubmitter:correct.{form}.form-{label}"
                reader.ask(widget_state=states, trigger={"key": button})
            for button in ("correct.restore", "correct.untag.0", "correct.unstate.accelerator"):
                reader.pressed(button)
    assert {path: path.read_bytes() for path in library.path.rglob("*.jsonl")} == before
    assert (library.path / "sources" / source).is_dir()


def test_at_this_machine_the_same_call_is_a_correction(library: Library) -> None:
    source = source_of(library, "mine.csv")
    with served(library.path, "127.0.0.1") as server:
        reader = ByHand(server)
        assert "Keep the note" in reader.opened("data", source_id=source)
        reader.ask(
            widget_state={f"correct.note.text.{source[:16]}": "a note by hand"},
            trigger={"key": "FormSubmitter:correct.note.form-Keep the note"},
        )
    library.refresh()
    assert library.fetch("SELECT text, who FROM notes") == [("a note by hand", "a reader (local)")]
