"""Results made up for the crossover's tests, and the pairs asked of them."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench import flags
from bench.basis import points as facts_of
from bench.basis.statement import Statement
from bench.library import Library
from bench.maths.crossover import Knot
from bench.questions import Answer, crossover
from bench.questions.crossover.result import Compared, Pair
from bench.view import View

A, B = "accelerator=h100-sxm", "accelerator=h200-sxm"
V6E = "accelerator=tpu-v6e&accelerators=4"
V7X = "accelerator=tpu-v7x"
MI355X = "accelerator=mi355x"
COLUMN_B = "variant=column B, server defaults"
APRIL = "variant=CUDA graph, forward only, April 2026"
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


def points(accelerator: str, values: Mapping[int, float], **facts: object) -> list[dict[str, object]]:
    return [
        {**ABOUT, "accelerator": accelerator, "concurrency": x, "output_tokens_per_s": y, **facts}
        for x, y in values.items()
    ]


def library_of(folder: Path, *rows: list[dict[str, object]], prices: Sequence[dict[str, object]] = ()) -> Library:
    """A library of these points and prices."""
    listed = [row for some in rows for row in some]
    (folder / "library" / "prices").mkdir(parents=True)
    for path, table in ((folder / "results.csv", listed), (folder / "library" / "prices" / "made.csv", prices)):
        if table:
            with path.open("w", newline="", encoding="utf-8") as lines:
                writer = csv.DictWriter(lines, list(dict.fromkeys(key for row in table for key in row)))
                writer.writeheader()
                writer.writerows(table)
    library = Library.open(folder / "library", shipped=False)
    assert not library.add([folder / "results.csv"]).refused
    return library


def asked(library: Library, a: str = A, b: str = B, slo: Iterable[str] = (), **options: object) -> Answer[Any]:
    return crossover.answer(library, View.of({}, {"a": a, "b": b, **options}, slo=slo))


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


Said = Mapping[str, str | tuple[str, ...]]
"""Sentences by the kind of their statements; of a kind with several all of them, in order."""


def spoken(answer: Answer[Any], like: Said) -> Said:
    """What an answer says in statements of the same kinds as these."""
    every = {kind: tuple(one.text for one in answer.statements if one.kind == kind) for kind in like}
    return {kind: texts[0] if len(texts) == 1 else texts for kind, texts in every.items()}


def unflagged(library: Library, statement: Statement) -> list[str]:
    """The flags of a statement's points that its text does not print."""
    named = facts_of.named(library, statement.point_ids).values()
    words = {word for point in named for word in flags.printed(point.flag_kinds)}
    return [word for word in sorted(words) if word not in statement.text]
