"""A real server, called by hand: who is offered no place to drop files can neither send any nor import."""

from __future__ import annotations

import http.client
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from tests.pages.test_by_hand import ByHand, served

pytestmark = pytest.mark.long

NOT_HERE = "This session may not add results here."


def put(server: str, session: str, length: int) -> tuple[int, str]:
    """The answer to the beginning of an upload that states this length."""
    connection = http.client.HTTPConnection(urlsplit(server).netloc, timeout=10)
    try:
        connection.putrequest("PUT", f"/_stcore/upload_file/{session}/a-file")
        connection.putheader("Content-Length", str(length))
        connection.putheader("Content-Type", "multipart/form-data; boundary=x")
        connection.endheaders()
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    finally:
        connection.close()


def test_in_read_only_mode_no_file_is_taken_and_no_import_begins(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KNEEPOINT_ACCESS", "off")
    library = tmp_path / "library"
    with served(library, "127.0.0.1") as server:
        reader = ByHand(server)
        page = reader.opened("data")
        assert "This server is read-only" in page
        assert "file_uploader" not in page
        for button in ("adding.import", "adding.drop.0", "adding.discard"):
            assert '"key": "adding' not in reader.pressed(button)
        assert put(server, "any-session", 100) == (403, NOT_HERE)
    assert not library.exists()
