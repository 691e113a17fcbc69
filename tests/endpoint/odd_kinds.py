"""Endpoints that were met: each by what it is called among those who run them, for whoever tests against one."""

from __future__ import annotations

from tests.endpoint.odd import WHOLE, Cut, Failing, Odd

# Failures that come at once
FAILS_AT_FIRST = Odd(failing=(Failing(500, until_s=1.0),))
BREAKS_FOR_GOOD = Odd(failing=(Failing(500, from_s=1.0),))
IS_AWAY_FOR_A_WHILE = Odd(failing=(Failing(503, from_s=0.3, until_s=0.8, retry_after="1"),))
ADMITS_FOUR = Odd(admits=4)
ADMITS_FOUR_AND_SAYS_WHEN = Odd(admits=4, turns_away=Failing(429, retry_after="1"))
ADMITS_FOUR_503 = Odd(admits=4, turns_away=Failing(503))

# Answers that end early
ENDS_UNFINISHED = Odd(usage="none", cut=Cut(after=1))
"""As llama-cpp-python drops an older stream for a newer one: [DONE], no finish_reason, no end of the body."""
CUTS_MOST = Odd(cut=Cut(after=3, of=(5, 7), terminates=True))
BREAKS_OFF = Odd(cut=Cut(after=3, done=False))

# Long answers, for open loops: 5.2 s for 256 tokens, 20.56 s for 1,024
LONG_ANSWERS = Odd(ttft_ms=100, itl_ms=20)

# Bursts
ONE_WRITE = Odd(hold_bytes=WHOLE)
EIGHT_EVENTS_A_WRITE = Odd(events_per_write=8)

# How tokens are counted
FOUR_A_CHUNK = Odd(tokens_per_chunk=4)
EIGHT_A_CHUNK = Odd(tokens_per_chunk=8)
FOUR_A_CHUNK_COUNTED_IN_EACH = Odd(tokens_per_chunk=4, usage="every")
FOUR_A_CHUNK_UNCOUNTED = Odd(tokens_per_chunk=4, usage="none")
COUNTS_WHAT_IS_NOT_STREAMED = Odd(usage="whole", prompt_factor=4.75, prompt_more=12)
"""Words have 4.75 tokens here, so that 64 asked for are 316; a stream does not tell."""
IGNORES_MAX_TOKENS = Odd(length=40, finish="stop")

# Who says what it is
MOCK = Odd(models={"owned_by": "guidellm-mock"})
LITELLM = Odd(
    headers={"server": "uvicorn", "x-litellm-version": "1.106.0"},
    key="sk-odd",
    keyless_status=500,
    models={"owned_by": "openai", "max_input_tokens": 4096, "max_output_tokens": 1024},
)
NGINX = Odd(headers={"server": "nginx/1.27.4"})
NGINX_LIMITER = Odd(headers={"server": "nginx/1.27.4"}, rate_per_s=5, burst=3)
ENVOY = Odd(headers={"server": "envoy", "x-envoy-upstream-service-time": "3"})
