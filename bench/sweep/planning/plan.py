"""A sweep's plan: the endpoint, the facts, what is asked, how hard, how long, and when to stop.

TOML, the command line's options and a form's fields all become the same validated `Plan`; docs/sweeps.md lists every
field. What is wrong is one UsageError naming field, value and what is allowed. A plan never holds a key, only the
name of the environment variable that does.
"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError, field_validator, model_validator

from bench.errors import InputError, UsageError
from bench.records import Load
from bench.sweep.planning import complaints, profiles, stop_rules
from bench.sweep.planning.facts import CONTEXT, FactValue
from bench.sweep.planning.facts import checked as checked_facts
from bench.sweep.planning.part import Part, Text, Whole, bounded, plan_field
from bench.sweep.planning.plan_parts import (
    Caps,
    Endpoint,
    Loads,
    PerPoint,
    SearchKind,
    Slo,
    StopRules,
    Vendor,
    WorkloadTable,
    checked_vendor,
    where_stated,
)
from bench.sweep.planning.shapes import PlannedPoint, Shape
from bench.wording import joined

if TYPE_CHECKING:
    from bench.sweep.planning.endpoints import Endpoints

MAX_BYTES = 262_144
MOST_POINTS = 10_000
NOT_MEASURED = ("title", "based_on", "workers")
"""What does not change what is measured, and so is no part of a plan's id."""


class Plan(Part):
    """Everything a sweep needs to know before it starts. `seed` None is drawn at the start and then written down."""

    title: Text | None = plan_field("a name for the sweep", "a text of 1 to 300 printable characters", None)
    based_on: Text | None = plan_field(
        "the profile the plan was made from", "a text of 1 to 300 printable characters", None
    )
    search: SearchKind = plan_field(
        "whether every point is measured, levels until a rule stops them, or ever longer inputs",
        "grid, ramp or context",
        "grid",
    )
    endpoint: Endpoint
    facts: dict[str, FactValue] = plan_field("what the endpoint cannot tell about itself", "a table of facts", {})
    workloads: tuple[WorkloadTable, ...] = plan_field(
        "what is asked", "1 to 64 tables [[workloads]] with isl and osl", min_length=1, max_length=64
    )
    loads: Loads = plan_field("how hard it is asked", "a table with concurrency or request_rate", Loads())
    point: PerPoint = plan_field("how long each point is measured", "a table such as duration_s = 30", PerPoint())
    repeats: Whole = bounded("how often each point is measured", "whole", 100, 1, least=1)
    stop: StopRules | None = plan_field("when it stops before its end", "a table of stop rules", None)
    slo: Slo = plan_field("the objectives that goodput counts against", "a table such as ttft_ms = 500", Slo())
    vendor: Vendor = plan_field("more fields for each request's body", "a table of request fields", {})
    caps: Caps = plan_field("what the sweep may never exceed", "a table such as requests = 10000", Caps())
    seed: Whole | None = bounded("what prompts and arrivals are drawn from", "whole", 2**32 - 1, least=0)
    workers: Whole | None = bounded("load processes; as many as the plan needs when not stated", "whole", 64, least=1)

    @field_validator("facts", mode="before")
    @classmethod
    def _facts(cls, stated: Any) -> Any:
        return checked_facts(stated) if isinstance(stated, Mapping) else stated

    @field_validator("vendor")
    @classmethod
    def _vendor(cls, fields: Vendor) -> Vendor:
        return checked_vendor(fields)

    @model_validator(mode="after")
    def _makes_sense(self) -> Plan:
        stated = stop_rules.stated(self.stop)
        if self.search == "grid" and not all(rule.ON_A_GRID for rule in stated):
            ending = [f"stop.{rule.FIELD}" for rule in stop_rules.rules() if not rule.ON_A_GRID]
            raise ValueError(
                f'{joined(ending)} end a ramp, and this is a grid: write search = "ramp", or leave them out.'
            )
        if self.search == "ramp" and not stated:
            raise ValueError('search = "ramp" needs a rule in [stop], such as error_rate = 0.05.')
        if self.point.steady_within is not None and (self.workers or 1) > 1:
            raise ValueError(
                "point.steady_within is judged in one process, over all requests: leave workers out, or state 1."
            )
        self._demand_loads()
        if self.context_tokens is not None:
            refuse_beyond(self.context_tokens, self.shapes, f"facts.{CONTEXT}")
        count = len(self.shapes) * self.repeats * max(1, len(self.loads.levels))
        if count > MOST_POINTS:
            raise ValueError(f"The plan has {count:,} points; {MOST_POINTS:,} are allowed.")
        return self

    def _demand_loads(self) -> None:
        if not self.loads.levels and not all(workload.trace for workload in self.workloads):
            raise ValueError("The plan has no load: state loads.concurrency or loads.request_rate.")
        if self.loads.levels and self.based_on is None and all(workload.trace for workload in self.workloads):
            raise ValueError(
                "A trace is its own load: leave loads.concurrency and loads.request_rate out beside workloads.trace."
            )
        by_concurrency_alone = self.point.has_an_end and self.point.duration_s is None and self.point.requests is None
        if self.loads.request_rate and by_concurrency_alone:
            raise ValueError("A request rate needs an end: state point.duration_s or point.requests.")
        highest = max(self.loads.concurrency, default=0)
        if highest > self.caps.concurrency:
            raise ValueError(
                f"loads.concurrency is {highest:,} and caps.concurrency {self.caps.concurrency:,}: "
                f"lower the one or raise the other{where_stated(self.endpoint)}."
            )
        fixed = [workload for workload in self.workloads if workload.isl and workload.isl[0].distribution == "fixed"]
        if self.search == "context" and len(fixed) < len(self.workloads):
            raise ValueError('search = "context" doubles a fixed isl: state workloads.isl as a number to start from.')

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """Every shape of the workloads, once, in their order."""
        return tuple(dict.fromkeys(shape for workload in self.workloads for shape in workload.shapes))

    @property
    def context_tokens(self) -> int | None:
        """The model's limit of input and output tokens together; None while nobody has stated it."""
        room = self.facts.get(CONTEXT)
        return int(room) if room is not None else None

    def levels(self, shape: Shape) -> tuple[Load, ...]:
        """The loads this shape is measured under, in ascending order of each kind; a trace is its own load."""
        return (Load(load_kind="open", arrivals="trace"),) if shape.trace else self.loads.levels

    def points(self) -> tuple[PlannedPoint, ...]:
        """Every point a grid measures: shape by shape, level by level, and all of it again for each repeat."""
        once = [(shape, load) for shape in self.shapes for load in self.levels(shape)]
        return tuple(
            PlannedPoint(shape, load, repeat) for repeat, (shape, load) in product(range(1, self.repeats + 1), once)
        )

    @property
    def id(self) -> str:
        """16 hexadecimal digits, the same for every plan that measures the same."""
        stated = {key: value for key, value in self.document().items() if key not in NOT_MEASURED}
        stated["endpoint"].pop("wait_s", None)
        if self.endpoint.url is not None:
            stated["endpoint"].pop("name", None)
        return hashlib.sha256(json.dumps(stated, sort_keys=True).encode()).hexdigest()[:16]

    def document(self) -> dict[str, Any]:
        """The whole plan, defaults included, as plain JSON values; what is absent is left out."""
        return self.model_dump(mode="json", exclude_none=True)

    def to_toml(self) -> str:
        """The whole plan as TOML, from which `Plan.from_toml` makes an equal one."""
        import tomlkit

        return tomlkit.dumps(self.document())

    def settled(self, *, seed: int | None = None, context_tokens: int | None = None) -> Plan:
        """The plan with what was open: a seed, and the model's limit as the endpoint tells it.

        UsageError when a shape is longer than that limit.
        """
        known = dict(self.facts)
        if context_tokens is not None and CONTEXT not in known:
            known[CONTEXT] = context_tokens
        chosen = self.seed if self.seed is not None else seed
        return Plan.from_mapping({**self.document(), "facts": known, "seed": chosen})

    def unseeded(self) -> Plan:
        """The plan without its seed: a sweep of it draws other prompts, which no endpoint's prefix cache holds."""
        return self.model_copy(update={"seed": None})

    @classmethod
    def from_toml(cls, text: str) -> Plan:
        """The plan a TOML document states."""
        return cls.from_mapping(_parsed(text))

    @classmethod
    def from_file(
        cls, path: Path, fields: Mapping[str, object] | None = None, *, endpoints: Endpoints | None = None
    ) -> Plan:
        """The plan in a TOML file, whose own files are looked for beside it; flat `fields` are laid over it.

        InputError when the file cannot be read as text; UsageError when what is stated is no plan.
        """
        try:
            with path.open("rb") as file:
                text = file.read(MAX_BYTES + 1).decode("utf-8")
        except (OSError, UnicodeDecodeError) as problem:
            why = problem.strerror if isinstance(problem, OSError) else "it is not UTF-8 text"
            raise InputError(f"{path} cannot be read as a plan: {why}.") from problem
        stated, over = _parsed(text), nested(fields or {})
        if "profile" in over:
            raise UsageError(f"{path.name} is a plan already: leave the profile out, or name it in the file.")
        _beside(path.resolve().parent, stated)
        return cls.from_mapping(profiles.laid_over(profiles.filled(stated), over), endpoints=endpoints)

    @classmethod
    def from_fields(
        cls, fields: Mapping[str, object], *, files: bool = True, endpoints: Endpoints | None = None
    ) -> Plan:
        """The plan that flat fields state, such as {"endpoint.model": "m", "loads.concurrency": "1, 4, 16"}.

        This is how options of a command line and fields of a form come in; an empty text is not stated.
        """
        return cls.from_mapping(nested(fields), files=files, endpoints=endpoints)

    @classmethod
    def from_mapping(
        cls, stated: Mapping[str, object], *, files: bool = True, endpoints: Endpoints | None = None
    ) -> Plan:
        """The plan that nested tables state, laid over the profile and the endpoint they name.

        `files` False refuses files of prompts and traces: a visitor of a page may not name a path of the server.
        `endpoints` are those a name is looked up in; without them, as for a plan that was settled before, it is not.
        """
        settings = profiles.filled(stated)
        if endpoints is not None:
            settings = endpoints.under(settings)
        if isinstance(settings.get("workloads"), Mapping):
            settings["workloads"] = [settings["workloads"]]
        try:
            plan = cls.model_validate(settings)
        except ValidationError as problem:
            raise complaints.sentence(problem, cls) from None
        if not files and any(workload.prompts or workload.trace for workload in plan.workloads):
            raise UsageError("Files of prompts and traces can be named on the command line only.")
        return plan


def nested(fields: Mapping[str, object]) -> dict[str, Any]:
    """Flat fields with dotted names as the tables they stand for, without those that are empty."""
    stated: dict[str, Any] = {}
    for key, value in fields.items():
        if value is None or value == "":
            continue
        table, _, name = key.rpartition(".")
        place: Any = stated
        for part in table.split(".") if table else ():
            place = place.setdefault(part, {})
            if not isinstance(place, dict):
                raise UsageError(f"{key[:80]!r} cannot be stated beside {part[:80]!r}; see docs/sweeps.md.")
        place[name] = value
    return stated


def _parsed(text: str) -> dict[str, Any]:
    if len(text) > MAX_BYTES:
        raise UsageError(f"The plan has more than {MAX_BYTES:,} characters; a plan is a few dozen lines.")
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as problem:
        raise UsageError(f"The plan is not valid TOML: {str(problem)[:200]}.") from problem


def _beside(folder: Path, stated: Mapping[str, Any]) -> None:
    """Name the files of prompts and traces by their whole paths, seen from this folder."""
    workloads = stated.get("workloads")
    for workload in workloads if isinstance(workloads, list) else [workloads]:
        for name in ("prompts", "trace"):
            if isinstance(workload, dict) and isinstance(workload.get(name), str):
                workload[name] = str(folder / workload[name])


def refuse_beyond(context_tokens: int, shapes: tuple[Shape, ...], told_by: str) -> None:
    """Raise UsageError for the longest shape that does not fit into the model's context."""
    longest = max(shapes, key=lambda shape: shape.longest or 0)
    if (longest.longest or 0) > context_tokens:
        raise UsageError(
            f"isl {longest.isl} with osl {longest.osl} takes up to {longest.longest:,} tokens, and {told_by} is "
            f"{context_tokens:,}: shorten one of them."
        )
