"""A fake OpenAI-compatible endpoint with set latencies, batching and failures, and a log of when each token was sent.

Tests measure against it, and whoever wants to know how far to trust a client calibrates with it. What is measured on
it is evidence `simulated`, and its info routes say so.
"""

from __future__ import annotations

from bench.endpoint.serving import running
from bench.endpoint.settings import PRESETS, Settings, preset

__all__ = ["PRESETS", "Settings", "preset", "running"]
