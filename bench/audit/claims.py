"""What sources state that is no measurement but computed from others: costs, efficiencies, bandwidths, maxima.

`data/claims.csv` holds those of the shipped sources, `claims.csv` in one's own library those of one's own. A claim
stands with the figures that its source computes it from.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, get_type_hints

from bench.errors import InputError
from bench.formats.table.cells import Unexpected, rate
from bench.names import DATA

NAME = "claims.csv"
MOST = 10_000
"""So many claims are read; a list of them is written by hand."""


@dataclass(frozen=True)
class Claim:
    """A figure that a source states, by name of what it is, and the figures beside it that it follows from.

    `value` is in the unit that `metric` names. `output_tokens_per_s_of_one` is the throughput of one accelerator, or
    what a speedup is a multiple of.
    """

    source: str
    section: str
    metric: str
    value: float
    model: str | None = None
    engine: str | None = None
    accelerator: str | None = None
    accelerators: float | None = None
    output_tokens_per_s: float | None = None
    output_tokens_per_s_of_one: float | None = None
    usd_per_hour: float | None = None
    note: str | None = None


NUMBERS = tuple(name for name, kind in get_type_hints(Claim).items() if kind in (float, float | None))


def claims(library: Path) -> list[Claim]:
    """The shipped claims and those in this library's folder."""
    return [claim for path in (DATA / NAME, library / NAME) if path.is_file() for claim in read(path)]


def read(path: Path) -> Iterator[Claim]:
    """The claims of a file; InputError with the place when it holds something else."""
    with path.open(newline="", encoding="utf-8-sig") as lines:
        try:
            for number, row in enumerate(csv.DictReader(lines), start=2):
                if number - 1 > MOST:
                    raise InputError(f"{path.name} has more than {MOST:,} claims; split it.")
                yield _claim(path, number, row)
        except (csv.Error, UnicodeDecodeError) as problem:
            raise InputError(f"{path.name} is no list of claims: {problem}.") from problem


def _claim(path: Path, number: int, row: dict[str, str]) -> Claim:
    known = [column.name for column in fields(Claim)]
    odd = [name for name in row if name not in known]
    if odd:
        what = f"the column {odd[0][:40]!r}" if odd[0] else "a cell beyond the header"
        raise InputError(f"{path.name}, row {number} has {what}; the columns of a claim are {', '.join(known)}.")
    cells = {name: (cell or "").strip() for name, cell in row.items()}
    cells = {name: cell for name, cell in cells.items() if cell}
    missing = next((name for name in known[:4] if name not in cells), None)
    if missing:
        raise InputError(f"{path.name}, row {number} has no {missing}; every claim has one.")
    stated: dict[str, Any] = dict(cells)
    for name in cells.keys() & set(NUMBERS):
        try:
            stated[name] = rate(cells[name])
        except Unexpected as problem:
            found = f"{name} is {cells[name][:40]!r}"
            raise InputError(f"{path.name}, row {number}: {found}; write {problem}.") from problem
    return Claim(**stated)
