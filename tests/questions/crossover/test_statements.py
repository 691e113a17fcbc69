"""What the answer on a pair, or on a list of pairs, comes to: the kinds of its statements with their values.

One small table of results for each kind and for each form of it. Each lies in one library as a source of its own.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from bench.basis.document import document
from bench.chart import LIGHT
from bench.cli.output import plain
from bench.library import Library
from bench.questions import Answer, crossover
from bench.questions.crossover import pairs
from bench.questions.crossover.side_names import names
from bench.questions.crossover.verdict import short
from bench.view import View
from tests.questions.crossover.results import PRICE, A, Rows, asked, library_of, points, view_of, with_sources
from tests.questions.saying import Told, kinds, statement, tells

MADE = {"per": "dollar", "price_book": "made"}
PRICES = [PRICE, *({**PRICE, "accelerator": "h200-sxm", "terms": terms} for terms in ("spot", "modelled:neocloud"))]
LIMITED = {"ttft_ms_p99": 10}
BOTH = (points("h100-sxm", {1: 100, 4: 400}), points("h200-sxm", {1: 150, 4: 500}))
H100, H200 = points("h100-sxm", {1: 100, 4: 300}), points("h200-sxm", {1: 50, 4: 60})


def of_tpot(rows: Rows) -> Rows:
    return [{**row, "output_tokens_per_s": None, "tpot_ms_p50": row["output_tokens_per_s"]} for row in rows]


def leads(leader: str, least: float, most: float, **more: object) -> Mapping[str, object]:
    """The values of a headline on who leads by how much."""
    return {"x": None, "leader": leader, "least_ratio": least, "most_ratio": most, **more}


PAIRS: Mapping[str, tuple[Sequence[Rows], Mapping[str, Any], str, Told]] = {
    # 100 x against 400 x^(1/2).
    "a-crossing": (
        (points("h100-sxm", {1: 100, 4: 400, 64: 6400}), points("h200-sxm", {1: 400, 4: 800, 64: 3200})),
        {},
        "crosses a",
        {
            "crosses": {"x": 16, "leader": "a"},
            "crossing": {"x": 16, "leader": "a", "low": 4, "high": 64, "run": [4, 64]},
        },
    ),
    "two-crossings": (
        (points("h100-sxm", {1: 100, 4: 400, 16: 400}), points("h200-sxm", {1: 200, 4: 200, 16: 800})),
        {},
        "crosses ab",
        {
            "swaps": {"x": 2, "leader": "a", "times": 2},
            "crossing": [{"x": 2, "leader": "a", "low": 1, "high": 4}, {"x": 8, "leader": "b", "low": 4, "high": 16}],
        },
    ),
    # Of a latency the lower leads, and nothing divides it.
    "latencies": (
        (of_tpot(points("h100-sxm", {1: 10, 4: 20})), of_tpot(points("h200-sxm", {1: 12, 4: 15}))),
        {"per": "dollar"},
        "crosses b",
        {"crosses": {"x": 1.7122, "leader": "b"}, "gave_way": {}},
    ),
    # One layout is 100 throughout, the other rises from 25 to 1,600: together they overtake 200 at 8.
    "another-layout-within-the-bracket": (
        (
            points("h100-sxm", {1: 100, 64: 100}, tp=2),
            points("h100-sxm", {1: 25, 64: 1600}, tp=1, dp=2),
            points("h200-sxm", {1: 200, 64: 200}),
        ),
        {},
        "crosses a",
        {"crosses": {"x": 8, "leader": "a"}, "mixed": {"side": "a", "places": 2}},
    ),
    "the-lead-passes-on-once": (
        (
            points("h100-sxm", {1: 200, 64: 2000}, tp=2),
            points("h100-sxm", {1: 100, 256: 1000}, tp=1, dp=2),
            points("h200-sxm", {1: 150, 256: 1500}),
        ),
        {},
        "passes",
        {
            "passes": {"x": None, "leader": None},
            "change": {"below": 64, "above": 256, "side": "a"},
            "mixed": {"side": "a", "places": 3},
            "crossing": [],
        },
    ),
    "the-lead-passes-on-more-often": (
        (
            points("h100-sxm", {1: 400, 128: 900}, tp=2),
            points("h100-sxm", {128: 200, 512: 200}, tp=1, dp=2),
            points("h100-sxm", {512: 1000}, pp=2),
            points("h200-sxm", {1: 100, 128: 300}, tp=2),
            points("h200-sxm", {256: 330}, pp=2),
            points("h200-sxm", {512: 170}, dp=2),
        ),
        {},
        "passes",
        {"change": [{"below": 128, "above": 256, "side": "a"}, {"below": 256, "above": 512, "side": "a"}]},
    ),
    "a-lead-with-a-tie": (
        (points("h100-sxm", {1: 100, 4: 300, 16: 900}), points("h200-sxm", {1: 100, 4: 360, 16: 1080})),
        {},
        "leads b",
        {"leads": leads("b", 1.2, 1.2)},
    ),
    # 410 against 100 is 4.1 times, whatever the lead in percent is.
    "a-lead-of-310-percent": (
        (points("h100-sxm", {1: 100, 4: 100}), points("h200-sxm", {1: 410, 4: 410})),
        {},
        "leads b",
        {"leads_times": leads("b", 4.1, 4.1)},
    ),
    "a-lead-of-another-precision": (
        (H100, points("h200-sxm", {1: 50, 4: 60}, precision="fp16")),
        {},
        "leads a",
        {"leads_times": leads("a", 2, 5), "unlike": {"unlike": 1}},
    ),
    "a-length-stated-on-one-side-only": (
        (H100, points("h200-sxm", {1: 50, 4: 60}, osl=None)),
        {},
        "leads a",
        {"one_sided": {"one_sided": 1}},
    ),
    "ranges-beyond-the-overlap": (
        (points("h100-sxm", {2: 110, 8: 480}), points("h200-sxm", {1: 50, 4: 150})),
        {},
        "leads a",
        {"beyond_one": [{"x": 4, "where": "above", "sides": "a"}, {"x": 2, "where": "below", "sides": "b"}]},
    ),
    "unlike-deployments-of-both-sides": (
        (
            points("h100-sxm", {1: 100, 4: 300, 8: 500}, tp=2, speculation="none"),
            points("h100-sxm", {1: 90, 4: 400, 8: 700}, tp=1, dp=2, speculation="mtp"),
            points("h200-sxm", {1: 50, 4: 150}, speculation="mtp"),
            points("h200-sxm", {4: 140, 8: 250}, speculation="none"),
        ),
        {},
        "leads a",
        {"unlike_places": {"speculation": 2}, "mixed": [{"side": "a", "places": 3}, {"side": "b", "places": 3}]},
    ),
    "another-leader-per-chip": (
        (points("h100-sxm", {1: 100, 4: 400}, accelerators=4), points("h200-sxm", {1: 50, 4: 200}, accelerators=1)),
        {"per": "raw"},
        "leads a",
        {"leads_times": leads("a", 2, 2, per_chip_leader="b"), "per_chip": {}},
    ),
    "a-tie": (
        (points("h100-sxm", {1: 100, 4: 300}), points("h200-sxm", {1: 100.5, 4: 299})),
        {},
        "tie",
        {"tie": {"x": None, "leader": None}, "crossing": []},
    ),
    "the-same-points": (BOTH[:1], {"b": A}, "tie", {"same": {}}),
    # Per chip and dollar 25 against 20.8 at 1, and 100 against 69.4 at 4.
    "a-price-that-the-reader-states": (
        BOTH,
        {**MADE, "price_b": 3.6},
        "leads a",
        {
            "leads": leads("a", 1.2, 1.44),
            "break_even": [
                {"side": "a", "x": 4, "usd_per_accelerator_hour": 2.88, "left_out": 0},
                {"side": "b", "x": 1, "usd_per_accelerator_hour": 3, "left_out": 0},
            ],
            "stated": {"side": "b", "usd_per_accelerator_hour": 3.6},
            "prices": {"h100-sxm": 2},
        },
    ),
    "a-price-under-any-terms": (BOTH, {**MADE, "price_terms": "every"}, "leads b", {"unpriced": []}),
    "few-points-that-state-what-a-limit-is-on": (
        (
            points("h100-sxm", {1: 100, 4: 400}, **LIMITED),
            points("h200-sxm", {1: 150, 4: 500}, **LIMITED),
            points("h100-sxm", {8: 500, 16: 600}),
            points("h200-sxm", {8: 500, 16: 600}),
        ),
        {"slo": ["ttft_ms_p99<=1000"]},
        "leads b",
        {"leads": leads("b", 1.25, 1.5, stating=4, of=8)},
    ),
}
UNTOLD: Mapping[str, tuple[Sequence[Rows], Mapping[str, Any], Mapping[str, object], Told]] = {
    "ranges-apart": (
        (H100, points("h200-sxm", {8: 50, 16: 60})),
        {},
        {"kind": "no_overlap", "range_a": (1, 4), "range_b": (8, 16)},
        {},
    ),
    "other-lengths": (
        (H100, points("h200-sxm", {1: 50, 4: 60}, osl=512)),
        {},
        {"kind": "not_comparable", "key": "osl", "a": (256,), "b": (512,)},
        {},
    ),
    "other-kinds-of-load": (
        (H100, [{**row, "batch": row["concurrency"], "concurrency": None} for row in H200]),
        {},
        {"kind": "not_comparable", "key": "load_kind"},
        {},
    ),
    "other-models": (
        (H100, points("h200-sxm", {1: 50, 4: 60}, model="deepseek-r1")),
        {},
        {"kind": "not_comparable", "key": "model", "a": ("llama-3.1-70b",), "b": ("deepseek-r1",)},
        {},
    ),
    "nothing-measured": (
        (H100, points("h200-sxm", {1: 50, 4: 60}, evidence="projected")),
        {},
        {"kind": "no_points", "code": "not_ranked", "side": "b"},
        {},
    ),
    # An offer of other terms, and a modelled cost, are no on-demand price.
    "no-price": (
        BOTH,
        MADE,
        {"kind": "not_known", "code": "price", "accelerators": ("h200-sxm",)},
        {
            "break_even": {"side": "b", "x": 1, "usd_per_accelerator_hour": 3, "left_out": 0},
            "prices": {"h100-sxm": 2},
            "unpriced": {"unpriced": 1},
        },
    ),
    "no-rated-power": (
        (H100, points("tpu-v6e", {1: 50, 4: 60})),
        {"per": "watt", "b": "accelerator=tpu-v6e"},
        {"kind": "not_known", "code": "power", "accelerators": ("tpu-v6e",)},
        {},
    ),
}
LISTS: Mapping[str, tuple[Sequence[Rows], Mapping[str, str], Told]] = {
    "one-pair": (
        BOTH,
        {},
        {"leads": leads("b", 1.25, 1.5), "most_alike_alone": {"pairs": 1, "crossing": 0}, "otherwise": []},
    ),
    "pairs-of-which-one-crosses": (
        (
            points("h100-sxm", {1: 100, 4: 400}),
            points("h200-sxm", {1: 150, 4: 300}),
            points("b200-sxm", {1: 330, 4: 900}),
        ),
        {},
        {"most_alike": {"pairs": 3, "crossing": 1}, "beyond": []},
    ),
    "pairs-of-unequal-chip-counts": (
        (
            points("h100-sxm", {1: 100, 4: 400}),
            points("h200-sxm", {1: 150, 4: 300}),
            points("b200-sxm", {1: 300, 4: 900}, accelerators=4),
        ),
        {"per": "raw"},
        {"most_alike_alone": {"crossing": 1, "pairs": 1}, "uneven": {"pairs": 2}},
    ),
    "one-curve": (BOTH[:1], {}, {"no_pair_alone": {}}),
    "two-curves-apart": (
        (points("h100-sxm", {1: 100, 4: 400}), points("h200-sxm", {8: 150, 16: 300})),
        {},
        {"no_pair_alike": {}, "next_no_pair": {}},
    ),
    "no-batch": (BOTH, {"along": "batch"}, {"left_out": {"no_axis": 4}}),
    "no-accelerator": ((points("", {1: 100, 4: 400}),), {}, {"left_out": {"unnamed": 2}}),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Library:
    tables = {name: rows for cases in (PAIRS, UNTOLD, LISTS) for name, (rows, *_) in cases.items()}
    return library_of(tmp_path_factory.mktemp("said"), *with_sources(tables), prices=PRICES)


def listing(library: Library, name: str) -> Answer[Any]:
    return crossover.answer(library, View.of({"source": [name]}, LISTS[name][1]))


def assert_short(answer: Answer[Any]) -> None:
    """A verdict has few words, the names of chips counted once, and at most five findings follow."""
    assert len(answer.verdict.replace("2 x ", "").replace("0 SXM", "0").split()) <= 14
    assert len(answer.findings) <= 5


@pytest.mark.parametrize("name", PAIRS)
def test_what_a_pair_comes_to(made: Library, name: str) -> None:
    _, options, code, told = PAIRS[name]
    answer = asked(made, name, **options)
    pair = answer.result
    found = short(pair.outcome, pair.asked, names(pair.a, pair.b))
    assert found is not None
    assert found.code == code
    tells(answer, told, 1e-3)
    assert_short(answer)
    assert json.loads(json.dumps(plain(document(pair)), allow_nan=False))


@pytest.mark.parametrize(("name", "first"), [("a-crossing", "H100"), ("a-lead-of-310-percent", "H200")])
def test_who_leads_is_named_before_the_other(made: Library, name: str, first: str) -> None:
    verdict = asked(made, name).verdict
    assert verdict.index(first) == min(verdict.index(chip) for chip in ("H100", "H200"))


@pytest.mark.parametrize("name", UNTOLD)
def test_why_a_pair_comes_to_nothing(made: Library, name: str) -> None:
    _, options, fields, told = UNTOLD[name]
    answer = asked(made, name, **options)
    pair = answer.result
    assert {key: getattr(pair.outcome, key) for key in fields} == fields
    assert short(pair.outcome, pair.asked, names(pair.a, pair.b)) is None
    assert not answer.is_told
    assert kinds(answer, "headline")[0].startswith(str(fields["kind"]))
    assert any(one.startswith("next_") for one in kinds(answer, "finding"))
    assert_short(answer)
    tells(answer, told, 1e-3)


@pytest.mark.parametrize("name", LISTS)
def test_what_a_list_comes_to(made: Library, name: str) -> None:
    answer = listing(made, name)
    tells(answer, LISTS[name][2], 1e-3)
    assert kinds(answer, "headline")[0].startswith("no_pair") is (not answer.result.pairs)


def test_more_pairs_than_are_listed_are_counted(made: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pairs, "MOST_PAIRS", 2)
    told: Told = {"most_alike_none": {"pairs": 3, "crossing": 0}, "beyond": {"pairs": 1}}
    tells(listing(made, "pairs-of-which-one-crosses"), told, 1e-3)


def test_a_list_without_a_pair_has_its_curves_and_an_empty_chart(made: Library) -> None:
    found = listing(made, "one-curve").result
    assert (found.curves, found.accelerators) == (1, ("h100-sxm",))
    assert crossover.figure(found, LIGHT).layout.annotations[0].text


def test_a_headline_rests_on_the_points_around_the_crossing(made: Library) -> None:
    view = view_of("a-crossing")
    beside = made.fetch("SELECT point_id FROM points WHERE source = 'a-crossing' AND concurrency IN (4, 64)")
    named = statement(crossover.answer(made, view), "crosses").point_ids
    assert sorted(named) == sorted(point_id for (point_id,) in beside)
