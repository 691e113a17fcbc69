"""How many tokens went in and came out, as the server counts them, and which chunk brought how many."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

LONGEST_TOKENS = 32
"""No text has tokens of so many characters on average: usage that says so, or 0 for any text, is no count."""


@dataclass(frozen=True, slots=True)
class Usage:
    """A server's count: `hidden` are tokens of reasoning in `output`, whether or not they are shown."""

    input: int | None = None
    output: int | None = None
    hidden: int = 0

    def updated(self, later: Usage) -> Usage:
        """The later count, with what only this one knows."""
        return Usage(
            later.input if later.input is not None else self.input,
            later.output if later.output is not None else self.output,
            later.hidden or self.hidden,
        )

    def of_text(self, characters: int) -> Usage:
        """The count of a text of so many characters, without an output that it cannot have."""
        is_none = self.output is not None and self.output * LONGEST_TOKENS < characters
        return replace(self, output=None) if is_none else self

    def shared_out(
        self,
        lengths: Sequence[int],
        counts: Mapping[int, int],
        finish: str | None,
        thought: bool = True,
        promised: int | None = None,
    ) -> array[int]:
        """How many tokens each chunk with text brought.

        `lengths` are the chunks' texts in characters, `counts` what the server said of single chunks by their
        position. Where it said so of all, that holds; with a total alone, its own or the one `promised` by how the
        answer ended, it is shared out by length of text, as speculative decoding and engines that flush several steps
        at once send more than one token per chunk; with none each chunk is one token. A stop token is counted and has
        no text: it is no chunk's.
        """
        chunks = len(lengths)
        if len(counts) == chunks:
            return array("i", [counts[position] for position in range(chunks)])
        total = self.output
        if total is None:
            total = promised
        elif not thought:
            total -= self.hidden
        if not chunks or total is None or total in (chunks, 0) or (total == chunks + 1 and finish == "stop"):
            return array("i", [1]) * chunks
        text = sum(lengths)
        shares = array("i")
        passed = given = 0
        for length in lengths:
            passed += length
            due = (2 * total * passed + text) // (2 * text)
            shares.append(due - given)
            given = due
        return shares


def usage_of(stated: Any) -> Usage | None:
    """The count that a `usage` object states; None when it states none. No prompt has 0 tokens: that is no count."""
    if not isinstance(stated, dict):
        return None
    details = stated.get("completion_tokens_details")
    hidden = _count(details.get("reasoning_tokens")) if isinstance(details, dict) else None
    usage = Usage(_count(stated.get("prompt_tokens")) or None, _count(stated.get("completion_tokens")), hidden or 0)
    return None if usage.input is None and usage.output is None else usage


def _count(value: Any) -> int | None:
    fits = isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31
    return value if fits else None
