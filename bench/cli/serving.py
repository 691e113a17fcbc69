"""The command `endpoint`: the fake endpoint as a process, with an option for each of its settings."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.cli import output
from bench.cli.arguments import Parser, pairs
from bench.endpoint.failures import KINDS
from bench.endpoint.settings import CHOICES, PRESETS, Settings, options, preset
from bench.errors import UsageError

if TYPE_CHECKING:
    from bench.endpoint.server import Server

TOLD = "Serve a fake OpenAI-compatible endpoint with set latencies, to calibrate clients with and to test against."


def describe(parser: Parser) -> None:
    """Add the options of `endpoint` to its parser: those of the process, and one for each setting."""
    parser.description = TOLD
    parser.more = "\n".join(
        ["failures, for --fail and --fail-at:", "", *(f"  {name:<15} {help_text}" for name, help_text in KINDS.items())]
    )
    parser.add_argument("--json", action="store_true", help="print the URL as a JSON document")
    parser.add_argument("--preset", metavar="NAME", help=f"start from {', '.join(PRESETS)}; other options override it")
    parser.add_argument("--api-key-env", metavar="NAME", help="the environment variable that holds the key to ask for")
    for row, kind in options():
        if row.name == "api_key":  # never an argument: a process list shows those
            continue
        spelled = "--" + row.name.replace("_", "-")
        help_text = row.metadata["help"] + ("" if row.default in (MISSING, None, "") else f" (default: {row.default})")
        if kind is bool:
            parser.add_argument(spelled, action=argparse.BooleanOptionalAction, default=None, help=row.metadata["help"])
        elif kind is Mapping:
            parser.add_argument(spelled, action="append", metavar="A=B,…", help=help_text)
        else:
            parser.add_argument(spelled, type=kind, metavar=_metavar(row.name, kind), help=help_text)
    parser.set_defaults(run=_serve)


def _serve(arguments: argparse.Namespace) -> int:
    settings = _settings(arguments)
    from bench.endpoint.serving import serve

    def ready(server: Server) -> None:
        if arguments.json:
            output.document({"url": server.url, "pid": os.getpid(), "model": settings.model})
        else:
            output.line(f"{settings.model} ({settings.simulates}; {settings.dialect}) answers on {server.url}")
        sys.stdout.flush()
        if not settings.loopback:
            output.remark(f"Listening on {settings.host}: other machines can reach this endpoint.")

    serve(settings, ready)
    return 0


def _metavar(name: str, kind: type) -> str:
    return "|".join(CHOICES[name]) if name in CHOICES else {int: "N", float: "X", Path: "FILE"}.get(kind, "TEXT")


def _settings(arguments: argparse.Namespace) -> Settings:
    given: dict[str, Any] = {
        row.name: value
        for row, _kind in options()
        if row.name != "api_key" and (value := getattr(arguments, row.name)) is not None
    }
    if "fail" in given:
        given["fail"] = {kind: _number(share, float, "--fail") for kind, share in _listed(given["fail"], "--fail")}
    if "fail_at" in given:
        told = _listed(given["fail_at"], "--fail-at")
        given["fail_at"] = {_number(place, int, "--fail-at"): kind for place, kind in told}
    key = _key(arguments.api_key_env)
    chosen = preset(arguments.preset) if arguments.preset else {}
    return replace(Settings(**{**chosen, **given}), api_key=key)


def _listed(texts: Sequence[str], option: str) -> list[tuple[str, str]]:
    example = f"{option} {'0=stall,7=cut' if option == '--fail-at' else 'stall=0.02,429=0.05'}"
    return pairs([part for text in texts for part in text.split(",")], example)


def _number(text: str, kind: type, option: str) -> Any:
    try:
        return kind(text)
    except ValueError:
        raise UsageError(f"{option} takes numbers, and {text[:40]!r} is none.") from None


def _key(name: str | None) -> str | None:
    if name is None:
        return None
    key = os.environ.get(name)
    if not key:
        raise UsageError(f"The environment variable {name[:80]} is not set, so there is no key to ask for.")
    return key
