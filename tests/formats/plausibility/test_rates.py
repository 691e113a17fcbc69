"""A throughput is held against the sums and the time of its own file, and against the window that its tool has."""

from __future__ import annotations

import pytest

from bench.errors import InputError
from bench.formats.plausibility.rates import check, differing
from bench.records import Deployment, Flag, Workload

# 24 answers of 128 tokens to prompts of 51 in 3.58 s: 3,072 / 3.58 = 858.1, 1,224 / 3.58 = 341.9, 24 / 3.58 = 6.7.
RUN = {
    "duration_s": 3.58,
    "requests_ok": 24.0,
    "output_tokens": 3072.0,
    "input_tokens": 1224.0,
    "output_tokens_per_s": 858.1,
    "input_tokens_per_s": 341.9,
    "total_tokens_per_s": 1200.0,
    "requests_per_s": 6.7,
    "requests_failed": 0.0,
}


def flags_of(metrics: dict[str, float], **lengths: float | None) -> tuple[Flag, ...]:
    """The flags of rates at these lengths."""
    return differing(metrics, Workload(**lengths), Deployment())  # type: ignore[arg-type]


@pytest.mark.parametrize("same_window", [True, False])
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"output_tokens_per_s": 858100.0}, "output_tokens_per_s is 858100, but 3,072 output tokens in 3.58 s come to"),
        ({"output_tokens_per_s": 0.858}, "output_tokens_per_s is 0.858, but 3,072 output tokens in 3.58 s come to"),
        ({"requests_per_s": 6700.0}, "requests_per_s is 6700, but 24 requests in 3.58 s come to 6.704"),
        ({"input_tokens_per_s": 341900.0}, "input_tokens_per_s is 341900, but 1,224 input tokens in 3.58 s"),
        ({"total_tokens_per_s": 10.0}, "total_tokens_per_s is 10, but 341.9 input and 858.1 output tokens/s"),
        ({"output_tokens": 0.0}, "output_tokens_per_s is 858.1, but 0 output tokens in 3.58 s come to 0"),
        ({"duration_s": 3580.0}, "24 requests in 3580 s come to 0.006704"),
        ({"duration_s": 0.0}, "duration_s is 0, but requests_ok is 24, and that takes time"),
    ],
)
def test_what_contradicts_its_own_file_is_refused(change: dict[str, float], said: str, same_window: bool) -> None:
    check("f.json", "run 1", RUN, same_window=same_window)
    with pytest.raises(InputError, match=f"f.json: in run 1 .*{said}"):
        check("f.json", "run 1", {**RUN, **change}, same_window=same_window)


def test_without_a_duration_lengths_tell() -> None:
    # 0.5 requests/s of 63 tokens are 31.5 tokens/s.
    rates = {"requests_per_s": 0.5, "output_tokens_per_s": 31.5}
    check("f.json", "run 1", rates, same_window=True, osl=63)
    check("f.json", "run 1", {**rates, "output_tokens_per_s": 31500.0}, same_window=True)
    with pytest.raises(InputError, match=r"0.5 requests/s of 63 tokens come to 31.5"):
        check("f.json", "run 1", {**rates, "output_tokens_per_s": 31500.0}, same_window=True, osl=63)


def test_a_part_is_no_more_than_the_whole() -> None:
    with pytest.raises(InputError, match=r"858.1 input or output tokens/s alone come to 858.1"):
        check("f.json", "run 1", {"output_tokens_per_s": 858.1, "total_tokens_per_s": 10.0}, same_window=True)


def test_another_window_is_told_and_not_refused() -> None:
    # A phase of 60 s whose last answer came after 3.58 s: 3,072 / 60 = 51.2, sixteen times less.
    longer = {key: value * 3.58 / 60 if key.endswith("_per_s") else value for key, value in RUN.items()}
    check("f.json", "run 1", longer, same_window=False)
    (told,) = flags_of(longer)
    assert told.kind == "rates_differ"
    assert told.seen == "requests_per_s is 0.3998; 24 requests in 3.58 s come to 6.704."
    assert flags_of(RUN) == ()
    with pytest.raises(InputError, match="requests_per_s"):
        check("f.json", "run 1", longer, same_window=True)


@pytest.mark.parametrize("failed", [1.0, None])
def test_a_failure_that_hung_on_makes_the_rates_of_its_phase_lower_by_any_factor(failed: float | None) -> None:
    # 147 answers within 6.59 s and one failure after 905 s: 147 / 905 = 0.1624 requests/s.
    run: dict[str, float] = {"duration_s": 6.59, "requests_ok": 147.0, "requests_per_s": 0.1624}
    hung = run if failed is None else {**run, "requests_failed": failed}
    check("f.json", "run 1", hung, same_window=False)
    assert [flag.kind for flag in flags_of(hung)] == ["rates_differ"]
    for wrong, same_window in (({**run, "requests_failed": 0.0}, False), (hung, True)):
        with pytest.raises(InputError, match=r"147 requests in 6.59 s come to 22.31"):
            check("f.json", "run 1", wrong, same_window=same_window)
    with pytest.raises(InputError, match="requests_per_s is 22300"):
        check("f.json", "run 1", {**hung, "requests_per_s": 22_300.0}, same_window=False)


def test_a_run_without_a_good_request_has_rates_of_nothing() -> None:
    check("f.json", "run 1", {**dict.fromkeys(RUN, 0.0), "duration_s": 3.58}, same_window=True)
    assert flags_of({**dict.fromkeys(RUN, 0.0), "duration_s": 3.58}) == ()


def test_two_digits_after_the_point_are_no_contradiction() -> None:
    # 2 answers of 45 tokens in 312 s: 0.00641 requests/s, printed as 0.01, and 0.288 tokens/s, printed as 0.29.
    printed = {
        "duration_s": 312.0,
        "requests_ok": 2.0,
        "output_tokens": 90.0,
        "requests_per_s": 0.01,
        "output_tokens_per_s": 0.29,
    }
    check("f.json", "run 1", printed, same_window=True)
    # One answer after 6.08 ms, whose duration is printed as 0.01 s.
    short = {"duration_s": 0.01, "requests_ok": 1.0, "requests_per_s": 164.55}
    check("f.json", "run 1", short, same_window=True)
    # 1,024 input tokens / 0.01 s, where the tool divided all 1,025 by 6.08 ms.
    summed = {"input_tokens_per_s": 102_400.0, "output_tokens_per_s": 164.5, "total_tokens_per_s": 168_662.0}
    check("f.json", "run 1", {**short, **summed}, same_window=True)


ASKED = {"isl_requested": 1024, "osl_requested": 256}
COUNTED = {"isl_actual": 1024.0, "osl_actual": 256.0}


@pytest.mark.parametrize(
    ("lengths", "total", "kinds"),
    [
        # 1,500 tokens out of 256 to prompts of 1,024 are 7,500 in all.
        (ASKED, 7500.0, []),
        (ASKED, 4900.0, ["rates_differ"]),
        (COUNTED, 4900.0, ["rates_differ"]),
        # Counted lengths leave a tenth open.
        (COUNTED, 8300.0, ["rates_differ"]),
        (COUNTED, 8200.0, []),
        (COUNTED, 6900.0, []),
        (COUNTED, 6800.0, ["rates_differ"]),
        # Answers of 164 to prompts of 1,064 with the template: 1,500 x (1,064 + 164) / 164.
        (ASKED, 11_232.0, []),
        # Prompts of 1,224 tokens and answers of 230.4: 1,500 x (1,224 + 230.4) / 230.4 = 9,469, and half as much again.
        (ASKED, 14_100.0, []),
        (ASKED, 14_300.0, ["rates_differ"]),
        (ASKED, 20_000.0, ["rates_differ"]),
        ({**ASKED, "turns": 4.0}, 20_000.0, []),
        ({**ASKED, "shared_prefix_share": 0.5}, 20_000.0, []),
        ({**ASKED, "turns": 4.0}, 4900.0, ["rates_differ"]),
        ({**COUNTED, "turns": 4.0}, 20_000.0, ["rates_differ"]),
        # A short prompt with a template of its own: 60 + 20 tokens for answers of 256.
        ({"isl_requested": 20, "osl_requested": 256}, 1500 * (60 + 20 + 256) / 256, []),
        ({"isl_requested": 1024}, 20_000.0, []),
    ],
)
def test_all_tokens_are_to_the_output_as_the_lengths_are(
    lengths: dict[str, float], total: float, kinds: list[str]
) -> None:
    rates = {"output_tokens_per_s": 1500.0, "total_tokens_per_s": total}
    assert [flag.kind for flag in flags_of(rates, **lengths)] == kinds
    parts = {"output_tokens_per_s": 1500.0, "input_tokens_per_s": total - 1500}
    assert [flag.kind for flag in flags_of(parts, **lengths)] == kinds
    assert [flag.kind for flag in flags_of({**rates, **parts}, **lengths)] == kinds


@pytest.mark.parametrize(
    ("about", "let_in", "kinds"),
    [
        # 9,000 where lengths come to 7,500: 1.2 times. One request of ten is partly in a window: 1.1 x 1.1.
        ({"requests_ok": 100.0}, 5, ["rates_differ"]),
        ({"requests_ok": 100.0}, 10, []),
        ({"requests_ok": 100.0, "requests_failed": 10.0}, 1, []),
        ({"requests_ok": 8.0}, None, []),
        ({}, 10, ["rates_differ"]),
    ],
)
def test_all_tokens_may_be_those_of_requests_that_a_window_has_in_part(
    about: dict[str, float], let_in: int | None, kinds: list[str]
) -> None:
    metrics = {"output_tokens_per_s": 1500.0, "total_tokens_per_s": 9000.0, **about}
    found = differing(metrics, Workload(**COUNTED), Deployment(), let_in)  # type: ignore[arg-type]
    assert [flag.kind for flag in found] == kinds


def test_all_tokens_are_those_taken_in_and_put_out() -> None:
    """6,000 and 1,500 are 7,500: half as much again is left for windows of their own."""
    parts = {"input_tokens_per_s": 6000.0, "output_tokens_per_s": 1500.0}
    found = {
        total: [flag.kind for flag in flags_of({**parts, "total_tokens_per_s": total})] for total in (11_200, 11_300)
    }
    assert found == {11_200: [], 11_300: ["rates_differ"]}


def test_the_throughput_of_one_accelerator_is_no_more_than_that_of_all_however_many_they_are() -> None:
    each = {"output_tokens_per_s_per_accelerator": 1500.0}
    assert [flag.kind for flag in flags_of({**each, "output_tokens_per_s": 1400.0})] == ["rates_differ"]
    assert flags_of({**each, "output_tokens_per_s": 1450.0}) == flags_of({**each, "output_tokens_per_s": 9000.0}) == ()
