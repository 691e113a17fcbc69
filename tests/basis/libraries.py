"""Small libraries for the basis's tests, and one drawn at random that holds every case."""

from __future__ import annotations

import random
from pathlib import Path

from hypothesis import strategies as st

from bench.library import Library
from bench.view import View
from tests.questions.heatmap.results import flag, library_of, point

MODELS = ("llama-3.1-70b", "deepseek-r1")


def mixed(folder: Path, rows: int = 300) -> Library:
    """Points drawn at random from few values, so that stories, runs, repeats, flags and gaps all occur."""
    draw = random.Random(7)
    return library_of(
        folder,
        [
            point(
                draw.choice((128, 512, 2048)),
                draw.choice((64, 128)),
                draw.choice((None, 10, 20, draw.randint(1, 900))),
                model=draw.choice((*MODELS, MODELS[0])),
                precision=draw.choice(("fp8", "fp8", "bf16")),
                accelerator=draw.choice(("h100-sxm", "h200-sxm", "b200-sxm")),
                accelerators=draw.choice((4, 8)),
                tp=draw.choice((1, 4)),
                concurrency=draw.choice((1, 8, 64)),
                repeat=draw.choice((None, None, 1, 2)),
                engine_version=draw.choice(("0.17", "0.18")),
                date=draw.choice((None, "2026-01-01", "2026-02-20")),
                speculation=draw.choice((None, "none", "mtp")),
                ttft_ms_p50=draw.choice((None, 5, draw.randint(1, 900))),
                duration_s=60,
                evidence=draw.choice(("measured",) * 5 + ("projected",)),
                flags=draw.choice((None,) * 5 + (flag("implausible"), flag("roofline"), flag("too_few_requests"))),
            )
            for _ in range(rows)
        ],
    )


FILTERS = {
    "model": MODELS,
    "precision": ("fp8", "bf16"),
    "accelerator": ("h100-sxm", "h200-sxm", "b200"),
    "accelerators": ("4", "8"),
    "isl": ("128", "512"),
    "osl": ("64", "128"),
    "tp": ("1", "4"),
    "concurrency": ("1", "8", "64"),
    "speculation": ("none", "mtp"),
    "evidence": ("measured", "projected"),
    "engine_version": ("0.17", "0.18"),
    "date_to": ("2026-01-31",),
}
SLO = ("ttft_ms_p50<=300", "ttft_ms_p50>=5", "output_tokens_per_s>=15", "tpot_ms_p50<=20")

filters = st.dictionaries(st.sampled_from(tuple(FILTERS)), st.integers(0, 2), max_size=4).map(
    lambda chosen: {key: [FILTERS[key][place % len(FILTERS[key])]] for key, place in chosen.items()}
)
views = st.builds(
    lambda where, slo, runs, flagged: View.of(where, {"runs": runs, "flagged": flagged}, slo=slo),
    filters,
    st.lists(st.sampled_from(SLO), unique=True, max_size=2),
    st.sampled_from(("newest", "all")),
    st.sampled_from(("ranked", "out")),
)
"""Views with some filters, limits, and what is chosen of runs and flags."""
