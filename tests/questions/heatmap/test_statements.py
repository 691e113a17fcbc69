"""What a heatmap says, to the letter: each kind of sentence once in every form it has."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.questions import heatmap
from bench.view import View
from tests.questions.heatmap.results import SIDES, SMALL, Row, asked, flag, library_of, point
from tests.questions.saying import statements

H200 = {"accelerator": "h200-sxm"}
TTFT = ("ttft_ms_p50<=100",)
LLAMA = {"model": ["llama-3.1-70b"]}
BY_LOAD = View.of(LLAMA, {"x": "concurrency", "y": "tp"})
MIXED = asked(**SIDES).with_where(precision=["fp8", "fp16"])


def lengths(*throughputs: float, **facts: object) -> list[Row]:
    """One point after the other with these throughputs, at 128, 256, 512 … tokens in and 128 out."""
    return [point(128 * 2**place, 128, one, **facts) for place, one in enumerate(throughputs)]


def times(*throughputs: float, **facts: object) -> list[Row]:
    """Points of H100 with 100 tokens/s each, and of H200 with these throughputs at the same places."""
    return [*lengths(*[100] * len(throughputs)), *lengths(*throughputs, **{**H200, **facts})]


SAID: dict[str, tuple[list[Row], View, dict[str, str]]] = {
    "a grid of two panels": (
        SMALL,
        asked(),
        {
            "peak": (
                "Under closed load, Llama 3.1 70B FP8 at 128/128 on 8 H100 SXM peaks at 180 output tokens/s"
                " at concurrency 16."
            ),
            "falls_off": "The only cell with a value in its panel.",
            "panels": "Best by chip count: 8 chips 180; 4 chips 120.",
            "slope": (
                "Along input length it falls fastest from 128 to 1,024 (128 tokens out, 4 chips): each"
                " doubling divides it by 1.26."
            ),
            "cells": "3 of 8 cells (2 x 2 in 2 panels) have a value (38 %).",
            "empty_cells": (
                "Of the other cells, 1 holds points that failed, 1 holds points without this metric and 3"
                " hold no point."
            ),
            "other_kinds": (
                "Higher outside this grid: 9,000 tokens/s under saturating load (4 x H100 SXM (tp 4)) and"
                " 7,000 tokens/s under static batches (4 x H100 SXM (tp 4), batch 8)."
            ),
            "left_out": (
                "4 of 12 points are used; left out: 1 not measured, 2 repeats of another, 1 that failed, 1"
                " without output throughput, 1 without input length or output length and 2 under other kinds"
                " of load."
            ),
        },
    ),
    "one panel, with room for its lowest": (
        [point(128, 128, 10 * level, tp=1, concurrency=level) for level in (1, 8, 64)],
        BY_LOAD,
        {
            "peak": (
                "Llama 3.1 70B FP8 at 128/128 on 4 H100 SXM peaks at 640 output tokens/s at concurrency 64;"
                " the lowest is 10 at concurrency 1."
            ),
            "slope": ("Along concurrency it never gets worse: each doubling multiplies it by at least 2, from 1 to 8."),
            "cells": "3 of 3 cells (3 x 1) have a value (100 %).",
        },
    ),
    "one cell": (
        lengths(5),
        asked(),
        {
            "peak": (
                "Llama 3.1 70B FP8 at 128/128 on 4 H100 SXM peaks at 5 output tokens/s at concurrency 16, the"
                " only cell with a value."
            ),
            "cells": "1 of 1 cells (1 x 1) has a value (100 %).",
        },
    ),
    "all alike": (
        lengths(100, 100.5),
        asked(),
        {
            "peak": ("Llama 3.1 70B FP8 at 256/128 on 4 H100 SXM peaks at 100 output tokens/s at concurrency 16."),
            "slope": "Along input length it never gets worse; it stays the same from 128 to 256.",
        },
    ),
    "never worse": (
        lengths(100, 200),
        asked(),
        {
            "slope": (
                "Along input length it never gets worse: each doubling multiplies it by at least 2, from 128 to 256."
            )
        },
    ),
    "down to nothing": (
        lengths(100, 0),
        asked(),
        {
            "peak": (
                "Llama 3.1 70B FP8 at 128/128 on 4 H100 SXM peaks at 100 output tokens/s at concurrency 16;"
                " the lowest is 0 at 256/128."
            )
        },
    ),
    "a panel with one cell": (
        [*lengths(10, 5), point(128, 128, 50, accelerators=8)],
        asked(),
        {"falls_off": "The only cell with a value in its panel."},
    ),
    "a panel that falls off": (
        [*lengths(50, 10, accelerators=8), *lengths(5)],
        asked(),
        {"falls_off": "The lowest on 8 chips is 10 at 256/128; the peak is 5 times that."},
    ),
    "a latency": (
        [point(128 * 4**place, 128, ttft_ms_p50=ms) for place, ms in enumerate((20, 80))],
        asked(metric="ttft_ms_p50"),
        {
            "peak": ("Llama 3.1 70B FP8 at 128/128 on 4 H100 SXM is best at 20 ms median TTFT at concurrency 16."),
            "falls_off": "The highest is 80 at 512/128, 4 times the best.",
            "slope": "Along input length it rises fastest from 128 to 512: each doubling multiplies it by 2.",
        },
    ),
    "a lower latency under another load": (
        [
            point(128, 128, ttft_ms_p50=20),
            point(512, 128, ttft_ms_p50=30),
            point(128, 128, ttft_ms_p50=5, load_kind="open", concurrency=None, request_rate=2),
        ],
        asked(metric="ttft_ms_p50"),
        {
            "peak": (
                "Under closed load, Llama 3.1 70B FP8 at 128/128 on 4 H100 SXM is best at 20 ms median TTFT"
                " at concurrency 16."
            ),
            "other_kinds": "Lower outside this grid: 5 ms under open load (4 x H100 SXM (tp 4), 2 requests/s).",
        },
    ),
    "a limit": (
        [point(128, 128, 10, ttft_ms_p50=50), point(512, 128, 9, ttft_ms_p50=900)],
        asked(slo=TTFT),
        {
            "peak": (
                "With median TTFT ≤ 100 ms, Llama 3.1 70B FP8 at 128/128 on 4 H100 SXM peaks at 10 output"
                " tokens/s at concurrency 16."
            ),
            "limits": "Only points with median TTFT of 100 ms or less fill a cell.",
        },
    ),
    "a limit that few state": (
        [
            point(128, 128, 10 * level, concurrency=level, ttft_ms_p50=level if level < 16 else None)
            for level in (1, 2, 4, 8, 16, 32)
        ],
        View.of(LLAMA, {"x": "concurrency", "y": "osl"}, slo=["ttft_ms_p50<=5"]),
        {
            "peak": (
                "4 of 6 points state median TTFT; of those 4 H100 SXM at 128/128 peak at 40 output tokens/s"
                " at concurrency 4 within the limit."
            )
        },
    ),
    "a limit that few accelerators state": (
        [
            *(point(128, 128, 10, accelerator=chip) for chip in ("h100-sxm", "b200-sxm", "mi300x")),
            point(256, 128, 5, **H200, ttft_ms_p50=1),
        ],
        asked(slo=TTFT),
        {"no_best": "Only 1 of 4 points states median TTFT, on 1 of 4 accelerators, so no best is named."},
    ),
    "flags": (
        [point(128, 128, 10, flags=flag("client_limited", "too_few_requests"))],
        asked(),
        {
            "peak": (
                "Llama 3.1 70B FP8 at 128/128 on 4 H100 SXM peaks at 10 output tokens/s at concurrency 16"
                " (flagged: client limited)."
            ),
            "flags": "Best points are flagged: client limited (1 cell).",
        },
    ),
    "doublings": (
        [point(length, 128, 10_000 / length) for length in range(100, 150)],
        asked(),
        {
            "peak": ("Llama 3.1 70B FP8 at 100/128 on 4 H100 SXM peaks at 100 output tokens/s at concurrency 16."),
            "doublings": "A cell holds the best of a doubling of input length.",
            "slope": ("Along input length it falls fastest from 64+ to 128+: each doubling divides it by 1.28."),
        },
    ),
    "too many panels": (
        [
            point(128 * cell, 128, 10 * chips, accelerators=chips)
            for chips in range(1, 15)
            for cell in range(1, 3 + (chips > 2))
        ],
        asked(),
        {
            "undrawn": "2 panels with few cells are in the table alone.",
            "panels": (
                "Best by chip count: 14 chips 140; 13 chips 130; 12 chips 120; 11 chips 110; 10 chips 100; 9"
                " chips 90; 8 chips 80; 7 chips 70; 6 more."
            ),
        },
    ),
    "one panel too many": (
        [point(128, 128, 10 * chips, accelerators=chips) for chips in range(1, 14)],
        asked(),
        {"undrawn": "1 panel with few cells is in the table alone."},
    ),
    "best points unlike in what is no axis": (
        [point(128, 128, 10), point(256, 128, 20, engine="sglang", speculation="mtp")],
        asked(),
        {"mixed": "The cells' best points differ in engine and speculation."},
    ),
    "two models": (
        [*lengths(10), *lengths(20, model="llama-3.1-8b")],
        asked().with_where(model=["llama-3.1-70b", "llama-3.1-8b"]),
        {"peaks": ("Llama 3.1 8B on 4 H100 SXM peaks at 20 output tokens/s and Llama 3.1 70B on 4 H100 SXM at 10.")},
    ),
    "one axis asked for twice": (
        lengths(10, 20),
        View.of(LLAMA, {"x": "osl", "y": "osl"}),
        {"gave_way": "Both axes were output length; the vertical one is now input length."},
    ),
    "a side that is not there": (
        times(200),
        asked(**{**SIDES, "ratio_a": "abacus"}),
        {"gave_way": "abacus cannot be compared here; H200 SXM takes its side."},
    ),
    "nothing to divide by": (
        lengths(5),
        asked(ratio_by="engine"),
        {"gave_way": "No two values of engine share a cell of this grid, so there is no ratio."},
    ),
    "a ratio": (
        [*times(250, 40), point(2048, 128, 80), point(128, 512, 70, **H200)],
        asked(**SIDES),
        {
            "ratio": ("H200 SXM has 45 % more output throughput than H100 SXM in the median of 2 shared cells."),
            "ahead": (
                "Ahead: H200 SXM in 1 cell and H100 SXM in 1 cell; H200 SXM / H100 SXM goes from 0.400 at"
                " 256/128 to 2.50 at 128/128."
            ),
            "one_side": ("Measured on one side, so not divided: only H200 SXM in 1 cell and only H100 SXM in 1 cell."),
            "cells": "2 of 6 cells (3 x 2) have values on both sides (33 %).",
        },
    ),
    "a ratio of one cell": (
        times(100),
        asked(**SIDES),
        {
            "ratio": "H200 SXM has the same output throughput as H100 SXM in the one cell both have.",
            "ahead": "Ahead: a tie within 1 % in 1 cell; H200 SXM / H100 SXM is 1 at 128/128.",
        },
    ),
    "a ratio of points of other accelerators too": (
        [*times(200), *lengths(1, accelerator="b200-sxm")],
        asked(**SIDES),
        {"left_out": "2 of 3 points are used; left out: 1 of neither side."},
    ),
    "a ratio at unlike loads somewhere": (
        [*times(200, 150), point(512, 128, 10), point(512, 128, 90, concurrency=64, **H200)],
        asked(**SIDES),
        {
            "ratio": (
                "H200 SXM has 75 % more output throughput than H100 SXM in the median of 2 shared cells at like loads."
            ),
            "unlike_loads": (
                "In 1 of 3 cells the two sides are at different loads; these have no colour and no part in the median."
            ),
        },
    ),
    "a ratio at unlike loads everywhere": (
        times(300, 200, concurrency=64),
        asked(**SIDES),
        {
            "ratio": (
                "H200 SXM has 2.50 times the output throughput of H100 SXM in the median of 2 shared cells,"
                " each at its best load."
            ),
            "unlike_loads": "In 2 of 2 cells the two sides are at different loads.",
        },
    ),
    "a ratio confounded with one thing": (
        times(200, engine="sglang"),
        asked(**SIDES),
        {
            "ratio": (
                "H200 SXM with SGLang has 2 times the output throughput of H100 SXM with vLLM in the one cell"
                " both have."
            )
        },
    ),
    "a ratio confounded with two": (
        times(200, engine="sglang", precision="fp16"),
        MIXED,
        {
            "ratio": (
                "H200 SXM with FP16 with SGLang has 2 times the output throughput of H100 SXM with FP8 with"
                " vLLM in the one cell both have."
            )
        },
    ),
    "a ratio confounded with three": (
        [
            *lengths(100, 100, speculation="none"),
            *lengths(200, 200, **H200, engine="sglang", precision="fp16", speculation="mtp"),
        ],
        MIXED,
        {
            "confounded": (
                "H200 SXM against H100 SXM cannot be judged: they differ in precision, engine and speculation"
                " too, in each of 2 shared cells."
            ),
            "ahead": "H200 SXM / H100 SXM is 2 at 128/128.",
        },
    ),
    "a ratio confounded with what has several values": (
        [
            point(128, 128, 200),
            point(256, 128, 200, **H200),
            *lengths(100, 100, accelerator="a100-sxm-80gb", precision="fp16"),
        ],
        asked(ratio_by="precision", ratio_a="fp8", ratio_b="fp16"),
        {
            "confounded": (
                "FP8 against FP16 cannot be judged: they differ in accelerator too, in each of 2 shared cells."
            ),
            "confounded_by": (
                "In every shared cell they differ in accelerator (H100 SXM and H200 SXM against A100 SXM 80 GB)."
            ),
        },
    ),
    "one side's flags": (
        [point(128, 128, 100, flags=flag("roofline")), point(128, 128, 300, **H200)],
        asked(**SIDES),
        {
            "ratio": (
                "H200 SXM has 3 times the output throughput of H100 SXM in the one cell both have (flagged:"
                " beyond the roofline)."
            )
        },
    ),
    "no shared cell": (
        [point(128, 128, 10), point(512, 128, 20, **H200)],
        asked(**SIDES),
        {"no_value": "H200 SXM and H100 SXM share no cell of this grid, so there is nothing to divide."},
    ),
    "nothing selected": (
        SMALL,
        asked().with_where(engine=["trt"]),
        {"no_value": "No point matches these filters; remove one."},
    ),
    "nothing measured": (
        lengths(5, 6, evidence="estimated"),
        asked(),
        {"no_value": "None of the 2 points was measured, so none is ranked."},
    ),
    "one point, not measured": (
        lengths(5, evidence="estimated"),
        asked(),
        {"no_value": "No selected point was measured, so none is ranked."},
    ),
    "axes that no point states": (
        SMALL,
        asked(x="batch", y="request_rate"),
        {
            "no_value": (
                "None of 5 points states both batch and request rate; choose other axes: 5 state input length"
                " and output length."
            )
        },
    ),
    "a metric that no point states": (
        SMALL,
        asked(metric="goodput_requests_per_s"),
        {"no_value": "None of the 12 points on this grid has goodput; choose another metric."},
    ),
    "a limit that no point on the grid states": (
        SMALL,
        asked(slo=("ttft_ms_p50<=10",)),
        {
            "no_value": (
                "Only 1 of 9 points states median TTFT, not in this grid; drop the limit to see output throughput."
            )
        },
    ),
    "a limit that no point states": (
        lengths(5, 6),
        asked(slo=TTFT),
        {"no_value": ("None of the 2 ranked points states median TTFT; drop the limit to see output throughput.")},
    ),
    "a limit that no point keeps": (
        lengths(5, 6, ttft_ms_p50=900),
        asked(slo=TTFT),
        {"no_value": "None of the 2 points is known to keep the limits; ease them."},
    ),
    "nothing that may be ranked": (
        lengths(5, 6, flags=flag("implausible")),
        asked(),
        {"no_value": "None of the 2 points may be ranked; choose other filters."},
    ),
}


@pytest.mark.parametrize(("rows", "view", "texts"), SAID.values(), ids=SAID)
def test_a_sentence_of_each_kind(rows: list[Row], view: View, texts: dict[str, str], tmp_path: Path) -> None:
    answer = heatmap.answer(library_of(tmp_path, rows), view)
    assert {kind: " ".join(one.text for one in statements(answer, kind)) for kind in texts} == texts
