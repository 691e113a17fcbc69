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
from bench.sweep.planning.endpoint_access import EndpointAccess
from bench.sweep.planning.endpoint_address import ALLOWED as ALLOWED_URL
from bench.sweep.planning.endpoint_address import checked_url
from bench.sweep.planning.part import DAY, FileName, Part, Real, Seconds, Text, Whole, as_list, bounded, plan_field
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


OneLength = Annotated[Length, BeforeValidator(Length.of), PlainSerializer(lambda length: length.written)]
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
    first_url: ClassVar[str] = "url"
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

    @field_validator("url")
    @classmethod
    def _url(cls, url: str | None) -> str | None:
        return checked_url(url) if url else None

    @model_validator(mode="after")
    def _is_one(self) -> Endpoint:
        if self.url is None and self.name is None:
            raise ValueError("The plan needs an endpoint: state endpoint.url, or endpoint.name.")
        return self


class WorkloadTable(Part):
    """Lengths to combine, isl by osl; or a file that says what is asked."""

    isl: Lengths | None = plan_field("input lengths in tokens, as the server counts them", ALLOWED_LENGTH, None)
    osl: Lengths | None = plan_field("output lengths in tokens", ALLOWED_LENGTH, None)
    shared_prefix_share: Real = bounded("the share of each input that all requests share", "number", 1, 0.0, least=0)
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
    burst_size: Whole = bounded("requests that come together when arrivals come in bursts", "whole", 8192, 8, least=1)

    @field_validator("concurrency", "request_rate")
    @classmethod
    def _ascending(cls, levels: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(sorted(set(levels)))

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

    requests: Whole | None = bounded("requests of a point", "whole", 10_000_000, least=1)
    requests_per_concurrency: Whole | None = bounded(
        "requests of a point for each request under way at once", "whole", 10_000, least=1
    )
    duration_s: Seconds | None = bounded("how long a point takes", "time", DAY)
    warmup_requests: Whole | None = bounded("requests before the measurement", "whole", 1_000_000, least=0)
    warmup_s: Seconds | None = bounded("time before the measurement", "time", 3600, least=0)
    drain_s: Seconds = bounded("how long a point waits for its last answers", "time", 3600, 120.0, least=0)
    timeout_s: Seconds = bounded("how long one answer may take", "time", DAY, 600.0)
    stall_s: Seconds = bounded("how long a stream may be silent", "time", 3600, 60.0)
    steady_within: Real | None = bounded(
        "end early once throughput and ttft are known within this share", "number", 0.5
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

    requests: Whole = bounded("requests in all", "whole", 100_000_000, 200_000, least=1)
    tokens: Whole = bounded("input and output tokens in all", "whole", 10**12, 500_000_000, least=1)
    minutes: Real = bounded("minutes in all, two weeks at most", "number", 20_160, 1440.0)
    concurrency: Whole = bounded("requests under way at once", "whole", 8192, 1024, least=1)


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
