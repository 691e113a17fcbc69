"""Corrections: who may, what they do, what the audit says, and how they are taken back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bench.access import Visitor
from bench.errors import AccessDenied, NotFound, UsageError
from bench.holdings import correcting, counts, history, opened
from bench.library import Library, facts
from tests.holdings.made import made, point_of, source_of

HERE = Visitor(server_address="127.0.0.1", client_address="127.0.0.1", host="localhost:8501")
ELSEWHERE = Visitor(server_address="0.0.0.0", client_address="10.0.0.7", host="kneepoint.example")

CHANGES: dict[str, Callable[[Library, Visitor, str, str], None]] = {
    "retract": lambda library, who, source, point: correcting.retract(library, who, point, "wrong"),
    "restore": lambda library, who, source, point: correcting.restore(library, who, point),
    "annotate": lambda library, who, source, point: correcting.annotate(library, who, source, "a note"),
    "tag": lambda library, who, source, point: correcting.tag(library, who, point, "odd"),
    "untag": lambda library, who, source, point: correcting.untag(library, who, point, "odd"),
    "facts": lambda library, who, source, point: correcting.state(library, who, [source], "accelerator", "H200"),
    "purge": lambda library, who, source, point: correcting.purge(library, who, source, "gone", source[:8]),
}
"""Every change, in an order in which all of them can be made."""


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """A library that is to stay as it is: a point is hidden and tagged, so that both could be taken back."""
    library = made(tmp_path_factory.mktemp("settled"))
    point = point_of(library, 16)
    library.tag(point, "odd")
    library.retract(point, "for the restore")
    return library


def files_of(library: Library) -> dict[str, bytes]:
    found = (path for path in library.path.rglob("*") if path.is_file())
    return {str(path.relative_to(library.path)): path.read_bytes() for path in found}


@pytest.mark.parametrize("mode", ["off", "token", "oidc", "local"])
def test_who_may_not_changes_nothing(mode: str, settled: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    source, point = source_of(settled, "mine.csv"), settled.fetch("SELECT id FROM retractions")[0][0]
    before = files_of(settled)
    monkeypatch.setenv("KNEEPOINT_ACCESS", mode)
    for change in CHANGES.values():
        with pytest.raises(AccessDenied):
            change(settled, ELSEWHERE, source, point)
    assert files_of(settled) == before


def test_every_change_leaves_its_line_in_the_audit(library: Library) -> None:
    source, point = source_of(library, "mine.csv"), point_of(library, 16)
    for change in CHANGES.values():
        change(library, HERE, source, point)
    told = history.changes(library)
    done = [history.DONE[name] for name in reversed(CHANGES)]
    assert list(told["what"]) == [*done, "imported"]
    assert list(told["who"]) == ["a reader (local)"] * len(CHANGES) + ["importer"]
    assert told["at"].notna().all()
    assert told["at"].is_monotonic_decreasing
    assert "wrong" in set(told["detail"])
    assert "Accelerator: h200-sxm" in set(told["detail"])


def test_the_audit_of_a_source_is_its_own_and_its_points(library: Library) -> None:
    mine, theirs = source_of(library, "mine.csv"), source_of(library, "theirs.csv")
    correcting.retract(library, HERE, point_of(library, 16), "wrong")
    correcting.annotate(library, HERE, theirs, "fine")
    assert list(history.changes(library, mine)["what"]) == ["hid", "imported"]
    assert list(history.changes(library, theirs)["what"]) == ["noted", "imported"]


def test_a_reason_is_one(library: Library) -> None:
    for reason in ("   ", "x" * 2001):
        with pytest.raises(UsageError):
            correcting.retract(library, HERE, point_of(library, 16), reason)
        with pytest.raises(UsageError):
            correcting.annotate(library, HERE, point_of(library, 16), reason)
    assert list(history.changes(library)["what"]) == ["imported"]


def test_every_fact_a_page_offers_can_be_stated() -> None:
    values = {"date": "2026-05-01", "url": "https://example.org", "usd_per_accelerator_hour": "2.49"}
    for fact in correcting.FACTS:
        known = correcting.choices(fact)
        assert facts.checked({fact: known[0][0] if known else values.get(fact, "8")})
    assert facts.checked(dict.fromkeys(correcting.FACTS))


def test_deleting_wants_the_beginning_of_the_id(library: Library) -> None:
    source = source_of(library, "mine.csv")
    for typed in ("", "delete", source[:7], source):
        with pytest.raises(UsageError, match=f"type {source[:8]}"):
            correcting.purge(library, HERE, source, "confidential", typed)
    assert counts(library)["points"] == 5
    correcting.purge(library, HERE, source, "confidential", f" {source[:8]} ")
    assert counts(library)["points"] == 2
    assert history.changes(library)["about"].iloc[0] == "mine.csv"
    assert not (library.path / "sources" / source).exists()
    with pytest.raises(UsageError, match="purged"):
        correcting.restore(library, HERE, source)


def test_a_tag_is_put_on_once_and_taken_off(library: Library) -> None:
    point = point_of(library, 16)
    for text in ("Odd one", " odd  ONE "):
        correcting.tag(library, HERE, point, text)
    assert opened.tags(library, point) == ("odd one",)
    assert list(history.changes(library)["what"]) == ["tagged", "imported"]
    correcting.untag(library, HERE, point, "odd one")
    assert opened.tags(library, point) == ()
    with pytest.raises(NotFound):
        correcting.untag(library, HERE, point, "odd one")


def test_what_is_no_tag_is_none(settled: Library) -> None:
    before = files_of(settled)
    for text in ("", " ", "a,b", "x" * 41, "a\x07b"):
        with pytest.raises(UsageError):
            correcting.tag(settled, HERE, point_of(settled, 64), text)
    assert files_of(settled) == before


def test_one_fact_is_stated_about_several_sources_with_a_line_for_each(library: Library) -> None:
    ids = [source_of(library, file) for file in ("mine.csv", "theirs.csv")]
    before = len(history.changes(library))
    correcting.state(library, HERE, ids, "accelerator", "b200")
    assert [opened.values(library, id, "accelerator") for id in ids] == [[("b200-sxm", 3)], [("b200-sxm", 2)]]
    lines = history.changes(library).head(len(history.changes(library)) - before)
    assert len(lines) == 2
    for id in ids:
        stated = history.stated(library, id)[["fact", "value", "who"]].to_numpy().tolist()
        assert stated == [["accelerator", "b200-sxm", "a reader (local)"]]
        correcting.state(library, HERE, [id], "accelerator", None)
        assert history.stated(library, id).empty
    assert set(library.fetch("SELECT DISTINCT accelerator FROM points")) == {("h100-sxm",), ("mi300x",)}


def test_a_fact_about_several_sources_is_stated_of_all_or_of_none(library: Library) -> None:
    mine = source_of(library, "mine.csv")
    with pytest.raises(NotFound):
        correcting.state(library, HERE, [mine, "0" * 64], "accelerator", "b200")
    with pytest.raises(UsageError, match="Pick the sources"):
        correcting.state(library, HERE, [], "accelerator", "b200")
    with pytest.raises(AccessDenied):
        correcting.state(library, ELSEWHERE, [mine], "accelerator", "b200")
    assert history.stated(library, mine).empty
