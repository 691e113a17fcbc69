"""The command `endpoints`: those of endpoints.toml, and with --check what a look at each finds."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from bench.cli import output, progress
from bench.cli.arguments import Commands, command, place

if TYPE_CHECKING:
    from bench.sweep.planning.endpoints import NamedEndpoint

COLUMNS = ("name", "base_url", "model", "accelerator", "key_env", "reachable", "engine", "version", "serves")


def add_to(commands: Commands) -> None:
    """Describe the command to the parser."""
    does = "list the endpoints of endpoints.toml, which plans can name"
    parser = command(commands, "endpoints", does, _endpoints, library=False)
    parser.add_argument("--check", action="store_true", help="ask each for its engine, version and models")


def _endpoints(arguments: argparse.Namespace) -> int:
    from bench.sweep.planning.endpoints import Endpoints
    from bench.sweep.session import setup

    known = Endpoints(place(arguments))
    documents = [{"name": name, **_document(endpoint)} for name, endpoint in known.named.items()]
    if arguments.check:
        with progress.bar("Asking each endpoint"):
            for row, seen in zip(documents, setup.seen(known), strict=True):
                row |= seen
    if arguments.json:
        output.document(documents)
    elif documents:
        rows = [{**row, "accelerator": row["facts"].get("accelerator")} for row in documents]
        output.table(rows, COLUMNS if arguments.check else COLUMNS[:5])
        for row in documents:
            if row.get("problem"):
                output.remark(f"{row['name']}: {row['problem']}")
    else:
        output.remark(f"{known.path} states no endpoint yet; docs/sweeps.md says how.")
    return 1 if any(row.get("problem") for row in documents) else 0


def _document(endpoint: NamedEndpoint) -> dict[str, Any]:
    return {"model": None, "key_env": None, "facts": {}, "caps": {}, "api": endpoint.api, **endpoint.document()}
