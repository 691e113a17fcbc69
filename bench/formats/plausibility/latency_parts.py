"""Whether the latencies of a result add up: a request takes its TTFT and then a TPOT for each further token.

The gaps between chunks (ITL) are parts of the same stretch, the fewer and longer the more tokens a chunk has; the
normalised TPOT is the E2EL laid on all tokens. Means over requests of all lengths do not multiply exactly, so only a
figure that is off as far as a wrong unit makes it is refused. How far off a true one may be follows from the spread of
the TPOT: mean(d - T g) = mean(d_i (t_i - T) / t_i) <= mean(d_i (t_i - T)) / T <= std(d) std(t) / T, where request i
took d_i = t_i g_i for the g_i tokens after its first, and T is the mean of t (Cauchy-Schwarz).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from bench.errors import InputError
from bench.formats.plausibility import Contradiction
from bench.formats.plausibility.distributions import ROUNDED_MS, ROUNDING
from bench.records import Flag

TOO_MUCH, TOO_LITTLE = 100.0, 0.005
"""Between them lies all that ramps, failures, lengths and rounding do; a wrong unit is off by 1,000."""
A_THOUSAND, NEARLY = 1000.0, 0.1
MOST_OF_ALL = 0.5
"""Where no spread is known: TPOT that rises by a third from short to long answers leaves less of the E2EL over."""
HALF_A_DIGIT_MS, OF_MEANS = 0.005, 1e-4
"""What rounding makes of a TPOT of two digits after the point, and of mean lengths of one digit."""
NO_TTFT_MS, NO_TTFT_OF_TPOT = 0.5, 0.05
"""No model answers over HTTP so soon, far below the time of one step; 10 to 500 ms in seconds are such numbers."""
NO_ANSWER_MS = 0.1
"""No request over HTTP is answered sooner: two passes through the network stack, the JSON of a prompt and of a chunk
take longer even where nothing is computed. Mock servers on loopback answer in 0.2 ms and more."""
FASTEST_TPOT_MS = 0.05
"""20,000 tokens a second for one user; a model wired into silicon is said to reach 17,000 (Taalas HC1, 2026). Latencies
of 4 to 50 ms in seconds are such numbers, and so is what a mock server sends that computes nothing."""
OF_FEW = 3.0
"""How much longer the mean of the requests that stream in several chunks may be than that of all, or than the p99."""


@dataclass(frozen=True)
class MeanLatencies:
    """The mean latencies of a result in ms, and the tokens of a mean answer after its first; None where not known."""

    ttft: float | None
    tpot: float | None
    itl: float | None
    ntpot: float | None
    e2el: float | None
    gaps: float | None


def means_of(metrics: Mapping[str, float], osl: float | None = None) -> MeanLatencies:
    """The mean latencies of a result; `osl` is the mean length where the metrics do not give it."""
    ttft, tpot, itl, ntpot, e2el = (metrics.get(f"{base}_ms_mean") for base in ("ttft", "tpot", "itl", "ntpot", "e2el"))
    tokens, ok = metrics.get("output_tokens"), metrics.get("requests_ok")
    length = tokens / ok if tokens and ok else osl
    return MeanLatencies(ttft, tpot, itl, ntpot, e2el, max(0.0, length - 1) if length else None)


def check(file: str, where: str, metrics: Mapping[str, float], osl: float | None = None) -> None:
    """Check that the latencies can be parts of the same requests; InputError names the one that cannot."""

    def refused(key: str, why: str) -> InputError:
        return Contradiction(file, where, key, metrics[key], f"{why}: the unit is not ms")

    means = means_of(metrics, osl)
    for key, why in (_of_tpot(means), _of_wait(means, metrics), _of_itl(means, metrics), _of_ntpot(means)):
        if why is not None:
            raise refused(key, why)
    for key in ("ttft_ms_mean", "ttft_ms_p50", "e2el_ms_mean", "e2el_ms_p50"):
        if key in metrics and metrics[key] < NO_ANSWER_MS:
            raise refused(key, f"no request over HTTP is answered within {NO_ANSWER_MS:g} ms")


def too_fast(metrics: Mapping[str, float]) -> tuple[Flag, ...]:
    """The flag that tokens came faster than any model sends them; none where they did not."""
    tpot = metrics.get("tpot_ms_mean", metrics.get("tpot_ms_p50"))
    if tpot is None or tpot >= FASTEST_TPOT_MS:
        return ()
    return (
        Flag(
            "too_fast",
            f"A TPOT of {tpot:.2g} ms is {1000 / tpot:,.0f} tokens/s for one user, more than any accelerator is known "
            "to give.",
            "Either the endpoint computes nothing, or its answers come in one piece, or seconds were filed as ms.",
            "Look up the unit in the tool's own output; leave a mock server out of comparisons.",
        ),
    )


def _of_tpot(means: MeanLatencies) -> tuple[str, str | None]:
    ttft, tpot, e2el, gaps = means.ttft, means.tpot, means.e2el, means.gaps or 0
    if not (ttft and tpot):
        return "", None
    if ttft < NO_TTFT_MS and ttft < tpot * NO_TTFT_OF_TPOT:
        return "ttft_ms_mean", f"no first token comes so soon where a further one takes {tpot:g} ms"
    if not e2el or gaps < 1 or e2el <= ttft:
        return "", None
    if not TOO_LITTLE <= tpot * gaps / (e2el - ttft) <= TOO_MUCH:
        return "tpot_ms_mean", f"{gaps:,.0f} tokens after the first took {e2el - ttft:g} ms together"
    return "", None


def _of_wait(means: MeanLatencies, metrics: Mapping[str, float]) -> tuple[str, str | None]:
    """What E2EL and TPOT leave before the first token is a thousand times the TTFT, and no spread explains it."""
    key, ttft, tpot, e2el, gaps = "ttft_ms_mean", means.ttft, means.tpot, means.e2el, means.gaps or 0
    if not (ttft and tpot and e2el) or gaps < 1:
        return key, None
    wait = e2el - tpot * gaps
    if abs(wait / (ttft * A_THOUSAND) - 1) >= NEARLY or wait <= ttft + _unexplained(ttft, e2el, tpot, gaps, metrics):
        return key, None
    return key, f"e2el_ms_mean leaves {wait:g} ms before the first token"


def _unexplained(ttft: float, e2el: float, tpot: float, gaps: float, metrics: Mapping[str, float]) -> float:
    """The ms that E2EL may have more than TTFT and TPOT x gaps come to, since longer answers may be slower ones."""
    rounded = HALF_A_DIGIT_MS * gaps + OF_MEANS * e2el
    if metrics.get("requests_ok") == 1:
        return rounded
    spread, whole = metrics.get("tpot_ms_std"), metrics.get("e2el_ms_std")
    if whole is None and "e2el_ms_max" in metrics:
        whole = math.sqrt(e2el * max(0.0, metrics["e2el_ms_max"] - e2el))
    if spread is None or whole is None:
        return MOST_OF_ALL * e2el
    whole += metrics.get("ttft_ms_std", math.sqrt(metrics.get("requests_ok", A_THOUSAND)) * ttft)
    return whole * spread / tpot + rounded


def _of_itl(means: MeanLatencies, metrics: Mapping[str, float]) -> tuple[str, str | None]:
    """A gap is no longer than its request, and gaps are not far more than tokens."""
    key, itl, gaps = "itl_ms_mean", means.itl, means.gaps or 0
    if not itl:
        return key, None
    longest = metrics.get("e2el_ms_max")
    if longest is None and means.e2el:
        longest = OF_FEW * max(means.e2el, metrics.get("e2el_ms_p99", 0.0))
    if longest is not None and itl > longest * ROUNDING + ROUNDED_MS:
        return key, f"a gap between chunks is part of a request, and those took {means.e2el or longest:g} ms"
    if means.ttft and means.e2el and gaps >= 1 and itl * gaps < TOO_LITTLE * (means.e2el - means.ttft):
        return key, f"{gaps:,.0f} tokens after the first took {means.e2el - means.ttft:g} ms together"
    if means.tpot and itl < TOO_LITTLE * means.tpot:
        return key, f"a token took {means.tpot:g} ms"
    return key, None


def _of_ntpot(means: MeanLatencies) -> tuple[str, str | None]:
    """E2EL over tokens is no more than E2EL, nor than TTFT and TPOT together, and no less than most of a TPOT."""
    key, ntpot, e2el = "ntpot_ms_mean", means.ntpot, means.e2el
    if not ntpot:
        return key, None
    if e2el and ntpot > e2el * ROUNDING + ROUNDED_MS:
        return key, f"the whole request took {e2el:g} ms"
    if e2el and means.gaps is not None:
        share = ntpot * (means.gaps + 1) / e2el
        both = (means.ttft or e2el) + (means.tpot or 0)
        if share < TOO_LITTLE or (share > TOO_MUCH and ntpot > 2 * both):
            return key, f"{means.gaps + 1:,.0f} tokens took {e2el:g} ms together"
    if means.tpot and ntpot < TOO_LITTLE * means.tpot:
        return key, f"a token took {means.tpot:g} ms"
    return key, None
