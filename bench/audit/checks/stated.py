"""Costs, efficiencies and maxima that a source states, recomputed from the figures beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from bench import names
from bench.audit.claims import Claim, claims
from bench.audit.finding import Finding
from bench.chart import value_label
from bench.library import Library
from bench.maths import cost
from bench.wording import counted, number

TITLE = "Stated figures"
RULE = "a stated cost, efficiency, bandwidth or maximum is what the figures beside it come to"

HOURS_A_DAY, DAYS_A_MONTH = 24, 30


@dataclass(frozen=True)
class Recomputed:
    """What a claim comes to and how, with the points that say so."""

    value: float
    how: str
    point_ids: tuple[str, ...] = ()


def findings(library: Library) -> Iterator[Finding]:
    """The claims that the figures beside them contradict by more than their own rounding."""
    held = {source for (source,) in library.fetch("SELECT DISTINCT source FROM points")}
    for claim in claims(library.path):
        if claim.source not in held or claim.metric not in METRICS:
            continue
        words, recompute = METRICS[claim.metric]
        recomputed = recompute(library, claim)
        if recomputed is None or abs(recomputed.value - claim.value) <= _rounding(claim.value):
            continue
        yield Finding(
            f"{value_label('model', claim.model) + ': ' if claim.model else ''}"
            f"{words.format(number(claim.value))} stated, but {number(recomputed.value)} {recomputed.how}.",
            "stated-otherwise",
            claim.source,
            recomputed.point_ids,
            about="\n".join(map(str, (claim.source, claim.section, claim.metric, claim.value, claim.accelerators))),
            values={"stated": claim.value, "recomputed": recomputed.value},
        )


def _rounding(value: float) -> float:
    """One unit of the last digit that is printed, or 1 % where that is more."""
    digits = f"{value:g}".partition(".")[2]
    return max(10.0 ** -len(digits), value / 100)


def _per_million(library: Library, claim: Claim) -> Recomputed | None:
    value = cost.usd_per_million(claim.usd_per_hour, claim.output_tokens_per_s)
    how = f"follows from {number(claim.usd_per_hour)} USD/h over {number(claim.output_tokens_per_s)} tokens/s"
    return None if value is None else Recomputed(value, f"{how}{_noted(claim)}")


def _rented_for(hours: int) -> Callable[[Library, Claim], Recomputed | None]:
    """What the accelerators cost for so many hours: they are rented whether they are busy or not."""

    def recomputed(library: Library, claim: Claim) -> Recomputed | None:
        if claim.usd_per_hour is None:
            return None
        how = f"follows from {number(claim.usd_per_hour)} USD/h for {hours:,} rented hours{_noted(claim)}"
        return Recomputed(claim.usd_per_hour * hours, how)

    return recomputed


def _per_usd_hour(library: Library, claim: Claim) -> Recomputed | None:
    value = cost.tokens_per_s_per_usd_per_hour(claim.output_tokens_per_s, claim.usd_per_hour)
    how = f"follows from {number(claim.output_tokens_per_s)} tokens/s at {number(claim.usd_per_hour)} USD/h"
    return None if value is None else Recomputed(value, how)


def _speedup(library: Library, claim: Claim) -> Recomputed | None:
    many, one = claim.output_tokens_per_s, claim.output_tokens_per_s_of_one
    if not many or not one:
        return None
    return Recomputed(many / one, f"follows from {number(many)} over {number(one)} tokens/s")


def _efficiency(library: Library, claim: Claim) -> Recomputed | None:
    found, chips = _speedup(library, claim), claim.accelerators
    if found is None or not chips:
        return None
    return Recomputed(100 * found.value / chips, f"{found.how} on {counted(int(chips), 'accelerator')}")


def _bandwidth(library: Library, claim: Claim) -> Recomputed | None:
    chip = names.accelerator(claim.accelerator) if claim.accelerator else None
    if chip is None or not chip.hbm_tb_s or not claim.accelerators:
        return None
    how = f"is what {number(claim.accelerators)} x {chip.name} have at {number(chip.hbm_tb_s)} TB/s each"
    return Recomputed(claim.accelerators * chip.hbm_tb_s, how)


def _maximum(library: Library, claim: Claim) -> Recomputed | None:
    """The highest measured point of the same source on as many chips; None where none is higher."""
    if not library.has("output_tokens_per_s"):
        return None
    rows = library.fetch(
        "SELECT point_id, output_tokens_per_s, isl, osl, coalesce(batch, concurrency) FROM points"
        " WHERE evidence = 'measured' AND source = ? AND model IS NOT DISTINCT FROM ? AND accelerator = ?"
        " AND accelerators = ? AND engine IS NOT DISTINCT FROM coalesce(?, engine) AND output_tokens_per_s > ?"
        " ORDER BY 2 DESC, 1 LIMIT 1",
        (claim.source, claim.model, claim.accelerator, claim.accelerators, claim.engine, claim.value),
    )
    if not rows:
        return None
    point_id, value, isl, osl, load = rows[0]
    at = f" at {number(isl)}/{number(osl)}" if isl and osl else ""
    load = f"{at} under a load of {load:,}" if load else at
    return Recomputed(value, f"is its own point{load}", (point_id,))


def _noted(claim: Claim) -> str:
    return f" ({claim.note})" if claim.note else ""


METRICS: Mapping[str, tuple[str, Callable[[Library, Claim], Recomputed | None]]] = {
    "usd_per_million_output_tokens": ("{} USD per million output tokens", _per_million),
    "usd_per_day": ("{} USD per day", _rented_for(HOURS_A_DAY)),
    "usd_per_month": ("{} USD per month", _rented_for(HOURS_A_DAY * DAYS_A_MONTH)),
    "output_tokens_per_s_per_usd_hour": ("{} tokens/s per USD/h", _per_usd_hour),
    "speedup": ("a speedup of {}", _speedup),
    "scaling_efficiency_percent": ("a scaling efficiency of {} %", _efficiency),
    "memory_bandwidth_tb_s": ("a memory bandwidth of {} TB/s", _bandwidth),
    "max_output_tokens_per_s": ("a maximum of {} tokens/s", _maximum),
}
"""What a claim of this kind is called, and how it is recomputed."""
