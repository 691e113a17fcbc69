"""Under which conditions operating points were measured: their latencies, their flags, and what is unlike."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bench import catalogue
from bench.chart import setting, value_label
from bench.flags import words as flag_words
from bench.questions.cost.operating import LATENCIES, TOLD_STATISTICS
from bench.wording import inline, joined, number

LISTED = 5
"""So many values of one unlike thing are named; more are counted."""


def latencies(row: Mapping[str, Any]) -> dict[str, float]:
    """TTFT and interactivity of a point by their catalogue keys, the median or else the mean; what is stated."""
    found = {}
    for base in LATENCIES:
        keys = (f"{base}_{one}" for one in TOLD_STATISTICS)
        key = next((key for key in keys if row.get(key) is not None), None)
        if key is not None:
            found[key] = float(row[key])
    return found


def latency_words(row: Mapping[str, Any]) -> str:
    """Those latencies in words: "median TTFT 1,388 ms and median interactivity 37.5 tokens/s/user"; "" without one."""
    return joined([_with_value(key, value) for key, value in latencies(row).items()])


def _with_value(key: str, value: float) -> str:
    metric = catalogue.metric(key)
    return f"{inline(metric)} {number(value)} {metric.unit}"


def slowest(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Of these points the one with the longest TTFT and the one with the least interactivity, each once."""
    found: dict[str, Mapping[str, Any]] = {}
    for base in LATENCIES:
        worst = max if catalogue.metric(f"{base}_p50").direction == "lower" else min
        for one in TOLD_STATISTICS:
            stated = [row for row in rows if row.get(f"{base}_{one}") is not None]
            if stated:
                row = worst(stated, key=lambda row: float(row[f"{base}_{one}"]))
                found.setdefault(row["point_id"], row)
                break
    return list(found.values())


def flag_kinds(row: Mapping[str, Any]) -> list[str]:
    """The kinds of flag of a point, each once."""
    return list(dict.fromkeys(flag["kind"] for flag in json.loads(row["flags"] or "[]")))


def flagged(row: Mapping[str, Any]) -> str:
    """That a deployment's operating point is flagged, and for what: "flagged: decode only"; "" when it is not."""
    kinds = row["flags"]
    return f"flagged: {joined([flag_words(kind) for kind in kinds])}" if kinds else ""


def unlike(rows: Sequence[Mapping[str, Any]], group: str) -> list[str]:
    """What differs between the points, with its values: "engines Dynamo TensorRT-LLM (4) and SGLang (2)"."""
    found = []
    for key, noun, word in _UNLIKE:
        values = Counter(word(row) for row in rows)
        if key != group and len(values) > 1:
            listed = [
                f"{value} ({count})" if len(rows) > len(values) else value
                for value, count in values.most_common()
            ]
            found.append(f"{noun} {joined(listed, at_most=LISTED)}".strip())
    return found


def _value(key: str) -> Callable[[Mapping[str, Any]], str]:
    return lambda row: value_label(key, row[key])


def group_words(group: str, row: Mapping[str, Any]) -> str:
    """The value of a group's field as a sentence names it: "tp 8", "no speculation", "aggregated"."""
    words = _WORDS.get(group)
    return words(row) if words else setting(group, row[group])


def _workload(row: Mapping[str, Any]) -> str:
    if row["isl"] is None and row["osl"] is None:
        return "not stated"
    return "/".join("?" if row[key] is None else number(row[key]) for key in ("isl", "osl"))


def _speculation(row: Mapping[str, Any]) -> str:
    stated = row["speculation"]
    if stated is None:
        return "speculation not stated"
    return "no speculation" if stated == "none" else f"{stated.upper()} speculation"


def _disaggregated(row: Mapping[str, Any]) -> str:
    stated = row["disaggregated"]
    if stated is None:
        return "aggregation not stated"
    return "disaggregated" if stated else "aggregated"


def _precision(row: Mapping[str, Any]) -> str:
    return "not stated" if row["precision"] is None else str(row["precision"]).upper()


_WORDS = {"speculation": _speculation, "disaggregated": _disaggregated}
_UNLIKE: tuple[tuple[str, str, Callable[[Mapping[str, Any]], str]], ...] = (
    ("model", "models", _value("model")),
    ("workload", "workloads", _workload),
    ("precision", "precisions", _precision),
    ("engine", "engines", _value("engine")),
    ("speculation", "", _speculation),
    ("disaggregated", "", _disaggregated),
    ("variant", "variants", _value("variant")),
    ("harness", "harnesses", _value("harness")),
    ("load_kind", "load kinds", _value("load_kind")),
)
