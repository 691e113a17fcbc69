"""How a point would be measured once more, as the fields of a plan: where the endpoint that gave it is known."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench import names
from bench.errors import BenchError
from bench.formats.journal import SWEEPS
from bench.runs.remeasure import plan_of
from bench.sweep.folder import Folder
from bench.sweep.planning import form
from bench.sweep.planning.endpoints import Endpoints, NamedEndpoint

SERVED = ("accelerator", "accelerators", "precision", "engine", "tp")
"""What an endpoint's facts must not contradict where it shall have given a point."""

LOADS = {"closed": ("loads.concurrency", "concurrency"), "open": ("loads.request_rate", "request_rate")}
"""The field of a plan, and the column of a point, by the kind of load."""

FROM_THE_FILE = tuple(
    f"endpoint.{field}" for field in "url urls api streaming key_env headers header_env query".split()
)
"""What endpoints.toml states of an endpoint that a plan names, and a link leaves to it."""


def in_a_link(library: Path, row: Mapping[str, Any], run: tuple[str, str] | None) -> dict[str, str] | None:
    """What a link to the Launch page states to measure a point again; None where no endpoint is known for it.

    `row` is the point's, `run` the sweep and the point of it that it was measured as. The endpoint is that sweep's, or
    one of endpoints.toml that serves this model and whose facts say nothing else.
    """
    stated = (_of_a_sweep(library, *run) if run else None) or _of_a_named_one(library, row)
    return form.in_a_link(stated) if stated else None


def swept(library: Path, run: tuple[str, str]) -> bool:
    """Whether the folder of this sweep is in the library, so that its page has something to show."""
    return (library / SWEEPS / run[0]).is_dir()


def _of_a_sweep(library: Path, sweep: str, number: str) -> dict[str, str] | None:
    """The fields of a plan that asks what this point of a sweep was asked; None where a form cannot hold it."""
    if not swept(library, (sweep, number)):
        return None
    try:
        folder = Folder(library / SWEEPS / sweep)
        line = next((line for line, _ in folder.read.points if line.number == int(number)), None)
        alone = plan_of(folder.plan, line) if line is not None else None
        stated = form.stated_by(alone) if alone is not None else None
    except BenchError:
        return None
    if stated is None or "endpoint.name" not in stated:
        return stated
    return {key: text for key, text in stated.items() if key not in FROM_THE_FILE}


def _of_a_named_one(library: Path, row: Mapping[str, Any]) -> dict[str, str] | None:
    kind, column = LOADS.get(str(row.get("load_kind")), ("", ""))
    wanted = {"workloads.isl": row.get("isl"), "workloads.osl": row.get("osl"), kind: row.get(column)}
    if not kind or any(value is None for value in wanted.values()):
        return None
    try:
        known = Endpoints(library).named
    except BenchError:
        return None
    name = next((name for name, one in known.items() if _serves(one, row)), None)
    texts = {key: f"{float(value):.12g}" for key, value in wanted.items() if value is not None}
    return {"endpoint.name": name, **texts} if name else None


def _serves(one: NamedEndpoint, row: Mapping[str, Any]) -> bool:
    """Whether an endpoint is of this point's model and nothing stated of it says that the point is another's."""
    model = one.facts.get("model", one.model)
    if model is None or names.model_slug(str(model)) != row.get("model"):
        return False
    return all(_same(key, one.facts[key], row.get(key)) for key in SERVED if key in one.facts)


def _same(key: str, stated: object, measured: object) -> bool:
    if measured is None:
        return True
    slug = {"accelerator": names.accelerator_slug, "engine": names.engine_slug}.get(key, str)
    return slug(str(stated)) == slug(str(measured).removesuffix(".0"))
