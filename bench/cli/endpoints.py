"""The command `endpoints`: those of endpoints.toml, and with --check what a look at each finds."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from bench.cli import output
from bench.cli.arguments import Commands, add_place, place

if TYPE_CHECKING:
    from bench.sweep.planning.endpoints import NamedEndpoint

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
    add_place(parser)
    parser.set_defaults(run=_endpoints)


def _endpoints(arguments: argparse.Namespace) -> int:
    from bench.sweep import opening
    from bench.sweep.planning.endpoints import Endpoints

    known = Endpoints(place(arguments))
    found = [{"name": name, **_document(endpoint)} for name, endpoint in known.named.items()]
    if arguments.check:
        for row, seen in zip(found, opening.seen(known), strict=True):
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
