"""What an llm-d Benchmark Report says of the engines that served: which, on what, in how many instances and roles."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from bench import names
from bench.errors import InputError
from bench.formats.llmd_report.own_fields import FACTS, is_beside
from bench.formats.reading import MOST_WHOLE, Fields
from bench.records import Deployment

LAYOUT = ("tp", "pp", "dp", "ep")
UNKNOWN = "unknown"


@dataclass(frozen=True)
class EngineInstances:
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


def _engines(scenario: Fields, version: str | None) -> Iterator[EngineInstances]:
    if version == "0.1":
        yield from _engines_0_1(scenario)
        return
    for component in scenario.each("stack"):
        component.passed_over("metadata", "native")
        one = component.fields("standardized")
        if one.text("kind") != "inference_engine":
            own = (*FACTS, "tool", "tool_version") if is_beside(component) else one.keys()
            one.passed_over(*own)
            continue
        accelerator = one.fields("accelerator")
        layout = accelerator.fields("parallelism")
        yield EngineInstances(
            one.text("role"),
            one.fields("model").text("name"),
            known(one, "tool"),
            known(one, "tool_version"),
            accelerator.text("model"),
            accelerator.count("count"),
            one.count("replicas") or 1,
            {key: value for key in LAYOUT if (value := layout.count(key))},
        )
        layout.passed_over("dp_local", "workers")


def known(one: Fields, key: str) -> str | None:
    """A text that the schema wants; None where the report says that it is not known."""
    said = one.text(key)
    return None if said == UNKNOWN else said


def _engines_0_1(scenario: Fields) -> Iterator[EngineInstances]:
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
        yield EngineInstances(
            role,
            name,
            serving.text("name") if serving else None,
            serving.text("version") if serving else None,
            accelerator.text("model"),
            accelerator.count("count"),
            1,
            {key: value for key in LAYOUT if (value := layout.count(key))},
            precision,
        )
        accelerator.passed_over("memory", "metadata")


def deployment_of(scenario: Fields, version: str | None) -> Deployment:
    """What serves: one kind of engine, or those that prefill and those that decode; the latter's layout is its own."""
    engines = list(_engines(scenario, version))
    if not engines:
        return Deployment()
    first = engines[0]
    chips = {names.accelerator_slug(one.accelerator) if one.accelerator else None for one in engines}
    chip = chips.pop() if len(chips) == 1 else None
    devices = _devices(engines)
    if devices is not None and devices > MOST_WHOLE:
        raise InputError(f"scenario states {devices:.3g} accelerators; expected a number of them that exists.")
    prefill = [one for one in engines if one.role == "prefill"]
    decode = [one for one in engines if one.role == "decode"]
    apart = bool(prefill and decode)
    layout = _layout(decode if apart else engines)
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
        prefill_accelerators=_devices(prefill) if apart and countable else None,
        decode_accelerators=_devices(decode) if apart and countable else None,
        prefill_tp=_layout(prefill).get("tp") if apart else None,
        prefill_ep=_layout(prefill).get("ep") if apart else None,
        prefill_workers=sum(one.replicas for one in prefill) if apart else None,
        decode_workers=sum(one.replicas for one in decode) if apart else None,
        variant=f"{first.replicas} replicas" if len(engines) == 1 and first.replicas > 1 else None,
        tp=layout.get("tp"),
        pp=layout.get("pp"),
        dp=layout.get("dp"),
        ep=layout.get("ep"),
    )


def _devices(engines: list[EngineInstances]) -> int | None:
    """How many devices these have together; None where a count is missing."""
    counts = [one.count * one.replicas for one in engines if one.count is not None]
    return sum(counts) if counts and len(counts) == len(engines) else None


def _layout(engines: list[EngineInstances]) -> dict[str, int]:
    """The layout that all of these have; empty where they have several."""
    layouts = [one.layout for one in engines]
    return layouts[0] if layouts and all(layout == layouts[0] for layout in layouts) else {}
