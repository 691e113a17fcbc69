"""Latencies that cannot be parts of the same requests are refused; what is merely faster than any model is told."""

from __future__ import annotations

import numpy as np
import pytest

from bench.errors import InputError
from bench.formats.plausibility.latency_parts import check, too_fast

# 24 answers of 128 tokens: 40 + 127 x 4.4 = 598.8 ms, over 128 tokens 4.68 ms.
RUN = {
    "requests_ok": 24.0,
    "output_tokens": 3072.0,
    "ttft_ms_mean": 40.0,
    "tpot_ms_mean": 4.4,
    "itl_ms_mean": 4.4,
    "ntpot_ms_mean": 4.68,
    "e2el_ms_mean": 598.8,
    "e2el_ms_p99": 605.0,
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"itl_ms_mean": 0.0044}, "itl_ms_mean is 0.0044, but 127 tokens after the first took 558.8 ms together"),
        ({"itl_ms_mean": 0.0044, "e2el_ms_mean": None}, "itl_ms_mean is 0.0044, but a token took 4.4 ms"),
        ({"itl_ms_mean": 4400.0}, "itl_ms_mean is 4400, but a gap between chunks is part of a request"),
        ({"ntpot_ms_mean": 4680.0}, "ntpot_ms_mean is 4680, but the whole request took 598.8 ms"),
        ({"ntpot_ms_mean": 0.00468}, "ntpot_ms_mean is 0.00468, but 128 tokens took 598.8 ms together"),
        ({"ntpot_ms_mean": 0.00468, "e2el_ms_mean": None}, "ntpot_ms_mean is 0.00468, but a token took 4.4 ms"),
        ({"tpot_ms_mean": 0.0044}, "tpot_ms_mean is 0.0044, but 127 tokens after the first took"),
        ({"ttft_ms_mean": 0.04}, "ttft_ms_mean is 0.04, but no first token comes so soon"),
    ],
)
def test_one_latency_in_another_unit_is_refused(change: dict[str, float | None], said: str) -> None:
    check("f.json", "run 1", RUN)
    changed = {key: value for key, value in {**RUN, **change}.items() if value is not None}
    with pytest.raises(InputError, match=f"{said}.*: the unit is not ms"):
        check("f.json", "run 1", changed)


def test_a_long_answer_hides_no_normalised_tpot() -> None:
    # 40 + 1,999 x 4.4 = 8,836 ms over 2,000 tokens are 4.42 ms; in the wrong unit still less than the E2EL.
    run = {"ttft_ms_mean": 40.0, "tpot_ms_mean": 4.4, "e2el_ms_mean": 8836.0, "ntpot_ms_mean": 4.42}
    check("f.json", "run 1", run, osl=2000)
    with pytest.raises(InputError, match="2,000 tokens took 8836 ms together"):
        check("f.json", "run 1", {**run, "ntpot_ms_mean": 4420.0}, osl=2000)


# 300 answers of 2,000 tokens, 512 at once on 64 places: 44,655 + 1,999 x 11.961 = 68,566 ms.
QUEUED = {
    "requests_ok": 300.0,
    "output_tokens": 600_000.0,
    "ttft_ms_mean": 44_655.0,
    "tpot_ms_mean": 11.961,
    "e2el_ms_mean": 68_566.0,
}
SPREADS = {"tpot_ms_std": 0.575, "e2el_ms_std": 32_385.0}


@pytest.mark.parametrize("spreads", [{}, SPREADS, {"tpot_ms_std": 0.575, "e2el_ms_max": 122_000.0}])
@pytest.mark.parametrize("of_ttft", [{}, {"ttft_ms_std": 32_366.0}])
def test_a_queue_s_wait_in_seconds_is_refused_though_a_token_takes_less(
    spreads: dict[str, float], of_ttft: dict[str, float]
) -> None:
    check("f.json", "run 1", {**QUEUED, **spreads, **of_ttft})
    seconds = {key: value / 1000 for key, value in of_ttft.items()}
    with pytest.raises(InputError, match=r"ttft_ms_mean is 44.655, but e2el_ms_mean leaves 44656 ms before"):
        check("f.json", "run 1", {**QUEUED, **spreads, **seconds, "ttft_ms_mean": 44.655})


def test_of_one_request_no_spread_explains_a_wait() -> None:
    # 2.1 s and 127 tokens of 150 ms each.
    one = {"requests_ok": 1.0, "output_tokens": 128.0, "tpot_ms_mean": 150.0, "e2el_ms_mean": 21_150.0}
    check("f.json", "run 1", {**one, "ttft_ms_mean": 2100.0})
    with pytest.raises(InputError, match=r"ttft_ms_mean is 2.1, but e2el_ms_mean leaves 2100 ms before"):
        check("f.json", "run 1", {**one, "ttft_ms_mean": 2.1})


@pytest.mark.parametrize("known", [("std",), ("max",), ()])
def test_long_answers_that_are_slower_ones_are_true(known: tuple[str, ...]) -> None:
    """Answers of 1,000 and of 15,500 tokens, whose cache makes a token take 20 and 23.2 ms: on average 11.9 + (19,980 +
    359,576.8) / 2 = 189,790.3 ms, of which 21.6 x 8,249 leave 11,611.9, nearly a thousand times the TTFT."""
    tpot, gaps = np.array([20.0, 23.2]), np.array([999.0, 15_499.0])
    e2el = 11.9 + tpot * gaps
    run = {
        "requests_ok": 2.0,
        "output_tokens": float(gaps.sum() + 2),
        "ttft_ms_mean": 11.9,
        "tpot_ms_mean": float(tpot.mean()),
        "tpot_ms_std": float(tpot.std()),
        "e2el_ms_mean": float(e2el.mean()),
    }
    run |= {f"e2el_ms_{statistic}": float(getattr(e2el, statistic)()) for statistic in known}
    check("f.json", "run 1", run)


def test_chunks_of_many_tokens_have_long_gaps() -> None:
    """In public results a gap was 95 times the TPOT: the answer came in a few pieces."""
    check("f.json", "run 1", {**RUN, "itl_ms_mean": 418.0})


@pytest.mark.parametrize("key", ["ttft_ms_mean", "ttft_ms_p50", "e2el_ms_p50"])
def test_no_server_answers_within_a_tenth_of_a_millisecond(key: str) -> None:
    check("f.json", "run 1", {key: 0.2})
    with pytest.raises(InputError, match=f"{key} is 0.06, but no request over HTTP is answered within 0.1 ms"):
        check("f.json", "run 1", {key: 0.06})


def test_all_latencies_in_seconds_are_refused_or_told_where_only_they_tell() -> None:
    seconds = {key: value / 1000 if "_ms" in key else value for key, value in RUN.items()}
    with pytest.raises(InputError, match=r"ttft_ms_mean is 0.04, but no request over HTTP"):
        check("f.json", "run 1", seconds)
    # A TTFT of 400 ms in seconds may be a mock server's; the tokens that follow it are told.
    mock = {"ttft_ms_mean": 0.4, "tpot_ms_mean": 0.02}
    check("f.json", "run 1", mock)
    (told,) = too_fast(mock)
    assert told.kind == "too_fast"
    assert told.seen.startswith("A TPOT of 0.02 ms is 50,000 tokens/s for one user")
    assert too_fast(RUN) == too_fast({}) == ()
