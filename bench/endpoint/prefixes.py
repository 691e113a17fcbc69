"""The prefix cache: how much of a prompt was read before, at the start of an earlier one."""

from __future__ import annotations

BLOCK = 64
"""Characters; about the 16 tokens of an engine's block."""

MOST_BLOCKS = 65_536


class Prefixes:
    """The blocks of earlier prompts, the ones longest unused dropped first."""

    def __init__(self) -> None:
        self._known: dict[int, None] = {}

    def known_share(self, prompt: str) -> float:
        """The share of a prompt, in whole blocks from its start, that is known; all of it is known afterwards."""
        chain, same, hit = 0, 0, True
        for start in range(0, len(prompt) - BLOCK + 1, BLOCK):
            chain = hash((chain, prompt[start : start + BLOCK]))
            hit = hit and chain in self._known
            same += hit
            self._known.pop(chain, None)
            self._known[chain] = None
        while len(self._known) > MOST_BLOCKS:
            del self._known[next(iter(self._known))]
        return same * BLOCK / len(prompt) if prompt else 0.0
