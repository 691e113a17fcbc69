-- How does the time per token grow with the load, chip by chip?
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
ORDER BY accelerator, concurrency
