"""The tables of a plan, each with its fields, what they mean and what they may hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, PlainSerializer, create_model, field_validator, model_validator

from bench.errors import UsageError
from bench.records import Load
from bench.sweep.arrivals import described, processes
from bench.sweep.planning import stop_rules
from bench.sweep.planning.endpoint_access import EndpointAccess, together
from bench.sweep.planning.endpoint_address import ALLOWED as ALLOWED_URL
from bench.sweep.planning.endpoint_address import checked_url
from bench.sweep.planning.part import DAY, FileName, Part, Real, Seconds, Text, Whole, as_list, plan_field
from bench.sweep.planning.profiles import ENDS
from bench.sweep.planning.shapes import ALLOWED as ALLOWED_LENGTH
from bench.sweep.planning.shapes import Length, Shape
from bench.sweep.planning.stop_rules import failures
from bench.wording import joined

MAX_VENDOR = 8192
OURS = frozenset(
    "model messages prompt max_tokens max_completion_tokens stream stream_options n min_tokens ignore_eos".split()
)
SECRET = frozenset("key api_key apikey authorization password secret access_token bearer".split())

SearchKind = Literal["grid", "ramp", "context"]
HOW_THEY_COME = "; ".join(f"{one.NAME}: {described(one)}" for one in processes().values())
ARRIVALS = joined(tuple(processes()), "or", len(processes()))
if TYPE_CHECKING:
    Arrivals = str
else:
    Arrivals = Literal[tuple(processes())]


def _as_length(value: object) -> Length:
    return Length.of(value)


def _distinct(values: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(values))


OneLength = Annotated[Length, BeforeValidator(_as_length), PlainSerializer(lambda length: length.written)]
Lengths = Annotated[tuple[OneLength, ...], BeforeValidator(as_list), Field(min_length=1)]
Vendor = dict[str, Any]


KeyEnv = str | None
KEY_ENV = plan_field(
    "the environment variable that holds the key",
    "the name of an environment variable in upper case, such as OPENAI_API_KEY, never a key itself",
    None,
    pattern=r"^[A-Z_][A-Z0-9_]{0,63}$",
)


class Endpoint(EndpointAccess):
    """The endpoint that is measured, by URL or by its name in endpoints.toml; by both once it was looked up there."""

    table: ClassVar[str] = "endpoint."
    url: Text | None = plan_field("the base URL, with or without /v1", ALLOWED_URL, None)
    name: Text | None = plan_field(
        "its name in endpoints.toml", "letters, digits, - and _", None, pattern=r"^[A-Za-z0-9_-]{1,64}$"
    )
    model: Text = plan_field("the model's name as the endpoint knows it", "a text of 1 to 300 printable characters")
    api: Literal["chat", "completions"] = plan_field("which route is asked", "chat or completions", "chat")
    streaming: bool = plan_field("ask for a stream; without one there is no ttft", "true or false", True)
    key_env: KeyEnv = KEY_ENV
    ca_file: FileName | None = plan_field("a certificate authority to trust", "the path of a PEM file", None)
    tokenizer: FileName | None = plan_field(
        "what counts inputs where the endpoint does not", "the path of the model's tokenizer.json", None
    )

    @model_validator(mode="before")
    @classmethod
    def _together(cls, stated: Any) -> Any:
        return together(stated, "url")

    @field_validator("url")
    @classmethod
    def _url(cls, url: str | None) -> str | None:
        return checked_url(url) if url else None

    @model_validator(mode="after")
    def _is_one(self) -> Endpoint:
        if self.url is None and self.name is None:
            raise ValueError("The plan needs an endpoint: state endpoint.url, or endpoint.name.")
        return self

    @property
    def bases(self) -> tuple[str, ...]:
        """Every base URL; none where it is known by its name only."""
        return self.urls or ((self.url,) if self.url is not None else ())


class WorkloadTable(Part):
    """Lengths to combine, isl by osl; or a file that says what is asked."""

    isl: Lengths | None = plan_field("input lengths in tokens, as the server counts them", ALLOWED_LENGTH, None)
    osl: Lengths | None = plan_field("output lengths in tokens", ALLOWED_LENGTH, None)
    shared_prefix_share: Real = plan_field(
        "the share of each input that all requests share", "a number from 0 to 1", 0.0, ge=0, le=1
    )
    prompts: FileName | None = plan_field(
        "a file of prompts: ShareGPT's JSON, or JSONL", "the path of a .json or .jsonl file", None
    )
    trace: FileName | None = plan_field(
        "a file of arrival times, isl and osl", "the path of a .csv or .jsonl file", None
    )

    @model_validator(mode="after")
    def _says_what_is_asked(self) -> WorkloadTable:
        if self.prompts and self.trace:
            raise ValueError(
                "A workload takes its requests from workloads.prompts or from workloads.trace, not from both."
            )
        if self.trace and (self.isl or self.osl):
            raise ValueError(
                "A trace says isl and osl itself: leave workloads.isl and workloads.osl out beside workloads.trace."
            )
        if self.prompts and (self.isl or self.shared_prefix_share):
            raise ValueError(
                "A file of prompts is sent as it stands: leave workloads.isl and workloads.shared_prefix_share out."
            )
        if not (self.prompts or self.trace) and not (self.isl and self.osl):
            raise ValueError("A workload needs workloads.isl and workloads.osl, or a file of prompts or a trace.")
        return self

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Every pair of lengths, the inputs in the outer loop."""
        return tuple(
            Shape(isl, osl, self.shared_prefix_share, self.prompts, self.trace)
            for isl in self.isl or (None,)
            for osl in self.osl or (None,)
        )


class Loads(Part):
    """How hard the endpoint is asked; concurrency and request rates are points of their own."""

    concurrency: Annotated[tuple[Annotated[Whole, Field(ge=1, le=8192)], ...], BeforeValidator(as_list)] = plan_field(
        "requests under way at once (closed loop)", "whole numbers from 1 to 8192", ()
    )
    request_rate: Annotated[tuple[Annotated[Real, Field(gt=0, le=100_000)], ...], BeforeValidator(as_list)] = (
        plan_field("requests per second (open loop)", "numbers above 0, up to 100000", ())
    )
    arrivals: Arrivals = plan_field(f"when an open loop's requests come, {HOW_THEY_COME}", ARRIVALS, "poisson")
    burst_size: Whole = plan_field(
        "requests that come together when arrivals come in bursts", "a whole number from 1 to 8192", 8, ge=1, le=8192
    )

    @field_validator("concurrency", "request_rate")
    @classmethod
    def _ascending(cls, levels: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(sorted(_distinct(levels)))

    @property
    def levels(self) -> tuple[Load, ...]:
        """Every level as a load: first the closed loops, then the open ones, ascending."""
        closed = [Load(load_kind="closed", concurrency=level) for level in self.concurrency]
        return (
            *closed,
            *(Load(load_kind="open", request_rate=rate, arrivals=self.arrivals) for rate in self.request_rate),
        )


class PerPoint(Part):
    """When a point ends and what is cut off. The first end that is met holds."""

    requests: Whole | None = plan_field(
        "requests of a point", "a whole number from 1 to 10000000", None, ge=1, le=10_000_000
    )
    requests_per_concurrency: Whole | None = plan_field(
        "requests of a point for each request under way at once",
        "a whole number from 1 to 10000",
        None,
        ge=1,
        le=10_000,
    )
    duration_s: Seconds | None = plan_field(
        "how long a point takes", "seconds up to a day, such as 30, 30s or 2m", None, gt=0, le=DAY
    )
    warmup_requests: Whole | None = plan_field(
        "requests before the measurement", "a whole number from 0 to 1000000", None, ge=0, le=1_000_000
    )
    warmup_s: Seconds | None = plan_field(
        "time before the measurement", "seconds from 0 to 3600, such as 5 or 5s", None, ge=0, le=3600
    )
    drain_s: Seconds = plan_field(
        "how long a point waits for its last answers", "seconds from 0 to 3600, such as 60 or 60s", 120.0, ge=0, le=3600
    )
    timeout_s: Seconds = plan_field(
        "how long one answer may take", "seconds up to a day, such as 600 or 10m", 600.0, gt=0, le=DAY
    )
    stall_s: Seconds = plan_field(
        "how long a stream may be silent", "seconds up to 3600, such as 60 or 60s", 60.0, gt=0, le=3600
    )
    steady_within: Real | None = plan_field(
        "end early once throughput and ttft are known within this share",
        "a number above 0, up to 0.5",
        None,
        gt=0,
        le=0.5,
    )
    hold_osl: bool = plan_field("hold every answer to its osl where the endpoint can", "true or false", True)

    @property
    def has_an_end(self) -> bool:
        """Whether it is stated when a point ends."""
        return any(getattr(self, end) is not None for end in ENDS)

    @model_validator(mode="after")
    def _one_count(self) -> PerPoint:
        if self.requests is not None and self.requests_per_concurrency is not None:
            raise ValueError("State point.requests or point.requests_per_concurrency, not both.")
        return self


if TYPE_CHECKING:
    StopRules = failures.FailureFields
else:
    # Of several bases the last one's fields come first.
    bases = tuple(rule.FIELDS for rule in reversed(stop_rules.rules()))
    StopRules = create_model("StopRules", __base__=bases, __doc__="When a sweep stops before its end.")


class Slo(Part):
    """What a request must meet to count as good."""

    ttft_ms: Real | None = plan_field("time to first token", "milliseconds above 0", None, gt=0)
    tpot_ms: Real | None = plan_field("time per output token after the first", "milliseconds above 0", None, gt=0)
    itl_ms: Real | None = plan_field("the longest gap between tokens", "milliseconds above 0", None, gt=0)
    e2el_ms: Real | None = plan_field("time to the end of the answer", "milliseconds above 0", None, gt=0)


class Caps(Part):
    """What a sweep may never exceed: checked before it starts, and again while it runs."""

    requests: Whole = plan_field("requests in all", "a whole number from 1 to 100000000", 200_000, ge=1, le=100_000_000)
    tokens: Whole = plan_field(
        "input and output tokens in all", "a whole number from 1 to 1000000000000", 500_000_000, ge=1, le=10**12
    )
    minutes: Real = plan_field("minutes in all", "a number above 0, up to 20160 (two weeks)", 1440.0, gt=0, le=20_160)
    concurrency: Whole = plan_field("requests under way at once", "a whole number from 1 to 8192", 1024, ge=1, le=8192)


def where_stated(endpoint: Endpoint) -> str:
    """Where to raise a cap, for the end of a sentence: a named endpoint's own narrow whatever a plan states."""
    if endpoint.name is None:
        return ""
    return f" where it is stated, in the plan or for {endpoint.name} in endpoints.toml"


def checked_vendor(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The request fields in a fixed order; UsageError for one that cannot be sent so."""
    for name in fields:
        if name in OURS:
            raise UsageError(f"vendor.{name[:80]} is set by the plan itself: leave it out.")
        if name.lower().replace("-", "_") in SECRET:
            raise UsageError(
                f"vendor.{name} may hold a key, which no plan does: name its variable in endpoint.key_env."
            )
    try:
        size = len(json.dumps(fields, allow_nan=False, ensure_ascii=False).encode("utf-8"))
    except (TypeError, ValueError, RecursionError):
        size = MAX_VENDOR + 1
    if size > MAX_VENDOR or _has_none(fields):
        raise UsageError(
            f"vendor holds what cannot be sent; write texts, numbers, true, false, lists and tables "
            f"of at most {MAX_VENDOR:,} bytes."
        )
    return dict(sorted(fields.items()))


def _has_none(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(_has_none(part) for part in value.values())
    if isinstance(value, list | tuple):
        return any(_has_none(part) for part in value)
    return value is None
