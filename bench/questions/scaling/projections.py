"""The projected points of a scaling chart: replicas of a measured instance, and which measured point they come from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bench.maths.grid import TIE
from bench.questions.scaling.measured import Line
from bench.questions.scaling.sentences import chips
from bench.wording import counted, number


def projections(
    lines: Sequence[Line], unit: str, not_measured: Iterable[Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Each projected point with its `id` in the chart, the measured `point_ids` behind it, and its sum in `words`.

    Replicas of every compared count come first; then the library's own projections that come to the same.
    """
    own = [_of(line, place, unit) for line in lines if not line.apart for place in range(len(line.replicas))]
    theirs = [
        {**one, "id": row["point_id"], "point_ids": [row["point_id"], *one["point_ids"]],
         "words": f"Projected by its source, not measured, and the same as here: {one['sum']}. {one['from']}"}
        for row in not_measured
        for one in own
        if row["accelerator"] == one["accelerator"]
        and row["accelerators"] == one["accelerators"]
        and abs(row["throughput"] / one["throughput"] - 1) <= TIE
    ]  # fmt: skip
    return [*own, *theirs]


def _of(line: Line, place: int, unit: str) -> dict[str, Any]:
    against, base = line.replicas[place].against, line.base
    point_id = base.row["point_id"]
    total = (
        f"{counted(against.replicas, 'replica')} of {chips(base.accelerators)}, {against.replicas} x"
        f" {number(base.throughput)} = {number(against.replicas_throughput)} {unit}"
    )
    source = (
        "Each replica is interpolated; the nearest measured point is below."
        if base.interpolated
        else "Each replica is the measured point below."
    )
    return {
        "id": f"{point_id}:{against.replicas}",
        "line": line.label,
        "accelerator": line.facts["accelerator"],
        "accelerators": against.accelerators,
        "throughput": against.replicas_throughput,
        "point_ids": [point_id],
        "sum": total,
        "from": source,
        "words": f"Projected, not measured: {total}. {source}",
    }
