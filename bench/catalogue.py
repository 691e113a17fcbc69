"""The vocabulary: every metric with its label, unit, direction, definition, formula and source.

A metric is one row of METRICS. Pages, SQL, command line, imports and exports take everything they say about a
metric from here. Keys are `<metric>_<unit>[_<statistic>]`; the statistics of a distribution (mean, p50, p99, any
`p<number>`) are generated from its one row.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Literal

from bench.errors import UnknownName

Direction = Literal["higher", "lower", "neutral"]
Kind = Literal[
    "throughput",
    "per_accelerator",
    "per_user",
    "latency",
    "energy",
    "cost",
    "share",
    "count",
    "engine_rate",
    "submission",
    "other",
]
"""What a metric is a measure of, which decides where it is offered: `throughput` is of the whole deployment,
`engine_rate` of an engine's own loop, `submission` by MLPerf's rules."""

COMMON_STATISTICS = ("mean", "p50", "p90", "p95", "p99")
PERCENTILE = re.compile(r"p(\d{1,2})(?:_(\d{1,3}))?")
NAMED_STATISTICS = {"mean": "mean", "std": "standard deviation", "min": "smallest", "max": "largest", "p50": "median"}


@dataclass(frozen=True)
class Metric:
    """One metric as the reader meets it.

    `base` is the key without its statistic and `statistic` is None for a metric that has none.
    `sql` is a DuckDB expression over stored columns for a metric that can be derived, else None; a stored value
    always wins over the derived one. `{s}` in it stands for the suffix of the statistic that it follows from: such an
    expression turns its input over, so the smallest follows from the largest and the standard deviation from none.
    `distribution` says that the base row exists only with a statistic.
    """

    key: str
    kind: Kind
    label: str
    unit: str
    direction: Direction
    definition: str
    formula: str
    source: str
    base: str = ""
    statistic: str | None = None
    sql: str | None = None
    distribution: bool = False
    decimals: int | None = None

    @property
    def axis(self) -> str:
        """The axis title: the label with its unit."""
        return f"{self.label} ({self.unit})" if self.unit else self.label

    @property
    def better(self) -> Literal["higher", "lower"]:
        """Which values a best one is chosen by; of a neutral metric the high ones."""
        return "lower" if self.direction == "lower" else "higher"

    @property
    def inputs(self) -> tuple[str, ...]:
        """The columns the derived expression reads; empty for a metric that is only stored."""
        if self.sql is None:
            return ()
        return tuple(dict.fromkeys(re.findall(r"\b[a-z][a-z0-9_]*\b(?!\s*\()", self.sql)))


TURNED_OVER = {"min": "max", "max": "min", "std": None}
"""The statistic of its input that a derived one follows from, where it is not its own; 1000 / a deviation is none."""

DESIGN = "Kneepoint's definition"
VLLM = "as vLLM bench serve computes it from the same timestamps"
MLPERF = "MLCommons inference rules, result tables"


def _figure(
    key: str,
    kind: Kind,
    label: str,
    unit: str,
    direction: Direction,
    definition: str,
    formula: str,
    source: str = DESIGN,
    sql: str | None = None,
    distribution: bool = False,
) -> Metric:
    return Metric(
        key, kind, label, unit, direction, definition, formula, source, base=key, sql=sql, distribution=distribution
    )


_distribution = partial(_figure, distribution=True)


# fmt: off
METRICS: tuple[Metric, ...] = (
    _figure("output_tokens_per_s", "throughput", "Output throughput", "tokens/s", "higher",
            "Generated tokens of the whole deployment per second of the measurement window.",
            "output tokens / window", VLLM),
    _figure("output_tokens_per_s_active", "throughput", "Output throughput, first to last request",
            "tokens/s", "higher",
            "Generated tokens per second between the first request's start and the last one's end, whatever the "
            "length of the experiment.", "output tokens / (last end - first start)", "IBM LLM-Pilot, recomputed"),
    _figure("peak_output_tokens_per_s", "throughput", "Peak output throughput", "tokens/s", "higher",
            "Generated tokens in the busiest second of the window; no sustained throughput.",
            "largest count of output tokens in one second", VLLM),
    _figure("input_tokens_per_s", "throughput", "Input throughput", "tokens/s", "higher",
            "Prompt tokens taken in by the whole deployment per second of the measurement window.",
            "input tokens / window", VLLM),
    _figure("total_tokens_per_s", "throughput", "Total throughput", "tokens/s", "higher",
            "Prompt and generated tokens of the whole deployment per second; nine times the output figure at 8k/1k.",
            "(input tokens + output tokens) / window", VLLM),
    _figure("requests_per_s", "throughput", "Request throughput", "requests/s", "higher",
            "Completed requests per second of the measurement window; our own sweeps count one by its share inside.",
            "completed requests / window", VLLM),
    _figure("goodput_requests_per_s", "throughput", "Goodput", "requests/s", "higher",
            "Completed requests per second that met every latency objective stated with the point.",
            "requests within the objectives / window", "DistServe, OSDI 2024, section 2"),
    _figure("output_tokens_per_s_per_accelerator", "per_accelerator", "Output throughput per accelerator",
            "tokens/s/accelerator",
            "higher", "Output throughput divided by all physical chips of the deployment, whatever their role.",
            "output tokens per second / accelerators", sql="output_tokens_per_s / accelerators"),
    _figure("input_tokens_per_s_per_accelerator", "per_accelerator", "Input throughput per accelerator",
            "tokens/s/accelerator",
            "higher", "Input throughput divided by all physical chips of the deployment, whatever their role.",
            "input tokens per second / accelerators", sql="input_tokens_per_s / accelerators"),
    _figure("total_tokens_per_s_per_accelerator", "per_accelerator", "Total throughput per accelerator",
            "tokens/s/accelerator",
            "higher", "Total throughput divided by all physical chips of the deployment, whatever their role.",
            "total tokens per second / accelerators", sql="total_tokens_per_s / accelerators"),
    _figure("output_tokens_per_s_per_decode_accelerator", "per_accelerator", "Output throughput per decode accelerator",
            "tokens/s/accelerator", "higher",
            "Output throughput of a disaggregated deployment divided by the chips that decode.",
            "output tokens per second / decode accelerators",
            "InferenceX process_result.py: output / decode GPUs",
            sql="output_tokens_per_s / decode_accelerators"),
    _figure("input_tokens_per_s_per_prefill_accelerator", "per_accelerator", "Input throughput per prefill accelerator",
            "tokens/s/accelerator", "higher",
            "Input throughput of a disaggregated deployment divided by the chips that prefill.",
            "input tokens per second / prefill accelerators",
            "InferenceX process_result.py: input / prefill GPUs",
            sql="input_tokens_per_s / prefill_accelerators"),
    _distribution("ttft_ms", "latency", "TTFT", "ms", "lower",
            "Time to first token: from the request written on an open connection to the first chunk with non-empty "
            "content or reasoning. A role-only or empty first chunk is not a token.",
            "first token arrival - request sent", "Kneepoint's definition; tools differ on the first chunk"),
    _distribution("tpot_ms", "latency", "TPOT", "ms", "lower",
            "Time per output token after the first chunk, one value per request. Where the first chunk carries one "
            "token, as with most engines, that is every token but one.",
            "(e2el - ttft) / (output tokens - tokens of the first chunk)", VLLM),
    _distribution("itl_ms", "latency", "ITL", "ms", "lower",
            "Inter-token latency: the gaps between chunks that carry tokens, pooled over requests. Where one chunk "
            "carries several tokens its percentiles describe packets, not decoding: a sweep of Kneepoint states none.",
            "chunk arrival - previous chunk arrival", VLLM),
    _distribution("ntpot_ms", "latency", "Normalised TPOT", "ms", "lower",
            "End-to-end latency spread over the output tokens, so the wait for the first token is inside.",
            "e2el / output tokens", "inference-perf; GuideLLM prints it under the label TPOT"),
    _distribution("e2el_ms", "latency", "E2EL", "ms", "lower",
            "End-to-end latency: from the request sent to its last token. Little's law needs the mean. Where only the "
            "median is stated and the law does not hold with it, a point is warned about and ranks as long as a mean "
            "of 0.88 to 1.6 times the median explains it (0.886 to 1.554 in points that state both); beyond, it ranks "
            "nowhere.",
            "last token arrival - request sent", VLLM),
    _distribution("interactivity_tokens_per_s_per_user", "per_user", "Interactivity", "tokens/s/user", "higher",
            "Tokens per second one user sees while the answer streams. The p99 is computed from the p99 of TPOT, so "
            "it is the slow tail; the smallest is of the largest TPOT. No standard deviation follows from TPOT's.",
            "1000 / tpot_ms", "InferenceX: 1 / TPOT", sql="1000 / nullif(tpot_ms{s}, 0)"),
    _distribution("first_event_ms", "latency", "First stream event", "ms", "lower",
            "From the request sent to the first event of the stream, whether or not it carries a token.",
            "first event arrival - request sent", "IBM LLM-Pilot: first message"),
    _distribution("first_token_gap_ms", "latency", "First event to first token", "ms", "lower",
            "From the first event of the stream to the next one; with the wait for the first event it makes TTFT.",
            "second event arrival - first event arrival", "IBM LLM-Pilot, SC24: the paper's TTFT"),
    _distribution("decode_step_ms", "latency", "Decode step", "ms", "lower",
            "Time of one decode step of a static batch, as an engine's own loop reports it; no request, queue or "
            "prefill is inside, so it is not TPOT.", "loop time / steps", DESIGN),
    _figure("prefill_tokens_per_s", "engine_rate", "Prefill rate of an engine's loop", "tokens/s", "higher",
            "Prompt tokens a second in an engine's own loop over a static batch; no request or queue is inside, so "
            "it is no serving throughput.", "prompt tokens / time of the loop", "llama-bench: pp tests"),
    _figure("decode_tokens_per_s", "engine_rate", "Decode rate of an engine's loop", "tokens/s", "higher",
            "Generated tokens a second in an engine's own loop over a static batch; no prompt, request or queue is "
            "inside, so it is no serving throughput.", "generated tokens / time of the loop", "llama-bench: tg tests"),
    _figure("prefill_and_decode_tokens_per_s", "engine_rate", "Prefill and decode rate of an engine's loop",
            "tokens/s", "higher",
            "Prompt and generated tokens together, a second of an engine's own loop that does one after the other.",
            "(prompt tokens + generated tokens) / time of the loop", "llama-bench: pg tests"),
    _figure("ttft_cold_ms", "latency", "One-token TTFT, cold", "ms", "lower",
            "First token of a prompt of one or two tokens including compilation or graph capture; no serving TTFT.",
            "first token - start, first run"),
    _figure("ttft_cached_ms", "latency", "One-token TTFT, cached", "ms", "lower",
            "First token of a prompt of one or two tokens with everything compiled; no serving TTFT.",
            "first token - start, later run"),
    _figure("acceptance_length_tokens", "other", "Acceptance length", "tokens", "higher",
            "Tokens that one step of speculative decoding yields on average, the model's own among them.",
            "1 + accepted draft tokens / drafts", VLLM),
    _figure("duration_s", "other", "Measured duration",
            "s", "neutral", "Length of the measurement window.", "end - start"),
    _figure("requests_ok", "count", "Completed requests", "requests", "neutral",
            "Requests after the warm-up that ended well.", "count"),
    _figure("requests_failed", "count", "Failed requests", "requests", "lower",
            "Requests after the warm-up that ended in any failure; latencies are over the others.", "count"),
    _figure("requests_resent", "count", "Requests moved to another connection", "requests", "neutral",
            "Requests that were moved to another connection before a byte of them was written, since the endpoint had "
            "closed the kept one; none is written twice.",
            "count"),
    _figure("failed_share", "share", "Failed share", "", "lower", "Share of the requests that failed.",
            "failed / (completed + failed)",
            sql="requests_failed / nullif(requests_ok + requests_failed, 0)"),
    _figure("input_tokens", "count", "Input tokens", "tokens", "neutral", "Prompt tokens in the window.", "sum"),
    _figure("output_tokens", "count", "Output tokens", "tokens", "neutral", "Generated tokens in the window.", "sum"),
    _figure("power_w_per_accelerator", "other", "Power per accelerator", "W", "lower",
            "Mean electrical power of one accelerator during the window.", "mean of the samples",
            "InferenceX: avg_power_w"),
    _figure("joules_per_output_token", "energy", "Energy per output token", "J/token", "lower",
            "Accelerator energy per generated token; of the decode chips only where the source says so.",
            "power x window / output tokens", "InferenceX: joules_per_output_token"),
    _figure("joules_per_total_token", "energy", "Energy per token", "J/token", "lower",
            "Accelerator energy per prompt or generated token.", "power x window / all tokens",
            "InferenceX: joules_per_total_token"),
    _figure("mlperf_tokens_per_s", "submission", "MLPerf tokens per second", "tokens/s", "higher",
            "MLPerf Inference result of an LLM scenario in tokens per second, under MLPerf's own load and latency "
            "rules.", "as published", MLPERF),
    _figure("mlperf_samples_per_s", "submission", "MLPerf samples per second", "samples/s", "higher",
            "MLPerf Inference result in samples (whole requests) per second.", "as published", MLPERF),
    _figure("mlperf_queries_per_s", "submission", "MLPerf queries per second", "queries/s", "higher",
            "MLPerf Inference server result in queries per second.", "as published", MLPERF),
    _figure("mlperf_latency_ms", "submission", "MLPerf latency", "ms", "lower",
            "MLPerf Inference single-stream latency.", "as published", MLPERF),
    _figure("usd_per_million_output_tokens", "cost", "Cost per million output tokens", "USD", "lower",
            "What a million generated tokens cost at the stated price and utilisation.",
            "usd_per_accelerator_hour x accelerators / (output_tokens_per_s x utilisation x 3600) x 1e6"),
    _figure("usd_per_million_input_tokens", "cost", "Cost per million input tokens", "USD", "lower",
            "What a million prompt tokens cost when the whole price is laid on them.",
            "usd_per_accelerator_hour x accelerators / (input_tokens_per_s x utilisation x 3600) x 1e6"),
    _figure("usd_per_million_total_tokens", "cost", "Cost per million tokens", "USD", "lower",
            "What a million prompt or generated tokens cost at the stated price and utilisation.",
            "usd_per_accelerator_hour x accelerators / (total_tokens_per_s x utilisation x 3600) x 1e6"),
    _figure("output_tokens_per_s_per_usd_hour", "cost", "Output throughput per dollar an hour",
            "tokens/s per USD/h", "higher",
            "Generated tokens per second for each dollar an hour that the whole deployment costs.",
            "output tokens per second / (usd_per_accelerator_hour x accelerators)"),
    _figure("scaling_efficiency", "share", "Scaling efficiency", "", "higher",
            "Throughput gained by more accelerators as a share of what as many times the smallest measured count would "
            "give; above 1 where the smallest count was short of memory.",
            "(T_n / T_base) / (n / n_base)"),
    _figure("ceiling_share", "share", "Share of the ceiling", "", "higher",
            "What a point does in a second as a share of what its hardware would do if memory, compute units and links "
            "worked at their published peaks; above 1 something is not as it is supposed.",
            "rate x max(bytes / bandwidth, operations / peak) + rate x bytes exchanged / link",
            "Williams, Waterman and Patterson, Roofline, CACM 2009"),
    _figure("model_bandwidth_utilisation", "share", "Model-bandwidth utilisation", "", "higher",
            "Bytes of weights and caches that a step has to read as a share of what the memory gives in its time.",
            "(weights read + caches) / (time of a step x bandwidth)",
            "Databricks, LLM Inference Performance Engineering: Best Practices, 2023"),
    _figure("model_flop_utilisation", "share", "Model-FLOP utilisation", "", "higher",
            "Operations that the model takes for what was served as a share of the peak at its weights' precision.",
            "operations of prompts and outputs per second / peak", "PaLM, arXiv 2204.02311, section 4.1"),
)
# fmt: on

PRICED = {
    "usd_per_million_output_tokens": "output_tokens_per_s",
    "usd_per_million_input_tokens": "input_tokens_per_s",
    "usd_per_million_total_tokens": "total_tokens_per_s",
}
"""Cost metrics need a price book, so no expression over a point's own columns gives them: key -> its throughput."""


BASES = {row.key: row for row in METRICS}
"""The rows by their keys, those of distributions without a statistic."""


@cache
def keys() -> tuple[str, ...]:
    """The key of every metric, a distribution's once for each statistic that is common."""
    single = (row.key for row in METRICS if not row.distribution)
    generated = (f"{row.key}_{s}" for row in METRICS if row.distribution for s in COMMON_STATISTICS)
    return (*single, *generated)


def statistics_of(base: str, keys: Iterable[str]) -> tuple[str, ...]:
    """The statistics of a distribution that occur among the keys, mean first, then percentiles upwards."""
    prefix = f"{base}_"
    found = {key.removeprefix(prefix) for key in keys if key.startswith(prefix) and is_metric(key)}
    return tuple(sorted(found, key=_statistic_order))


def is_metric(key: str) -> bool:
    """Whether the catalogue knows this key."""
    return _find(key) is not None


def is_share(key: str) -> bool:
    """Whether a metric is a ratio that people read in percent."""
    found = _find(key)
    return found is not None and found.kind == "share"


def is_part(key: str) -> bool:
    """Whether a metric is the share of a whole, and so lies from 0 to 1; a gain may be more."""
    return is_share(key) and key != "scaling_efficiency"


def metric(key: str) -> Metric:
    """The metric with this key, its statistic's label and expression filled in; UnknownName otherwise."""
    found = _find(key)
    if found is None:
        raise UnknownName("metric", key, keys(), "python -m bench metrics")
    return found


def metrics_of(*kinds: Kind, held: Iterable[str]) -> list[str]:
    """The keys among `held` that are metrics of these kinds and better one way, in the catalogue's order.

    A distribution comes once for each of its statistics, the mean first; a standard deviation is none to compare by.
    """
    keys = frozenset(held)
    listed: list[str] = []
    for row in METRICS:
        if row.kind not in kinds or row.direction == "neutral":
            continue
        if not row.distribution:
            listed += [row.key] if row.key in keys else []
            continue
        listed += [f"{row.key}_{one}" for one in statistics_of(row.key, keys) if one != "std"]
    return listed


def derivable(stored: Iterable[str]) -> dict[str, str]:
    """The DuckDB expression of every derived metric whose inputs are among the stored columns."""
    columns = frozenset(stored)
    expressions: dict[str, str] = {}
    for row in METRICS:
        if row.sql is None:
            continue
        for key in _instances(row, columns):
            sql = metric(key).sql
            if sql is not None and set(metric(key).inputs) <= columns:
                expressions[key] = sql
    return expressions


def _instances(row: Metric, columns: frozenset[str]) -> tuple[str, ...]:
    """The keys a derived row stands for: one for each statistic its input is stored with."""
    if not row.distribution:
        return (row.key,)
    stem = next(name for name in re.findall(r"\b([a-z][a-z0-9_]*)\{s\}", row.sql or ""))
    found = (TURNED_OVER.get(statistic, statistic) for statistic in statistics_of(stem, columns))
    return tuple(f"{row.key}_{statistic}" for statistic in found if statistic is not None)


@cache
def _find(key: str) -> Metric | None:
    row = BASES.get(key)
    if row is not None:
        return None if row.distribution else row
    base, statistic = _split(key)
    row = BASES.get(base)
    if row is None or not row.distribution or statistic is None:
        return None
    words = _statistic_words(statistic)
    return replace(
        row,
        key=key,
        label=f"{row.label}, {words}",
        definition=f"{row.definition} This is the {words}.",
        statistic=statistic,
        sql=_derived(row.sql, statistic),
    )


def _derived(sql: str | None, statistic: str) -> str | None:
    source = TURNED_OVER.get(statistic, statistic)
    return sql.replace("{s}", f"_{source}") if sql and source else None


def _split(key: str) -> tuple[str, str | None]:
    match = re.fullmatch(r"(.+?)_(mean|std|min|max|p\d{1,2}(?:_\d{1,3})?)", key)
    return (match.group(1), match.group(2)) if match else (key, None)


def _statistic_words(statistic: str) -> str:
    if statistic in NAMED_STATISTICS:
        return NAMED_STATISTICS[statistic]
    return statistic.replace("_", ".")


def _statistic_order(statistic: str) -> tuple[int, float]:
    match = PERCENTILE.fullmatch(statistic)
    if match:
        return (1, float(f"{match.group(1)}.{match.group(2) or 0}"))
    return (0, ("mean", "std", "min", "max").index(statistic))
