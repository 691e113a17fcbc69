-- How much faster did the engines become on the same chip, month by month?
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
ORDER BY engine, precision, month
