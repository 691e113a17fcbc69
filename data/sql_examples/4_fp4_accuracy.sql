-- Does FP4 cost accuracy?
-- GSM8K, exact match, over all accelerators and engines
SELECT model, precision, avg(value) AS accuracy,
       stddev(value) / sqrt(count(*)) AS standard_error,
       min(value) AS lowest, max(value) AS highest,
       count(*) AS runs
FROM scores
WHERE benchmark = 'gsm8k' AND metric = 'exact_match_strict'
GROUP BY ALL
ORDER BY model, precision
