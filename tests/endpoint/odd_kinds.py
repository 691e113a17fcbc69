"""Endpoints that were met, by how they count tokens, for whoever tests against one."""

from __future__ import annotations

from tests.endpoint.odd import Odd

FOUR_A_CHUNK_UNCOUNTED = Odd(tokens_per_chunk=4, usage="none")
COUNTS_WHAT_IS_NOT_STREAMED = Odd(usage="whole", prompt_factor=4.75, prompt_more=12)
"""Words have 4.75 tokens here, so that 64 asked for are 316; a stream does not tell."""
IGNORES_MAX_TOKENS = Odd(length=40, finish="stop")
