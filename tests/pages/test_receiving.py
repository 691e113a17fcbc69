"""Which uploads reach Streamlit: those of sessions that were offered it, and no more than an import takes."""

from __future__ import annotations

import pytest

from pages.server.receiving import ENDPOINT, UploadGuard
from pages.shared.upload_room import FRAMING, UploadRooms
from tests.pages.asked import status

ROOM = 10_000_000


def asked(rooms: UploadRooms, path: str, method: str = "PUT", **headers: str) -> int:
    return status(lambda app: UploadGuard(app, lambda: rooms), path, method, headers)


@pytest.fixture
def rooms() -> UploadRooms:
    """One session may send, another was told to stop."""
    rooms = UploadRooms()
    rooms.open("here", ROOM)
    rooms.open("stopped", ROOM)
    rooms.close("stopped")
    return rooms


@pytest.mark.parametrize("session", ["elsewhere", "stopped", "", "../here", "HERE"])
def test_a_session_that_was_not_offered_it_sends_nothing(session: str, rooms: UploadRooms) -> None:
    assert asked(rooms, f"{ENDPOINT}{session}/file", **{"content-length": "10"}) == 403


def test_files_pass_until_the_room_is_full(rooms: UploadRooms) -> None:
    path = f"/base{ENDPOINT}here/file"
    length = {"content-length": str(ROOM // 2)}
    assert [asked(rooms, path, **length) for _ in range(3)] == [204, 204, 413]
    rooms.open("here", ROOM)
    assert asked(rooms, path, **length) == 204
    assert asked(rooms, path, **{"content-length": str(ROOM + FRAMING + 1)}) == 413


@pytest.mark.parametrize("length", ["", "-1", "1e3", "many"])
def test_a_file_states_its_length(length: str, rooms: UploadRooms) -> None:
    assert asked(rooms, f"{ENDPOINT}here/file", **({"content-length": length} if length else {})) == 411


def test_a_length_is_not_believed_of_what_is_sent_in_chunks(rooms: UploadRooms) -> None:
    sent = {"content-length": "10", "transfer-encoding": "chunked"}
    assert asked(rooms, f"{ENDPOINT}here/file", **sent) == 411


def test_what_is_no_upload_passes(rooms: UploadRooms) -> None:
    assert asked(rooms, f"{ENDPOINT}elsewhere/file", method="DELETE") == 204
    assert asked(rooms, "/pareto", method="PUT") == 204
