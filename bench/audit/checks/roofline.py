"""The roofline: no engine puts out tokens faster than memory and compute units let it.

Each step of a decode reads the weights and the cache of every request in it (Pope et al., Efficiently scaling
transformer inference, 2022), and as many requests are in it as the memory has room for beside the weights. Each token
in or out takes 2 operations for each active parameter. Both bounds are generous: a mixture of experts reads its active
parameters alone, nothing else moves, and every unit works at its peak (Williams et al., Roofline, 2009).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bench.audit.finding import Finding
from bench.basis.memory import BYTES, GIB, KEPT
from bench.library import Library
from bench.wording import counted, number

TITLE = "Roofline"
RULE = (
    "output tokens/s <= requests that fit x bandwidth / bytes of a step, and <= peak / operations of a token"
)

ROUNDING = 1.005
MOST = 5_000

PEAKS = {"bf16": "bf16_tflops", "fp16": "bf16_tflops", "fp8": "fp8_tflops", "fp4": "fp4_tflops"}
"""Which peak a precision of the weights is held against; another's is not in the facts."""


def findings(library: Library) -> Iterator[Finding]:
    """The points above one of the two bounds, those farthest above first."""
    if not library.has("output_tokens_per_s"):
        return
    rows = library.fetch(
        f"WITH asked AS ({_asked()}), fitting AS (SELECT *,"
        " CASE WHEN cache > 0 THEN least(requests, greatest(1, room / cache)) ELSE requests END AS resident"
        " FROM asked),"
        " bounded AS (SELECT *, resident * bandwidth / (read + resident * coalesce(cache, 0)) AS by_memory"
        " FROM fitting)"
        " SELECT point_id, source, value, by_memory, by_compute, resident, context, 1000 * resident / by_memory"
        f" FROM bounded WHERE value > {ROUNDING} * least(by_memory, by_compute)"
        f" ORDER BY value / least(by_memory, by_compute) DESC, point_id LIMIT {MOST}"
    )
    for point_id, source, value, by_memory, by_compute, resident, context, step in rows:
        stated = f"{number(value)} output tokens/s are stated; "
        if by_memory is not None and value > by_memory:
            text = (
                f"{stated}{counted(int(resident), 'request')} of {number(context)} tokens fit at most, and a step takes"
                f" {number(step)} ms to read weights and cache: at most {number(by_memory)}."
            )
            bound = by_memory
        else:
            text = f"{stated}all compute units at their peak give at most {number(by_compute)}."
            bound = by_compute
        yield Finding(text, "roofline", source, (point_id,), values={"stated": value, "at_most": bound})


def _asked() -> str:
    """The query of points with the facts that bound them, in bytes, bytes/s and tokens: one deployment of one engine.

    Speculation puts out several tokens a step, the parts of a disaggregated server have memory of their own, and what
    prompts share is held and computed once: such points are left out. On average a request holds its prompt and half
    of its output. A cache whose precision is not stated has that of 16-bit weights, else half of it.
    """
    weight = _by_precision(BYTES)
    cached = f"coalesce({_by_precision(BYTES, 'kv_precision')}, least(2, {weight}))"
    context = "coalesce(isl + osl / 2, CASE WHEN load_kind = 'batch' THEN context_tokens END)"
    window = f"least({context}, coalesce(kv_window_tokens, {context}))"
    beyond = "coalesce(kv_bytes_per_token_bf16_beyond_window, kv_bytes_per_token_bf16)"
    whole = f"{beyond} * {context} + (kv_bytes_per_token_bf16 - {beyond}) * {window}"
    peak = _by_precision({name: f"{column} * 1e12" for name, column in PEAKS.items()})
    return (
        f"SELECT point_id, points.source, output_tokens_per_s AS value, {context} AS context,"
        " CASE load_kind WHEN 'closed' THEN concurrency WHEN 'batch' THEN batch END AS requests,"
        f" (1 - {KEPT}) * memory_gb * {GIB} * points.accelerators - total_params_b * 1e9 * {weight} AS room,"
        f" active_params_b * 1e9 * {weight} AS read, hbm_tb_s * 1e12 * points.accelerators AS bandwidth,"
        f" ({whole}) * {cached} / 2 AS cache,"
        f" {peak} * points.accelerators / (2e9 * active_params_b * (1 + coalesce(isl / nullif(osl, 0), 0)))"
        " AS by_compute"
        " FROM points JOIN models ON models.slug = model JOIN accelerators ON accelerators.slug = accelerator"
        " WHERE evidence = 'measured' AND output_tokens_per_s > 0 AND coalesce(speculation, 'none') = 'none'"
        " AND NOT coalesce(disaggregated, FALSE) AND points.accelerators IS NOT NULL"
        " AND NOT coalesce(prefix_caching, FALSE) AND coalesce(shared_prefix_share, 0) = 0 AND coalesce(turns, 1) <= 1"
    )


def _by_precision(values: Mapping[str, object], column: str = "precision") -> str:
    cases = " ".join(f"WHEN '{name}' THEN {value}" for name, value in values.items())
    return f"CASE lower({column}) {cases} END"
