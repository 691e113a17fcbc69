"""The roofline: no engine puts out tokens faster than memory and compute units let it.

Each step of a decode reads the weights and the cache of every request in it, and as many requests are in it as the
memory has room for beside the weights. Each token in or out takes 2 operations for each parameter. The arithmetic is
that of the page Roofline (`bench.basis.roofline`), and the line the generous one of its two.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from bench.audit.finding import Finding
from bench.basis import roofline
from bench.basis.roofline import DEPLOYED, Bound, Deployed, ServedLoad
from bench.library import Library
from bench.wording import counted, number

TITLE = "Roofline"
RULE = "output tokens/s <= requests that fit x bandwidth / bytes of a step, and <= peak / operations of a token"

ROUNDING = 1.005
MOST = 5_000


def findings(library: Library) -> Iterator[Finding]:
    """The points above one of the two bounds, those farthest above first."""
    if not library.has("output_tokens_per_s"):
        return
    above = sorted(_above(library), key=lambda one: (-one[2] / one[3], one[0]))
    for point_id, source, value, most, line in above[:MOST]:
        stated = f"{number(value)} output tokens/s are stated; "
        if line.requests is not None and line.by_memory is not None and value > line.by_memory:
            held = f"of {number(line.context)} tokens fit at most" if line.context else "are in a step at most"
            text = (
                f"{stated}{counted(int(line.requests), 'request')} {held}, and a step takes"
                f" {number(1000 * line.requests / line.by_memory)} ms to read weights and cache:"
                f" at most {number(line.by_memory)}."
            )
            most = line.by_memory
        else:
            text = f"{stated}all compute units at their peak give at most {number(line.by_compute)}."
        yield Finding(text, "roofline", source, (point_id,), values={"stated": value, "at_most": most})


def _above(library: Library) -> Iterator[tuple[str, str, float, float, Bound]]:
    """Each measured point above its bound: its id, source, rate, the bound, and what that is made of."""
    served = cache(lambda deployed: roofline.served_model(library, deployed))
    rows = library.fetch(
        f"SELECT point_id, points.source, {', '.join(DEPLOYED)}, {', '.join(roofline.load_sql(library))} FROM points"
        f" WHERE evidence = 'measured' AND {roofline.usable_sql(library)}"
    )
    for point_id, source, *values in rows:
        model, load = served(Deployed(*values[: len(DEPLOYED)])), ServedLoad(*values[len(DEPLOYED) :])
        line = None if model is None else roofline.bound(model, load)
        if line is not None and line.per_s is not None and load.rate > ROUNDING * line.per_s:
            yield point_id, source, load.rate, line.per_s, line
