"""What an AIPerf run was asked to do: model, lengths and load, in `input_config` as its versions write it.

Up to 0.6 the parts are `endpoint`, `input` and `loadgen`; later they are `models`, `datasets` and `phases`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from bench import names
from bench.formats.reading import Fields
from bench.records import Deployment, Load, Workload

SYNTHETIC = "synthetic"
ARRIVALS = {"poisson": "poisson", "constant": "constant", "gamma": "gamma"}
BY_SERVER, BY_TOKENIZER = "server's usage", "the tool's tokenizer"


def model_of(config: Fields) -> str | None:
    """The model as the server calls it; None where it is not stated, or there are several."""
    named = [entry.text("name") for entry in config.fields("models").each("items")]
    listed = config.fields("endpoint").list("model_names")
    named += [name for name in listed if isinstance(name, str)]
    return named[0] if len(named) == 1 and named[0] and len(named[0]) <= 1000 else None


def deployment_of(config: Fields, telemetry: Fields | None = None) -> Deployment:
    """The model, and what the telemetry calls the accelerators where all have one name; how many serve is not said."""
    model = model_of(config)
    seen = set() if telemetry is None else _accelerators(telemetry)
    return Deployment(
        model=names.model_slug(model) if model else None,
        checkpoint=model,
        accelerator=names.accelerator_slug(seen.pop()) if len(seen) == 1 else None,
    )


def token_source(config: Fields) -> str | None:
    """Who counted the tokens; None where the configuration is not known."""
    by_server = config.fields("endpoint").truth("use_server_token_count")
    if by_server is None and not config.keys():
        return None
    return BY_SERVER if by_server else BY_TOKENIZER


def workload_of(config: Fields) -> Workload:
    """The requested lengths; absent where prompts come from a file, have a prefix on top, or follow each other."""
    sets = list(config.each("datasets"))
    if len(sets) == 1:
        return _of_data_set(sets[0])
    return Workload() if sets else _of_input(config.fields("input"))


def load_of(config: Fields) -> Load:
    """The load of the profiling phase; unknown where several phases were loaded differently, or it was searched for."""
    phases = [phase for phase in config.each("phases") if (phase.text("kind") or phase.text("name")) != "warmup"]
    if phases:
        loads = {_of_phase(phase) for phase in phases}
        return loads.pop() if len(loads) == 1 else Load("unknown")
    return _of_loadgen(config.fields("loadgen"))


def values_of(parameters: Fields) -> dict[str, Any]:
    """The parameters of a sweep's cell by their names."""
    return {key: parameters.raw(key) for key in sorted(parameters.keys())}


def load_of_values(values: Mapping[str, Any]) -> Load:
    """The load that a cell of a sweep was run at, by the last part of its parameters' names."""
    by_name = {key.rsplit(".", 1)[-1].replace("-", "_"): value for key, value in values.items()}
    concurrency: Any = by_name.get("concurrency")
    rate: Any = by_name.get("request_rate", by_name.get("rate"))
    if _is_number(rate) and rate > 0:
        kind = next((part for key in values for part in key.split(".") if part in ARRIVALS), None)
        return Load("open", request_rate=float(rate), arrivals=kind)
    if isinstance(concurrency, int) and not isinstance(concurrency, bool) and 1 <= concurrency < 2**31:
        return Load("closed", concurrency=concurrency)
    return Load("unknown")


def lengths_of_values(values: Mapping[str, Any]) -> Workload:
    """The lengths that a cell of a sweep asked for, `isl` and `osl` or `….isl.mean`."""
    lengths: dict[str, int] = {}
    for key, value in values.items():
        match = re.search(r"(?:^|\.)(isl|osl)(?:\.mean)?$", key)
        if match and _is_number(value) and 1 <= value < 2**31:
            lengths[match[1]] = round(value)
    return Workload(isl_requested=lengths.get("isl"), osl_requested=lengths.get("osl"))


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value and abs(value) < 1e12


def _accelerators(telemetry: Fields) -> set[str]:
    slugs: set[str] = set()
    endpoints = telemetry.fields("endpoints")
    telemetry.passed_over("summary")
    for gpus in (endpoint.fields("gpus") for endpoint in _objects(endpoints)):
        for chip in _objects(gpus):
            chip.passed_over("gpu_index", "gpu_uuid", "platform", "metrics", "hostname", "namespace", "pod_name")
            name = chip.text("gpu_name")
            if name:
                slugs.add(name)
    return slugs


def _objects(fields: Fields) -> list[Fields]:
    return [fields.fields(key) for key in sorted(fields.keys())]


def _of_phase(phase: Fields) -> Load:
    kind, concurrency, rate = phase.text("type"), phase.whole("concurrency"), phase.number("rate")
    if phase.truth("adaptive_scale"):
        return Load("unknown")
    if kind == "concurrency" and concurrency is not None and concurrency >= 1:
        return Load("closed", concurrency=concurrency)
    if kind in ARRIVALS and rate is not None and rate > 0:
        return Load("open", request_rate=rate, arrivals=ARRIVALS[kind])
    return Load("open", arrivals="trace") if kind == "fixed_schedule" else Load("unknown")


def _of_loadgen(stated: Fields) -> Load:
    rate, concurrency = stated.number("request_rate"), stated.whole("concurrency")
    mode = stated.text("request_rate_mode")
    if rate is not None and rate > 0 and mode != "concurrency_burst":
        return Load("open", request_rate=rate, arrivals=ARRIVALS.get(mode or "poisson"))
    if concurrency is not None and concurrency >= 1:
        return Load("closed", concurrency=concurrency)
    return Load("unknown")


def _of_data_set(data: Fields) -> Workload:
    kind, prompts = data.text("type"), data.fields("prompts")
    source = data.text("dataset") or data.text("source") or kind
    turns = data.raw("turns")
    mean: Any = turns.get("mean") if isinstance(turns, dict) else turns
    if kind not in (None, SYNTHETIC) or (_is_number(mean) and mean > 1) or "prefix_prompts" in data:
        return Workload(dataset=source, turns=mean if _is_number(mean) and mean > 1 else None)
    return Workload(
        isl_requested=_length(prompts.fields("isl")), osl_requested=_length(prompts.fields("osl")), dataset=SYNTHETIC
    )


def _of_input(stated: Fields) -> Workload:
    prompt = stated.fields("prompt")
    named = stated.text("public_dataset") or stated.text("custom_dataset_type")
    prefix = prompt.fields("prefix_prompt")
    turns = stated.fields("conversation").fields("turn").number("mean")
    if named or stated.raw("file") or (prefix.number("length") and prefix.number("pool_size")) or (turns or 1) > 1:
        return Workload(dataset=named, turns=turns if (turns or 1) > 1 else None)
    isl, osl = _length(prompt.fields("input_tokens")), _length(prompt.fields("output_tokens"))
    return Workload(isl_requested=isl, osl_requested=osl, dataset=SYNTHETIC if isl else None)


def _length(stated: Fields) -> int | None:
    mean = stated.number("mean")
    return round(mean) if mean is not None and 1 <= mean < 2**31 else None
