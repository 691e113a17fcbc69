"""Results made up for the crossover's tests, and the pairs asked of them.

Most of them lie in one library, each table as a source of its own: a source is never compared with another's runs, and
a View that names one selects that table alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.library import Library
from bench.maths.crossover import Knot
from bench.questions import Answer, crossover
from bench.questions.crossover.result import Compared, Pair
from bench.view import View
from tests.library.files import published

A, B = "accelerator=h100-sxm", "accelerator=h200-sxm"
V6E = "accelerator=tpu-v6e&accelerators=4"
V7X = "accelerator=tpu-v7x"
MI355X = "accelerator=mi355x"
COLUMN_B = "variant=column B, server defaults"
ABOUT = {
    "model": "llama-3.1-70b",
    "precision": "fp8",
    "engine": "vllm",
    "accelerators": 2,
    "isl": 1024,
    "osl": 256,
    "evidence": "measured",
}

PRICE = {"provider": "a", "accelerator": "h100-sxm", "accelerators": 1, "terms": "on_demand", "usd_per_hour": 2.0}

Rows = list[dict[str, object]]


def points(accelerator: str, values: Mapping[int, float], **facts: object) -> Rows:
    return [
        {**ABOUT, "accelerator": accelerator, "concurrency": x, "output_tokens_per_s": y, **facts}
        for x, y in values.items()
    ]


def with_sources(tables: Mapping[str, Iterable[Rows]]) -> list[Rows]:
    """The rows of several tables, each of the source of its name."""
    return [[{**row, "source": name} for row in rows] for name, of in tables.items() for rows in of]


def library_of(folder: Path, *rows: Rows, prices: Sequence[dict[str, object]] = ()) -> Library:
    """A library of these points and prices."""
    if prices:
        published(folder / "library" / "prices" / "made.csv", prices)
    library = Library.open(folder / "library", shipped=False)
    assert not library.add([published(folder / "results.csv", [row for some in rows for row in some])]).refused
    return library


def view_of(source: str = "", a: str = A, b: str = B, slo: Iterable[str] = (), **options: object) -> View:
    """The View of a pair, of one source or of all."""
    return View.of({"source": [source]} if source else {}, {"a": a, "b": b, **options}, slo=slo)


def asked(library: Library, source: str = "", **options: Any) -> Answer[Any]:
    return crossover.answer(library, view_of(source, **options))


def outcome(answer: Answer[Any]) -> Compared:
    """What the comparison of a pair came to."""
    assert isinstance(answer.result, Pair)
    assert isinstance(answer.result.outcome, Compared)
    return answer.result.outcome


def knots(answer: Answer[Any]) -> tuple[Knot, ...]:
    return outcome(answer).found.knots


def kind(answer: Answer[Any]) -> str:
    """What a pair's answer comes to: who leads, or what its outcome is called."""
    found = answer.result.outcome
    return f"{found.leader}_leads" if found.kind == "leads" else found.kind
