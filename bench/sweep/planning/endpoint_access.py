"""How an endpoint is reached beyond its URL: further base URLs, headers, query and path, and how long it may load.

A header that holds a key is stated by the name of the environment variable its value is in; no plan and no file holds
the value itself.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar

from pydantic import BeforeValidator, field_validator, model_validator

from bench.errors import UsageError
from bench.sweep.planning.endpoint_address import ALLOWED, checked_url, spelled_out
from bench.sweep.planning.part import DAY, Part, Seconds, as_list, bounded, plan_field

MOST = 32
LONGEST = 300
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,63}")
PATH = re.compile(r"/(?!/)[!-~]{0,499}")
OURS = frozenset(
    "host content-length content-type transfer-encoding connection keep-alive proxy-connection accept accept-encoding "
    "expect te trailer upgrade".split()
)
"""Headers that say how a request and its answer are framed, which the client alone decides."""
SECRET_NAME = re.compile(r"auth|key|token|secret|passw|cookie|credential|signature|bearer|^sig$|^pwd$")
SECRET_VALUE = re.compile(r"(?:bearer|basic|token) |sk-|hf_|nvapi-", re.IGNORECASE)
EXAMPLE = 'header_env = {x-api-key = "LAB_API_KEY"}'


class EndpointAccess(Part):
    """What a plan's endpoint and one of endpoints.toml state alike of how it is reached; None is not stated."""

    table: ClassVar[str] = ""
    """What complaints put before a field's name."""
    first_url: ClassVar[str]
    """The field of the first base URL."""

    urls: Annotated[tuple[str, ...], BeforeValidator(as_list)] | None = plan_field(
        "several base URLs of one deployment, which requests go round", f"a list of URLs, each {ALLOWED}", None
    )
    headers: dict[str, str] | None = plan_field("headers of every request", 'a table such as {X-Team = "bench"}', None)
    header_env: dict[str, str] | None = plan_field(
        "headers whose values are in environment variables", f"a table such as {EXAMPLE[13:]}", None
    )
    query: dict[str, str] | None = plan_field(
        "what stands behind every path", 'a table such as {api-version = "2026-01"}', None
    )
    path: str | None = plan_field(
        "the route below the base URL, in place of /v1 and the API's own", "a path such as /v2/chat", None
    )
    wait_s: Seconds | None = bounded(
        "how long the model may take to load before the first request", "time", DAY, least=0
    )

    @model_validator(mode="before")
    @classmethod
    def _with_the_first_url(cls, stated: Any) -> Any:
        """What is stated, with the first of several base URLs in its own field; ValueError where both do not agree."""
        if not isinstance(stated, Mapping) or not stated.get("urls"):
            return stated
        urls = as_list(stated["urls"])
        assert isinstance(urls, list | tuple)
        known = list(dict.fromkeys(_bare(url) for url in urls))
        if not known:
            return {key: value for key, value in stated.items() if key != "urls"}
        first = stated.get(cls.first_url) or known[0]
        if _bare(first) != known[0]:
            raise ValueError(f"State {cls.first_url} or urls, not both; {cls.first_url} is the first of urls.")
        return {**stated, cls.first_url: first, "urls": known if len(known) > 1 else None}

    @property
    def bases(self) -> tuple[str, ...]:
        """Every base URL; none where it is known by its name only."""
        first = getattr(self, self.first_url)
        return self.urls or ((first,) if first is not None else ())

    @field_validator("urls")
    @classmethod
    def _urls(cls, urls: tuple[str, ...] | None) -> tuple[str, ...] | None:
        return None if urls is None else tuple(checked_url(url) for url in urls)

    @field_validator("headers", mode="before")
    @classmethod
    def _headers(cls, stated: Any) -> Any:
        where = f"{cls.table}headers"
        headers = _table(where, stated)
        _demand_headers(where, headers)
        _demand_no_key(where, headers)
        return headers or None

    @field_validator("header_env", mode="before")
    @classmethod
    def _header_env(cls, stated: Any) -> Any:
        where = f"{cls.table}header_env"
        headers = _table(where, stated)
        _demand_headers(where, headers)
        for name, variable in headers.items():
            if not VARIABLE.fullmatch(variable):
                raise UsageError(
                    f"{where}.{name} cannot be taken as it is; write the name of an environment variable in upper "
                    f"case, never a key itself, as in {EXAMPLE}."
                )
        return headers or None

    @field_validator("query", mode="before")
    @classmethod
    def _query(cls, stated: Any) -> Any:
        parameters = _table(f"{cls.table}query", stated)
        _demand_no_key(f"{cls.table}query", parameters)
        return parameters or None

    @field_validator("path")
    @classmethod
    def _path(cls, path: str | None) -> str | None:
        if path is not None and (not PATH.fullmatch(path) or set(path) & set("?#\\")):
            raise ValueError("a path")
        return path


def _bare(url: Any) -> Any:
    return spelled_out(url).rstrip("/").removesuffix("/v1") if isinstance(url, str) else url


def _table(field: str, stated: Any) -> dict[str, str]:
    """The table as texts by name; UsageError when it is none, in words that repeat no value."""
    if stated is None or stated == "":
        return {}
    if not isinstance(stated, Mapping):
        raise UsageError(f'{field} is no table; write it as one, such as {{name = "value"}}.')
    if len(stated) > MOST:
        raise UsageError(f"{field} has {len(stated)} entries; {MOST} are allowed.")
    texts = {}
    for name, value in stated.items():
        if not NAME.fullmatch(str(name)):
            raise UsageError(f"{field} has the name {str(name)[:40]!r}; write letters, digits, - and _, at most 64.")
        text = str(value).strip() if isinstance(value, str | int | float) and not isinstance(value, bool) else ""
        if not (text and text.isascii() and text.isprintable() and len(text) <= LONGEST):
            raise UsageError(
                f"{field}.{name} cannot be taken as it is; write a text of 1 to {LONGEST} ASCII characters."
            )
        texts[str(name)] = text
    if len({name.lower() for name in texts}) < len(texts) and not field.endswith("query"):
        raise UsageError(f"{field} names a header twice: headers are the same in upper and lower case.")
    return texts


def _demand_headers(field: str, names: Iterable[str]) -> None:
    for name in names:
        if name.lower() in OURS:
            raise UsageError(f"{field}.{name} is set by Kneepoint itself: leave it out.")


def _demand_no_key(field: str, texts: Mapping[str, str]) -> None:
    for name, value in texts.items():
        if SECRET_NAME.search(name.lower()) or SECRET_VALUE.match(value):
            raise UsageError(
                f"{field}.{name} would hold a key, which no plan and no file does: send it as a header whose value is "
                f"in an environment variable, as in {EXAMPLE}."
            )
