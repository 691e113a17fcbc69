"""Results made up for the crossover's tests, and the pairs asked of them.

Most of them lie in one library, each table as a source of its own: a source is never compared with another's runs, and
a View that names one selects that table alone.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from bench import flags
from bench.basis import points as facts_of
from bench.basis.statement import Statement
from bench.library import Library
from bench.maths.crossover import Knot
from bench.questions import Answer, crossover
from bench.questions.crossover.result import Compared, Pair
from bench.view import View
from tests.questions.saying import statements

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


Told = Mapping[str, Mapping[str, object] | list[Mapping[str, object]]]
"""Values by the kind of their statements; of a kind with several the values of each, in order."""


def assert_told(answer: Answer[Any], told: Told) -> None:
    """An answer has statements of these kinds with these values among theirs, and no more of these kinds."""
    for kind, values in told.items():
        every = values if isinstance(values, list) else [values]
        found = [dict(one.values) for one in statements(answer, kind)]
        assert len(found) == len(every), (kind, found)
        for one, wanted in zip(found, every, strict=True):
            known = {key: one.get(key) for key in wanted}
            assert (kind, known) == (kind, {key: _nearly(value) for key, value in wanted.items()})


def _nearly(value: object) -> object:
    return pytest.approx(value, rel=1e-3) if isinstance(value, int | float) else value


def unflagged(library: Library, statement: Statement) -> list[str]:
    """The flags of a statement's points that neither its text nor its dagger stands for."""
    named = facts_of.named(library, statement.point_ids).values()
    words = {word for point in named for word in flags.printed(point.flag_kinds)}
    return [word for word in sorted(words) if word not in statement.text and word not in statement.flags]
