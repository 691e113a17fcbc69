"""What the engine says of itself beside the load: requests running and waiting, KV cache, preemptions, prefix cache.

/metrics is read once a second in a thread of its own, and only the wanted lines of it are looked at, so that what is
measured hardly notices. Where an endpoint has no metrics there is none of this, and nothing is made up.
"""

from __future__ import annotations

import math
import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from time import monotonic_ns

from bench.sweep.checks.endpoint_probe import EndpointProbe, NotReached
from bench.sweep.wire.exchange import Target

EVERY_S = 1.0
TIMEOUT_S = 5.0

NAMES: dict[str, tuple[str, ...]] = {
    "running": (
        "vllm:num_requests_running",
        "sglang:num_running_reqs",
        "llamacpp:requests_processing",
        "tgi_batch_current_size",
    ),
    "waiting": ("vllm:num_requests_waiting", "sglang:num_queue_reqs", "llamacpp:requests_deferred", "tgi_queue_size"),
    "kv_share": (
        "vllm:kv_cache_usage_perc",
        "vllm:gpu_cache_usage_perc",
        "sglang:token_usage",
        "llamacpp:kv_cache_usage_ratio",
    ),
    "preemptions": ("vllm:num_preemptions_total", "sglang:num_retracted_requests_total"),
    "prefix_queries": (
        "vllm:prefix_cache_queries_total",
        "vllm:gpu_prefix_cache_queries_total",
        "sglang:prompt_tokens_total",
    ),
    "prefix_hits": ("vllm:prefix_cache_hits_total", "vllm:gpu_prefix_cache_hits_total", "sglang:cached_tokens_total"),
    "prefix_share": ("sglang:cache_hit_rate",),
}
"""Each figure by what engines call it, newest name first; vllm:*_perc is a share from 0 to 1 for all its name.

Source: vLLM docs, usage/metrics; SGLang docs, production metrics, and its metrics/collector.py; llama.cpp
tools/server/README.md; TGI docs, metrics."""

SUMMED = frozenset({"running", "waiting", "preemptions", "prefix_queries", "prefix_hits"})
"""Of several replicas of an engine these add up; of the others the mean is taken."""

VALUE = r"(?P<value>[-+]?(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|Inf|NaN))"
LABELS = r'(?:\{(?:[^"\\}\n]|"(?:[^"\\\n]|\\.)*")*\})?'
WANTED = "|".join(re.escape(name) for known in NAMES.values() for name in known)
LINES = re.compile(rf"^(?P<name>{WANTED}){LABELS}[ \t]+{VALUE}(?=[ \t\r\n]|$)", re.MULTILINE)


@dataclass(frozen=True)
class EngineReading:
    """One reading; None is what the engine does not tell. The last four but `prefix_share` count from its start.

    `prefix_queries` and `prefix_hits` are input tokens looked up and found in the prefix cache, `prefix_share` is the
    engine's own hit rate where it tells no more.
    """

    at_ns: int
    running: float | None = None
    waiting: float | None = None
    kv_share: float | None = None
    preemptions: float | None = None
    prefix_queries: float | None = None
    prefix_hits: float | None = None
    prefix_share: float | None = None

    @property
    def empty(self) -> bool:
        """Whether it tells nothing."""
        return all(getattr(self, name) is None for name in NAMES)


def parse(text: str, at_ns: int) -> EngineReading:
    """The figures in Prometheus' text format; several series of one name are replicas of the engine.

    Source: Prometheus docs, "Exposition formats".
    """
    values: dict[str, list[float]] = {}
    for match in LINES.finditer(text):
        value = float(match["value"])
        if math.isfinite(value):
            values.setdefault(match["name"], []).append(value)
    figures: dict[str, float] = {}
    for figure, known in NAMES.items():
        name = next((name for name in known if name in values), None)
        if name is not None:
            figures[figure] = sum(values[name]) if figure in SUMMED else fmean(values[name])
    if "prefix_hits" not in figures:
        figures.pop("prefix_queries", None)
    return EngineReading(at_ns, **figures)


def summary(readings: Sequence[EngineReading], start_ns: int, end_ns: int) -> dict[str, float]:
    """What the readings say about a window, by name; empty when none was taken, and without what the engine keeps.

    What runs, waits and fills the cache is over the readings inside the window; what is counted is the difference
    between the last reading before the window, or the first, and the first after it, or the last.
    """
    if not readings:
        return {}
    inside = [one for one in readings if start_ns <= one.at_ns <= end_ns]
    before = next((one for one in reversed(readings) if one.at_ns <= start_ns), readings[0])
    after = next((one for one in readings if one.at_ns >= end_ns), readings[-1])
    figures: dict[str, float | None] = {"readings": len(inside)}
    for name in ("running", "waiting", "kv_share"):
        values = _known(inside, name)
        figures |= {f"{name}_mean": fmean(values), f"{name}_max": max(values)} if values else {}
    figures["preemptions"] = _grown(before, after, "preemptions")
    own, looked_up = _known(inside, "prefix_share"), _grown(before, after, "prefix_queries")
    figures["prefix_share"] = fmean(own) if own else None
    if (hits := _grown(before, after, "prefix_hits")) is not None:
        figures["prefix_share"] = hits / looked_up if looked_up else None
    return {name: value for name, value in figures.items() if value is not None}


def _known(readings: Sequence[EngineReading], name: str) -> list[float]:
    return [value for one in readings if (value := getattr(one, name)) is not None]


def _grown(before: EngineReading, after: EngineReading, name: str) -> float | None:
    """How much a counter grew; None when it is not told at both ends, or began anew in between."""
    first, last = getattr(before, name), getattr(after, name)
    if first is None or last is None or last < first or before is after:
        return None
    return float(last - first)


class Poller:
    """Reads the metrics of a target's endpoint beside a load until it is closed; `readings` has what came.

    It stops by itself where the first answer holds none of the wanted figures.
    """

    def __init__(self, target: Target, every_s: float = EVERY_S) -> None:
        self.readings: list[EngineReading] = []
        self._target, self._every_s = target, every_s
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="telemetry", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Take no further reading."""
        self._over.set()
        self._thread.join(TIMEOUT_S + 1)

    def _run(self) -> None:
        try:
            sites = [EndpointProbe(base, TIMEOUT_S) for base in self._target.bases]
        except NotReached:
            return
        due = monotonic_ns()
        try:
            while True:
                reading = self._read(sites)
                if reading is not None and not reading.empty:
                    self.readings.append(reading)
                elif not self.readings:
                    return
                due = max(due + round(self._every_s * 1e9), monotonic_ns())
                if self._over.wait((due - monotonic_ns()) / 1e9):
                    return
        finally:
            for site in sites:
                site.close()

    def _read(self, sites: Sequence[EndpointProbe]) -> EngineReading | None:
        """One reading, over all base URLs as over replicas; None when one tells nothing. Its time is the last one's."""
        try:
            replies = [site.get("/metrics") for site in sites]
        except NotReached:
            return None
        if any(reply.status != 200 for reply in replies):
            return None
        return parse("\n".join(reply.body.decode("utf-8", "replace") for reply in replies), monotonic_ns())
