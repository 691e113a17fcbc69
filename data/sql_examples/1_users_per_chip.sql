-- Who serves the most users per chip within 2 s TTFT (p99) and 20 ms per token?
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
ORDER BY users_per_chip DESC
