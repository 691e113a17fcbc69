"""What a point becomes once its load has ended: its line in the journal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from bench import names
from bench.formats.journal import PointLine
from bench.records import Deployment, Workload
from bench.sweep.checks.engines import Engine
from bench.sweep.generator.samples import ABSENT, Samples
from bench.sweep.generator.spool import Spooled
from bench.sweep.measured.clock import ClockDrift
from bench.sweep.measured.honesty import ClientLoad, flags
from bench.sweep.measured.rising import rise
from bench.sweep.measured.telemetry import Reading, summary
from bench.sweep.measured.window import Measured, measured
from bench.sweep.planning.plan import Plan
from bench.sweep.planning.shapes import Length, PlannedPoint, Shape
from bench.sweep.wire.exchange import Limits, PointRun

SYNTHETIC = "random"
"""The name benchmarks give to prompts made up of words without sense."""


@dataclass(frozen=True)
class Ran:
    """The load of one point, once it is over."""

    point: PlannedPoint
    limits: Limits
    found: Spooled
    runs: Sequence[PointRun]
    drift: ClockDrift
    readings: Sequence[Reading]
    started: str

    @property
    def start_ns(self) -> int:
        """When the load began."""
        return min(run.start_ns for run in self.runs)

    @property
    def seconds(self) -> float:
        """How long it took."""
        return (max(run.end_ns for run in self.runs) - self.start_ns) / 1e9


def line_of(ran: Ran, plan: Plan, number: int, samples: str) -> PointLine:
    """The point's line: its metrics, what failed, what is wrong with it."""
    point, found = ran.point, ran.found
    seen = found.samples
    objectives = {key: value for key, value in plan.slo.model_dump().items() if value is not None}
    result = measured(seen, point.load, ran.limits, ran.start_ns, objectives=objectives)
    window = result.window
    told = summary(ran.readings, window.start_ns, window.end_ns)
    client = ClientLoad.of(ran.runs)
    raised = flags(
        result,
        point.load,
        client,
        rise=rise(seen, window) if point.load.load_kind == "open" else None,
        drift=ran.drift,
        prefix_share=told.prefix_share if told is not None else None,
        shared_prefix_share=point.shape.shared_prefix_share,
    )
    own = {"lag_ms_p99": client.lag_ms_p99, "lag_ms_max": client.lag_ms_max, "cpu_share": client.cpu_share,
           "send_delay_ms_p99": result.send_delay_ms_p99}  # fmt: skip
    return PointLine(
        number=number,
        key=point.key,
        load=point.load,
        workload=workload(point.shape, result),
        metrics=result.metrics,
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
        requests_failed=sum(result.failures.values()),
        failures={str(kind): many for kind, many in result.failures.items()},
        cancelled=result.cancelled,
        timed=result.timed,
        tokens_asked=_tokens_asked(seen),
        requests_sent=len(found),
        token_source=_token_source(result),
        workers=len(ran.runs),
        flags=raised,
        telemetry=told.told if told is not None else {},
        client={key: value for key, value in own.items() if value is not None},
        samples=samples,
    )


def workload(shape: Shape, result: Measured) -> Workload:
    """What was asked, in tokens; a distribution goes by its mean, and is told in the data set's name."""
    drawn = [f"{name} {length}" for name, length in (("isl", shape.isl), ("osl", shape.osl))
             if length is not None and length.distribution != "fixed"]  # fmt: skip
    file = shape.trace or shape.prompts
    dataset = Path(file).stem if file else " ".join([SYNTHETIC, *drawn])
    return Workload(
        isl_requested=_requested(shape.isl),
        isl_actual=result.isl_actual,
        osl_requested=_requested(shape.osl),
        osl_actual=result.osl_actual,
        dataset=dataset,
        shared_prefix_share=shape.shared_prefix_share or None,
    )


def deployment(plan: Plan, engine: Engine) -> Deployment:
    """What serves: as the facts state it, and where they do not, as the endpoint tells it."""
    own = {row.name for row in fields(Deployment)}
    stated = {key: value for key, value in plan.facts.items() if key in own}
    served = plan.endpoint.model
    told = {"model": names.model_slug(served) or None, "checkpoint": served if "/" in served else None,
            "engine": engine.name}  # fmt: skip
    if stated.get("engine", engine.name) == engine.name:
        told["engine_version"] = engine.version
    return Deployment(**{**told, **stated})  # type: ignore[arg-type]


def _tokens_asked(seen: Samples) -> int:
    """Input and output tokens asked for; of a file's texts, sent as they stand, the input as it was counted."""
    import numpy as np

    isl = np.where(seen.asked_isl == ABSENT, np.maximum(seen.input_tokens, 0), seen.asked_isl)
    return int(isl.sum() + seen.asked_osl.sum())


def _requested(length: Length | None) -> int | None:
    return None if length is None else round(length.mean)


def _token_source(result: Measured) -> str | None:
    if result.counted_by_server is None:
        return None
    if result.counted_by_server in (0.0, 1.0):
        return "usage" if result.counted_by_server else "chunks"
    return "usage and chunks"
