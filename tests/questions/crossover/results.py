"""Results made up for the crossover's tests, the pairs asked of them, and how what is said is read."""

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
ABOUT = {"model": "llama-3.1-70b", "precision": "fp8", "engine": "vllm", "accelerators": 2, "isl": 1024, "osl": 256,
         "evidence": "measured"}  # fmt: skip


def points(accelerator: str, values: Mapping[int, float], **facts: object) -> list[dict[str, object]]:
    return [
        {**ABOUT, "accelerator": accelerator, "concurrency": x, "output_tokens_per_s": y, **facts}
        for x, y in values.items()
    ]


def library_of(
    folder: Path, *rows: list[dict[str, object]], prices: Sequence[dict[str, object]] = ()
) -> Library:
    """A library of these points and prices."""
    listed = [row for some in rows for row in some]
    (folder / "library" / "prices").mkdir(parents=True)
    for path, table in (
        (folder / "results.csv", listed),
        (folder / "library" / "prices" / "made.csv", prices),
    ):
        if table:
            with path.open("w", newline="", encoding="utf-8") as lines:
                writer = csv.DictWriter(lines, list(dict.fromkeys(key for row in table for key in row)))
                writer.writeheader()
                writer.writerows(table)
    library = Library.open(folder / "library", shipped=False)
    assert not library.add([folder / "results.csv"]).refused
    return library


def asked(
    library: Library, a: str = A, b: str = B, slo: Iterable[str] = (), **options: object
) -> Answer[Any]:
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


def said(answer: Answer[Any], *kinds: str) -> list[Statement]:
    """The statements of these kinds."""
    return [one for one in answer.statements if one.kind in kinds]


def text(answer: Answer[Any], kind: str) -> str:
    """The text of the one statement of this kind."""
    (found,) = said(answer, kind)
    return found.text


def unflagged(library: Library, statement: Statement) -> list[str]:
    """The flags of a statement's points that its text does not print."""
    named = facts_of.named(library, statement.point_ids).values()
    words = {word for point in named for word in flags.telling(point.flag_kinds)}
    return [word for word in sorted(words) if word not in statement.text]
