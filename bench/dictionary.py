"""The data dictionary: every table that people's SQL may read, each column with its unit and a plain word."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bench import catalogue
from bench.library import Library
from bench.library.people_grammar import TABLES

ABOUT: Mapping[str, str] = {
    "points": "One row for each measurement: a deployment under a workload at a load, and its metrics.",
    "scores": "One row for each quality result: a benchmark, its metric and value, and what was scored.",
    "prices": "One row for each dated price of an accelerator.",
    "sources": "One row for each file that was read: licence, link, counts.",
    "accelerators": "Every accelerator: its slug, which points name it by, its family and data sheet.",
    "models": "Every model: its slug, which points name it by, and its size.",
    "engines": "Every engine: its slug, which points name it by.",
    "passports": "How each metric of a source was read: its definition, unit and window there.",
    "refusals": "Every file and row that was not loaded, and why.",
    "notes": "What people wrote beside points, scores and sources.",
    "facts": "What people stated about a source after its import.",
    "retractions": "What is hidden, and why.",
}

TOKENS, CHIPS, DEVICES, USD_PER_HOUR = "tokens", "chips", "devices", "USD/h"

WORDS: Mapping[str, tuple[str, str]] = {
    "point_id": ("", "names the point"),
    "score_id": ("", "names the score"),
    "source_id": ("", "the file it was read from"),
    "deployment_id": ("", "alike for everything that was deployed alike"),
    "workload_id": ("", "alike for the same workload"),
    "series_id": ("", "alike for points that differ in load and repeat only"),
    "isl": (TOKENS, "input length: as requested, else as counted"),
    "osl": (TOKENS, "output length: as requested, else as counted"),
    "model": ("", "slug of the model; names are in models"),
    "checkpoint": ("", "the exact weights"),
    "precision": ("", "of the weights"),
    "kv_precision": ("", "of the KV cache"),
    "engine": ("", "slug of the engine; names are in engines"),
    "engine_version": ("", "as the source writes it"),
    "accelerator": ("", "slug of the accelerator; names are in accelerators"),
    "accelerators": (CHIPS, "physical chips of the whole deployment"),
    "devices": (DEVICES, "what tp, pp, dp and ep count"),
    "nodes": ("nodes", "machines of the deployment"),
    "tp": (DEVICES, "tensor parallel"),
    "pp": (DEVICES, "pipeline parallel"),
    "dp": (DEVICES, "data parallel"),
    "ep": (DEVICES, "expert parallel"),
    "dp_attention": ("", "data-parallel attention"),
    "disaggregated": ("", "prefill and decode run on chips of their own"),
    "prefill_accelerators": (CHIPS, "chips that prefill, where disaggregated"),
    "decode_accelerators": (CHIPS, "chips that decode, where disaggregated"),
    "prefill_tp": (DEVICES, "tensor parallel of the prefill role"),
    "prefill_ep": (DEVICES, "expert parallel of the prefill role"),
    "prefill_dp_attention": ("", "data-parallel attention of the prefill role"),
    "prefill_workers": ("instances", "of the prefill role"),
    "decode_workers": ("instances", "of the decode role"),
    "speculation": ("", "speculative decoding: none, mtp, eagle3, ngram; NULL is not stated"),
    "prefix_caching": ("", "whether prefixes were cached"),
    "variant": ("", "what tells apart deployments that are else alike"),
    "isl_requested": (TOKENS, "input length as requested"),
    "isl_actual": (TOKENS, "mean input length as counted"),
    "osl_requested": (TOKENS, "output length as requested"),
    "osl_actual": (TOKENS, "mean output length as counted"),
    "context_tokens": (TOKENS, "position in the context the figure was taken at"),
    "max_model_len": (TOKENS, "the engine's context limit"),
    "dataset": ("", "where the prompts come from"),
    "shared_prefix_share": ("share", "of the input that requests have in common, 0 to 1"),
    "turns": ("turns", "of a conversation"),
    "load_kind": ("", "closed, open, batch, saturated, scenario or unknown"),
    "concurrency": ("requests", "in flight, of a closed load"),
    "request_rate": ("requests/s", "of an open load"),
    "arrivals": ("", "how an open load's requests arrive"),
    "batch": ("sequences", "of a static batch"),
    "scenario": ("", "MLPerf's"),
    "source": ("", "short name of where the row comes from"),
    "locator": ("", "where in its file the row stands"),
    "harness": ("", "the tool that measured"),
    "harness_version": ("", "of the tool that measured"),
    "evidence": ("", "measured, simulated, projected, estimated or unverified"),
    "origin": ("", "own, imported or published"),
    "date": ("day", "of the measurement"),
    "repeat": ("", "0, 1, 2, … for repeats of one point"),
    "source_url": ("", "a link to where it was published"),
    "note": ("", "free text"),
    "restated_in": ("", "other places that print the same measurement"),
    "flags": ("", "what is wrong with the point, as JSON"),
    "benchmark": ("", "what was scored"),
    "category": ("", "part of the benchmark"),
    "metric": ("", "key of the metric"),
    "value": ("see unit", "the score"),
    "unit": ("", "of the value"),
    "direction": ("", "whether higher or lower is better"),
    "n": ("items", "how many were scored"),
    "standard_error": ("see unit", "of the value"),
    "judge": ("", "the model that judged"),
    "self_judged": ("", "whether the model judged itself"),
    "book": ("", "the price book"),
    "provider": ("", "who rents or sells"),
    "instance": ("", "the provider's name of the machine"),
    "region": ("", "where it stands"),
    "terms": ("", "on_demand, spot, reserved, …"),
    "usd_per_hour": (USD_PER_HOUR, "of the whole machine"),
    "usd_per_accelerator_hour": (USD_PER_HOUR, "of one chip"),
    "as_of": ("day", "the price was seen"),
    "file": ("", "the file's name"),
    "format": ("", "what the file was read as"),
    "tool_version": ("", "of the tool that wrote the file"),
    "sources": ("", "short names of what the file holds"),
    "title": ("", "what the source calls itself"),
    "licence": ("", "of the source"),
    "licence_url": ("", "the licence's text"),
    "url": ("", "where the source is published"),
    "retrieved": ("day", "the source was fetched"),
    "attribution": ("", "whom to name"),
    "points": ("points", "that the file gave"),
    "scores": ("scores", "that the file gave"),
    "refusals": ("rows", "of the file that were not loaded"),
    "unread_keys": ("keys", "of the file that its format did not read"),
    "not_understood": ("", "the first of those keys"),
    "first_date": ("day", "of its first measurement"),
    "last_date": ("day", "of its last measurement"),
    "imported": ("time", "of the import"),
    "shipped": ("", "whether it ships with Kneepoint"),
    "facts": ("", "what people stated of it, as JSON"),
    "retracted": ("", "why it is hidden; NULL when it is not"),
    "slug": ("", "the name points use"),
    "name": ("", "the name people read"),
    "family": ("", "what it belongs to"),
    "vendor": ("", "who makes it"),
    "aliases": ("", "other spellings"),
    "devices_per_chip": (DEVICES, "that tp, pp, dp and ep count on one chip"),
    "colour_light": ("", "on light pages"),
    "colour_dark": ("", "on dark pages"),
    "marker": ("", "its shape in charts"),
    "memory_gb": ("GiB", "memory of one chip, in what vendors call GB"),
    "hbm_tb_s": ("TB/s", "memory bandwidth of one chip"),
    "bf16_tflops": ("TFLOPS", "dense BF16 compute of one chip"),
    "fp8_tflops": ("TFLOPS", "dense FP8 compute of one chip"),
    "fp4_tflops": ("TFLOPS", "dense FP4 compute of one chip"),
    "tdp_w": ("W", "design power of one chip"),
    "scale_up_domain": ("", "chips that one fast network joins"),
    "verified": ("", "how the figures were checked"),
    "total_params_b": ("billions", "parameters"),
    "active_params_b": ("billions", "parameters that each token uses"),
    "type": ("", "dense or mixture of experts"),
    "attention": ("", "kind of attention"),
    "layers": ("layers", "of the model"),
    "kv_bytes_per_token_bf16": ("bytes", "of KV cache for each token in BF16"),
    "kv_bytes_per_token_bf16_beyond_window": ("bytes", "for each token beyond the window of its sliding layers"),
    "kv_window_tokens": (TOKENS, "that its sliding layers look back on"),
    "context": (TOKENS, "the longest context"),
    "definition": ("", "as the catalogue has it, or how it was converted"),
    "unit_in_file": ("", "the unit the source uses"),
    "denominator": ("", "what a rate was divided by"),
    "window": ("", "the time it was measured over"),
    "token_source": ("", "who counted the tokens"),
    "row": ("", "of the file"),
    "column": ("", "of the file"),
    "expected": ("", "what would have been read"),
    "reason": ("", "why"),
    "id": ("", "names a point, a score or a source"),
    "text": ("", "what was written"),
    "at": ("time", "it was written"),
    "who": ("", "who wrote it"),
    "fact": ("", "what is stated"),
    "kind": ("", "point, score or source"),
    "purged": ("", "whether its bytes were deleted as well"),
}  # fmt: skip
"""A column's unit and what it holds, by its name; metrics have theirs in the catalogue."""

KINDS: Mapping[str, str] = {
    "VARCHAR": "text",
    "VARCHAR[]": "list of texts",
    "BIGINT": "integer",
    "DOUBLE": "number",
    "BOOLEAN": "true or false",
    "DATE": "date",
}


@dataclass(frozen=True)
class Column:
    """A column: its type in words, its unit (empty where it has none) and what it holds."""

    name: str
    kind: str
    unit: str
    holds: str


@dataclass(frozen=True)
class Table:
    """A table or view: what a row of it is, how many there are, and its columns."""

    name: str
    about: str
    rows: int
    columns: tuple[Column, ...]


def tables(library: Library) -> tuple[Table, ...]:
    """Every table people's SQL may read, as it is now: its ids last, without the metrics that no row has."""
    return tuple(_table(library, name) for name in TABLES)


def _table(library: Library, name: str) -> Table:
    described = library.fetch(f"DESCRIBE {name}")
    counted = ", ".join(f'count("{row[0]}")' for row in described)
    rows, *stated = library.fetch(f"SELECT count(*), {counted} FROM {name}")[0]
    columns = [
        _column(str(row[0]), str(row[1]))
        for row, many in zip(described, stated, strict=True)
        if many or not catalogue.is_metric(row[0])
    ]
    return Table(
        name, ABOUT[name], rows, tuple(sorted(columns, key=lambda column: column.name.endswith("_id")))
    )


def _column(name: str, sql_type: str) -> Column:
    kind = KINDS.get(sql_type, sql_type.lower())
    if catalogue.is_metric(name):
        metric = catalogue.metric(name)
        return Column(name, kind, metric.unit, metric.label)
    return Column(name, kind, *WORDS[name])
