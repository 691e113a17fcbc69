"""The findings that somebody has looked at and leaves as they are, each with the reason: a ledger beside the others."""

from __future__ import annotations

from bench.errors import BenchError
from bench.library import Library, ledger
from bench.library.store import Root
from bench.names import DATA

NAME = "accepted"


def accepted(library: Library) -> dict[str, str]:
    """The reason by key of every accepted finding: of the shipped library, then of one's own; the later word counts."""
    paths = (DATA / f"{NAME}.jsonl", Root(library.path, writable=True).ledger(NAME))
    entries = (entry for path in paths for entry in ledger.lines(path) if "id" in entry)
    return {str(entry["id"]): str(entry.get("reason", "")) for entry in entries}


def accept(library: Library, key: str, reason: str, *, who: str | None = None) -> None:
    """Nothing; the finding of this key is known from now on, for this reason."""
    root, name = Root(library.path, writable=True), who or ledger.person()
    said = ledger.said(reason, "Say why the finding is accepted.")
    try:
        ledger.write(root, NAME, {"at": ledger.now(), "who": name, "id": key, "reason": said})
        ledger.audit(root, name, "accept", id=key, reason=said)
    except OSError as problem:
        raise BenchError(
            f"The library {root.path} cannot be written: {problem.strerror or problem}."
        ) from problem
