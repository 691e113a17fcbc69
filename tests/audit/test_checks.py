"""Each check finds the contradiction it is about, worked out by hand, and nothing where figures agree."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from bench import audit, flags
from bench.errors import InputError
from bench.library import Library
from tests.library.files import table

AGREEING = {
    "model": "llama-3.1-70b",
    "precision": "fp8",
    "engine": "vllm",
    "engine_version": "0.9",
    "accelerator": "h100-sxm",
    "accelerators": 4,
    "tp": 4,
    "isl": 1000,
    "osl": 101,
    "isl_actual": 1000,
    "osl_actual": 101,
    "load_kind": "closed",
    "concurrency": 10,
    "evidence": "measured",
    "date": "2026-03-01",
    "output_tokens_per_s": 404,
    "requests_per_s": 4,
    "ttft_ms_mean": 500,
    "tpot_ms_mean": 20,
    "e2el_ms_mean": 2500,
    "source_url": "https://example.org/run/1",
}
"""4 answers a second of 101 tokens are 404 tokens/s; 500 + 100 x 20 = 2,500 ms; 4 x 2.5 s are 10 requests in flight."""

TWICE_THE_LOAD = {
    "concurrency": 20,
    "output_tokens_per_s": 606,
    "requests_per_s": 6,
    "e2el_ms_mean": 3333,
    "tpot_ms_mean": 28.33,
}

WITHOUT_RATES = dict.fromkeys(
    (
        "isl_actual",
        "osl_actual",
        "output_tokens_per_s",
        "requests_per_s",
        "ttft_ms_mean",
        "tpot_ms_mean",
        "e2el_ms_mean",
    )
)

STEPS = {
    **dict.fromkeys(("requests_per_s", "ttft_ms_mean", "tpot_ms_mean", "e2el_ms_mean", "concurrency")),
    "isl": None,
    "osl": None,
    "isl_actual": None,
    "osl_actual": None,
    "load_kind": "batch",
    "batch": 8,
    "decode_step_ms_mean": 20,
    "output_tokens_per_s": 400,
}
"""A batch of 8 every 20 ms is 400 tokens/s."""


def library(folder: Path, *rows: dict[str, object], others: tuple[dict[str, object], ...] = ()) -> Library:
    """A library of two sources: `rows` and `others`, each with what it changes of AGREEING."""
    found = Library.open(folder / "library", shipped=False)
    for stem, changed in (("made", rows), ("other", others)):
        if changed:
            assert not found.add([table(folder / f"{stem}.csv", *changed, base=AGREEING)]).refused
    return found


def found(check: str, held: Library) -> list[audit.Finding]:
    return list(audit.checks()[check].findings(held))


def test_every_check_finds_nothing_where_figures_agree_or_there_are_none(tmp_path: Path) -> None:
    held, none = library(tmp_path, {}, TWICE_THE_LOAD, STEPS), Library.open(tmp_path / "none", shipped=False)
    for name, check in audit.checks().items():
        assert check.TITLE
        assert check.RULE
        assert found(name, held) == [], name
        assert found(name, none) == [], name


@pytest.mark.parametrize(
    ("check", "changed", "flag", "words"),
    [
        ("littles_law", {"e2el_ms_mean": 6000, "tpot_ms_mean": 55}, "littles-law", "24.0 requests in flight"),
        (
            "littles_law",
            {"load_kind": "open", "request_rate": 2, "concurrency": None},
            "more_than_sent",
            "4 requests/s were answered where 2 were sent",
        ),
        (
            "latency_sum",
            {"tpot_ms_mean": 50, "e2el_ms_mean": 2500},
            "latency-sum",
            "come to 5,500 ms, the end-to-end latency is 2,500 ms (120 % off, mean)",
        ),
        (
            "token_counts",
            {"osl_actual": 80, "output_tokens_per_s": 320},
            "osl_off_target",
            "80 tokens on average where 101 were asked for (-21 % off)",
        ),
        (
            "rates",
            {"output_tokens_per_s": 808, "e2el_ms_mean": 1250},
            "rates_differ",
            "output_tokens_per_s is 808; 4 requests/s of 101 tokens come to 404",
        ),
        (
            "rates",
            {
                **dict.fromkeys(("isl_actual", "osl_actual", "requests_per_s", "e2el_ms_mean", "concurrency")),
                "isl": 1024,
                "osl": 256,
                "output_tokens_per_s": 1500,
                "total_tokens_per_s": 3000,
            },
            "rates_differ",
            "total_tokens_per_s is 3,000; 1,500 output tokens/s at 1,024 tokens in and 256 out come to 7,500",
        ),
        (
            "rates",
            {**WITHOUT_RATES, "isl": 1024, "osl": 256, "output_tokens_per_s": 1500, "total_tokens_per_s": 20_000},
            "rates_differ",
            "total_tokens_per_s is 2e+04; 1,500 output tokens/s at 1,024 tokens in and 256 out, with a chat template"
            " and answers that end early, come to 9,469",
        ),
        (
            "rates",
            {
                **WITHOUT_RATES,
                "isl_actual": 1024,
                "osl_actual": 256,
                "isl": 1024,
                "osl": 256,
                "output_tokens_per_s": 1500,
                "total_tokens_per_s": 12_000,
            },
            "rates_differ",
            "total_tokens_per_s is 1.2e+04; 1,500 output tokens/s at 1,024 tokens in and 256 out come to 7,500",
        ),
        (
            "rates",
            {"total_tokens_per_s": 5500},
            "rates_differ",
            "total_tokens_per_s is 5,500; 404 output tokens/s at 1,000 tokens in and 101 out come to 4,404",
        ),
        (
            "rates",
            {"output_tokens_per_s_per_accelerator": 404},
            "rates_differ",
            "output_tokens_per_s is 404; 404 of each of 4 accelerators come to 1,616",
        ),
        (
            "decode_step",
            {**STEPS, "output_tokens_per_s": 500},
            "rates_differ",
            "500 tokens/s are stated; a batch of 8 every 20 ms gives 400 (25 % off)",
        ),
    ],
)
def test_a_point_that_contradicts_itself(
    check: str, changed: dict[str, object], flag: str, words: str, tmp_path: Path
) -> None:
    held = library(tmp_path, {}, changed)
    (finding,) = found(check, held)
    assert words in finding.text
    assert (finding.source, finding.flag) == ("made", flag)
    assert flag in flags.KINDS
    assert held.fetch("SELECT count(*) FROM points WHERE point_id = ?", finding.point_ids) == [(1,)]


RATE_SHAPES: tuple[dict[str, object], ...] = (
    {"output_tokens_per_s": 404},
    {"output_tokens_per_s_per_accelerator": 101},
    {"requests_per_s": 4, "isl": None, "osl": None},
)
"""4 answers a second, however that is stated."""
LOADS: tuple[dict[str, object], ...] = ({}, {"load_kind": "unknown"}, {"load_kind": "open", "request_rate": 4})
LAW_KINDS = ("littles-law", "littles-law-by-median", "few-in-flight")
TIMES_MS = (250, 1000, 1500, 2500, 6000)


def expected_kind(load: dict[str, object], latency: str, time: int) -> str | None:
    """The flag of 4 answers a second of such a time at concurrency 10, by hand.

    More than 15 in flight are too many; fewer than 6.67 too few for a closed loop, and fewer than 1.67 for a short one.
    A mean explains a median of up to 15 / 0.88 = 17.05, and of down to 6.67 / 1.6 = 4.17.
    """
    in_flight = 4 * time / 1000
    if in_flight <= 15 and (load or in_flight > 6.67):
        return None
    if latency == "e2el_ms_p50" and 4.17 < in_flight < 17.05:
        return "littles-law-by-median"
    return "few-in-flight" if 1.67 < in_flight < 15 else "littles-law"


def test_little_s_law_is_the_readers_whatever_a_row_states(tmp_path: Path) -> None:
    shapes = list(product(RATE_SHAPES, LOADS, ("e2el_ms_mean", "e2el_ms_p50"), TIMES_MS))
    held = library(
        tmp_path,
        *(
            {**WITHOUT_RATES, **rate, **load, latency: time, "variant": f"shape {number}"}
            for number, (rate, load, latency, time) in enumerate(shapes)
        ),
    )
    expected = {
        f"shape {number}": kind
        for number, (_, *about) in enumerate(shapes)
        if (kind := expected_kind(*about))  # type: ignore[arg-type]
    }
    points = held.fetch("SELECT point_id, variant, flags FROM points")
    read = {name: kind for _, name, said in points for kind in flags.kinds_of(said) if kind in LAW_KINDS}
    variants = {point_id: name for point_id, name, _ in points}
    audited = {variants[one.point_ids[0]]: one.flag for one in found("littles_law", held)}
    assert read == expected
    assert audited == expected
    assert len(points) == len(shapes) == 90


def test_a_point_whose_chips_are_known_only_later_is_judged_by_them(tmp_path: Path) -> None:
    each = {**WITHOUT_RATES, "accelerators": None, "tp": None, "output_tokens_per_s_per_accelerator": 101}
    held = library(tmp_path, {**each, "e2el_ms_mean": 6000})
    assert found("littles_law", held) == []
    ((source_id,),) = held.fetch("SELECT DISTINCT source_id FROM points")
    held.set_facts(source_id, {"accelerators": 4})
    assert [one.flag for one in found("littles_law", held)] == ["littles-law"]


@pytest.mark.parametrize(
    ("row", "fact"),
    [
        ({"concurrency": 4}, {"concurrency": 24}),
        ({"osl": 25}, {"osl_requested": 101}),
        ({"output_tokens_per_s": None, "output_tokens_per_s_per_accelerator": 404}, {"accelerators": 1}),
        ({"load_kind": "open", "request_rate": 1, "concurrency": None, "e2el_ms_mean": 6000}, {"request_rate": 4}),
    ],
)
def test_a_point_that_a_later_fact_explains_ranks_again(
    row: dict[str, object], fact: dict[str, object], tmp_path: Path
) -> None:
    """4 answers a second of 6 s are 24 in flight; facts that are taken back bring the flag back."""
    base = {**WITHOUT_RATES, "output_tokens_per_s": 404, "e2el_ms_mean": 6000, "concurrency": 24}
    held = library(tmp_path, {**base, **row})

    def excluded() -> bool:
        ((said,),) = held.fetch("SELECT flags FROM points")
        return bool(set(flags.kinds_of(said)) & set(flags.EXCLUDING))

    ((source_id,),) = held.fetch("SELECT DISTINCT source_id FROM points")
    assert excluded()
    held.set_facts(source_id, {"variant": "as I see it"})
    assert excluded()
    held.set_facts(source_id, fact)
    assert not excluded()
    held.set_facts(source_id, dict.fromkeys(fact))
    assert excluded()


HEAVY = {
    "accelerators": 1,
    "tp": 1,
    "isl_actual": None,
    "osl_actual": None,
    "concurrency": 500,
    "requests_per_s": None,
    "e2el_ms_mean": None,
}


def test_more_tokens_than_the_memory_lets_through(tmp_path: Path) -> None:
    """Llama 3.1 70B in FP8 on one H100: 0.9 x 80 GiB less 70 GB of weights leave 7,309,411,328 bytes, a request of
    50 + 1,000 / 2 tokens holds 550 x 163,840 bytes, so 81.1 fit. A step reads all but the 128,256 x 8,192 of the table
    of tokens: (68.95e9 + 7.31e9) / 3.35e12 s make 3,563 tokens/s.
    """
    heavy = HEAVY | {"isl": 50, "osl": 1000, "output_tokens_per_s": 3600}
    (finding,) = found("roofline", library(tmp_path, heavy))
    assert finding.values["at_most"] == pytest.approx(3563.3, abs=0.1)
    assert "81 requests of 550 tokens fit at most, and a step takes 22.8 ms" in finding.text
    assert found("roofline", library(tmp_path / "below", heavy | {"output_tokens_per_s": 3500})) == []


def test_without_a_context_the_weights_alone_are_read(tmp_path: Path) -> None:
    """Four H100 read 68.95e9 bytes 194.4 times a second, 8 tokens at a time."""
    held = library(tmp_path, STEPS | {"decode_step_ms_mean": 4, "output_tokens_per_s": 2000})
    (finding,) = found("roofline", held)
    assert finding.values["at_most"] == pytest.approx(8 * 4 * 3.35e12 / 68_949_326_848)
    assert "8 requests are in a step at most" in finding.text


def test_more_tokens_than_the_compute_units_give(tmp_path: Path) -> None:
    """Table and head have 1.051e9 each: 1,979e12 / (2 x (68.95e9 + 67.90e9 x 1,000 / 100)) is 1,323 tokens/s."""
    held = library(tmp_path, HEAVY | {"osl": 100, "output_tokens_per_s": 1500})
    (finding,) = found("roofline", held)
    assert finding.values["at_most"] == pytest.approx(1323, abs=0.5)
    assert "compute units" in finding.text


def test_two_figures_under_one_label_are_told_by_the_load_where_they_lie_farthest_apart(tmp_path: Path) -> None:
    """Lengths tell points apart only where both state them; at batch 16 the columns are 800 / 400 = 2 times apart."""
    held = library(
        tmp_path,
        {**STEPS, "variant": "A", "osl": 50},
        {**STEPS, "variant": "B", "output_tokens_per_s": 320},
        {**STEPS, "variant": "A", "osl": 50, "batch": 16, "output_tokens_per_s": 800},
        {**STEPS, "variant": "B", "batch": 16},
        {**STEPS, "batch": 32, "isl": 100, "osl": 10},
        {**STEPS, "batch": 32, "isl": 200, "osl": 10, "output_tokens_per_s": 900},
    )
    (finding,) = found("same_label", held)
    assert "batch 16 has 800 and 400 tokens/s, 2 times apart; 4 points share the label" in finding.text
    assert finding.values == {"high": 800, "low": 400, "ratio": 2}


def test_a_newer_run_is_no_contradiction_of_an_older_one(tmp_path: Path) -> None:
    held = library(
        tmp_path,
        {},
        {
            "output_tokens_per_s": 909,
            "requests_per_s": 9,
            "tpot_ms_mean": 8,
            "e2el_ms_mean": 1300,
            "date": "2026-03-04",
            "source_url": "https://example.org/run/2",
        },
    )
    assert found("same_label", held) == []


def test_the_same_measurements_in_two_sources_are_a_copy(tmp_path: Path) -> None:
    rows = tuple({"concurrency": level, "output_tokens_per_s": 40.4 * level} for level in (1, 2, 4))
    held = library(tmp_path, *rows, others=tuple({**row, "note": "as read again"} for row in rows))
    (finding,) = found("copies", held)
    assert all(words in finding.text for words in ("made", "other", "3 measurements"))
    assert len(finding.point_ids) == 6


def test_one_row_is_a_copy_where_its_figures_have_many_digits(tmp_path: Path) -> None:
    exact = {"output_tokens_per_s": 4512.37, "ttft_ms_p50": 118.204}
    held = library(tmp_path / "exact", exact, others=({**exact, "note": "as read again"},))
    (finding,) = found("copies", held)
    assert finding.values == {"measurements": 1}
    round_figures = {"output_tokens_per_s": 4500, "ttft_ms_p50": 120}
    again = {**round_figures, "note": "as read again"}
    assert found("copies", library(tmp_path / "round", round_figures, others=(again,))) == []


NO_ENGINE: dict[str, object] = {"engine": None, "engine_version": None}
FIGURES: dict[str, object] = {
    **WITHOUT_RATES,
    "output_tokens_per_s": 702.5,
    "ttft_ms_p50": 213,
    "tpot_ms_mean": 12.4,
    "e2el_ms_mean": 1456,
}
"""Figures as people print them: 4 + 3 + 3 + 4 digits."""


@pytest.mark.parametrize(
    "filed",
    [
        NO_ENGINE,
        {"accelerator": None},
        {**NO_ENGINE, "total_tokens_per_s": None, "ttft_ms_p50": None},
        {"accelerator": "h200-sxm"},
        {"concurrency": 16},
        {"isl": 2000, "osl": 202},
        {"precision": None, "tp": None},
    ],
)
def test_one_row_is_a_copy_under_another_configuration_where_many_figures_are_alike(
    filed: dict[str, object], tmp_path: Path
) -> None:
    copy = {**FIGURES, "total_tokens_per_s": 7658}
    (finding,) = found("copies", library(tmp_path, copy, others=({**copy, **filed},)))
    assert len(finding.point_ids) == 2
    assert finding.values["measurements"] == 1
    assert "made and other both hold" in finding.text


def test_a_row_that_was_copied_to_other_loads_of_its_own_source_is_a_copy(tmp_path: Path) -> None:
    (finding,) = found("copies", library(tmp_path, FIGURES, {**FIGURES, "concurrency": 12, "note": "by mistake"}))
    assert (len(finding.point_ids), finding.source) == (2, "made")


def test_a_copied_row_of_unverified_figures_is_a_copy(tmp_path: Path) -> None:
    held = library(tmp_path, FIGURES | {"evidence": None}, others=(FIGURES | NO_ENGINE | {"evidence": None},))
    assert [one.values["measurements"] for one in found("copies", held)] == [1]


TIMES: dict[str, object] = {"ttft_ms_p50": 213.4, "tpot_ms_mean": 12.43, "e2el_ms_mean": 1456}
"""4 + 4 + 4 digits."""


@pytest.mark.parametrize(
    ("own", "copied"),
    [
        # Nothing but latencies in one of the two, or in both.
        ({}, {"output_tokens_per_s": None}),
        ({"output_tokens_per_s": None}, {"output_tokens_per_s": None}),
        # Latencies beside another throughput have 12 digits.
        (TIMES, {**TIMES, "output_tokens_per_s": 1388.1}),
        (TIMES, {**TIMES, "output_tokens_per_s": None, "requests_per_s": 13.7}),
        # A throughput in requests alone.
        (
            {"output_tokens_per_s": None, "requests_per_s": 6.955, "tpot_ms_mean": None},
            {"output_tokens_per_s": None, "requests_per_s": 6.955, "tpot_ms_mean": None},
        ),
    ],
)
def test_a_row_is_a_copy_where_only_its_latencies_or_requests_were_copied(
    own: dict[str, object], copied: dict[str, object], tmp_path: Path
) -> None:
    held = library(tmp_path, {**FIGURES, **own}, others=({**FIGURES, "engine": "sglang", **copied},))
    (finding,) = found("copies", held)
    assert (finding.values["measurements"], len(finding.point_ids)) == (1, 2)


@pytest.mark.parametrize(
    "copied",
    [
        {**TIMES, "output_tokens_per_s": 1388.1, "ttft_ms_p50": 213.5},
        {**TIMES, "output_tokens_per_s": None, "e2el_ms_mean": None},
        {**TIMES, "output_tokens_per_s": 1388.1, "e2el_ms_mean": None, "ttft_ms_p99": 213.4},
    ],
)
def test_latencies_of_which_one_differs_or_few_agree_are_no_copy(copied: dict[str, object], tmp_path: Path) -> None:
    held = library(tmp_path, {**FIGURES, **TIMES}, others=({**FIGURES, "engine": "sglang", **copied},))
    assert found("copies", held) == []


def test_two_latencies_alone_are_no_copy_whatever_their_digits(tmp_path: Path) -> None:
    two = {**FIGURES, "ttft_ms_p50": 213.417, "tpot_ms_mean": 12.4313, "e2el_ms_mean": None}
    others = {**two, "engine": "sglang", "output_tokens_per_s": 1388.1}
    assert found("copies", library(tmp_path, two, others=(others,))) == []


@pytest.mark.parametrize("filed", [{"accelerators": None}, {"accelerators": None, "tp": None}, NO_ENGINE])
def test_a_measurement_is_a_copy_where_only_one_of_two_sources_states_all_of_its_configuration(
    filed: dict[str, object], tmp_path: Path
) -> None:
    """One figure of 6 digits and one of 6, which two sources have by chance once in 10 to the 12."""
    exact = {**WITHOUT_RATES, "output_tokens_per_s": 4512.37, "ttft_ms_p50": 118.204}
    (finding,) = found("copies", library(tmp_path, exact, others=({**exact, **filed},)))
    assert finding.values == {"measurements": 1}


def test_a_measurement_is_no_copy_of_two_that_differ_in_what_it_leaves_out(tmp_path: Path) -> None:
    exact = {**WITHOUT_RATES, "output_tokens_per_s": 4512.37, "ttft_ms_p50": 118.204}
    two = (exact, {**exact, "accelerators": 8, "engine": "sglang"})
    assert found("copies", library(tmp_path, *two, others=({**exact, "accelerators": None},))) == []


def test_requests_a_second_alone_are_a_figure(tmp_path: Path) -> None:
    rows = tuple({**WITHOUT_RATES, "concurrency": level, "requests_per_s": 0.4 * level} for level in (1, 2, 4))
    held = library(tmp_path, *rows, others=tuple({**row, "note": "as read again"} for row in rows))
    assert [one.values for one in found("copies", held)] == [{"measurements": 3}]


@pytest.mark.parametrize(
    "changed",
    [
        {"tpot_ms_mean": 12.5},
        {"ttft_ms_p50": None, "tpot_ms_mean": None},
        {"output_tokens_per_s": 703.5},
        {"ttft_ms_p99": 213, "ttft_ms_p50": None, "tpot_ms_mean": None, "e2el_ms_mean": None},
    ],
)
def test_a_row_with_another_figure_or_few_in_common_is_no_copy(changed: dict[str, object], tmp_path: Path) -> None:
    others = {**FIGURES, **NO_ENGINE, **changed}
    assert found("copies", library(tmp_path, FIGURES, others=(others,))) == []


def test_round_figures_and_repeats_are_no_copies(tmp_path: Path) -> None:
    again = {"output_tokens_per_s": 1500, "ttft_ms_p50": 200, "tpot_ms_mean": 12, "e2el_ms_mean": 1400}
    rounded = {**FIGURES, **again}
    assert found("copies", library(tmp_path / "round", rounded, {**rounded, "concurrency": 20})) == []
    two = {
        **FIGURES,
        "output_tokens_per_s": 4512.37,
        "ttft_ms_p50": 118.204,
        "tpot_ms_mean": None,
        "e2el_ms_mean": None,
    }
    assert found("copies", library(tmp_path / "two", two, {**two, "concurrency": 20}, FIGURES)) == []
    repeats = ({**FIGURES, "repeat": 1}, {**FIGURES, "repeat": 2, "note": "as measured again"})
    assert found("copies", library(tmp_path / "repeats", *repeats)) == []


@pytest.mark.parametrize(
    "figures",
    [
        {"output_tokens_per_s": 1500, "ttft_ms_p50": 200, "tpot_ms_p50": 20},
        {"output_tokens_per_s": 842.5, "ttft_ms_p50": 96.1},
    ],
)
def test_a_line_that_a_source_has_twice_is_a_copy_whatever_its_digits(
    figures: dict[str, object], tmp_path: Path
) -> None:
    row = {**WITHOUT_RATES, **figures}
    (finding,) = found("copies", library(tmp_path, row, row, {**row, "concurrency": 20, "output_tokens_per_s": 900}))
    assert (finding.values, len(finding.point_ids)) == ({"measurements": 1}, 2)


@pytest.mark.parametrize(
    "changed", [{"repeat": 2}, {"ttft_ms_p99": 300}, {"source_url": "https://example.org/run/2"}, {"variant": "A"}]
)
def test_a_line_with_anything_else_than_another_is_no_copy_of_it(changed: dict[str, object], tmp_path: Path) -> None:
    row = {**WITHOUT_RATES, "output_tokens_per_s": 842.5, "ttft_ms_p50": 96.1, "repeat": 1}
    assert found("copies", library(tmp_path, row, {**row, **changed})) == []


def test_a_line_of_one_figure_may_come_twice(tmp_path: Path) -> None:
    row = {**WITHOUT_RATES, "output_tokens_per_s": 1500}
    assert found("copies", library(tmp_path, row, row)) == []


OTHER_FIGURES: dict[str, object] = {
    "output_tokens_per_s": 1200,
    "requests_per_s": 12,
    "tpot_ms_mean": 6,
    "e2el_ms_mean": 800,
}


NO_LENGTHS: dict[str, object] = dict.fromkeys(("isl", "osl", "isl_actual", "osl_actual"))
SATURATED: dict[str, object] = {"load_kind": "saturated", "concurrency": None}


@pytest.mark.parametrize(
    ("first", "second", "said"),
    [
        ({}, {}, ""),
        ({}, NO_ENGINE, "(other states no engine)"),
        (NO_ENGINE, {}, "(made states no engine)"),
        (NO_ENGINE, NO_ENGINE, ""),
        ({}, {"accelerator": None}, "(other states no accelerator)"),
        (NO_LENGTHS, NO_LENGTHS, ""),
        ({"isl": None, "isl_actual": None}, {"isl": None, "isl_actual": None}, ""),
        ({}, {"engine_version": None}, "(other states no engine_version)"),
        ({"precision": None}, {}, "(made states no precision)"),
        ({}, {"tp": None}, "(other states no tp)"),
        ({}, {"accelerators": None}, "(other states no accelerators)"),
        ({"accelerators": None, "tp": None}, {}, "(made states no accelerators) (made states no tp)"),
        ({"accelerators": None}, {"accelerators": None}, ""),
        ({}, {"date": "2026-05-01"}, "of 2026-05-01 and 2026-03-01"),
        ({"engine_version": None}, {"engine_version": None, "date": "2026-05-01"}, "of 2026-05-01 and 2026-03-01"),
        (SATURATED, SATURATED, ""),
        ({"load_kind": "unknown"}, {"load_kind": "unknown"}, ""),
    ],
)
def test_two_sources_with_two_figures_under_one_label_are_told(
    first: dict[str, object], second: dict[str, object], said: str, tmp_path: Path
) -> None:
    held = library(tmp_path, first, others=({**OTHER_FIGURES, **second},))
    (finding,) = found("same_label", held)
    assert f"tokens/s in other and made{' ' * bool(said)}{said}," in finding.text
    assert finding.values == {"high": 1200, "low": 404, "ratio": pytest.approx(1200 / 404)}
    assert len(finding.point_ids) == 2


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({}, {**NO_ENGINE, "accelerator": None}),
        ({}, {**NO_ENGINE, "accelerator": "h200-sxm"}),
        ({}, {"engine": "sglang"}),
        ({}, {"engine_version": "0.10"}),
        ({}, {"engine_version": "0.10", "date": "2026-05-01"}),
        ({}, {"engine_version": None, "date": "2026-05-01"}),
        ({}, {"engine_version": "0.10", "accelerator": None}),
        ({}, {**NO_ENGINE, "isl": None, "isl_actual": None}),
        ({}, {**NO_ENGINE, "concurrency": 20}),
        ({"accelerator": None}, {"accelerator": None}),
        ({"accelerator": None}, NO_ENGINE),
        (NO_LENGTHS, {}),
        ({**NO_LENGTHS, "dataset": "sharegpt"}, NO_LENGTHS),
        ({"precision": "bf16"}, {"tp": None}),
        (SATURATED, {}),
        ({"load_kind": "unknown", "concurrency": None}, {"load_kind": "unknown", "concurrency": None}),
    ],
)
def test_two_sources_whose_labels_tell_them_apart_or_too_little_are_not_told(
    first: dict[str, object], second: dict[str, object], tmp_path: Path
) -> None:
    held = library(tmp_path, first, others=({**OTHER_FIGURES, **second},))
    assert found("same_label", held) == []


def test_a_source_that_leaves_out_what_another_has_several_of_contradicts_none(tmp_path: Path) -> None:
    """101 answers of 1,200 tokens/s may be those of 8 chips as of 4."""
    eight = {**OTHER_FIGURES, "accelerators": 8}
    assert found("same_label", library(tmp_path, {}, eight, others=({**OTHER_FIGURES, "accelerators": None},))) == []


COLUMNS = (
    "source,section,metric,value,model,accelerator,accelerators,output_tokens_per_s,output_tokens_per_s_of_one,"
    "usd_per_hour\n"
)
CLAIMS = """\
made,a,usd_per_day,55,,h100-sxm,1,,,2.49
made,b,usd_per_million_output_tokens,1.2,,h100-sxm,8,22,,16
made,c,usd_per_million_output_tokens,202,,h100-sxm,8,22,,16
made,d,memory_bandwidth_tb_s,3.3,,tpu-v6e,4,,,
made,e,scaling_efficiency_percent,66,,h100-sxm,2,1675,1260,
made,f,scaling_efficiency_percent,80,,h100-sxm,2,1675,1260,
made,g,max_output_tokens_per_s,300,llama-3.1-70b,h100-sxm,4,,,
made,h,output_tokens_per_s_per_usd_hour,1846,,tpu-v6e,4,9600,,5.2
elsewhere,i,usd_per_day,1,,h100-sxm,1,,,2.49
"""


def test_stated_figures_are_recomputed_from_those_beside_them(tmp_path: Path) -> None:
    """24 x 2.49 = 59.76; 16e6 / (3600 x 22) = 202.02; 4 x 1.638 = 6.55; 1675 / 2520 = 66.5 %; 9600 / 5.2 = 1846."""
    held = library(tmp_path, {})
    (held.path / "claims.csv").write_text(COLUMNS + CLAIMS)
    assert {one.values["stated"]: round(one.values["recomputed"], 2) for one in found("stated", held)} == {
        55: 59.76,
        1.2: 202.02,
        3.3: 6.55,
        80: 66.47,
        300: 404,
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("source,section,metric,value,colour\nmade,a,usd_per_day,5,red\n", "has the column 'colour'"),
        ("source,section,metric,value\nmade,a,usd_per_day,much\n", "value is 'much'; write a number above 0"),
        ("source,section,metric,value\nmade,a,usd_per_day,5,6\n", "has a cell beyond the header"),
    ],
)
def test_a_claim_that_cannot_be_read_is_named_with_its_place(text: str, words: str, tmp_path: Path) -> None:
    held = library(tmp_path, {})
    (held.path / "claims.csv").write_text(text)
    with pytest.raises(InputError, match=r"claims\.csv, row 2") as refused:
        found("stated", held)
    assert words in str(refused.value)
