"""A sweep's options on the command line, and the plan's fields they stand for."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.errors import UsageError
from bench.sweep.planning.endpoints import Endpoints
from bench.sweep.planning.plan import Plan
from bench.sweep.planning.plan_parts import ARRIVALS

DURATION_UNITS = ("s", "m", "h")
VENDOR = "vendor."
URL = "endpoint.url"


@dataclass(frozen=True)
class PlanOption:
    """One option: its spelling, the field of a plan it states, what stands for its value, and its help."""

    flag: str
    field: str
    shown: str
    help: str


OPTIONS = (
    PlanOption("--url", "endpoint.url", "URL", "the endpoint, with or without /v1; given twice, requests take turns"),
    PlanOption("--endpoint", "endpoint.name", "NAME", "the endpoint's name in endpoints.toml, instead of --url"),
    PlanOption("--model", "endpoint.model", "MODEL", "the model as the endpoint names it"),
    PlanOption("--api", "endpoint.api", "API", "chat or completions (default: chat)"),
    PlanOption("--key-env", "endpoint.key_env", "NAME", "the environment variable that holds the key"),
    PlanOption("--path", "endpoint.path", "PATH", "the route below the base URL, in place of /v1 and the API's own"),
    PlanOption("--wait", "endpoint.wait_s", "TIME", "how long the model may take to load, such as 10m (default: 0)"),
    PlanOption("--ca-file", "endpoint.ca_file", "FILE", "a certificate authority to trust"),
    PlanOption("--tokenizer", "endpoint.tokenizer", "FILE", "a tokenizer.json, where the endpoint counts no input"),
    PlanOption("--profile", "profile", "NAME", "the profile to start from, such as quick"),
    PlanOption("--isl", "workloads.isl", "LENGTHS", "input lengths: 128,512 or uniform:100:200 or normal:512:64"),
    PlanOption("--osl", "workloads.osl", "LENGTHS", "output lengths, in the same forms"),
    PlanOption("--shared-prefix-share", "workloads.shared_prefix_share", "SHARE", "the common share of each input"),
    PlanOption("--prompts", "workloads.prompts", "FILE", "prompts from ShareGPT's JSON or from JSONL"),
    PlanOption("--trace", "workloads.trace", "FILE", "arrivals and lengths from CSV or JSONL"),
    PlanOption("--concurrency", "loads.concurrency", "N,N,…", "requests in flight at once (closed loop)"),
    PlanOption("--request-rate", "loads.request_rate", "R,R,…", "requests per second (open loop)"),
    PlanOption("--arrivals", "loads.arrivals", "KIND", f"{ARRIVALS} (default: poisson)"),
    PlanOption("--burst-size", "loads.burst_size", "N", "requests in a burst"),
    PlanOption("--requests", "point.requests", "N", "requests per point"),
    PlanOption("--duration", "point.duration_s", "TIME", "measuring time per point, such as 30s or 2m"),
    PlanOption("--repeats", "repeats", "N", "measurements of each point"),
    PlanOption("--seed", "seed", "N", "the seed of prompts and arrivals"),
    PlanOption("--workers", "workers", "N", "load processes (default: as many as the plan needs)"),
)


def add_to(parser: argparse.ArgumentParser) -> None:
    """Describe a sweep's options to a parser."""
    parser.add_argument(
        "plan", nargs="?", type=Path, metavar="PLAN.toml", help="a plan; docs/sweeps.md lists its fields"
    )
    for option in OPTIONS:
        action = "append" if option.field == URL else "store"
        parser.add_argument(option.flag, metavar=option.shown, help=option.help, action=action)
    for flag, shown, explained in (
        ("--header", "'NAME: VALUE'", "a header of every request, such as 'X-Team: bench'"),
        ("--header-env", "NAME=VARIABLE", "a header whose value, such as a key, is in an environment variable"),
        ("--query", "NAME=VALUE", "a query parameter of every request, such as api-version=2026-01"),
    ):
        parser.add_argument(flag, action="append", default=[], metavar=shown, help=explained)
    parser.add_argument("--warmup", metavar="N|TIME", help="requests, or a time such as 5s, before each measurement")
    parser.add_argument("--no-stream", action="store_true", help="ask for whole answers, which have no ttft")
    parser.add_argument(
        "--set",
        nargs="+",
        action="extend",
        default=[],
        metavar="key=value",
        dest="facts",
        help="facts about the deployment, such as accelerator=h100-sxm accelerators=8",
    )
    parser.add_argument(
        "--with",
        nargs="+",
        action="extend",
        default=[],
        metavar="field=value",
        dest="fields",
        help="any other field of a plan, such as slo.ttft_ms=500 or caps.minutes=60",
    )


def plan_from(arguments: argparse.Namespace, endpoints: Endpoints | None = None) -> Plan:
    """The plan that the options state; those beside a plan's file are laid over it, and both over a named endpoint.

    UsageError when the options are no plan; InputError when the plan's file cannot be read.
    """
    fields = stated(arguments)
    if arguments.plan:
        return Plan.from_file(arguments.plan, fields, endpoints=endpoints)
    return Plan.from_fields(fields, endpoints=endpoints)


def stated(arguments: argparse.Namespace) -> dict[str, Any]:
    """The fields of a plan that the options state, by their dotted names."""
    fields: dict[str, Any] = _reached(arguments)
    for option in OPTIONS:
        value = getattr(arguments, option.flag[2:].replace("-", "_"))
        if value is not None and option.field != URL:
            fields[option.field] = value
    if arguments.warmup is not None:
        timed = arguments.warmup.strip().lower().endswith(DURATION_UNITS)
        fields["point.warmup_s" if timed else "point.warmup_requests"] = arguments.warmup
    if arguments.no_stream:
        fields["endpoint.streaming"] = False
    fields |= {f"facts.{key}": value for key, value in _pairs(arguments.facts, "--set accelerator=h100-sxm")}
    more = _pairs(arguments.fields, "--with slo.ttft_ms=500")
    return fields | {key: _typed(text) if key.startswith(VENDOR) else text for key, text in more}


def _reached(arguments: argparse.Namespace) -> dict[str, Any]:
    """The endpoint's URLs, headers and query; URLs beside a plan's file replace all of its own."""
    fields: dict[str, Any] = {}
    urls = arguments.url or []
    if urls:
        fields[URL] = urls[0]
    if len(urls) > 1 or (urls and arguments.plan):
        fields["endpoint.urls"] = urls
    for texts, table, example, sign in (
        (arguments.header, "headers", "--header 'X-Team: bench'", ":"),
        (arguments.header_env, "header_env", "--header-env x-api-key=LAB_API_KEY", "="),
        (arguments.query, "query", "--query api-version=2026-01", "="),
    ):
        fields |= {f"endpoint.{table}.{key}": value for key, value in _pairs(texts, example, sign)}
    return fields


def _typed(text: str) -> Any:
    """What a request's field holds: a TOML value, such as 0.5 or "0.5"; any other text is a text."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, LookupError, RecursionError):
        return text


def _pairs(texts: Iterable[str], example: str, sign: str = "=") -> Iterable[tuple[str, str]]:
    for text in texts:
        key, parted, value = text.partition(sign)
        if not parted or not key.strip():
            shown = "What is given for a header" if "--header" in example else repr(text[:80])  # it may be a key
            raise UsageError(f"{shown} is no key{sign}value pair; write it as in {example}.")
        yield key.strip(), value.strip()
