"""Statistics that cannot be of one list of requests are refused."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import InputError
from bench.formats.plausibility.distributions import check

# 20, 30, 40, 50, 60 ms: mean 40, population's standard deviation 14.1, p90 is 50 + 0.6 x 10.
TTFT = {
    "ttft_ms_mean": 40.0,
    "ttft_ms_std": 14.1,
    "ttft_ms_min": 20.0,
    "ttft_ms_max": 60.0,
    "ttft_ms_p50": 40.0,
    "ttft_ms_p90": 56.0,
    "requests_ok": 5.0,
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"ttft_ms_mean": 19.0}, "ttft_ms_min is 20, but it cannot be above ttft_ms_mean, which is 19"),
        ({"ttft_ms_mean": 63.0}, "ttft_ms_mean is 63, but it cannot be above ttft_ms_max, which is 60"),
        ({"ttft_ms_std": 63.0}, "ttft_ms_std is 63, but it cannot be above ttft_ms_max, which is 60"),
        ({"ttft_ms_p50": 58.0}, "ttft_ms_p50 is 58, but it cannot be above ttft_ms_p90, which is 56"),
        ({"ttft_ms_max": 60_000.0}, "ttft_ms_max of 60000 alone would make it larger"),
        ({"ttft_ms_p90": 56_000.0, "ttft_ms_max": None}, "ttft_ms_p90 of 56000 alone would make it larger"),
        ({"ttft_ms_mean": 400.0, "ttft_ms_max": None}, "further from the median of 40 than the standard deviation of"),
        ({"e2el_ms_mean": 30.0}, "ttft_ms_mean is 40, but it cannot be above e2el_ms_mean, which is 30"),
        ({"itl_ms_max": 5000.0, "e2el_ms_max": 900.0}, "itl_ms_max is 5000, but it cannot be above e2el_ms_max"),
    ],
)
def test_what_no_list_of_requests_has_is_refused(change: dict[str, float | None], said: str) -> None:
    check("f.json", "run 1", TTFT)
    changed = {key: value for key, value in {**TTFT, **change}.items() if value is not None}
    with pytest.raises(InputError, match=said):
        check("f.json", "run 1", changed)


@given(
    st.lists(st.floats(0.01, 1e6), min_size=1, max_size=300),
    st.sampled_from(["linear", "inverted_cdf", "higher", "lower"]),
    st.booleans(),
)
def test_statistics_of_any_list_pass(values: list[float], method: str, rounded: bool) -> None:
    """However a tool interpolates, and rounded to a hundredth or not; a sample's deviation is larger by a little."""
    samples = np.array(values)
    metrics = {
        f"e2el_ms_p{q}".replace(".", "_"): float(np.percentile(samples, q, method=method))  # type: ignore[call-overload]
        for q in (1, 25, 50, 90, 99, 99.9)
    }
    metrics |= {
        "e2el_ms_mean": float(samples.mean()),
        "e2el_ms_min": float(samples.min()),
        "e2el_ms_max": float(samples.max()),
        "e2el_ms_std": float(samples.std(ddof=1 if len(values) > 1 else 0)),
        "requests_ok": float(len(values)),
    }
    check("f.json", "run 1", {key: round(value, 2) for key, value in metrics.items()} if rounded else metrics)
