"""InferenceX: GSM8K accuracy of the deployments it measures, nine models."""

from __future__ import annotations

from bench import names
from data.recipes.inferencex import ATTRIBUTION, LICENCE, URL
from data.recipes.tables import Card, Row, Table, number, read


def tables() -> tuple[Table, ...]:
    """The 531 scores, one for each evaluation; four stand twice in the export, under two ids."""
    rows = read("inferencex", "evaluations_gsm8k.csv")
    ids: dict[tuple[str, ...], list[str]] = {}
    for row in rows:
        ids.setdefault(_but_id(row), []).append(row["id"])
    scores = [_score(row, [other for other in ids[_but_id(row)] if other != row["id"]]) for row in rows]
    return (Table("inferencex-gsm8k", CARD, scores),)


def _but_id(row: dict[str, str]) -> tuple[str, ...]:
    return tuple(text for column, text in row.items() if column != "id")


def _score(row: dict[str, str], same: list[str]) -> Row:
    one_node = row["is_multinode"] == "False"
    return {
        "model": names.model_slug(row["model"]),
        "precision": row["precision"],
        "engine": names.engine_slug(row["framework"]),
        "accelerator": names.accelerator_slug(row["hardware"]),
        "accelerators": int(row["decode_tp"]) if one_node else None,
        "tp": int(row["decode_tp"]),
        "ep": int(row["decode_ep"]),
        "disaggregated": _disaggregated(row),
        "speculation": row["spec_method"],
        "benchmark": row["task"],
        "metric": "exact_match_strict",
        "value": number(row["em_strict"]),
        "unit": "share",
        "direction": "higher",
        "n": int(row["n_eff"]),
        "standard_error": number(row["em_strict_se"]),
        "dataset": row["task"],
        "load_kind": "closed",
        "concurrency": int(row["conc"]),
        "harness": "lm-eval",
        "evidence": "measured",
        "origin": "published",
        "date": row["date"],
        "source_url": row["run_url"],
        "note": f"Evaluation {row['id']} at {row['timestamp']}; flexible extraction "
        f"{float(row['em_flexible']):.4f}, standard error {float(row['em_flexible_se']):.4f}.",
        "restated_in": [f"evaluation {other} of the export" for other in same],
    }


def _disaggregated(row: dict[str, str]) -> bool | None:
    """True over several nodes; None where the export says so of a single node, which its other columns contradict."""
    if row["is_multinode"] == "True":
        return True
    return None if row["disagg"] == "True" else False


CARD = Card(
    slug="inferencex",
    title="InferenceX: GSM8K accuracy of the measured deployments, April to June 2026",
    licence=LICENCE,
    licence_url="https://github.com/SemiAnalysisAI/InferenceX/blob/main/LICENSE",
    url=URL,
    attribution=ATTRIBUTION,
)
