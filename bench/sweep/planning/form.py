"""A plan as a form: its fields with their help, the link that fills them in, and the command that says the same.

A form's fields are flat and texts, as `Plan.from_fields` takes them; an empty one is not stated. A link names them as
the command line's options do, and any other field by its dotted name.
"""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args, get_origin

from bench.errors import UnknownName, UsageError
from bench.sweep.planning import facts
from bench.sweep.planning.arguments import OPTIONS
from bench.sweep.planning.endpoint_address import spelled_out
from bench.sweep.planning.endpoints import Endpoints
from bench.sweep.planning.part import part_in
from bench.sweep.planning.plan import Plan, nested
from bench.sweep.planning.profiles import profiles

TERMS = {term: term.upper() for term in "isl osl ttft tpot itl e2el slo kv tp pp dp ep usd api url".split()}
UNITS = {"_ms": " (ms)", "_s": " (s)"}
ON_THE_COMMAND_LINE_ONLY = ("workloads.prompts", "workloads.trace", "endpoint.ca_file", "endpoint.tokenizer")
"""What names a file of this machine, which a visitor of a page may not."""
TABLES = ("stop.limits", "vendor", "endpoint.headers", "endpoint.header_env", "endpoint.query")
"""What holds names of its own, and is written as an inline table."""
NEEDED = {"endpoint.url": "http://127.0.0.1:1", "endpoint.model": "m"}
SHAPE = {"workloads.isl": "1", "workloads.osl": "1", "loads.concurrency": "1"}
"""The least that makes a plan, on a profile and without one; to know what all other fields are when not stated."""

FLAGS = {option.field: option.flag for option in OPTIONS}
MOST_TEXT = 4000
INDEX = re.compile(r"\[[0-9]+\]")

ABOUT_ONE_ENDPOINT = ("endpoint.", "facts.")
KEPT_AFTER_PRACTICE = ("profile",)
"""What stays when an endpoint to practise on is left: all else was filled in to try things out."""


@dataclass(frozen=True)
class FormField:
    """One field: its dotted key, how it is headed, what it means, what it may hold, and the values to choose from."""

    key: str
    label: str
    help: str
    allowed: str
    choices: tuple[str, ...] = ()


@dataclass(frozen=True)
class CheckedForm:
    """What a form states: the plan, or what is wrong with it and in which field; None where it is none of them."""

    plan: Plan | None
    problem: str = ""
    field: str | None = None

    @property
    def advice(self) -> str:
        """What to do about a wrong field, for a reader who has its name and its value before them."""
        _, told, rest = INDEX.sub("", self.problem).rpartition("; ")
        about_its_value = told and self.field is not None and self.problem.startswith(self.field)
        return rest[:1].upper() + rest[1:] if about_its_value else self.problem


@cache
def groups() -> Mapping[str, tuple[FormField, ...]]:
    """Every field of a plan by the table it stands in; those of no table under the empty name."""
    starts = tuple(one.name for one in profiles())
    profile = FormField("profile", "Profile", "the plan to start from", f"one of {', '.join(starts)}", starts)
    by_group: dict[str, list[FormField]] = {"": [profile]}
    for name, field in Plan.model_fields.items():
        section = part_in(field.annotation)
        if name == "facts":
            by_group["facts"] = [
                FormField(f"facts.{key}", label(key), "", "", _truths(kind)) for key, kind in facts.kinds().items()
            ]
        elif section is None:
            if name != "based_on":
                by_group[""].append(_field(name, field))
        else:
            rows = [_field(f"{name}.{inner}", told) for inner, told in section.model_fields.items()]
            by_group[name] = [row for row in rows if row.key not in ON_THE_COMMAND_LINE_ONLY]
    return {name: tuple(rows) for name, rows in by_group.items()}


@cache
def fields() -> Mapping[str, FormField]:
    """Every field of a plan by its dotted key."""
    return {row.key: row for rows in groups().values() for row in rows}


def checked(stated: Mapping[str, str], endpoints: Endpoints | None = None) -> CheckedForm:
    """The plan these fields state, or what is wrong with them; `endpoints` are those it may name."""
    try:
        return CheckedForm(Plan.from_mapping(tables(stated), files=False, endpoints=endpoints))
    except UsageError as problem:
        said = str(problem)
        place = INDEX.sub("", said)
        at = max((key for key in fields() if place.startswith(key)), key=len, default=None)
        return CheckedForm(None, said, at)


def endpoint(stated: Mapping[str, str], endpoints: Endpoints | None = None) -> Plan:
    """The least plan of the endpoint these fields state, to ask it what it serves; UsageError as `checked` tells it."""
    own = {key: text for key, text in stated.items() if key.startswith("endpoint.")}
    model = own.get("endpoint.model") or NEEDED["endpoint.model"]
    least = {**SHAPE, **own, "endpoint.model": model}
    return Plan.from_mapping(tables(least), files=False, endpoints=endpoints)


def tables(stated: Mapping[str, str]) -> dict[str, Any]:
    """The fields as the tables of a plan; UsageError for an inline table that is none."""
    given = {key: text for key, text in stated.items() if text.strip()}
    return nested({key: _table(key, text) if key in TABLES else text for key, text in given.items()})


@cache
def unstated(profile: str) -> Mapping[str, str]:
    """What each field is where it is not stated, under a profile or, by the empty name, without one."""
    stated = NEEDED | ({"profile": profile} if profile else SHAPE)
    try:
        whole = texts(Plan.from_fields(stated))
    except UsageError:
        return {}
    return {key: text for key, text in whole.items() if key not in (NEEDED if profile else stated)}


def from_link(pairs: Iterable[tuple[str, str]]) -> tuple[dict[str, str], list[str]]:
    """The fields a link states, and a sentence for each part of it that is no field of a plan."""
    known = {_in_a_link(key): key for key in fields()}
    stated: dict[str, str] = {}
    problems = []
    for name, text in pairs:
        key = known.get(name) or (name if name in fields() else None)
        if key is None:
            problems.append(str(UnknownName("field of a plan", name[:80], known, "docs/sweeps.md")))
        elif len(text) > MOST_TEXT:
            problems.append(f"The link's {name} is longer than {MOST_TEXT:,} characters, and is left out.")
        elif text:
            stated[key] = text
    return stated, problems


def in_a_link(stated: Mapping[str, str]) -> dict[str, str]:
    """The fields by the names a link gives them."""
    return {_in_a_link(key): stated[key] for key in fields() if stated.get(key, "").strip()}


def command(stated: Mapping[str, str]) -> str:
    """The command that runs the same sweep."""
    words = ["python", "-m", "bench", "sweep"]
    rest: dict[str, list[str]] = {"--set": [], "--with": []}
    for key in fields():
        text = stated.get(key, "").strip()
        if not text:
            continue
        if key in FLAGS:
            words += [FLAGS[key], text]
        elif key.startswith("facts."):
            rest["--set"].append(f"{key.removeprefix('facts.')}={text}")
        elif key == "endpoint.streaming" and text == "false":
            words.append("--no-stream")
        else:
            rest["--with"] += [f"{inner}={value}" for inner, value in _flat(key, text)]
    for flag, values in rest.items():
        words += [flag, *values] if values else []
    return shlex.join(words)


def stated_by(plan: Plan) -> dict[str, str] | None:
    """The fields that state a plan, without what its profile or the defaults say; None when a form cannot hold it.

    A form holds one workload, and no files.
    """
    if len(plan.workloads) > 1:
        return None
    whole = texts(plan)
    for start, needed in (({"profile": plan.based_on}, NEEDED), ({}, NEEDED | SHAPE)):
        try:
            base = Plan.from_fields({**start, **needed})
        except UsageError:
            continue
        same = texts(base)
        stated = {key: text for key, text in whole.items() if key in needed or same.get(key) != text}
        stated |= {key: text for key, text in start.items() if text}
        if set(stated) <= set(fields()) and _is_stated(stated, plan):
            return stated
    return None


def texts(plan: Plan) -> dict[str, str]:
    """Every field of a plan of one workload as a text, under its dotted key."""
    document = plan.document()
    stated = {f"workloads.{key}": _text(value) for key, value in document.pop("workloads")[0].items()}
    document.pop("based_on", None)
    for key, value in document.items():
        if key not in TABLES and isinstance(value, Mapping):
            stated |= {f"{key}.{inner}": _text(part) for inner, part in value.items()}
        else:
            stated[key] = _text(value)
    return {key: text for key, text in stated.items() if text}


def label(key: str) -> str:
    """How a field is headed: `point.duration_s` is "Duration (s)"."""
    name = key.rpartition(".")[2]
    unit = next((told for suffix, told in UNITS.items() if name.endswith(suffix)), "")
    for suffix in UNITS:
        name = name.removesuffix(suffix) if unit else name
    words = [TERMS.get(word, word) for word in name.split("_")]
    text = " ".join(words)
    return text[:1].upper() + text[1:] + unit


def _is_stated(stated: Mapping[str, str], plan: Plan) -> bool:
    made = checked(stated).plan
    return made is not None and made.id == plan.id and made.title == plan.title and made.workers == plan.workers


def _field(key: str, told: Any) -> FormField:
    extra = told.json_schema_extra if isinstance(told.json_schema_extra, Mapping) else {}
    allowed = str(extra.get("allowed", ""))
    return FormField(key, label(key), told.description or "", allowed, _choices(told.annotation))


def _choices(annotation: Any) -> tuple[str, ...]:
    if get_origin(annotation) is Literal:
        return tuple(str(one) for one in get_args(annotation))
    return _truths(annotation)


def _truths(kind: Any) -> tuple[str, ...]:
    return ("true", "false") if kind is bool else ()


def _in_a_link(key: str) -> str:
    return FLAGS[key].removeprefix("--").replace("-", "_") if key in FLAGS else key


def _table(key: str, text: str) -> Any:
    try:
        return tomllib.loads(f"table = {text.strip()}")["table"]
    except (ValueError, RecursionError):
        raise UsageError(f"{key} is {text[:60]!r}; write an inline table such as {{ name = 1, other = 2 }}.") from None


def _flat(key: str, text: str) -> list[tuple[str, str]]:
    if key not in TABLES:
        return [(key, text)]
    try:
        plain = key.startswith("endpoint.")  # texts one and all, where a request's field may be of any type
        return [(f"{key}.{name}", str(value) if plain else _toml(value)) for name, value in _table(key, text).items()]
    except (UsageError, AttributeError):
        return [(key, text)]


def _toml(value: Any) -> str:
    """The value as it stands behind an equals sign, tables in it on the same line."""
    import tomlkit

    table = tomlkit.inline_table()
    table["v"] = value
    return table.as_string().removeprefix("{v = ").removesuffix("}")


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return _toml(value) if value else ""
    if isinstance(value, list | tuple):
        return ", ".join(_text(part) for part in value)
    return str(value)


def place(stated: Mapping[str, str]) -> str:
    """Where the fields of a plan go: an endpoint's name, or its URL without /v1; empty where they do not say."""
    url = stated.get("endpoint.url", "")
    return stated.get("endpoint.name") or spelled_out(url).rstrip("/").removesuffix("/v1")


def at_another(stated: Mapping[str, str], to: Mapping[str, str | None], *, practised: bool = False) -> dict[str, str]:
    """The fields of a plan for another endpoint: the model and the facts of the one before are gone.

    `practised` says that the one before was there to practise on; then only the profile stays. The same endpoint in
    another spelling is none other.
    """
    there = {key: text for key, text in to.items() if text}
    if place(there) == place(stated):
        return {**stated, **there}
    kept = {key: text for key, text in stated.items() if not key.startswith(ABOUT_ONE_ENDPOINT)}
    if practised:
        kept = {key: text for key, text in kept.items() if key in KEPT_AFTER_PRACTICE}
    return {**kept, **there}
