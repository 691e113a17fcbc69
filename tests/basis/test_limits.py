"""Limits: how they are read and told, and that a point that does not state a metric is neither kept nor broken."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import catalogue
from bench.basis import limits
from bench.basis.limits import Limit
from bench.errors import UnknownName, UsageError
from bench.library import Library
from bench.view import View
from tests.questions.heatmap.results import library_of, point

VALUES = (None, 1.0, 5.0, 10.0)
KEYS = ("ttft_ms_p50", "tpot_ms_p50", "e2el_ms_p50")
"""The points state the first two; nothing is known of the third."""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """One point for each pair of values, with all that is known of it in its throughput."""
    rows = [
        point(128, 128, 1 + place, ttft_ms_p50=ttft, tpot_ms_p50=tpot, concurrency=1 + place)
        for place, (ttft, tpot) in enumerate(product(VALUES, VALUES))
    ]
    return library_of(tmp_path_factory.mktemp("limits"), rows)


some_limits = st.builds(
    Limit, st.sampled_from([*map(catalogue.metric, KEYS)]), st.booleans(), st.sampled_from((0.0, 1.0, 5.0, 7.5))
)


def kept(values: dict[str, float | None], limit: Limit) -> bool | None:
    value = values.get(limit.metric.key)
    return None if value is None else value <= limit.value if limit.at_most else value >= limit.value


def all_of(verdicts: list[bool | None]) -> bool | None:
    """Whether all hold: one that does not decides, else one that is unknown leaves all unknown."""
    return False if False in verdicts else None if None in verdicts else True


@given(st.lists(some_limits, max_size=3))
def test_what_is_known_of_a_point_decides_and_what_is_not_stays_unknown(library: Library, some: list[Limit]) -> None:
    found = dict(library.fetch(f"SELECT concurrency, {limits.kept_sql(library, tuple(some))} FROM points"))
    for place, (ttft, tpot) in enumerate(product(VALUES, VALUES)):
        stated = {"ttft_ms_p50": ttft, "tpot_ms_p50": tpot}
        assert found[1 + place] is all_of([kept(stated, limit) for limit in some])


@given(st.sampled_from(KEYS), st.booleans(), st.floats(0, 1e9, exclude_min=True))
def test_a_limit_is_read_as_it_was_written(key: str, at_most: bool, value: float) -> None:
    written = Limit(catalogue.metric(key), at_most, float(f"{value:.12g}"))
    assert limits.read(View.of(slo=[written.text])) == (written,)
    assert limits.read(View.from_query(View.of(slo=[written.text]).query())) == (written,)


def test_they_are_told_in_the_fields_words_and_shorter_in_a_headline() -> None:
    some = limits.read(View.of(slo=["ttft_ms_p99<=2000", "interactivity_tokens_per_s_per_user_p50>=20"]))
    assert limits.words(some) == "median interactivity of 20 tokens/s/user or more and p99 TTFT of 2,000 ms or less"
    assert limits.short(some) == "median interactivity ≥ 20 tokens/s/user and p99 TTFT ≤ 2,000 ms"
    assert limits.metrics((*some, *some)) == "median interactivity and p99 TTFT"


@pytest.mark.parametrize(
    "text",
    [
        "ttft_ms_p99",
        "ttft_ms_p99=5",
        "ttft_ms_p99<=fast",
        "ttft_ms_p99<=nan",
        "<=5",
        "ttft_ms_p99<=inf",
        "ttft_ms_p99<5",
    ],
)
def test_what_is_no_limit_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(UsageError, match="slo=ttft_ms_p99<=2000"):
        limits.read(View.of(slo=[text]))


def test_nothing_takes_no_time_but_may_be_no_share() -> None:
    with pytest.raises(UsageError, match="p99 TTFT"):
        limits.read(View.of(slo=["ttft_ms_p99<=0"]))
    assert limits.read(View.of(slo=["ttft_ms_p99>=0", "output_tokens_per_s<=0"]))


@pytest.mark.parametrize("written", ["0.05", "5%", "5 %", "5.0%"])
def test_a_limit_on_a_share_is_read_in_percent_too(written: str) -> None:
    (read,) = limits.read(View.from_query(View.of(slo=[f"failed_share<={written}"]).query()))
    assert (read.value, read.text, read.short) == (0.05, "failed_share<=0.05", "failed share ≤ 5.0 %")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("failed_share<=5", "failed_share<=5%"),
        ("failed_share>=101%", "at most 100 %"),
        ("ttft_ms_p99<=5%", "p99 TTFT"),
        ("failed_share<=5%%", "is no limit"),
        ("failed_share<=%", "is no limit"),
    ],
)
def test_a_share_beyond_one_and_a_percent_of_no_share_are_refused(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=re.escape(words)):
        limits.read(View.of(slo=[text]))
    assert limits.read(View.of(slo=["scaling_efficiency>=110%"]))[0].value == 1.1  # a gain may be more than all


def test_a_metric_that_does_not_exist_and_too_many_limits_are_refused() -> None:
    with pytest.raises(UnknownName, match="ttft_ms_p99"):
        limits.read(View.of(slo=["ttft_ms_p999<=5"]))
    with pytest.raises(UsageError, match="more than the 8"):
        limits.read(View.of(slo=[f"ttft_ms_p99<={value}" for value in range(9)]))


def test_a_control_names_the_metric_and_its_unit() -> None:
    assert limits.label(catalogue.metric("ttft_ms_p99")) == "P99 TTFT at most (ms)"
    fastest = catalogue.metric("interactivity_tokens_per_s_per_user_p50")
    assert limits.label(fastest) == "Interactivity at least (tokens/s/user)"
