-- What does an hour of each chip cost, and how far are the offers apart?
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
ORDER BY median_usd_per_h DESC
