"""What a scaling answer goes on to say: efficiencies, growth beyond linear explained, replicas, and the fitted laws."""

from __future__ import annotations

from collections.abc import Sequence

from bench import catalogue
from bench.maths.scaling import Law
from bench.questions.scaling import memory
from bench.questions.scaling.defaults import Prepared
from bench.questions.scaling.laws import predicts, told
from bench.questions.scaling.measured import Line, Replicas
from bench.questions.scaling.sentences import LISTED, bracket, chips, percent, seen_in, tokens_of
from bench.wording import counted, joined, number

LISTED_BELOW = 8


def findings(this: Prepared, lines: Sequence[Line]) -> list[str]:
    """Beyond the headline: growth beyond linear explained, every efficiency, replicas, and the fitted laws."""
    steps = [line for line in lines if line.judged]
    said = [text for line in steps if line.super_linear for text in _explained(line)]
    if steps:
        parts = [_efficiencies(line) for line in steps]
        said.append(f"Efficiency against the smallest count: {'; '.join(parts[:LISTED_BELOW])}.")
    said += _brackets(lines)
    sure = [line for line in steps if not line.apart]
    for line in [line for line in sure if line.replicas][:LISTED]:
        said += _replicas(this, line, line.replicas[-1])
    return [*said, *(text for line in sure for text in _laws(line))]


def _efficiencies(line: Line) -> str:
    parts = [f"{percent(value)} on {line.places[place].accelerators}" for place, value in line.judged]
    base = "" if line.base.accelerators == 1 else f" (from {line.base.accelerators})"
    return f"{line.label}{base} {joined(parts, at_most=LISTED_BELOW)}"


def _brackets(lines: Sequence[Line]) -> list[str]:
    """Between which measured loads each interpolated count lies, and which of them are too far apart to judge."""
    found = []
    for line in lines:
        places = [place for place in line.places if place.interpolated] if len(line.places) > 1 else []
        if not places:
            continue
        far = [str(place.accelerators) for place in places if not place.is_judged]
        loose = f"; too far apart to judge {joined(far)}" if far and line.judged else ""
        found.append(
            f"{line.label} is interpolated {joined([bracket(place) for place in places], at_most=LISTED_BELOW)}{loose}."
        )
    return found


def _explained(line: Line) -> list[str]:
    """Why some count gives more than its share: what the weights leave for the cache, or that it is not known."""
    position = line.super_linear[0]
    small, wide = line.rooms[line.start], line.rooms[position]
    base, count = line.base.accelerators, line.places[position].accelerators
    lead = (
        f"{line.label}: {count} chips give {number(line.speedup(position))} times the throughput of {chips(base)},"
        f" {percent(line.efficiencies[position] or 0)}"
    )
    flagged = seen_in(line.base.row["flags"])
    if line.facts["disaggregated"]:
        return [f"{lead}; another count is another split of prefill and decode chips, not more of the same."]
    if flagged:
        return [f"{lead}; the figure of {chips(base)} has a flag: {flagged[0]}"]
    if small is None or wide is None or not memory.explains(small, wide, line.speedup(position) or 0):
        if small is None or wide is None:
            return [f"{lead}; what the weights leave of its memory is not known, so neither is why."]
        return [
            f"{lead}; memory does not explain it, the weights take {number(small.weights_gb)} of"
            f" {number(small.memory_gb)} GB on {chips(base)}."
        ]
    room = (
        f"the weights take {number(small.weights_gb)} of {number(small.memory_gb)} GB on {chips(base)} and"
        f" {number(wide.weights_gb)} of {number(wide.memory_gb)} GB on {count}, so the room for KV cache grows"
        f" {number(wide.room_gb / small.room_gb)} times, from {number(small.room_gb)} to {number(wide.room_gb)} GB"
    )
    tokens = ""
    if small.tokens and wide.tokens:
        length = sum(line.facts[key] or 0 for key in ("isl", "osl"))
        whole = line.facts["isl"] and line.facts["osl"]
        requests = (
            f", {number(small.tokens / length, 0)} and {number(wide.tokens / length, 0)} requests of"
            f" {number(length)}"
            if whole
            else ""
        )
        tokens = f" (at most {_rough(small.tokens)} and {_rough(wide.tokens)} tokens{requests})"
    return [f"{lead}: {room}{tokens}."]


def _replicas(this: Prepared, line: Line, row: Replicas) -> list[str]:
    against, unit = row.against, catalogue.metric(this.metric).unit
    each = chips(line.base.accelerators)
    said = (
        f"{line.label}: one instance on {against.accelerators} chips gives {number(against.throughput)} {unit},"
        f" {number(against.throughput_per_accelerator)} per chip; {against.replicas} replicas of {each} are projected"
        f" to give {number(against.replicas_throughput)}, {number(against.replicas_throughput_per_accelerator)} per"
        f" chip, {_times(against.ratio)}"
    )
    if row.each_load is not None and row.total_load is not None:
        said += f", serving {_load(this, row.total_load)} in all instead of {number(row.each_load)}"
    gain = _gain(this, row)
    texts = [f"{said}{f'; the wide one {gain}' if gain else ''}."]
    if row.shared_throughput is not None and row.each_load is not None:
        shared = (
            f"Sharing the same {_load(this, row.each_load)}, those {against.replicas} replicas are projected to give"
            f" {number(row.shared_throughput)} {unit}, {number(row.shared_throughput / against.throughput)} times the"
            " wide instance"
        )
        wide_tpot = line.latency(line.judged[-1][0], line.tpot)
        if row.shared_tpot_ms is not None and wide_tpot is not None:
            shared += f", at a TPOT of {number(row.shared_tpot_ms)} ms against {number(wide_tpot)}"
        texts.append(f"{shared}.")
    return texts


def _times(ratio: float) -> str:
    """Replicas against the wide instance: "4.57 times as much", "a quarter": below 1 the wide one's lead is told."""
    if ratio >= 1:
        return f"{number(ratio)} times as much"
    return f"so the wide instance gives {number(1 / ratio)} times as much"


def _gain(this: Prepared, row: Replicas) -> str:
    """What the wide instance gains in latency, and what it costs more or less than the replicas."""
    against = row.against
    saved = [
        f"{number(abs(value))} ms {'less' if value > 0 else 'more'} {name}"
        for name, value in (("TPOT", against.tpot_saved_ms), ("TTFT", against.ttft_saved_ms))
        if value is not None
    ]
    parts = [f"has {joined(saved)}"] if saved else []
    extra = against.extra_usd_per_million_tokens
    if extra is not None and row.usd_per_million is not None and row.replicas_usd_per_million is not None:
        cost = (
            f"costs {number(row.usd_per_million)} USD per million {tokens_of(this)}, {number(abs(extra))}"
            f" {'more' if extra > 0 else 'less'} than they do"
        )
        if against.extra_usd_per_tpot_ms is not None and extra > 0:
            cost += f", {number(against.extra_usd_per_tpot_ms)} USD for each ms of TPOT"
        parts.append(cost)
    return " and ".join(parts)


def _laws(line: Line) -> list[str]:
    """The laws that fit, with their parameters and how far they are off; that none does where none does."""
    if line.amdahl is None and line.usl is None:
        return []
    said = []
    if line.amdahl is not None and told(line.amdahl):
        said.append(
            f"Amdahl's law fits with a serial share of {percent(line.amdahl.contention)} ({_fit(line.amdahl)})"
        )
    if line.usl is not None and told(line.usl) and (not said or line.usl.coherency > 0):
        said.append(
            f"the Universal Scalability Law fits with contention {percent(line.usl.contention)}"
            f" {_contention(line.usl)} and coherency {number(line.usl.coherency)}, what each pair of chips costs in"
            f" keeping in step ({_fit(line.usl)}){_peak(line.usl)}"
        )
    if said:
        return [f"{line.label}: {'; '.join(said)}."]
    off = [
        f"{name} is {percent(law.error)} off"
        for name, law in (("Amdahl's", line.amdahl), ("the Universal Scalability Law", line.usl))
        if law is not None
    ]
    return [f"{line.label} follows no scaling law: {joined(off)}, so no peak is predicted."]


def _contention(law: Law) -> str:
    if law.super_linear:
        return "(below 0: at first throughput grows faster than the chips, as where memory is short)"
    return "(the share of the work that queues)"


def _peak(law: Law) -> str:
    """Where the law's throughput is highest: measured, or predicted and called so."""
    peak = law.peak
    if peak is None:
        return ""
    if peak.measured and peak.observed:
        return f", its peak at {number(peak.count)} chips inside the measured counts"
    if not predicts(law):
        return ""
    told = f" and predicts a peak near {number(peak.count)} chips, beyond the measured {number(law.largest)}"
    if peak.high is not None:
        return f"{told} (95 % interval {number(peak.low)} to {number(peak.high)})"
    if peak.low <= law.smallest:
        return f"{told}; its 95 % interval leaves out no count, so do not plan by it"
    return f"{told}; its 95 % interval runs from {number(peak.low)} chips to no peak at all, so do not plan by it"


def _fit(law: Law) -> str:
    free = counted(law.degrees_of_freedom, "degree")
    return f"{percent(law.error)} off on {counted(len(law.counts), 'count')}, {free} of freedom"


def _load(this: Prepared, value: float) -> str:
    word = {"request_rate": "requests/s", "batch": "sequences"}.get(this.way, "concurrent requests")
    return f"{number(value)} {word}"


def _rough(tokens: float) -> str:
    return f"{float(f'{tokens:.2g}'):,.0f}"
