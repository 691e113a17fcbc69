"""What the overview says, to the letter: each kind of sentence once in every form it has."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bench.library import Library
from bench.questions import overview
from bench.view import View
from tests.library.files import SCORE, published, table
from tests.questions.overview.results import SMALL, Row, library_of, point
from tests.questions.saying import said, statement, statements

UNSTATED = point(1336, 10, "", accelerators=8, output_tokens_per_s_per_accelerator=167)
WARNED = '[{"kind": "undefined-throughput", "seen": "No hardware.", "why": "Unclear.", "do": "Ask."}]'
MANY = [
    point(100 + level, 10, model=f"model-{place:02}", concurrency=level)
    for place in range(overview.SHOWN_MODELS)
    for level in (1, 2)
]

SAID: dict[str, tuple[list[Row], View, dict[str, str]]] = {
    "everything": (
        SMALL,
        View(),
        {
            "counts": "8 points are loaded: 2 models on 4 accelerators from 1 source.",
            "loaded": "6 series, the last measured on 2026-02-28.",
            "newest": (
                "Loaded last: 8 points of Gemma 4 31B and Llama 3.1 70B on B200 SXM, H100 SXM, H200 SXM and 1"
                " more from made, measured up to 2026-02-28."
            ),
            "per_chip": (
                "Most output per chip: 2,500 tokens/s on 2 x B200 SXM, concurrency 8, Llama 3.1 70B FP8 at 1,024/256."
            ),
            "stream": (
                "Fastest stream for one user: 125 tokens/s/user on 2 x B200 SXM, concurrency 8, Llama 3.1 70B"
                " FP8 at 1,024/256."
            ),
            "gap": (
                "Largest gap at equal conditions: H200 SXM gives 2.50 times the output per chip of H100 SXM,"
                " Llama 3.1 70B FP8 at 1,024/256."
            ),
            "not_measured": "1 point was not measured: in brackets in the chart, ranked in no sentence.",
        },
    ),
    "a selection": (
        SMALL,
        View.of({"accelerator": ["h100"]}),
        {
            "counts": "3 of 8 loaded points are selected: Llama 3.1 70B on 1 accelerator from 1 source.",
            "loaded": "2 series, the last measured on 2026-01-31.",
        },
    ),
    "a selection of one model": (
        SMALL,
        View.of({"model": ["gemma-4-31b"]}),
        {
            "per_chip": (
                "Most output per chip: 30 tokens/s on 2 x TPU v6e, concurrency 8, Gemma 4 31B FP8 at 1,024/256."
            )
        },
    ),
    "nothing selected": (
        SMALL,
        View.of({"model": ["gpt-9"]}),
        {"counts": "None of the 8 loaded points is selected.", "not_loaded": "Nothing is loaded for model gpt-9."},
    ),
    "other evidence": (
        SMALL,
        View.of({"evidence": ["projected"]}),
        {
            "per_chip": (
                "Most output per chip: 4,500 tokens/s on 2 x H200 SXM, concurrency 8, Llama 3.1 70B FP8 at"
                " 1,024/256 (projected)."
            ),
            "stream": (
                "Fastest stream for one user: 1,000 tokens/s/user on 2 x H200 SXM, concurrency 8, Llama 3.1"
                " 70B FP8 at 1,024/256 (projected)."
            ),
            "not_measured": "1 point was not measured: in brackets in the chart.",
        },
    ),
    "a limit": (
        SMALL,
        View.of(slo=["tpot_ms_p50>=9"]),
        {
            "per_chip": (
                "Most output per chip: 250 tokens/s on 2 x H200 SXM, concurrency 8, Llama 3.1 70B FP8 at 1,024/256."
            ),
            "limits": "Only points with median TPOT of 9 ms or more are ranked.",
        },
    ),
    "models side by side": (
        [*SMALL, point(70, 40, "tpu-v6e")],
        View.of({"model": ["gemma-4-31b", "llama-3.1-70b"]}),
        {
            "per_chip": (
                "Most output per chip of Gemma 4 31B and Llama 3.1 70B: 2,500 tokens/s on 2 x B200 SXM,"
                " concurrency 8, Llama 3.1 70B FP8 at 1,024/256."
            ),
            "stream": (
                "Fastest stream for one user of Gemma 4 31B and Llama 3.1 70B: 125 tokens/s/user on 2 x B200"
                " SXM, concurrency 8, Llama 3.1 70B FP8 at 1,024/256."
            ),
        },
    ),
    "one point": (
        [point(100, 10)],
        View(),
        {
            "counts": "1 point is loaded: Llama 3.1 70B on 1 accelerator from 1 source.",
            "loaded": "1 series, the last measured on 2026-01-31.",
            "newest": ("Loaded last: 1 point of Llama 3.1 70B on H100 SXM from made, measured up to 2026-01-31."),
        },
    ),
    "no day": (
        [point(100, 10, date="")],
        View(),
        {"loaded": "1 series.", "newest": "Loaded last: 1 point of Llama 3.1 70B on H100 SXM from made."},
    ),
    "no accelerator stated": (
        [UNSTATED],
        View(),
        {
            "counts": "1 point is loaded: Llama 3.1 70B (accelerator not stated) from 1 source.",
            "newest": (
                "Loaded last: 1 point of Llama 3.1 70B (accelerator not stated) from made, measured up to 2026-01-31."
            ),
            "per_chip": (
                "Most output per chip: 167 tokens/s on accelerator not stated, concurrency 8, Llama 3.1 70B"
                " FP8 at 1,024/256."
            ),
        },
    ),
    "an accelerator stated in part": (
        [UNSTATED, point(100, 10)],
        View(),
        {
            "counts": "2 points are loaded: Llama 3.1 70B on 1 accelerator from 1 source.",
            "newest": (
                "Loaded last: 2 points of Llama 3.1 70B on H100 SXM (in part accelerator not stated) from"
                " made, measured up to 2026-01-31."
            ),
        },
    ),
    "a flag": (
        [point(100, 10, flags=WARNED)],
        View(),
        {
            "per_chip": (
                "Most output per chip: 50 tokens/s on 2 x H100 SXM, concurrency 8, Llama 3.1 70B FP8 at"
                " 1,024/256 (flagged: undefined throughput)."
            ),
            "stream": (
                "Fastest stream for one user: 100 tokens/s/user on 2 x H100 SXM, concurrency 8, Llama 3.1 70B"
                " FP8 at 1,024/256 (flagged: undefined throughput)."
            ),
        },
    ),
    "a gap of less than twice": (
        [point(100, 10), point(150, 10, "h200-sxm", flags=WARNED)],
        View(),
        {
            "gap": (
                "Largest gap at equal conditions: H200 SXM gives 50 % more output per chip than H100 SXM,"
                " Llama 3.1 70B FP8 at 1,024/256 (flagged: undefined throughput)."
            )
        },
    ),
    "one model too many": (
        [*MANY, point(50, 10, "tpu-v6e", model="last")],
        View(),
        {
            "hidden": (
                "The chart shows the 22 models with the most measured points; 1 more is loaded, the only ones"
                " on TPU v6e."
            )
        },
    ),
    "two models too many": (
        [*MANY, point(50, 10, model="last"), point(50, 10, model="least")],
        View(),
        {"hidden": "The chart shows the 22 models with the most measured points; 2 more are loaded."},
    ),
}


@pytest.mark.parametrize(("rows", "view", "texts"), SAID.values(), ids=SAID)
def test_a_sentence_of_each_kind(rows: list[Row], view: View, texts: dict[str, str], tmp_path: Path) -> None:
    answer = overview.answer(library_of(tmp_path, rows), view)
    assert {kind: " ".join(one.text for one in statements(answer, kind)) for kind in texts} == texts


def test_what_was_refused_and_scores_are_counted_beside_the_series(tmp_path: Path) -> None:
    library = Library.open(tmp_path / "library", shipped=False)
    library.add([published(tmp_path / "made.csv", [point(100, 10), point("bad", 10)])])
    library.add([table(tmp_path / "scores.csv", {"source": "other"}, base=SCORE)])
    answer = overview.answer(library, View())
    assert said(answer, "loaded") == {"series": 1, "refused": 1, "scores": 1}
    told = "1 series, the last measured on 2026-01-31; 1 quality score from 1 more source; 1 file or row refused."
    assert statement(answer, "loaded").text == told


def test_an_overview_of_one_model_names_it_and_says_which_day_is_which(shipped: Library) -> None:
    answer = overview.answer(shipped, View.of({"model": ["deepseek-r1"]}))
    assert re.fullmatch(
        r"[\d,]+ of [\d,]+ loaded points are selected: DeepSeek-R1 on \d+ accelerators from .*", answer.headline
    )
    assert "series, the last measured on 2026-06-11" in statement(answer, "loaded").text
    newest = statement(answer, "newest").text
    assert newest.startswith("Last measured and published: 18 points of DeepSeek-R1 ")
    assert newest.endswith("from inferencex, measured by 2026-06-11.")
