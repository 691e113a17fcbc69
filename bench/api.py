"""The HTTP API: what the server answers to programs, as JSON.

Reading asks nothing. Starting, ending and resuming a sweep ask what the pages ask, and that no page of another site
made the reader's browser send it.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from bench import access, export, selection
from bench.access import Visitor
from bench.basis.story import FILLED
from bench.errors import AccessDenied, BenchError, NotFound, UnknownName, UsageError
from bench.export.serving.desk import Busy, ExportDesk
from bench.holdings.tables import counts
from bench.library import Library
from bench.questions import options, questions
from bench.sweep.folder import Folder
from bench.sweep.planning.endpoints import Endpoints
from bench.sweep.planning.plan import Plan, nested
from bench.sweep.session import jobs, launching
from bench.view import FILTER_BY_KEY, View

JsonReply = tuple[int, Any]
"""An HTTP status and the document that goes with it; {"error": a sentence} from 400 on."""


@dataclass(frozen=True)
class SentFile:
    """A document that is a file: its name, its media type, its content, to be read once and closed, and what is damaged
    of the library it was made of."""

    name: str
    mime: str
    content: IO[bytes]
    notice: str = ""


RETRY_AFTER_S = 10
"""What a program is told to wait before it asks again for what came too often, or is in others' hands."""
MOST_BYTES = 262_144
"""A plan is a few thousand bytes."""
PLACE = re.compile(rf"(?<![\w/.:])/(?:{'|'.join(map(re.escape, os.listdir('/')))})(?:/[^\s'\":;,]*)?(?![\w-])")
"""A path of this machine in a sentence; /v1/models of an endpoint is none."""
JSON = "application/json"
NOT_JSON = f"The body has to be JSON: send it with content-type {JSON}."


def health(library: Callable[[], Library]) -> tuple[int, dict[str, Any]]:
    """The HTTP status and what the library holds: its version and its counts, or why it cannot be read."""
    try:
        opened = library()
        opened.refresh()
        return 200, {"status": "ok", "library_version": opened.version, **counts(opened)}
    except (BenchError, OSError) as problem:
        return 503, {"status": "failed", "reason": _without_places(problem)}


def caller(server_address: str | None, client_address: str | None, headers: Mapping[str, str]) -> Visitor:
    """Who sends a request; its token is the bearer's of the Authorization header, never one in an address."""
    known = {name.lower(): value for name, value in headers.items()}
    scheme, _, token = known.get("authorization", "").partition(" ")
    return Visitor(
        server_address=server_address,
        client_address=client_address,
        host=known.get("host"),
        headers=known,
        token=(token.strip() or None) if scheme.lower() == "bearer" else None,
    )


def sweeps(library: Path) -> JsonReply:
    """The status of every sweep, the newest first, as `python -m bench sweeps --json` prints them."""
    return _answered(lambda: (200, jobs.sweeps(library)), library)


def sweep(library: Path, named: str) -> JsonReply:
    """How one sweep is going and every point it has measured, as `python -m bench status ID --json` prints it."""
    return _answered(lambda: (200, jobs.status(Folder.of(library, named))), library)


def exported(
    desk: Callable[[], ExportDesk], named: str, query: str, gone: Callable[[], bool] = lambda: False
) -> JsonReply:
    """The points that a link selects as a SentFile of this format, as `python -m bench export` writes it.

    The filters of any page's link count; what else it holds is of that page's chart. The file is written no further
    once `gone` says that nobody waits for it.
    """

    def written() -> JsonReply:
        kind, view = export.format_named(named), View.from_query(query)
        known = {FILLED, *(option.key for name in questions() for option in options(name))}
        for key, _ in view.options:
            if key not in known:
                raise UnknownName("filter", key, FILTER_BY_KEY)
        selected = View(view.where)
        at = desk()
        at.library.refresh()
        export.demand_few(selection.count(at.library, selected))
        content, notice = at.written(kind, selected, gone), " ".join(at.library.incomplete())
        return 200, SentFile(kind.file_name("kneepoint"), kind.mime, content, notice)

    return _answered(written)


def start(library: Path, visitor: Visitor, body: bytes, own_port: int | None) -> JsonReply:
    """The status of a sweep of the plan in the body, which has started and goes on by itself: 201."""

    def started(stated: Mapping[str, Any]) -> Folder:
        return launching.launch(library, plan_in(stated, library), visitor, own_port=own_port)

    return _demanded(library, visitor, body, started, 201)


def cancel(library: Path, named: str, visitor: Visitor, body: bytes) -> JsonReply:
    """The status of a sweep that was told to end, once it has."""

    def cancelled(stated: Mapping[str, Any]) -> Folder:
        _demand_empty(stated)
        folder = Folder.of(library, named)
        launching.cancel(library, folder.id, visitor)
        return folder

    return _demanded(library, visitor, body, cancelled)


def resume(library: Path, named: str, visitor: Visitor, body: bytes, own_port: int | None) -> JsonReply:
    """The status of a sweep that goes on with what is missing."""

    def resumed(stated: Mapping[str, Any]) -> Folder:
        _demand_empty(stated)
        return launching.resume(library, named, visitor, own_port=own_port)

    return _demanded(library, visitor, body, resumed)


def nothing(method: str, path: str) -> JsonReply:
    """What is said of an address that is none of the API's."""
    return 404, {
        "error": f"There is no {method[:10]} {path[:80]}: there are GET /api/export/FORMAT, GET /api/sweeps, "
        "GET /api/sweeps/ID, POST /api/sweeps, POST /api/sweeps/ID/cancel and POST /api/sweeps/ID/resume."
    }


def plan_in(stated: Mapping[str, Any], library: Path) -> Plan:
    """The plan that tables, or fields with dotted names, state; it names no file and no endpoint but the library's.

    Raises:
        UsageError: it is no plan; the message names the field, its value and what is allowed.
    """
    tables = {key.partition(".")[0] for key in stated if "." in key}
    if both := sorted(tables & stated.keys()):
        raise UsageError(f"{both[0][:80]} is stated as a table and by dotted names: state it once.")
    if tables:
        fields = [key for key in stated if key.count(".") > 2 or not all(key.split("."))]
        if fields:
            raise UsageError(f"{fields[0][:80]!r} is no field of a plan; docs/sweeps.md lists them all.")
        stated = nested(stated)
    return Plan.from_mapping(stated, files=False, endpoints=Endpoints(library))


def _demanded(
    library: Path, visitor: Visitor, body: bytes, do: Callable[[Mapping[str, Any]], Folder], status: int = 200
) -> JsonReply:
    """The status of the sweep that a change gives, once it is known to be this visitor's own wish."""
    fetched = visitor.headers.get("sec-fetch-site", "none")
    if fetched not in ("none", "same-origin") or not access.is_own_page(visitor.headers):
        return 403, {"error": access.FROM_ELSEWHERE}
    if visitor.headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
        return 415, {"error": NOT_JSON}
    if len(body) > MOST_BYTES:
        return 413, {"error": f"The body is longer than {MOST_BYTES:,} bytes; a plan is a few dozen lines."}
    return _answered(lambda: (status, jobs.status(do(_stated(visitor, body)))), library)


def _stated(visitor: Visitor, body: bytes) -> dict[str, Any]:
    """What the body states, for a visitor who may launch; nothing where it is empty."""
    access.demand("launch", visitor)
    try:
        stated = json.loads(body.decode("utf-8"), parse_constant=_no_number) if body.strip() else {}
    except (ValueError, RecursionError):
        raise UsageError("The body is no JSON document.") from None
    if not isinstance(stated, dict):
        raise UsageError("The body has to be one JSON object, such as the tables of a plan.")
    return stated


def _no_number(word: str) -> float:
    raise ValueError(word)


def _demand_empty(stated: Mapping[str, Any]) -> None:
    if stated:
        raise UsageError(
            f"{next(iter(stated))[:80]!r} cannot be stated here: the body is empty or {{}}, the plan stays."
        )


def _answered(do: Callable[[], JsonReply], library: Path | None = None) -> JsonReply:
    try:
        return do()
    except (BenchError, OSError) as problem:
        return _status(problem), {"error": _without_places(problem, library)}


def _without_places(problem: BenchError | OSError, library: Path | None = None) -> str:
    """What went wrong, for a stranger: files are told as the library has them, others of this machine by their name."""
    said = str(problem)
    if isinstance(problem, OSError) and problem.filename:
        said = f"{problem.strerror}: {os.fsdecode(problem.filename)}."
    if library is not None:
        said = said.replace(f"{library}/", "")
    return PLACE.sub(lambda place: _last_name(place[0]), said)


def _last_name(path: str) -> str:
    """The name at the end of a path, and the full stop of a sentence that ends with it."""
    bare = path.rstrip("./")
    return bare.rpartition("/")[2] + ("." if path.endswith(".") else "")


def _status(problem: BenchError | OSError) -> int:
    known: tuple[tuple[type[Exception], int], ...] = (
        (AccessDenied, 403),
        (NotFound, 404),
        (launching.TooMany, 429),
        (Busy, 429),
        (UsageError, 400),
    )
    return next((status for kind, status in known if isinstance(problem, kind)), 503)
