"""Each check finds the contradiction it is about, worked out by hand, and nothing where figures agree."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
    sources = {"made": rows, "other": others}
    files = [table(folder / f"{stem}.csv", *changed, base=AGREEING) for stem, changed in sources.items() if changed]
    assert not found.add(files).refused
    return found


def found(check: str, held: Library) -> list[audit.Finding]:
    return list(audit.checks()[check].findings(held))


Case = tuple[tuple[dict[str, object], ...], tuple[dict[str, object], ...]]


def found_in(check: str, folder: Path, cases: Sequence[Case]) -> list[list[audit.Finding]]:
    """What a check finds in each case, its own rows and those of another source: a model and a run in one library."""
    own, others = (
        tuple(
            {"source_url": f"https://example.org/case/{number}", **row, "model": f"case-{number}"}
            for number, case in enumerate(cases)
            for row in case[side]
        )
        for side in (0, 1)
    )
    held = library(folder, *own, others=others)
    models = dict(held.fetch("SELECT point_id, model FROM points"))
    told: dict[str, list[audit.Finding]] = {f"case-{number}": [] for number, _ in enumerate(cases)}
    for finding in found(check, held):
        told[models[finding.point_ids[0]]].append(finding)
    return list(told.values())


def test_every_check_finds_nothing_where_figures_agree_or_there_are_none(tmp_path: Path) -> None:
    held, none = library(tmp_path, {}, TWICE_THE_LOAD, STEPS), Library.open(tmp_path / "none", shipped=False)
    for name, check in audit.checks().items():
        assert check.TITLE
        assert check.RULE
        assert found(name, held) == [], name
        assert found(name, none) == [], name


TOTAL = {**WITHOUT_RATES, "isl": 1024, "osl": 256, "output_tokens_per_s": 1500, "total_tokens_per_s": 20_000}
BY_MEDIAN = {**WITHOUT_RATES, "output_tokens_per_s": 404, "e2el_ms_p50": 1500}
OPEN = {"load_kind": "open", "request_rate": 2, "concurrency": None}
CONTRADICTIONS: tuple[tuple[str, dict[str, object], str, set[float]], ...] = (
    ("littles_law", {"e2el_ms_mean": 6000, "tpot_ms_mean": 55}, "littles-law", {24.0, 10, 2.4}),
    ("littles_law", OPEN, "more_than_sent", {4, 2}),
    ("littles_law", {"e2el_ms_mean": 1250, "tpot_ms_mean": 7.5}, "few-in-flight", {5.0, 10}),
    ("littles_law", BY_MEDIAN, "littles-law-by-median", {6.0, 10, 1.7}),
    ("latency_sum", {"tpot_ms_mean": 50, "e2el_ms_mean": 2500}, "latency-sum", {5500, 2500, 120}),
    ("token_counts", {"osl_actual": 80, "output_tokens_per_s": 320}, "osl_off_target", {80, 101, 21}),
    ("rates", {"output_tokens_per_s": 808, "e2el_ms_mean": 1250}, "rates_differ", {808, 4, 101, 404}),
    ("rates", TOTAL, "rates_differ", {1500, 1024, 256, 9469}),
    ("rates", {"output_tokens_per_s_per_accelerator": 404}, "rates_differ", {404, 4, 1616}),
    ("decode_step", {**STEPS, "output_tokens_per_s": 500}, "rates_differ", {500, 8, 20, 400, 25}),
)
"""What a row changes, the check and the flag that tell of it, and numbers of the finding."""


@pytest.mark.parametrize("check", sorted({check for check, *_ in CONTRADICTIONS}))
def test_a_point_that_contradicts_itself(check: str, tmp_path: Path) -> None:
    told = [row for row in CONTRADICTIONS if row[0] == check]
    findings = found_in(check, tmp_path, [(({}, changed), ()) for _, changed, *_ in told])
    for (_, _, flag, numbers), (finding,) in zip(told, findings, strict=True):
        said = re.findall(r"\d[\d,]*(?:\.\d+)?", finding.text)
        assert numbers <= {float(one.replace(",", "")) for one in said}, finding.text
        assert (finding.source, finding.flag, len(finding.point_ids)) == ("made", flag, 1)
        assert flag in flags.KINDS


RATES: tuple[dict[str, object], ...] = (
    {"output_tokens_per_s": 404},
    {"output_tokens_per_s_per_accelerator": 101},
    {"requests_per_s": 4, "isl": None, "osl": None},
)
"""4 answers a second, however that is stated."""
LOADS: tuple[dict[str, object], ...] = ({}, {"load_kind": "unknown"}, {"load_kind": "open", "request_rate": 4})


def law_kind(load: dict[str, object], latency: str, time: int) -> str | None:
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


@pytest.mark.exhaustive  # a point of each kind is above
def test_little_s_law_is_the_readers_whatever_a_row_states(tmp_path: Path) -> None:
    shapes = list(product(RATES, LOADS, ("e2el_ms_mean", "e2el_ms_p50"), (250, 1000, 1500, 2500, 6000)))
    changed = [{**WITHOUT_RATES, **rate, **load, latency: time} for rate, load, latency, time in shapes]
    held = library(tmp_path, *({**row, "variant": f"{number}"} for number, row in enumerate(changed)))
    expected = {f"{number}": kind for number, (_, *about) in enumerate(shapes) if (kind := law_kind(*about))}
    points = held.fetch("SELECT point_id, variant, flags FROM points")
    kinds = ("littles-law", "littles-law-by-median", "few-in-flight")
    read = {name: kind for _, name, said in points for kind in flags.kinds_of(said) if kind in kinds}
    variants = {point_id: name for point_id, name, _ in points}
    audited = {variants[one.point_ids[0]]: one.flag for one in found("littles_law", held)}
    assert (read, audited, len(points)) == (expected, expected, 90)


def test_a_point_whose_chips_are_known_only_later_is_judged_by_them(tmp_path: Path) -> None:
    each = {**WITHOUT_RATES, "accelerators": None, "tp": None, "output_tokens_per_s_per_accelerator": 101}
    held = library(tmp_path, {**each, "e2el_ms_mean": 6000})
    assert found("littles_law", held) == []
    ((source_id,),) = held.fetch("SELECT DISTINCT source_id FROM points")
    held.set_facts(source_id, {"accelerators": 4})
    assert [one.flag for one in found("littles_law", held)] == ["littles-law"]


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


NO_ENGINE: dict[str, object] = {"engine": None, "engine_version": None}
FIGURES: dict[str, object] = {
    **WITHOUT_RATES,
    "output_tokens_per_s": 702.5,
    "ttft_ms_p50": 213,
    "tpot_ms_mean": 12.4,
    "e2el_ms_mean": 1456,
}
"""Figures as people print them: 4 + 3 + 3 + 4 digits."""
TIMES: dict[str, object] = {"ttft_ms_p50": 213.4, "tpot_ms_mean": 12.43, "e2el_ms_mean": 1456}
"""4 + 4 + 4 digits."""
TIMED = {**FIGURES, **TIMES}
EXACT = {**WITHOUT_RATES, "output_tokens_per_s": 4512.37, "ttft_ms_p50": 118.204}
"""Two figures of 6 digits, which two sources have by chance once in 10 to the 12."""
PRINTED = {**WITHOUT_RATES, "output_tokens_per_s": 842.5, "ttft_ms_p50": 96.1}
ROUND = {**FIGURES, "output_tokens_per_s": 1500, "ttft_ms_p50": 200, "tpot_ms_mean": 12, "e2el_ms_mean": 1400}
THROUGHPUTS = tuple({"concurrency": level, "output_tokens_per_s": 40.4 * level} for level in (1, 2, 4))
REQUESTS = tuple({**WITHOUT_RATES, "concurrency": level, "requests_per_s": 0.4 * level} for level in (1, 2, 4))
AGAIN = {"note": "as read again"}


def beside(own: dict[str, object], *changes: dict[str, object]) -> list[Case]:
    """A row with a copy of it in another source, for each of these changes of the copy."""
    return [((own,), ({**own, **changed},)) for changed in changes]


COPIES: list[Case] = [
    (THROUGHPUTS, tuple({**row, **AGAIN} for row in THROUGHPUTS)),
    (REQUESTS, tuple({**row, **AGAIN} for row in REQUESTS)),
    # Two figures of many digits, where only one of two sources states all of the configuration.
    *beside(EXACT, AGAIN, {"accelerators": None}, {"accelerators": None, "tp": None}, NO_ENGINE),
    # Many figures alike, filed under another configuration.
    *beside(
        {**FIGURES, "total_tokens_per_s": 7658},
        NO_ENGINE,
        {"accelerator": None},
        {**NO_ENGINE, "total_tokens_per_s": None, "ttft_ms_p50": None},
        {"accelerator": "h200-sxm"},
        {"concurrency": 16},
        {"isl": 2000, "osl": 202},
        {"precision": None, "tp": None},
    ),
    *beside({**FIGURES, "evidence": None}, NO_ENGINE),
    # Another load of its own source.
    ((FIGURES, {**FIGURES, "concurrency": 12, **AGAIN}), ()),
    # Nothing but latencies in one of the two, or in both.
    *beside(FIGURES, {"engine": "sglang", "output_tokens_per_s": None}),
    *beside({**FIGURES, "output_tokens_per_s": None}, {"engine": "sglang"}),
    # Latencies of 12 digits beside another throughput.
    *beside(
        TIMED,
        {"engine": "sglang", "output_tokens_per_s": 1388.1},
        {"engine": "sglang", "output_tokens_per_s": None, "requests_per_s": 13.7},
    ),
    # A throughput in requests alone.
    *beside(
        {**FIGURES, "output_tokens_per_s": None, "requests_per_s": 6.955, "tpot_ms_mean": None}, {"engine": "sglang"}
    ),
    # A line that a source has twice, whatever its digits.
    *(
        ((row, row, {**row, "concurrency": 20, "output_tokens_per_s": 900}), ())
        for row in (PRINTED, {**WITHOUT_RATES, "output_tokens_per_s": 1500, "ttft_ms_p50": 200, "tpot_ms_p50": 20})
    ),
]


@pytest.mark.parametrize("case", COPIES)
def test_a_measurement_that_was_copied_is_told(case: Case, tmp_path: Path) -> None:
    own, others = case
    (finding,) = found("copies", library(tmp_path, *own, others=others))
    measurements = len(others) or 1
    assert finding.values["measurements"] == measurements
    assert (len(finding.point_ids), finding.source) == (2 * measurements, "made")
    assert not others or "made and other both hold" in finding.text


NO_COPIES: list[Case] = [
    *beside({**WITHOUT_RATES, "output_tokens_per_s": 4500, "ttft_ms_p50": 120}, AGAIN),
    # One latency differs, or few agree.
    *beside(
        TIMED,
        {"engine": "sglang", "output_tokens_per_s": 1388.1, "ttft_ms_p50": 213.5},
        {"engine": "sglang", "output_tokens_per_s": None, "e2el_ms_mean": None},
        {"engine": "sglang", "output_tokens_per_s": 1388.1, "e2el_ms_mean": None, "ttft_ms_p99": 213.4},
    ),
    # Two latencies alone, whatever their digits.
    *beside(
        {**FIGURES, "ttft_ms_p50": 213.417, "tpot_ms_mean": 12.4313, "e2el_ms_mean": None},
        {"engine": "sglang", "output_tokens_per_s": 1388.1},
    ),
    # Two points differ in what a third leaves out.
    ((EXACT, {**EXACT, "accelerators": 8, "engine": "sglang"}), ({**EXACT, "accelerators": None},)),
    # Another figure, or few in common.
    *beside(
        FIGURES,
        {**NO_ENGINE, "tpot_ms_mean": 12.5},
        {**NO_ENGINE, "ttft_ms_p50": None, "tpot_ms_mean": None},
        {**NO_ENGINE, "output_tokens_per_s": 703.5},
        {**NO_ENGINE, "ttft_ms_p99": 213, "ttft_ms_p50": None, "tpot_ms_mean": None, "e2el_ms_mean": None},
    ),
    # Round figures at two loads, two figures of a row, and repeats.
    ((ROUND, {**ROUND, "concurrency": 20}), ()),
    ((EXACT, {**EXACT, "concurrency": 20}, FIGURES), ()),
    (({**FIGURES, "repeat": 1}, {**FIGURES, "repeat": 2, **AGAIN}), ()),
    # Anything else than another line has, and a line of one figure.
    *(
        (({**PRINTED, "repeat": 1}, {**PRINTED, "repeat": 1, **changed}), ())
        for changed in (
            {"repeat": 2},
            {"ttft_ms_p99": 300},
            {"source_url": "https://example.org/run/2"},
            {"variant": "A"},
        )
    ),
    (({**WITHOUT_RATES, "output_tokens_per_s": 1500}, {**WITHOUT_RATES, "output_tokens_per_s": 1500}), ()),
]


@pytest.mark.parametrize("case", NO_COPIES)
def test_a_measurement_that_is_like_another_by_chance_is_no_copy(case: Case, tmp_path: Path) -> None:
    own, others = case
    assert found("copies", library(tmp_path, *own, others=others)) == []


OTHER_FIGURES: dict[str, object] = {
    "output_tokens_per_s": 1200,
    "requests_per_s": 12,
    "tpot_ms_mean": 6,
    "e2el_ms_mean": 800,
}
NEWER: dict[str, object] = {"date": "2026-03-04", "source_url": "https://example.org/run/2"}
NO_LENGTHS: dict[str, object] = dict.fromkeys(("isl", "osl", "isl_actual", "osl_actual"))
SATURATED: dict[str, object] = {"load_kind": "saturated", "concurrency": None}
Facts = dict[str, object]
ONE_LABEL: tuple[tuple[Facts, Facts, str], ...] = (
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
)
"""What two sources say of one deployment, and what is told of their label."""


def test_two_sources_with_two_figures_under_one_label_are_told(tmp_path: Path) -> None:
    cases = [((first,), ({**OTHER_FIGURES, **second},)) for first, second, _ in ONE_LABEL]
    told = found_in("same_label", tmp_path, cases)
    for (finding,), (*_, said) in zip(told, ONE_LABEL, strict=True):
        assert f"tokens/s in other and made{' ' * bool(said)}{said}," in finding.text
        assert finding.values == {"high": 1200, "low": 404, "ratio": pytest.approx(1200 / 404)}
        assert len(finding.point_ids) == 2


TWO_LABELS: tuple[tuple[Facts, Facts], ...] = (
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
)


def test_what_labels_tell_apart_or_too_little_and_newer_runs_contradict_nothing(tmp_path: Path) -> None:
    """1,200 tokens/s of a source that leaves out how many chips may be those of 8 as of 4."""
    cases: list[Case] = [((first,), ({**OTHER_FIGURES, **second},)) for first, second in TWO_LABELS]
    cases.append((({}, {**OTHER_FIGURES, **NEWER}), ()))
    cases.append((({}, {**OTHER_FIGURES, "accelerators": 8}), ({**OTHER_FIGURES, "accelerators": None},)))
    assert [place for place, told in enumerate(found_in("same_label", tmp_path, cases)) if told] == []


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
