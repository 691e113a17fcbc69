"""Leads as people read them: percent, and from twice as good on how many times."""

from __future__ import annotations

from collections.abc import Collection

from bench.wording import share

MANY_TIMES = 2
"""From so many times on a lead is no longer told in percent."""


def percent(lead: float) -> str:
    """A lead as people read it, better over worse: "2.8 %", "126 %", "3.1 times" for 310 %."""
    size = abs(lead) / 100
    return f"{size:,.1f} times" if size >= MANY_TIMES else share(size)


def by(leads: Collection[float]) -> str:
    """From the smallest to the largest of these leads: "by 2.8 % to 55 %"; "" of none."""
    if not leads:
        return ""
    low, high = (percent(end) for end in (min(leads, key=abs), max(leads, key=abs)))
    return f"by {low}" if low == high else f"by {low} to {high}"
