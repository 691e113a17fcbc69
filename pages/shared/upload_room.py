"""How much each session may still upload."""

from __future__ import annotations

import threading
from collections import OrderedDict

FRAMING = 1 << 20
"""What a form adds to a file, as much as Streamlit allows for it."""
REMEMBERED = 1_000


class UploadRooms:
    """How many bytes each session may still send; a session without a page that takes files has no room."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._left: OrderedDict[str, int] = OrderedDict()

    def open(self, session: str, size: int) -> None:
        """Let this session send so many bytes from now on."""
        with self._lock:
            self._left[session] = size
            self._left.move_to_end(session)
            while len(self._left) > REMEMBERED:
                self._left.popitem(last=False)

    def close(self, session: str) -> None:
        """Let this session send nothing any more."""
        with self._lock:
            self._left.pop(session, None)

    def take(self, session: str, size: int) -> int:
        """The status to answer with: 200 when there was room, which is taken now."""
        with self._lock:
            if session not in self._left:
                return 403
            if size > self._left[session] + FRAMING:
                return 413
            self._left[session] -= size
            return 200
