"""The front door for points that come as columns, such as tables of a million rows.

Arithmetic on whole columns finds the few rows that a rule may speak of; these alone pass the door one by one.
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Mapping
from functools import partial, reduce

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from bench.catalogue import is_metric
from bench.formats.plausibility import Contradiction, front_door
from bench.formats.plausibility.distributions import FAR
from bench.formats.plausibility.latency_parts import (
    A_THOUSAND,
    FASTEST_TPOT_MS,
    NEARLY,
    NO_ANSWER_MS,
    NO_TTFT_MS,
    TOO_LITTLE,
    TOO_MUCH,
)
from bench.formats.plausibility.lengths import LENGTH_SHARE
from bench.formats.plausibility.offered import ROUNDED
from bench.formats.plausibility.rates import COUNTED, EACH, SAME_WINDOW, SHARED_OUT, SUMS
from bench.formats.plausibility.soundness import (
    FASTER,
    LATENCIES,
    LITTLE_TOLERANCE,
    OF_ALL_AT_ONCE,
    OF_TOKENS,
    PARTS,
    PARTS_OF_A_RUN,
    SPEED,
    TPOTS,
)
from bench.records import Deployment, Flag, Load, Point, Workload

SHARERS = tuple(dict.fromkeys(counted for _, counted in EACH.values()))
LENGTHS = ("isl_requested", "isl_actual", "osl_requested", "osl_actual", "shared_prefix_share", "turns")
LOAD = ("load_kind", "concurrency", "batch", "request_rate", "arrivals")
JUDGED_BY = (*SHARERS, *LENGTHS, *LOAD)
"""The columns besides metrics that a rule looks at."""

A_FEW = 4.0
"""How many times one figure is another before its row is looked at alone; what is refused is further apart."""

FloatColumn = npt.NDArray[np.float64]


def with_doubts(
    columns: Mapping[str, pa.Array], rows: int, as_read: Mapping[str, pa.Array] | None = None
) -> pa.Array | None:
    """The column of flags as JSON with those that the figures earn besides; None where no row has any.

    A kind of flag that a row states itself is not added again. `columns` are in the vocabulary, of `rows` rows each.
    `as_read` are those that the flags were given by: what the figures of a row earned there, and no longer do, goes,
    and a flag that they earn in both says what is seen now.
    """
    if rows == 0:
        return columns.get("flags")
    flags = columns["flags"].to_pylist() if "flags" in columns else [None] * rows
    now, before = doubtful(columns, rows), doubtful(as_read, rows) if as_read else {}
    for place in now.keys() | before.keys():
        stated = json.loads(flags[place] or "[]")
        earned = {flag.kind: dataclasses.asdict(flag) for flag in now.get(place, ())}
        seen = {flag.kind: flag.seen for flag in before.get(place, ())}
        kept = [_seen_now(flag, seen, earned) for flag in stated if flag["kind"] in earned or flag["kind"] not in seen]
        kinds = {flag["kind"] for flag in kept}
        found = [*kept, *(flag for kind, flag in earned.items() if kind not in kinds)]
        if found != stated:
            flags[place] = json.dumps(found) if found else None
    return pa.array(flags, pa.string()) if any(flags) else None


def _seen_now(flag: dict[str, str], seen: Mapping[str, str], earned: Mapping[str, dict[str, str]]) -> dict[str, str]:
    """The flag as it is stored, with what is seen of the figures now where it says what was seen of them before."""
    kind = flag["kind"]
    return {**flag, "seen": earned[kind]["seen"]} if kind in earned and seen.get(kind) == flag["seen"] else flag


def doubtful(columns: Mapping[str, pa.Array], rows: int) -> dict[int, tuple[Flag, ...]]:
    """The rows whose figures earn flags, each with those of the front door."""
    suspects = np.flatnonzero(_suspects(columns, rows)) if rows else ()
    found = {int(row): front_door.doubts(_point(columns, int(row))) for row in suspects}
    return {row: doubts for row, doubts in found.items() if doubts}


def contradicted(columns: Mapping[str, pa.Array], rows: int) -> dict[int, Contradiction]:
    """The rows whose figures cannot be true together, each with the first contradiction in it."""
    found: dict[int, Contradiction] = {}
    for row in np.flatnonzero(_impossible(columns, rows)) if rows else ():
        try:
            front_door.check("", _point(columns, int(row)))
        except Contradiction as problem:
            found[int(row)] = problem
    return found


def _point(columns: Mapping[str, pa.Array], row: int) -> Point:
    """The figures of a row with what a rule looks at besides."""
    cells = {key: column[row].as_py() for key, column in columns.items() if is_metric(key) or key in JUDGED_BY}
    load = {key: cells[key] for key in LOAD if key in cells}
    return Point(
        Deployment(**{key: cells[key] for key in SHARERS if key in cells}),
        Workload(**{key: cells[key] for key in LENGTHS if key in cells}),
        Load(**{**load, "load_kind": load.get("load_kind") or "unknown"}),
        {key: cell for key, cell in cells.items() if is_metric(key) and cell is not None},
        "",
        "",
    )


def _first(columns: Mapping[str, pa.Array], rows: int, *keys: str) -> FloatColumn:
    """The first of these columns that has a value in a row, NaN where none has."""
    found = np.full(rows, np.nan)
    for key in reversed(keys):
        if key in columns:
            values = columns[key].cast(pa.float64()).to_numpy(zero_copy_only=False)
            found = np.where(np.isnan(values), found, values)
    return found


def _suspects(columns: Mapping[str, pa.Array], rows: int) -> npt.NDArray[np.bool_]:
    """The rows that a rule may speak of: all of which one does, and some more."""
    first = partial(_first, columns, rows)
    output, total, taken_in = (_whole(first, which) for which in ("output", "total", "input"))
    requests, duration = first("requests_per_s"), first("duration_s")
    counted = first("output_tokens") / first("requests_ok")
    isl, osl = first("isl_actual", "isl_requested"), first("osl_actual", "osl_requested")
    latency = first(*LATENCIES) / 1000
    with np.errstate(all="ignore"):
        suspects: npt.NDArray[np.bool_] = latency / duration < OF_ALL_AT_ONCE
        for key, (whole, counted_by) in EACH.items():
            suspects |= _apart(first(key) * first(counted_by) / first(whole), SHARED_OUT)
            suspects |= first(key) > first(whole) * SHARED_OUT
        in_flight = np.where(np.isnan(output / osl), requests, output / osl) * latency / first("concurrency", "batch")
        suspects |= _apart(in_flight, LITTLE_TOLERANCE)
        suspects |= first(*TPOTS) < FASTEST_TPOT_MS
        for which in ("isl", "osl"):
            suspects |= np.abs(first(f"{which}_actual") / first(f"{which}_requested") - 1) > LENGTH_SHARE
        suspects |= _apart(requests * osl / output, SAME_WINDOW) | _apart((taken_in + output) / total, SAME_WINDOW)
        suspects |= _apart(requests * counted / output, SAME_WINDOW)
        suspects |= np.fmax(output, taken_in) > total
        summed = np.where(np.isnan(total), taken_in + output, total)
        uncounted = np.isnan(first("isl_actual") + first("osl_actual"))
        suspects |= _apart(output * (isl + osl) / osl / summed, np.where(uncounted, SAME_WINDOW, COUNTED))
        for rate, of in SUMS.items():
            suspects |= _apart(first(of) / duration / first(rate), SAME_WINDOW)
    return suspects | _too_many(first)


def _too_many(first: Callable[..., FloatColumn]) -> npt.NDArray[np.bool_]:
    """The rows with more in flight than were let in, or more answers than were sent, by their largest throughput."""
    isl, osl = first("isl_actual", "isl_requested"), first("osl_actual", "osl_requested")
    output, total, taken_in = (_largest(first, which) for which in ("output", "total", "input"))
    let_in = first("concurrency", "batch")
    with np.errstate(all="ignore"):
        rates = (output / osl, first("requests_per_s"), total / (isl + osl), taken_in / isl)
        requests = reduce(np.fmax, rates)
        output = np.fmax(output, requests * first("osl_actual"))
        found: npt.NDArray[np.bool_] = requests > first("request_rate") * ROUNDED
        for key, tolerance in {**dict.fromkeys(LATENCIES, LITTLE_TOLERANCE), **PARTS}.items():
            rate = output if key.startswith(OF_TOKENS) else requests
            found |= rate * first(key) / 1000 > let_in * tolerance
        for statistic in ("mean", "p50"):
            found |= output / first(f"{SPEED}{statistic}") > let_in * PARTS[f"tpot_ms_{statistic}"]
    return found


def _largest(first: Callable[..., FloatColumn], which: str) -> FloatColumn:
    """The largest throughput of all that is stated, with that of each accelerator times their number, or of one."""
    whole = f"{which}_tokens_per_s"
    each = ((key, counted) for key, (of, counted) in EACH.items() if of == whole)
    shares = (first(key) * np.fmax(first(counted), 1.0) for key, counted in each)
    return reduce(np.fmax, shares, first(whole))


def _whole(first: Callable[..., FloatColumn], which: str) -> FloatColumn:
    """A throughput of all, as stated or as what is stated of each accelerator comes to."""
    whole = f"{which}_tokens_per_s"
    found = first(whole)
    for key, (of, counted) in EACH.items():
        if of == whole:
            found = np.where(np.isnan(found), first(key) * first(counted), found)
    return found


def _impossible(columns: Mapping[str, pa.Array], rows: int) -> npt.NDArray[np.bool_]:
    """The rows in which figures may contradict each other: all in which some do, and some more."""
    first = partial(_first, columns, rows)
    duration, ok, load = first("duration_s"), first("requests_ok"), first("concurrency", "batch")
    ttft, tpot, itl, ntpot, e2el = (first(f"{base}_ms_mean") for base in ("ttft", "tpot", "itl", "ntpot", "e2el"))
    counted = first("output_tokens") / ok
    tokens = np.where(np.isnan(counted), first("osl_actual"), counted)
    with np.errstate(all="ignore"):
        decode = tpot * (tokens - 1)
        found: npt.NDArray[np.bool_] = _suspects(columns, rows) | (duration == 0) | (ttft < NO_TTFT_MS)
        found |= _apart(decode / (e2el - ttft), TOO_MUCH) | (np.abs((e2el - decode) / (ttft * A_THOUSAND) - 1) < NEARLY)
        found |= np.fmax(itl, ntpot) > np.fmin(e2el, first("e2el_ms_max"))
        found |= np.fmin(itl, ntpot) < TOO_LITTLE * np.fmax(tpot, e2el / tokens)
        found |= (ntpot * tokens / e2el > TOO_MUCH) | (e2el / 1000 / duration < OF_ALL_AT_ONCE)
        for latency in (ttft, first("ttft_ms_p50"), first("e2el_ms_p50"), e2el):
            found |= (latency < NO_ANSWER_MS) | _apart(latency * ok / 1000 / np.fmin(load, ok) / duration, A_FEW)
        for statistic, most in FASTER.items():
            found |= first(SPEED + statistic) * first(f"tpot_ms_{statistic}") / 1000 > most
        for key in columns:
            if key.startswith(PARTS_OF_A_RUN):
                name, _, statistic = key.rpartition("_ms_")
                value, mean = first(key), first(f"{name}_ms_mean")
                found |= (value > duration * 1000 * TOO_MUCH) | (value > mean * np.fmin(A_FEW, ok))
                if statistic == "max":
                    found |= value > first("e2el_ms_max")
                elif statistic == "p50":
                    found |= np.abs(mean - value) > first(f"{name}_ms_std") * FAR
    return found


def _apart(ratio: FloatColumn, tolerance: float | FloatColumn) -> npt.NDArray[np.bool_]:
    """Where a ratio is further from 1 than this factor; not where it is NaN."""
    apart: npt.NDArray[np.bool_] = (ratio > tolerance) | (ratio < 1 / tolerance)
    return apart
