"""Whether an open loop answers no more requests than it was sent.

Of n requests that come at random at a rate, all but the first come within a gamma distributed time of shape n - 1 over
that rate, so they may come faster than the rate by chance, the likelier the fewer they are. Answers only take longer.
"""

from __future__ import annotations

import math

from bench.records import Flag, Load
from bench.wording import number

SENT_AT_A_RATE = ("open", "unknown")
"""The kinds of load whose rate, where one is stated, is that of the requests sent."""
ROUNDED = 1.05
"""What is left of a queue before a window is answered within it, and digits."""
RECKONED = 1.5
"""Answers by their tokens: lengths may be longer than the one that was asked for."""
OF_FEW = 1.5
"""Where nobody says how many requests there were: a hundred come so much faster than their rate once in a thousand
times, and of published points that do not say it none is above its rate."""
SPREAD = 3.0
"""How many standard deviations faster than their rate requests may come: once in a thousand times."""
BURST = 100
"""How many requests that come neither at random nor evenly count as one: those of a burst come together."""


def more_than_sent(load: Load, answers_per_s: float, ok: float | None, tolerance: float = ROUNDED) -> tuple[Flag, ...]:
    """The flag that answers come faster than requests were sent, beyond chance; none where they do not.

    `ok`: how many were answered.
    """
    rate = load.request_rate
    if (
        load.load_kind not in SENT_AT_A_RATE
        or not rate
        or answers_per_s <= rate * max(tolerance, at_most(load.arrivals, ok))
    ):
        return ()
    return (
        Flag(
            "more_than_sent",
            f"{number(answers_per_s)} requests/s were answered where {number(rate)} were sent.",
            "An open loop gives no more answers than it is asked for, so one of the two is not what it says.",
            "Leave the point out of rankings, or look up at which rate it was asked.",
        ),
    )


def at_most(arrivals: str | None, ok: float | None) -> float:
    """How many times its rate an open loop may seem to be asked by chance, with so many requests that came so."""
    if not ok:
        return OF_FEW
    kind = (arrivals or "poisson").partition(",")[0].lower()
    gaps = ok - 1 if kind in ("poisson", "constant") else (ok - 1) / BURST
    if gaps <= 0:
        return math.inf
    # The quantile of a gamma distribution by Wilson and Hilferty (The distribution of chi-square, 1931).
    spread = 0.0 if kind == "constant" else 1 / (9 * gaps) + SPREAD / (3 * math.sqrt(gaps))
    return ROUNDED * ok / ((ok - 1) * (1 - spread) ** 3) if spread < 1 else math.inf
