"""One front door for the points of every reader: the same figures are refused or flagged wherever they come from."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from bench import flags, formats
from bench.catalogue import metric
from bench.errors import InputError
from bench.formats.plausibility import front_door
from bench.formats.plausibility.front_door import check, doubts, judged
from bench.formats.plausibility.soundness import MEAN_OF_MEDIAN, request_count
from bench.records import Deployment, Flag, Load, Point, Workload
from tests.formats.damage import main_files
from tests.formats.reading_of import read_points
from tests.formats.test_journal import SESSION, written
from tests.formats.test_journal import point as journal_point
from tests.library.files import table

CLOSED = Load("closed", concurrency=64)


def point(load: Load = CLOSED, workload: Workload | None = None, chips: int | None = 8, **metrics: float) -> Point:
    """A point of 100 tokens out at concurrency 64 on 8 chips."""
    lengths = workload or Workload(osl_requested=100)
    return Point(Deployment(accelerators=chips), lengths, load, metrics, "row 2", "made")


def kinds(one: Point) -> list[str]:
    return [flag.kind for flag in doubts(one)]


@pytest.mark.parametrize(
    ("failed", "of_whom"), [({"requests_failed": 0.0}, "one of them"), ({}, "requests that failed")]
)
def test_requests_sent_at_once_that_took_next_to_nothing_of_the_run_are_told(
    failed: dict[str, float], of_whom: str
) -> None:
    # 1.4794 s of 900 s are 0.16 %; a server that takes them in turn makes half of the run of them.
    metrics = {"duration_s": 900.0, "requests_ok": 1000.0, "e2el_ms_mean": 1479.4, **failed}

    def flags(load: Load, mean: float) -> tuple[Flag, ...]:
        point = Point(Deployment(), Workload(), load, {**metrics, "e2el_ms_mean": mean}, "a", "b")
        return judged(point).flags

    (told,) = flags(Load("saturated"), 1479.4)
    assert told.kind == "mostly_idle"
    assert "1,479 ms" in told.seen
    assert f"either {of_whom} took far longer" in told.why
    assert flags(Load("saturated"), 450_000.0) == flags(Load("open", request_rate=1.0), 1479.4) == ()


@pytest.mark.parametrize(
    ("load", "kinds"),
    [
        (Load("closed", concurrency=8), ["littles-law"]),
        (Load("closed", concurrency=2), []),
        (Load("unknown", concurrency=8), []),
        (Load("unknown", concurrency=1), ["littles-law"]),
        (Load("open", request_rate=2.0, concurrency=1), ["littles-law"]),
        (Load("open", request_rate=2.0), []),
        (Load("saturated"), []),
    ],
)
def test_requests_in_flight_are_those_of_a_closed_loop_and_no_more_than_were_let_in(
    load: Load, kinds: list[str]
) -> None:
    # 2 requests/s of 1 s each are 2 in flight.
    metrics = {"requests_per_s": 2.0, "e2el_ms_mean": 1000.0, "e2el_ms_max": 1100.0, "requests_ok": 200.0}
    point = judged(Point(Deployment(), Workload(), load, metrics, "a", "b"))
    assert [flag.kind for flag in point.flags] == kinds


def test_a_latency_in_another_unit_is_refused_by_the_requests_in_flight() -> None:
    """6,400 tokens/s in answers of 100 that take 1 s are 64 in flight; of 1 ms they are 0.064, of 1,000 s 64,000."""
    check("f.csv", point(output_tokens_per_s=6400.0, e2el_ms_mean=1000.0))
    for wrong in (1.0, 1e6):
        with pytest.raises(InputError, match=r"f.csv: in row 2 e2el_ms_mean is .* requests in flight where 64 were"):
            check("f.csv", point(output_tokens_per_s=6400.0, e2el_ms_mean=wrong))
        with pytest.raises(InputError, match=r"e2el_ms_p50 is .* requests in flight where 64 were"):
            check("f.csv", point(output_tokens_per_s_per_accelerator=800.0, e2el_ms_p50=wrong))


@pytest.mark.parametrize(
    ("load", "more"),
    [
        (Load("unknown", concurrency=64), {}),
        (Load("open", request_rate=64.0, concurrency=64), {}),
        (CLOSED, {"requests_failed": 1.0}),
        (CLOSED, {"duration_s": 10.0, "requests_ok": 640.0}),
    ],
)
def test_few_requests_in_flight_are_no_proof_of_a_unit_under_a_cap_or_beside_failures_that_hung(
    load: Load, more: Mapping[str, float]
) -> None:
    check("f.csv", point(load, output_tokens_per_s=6400.0, e2el_ms_mean=1.0, **more))
    too_many = {**more, "output_tokens_per_s": 6400.0, "e2el_ms_mean": 2e6}
    with pytest.raises(InputError):
        check("f.csv", point(load, **too_many))


def test_a_throughput_of_each_accelerator_is_that_of_all_over_their_number() -> None:
    """800 on each of 8 are 6,400; 840 would be 5 % more, which digits explain, and 860 are 7.5 %."""
    fits, off = (
        {"output_tokens_per_s": 6400.0, "output_tokens_per_s_per_accelerator": each} for each in (830.0, 860.0)
    )
    assert kinds(point(**fits)) == []
    assert kinds(point(chips=None, **off)) == []
    (flag,) = doubts(point(**off))
    assert (flag.kind, flags.weight(flag.kind)) == ("rates_differ", "warns")
    assert "6,400" in flag.seen
    assert "6,880" in flag.seen
    decode = dataclasses.replace(
        point(output_tokens_per_s=6400.0, output_tokens_per_s_per_decode_accelerator=6400.0),
        deployment=Deployment(accelerators=8, decode_accelerators=4),
    )
    assert kinds(decode) == ["rates_differ"]


@pytest.mark.parametrize(
    ("lengths", "total", "expected"),
    [
        # Answers of 1 s, each of 900 + 100 tokens: 64 in flight are 64,000 tokens/s, half as much again 96,000.
        ({"isl_actual": 900.0, "osl_actual": 100.0}, 95_000.0, []),
        ({"isl_actual": 900.0, "osl_actual": 100.0}, 97_000.0, ["littles-law"]),
        # A template may add 200.
        ({"isl_requested": 900, "osl_requested": 100}, 114_000.0, []),
        ({"isl_requested": 900, "osl_requested": 100}, 116_000.0, ["littles-law"]),
        ({"isl_requested": 900, "osl_requested": 100, "turns": 3.0}, 116_000.0, []),
        ({"isl_actual": 900.0, "osl_actual": 100.0}, 6400.0, []),
    ],
)
def test_all_tokens_alone_tell_that_too_many_were_in_flight(
    lengths: dict[str, float], total: float, expected: list[str]
) -> None:
    one = point(workload=Workload(**lengths), total_tokens_per_s=total, e2el_ms_mean=1000.0)  # type: ignore[arg-type]
    assert kinds(one) == expected


@pytest.mark.parametrize("stated", [{}, {"output_tokens_per_s": 6400.0}, {"requests_per_s": 64.0}])
@pytest.mark.parametrize(
    ("lengths", "rate", "most"),
    [
        ({"isl_actual": 900.0, "osl_actual": 100.0}, "total_tokens_per_s", 96_000.0),
        ({"isl_actual": 900.0, "osl_actual": 100.0}, "input_tokens_per_s", 86_400.0),
        ({"isl_actual": 900.0, "osl_actual": 100.0}, "input_tokens_per_s_per_accelerator", 10_800.0),
        ({"isl_requested": 900, "osl_requested": 100}, "input_tokens_per_s", 105_600.0),
        ({"isl_requested": 900, "osl_requested": 100, "shared_prefix_share": 0.5}, "input_tokens_per_s", None),
    ],
)
def test_input_and_all_tokens_tell_that_too_many_were_in_flight_beside_a_possible_output(
    stated: dict[str, float], lengths: dict[str, float], rate: str, most: float | None
) -> None:
    """64 requests/s of 1 s each are 64 in flight, half as many again are too many; a template may add 200 tokens."""

    def excluded(value: float) -> bool:
        one = point(workload=Workload(**lengths), **stated, e2el_ms_mean=1000.0, **{rate: value})  # type: ignore[arg-type]
        return "littles-law" in kinds(one)

    assert excluded((most or 105_600.0) * 1.01) == (most is not None)
    assert not excluded((most or 105_600.0) * 0.99)


def test_requests_that_stream_are_no_more_than_were_let_in() -> None:
    """6,400 tokens/s of 10 ms each are 64 that stream; four times as many are beyond what means leave open."""
    for tpot in ("tpot_ms_mean", "tpot_ms_p50"):
        assert kinds(point(output_tokens_per_s=25_500.0, **{tpot: 10.0})) == []
        assert kinds(point(output_tokens_per_s=640.0, **{tpot: 10.0})) == []
        assert kinds(point(output_tokens_per_s=25_700.0, **{tpot: 10.0})) == ["littles-law"]
        with pytest.raises(InputError, match=f"{tpot} is 10000"):
            check("f.csv", point(output_tokens_per_s=6400.0, **{tpot: 10_000.0}))


def test_a_throughput_of_each_accelerator_is_that_of_one_at_least_where_nobody_says_how_many() -> None:
    """12,000 tokens/s in answers of 100 that take 1 s are 120 in flight on one chip, where 64 were let in."""
    for each, latency in (("output", "e2el_ms_mean"), ("output", "e2el_ms_p50"), ("total", "e2el_ms_mean")):
        rates = {"output": 12_000.0, "total": 12_000.0 * 4}
        key = f"{each}_tokens_per_s_per_accelerator"
        lengths = Workload(isl_requested=100, osl_requested=100)
        assert kinds(point(workload=lengths, chips=None, **{key: rates[each], latency: 1000.0})) == ["littles-law"]
        assert kinds(point(workload=lengths, chips=None, **{key: rates[each] / 8, latency: 1000.0})) == []
    decode = "output_tokens_per_s_per_decode_accelerator"
    assert kinds(point(**{decode: 25_700.0, "tpot_ms_mean": 10.0})) == ["littles-law"]
    assert kinds(point(chips=None, output_tokens_per_s_per_accelerator=25_500.0, tpot_ms_mean=10.0)) == []


@pytest.mark.parametrize(("latency", "most"), [("ttft_ms_mean", 1.5), ("ttft_ms_p50", 3.0), ("itl_ms_mean", 4.0)])
def test_requests_in_one_of_their_parts_are_no_more_than_were_let_in(latency: str, most: float) -> None:
    """64 requests/s of which such a part takes 1 s are 64 at once; a mean is no less than half the median."""
    for rates in ({"requests_per_s": 64.0}, {"output_tokens_per_s": 6400.0}):
        assert kinds(point(**rates, **{latency: 990 * most})) == []
        assert kinds(point(**rates, **{latency: 1010 * most})) == ["littles-law"]
        assert kinds(point(**rates, **{latency: 1.0})) == []
    with pytest.raises(InputError, match=f"{latency} is "):
        check("f.csv", point(requests_per_s=64.0, **{latency: 101_000.0}))


@pytest.mark.parametrize("statistic", ["mean", "p50"])
def test_the_time_of_a_request_over_its_tokens_tells_how_many_are_in_flight_where_all_have_one_length(
    statistic: str,
) -> None:
    key = f"ntpot_ms_{statistic}"
    too_many, fits = ({"output_tokens_per_s": rate, key: 10.0} for rate in (25_700.0, 25_500.0))
    assert kinds(point(**too_many)) == kinds(point(Load("open", concurrency=64), **too_many)) == ["littles-law"]
    assert kinds(point(**fits)) == []
    # Answers of 10 and of 1,000 tokens, each after 10 s: an NTPOT of 515 ms, and 34 tokens/s of each that is let in.
    for uneven in (Workload(osl_actual=505.0), Workload(osl_requested=1000, osl_actual=505.0), Workload()):
        assert "littles-law" not in kinds(point(workload=uneven, output_tokens_per_s=34.0 * 64, **{key: 515.0}))
        check("f.csv", point(workload=uneven, output_tokens_per_s=34.0 * 64, **{key: 5150.0}))


def test_requests_of_a_counted_length_tell_how_many_stream() -> None:
    """257 requests/s, or 257,000 tokens/s in and out, are 25,700 tokens out of 10 ms: 257 where 64 were let in."""
    counted, requested = Workload(isl_actual=900.0, osl_actual=100.0), Workload(isl_requested=900, osl_requested=100)
    for rate, most in (("requests_per_s", 255.0), ("total_tokens_per_s", 255_000.0)):
        assert kinds(point(workload=counted, **{rate: most * 257 / 255, "tpot_ms_mean": 10.0})) == ["littles-law"]
        assert kinds(point(workload=counted, **{rate: most, "tpot_ms_mean": 10.0})) == []
        # Answers may have ended long before the length that was only asked for.
        assert kinds(point(workload=requested, **{rate: most * 257 / 255, "tpot_ms_mean": 10.0})) == []


def test_the_largest_part_of_a_request_tells() -> None:
    """6,400 tokens/s of 10 ms are 64 that stream; 64 requests/s that wait 2 s for a first token are 128."""
    one = point(output_tokens_per_s=6400.0, tpot_ms_mean=10.0, ttft_ms_mean=2000.0)
    (flag,) = doubts(one)
    assert flag.kind == "littles-law"
    assert "TTFT" in flag.seen
    assert kinds(dataclasses.replace(one, metrics={**one.metrics, "ttft_ms_mean": 1000.0})) == []


SENT = Load("open", request_rate=10.0)


@pytest.mark.parametrize(
    ("load", "metrics", "expected"),
    [
        # A thousand that come at random come up to 1.16 times as fast as their rate, ten up to 4.2 times.
        (SENT, {"requests_per_s": 11.5, "requests_ok": 1000.0}, []),
        (SENT, {"requests_per_s": 11.7, "requests_ok": 1000.0}, ["more_than_sent"]),
        (SENT, {"requests_per_s": 41.0, "requests_ok": 10.0}, []),
        (SENT, {"requests_per_s": 42.0, "requests_ok": 10.0}, ["more_than_sent"]),
        (SENT, {"requests_per_s": 1e4, "requests_ok": 1.0}, []),
        (dataclasses.replace(SENT, arrivals="constant"), {"requests_per_s": 11.5, "requests_ok": 10.0}, []),
        (
            dataclasses.replace(SENT, arrivals="constant"),
            {"requests_per_s": 11.8, "requests_ok": 10.0},
            ["more_than_sent"],
        ),
        # In bursts of a hundred a thousand are ten.
        (dataclasses.replace(SENT, arrivals="gamma"), {"requests_per_s": 34.5, "requests_ok": 1000.0}, []),
        (
            dataclasses.replace(SENT, arrivals="gamma"),
            {"requests_per_s": 34.6, "requests_ok": 1000.0},
            ["more_than_sent"],
        ),
        # Where nobody says how many, half as much again.
        (SENT, {"requests_per_s": 14.9}, []),
        (SENT, {"requests_per_s": 15.1}, ["more_than_sent"]),
        (SENT, {"output_tokens_per_s": 1490.0, "requests_ok": 1000.0}, []),
        (SENT, {"output_tokens_per_s": 1510.0, "requests_ok": 1000.0}, ["more_than_sent"]),
        (SENT, {"output_tokens_per_s": 1510.0, "requests_per_s": 10.0}, ["more_than_sent"]),
        (SENT, {"output_tokens_per_s_per_accelerator": 190.0}, ["more_than_sent"]),
        (Load("unknown", concurrency=64, request_rate=10.0), {"requests_per_s": 15.1}, ["more_than_sent"]),
        (Load("closed", concurrency=64, request_rate=10.0), {"requests_per_s": 64.0}, []),
        (Load("open"), {"requests_per_s": 64.0}, []),
    ],
)
def test_an_open_loop_answers_no_more_than_it_was_sent(
    load: Load, metrics: dict[str, float], expected: list[str]
) -> None:
    assert kinds(point(load, **metrics)) == expected
    assert flags.weight("more_than_sent") == "excludes"


@pytest.mark.parametrize(("statistic", "most"), [("p50", 1.5), ("mean", 100.0)])
def test_an_interactivity_above_that_of_the_tpot_is_refused(statistic: str, most: float) -> None:
    speed = f"interactivity_tokens_per_s_per_user_{statistic}"
    times = {f"tpot_ms_{statistic}": 15.0}
    check("f.csv", point(**times, **{speed: 0.99 * most * 1000 / 15}))
    check("f.csv", point(**times, **{speed: 5.0}))  # with the wait for the first token inside
    with pytest.raises(InputError, match=f"{speed} is"):
        check("f.csv", point(**times, **{speed: 1.01 * most * 1000 / 15}))


def test_the_catalogue_says_by_which_factors_a_median_is_judged() -> None:
    said = metric("e2el_ms_p50").definition
    assert "of {:g} to {:g} times the median".format(*MEAN_OF_MEDIAN) in said


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        # 64 requests at once, done after 14 s: 22.9 in flight on average, the mean 5 s.
        ({"requests_ok": 64.0}, []),
        ({"duration_s": 14.0}, []),
        ({}, ["few-in-flight"]),
        # Of 1,000 requests none is above mean + std x sqrt(999), nor above the longest.
        ({"requests_ok": 1000.0, "e2el_ms_p99": 9000.0}, ["few-in-flight"]),
        ({"requests_ok": 1000.0, "e2el_ms_p99": 9000.0, "e2el_ms_std": 4800.0}, ["few-in-flight"]),
        ({"requests_ok": 1000.0, "e2el_ms_p99": 9000.0, "e2el_ms_std": 100.0}, ["littles-law"]),
        ({"requests_ok": 1000.0, "e2el_ms_max": 9000.0}, ["littles-law"]),
        ({"requests_ok": 1000.0, "e2el_ms_max": 150_000.0}, []),
    ],
)
def test_few_in_flight_are_excluded_only_where_no_short_run_explains_them(
    more: dict[str, float], expected: list[str]
) -> None:
    one = point(workload=Workload(), requests_per_s=64 / 14, e2el_ms_mean=5000.0, **more)
    assert kinds(one) == expected
    assert flags.weight("few-in-flight") == "warns"


@pytest.mark.parametrize(
    ("metrics", "osl", "expected"),
    [
        ({"requests_ok": 5.0, "requests_per_s": 4.0, "duration_s": 16.0}, None, 5),
        ({"requests_per_s": 4.0, "duration_s": 16.0}, None, 64),
        ({"output_tokens_per_s": 400.0, "duration_s": 16.0}, 100.0, 64),
        ({"output_tokens": 6400.0}, 100.0, 64),
        ({"output_tokens": 6400.0, "requests_per_s": 4.0}, None, None),
    ],
)
def test_how_many_requests_were_answered_follows_from_their_rate_or_their_tokens(
    metrics: dict[str, float], osl: float | None, expected: float | None
) -> None:
    assert request_count(metrics, osl) == expected


OSL_1024 = Workload(osl_requested=1024)
LENGTHS = Workload(isl_actual=1024.0, osl_actual=256.0)
OF_REQUESTS = {"requests_per_s": 10.0, "output_tokens_per_s": 2000.0}
STREAMED = {"output_tokens_per_s": 60_000.0, "e2el_ms_mean": 1092.0, "ttft_ms_mean": 300.0}
MEDIAN = {"output_tokens_per_s": 2600.0, "e2el_ms_p50": 1500.0}
WINDOW = {"output_tokens_per_s": 1500.0, "total_tokens_per_s": 9000.0, "requests_ok": 100.0}
POSSIBLE = {"output_tokens_per_s": 6400.0, "e2el_ms_mean": 1000.0}


@pytest.mark.parametrize(
    ("load", "workload", "metrics", "expected"),
    [
        # 64 in flight by 6,400 tokens/s of all; 40,000 on each of 8 chips are 3,200, and so are 3,200 requests/s.
        (CLOSED, None, {**POSSIBLE, "output_tokens_per_s_per_accelerator": 40_000.0}, ["littles-law", "rates_differ"]),
        (CLOSED, None, {**POSSIBLE, "requests_per_s": 3200.0}, ["littles-law"]),
        (CLOSED, None, {**POSSIBLE, "requests_per_s": 64.0}, []),
        # Chunks of 100 tokens with 1 s between them: a gap does not tell how many tokens stream.
        (CLOSED, None, {"output_tokens_per_s": 6400.0, "itl_ms_mean": 1000.0}, []),
        # 9,000 in all where counted lengths come to 7,500, in a window that has up to 5 or 10 of 100 requests in part.
        (Load("closed", concurrency=5), LENGTHS, WINDOW, ["rates_differ"]),
        (Load("closed", concurrency=10), LENGTHS, WINDOW, []),
        # A rate of conversations is not one of requests.
        (Load("open", request_rate=10.0), Workload(turns=4.0), {"requests_per_s": 40.0}, []),
        # 60,000 tokens/s of 30 ms each are 1,800 that stream where 64 were let in, though E2EL and answers make 64.
        (CLOSED, OSL_1024, {**STREAMED, "tpot_ms_mean": 30.0}, ["littles-law"]),
        (CLOSED, OSL_1024, {**STREAMED, "tpot_ms_mean": 0.8}, []),
        # 10 requests/s of 6.4 s are 64 in flight, of 200 tokens each where 1,024 were asked for.
        (CLOSED, OSL_1024, {**OF_REQUESTS, "e2el_ms_mean": 6400.0}, []),
        (CLOSED, OSL_1024, {**OF_REQUESTS, "e2el_ms_mean": 64_000.0}, ["littles-law"]),
        # By the median 39 of 64 are in flight, which a mean may explain; by what each chip is said to do 390 are.
        (CLOSED, None, MEDIAN, ["littles-law-by-median"]),
        (CLOSED, None, {**MEDIAN, "output_tokens_per_s_per_accelerator": 3250.0}, ["littles-law", "rates_differ"]),
    ],
)
def test_of_several_figures_the_one_that_tells_most_is_heard(
    load: Load, workload: Workload | None, metrics: dict[str, float], expected: list[str]
) -> None:
    assert kinds(point(load, workload, **metrics)) == expected


def impossible(one: Point) -> Point:
    """The point with 50 times its throughput; where no closed loop tells it, with that of one that has 200 of 4 in
    flight."""
    tells = "e2el_ms_mean" in one.metrics and (one.workload.osl or "requests_per_s" in one.metrics)
    if one.load.load_kind == "closed" and tells and one.metrics.get("output_tokens_per_s"):
        rates = {key: value * 50 for key, value in one.metrics.items() if key.endswith("_per_s")}
        return dataclasses.replace(one, metrics={**one.metrics, **rates})
    metrics = {"output_tokens_per_s": 20_000.0, "e2el_ms_mean": 1000.0}
    load, lengths = Load("closed", concurrency=4), Workload(osl_requested=100)
    return dataclasses.replace(one, load=load, workload=lengths, metrics=metrics)


def excluded(path: Path) -> bool:
    """Whether each point of a file is refused, or has a flag that keeps it out of every ranking."""
    try:
        points, refusals = read_points(path)
    except InputError:
        return True
    assert points or refusals
    return all(set(flags.kinds_of(one.get("flags"))) & set(flags.EXCLUDING) for one in points)


def plant(monkeypatch: pytest.MonkeyPatch) -> list[Point]:
    """The points that come to the front door, where each becomes impossible just before it is looked at."""
    came: list[Point] = []

    def before(rule: Callable[..., object], place: int) -> Callable[..., object]:
        def looked_at(*given: object, **more: object) -> object:
            one = given[place]
            assert isinstance(one, Point)
            came.append(one)
            return rule(*given[:place], impossible(one), *given[place + 1 :], **more)

        return looked_at

    monkeypatch.setattr(front_door, "check", before(front_door.check, 1))
    monkeypatch.setattr(front_door, "doubts", before(front_door.doubts, 0))
    return came


TOOLS = sorted({module.NAME for module in formats.modules()} - {"journal", "published"})


@pytest.mark.parametrize("name", TOOLS)
def test_an_impossible_point_of_any_tool_ranks_nowhere(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = min(main_files(name), key=lambda one: one.stat().st_size)
    came = plant(monkeypatch)
    assert excluded(path)
    assert came


def test_an_impossible_point_of_a_sweep_ranks_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    came = plant(monkeypatch)
    assert excluded(written(tmp_path / "j.jsonl", SESSION, journal_point(1)))
    assert came


@pytest.mark.parametrize(
    "row",
    [
        {"output_tokens_per_s": 20_000.0, "concurrency": 4},
        {"output_tokens_per_s": None, "output_tokens_per_s_per_accelerator": 2500.0, "concurrency": 4},
        {"output_tokens_per_s": None, "requests_per_s": 200.0, "concurrency": 4, "osl": None},
        {"output_tokens_per_s": 20_000.0, "concurrency": 4, "e2el_ms_mean": None, "tpot_ms_p50": 10.0},
        {"output_tokens_per_s": None, "total_tokens_per_s": 264_800.0, "concurrency": 4},
        {"output_tokens_per_s": 20_000.0, "concurrency": 4, "load_kind": "unknown"},
        {"output_tokens_per_s": 20_000.0, "concurrency": None, "batch": 4, "load_kind": "batch"},
        {
            "output_tokens_per_s": 20_000.0,
            "concurrency": 4,
            "e2el_ms_mean": None,
            "interactivity_tokens_per_s_per_user_p50": 100.0,
        },
        {"output_tokens_per_s": 20_000.0, "concurrency": 4, "load_kind": "open", "request_rate": 200.0},
        {"output_tokens_per_s": None, "output_tokens_per_s_per_accelerator": 20_000.0, "accelerators": None}
        | {"tp": None, "concurrency": 4},
        {"output_tokens_per_s": 20_000.0, "concurrency": 4, "e2el_ms_mean": None, "ttft_ms_mean": 1000.0},
        {"output_tokens_per_s": 20_000.0, "concurrency": 4, "e2el_ms_mean": None, "ntpot_ms_mean": 10.0},
    ],
)
def test_an_impossible_row_of_a_table_ranks_nowhere(row: dict[str, object], tmp_path: Path) -> None:
    """200 answers a second of 1 s are 200 in flight, where 4 were let in."""
    path = table(tmp_path / "own.csv", {"osl": 100, "e2el_ms_mean": 1000.0, **row})
    assert excluded(path)
    sound = {"batch": 200} if "batch" in row else {"concurrency": 200}
    assert not excluded(table(tmp_path / "sound.csv", {"osl": 100, "e2el_ms_mean": 1000.0, **row, **sound}))
