"""The endpoints of a library by name: endpoints.toml, which people write by hand, and what a plan takes from it.

A plan that names an endpoint takes its URLs, model, route, headers, key's variable, facts and price from there; what
the plan states itself goes over them, and caps only ever narrow. The file never holds a key.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import ValidationError, field_validator

from bench.errors import BenchError, InputError, UnknownName, UsageError
from bench.sweep.planning import complaints
from bench.sweep.planning.endpoint_access import EndpointAccess
from bench.sweep.planning.endpoint_address import ALLOWED, checked_url, spelled_out
from bench.sweep.planning.facts import FactValue
from bench.sweep.planning.facts import checked as checked_facts
from bench.sweep.planning.part import FileName, Text, as_list, plan_field
from bench.sweep.planning.plan_parts import KEY_ENV, SECRET, Caps, Endpoint, KeyEnv

FILE = "endpoints.toml"
TABLE = "endpoints"
MAX_BYTES = 262_144
MOST = 500
ABOUT_MODEL = ("model", "checkpoint", "precision", "kv_precision", "variant", "max_model_len")
"""Facts about an endpoint's model, which hold for no other one that it serves."""
CARRIED = ("key_env", "ca_file", "tokenizer")
TABLES = ("headers", "header_env", "query")
"""What a plan may add to, entry by entry."""
VOUCHED = (*CARRIED, *TABLES, "path")
"""What has to be as the file states it where somebody may ask nothing but its endpoints."""


class NamedEndpoint(EndpointAccess):
    """One endpoint of the file. Of `caps` only those stated hold; `model` None leaves it to the plan."""

    first_url: ClassVar[str] = "base_url"
    base_url: Text = plan_field("the base URL, with or without /v1", ALLOWED)
    model: Text | None = plan_field(
        "the model's name as the endpoint knows it", "a text of 1 to 300 printable characters", None
    )
    api: Literal["chat", "completions"] = plan_field("which route is asked", "chat or completions", "chat")
    streaming: bool = plan_field("ask for a stream; without one there is no ttft", "true or false", True)
    key_env: KeyEnv = KEY_ENV
    ca_file: FileName | None = plan_field("a certificate authority to trust", "the path of a PEM file", None)
    tokenizer: FileName | None = plan_field(
        "what counts inputs where the endpoint does not", "the path of the model's tokenizer.json", None
    )
    facts: dict[str, FactValue] = plan_field("what the endpoint cannot tell about itself", "a table of facts", {})
    caps: Caps = plan_field("what no sweep of it may exceed", "a table such as requests = 10000", Caps())

    @field_validator("base_url")
    @classmethod
    def _url(cls, url: str) -> str:
        return checked_url(url)

    @field_validator("facts", mode="before")
    @classmethod
    def _facts(cls, stated: Any) -> Any:
        return checked_facts(stated) if isinstance(stated, Mapping) else stated

    def document(self) -> dict[str, Any]:
        """What is stated of it, as plain values."""
        return self.model_dump(mode="json", exclude_unset=True, exclude_none=True)

    def part(self, name: str) -> dict[str, Any]:
        """A plan's [endpoint] of it."""
        own = {key: getattr(self, key) for key in ("api", "streaming", "model", *CARRIED, *EndpointAccess.model_fields)}
        return {"name": name, "url": self.base_url, **{key: value for key, value in own.items() if value is not None}}

    def known_facts(self, model: object) -> dict[str, FactValue]:
        """Its facts where this model is asked for; those about its own model hold for no other."""
        other = model is not None and model != self.model
        return {key: fact for key, fact in self.facts.items() if not (other and key in ABOUT_MODEL)}


class Endpoints:
    """The endpoints of a library as the file states them now; it is read when the first one is asked for."""

    def __init__(self, library: Path) -> None:
        self.path = library / FILE

    @cached_property
    def named(self) -> Mapping[str, NamedEndpoint]:
        """Every endpoint by its name, in the file's order; none where there is no file.

        InputError when the file cannot be read; UsageError when what it states is no endpoint.
        """
        return endpoints_in(text_of(self.path), self.path)

    def endpoint(self, name: str) -> NamedEndpoint:
        """The endpoint of this name; UnknownName when there is none."""
        if name not in self.named:
            raise UnknownName("endpoint", name, self.named, str(self.path))
        return self.named[name]

    def under(self, stated: Mapping[str, Any]) -> dict[str, Any]:
        """The tables of a plan, laid over the endpoint they name; as they stand where they name none.

        UnknownName when there is no such endpoint; UsageError when the plan states another URL, to which the endpoint's
        key must not go.
        """
        table = stated.get("endpoint")
        name = table.get("name") if isinstance(table, Mapping) else None
        if not isinstance(table, Mapping) or not isinstance(name, str) or not name:
            return dict(stated)
        entry = self.endpoint(name)
        url = table.get("url")
        if isinstance(url, str) and url and spelled_out(url).rstrip("/") != entry.base_url:
            raise UsageError(
                f"The plan's endpoint {name} is at {entry.base_url} by {self.path}, and endpoint.url says otherwise: "
                "state endpoint.url or endpoint.name, and not both."
            )
        part = entry.part(name)
        own = {key: value for key, value in table.items() if value is not None and value != ""}
        if not _same(own.get("urls"), entry.bases):
            raise UsageError(f"The base URLs of {name} are stated in {self.path}: leave endpoint.urls out.")
        for key in TABLES:
            if isinstance(own.get(key), Mapping):
                stated_here = {str(name).lower() for name in own[key]}  # no header differs in its case alone
                kept = {name: value for name, value in part.get(key, {}).items() if name.lower() not in stated_here}
                own[key] = {**kept, **own[key]}
        own |= {key: part[key] for key in ("url", "urls") if key in part}
        settings = {**stated, "endpoint": {**part, **own}}
        facts, caps = stated.get("facts"), stated.get("caps")
        if facts is None or isinstance(facts, Mapping):
            settings["facts"] = {**entry.known_facts(own.get("model")), **(facts or {})}
        if caps is None or isinstance(caps, Mapping):
            settings["caps"] = narrowed(caps or {}, entry.caps)
        return settings

    def vouches_for(self, endpoint: Endpoint) -> bool:
        """Whether a plan's endpoint is one of the file, asked at its URL and with its key and no other."""
        known = self.named.get(endpoint.name) if endpoint.name is not None else None
        return (
            known is not None
            and endpoint.bases == known.bases
            and all(getattr(endpoint, key) == getattr(known, key) for key in VOUCHED)
        )


def _same(urls: Any, bases: tuple[str, ...]) -> bool:
    """Whether these URLs, where any are stated, are an endpoint's own."""
    try:
        return urls is None or as_list(urls) in (list(bases), bases)
    except ValueError:
        return False


def narrowed(stated: Mapping[str, Any], caps: Caps) -> dict[str, Any]:
    """A plan's caps, none of them above those an endpoint states; what is no number is left to the plan to refuse."""
    narrower = dict(stated)
    for key in caps.model_fields_set:
        most = getattr(caps, key)
        try:
            narrower[key] = min(float(stated.get(key, getattr(Caps(), key))), most)
        except (TypeError, ValueError):
            continue
        if isinstance(most, int) and narrower[key] == int(narrower[key]):
            narrower[key] = int(narrower[key])
    return narrower


def text_of(path: Path) -> str:
    """The file's text, empty where there is none; InputError when it cannot be read."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        text = content.decode("utf-8")
    except FileNotFoundError:
        return ""
    except UnicodeDecodeError:
        raise InputError(f"{path} cannot be read: it is not UTF-8 text.") from None
    except OSError as problem:
        raise InputError(f"{path} cannot be read: {problem.strerror or problem}.") from problem
    if len(content) > MAX_BYTES:
        raise InputError(f"{path} is larger than {MAX_BYTES:,} bytes; a list of endpoints is a few dozen lines.")
    return text


def endpoints_in(text: str, path: Path) -> dict[str, NamedEndpoint]:
    """The endpoints a text states, by name; `path` is what complaints call it. Raises as `Endpoints.named`."""
    try:
        stated = tomllib.loads(text)
    except (ValueError, RecursionError) as problem:
        raise UsageError(f"{path} is not valid TOML: {str(problem)[:200]}.") from problem
    listed = stated.pop(TABLE, {})
    if stated or not isinstance(listed, Mapping):
        odd = next(iter(stated), TABLE)
        raise UsageError(f"{path}: {odd[:80]!r} is no endpoint; write each as a table such as [{TABLE}.lab].")
    if len(listed) > MOST:
        raise UsageError(f"{path} has {len(listed):,} endpoints; {MOST} are allowed.")
    return {name: checked(name, entry, path) for name, entry in listed.items()}


def checked(name: str, stated: Any, path: Path) -> NamedEndpoint:
    """The endpoint that these fields state.

    UsageError when they state none; the message names file, endpoint, field, value and what is allowed.
    """
    where = f"{path}, endpoint {name[:80]!r}"
    try:
        Endpoint(name=name, model="m")
    except ValidationError:
        raise UsageError(f"{where}: an endpoint's name has letters, digits, - and _, at most 64.") from None
    if not isinstance(stated, Mapping):
        raise UsageError(f"{where}: write it as a table with base_url, under [{TABLE}.{name}].")
    for field in stated:
        if field.lower().replace("-", "_") in (*SECRET, "token"):
            raise UsageError(
                f"{where}: {field[:80]} would hold a key, which this file never does: put the key into an environment "
                'variable and state its name, as in key_env = "LAB_API_KEY".'
            )
    try:
        return NamedEndpoint.model_validate(dict(stated))
    except ValidationError as problem:
        raise UsageError(f"{where}: {complaints.sentence(problem, NamedEndpoint, 'an endpoint')}") from None
    except BenchError as problem:
        raise UsageError(f"{where}: {problem}") from None
