"""Keys of links that earlier versions wrote, read as those of today.

The first build had limits on the axes of a chart (`slo_x`, `slo_y`) and on a latency (`slo_metric` with `slo`, and
`slo_ttft`), and let points that were not measured into a frontier by `frontier_evidence`.
"""

from __future__ import annotations

from collections.abc import Iterable

from bench import catalogue

LinkPairs = list[tuple[str, str]]

EVIDENCE = ("measured", "simulated", "projected", "estimated", "unverified")
GONE = ("slo_x", "slo_y", "slo_metric", "slo_ttft", "frontier_evidence")


def renewed(pairs: Iterable[tuple[str, str]]) -> LinkPairs:
    """The key-value pairs of a link with every old key as the new one; one that cannot be stays, to be told."""
    new = list(pairs)
    values = dict(new)
    stated = values.get("slo", "")
    limits = {
        "slo_x": _limit(values.get("x", ""), values.get("slo_x", "")),
        "slo_y": _limit(values.get("y", ""), values.get("slo_y", "")),
        "slo": _limit(values.get("slo_metric", ""), stated if _is_bare(stated) else ""),
        "slo_ttft": _limit(f"ttft_ms_{_statistic(values.get('slo_metric', ''))}", values.get("slo_ttft", "")),
    }
    past = {key for key, limit in limits.items() if limit or not values.get(key)} | {"slo_metric"}
    past |= {"frontier_evidence"} if values.get("frontier_evidence") in ("all", "measured") else set()
    kept = [(key, value) for key, value in new if key not in past or (key == "slo" and not _is_bare(value))]
    kept += [("slo", limit) for limit in limits.values() if limit]
    if "slo_metric" in values:
        kept.append(("latency", values["slo_metric"]))
    if values.get("frontier_evidence") == "all" and "evidence" not in values:
        kept += [("evidence", one) for one in EVIDENCE]
    return kept


def _is_bare(value: str) -> bool:
    """Whether a limit is a number without a metric; none at all is a choice of today too."""
    return "<" not in value and ">" not in value and value != "none"


def _limit(key: str, value: str) -> str:
    """A limit on a metric in the direction that is better; empty where either is none."""
    if not value or not catalogue.is_metric(key):
        return ""
    try:
        float(value)
    except ValueError:
        return ""
    return f"{key}{'<=' if catalogue.metric(key).direction == 'lower' else '>='}{value}"


def _statistic(key: str) -> str:
    """The statistic of the other limit, which a limit on TTFT was on too; else the median."""
    return (catalogue.metric(key).statistic if catalogue.is_metric(key) else None) or "p50"
