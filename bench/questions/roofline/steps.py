"""Where the time of a decode step went, as profilers saw it: data/step_times.csv, beside what it takes at least."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import groupby

from bench import names
from bench.basis import roofline
from bench.basis.roofline import Deployed, ServedLoad
from bench.library import Library
from bench.questions.roofline.result import Rig, StepBreakdown, StepPart

WHOLE = "step"
"""The part that is all of a step."""

OF_A_STEP = ("model", "precision", "kv_precision", "accelerator", "accelerators", "tp", "batch", "context_tokens")


def breakdowns(library: Library, rigs: Collection[Rig]) -> Iterator[StepBreakdown]:
    """The steps that a profiler saw on these rigs."""
    for step, rows in groupby(names.table("step_times.csv"), key=lambda row: tuple(row[key] for key in OF_A_STEP)):
        model, precision, kv_precision, accelerator, chips, tp, batch, context = step
        rig, listed = Rig(model, precision, accelerator, int(chips)), list(rows)
        if rig not in rigs:
            continue
        parts = {row["part"]: StepPart(row["part"], float(row["ms"]), row["within"]) for row in listed}
        whole = parts.pop(WHOLE)
        deployed = Deployed(model, precision, kv_precision, accelerator, int(chips), int(tp))
        held = float(context) if context else None
        served = roofline.served_model(library, deployed)
        load = ServedLoad(float(batch), None, None, held, 1.0, whole.ms)
        use = (
            None
            if served is None
            else roofline.use(served, load._replace(rate=1000 * float(batch) / whole.ms), "decode")
        )
        memory = None if use is None or use.bandwidth is None else use.bandwidth * whole.ms
        yield StepBreakdown(
            rig,
            int(batch),
            int(context) if context else None,
            whole.ms,
            tuple(parts.values()),
            memory,
            listed[0]["profiler"],
            listed[0]["source"],
        )
