"""What a point becomes once its load has ended: its line in the journal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bench.formats.journal import FAILED, PointLine
from bench.records import Flag, Workload
from bench.sweep.generator.samples import Spooled
from bench.sweep.generator.spool import ABSENT, CANCELLED, OK
from bench.sweep.measured.clock import ClockDrift
from bench.sweep.measured.honesty import ClientLoad, flags
from bench.sweep.measured.lateness import lateness, moved
from bench.sweep.measured.saturation import Rise, grows, rise
from bench.sweep.measured.telemetry import EngineReading, summary
from bench.sweep.measured.window import MeasuredPoint, measured, started_well
from bench.sweep.planning.plan import Plan
from bench.sweep.planning.searches import CLIMBS
from bench.sweep.planning.shapes import Length, PlannedPoint, Shape
from bench.sweep.wire.exchange import Limits, PointRun

MOSTLY = 0.8
"""Of the failures, from which share on they are one base URL's."""
WHOLE_ENOUGH, MANY = 0.5, 0.05
"""A window below this share of the time asked for is the best moment of an outage, where so large a share failed."""
SYNTHETIC = "random"
"""The name benchmarks give to prompts made up of words without sense."""


@dataclass(frozen=True)
class FinishedLoad:
    """The load of one point, once it is over.

    `reasons` are the failures in words; `given_up` says that they ended the point before its time. `bases` is where
    several base URLs are, which requests go round by their numbers. `usage_is_constant`: the endpoint's usage states
    the same input for every text, which is none. `together_alone` is the share of chunks that came with the one before
    in a request that was alone. `counts_isl` says whether the endpoint or a
    tokenizer has counted what is sent, and `holds_osl` whether the endpoint took a field that holds answers to their
    length.
    """

    point: PlannedPoint
    limits: Limits
    spooled: Spooled
    runs: Sequence[PointRun]
    drift: ClockDrift
    readings: Sequence[EngineReading]
    started: str
    reasons: str = ""
    given_up: bool = False
    bases: Sequence[str] = ()
    usage_is_constant: bool = False
    together_alone: float | None = None
    counts_isl: bool = True
    holds_osl: bool = False

    @property
    def start_ns(self) -> int:
        """When the load began."""
        return min(run.start_ns for run in self.runs)

    @property
    def seconds(self) -> float:
        """How long it took."""
        return (max(run.end_ns for run in self.runs) - self.start_ns) / 1e9


def line_of(ran: FinishedLoad, plan: Plan, number: int, samples: str) -> PointLine:
    """The point's line: its metrics, what failed, what is wrong with it."""
    point, seen = ran.point, ran.spooled.samples
    if seen.states_one_output(one_input=ran.usage_is_constant):
        seen = seen.without_outputs()
    if ran.usage_is_constant:
        seen = seen.without_inputs()
    # Of a file's texts, sent as they stand, the input as it was counted.
    asked_isl = np.where(seen.asked_isl == ABSENT, np.maximum(seen.input_tokens, 0), seen.asked_isl)
    objectives = {key: value for key, value in plan.slo.model_dump().items() if value is not None}
    result = measured(seen, point.load, ran.limits, ran.start_ns, objectives=objectives)
    risen = rise(seen, result.window) if point.load.load_kind == "open" else None
    if risen is not None and result.window.steady and (why := grows(risen, point.load.arrivals)):
        result = replace(result, window=replace(result.window, why=why))
    window = result.window
    telemetry = summary(ran.readings, window.start_ns, window.end_ns)
    client = ClientLoad.of(ran.runs)
    raised = _raised(ran, result, client, risen, telemetry.get("prefix_share"))
    error = _without_figure(ran, result, plan)
    # A level that a climb's own rule of failures ends is its answer, and nothing to measure again.
    ends_climb = plan.search in CLIMBS and plan.stop is not None and plan.stop.error_rate is not None
    failed = error is not None and not (result.timed and not ran.given_up and ends_climb)
    counts = {key: result.metrics[key] for key in ("requests_ok", "requests_failed") if key in result.metrics}
    return PointLine(
        number=number,
        key=point.key,
        load=point.load,
        workload=workload(point.shape, result, ran.counts_isl),
        metrics={**(result.metrics if error is None else counts), "requests_resent": client.resent},
        repeat=point.repeat,
        isl=str(point.shape.isl) if point.shape.isl else None,
        osl=str(point.shape.osl) if point.shape.osl else None,
        started=ran.started,
        seconds=ran.seconds,
        why_not_steady=window.why or None,
        window_s=window.duration_s,
        window_start_s=(window.start_ns - ran.start_ns) / 1e9,
        whole=result.whole,
        requests_ok=round(result.metrics.get("requests_ok", 0)),
        requests_failed=sum(result.failures.values()) - result.in_warmup,
        warmup_ok=result.warmup_ok,
        warmup_failed=result.in_warmup,
        state=FAILED if failed else "measured",
        error=error if failed else None,
        refused=client.refused,
        rested_s=client.rested_s or None,
        failures={str(kind): many for kind, many in result.failures.items()},
        cancelled=result.cancelled,
        timed=result.timed,
        tokens_asked=int(asked_isl.sum() + seen.asked_osl.sum()),
        requests_sent=len(ran.spooled),
        token_source=" and ".join(result.sources) or None,
        workers=len(ran.runs),
        flags=raised,
        telemetry=telemetry,
        client=_client(client, result),
        samples=samples,
    )


def _client(client: ClientLoad, result: MeasuredPoint) -> dict[str, float]:
    """What the load generator knows of its own work, without what it took no sample of."""
    figures = {
        "lag_ms_p99": client.lag_ms_p99,
        "lag_ms_max": client.lag_ms_max,
        "cpu_share": client.cpu_share,
        "waited_share": client.waited_share,
        "send_delay_ms_p99": result.send_delay_ms_p99,
    }
    return {key: value for key, value in figures.items() if value is not None}


def _raised(
    ran: FinishedLoad, result: MeasuredPoint, client: ClientLoad, risen: Rise | None, prefix_share: float | None
) -> tuple[Flag, ...]:
    """The point's flags."""
    seen, numbers = ran.spooled.samples, ran.spooled.columns["number"]
    timed = started_well(seen, result.window)
    return flags(
        result,
        ran.point.load,
        client,
        moved=moved(seen, timed, lateness(seen, numbers, ran.runs)),
        rise=risen,
        drift=ran.drift,
        prefix_share=prefix_share,
        together_alone=ran.together_alone,
        shared_prefix_share=ran.point.shape.shared_prefix_share,
        isl_known=ran.counts_isl and ran.point.shape.isl is not None,
        osl_held=ran.holds_osl,
        where_failed=_where_failed(ran),
    )


def _where_failed(ran: FinishedLoad) -> str:
    """Which of several base URLs nearly all failures were at; empty where it is no single one.

    Requests go round the base URLs by their numbers, as `Client.base_of` sends them.
    """
    seen = ran.spooled.samples
    failed = (seen.outcome != OK) & (seen.outcome != CANCELLED)
    if len(ran.bases) < 2 or not failed.any():
        return ""
    at = np.bincount(ran.spooled.columns["number"][failed] % len(ran.bases), minlength=len(ran.bases))
    worst = int(at.argmax())
    return f"{at[worst]:,} of them at {ran.bases[worst]}" if at[worst] >= MOSTLY * at.sum() else ""


def _without_figure(ran: FinishedLoad, result: MeasuredPoint, plan: Plan) -> str | None:
    """Why a point has no figure, in a sentence; None where it has one."""
    if not ran.given_up and result.timed:
        return _mostly_failed(ran, result, plan)
    well = result.timed or result.warmup_ok
    if ran.given_up and well:
        return f"it was given up after {ran.seconds:.0f} s, since no request succeeded any more: {ran.reasons}"
    if ran.reasons and well:
        return f"after the warm-up no request succeeded: {ran.reasons}"
    if ran.reasons:
        return f"no request succeeded: {ran.reasons}"
    return f"no request succeeded in the time that is measured: {result.window.why or 'all were cut off'}"


def _mostly_failed(ran: FinishedLoad, result: MeasuredPoint, plan: Plan) -> str | None:
    """That what was answered is no figure of the endpoint, since failures took most of the point; None where not.

    What the endpoint asked not to be sent (HTTP 429) is a limit of its own, and the point says so.
    """
    ok = round(result.metrics.get("requests_ok", 0))
    refused = result.failures.get("http_429", 0) - result.refused_in_warmup
    failed = sum(result.failures.values()) - result.in_warmup - refused
    if failed > ok:
        return f"{failed:,} of {ok + failed:,} requests failed: {ran.reasons}"
    window, asked, limits = result.window.duration_s, plan.point.duration_s, ran.limits
    sent_all = limits.requests is not None and len(ran.spooled) >= limits.requests + limits.warmup_requests
    if failed >= MANY * (ok + failed) > 0 and asked and not sent_all and window < WHOLE_ENOUGH * asked:
        return f"failures left {window:.2g} s to measure of the {asked:g} s that were asked for: {ran.reasons}"
    return None


def workload(shape: Shape, result: MeasuredPoint, counts_isl: bool = True) -> Workload:
    """What was asked, in tokens; a distribution goes by its mean, and is told in the data set's name.

    Where nobody counts the input, its length is absent and the name says how many words it has.
    """
    isl_known = counts_isl or result.isl_actual is not None
    drawn = [
        f"{name} {length}"
        for name, length in (("isl", shape.isl), ("osl", shape.osl))
        if length is not None and length.distribution != "fixed"
    ]
    file = shape.trace or shape.prompts
    dataset = Path(file).stem if file else " ".join([SYNTHETIC, *drawn])
    if not isl_known and shape.isl is not None:
        dataset = f"{dataset}, {shape.isl} words"
    return Workload(
        isl_requested=_requested(shape.isl) if isl_known else None,
        isl_actual=result.isl_actual,
        osl_requested=_requested(shape.osl),
        osl_actual=result.osl_actual,
        dataset=dataset,
        shared_prefix_share=shape.shared_prefix_share or None,
    )


def _requested(length: Length | None) -> int | None:
    return None if length is None else round(length.mean)
