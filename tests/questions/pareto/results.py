"""Tables of results for the tests of Pareto, and the metrics that they are asked about.

Most of them lie in one library, each as a source of its own, which a View selects.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.library import Library
from bench.questions import Answer, pareto
from bench.view import View
from tests.library.files import published

Row = dict[str, object]

X, Y = "interactivity_tokens_per_s_per_user_p50", "output_tokens_per_s_per_accelerator"
COST = "usd_per_million_output_tokens"
LIMIT_X, LIMIT_Y = f"{X}>=45", f"{Y}>=200"


def point(throughput: float | None, tpot: float | None, **facts: object) -> Row:
    return {
        "model": "llama-3.1-70b",
        "precision": "fp8",
        "engine": "vllm",
        "accelerator": "h100-sxm",
        "accelerators": 2,
        "isl": 1024,
        "osl": 256,
        "evidence": "measured",
        "output_tokens_per_s": throughput,
        "tpot_ms_p50": tpot,
        **facts,
    }


def at(y: float, x: float, accelerator: str, **facts: object) -> Row:
    """A point of one chip with this throughput and this interactivity."""
    return point(y, 1000 / x, accelerator=accelerator, accelerators=1, **facts)


SMALL = [
    point(20, 10, concurrency=1),
    point(200, 20, concurrency=8),
    point(260, 25, concurrency=16),
    point(280, 100, concurrency=64),
    point(180, 40, concurrency=8, engine="sglang"),
    point(800, 50, accelerator="h200-sxm", concurrency=64),
    point(1000, 5, accelerator="h200-sxm", concurrency=64, evidence="projected"),
    point(None, 10, concurrency=2),
    point(300, None, concurrency=2),
    point(None, None, concurrency=3, ttft_ms_p50=5),
]
"""Seven points worked out by hand: 2 chips, so per chip is half; interactivity is 1000 / TPOT.

H100: (100, 10) (50, 100) (40, 130) (10, 140), and (25, 90), which (50, 100) beats. H200: (20, 400) measured and
(200, 500) projected. Three more lack a figure.
"""

MADE = {"a": 2.0, "b": 3.6, "c": 9.0}
"""What an hour of one H100 costs at three providers in the price book `made`."""


def library_of(folder: Path, rows: Sequence[Row], prices: Mapping[str, float] = MADE) -> Library:
    """A library of these results, and of a price book `made` with these prices."""
    (folder / "library" / "prices").mkdir(parents=True)
    chip = {"accelerator": "h100-sxm", "accelerators": 1, "terms": "on_demand"}
    offers = [{"provider": name, **chip, "usd_per_hour": usd} for name, usd in prices.items()]
    published(folder / "library" / "prices" / "made.csv", offers)
    library = Library.open(folder / "library", shipped=False)
    assert not library.add([published(folder / "results.csv", [*rows])]).refused
    return library


def library_of_tables(folder: Path, tables: Mapping[str, Sequence[Row]]) -> Library:
    """A library of these tables, each of the source of its name."""
    return library_of(folder, [{**row, "source": name} for name, rows in tables.items() for row in rows])


def asked(library: Library, source: str, view: View | None = None) -> Answer[Any]:
    """The answer about one source."""
    return pareto.answer(library, (view or View()).with_where(source=[source]))


def places(answer: Answer[Any], mark: str, accelerator: str = "") -> list[tuple[int, int]]:
    """Where the marked points of an answer lie, of one accelerator or of all."""
    rows = answer.rows[answer.rows[mark] & answer.rows["accelerator"].str.startswith(accelerator)]
    return [(round(row[X]), round(row[Y])) for row in rows.to_dict("records")]
