"""Changes that a page or a program asks for: each asks who may, does it, and leaves a line in the audit.

Everything here returns nothing and raises AccessDenied where the visitor may not, UsageError where something is
missing, and NotFound where there is no such result.
"""

from __future__ import annotations

from collections.abc import Sequence

from bench import access, names
from bench.access import Visitor
from bench.errors import UsageError
from bench.library import Library, facts, ledger

FACTS = ("accelerator", "accelerators", "model", "engine", "engine_version", "precision", "usd_per_accelerator_hour",
         "tp", "pp", "dp", "ep", "nodes", "speculation", "variant", "date", "harness", "evidence", "origin", "title",
         "licence", "url", "attribution")  # fmt: skip
"""The facts a page offers; the command line takes every one."""

TYPED = 8
"""So many characters of a source's id are typed to delete it."""


def retract(library: Library, visitor: Visitor, id: str, reason: str) -> None:
    """Hide a point, a score or a source from every answer until it is brought back."""
    access.demand("retract", visitor)
    library.retract(id, reason, who=ledger.who(visitor))


def restore(library: Library, visitor: Visitor, id: str) -> None:
    """Bring back what was hidden."""
    access.demand("retract", visitor)
    library.restore(id, who=ledger.who(visitor))


def annotate(library: Library, visitor: Visitor, id: str, text: str) -> None:
    """Put a note beside a point, a score or a source."""
    access.demand("annotate", visitor)
    library.annotate(id, text, who=ledger.who(visitor))


def tag(library: Library, visitor: Visitor, id: str, tag: str) -> None:
    """Put a tag on a point, a score or a source."""
    access.demand("annotate", visitor)
    library.tag(id, tag, who=ledger.who(visitor))


def untag(library: Library, visitor: Visitor, id: str, tag: str) -> None:
    """Take a tag off."""
    access.demand("annotate", visitor)
    library.tag(id, tag, remove=True, who=ledger.who(visitor))


def state(library: Library, visitor: Visitor, source_ids: Sequence[str], fact: str, value: str | None) -> None:
    """State a fact that holds for every row of these sources from now on; None brings the files' own word back."""
    access.demand("facts", visitor)
    if not source_ids:
        raise UsageError("Pick the sources that the fact is about; nothing was stated.")
    library.set_facts_of(source_ids, {fact: value}, who=ledger.who(visitor))


def purge(library: Library, visitor: Visitor, source_id: str, reason: str, typed: str) -> None:
    """Delete a source's bytes for good, once the beginning of its id was typed."""
    access.demand("purge", visitor)
    if typed.strip() != confirmation(source_id):
        raise UsageError(f"To delete it, type {confirmation(source_id)}; nothing was deleted.")
    library.purge(source_id, reason, who=ledger.who(visitor))


def confirmation(source_id: str) -> str:
    """What is typed to delete a source."""
    return source_id[:TYPED] if len(source_id) == 64 else source_id


def choices(fact: str) -> list[tuple[str, str]]:
    """The values a fact can have and the words for them; none where it is a number or any text."""
    if fact in names.KINDS:
        return list(names.offered(fact).items())
    return [(value, value) for value in facts.CHOICES.get(fact, ())]
