"""The command `endpoints`: those of endpoints.toml, and with --check what a look at each finds."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.cli import output
from bench.cli.arguments import Commands

if TYPE_CHECKING:
    from bench.sweep.endpoints import NamedEndpoint

AT_ONCE = 8
COLUMNS = ("name", "base_url", "model", "accelerator", "key_env", "reachable", "engine", "version", "serves")


def add_to(commands: Commands) -> None:
    """Describe the command to the parser."""
    told = "list the endpoints that plans can name"
    parser = commands.add_parser(
        "endpoints",
        help=told,
        description=f"{told[:1].upper()}{told[1:]}: those of endpoints.toml in the library.",
    )
    parser.add_argument(
        "--check", action="store_true", help="ask each whether it is there, its engine and its models"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument(
        "--library",
        type=Path,
        metavar="DIR",
        help="the library (default: $KNEEPOINT_LIBRARY, else ./library)",
    )
    parser.set_defaults(run=_endpoints)


def _endpoints(arguments: argparse.Namespace) -> int:
    from bench.cli.sweeping import library
    from bench.sweep.endpoints import Endpoints

    known = Endpoints(library(arguments))
    found = [{"name": name, **_document(endpoint)} for name, endpoint in known.named.items()]
    if arguments.check:
        with ThreadPoolExecutor(AT_ONCE) as pool:
            for row, seen in zip(found, pool.map(_looked_at, known.named.values()), strict=True):
                row |= seen
    if arguments.json:
        output.document(found)
    elif found:
        rows = [{**row, "accelerator": row["facts"].get("accelerator")} for row in found]
        output.table(rows, COLUMNS if arguments.check else COLUMNS[:5])
        for row in found:
            if row.get("problem"):
                output.remark(f"{row['name']}: {row['problem']}")
    else:
        output.remark(f"{known.path} states no endpoint yet; docs/sweeps.md says how.")
    return 1 if any(row.get("problem") for row in found) else 0


def _document(endpoint: NamedEndpoint) -> dict[str, Any]:
    return {
        "model": None,
        "key_env": None,
        "facts": {},
        "caps": {},
        "api": endpoint.api,
        **endpoint.document(),
    }


def _looked_at(endpoint: NamedEndpoint) -> Mapping[str, Any]:
    from bench.errors import BenchError
    from bench.sweep.opening import glanced

    try:
        found = glanced(endpoint)
    except BenchError as problem:
        return {"reachable": None, "engine": None, "version": None, "serves": [], "problem": str(problem)}
    reached = next((check.passed for check in found.checks if check.name == "reachable"), None)
    engine = found.engine
    return {
        "reachable": reached,
        "engine": engine.name,
        "version": engine.version,
        "context_tokens": engine.context_tokens,
        "simulates": engine.simulates,
        "serves": list(found.serves),
        "checks": [vars(check) for check in found.checks],
        "problem": found.problem,
    }
