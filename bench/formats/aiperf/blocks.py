"""AIPerf's metric blocks, `{unit, avg, p50, …}` for each tag, as metrics of the catalogue; genai-perf's are the same.

The unit of a block is what its numbers are in, whatever the tag is called. Over the successful requests of the
profiling phase, with n output tokens a request:

    time_to_first_token      ttft_ms   first chunk with content or reasoning - request sent
    inter_token_latency      tpot_ms   (last chunk with content - first one) / (n - 1), one value for each request
    inter_chunk_latency      itl_ms    gaps between chunks with content, pooled over the requests
    request_latency          e2el_ms   last chunk with content - request sent
    *_throughput, goodput              sums / the phase's wall clock, end_time - start_time
    benchmark_duration                 from the first of those requests to the last content of any of them

So AIPerf's ITL is others' TPOT, and its ICL others' ITL.
"""

from __future__ import annotations

from dataclasses import dataclass

from bench.errors import InputError
from bench.formats.reading import WELL, Fields, PointMetrics

TO_MS = {
    "ms": 1.0,
    "milliseconds": 1.0,
    "sec": 1000.0,
    "s": 1000.0,
    "seconds": 1000.0,
    "us": 1e-3,
    "ns": 1e-6,
    "microseconds": 1e-3,
    "nanoseconds": 1e-6,
    "min": 60_000.0,
}
A_SECOND = ("requests/sec", "requests/s", "tokens/sec", "tokens/s")
A_COUNT = ("requests", "tokens", "count")

STATISTICS = {
    "avg": "mean",
    "std": "std",
    "min": "min",
    "max": "max",
    **{f"p{n}": f"p{n}" for n in (1, 5, 10, 25, 50, 75, 90, 95, 99)},
}
LATENCIES = {
    "time_to_first_token": ("ttft_ms", f"as catalogue; opening a connection is not inside, {WELL}"),
    "inter_token_latency": (
        "tpot_ms",
        f"converted: the tool's inter-token latency, (last - first content) / (output tokens - 1) per request, {WELL}",
    ),
    "inter_chunk_latency": (
        "itl_ms",
        f"converted: the tool's inter-chunk latency, the gaps between chunks, pooled {WELL}",
    ),
    "request_latency": ("e2el_ms", f"to the last chunk with content; opening a connection is not inside, {WELL}"),
}
RATES = {
    "output_token_throughput": "output_tokens_per_s",
    "input_token_throughput": "input_tokens_per_s",
    "total_token_throughput": "total_tokens_per_s",
    "request_throughput": "requests_per_s",
    "goodput": "goodput_requests_per_s",
    "request_goodput": "goodput_requests_per_s",
}
TOTALS = {"total_isl": "input_tokens", "total_osl": "output_tokens"}
OF_SUCCESSES = "of the successful requests"
LASTED = "from the first successful request's start to the last content; rates are over the whole phase, a little more"
PHASE = "the whole profiling phase, failed requests included"

LEFT_OUT = tuple(
    (
        "time_to_second_token time_to_first_output_token output_token_throughput_per_user output_token_count "
        "reasoning_token_count total_output_tokens total_reasoning_tokens good_request_count error_isl "
        "total_error_isl min_request_timestamp max_response_timestamp completed_request_count context_overflow_count "
        "request_error_rate e2e_output_token_throughput decode_duration prefill_throughput_per_user tokens_in_flight "
        "credit_to_start_latency effective_latency full_decode_duration full_response_inter_token_latency "
        "full_response_output_token_throughput_per_user thinking_efficiency overall_thinking_efficiency "
        "stream_setup_latency stream_prefill_latency"
    ).split()
)
LEFT_OUT_BEGINNINGS = tuple(
    (
        "http_req_ usage_ total_usage_ effective_ active_ adj_ osl_mismatch image_ video_ audio_ energy_ total_energy "
        "total_gpu power_"
    ).split()
)


COUNTS = (
    "request_count error_request_count completed_request_count input_sequence_length output_sequence_length "
    "benchmark_duration".split()
)
IN_A_BLOCK = ("unit", "count", "sum", "mean", "cv", "se", "ci_low", "ci_high", "t_critical", *STATISTICS)


@dataclass(frozen=True)
class Blocks:
    """The metric blocks of one result, means over so many `trials`.

    `flat`: each statistic has an object of its own, `request_latency_p99`, whose `mean` is the figure; else there is
    one for each tag, as runs and sweeps have them.
    """

    holder: Fields
    trials: int = 1
    flat: bool = False

    def number(self, tag: str, statistic: str = "avg") -> float | None:
        """A statistic as it stands; None where it is absent."""
        return self._of(tag, statistic).number("mean" if self.flat else statistic)

    def unit(self, tag: str, statistic: str = "avg") -> str:
        """The unit of a block; InputError where it states none."""
        block = self._of(tag, statistic)
        unit = block.text("unit")
        if unit is None:
            raise InputError(f"{block.path} in {block.file} has no unit; without one its numbers say nothing.")
        return unit

    def pass_over(self) -> None:
        """Pass over the metrics that have no column here, and the rest of those that have one."""
        for key in sorted(self.holder.keys()):
            if key.startswith((*LATENCIES, *RATES, *TOTALS, *COUNTS)):
                self.holder.fields(key).passed_over(*IN_A_BLOCK)
            elif key.startswith((*LEFT_OUT, *LEFT_OUT_BEGINNINGS)):
                self.holder.passed_over(key)

    def _of(self, tag: str, statistic: str) -> Fields:
        return self.holder.fields(f"{tag}_{statistic}" if self.flat else tag)


def to_ms(unit: str, where: str) -> float:
    """Milliseconds in this unit; InputError where it is none of time."""
    if unit not in TO_MS:
        raise InputError(f"The unit of {where} is {unit[:40]!r}; expected one of {', '.join(TO_MS)}.")
    return TO_MS[unit]


def file_blocks(metrics: PointMetrics, blocks: Blocks, *, failed: float | None = None) -> PointMetrics:
    """The figures of one result; `failed` is how many requests failed where no block says so."""
    suffix = f"; mean over {blocks.trials} trials of each one's figure" if blocks.trials > 1 else ""
    _file_rates(metrics, blocks, suffix)
    for tag, (base, definition) in LATENCIES.items():
        for name, statistic in STATISTICS.items():
            value = blocks.number(tag, name)
            if value is not None:
                unit = blocks.unit(tag, name)
                factor = to_ms(unit, f"{tag} in {blocks.holder.file}")
                metrics.file(f"{base}_{statistic}", value, unit=unit, factor=factor, definition=definition + suffix)
    stated = blocks.number("error_request_count")
    ok, completed = blocks.number("request_count"), blocks.number("completed_request_count")
    if stated is None and completed is not None and ok is not None and completed >= ok:
        stated = completed - ok
    metrics.file_failures(failed if stated is None else stated, ok)
    blocks.pass_over()
    return metrics


def _file_rates(metrics: PointMetrics, blocks: Blocks, suffix: str) -> None:
    duration = blocks.number("benchmark_duration")
    if duration is not None:
        unit = blocks.unit("benchmark_duration")
        factor = to_ms(unit, f"benchmark_duration in {blocks.holder.file}") / 1000
        metrics.file("duration_s", duration, unit=unit, factor=factor, definition=LASTED + suffix)
    for tag, key in RATES.items():
        value = blocks.number(tag)
        if value is not None and key not in metrics:
            unit = _one_of(blocks, tag, A_SECOND)
            metrics.file(key, value, unit=unit, definition=OF_SUCCESSES + suffix, denominator=PHASE)
    for tag, key in TOTALS.items():
        value = blocks.number(tag)
        if value is not None:
            metrics.file(key, value, unit=_one_of(blocks, tag, A_COUNT), definition="sum" + suffix)


def _one_of(blocks: Blocks, tag: str, units: tuple[str, ...]) -> str:
    unit = blocks.unit(tag)
    if unit not in units:
        raise InputError(
            f"The unit of {tag} in {blocks.holder.file} is {unit[:40]!r}; expected one of {', '.join(units)}."
        )
    return unit
