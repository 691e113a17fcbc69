"""Five questions that no page asks, as SQL over the library: to run as they are and to begin from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Example:
    """A question an engineer has, and the SELECT that answers it."""

    question: str
    sql: str


TO_BEGIN = "SELECT model, accelerator, count(*) AS points FROM points GROUP BY ALL"

EXAMPLES = (
    Example(
        "Who serves the most users per chip within 2 s TTFT (p99) and 20 ms per token?",
        """\
-- DeepSeek R1, 1,024 tokens in and out: the highest load measured
-- that keeps both limits
SELECT accelerator, engine, precision,
       max(concurrency / accelerators) AS users_per_chip,
       arg_max(accelerators, concurrency / accelerators) AS chips,
       arg_max(ttft_ms_p99, concurrency / accelerators) AS ttft_ms_p99,
       arg_max(tpot_ms_p50, concurrency / accelerators) AS tpot_ms_p50
FROM points
WHERE model = 'deepseek-r1' AND isl = 1024 AND osl = 1024
  AND evidence = 'measured' AND ttft_ms_p99 < 2000 AND tpot_ms_p50 < 20
GROUP BY ALL
ORDER BY users_per_chip DESC""",
    ),
    Example(
        "How does the time per token grow with the load, chip by chip?",
        """\
-- DeepSeek R1 in FP8 under SGLang on 8 chips: the fastest run
-- at each concurrency
SELECT concurrency, min(tpot_ms_p50) AS tpot_ms_p50,
       accelerator, count(*) AS points
FROM points
WHERE model = 'deepseek-r1' AND precision = 'fp8'
  AND engine = 'sglang' AND accelerators = 8
  AND isl = 1024 AND osl = 1024
  AND evidence = 'measured' AND tpot_ms_p50 IS NOT NULL
GROUP BY ALL
ORDER BY accelerator, concurrency""",
    ),
    Example(
        "How much faster did the engines become on the same chip, month by month?",
        """\
-- DeepSeek R1 on B200: the best throughput per chip that keeps
-- 50 tokens/s for each user
SELECT date_trunc('month', date) AS month, engine, precision,
       max(output_tokens_per_s_per_accelerator) AS tokens_per_s_per_chip,
       arg_max(engine_version, output_tokens_per_s_per_accelerator)
         AS engine_version,
       count(*) AS points
FROM points
WHERE model = 'deepseek-r1' AND accelerator = 'b200-sxm'
  AND isl = 1024 AND osl = 1024 AND evidence = 'measured'
  AND interactivity_tokens_per_s_per_user_p50 > 50
GROUP BY ALL
ORDER BY engine, precision, month""",
    ),
    Example(
        "Does FP4 cost accuracy?",
        """\
-- GSM8K, exact match, over all accelerators and engines
SELECT model, precision, avg(value) AS accuracy,
       stddev(value) / sqrt(count(*)) AS standard_error,
       min(value) AS lowest, max(value) AS highest,
       count(*) AS runs
FROM scores
WHERE benchmark = 'gsm8k' AND metric = 'exact_match_strict'
GROUP BY ALL
ORDER BY model, precision""",
    ),
    Example(
        "What does an hour of each chip cost, and how far are the offers apart?",
        """\
-- on demand, USD per chip and hour; every price is dated
SELECT accelerator,
       median(usd_per_accelerator_hour) AS median_usd_per_h,
       min(usd_per_accelerator_hour) AS lowest_usd_per_h,
       arg_min(provider, usd_per_accelerator_hour) AS cheapest,
       max(usd_per_accelerator_hour) AS highest_usd_per_h,
       memory_gb, count(*) AS offers, max(as_of) AS newest
FROM prices JOIN accelerators ON slug = accelerator
WHERE terms = 'on_demand'
GROUP BY accelerator, memory_gb
HAVING count(*) > 1
ORDER BY median_usd_per_h DESC""",
    ),
)
