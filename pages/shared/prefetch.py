"""What a page will show first, worked out while its reader's browser still loads the page's scripts.

A browser asks for the document about half a second before it can open a session. One thread of the process uses that
time; the session then finds the answer kept. Where readers come faster than it works, their own runs do the work.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import BoundedSemaphore, Event
from urllib.parse import parse_qsl

from bench.questions import questions
from pages.shared import address, cached

MOST_WAITING = 4

_THREAD = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ahead")
_PLACES = BoundedSemaphore(MOST_WAITING)
BEGUN = Event()
"""Whether a reader has asked for a page of this process."""


def begin(name: str, query: str) -> bool:
    """Starts on the answer and the chart of a question's page; whether there was anything to do and a place for it."""
    if name not in questions() or not _PLACES.acquire(blocking=False):
        return False
    BEGUN.set()
    _THREAD.submit(_work_out, name, query).add_done_callback(lambda _: _PLACES.release())
    return True


def _work_out(name: str, query: str) -> None:
    """Keep what the page's first run asks for; what goes wrong here is told by that run.

    Which theme the browser shows is not known yet: a dark page draws its chart itself, of the answer that is kept.
    """
    library = cached.current()
    view = address.first(name, parse_qsl(query), library)
    cached.figure(name, view, "light")
    cached.varied(name, view)
