"""What an llm-d Benchmark Report says of the engines that served: which, on what, in how many instances and roles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bench import names
from bench.errors import InputError
from bench.formats.foreign.fields import MOST_WHOLE, Fields
from bench.records import Deployment

LAYOUT = ("tp", "pp", "dp", "ep")
UNKNOWN = "unknown"
ENGINE_KNOWN_IN_PART = "kneepoint-engine"
"""The label of the generic component in which Kneepoint's export has an engine of which the schema wants more."""


@dataclass(frozen=True)
class Engine:
    """What a report says of the instances of one engine; `count` is of one of them."""

    role: str | None
    model: str | None
    engine: str | None
    version: str | None
    accelerator: str | None
    count: int | None
    replicas: int
    layout: dict[str, int]
    precision: str | None = None


def _engines(scenario: Fields, version: str | None) -> Iterator[Engine]:
    if version == "0.1":
        yield from _engines_0_1(scenario)
        return
    for component in scenario.each("stack"):
        component.passed_over("metadata", "native")
        one = component.fields("standardized")
        if one.text("kind") != "inference_engine":
            one.passed_over(*one.keys())
            if component.fields("metadata").text("label") == ENGINE_KNOWN_IN_PART:
                yield _known_in_part(one)
            continue
        accelerator = one.fields("accelerator")
        layout = accelerator.fields("parallelism")
        yield Engine(
            one.text("role"), one.fields("model").text("name"), known(one, "tool"), known(one, "tool_version"),
            accelerator.text("model"), accelerator.count("count"), one.count("replicas") or 1,
            {key: value for key in LAYOUT if (value := layout.count(key))},
        )  # fmt: skip
        layout.passed_over("dp_local", "workers")


def known(one: Fields, key: str) -> str | None:
    """A text that the schema wants; None where the report says that it is not known."""
    said = one.text(key)
    return None if said == UNKNOWN else said


def _known_in_part(one: Fields) -> Engine:
    """The generic component that Kneepoint's own export has where the schema's engine wants more than is known."""
    return Engine(
        None, one.text("model"), known(one, "tool"), known(one, "tool_version"), one.text("accelerator"), None, 1,
        {key: value for key in LAYOUT if (value := one.count(key))},
    )  # fmt: skip


def _engines_0_1(scenario: Fields) -> Iterator[Engine]:
    host, model = scenario.fields("host"), scenario.fields("model")
    name, precision = model.text("name"), model.text("quantization")
    model.passed_over("adapters", "metadata")
    host.passed_over("metadata")
    engines = list(scenario.fields("platform").each("engine"))
    hosts = list(host.each("accelerator"))
    roles = host.list("type")
    scenario.passed_over("description", "metadata")
    for engine in engines:
        engine.passed_over("args", "metadata")
    for place in range(max(len(hosts), min(len(engines), 1))):
        accelerator = hosts[place] if hosts else Fields(scenario.file, {}, "scenario.host.accelerator")
        serving = engines[place] if place < len(engines) else None
        layout = accelerator.fields("parallelism")
        role = roles[place] if place < len(roles) and isinstance(roles[place], str) else None
        yield Engine(
            role, name, serving.text("name") if serving else None, serving.text("version") if serving else None,
            accelerator.text("model"), accelerator.count("count"), 1,
            {key: value for key in LAYOUT if (value := layout.count(key))}, precision,
        )  # fmt: skip
        accelerator.passed_over("memory", "metadata")


def deployment_of(scenario: Fields, version: str | None) -> Deployment:
    """What serves: one kind of engine, or those that prefill and those that decode."""
    engines = list(_engines(scenario, version))
    if not engines:
        return Deployment()
    first = engines[0]
    chips = {names.accelerator_slug(one.accelerator) if one.accelerator else None for one in engines}
    chip = chips.pop() if len(chips) == 1 else None
    counts = [one.count * one.replicas if one.count is not None else None for one in engines]
    devices = sum(count for count in counts if count is not None) if None not in counts else None
    if devices is not None and devices > MOST_WHOLE:
        raise InputError(
            f"scenario states {devices:.3g} accelerators; expected a number of them that exists."
        )
    prefill = _role(engines, counts, "prefill")
    decode = _role(engines, counts, "decode")
    apart = prefill is not None and decode is not None
    layouts = {tuple(sorted(one.layout.items())) for one in engines}
    layout = first.layout if len(layouts) == 1 and not apart else {}
    countable = names.one_device_a_chip(chip)
    return Deployment(
        model=names.model_slug(first.model) if first.model else None,
        checkpoint=first.model,
        precision=first.precision.lower() if first.precision else None,
        engine=names.engine_slug(first.engine) if first.engine else None,
        engine_version=first.version,
        accelerator=chip,
        accelerators=devices if countable else None,
        devices=devices,
        disaggregated=apart or None,
        prefill_accelerators=prefill if apart and countable else None,
        decode_accelerators=decode if apart and countable else None,
        variant=f"{first.replicas} replicas" if len(engines) == 1 and first.replicas > 1 else None,
        tp=layout.get("tp"),
        pp=layout.get("pp"),
        dp=layout.get("dp"),
        ep=layout.get("ep"),
    )


def _role(engines: list[Engine], counts: list[int | None], role: str) -> int | None:
    """How many devices have this role; None where none has, or where a count is missing."""
    mine = [count for one, count in zip(engines, counts, strict=True) if one.role == role]
    known = [count for count in mine if count is not None]
    return sum(known) if mine and len(known) == len(mine) else None
