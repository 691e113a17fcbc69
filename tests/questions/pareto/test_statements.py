"""What Pareto says, to the letter: each kind of sentence in every form, short, and flags with what they are of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.basis.wording import LONGEST
from bench.flags import printed
from bench.library import Library
from bench.questions import pareto
from bench.questions.pareto import statements as sentences
from bench.view import View
from tests.questions import golden
from tests.questions.pareto.results import COST, LIMIT_X, LIMIT_Y, SMALL, Row, X, Y, at, library_of, point
from tests.questions.saying import statement, statements
from tests.thorough import some

DEEPSEEK = {"model": ["deepseek-r1"]}
LIMIT = f"{X}>=60"
TTFT = ["ttft_ms_p99<=2000"]
H200, B200 = {"accelerator": "h200-sxm"}, {"accelerator": "b200-sxm"}
WARNED = json.dumps([{"kind": "undefined-throughput", "seen": "No hardware.", "why": "Unclear.", "do": "Ask."}])
LEVEL = [at(100, 50, "h100-sxm"), at(99.5, 100, "h200-sxm"), at(10, 200, "h100-sxm")]
ONE_LEADS = [at(100, 50, "h100-sxm"), at(50, 100, "h100-sxm"), at(40, 90, "h200-sxm")]
TWO_MODELS = [
    *(at(y, x, "l40s", model="llama-3.1-8b") for y, x in ((900, 100), (1200, 50))),
    *(at(y, x, "b200-sxm") for y, x in ((300, 80), (2000, 20))),
]
TAIL = [
    point(200, 20, ttft_ms_p99=900),
    *(point(200, 20, accelerator=chip, ttft_ms_p99=3000) for chip in ("h200-sxm", "mi300x")),
    *(point(200, 20, accelerator=chip) for chip in ("b200-sxm", "mi355x")),
]

SAID: dict[str, tuple[list[Row], View, dict[str, str]]] = {
    "two accelerators": (
        SMALL,
        View(),
        {
            "leads": (
                "On Llama 3.1 70B FP8 at 1,024/256, H100 SXM leads per chip between 20 and 100 tokens/s/user;"
                " H200 leads at lower speeds."
            ),
            "who_leads": ("Who leads as median interactivity rises: H200 up to 20 tokens/s/user and H100 up to 100."),
            "knees": "Knee, in tokens/s per chip at tokens/s/user: H100 130 at 40.",
            "counts": "4 of 6 points are on the overall frontier; 5 are on their own accelerator's.",
            "left_out": (
                "6 of 10 points are used; left out: 1 not measured, 2 without median interactivity and 1"
                " without output throughput per accelerator."
            ),
            "mixed": "Mixed here: 2 engines (SGLang and vLLM).",
        },
    ),
    "one leads everywhere": (
        ONE_LEADS,
        View(),
        {
            "leads": (
                "On Llama 3.1 70B FP8 at 1,024/256, H100 SXM leads per chip at every interactivity up to 100"
                " tokens/s/user."
            )
        },
    ),
    "one leads at the higher speeds": (
        [*SMALL, point(900, 60, **B200)],
        View(),
        {
            "leads": (
                "On Llama 3.1 70B FP8 at 1,024/256, H100 SXM leads per chip between 20 and 100 tokens/s/user;"
                " B200 and H200 lead at lower speeds."
            ),
            "who_leads": (
                "Who leads as median interactivity rises: B200 up to 16.7 tokens/s/user, H200 up to 20 and"
                " H100 up to 100."
            ),
        },
    ),
    "level with the next": (
        LEVEL,
        View(),
        {
            "leads": (
                "On Llama 3.1 70B FP8 at 1,024/256, H200 SXM leads per chip between 50 and 100 tokens/s/user;"
                " H100 leads elsewhere."
            ),
            "who_leads": (
                "Who leads as median interactivity rises: H100 up to 50 tokens/s/user (level with the next),"
                " H200 up to 100 and H100 up to 200."
            ),
            "counts": "3 of 3 points are on the overall frontier; 3 are on their own accelerator's.",
        },
    ),
    "along a latency": (
        [point(280, None, ttft_ms_p50=10), point(20, None, ttft_ms_p50=5, **H200), point(900, None, ttft_ms_p50=40)],
        View.of(options={"x": "ttft_ms_p50"}),
        {
            "leads": (
                "On Llama 3.1 70B FP8 at 1,024/256, H100 SXM leads per chip at median TTFT of 10 ms or more;"
                " H200 leads at shorter TTFT."
            ),
            "who_leads": "Who leads as median TTFT falls: H100 down to 10 ms and H200 down to 5.",
        },
    ),
    "by count of chips": (
        [point(200, 20, accelerators=1), point(900, 25, accelerators=2), point(100, 10, accelerators=2)],
        View.of(options={"group": "accelerators"}),
        {
            "leads": (
                "On Llama 3.1 70B, 2 chips lead per chip between 50 and 100 tokens/s/user; at lower speeds it"
                " shares the lead with 1 chip."
            ),
            "counts": "3 of 3 points are on the overall frontier; 3 are on their own chip count's.",
        },
    ),
    "other evidence": (
        SMALL,
        View.of({"evidence": ["measured", "projected"]}),
        {
            "leads": (
                "On Llama 3.1 70B FP8 at 1,024/256 (measured and projected), H200 SXM leads per chip at every"
                " interactivity up to 200 tokens/s/user."
            )
        },
    ),
    "a cost": (
        [*SMALL, point(900, 25, accelerators=4, engine="sglang")],
        View.of(options={"y": COST, "price_book": "made", "group": "engine"}),
        {
            "leads": (
                "On Llama 3.1 70B, vLLM has the lowest cost per million output tokens between 40 and 100"
                " tokens/s/user; SGLang leads at lower speeds."
            ),
            "prices": (
                "Priced per chip and hour, on demand, made: H100 SXM 3.60 USD/h (median of 3 providers, 2 to 9)."
            ),
            "unpriced": "No on-demand price for H200 SXM: left out.",
        },
    ),
    "flagged": (
        [point(200, 20, flags=WARNED), point(260, 25), point(20, 30, **H200), point(800, 50, **H200)],
        View(),
        {
            "leads": (
                "On Llama 3.1 70B FP8 at 1,024/256, H100 SXM leads per chip between 20 and 50 tokens/s/user;"
                " H200 leads at lower speeds (flagged: undefined throughput)."
            ),
            "who_leads": (
                "Who leads as median interactivity rises: H200 up to 20 tokens/s/user and H100 up to 50"
                " (flagged: undefined throughput)."
            ),
            "flags": "1 point of the overall frontier is flagged: undefined throughput.",
        },
    ),
    "one accelerator": (
        SMALL,
        View.of({"accelerator": ["h100"]}),
        {
            "one_frontier": (
                "On Llama 3.1 70B FP8 at 1,024/256, H100 SXM goes from 10 tokens/s per chip at 100"
                " tokens/s/user to 140 at 10."
            ),
            "knees": "Knee, in tokens/s per chip at tokens/s/user: 130 at 40.",
            "counts": "4 of 5 points are on the frontier.",
        },
    ),
    "one point": (
        SMALL,
        View.of({"accelerator": ["h200"], "evidence": ["measured"]}),
        {
            "one_frontier": (
                "Only one point of Llama 3.1 70B FP8 at 1,024/256 has both metrics, H200 SXM with 400"
                " tokens/s per chip at 20 tokens/s/user."
            ),
            "point": ("That point: Llama 3.1 70B, FP8, 2 x H200 SXM, vLLM, 1,024 in / 256 out, concurrency 64."),
        },
    ),
    "one point of several": (
        [point(200, 20), point(100, 30), point(90, 40)],
        View(),
        {
            "one_frontier": (
                "On Llama 3.1 70B FP8 at 1,024/256, H100 SXM reaches 100 tokens/s per chip at 50"
                " tokens/s/user, better than all other 2 points."
            ),
            "counts": "1 of 3 points is on the frontier.",
        },
    ),
    "few state the axis": (
        [point(200, 20), *(point(100 + n, None, ttft_ms_p50=n) for n in range(4))],
        View.of(options={"x": X}),
        {
            "one_frontier": (
                "Only one point of Llama 3.1 70B FP8 at 1,024/256 has both metrics, H100 SXM with 100"
                " tokens/s per chip at 50 tokens/s/user."
            ),
            "instead": "For a frontier, choose median TTFT for the horizontal axis.",
            "left_out": "1 of 5 points is used; left out: 4 without median interactivity.",
        },
    ),
    "a limit": (
        SMALL,
        View.of(slo=[LIMIT_X]),
        {
            "best_within": (
                "7 of 9 points state median interactivity; of those on Llama 3.1 70B, H100 SXM leads with 100"
                " tokens/s per chip within the limit."
            ),
            "point": "That point: Llama 3.1 70B, FP8, 2 x H100 SXM, vLLM, 1,024 in / 256 out, concurrency 8.",
            "reached": "Best with median interactivity ≥ 45 tokens/s/user, in tokens/s per chip: H100 SXM 100.",
            "never": "Never within the limit: H200 SXM.",
            "one_frontier": (
                "On Llama 3.1 70B FP8 at 1,024/256 within the limit, H100 SXM goes from 10 tokens/s per chip"
                " at 100 tokens/s/user to 100 at 50."
            ),
            "counts": "2 of 2 points are on the frontier within the limit.",
        },
    ),
    "two limits that all state": (
        LEVEL,
        View.of(slo=[LIMIT, f"{Y}>=20"]),
        {
            "best_within": (
                "With median interactivity ≥ 60 tokens/s/user and output throughput per accelerator ≥ 20"
                " tokens/s/accelerator, H200 SXM leads on Llama 3.1 70B: 99.5 tokens/s per chip."
            ),
            "reached": (
                "Best with median interactivity ≥ 60 tokens/s/user and output throughput per accelerator ≥ 20"
                " tokens/s/accelerator, in tokens/s per chip: H200 SXM 99.5."
            ),
        },
    ),
    "a limit and two level within it": (
        [at(100, 70, "h100-sxm"), at(99.5, 80, "h200-sxm"), at(20, 90, "b200-sxm")],
        View.of(slo=[LIMIT]),
        {
            "best_within": (
                "With median interactivity ≥ 60 tokens/s/user, H100 SXM and H200 SXM are level within 1 % on"
                " Llama 3.1 70B: 100 tokens/s per chip."
            ),
            "reached": (
                "Best with median interactivity ≥ 60 tokens/s/user, in tokens/s per chip: H100 SXM 100, H200"
                " SXM 99.5 and B200 SXM 20."
            ),
            "leads": (
                "On Llama 3.1 70B FP8 at 1,024/256 within the limit, H200 SXM leads per chip between 70 and"
                " 80 tokens/s/user; B200 leads elsewhere."
            ),
            "who_leads": (
                "Who leads within the limit as median interactivity rises: H100 up to 70 tokens/s/user (level"
                " with the next), H200 up to 80 and B200 up to 90."
            ),
        },
    ),
    "a limit that few state": (
        TAIL,
        View.of(slo=TTFT),
        {
            "best_within": (
                "3 of 5 points state p99 TTFT; of those on Llama 3.1 70B, H100 SXM leads with 100 tokens/s"
                " per chip within the limit."
            ),
            "never": "Never within the limit: H200 SXM and MI300X.",
            "silent": "Not known to be within the limit: B200 SXM and MI355X.",
        },
    ),
    "a limit that too few accelerators state": (
        [point(200, 20, ttft_ms_p99=9), *(point(9, 9, accelerator=chip) for chip in ("h200-sxm", "b200-sxm"))],
        View.of(slo=TTFT),
        {
            "no_best": (
                "Only 1 of 3 accelerators on Llama 3.1 70B FP8 at 1,024/256 state p99 TTFT, so no best is named."
            )
        },
    ),
    "limits that nothing keeps": (
        SMALL,
        View.of(slo=[LIMIT_X, LIMIT_Y]),
        {"none_within": ("7 of 9 points can be judged by these limits; of those on Llama 3.1 70B, none keeps them.")},
    ),
    "a limit that none of those that state it keeps": (
        SMALL,
        View.of(slo=[f"{X}>=500"]),
        {"none_within": "7 of 9 points state median interactivity; of those on Llama 3.1 70B, none keeps it."},
    ),
    "a limit that nothing keeps": (
        SMALL[:5],
        View.of(slo=[f"{X}>=500"]),
        {"none_within": ("No point of Llama 3.1 70B FP8 at 1,024/256 has median interactivity ≥ 500 tokens/s/user.")},
    ),
    "a limit that no point states": (
        SMALL,
        View.of(slo=["e2el_ms_p99<=2000"]),
        {
            "unknown_limits": (
                "No point of Llama 3.1 70B FP8 at 1,024/256 on these axes states p99 E2EL; lift the limit to"
                " see a frontier."
            )
        },
    ),
    "two models": (
        TWO_MODELS,
        View.of({"model": ["llama-3.1-8b", "llama-3.1-70b"]}),
        {
            "leads": (
                "Of Llama 3.1 70B and Llama 3.1 8B FP8 at 1,024/256, Llama 3.1 8B leads per chip between 20"
                " and 100 tokens/s/user."
            ),
            "who_leads": (
                "Who leads as median interactivity rises: Llama 3.1 70B up to 20 tokens/s/user and Llama 3.1"
                " 8B up to 100."
            ),
            "leads_on": "The leading points: Llama 3.1 70B on B200 SXM and Llama 3.1 8B on L40S.",
        },
    ),
    "two models and a limit": (
        TWO_MODELS,
        View.of({"model": ["llama-3.1-8b", "llama-3.1-70b"]}, slo=[LIMIT]),
        {
            "best_within": (
                "With median interactivity ≥ 60 tokens/s/user, Llama 3.1 8B (L40S) is ahead of Llama 3.1 70B:"
                " 900 tokens/s per chip at 100 tokens/s/user."
            )
        },
    ),
    "what nobody put side by side": (
        [*TWO_MODELS, point(100, 20, isl=8192)],
        View.of(whole=True),
        {
            "unasked": (
                "Llama 3.1 70B and Llama 3.1 8B and 2 input lengths (1,024 tokens and 8,192 tokens) are mixed"
                " here, so no leader is named; choose one of each."
            ),
            "mixed": (
                "Mixed here: 2 models (Llama 3.1 70B and Llama 3.1 8B), 2 input lengths (1,024 tokens and"
                " 8,192 tokens)."
            ),
        },
    ),
    "lengths that nobody put side by side": (
        [point(100, 10), point(200, 20, isl=8192)],
        View.of(whole=True),
        {
            "unasked": (
                "2 input lengths (1,024 tokens and 8,192 tokens) are mixed here, so no leader is named;"
                " choose one of each."
            ),
            "mixed": "Mixed here: 2 input lengths (1,024 tokens and 8,192 tokens).",
        },
    ),
    "leaders unlike in how they are deployed": (
        [
            point(100, 10, disaggregated=True, speculation="mtp"),
            point(900, 20, disaggregated=False, speculation="none", **H200),
        ],
        View(),
        {
            "leaders": (
                "The leaders differ in deployment: H200 aggregated; H100 disaggregated. The leaders differ in"
                " speculation: H200 no speculation; H100 MTP speculation."
            ),
            "mixed": "Mixed here: with and without MTP speculation, aggregated and disaggregated.",
        },
    ),
    "several days": (
        [point(200, 20, date="2026-01-01"), point(100, 10, date="2026-03-01", **H200)],
        View(),
        {"dates": "Measured between 2026-01-01 and 2026-03-01."},
    ),
    "more groups than lines": (
        [point(100 + n, 10 + n, variant=f"v{n}") for n in range(17)],
        View.of(options={"group": "variant"}),
        {"undrawn": "1 group with the lowest frontiers has no line."},
    ),
    "two groups too many": (
        [point(100 + n, 10 + n, variant=f"v{n}") for n in range(18)],
        View.of(options={"group": "variant"}),
        {"undrawn": "2 groups with the lowest frontiers have no line."},
    ),
    "nothing selected": (
        SMALL,
        View.of({"model": ["gpt-9"]}),
        {"no_frontier": "No point matches these filters; remove one."},
    ),
    "neither metric": (
        SMALL,
        View.of({"concurrency": ["3"]}),
        {"no_frontier": "No point of Llama 3.1 70B FP8 at 1,024/256 states both a latency and a throughput."},
    ),
    "nothing measured": (
        [point(100, 10, evidence="projected")],
        View(),
        {"no_frontier": "No point of Llama 3.1 70B FP8 at 1,024/256 was measured (0 of 1), so none is ranked."},
    ),
    "nothing priced": (
        [point(100, 10, **H200)],
        View.of(options={"y": COST, "price_book": "made"}),
        {"no_frontier": ("No accelerator measured with Llama 3.1 70B FP8 at 1,024/256 has a price under these terms.")},
    ),
    "another metric was published": (
        [point(200, 20), point(None, None, ttft_ms_mean=5)],
        View.of(options={"x": "ttft_ms_mean"}),
        {
            "no_frontier": (
                "No point of Llama 3.1 70B FP8 at 1,024/256 has both mean TTFT and output throughput per"
                " accelerator; choose median interactivity for the horizontal axis."
            )
        },
    ),
}


@pytest.mark.parametrize(("rows", "view", "texts"), SAID.values(), ids=SAID)
def test_a_sentence_of_each_kind(rows: list[Row], view: View, texts: dict[str, str], tmp_path: Path) -> None:
    answer = pareto.answer(library_of(tmp_path, rows), view)
    assert {kind: " ".join(one.text for one in statements(answer, kind)) for kind in texts} == texts


def test_a_grid_in_place_of_points(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pareto, "DRAWN_POINTS", 3)
    grid = statement(pareto.answer(library_of(tmp_path, SMALL), View()), "grid")
    assert grid.text == "6 points are drawn as counts in a grid; the frontiers are exact."


def test_what_each_step_of_a_frontier_gives_and_costs(tmp_path: Path) -> None:
    answer = pareto.answer(library_of(tmp_path, SMALL), View.of({"accelerator": ["h100"]}))
    assert answer.rows[answer.rows["on_frontier"]]["step"].tolist() == [
        None,
        "10 times the throughput for +10 ms TPOT",
        "30 % more throughput for +5 ms TPOT",
        "7.7 % more throughput for +75 ms TPOT",
    ]


def test_a_small_step_reads_well(tmp_path: Path) -> None:
    rows = [point(100, None, ttft_ms_p50=10), point(118, None, ttft_ms_p50=10.004), point(130, None, ttft_ms_p50=12)]
    answer = pareto.answer(library_of(tmp_path, rows), View.of(options={"x": "ttft_ms_p50"}))
    assert answer.rows["step"].tolist() == [
        None,
        "18 % more throughput for under 0.01 ms more TTFT",
        "10 % more throughput for +2.00 ms TTFT",
    ]


def test_groups_are_named_in_words() -> None:
    named = {
        ("accelerators", "8"): "8 chips",
        ("speculation", "mtp"): "MTP speculation",
        ("disaggregated", "true"): "disaggregated",
        ("precision", "fp8"): "FP8",
        ("engine", ""): "engine not stated",
        ("tp", "4"): "tp 4",
    }
    assert {key: sentences.label(*key) for key in named} == named


def test_a_time_is_told_with_what_it_is(shipped: Library) -> None:
    answer = pareto.answer(shipped, View.of({"model": ["gemma-4-31b"]}))
    told = "Knee, in tokens/s per chip at ms decode step: 5,802 at 22.1 "
    assert statement(answer, "knees").text.startswith(told)


def test_one_point_is_told_with_its_flag(shipped: Library) -> None:
    answer = pareto.answer(shipped, View.of({"model": ["gemma-4-31b"], "isl": ["6256"]}))
    (only,) = answer.result.overall
    for one in answer.statements[:2]:
        assert one.point_ids == (only.point.point_id,)
        assert "(flagged: requests unaccounted for)" in one.text


def test_leaders_say_what_they_are_where_the_points_are_mixed(shipped: Library) -> None:
    told = {one.values["fact"]: one.text for one in statements(pareto.answer(shipped, View()), "leaders")}
    assert told == {
        "disaggregated": "The leaders differ in deployment: GB300, GB200 and B200 disaggregated; B300"
        " disaggregated or aggregated; MI355X aggregated.",
        "speculation": "The leaders differ in speculation: GB300 no speculation; GB200 no speculation or"
        " MTP speculation; B300, MI355X and B200 MTP speculation.",
    }


def test_the_readers_limits_lead_the_answer(shipped: Library) -> None:
    asked = View.of({**DEEPSEEK, "isl": [1024], "osl": [1024]}, slo=[LIMIT, f"{Y}>=200"])
    answer = pareto.answer(shipped, asked)
    assert [one.kind for one in answer.statements][:5] == ["best_within", "point", "reached", "never", "leads"]
    assert answer.headline.startswith("With median interactivity ≥ 60 tokens/s/user and output throughput")
    assert statements(answer, "narrowed")


@pytest.mark.parametrize("x", [X, "ttft_ms_mean"])
@pytest.mark.parametrize("model", ["deepseek-r1", "llama-3.1-8b", "llama-3.1-70b", "qwen3.5-397b-a17b", "llama-7b"])
def test_a_headline_is_short(shipped: Library, model: str, x: str) -> None:
    answer = pareto.answer(shipped, View.of({"model": [model]}, {"x": x}))
    assert len(answer.headline.split()) <= LONGEST


@pytest.mark.parametrize("about", some(golden.VIEWS, 6, 6))
def test_every_flag_of_a_point_that_a_sentence_names_stands_in_it(shipped: Library, about: str) -> None:
    for options, slo in (({}, ()), ({"y": COST}, (LIMIT,))):
        answer = pareto.answer(shipped, View.of(golden.VIEWS[about], options, slo=slo))
        kinds = {spot.point.point_id: spot.point.flag_kinds for spot in answer.result.overall}
        flagged = dict(zip(answer.rows.get("point_id", ()), answer.rows.get("flags", ()), strict=True))
        for one in answer.statements:
            for point_id in one.point_ids:
                stated = json.loads(flagged[point_id] or "[]") if isinstance(flagged[point_id], str) else []
                assert set(kinds.get(point_id, ())) <= {flag["kind"] for flag in stated}
                assert all(word in one.text for word in printed(flag["kind"] for flag in stated))
