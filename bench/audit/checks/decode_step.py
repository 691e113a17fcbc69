"""The decode step: a static batch gives its size in tokens with each step."""

from __future__ import annotations

from collections.abc import Iterator

from bench.audit.checks import rows_where
from bench.audit.finding import Finding
from bench.library import Library
from bench.wording import number, share

TITLE = "Decode step"
RULE = "output tokens/s = 1,000 x batch / step in ms"

NEEDED = ("output_tokens_per_s", "decode_step_ms_mean")
TOLERANCE = 0.03
"""What rounding to two digits leaves open."""


def findings(library: Library) -> Iterator[Finding]:
    """The static batches whose throughput is not their size over their step."""
    ratio = "output_tokens_per_s * decode_step_ms_mean / (1000 * batch)"
    off = f"load_kind = 'batch' AND abs({ratio} - 1) > {TOLERANCE} ORDER BY abs(ln({ratio})) DESC, point_id"
    for row in rows_where(library, NEEDED, off, ("batch",)):
        stated, step, batch = row["output_tokens_per_s"], row["decode_step_ms_mean"], row["batch"]
        computed = 1000 * batch / step
        text = (
            f"{number(stated)} tokens/s are stated; a batch of {batch:,} every {number(step)} ms gives"
            f" {number(computed)} ({share(stated / computed - 1)} off)."
        )
        yield Finding(
            text, "rates_differ", row["source"], (row["point_id"],), values={"stated": stated, "computed": computed}
        )
