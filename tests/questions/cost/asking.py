"""What the tests of cost ask, and how they read its rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bench.basis import evidence
from bench.library import Library
from bench.questions import Answer, cost
from bench.questions.cost.result import Cost, PricedDeployment
from bench.view import View

ARTICLE = {"source": ["inferencebench-gemma4-h100"]}
RVLLM = {"source": ["rvllm-tpu-v6e-vs-h100"], "model": ["gemma-4-31b"], "precision": ["fp8", "int8"]}
STORY = {"model": ["deepseek-r1"], "precision": ["fp8"], "isl": ["8192"], "osl": ["1024"]}
SIX = {"price_book": "articles", "price_terms": "unstated"}
USD = "usd_per_million_output_tokens"
SPEED, TTFT = "interactivity_tokens_per_s_per_user_p50", "ttft_ms_p50"


def asked(
    library: Library, where: Mapping[str, list[str]] | None = None, slo: Iterable[str] = (), **options: Any
) -> Answer[Cost]:
    return cost.answer(library, View.of(where or {}, options, slo=slo))


def by_provider(answer: Answer[Cost], column: str) -> dict[str, float]:
    return dict(zip(answer.rows["provider"], answer.rows[column], strict=True))


def by_chip(answer: Answer[Cost]) -> dict[str, PricedDeployment]:
    return {one.point.accelerator: one for one in answer.result.deployments}


def ranked(library: Library, answer: Answer[Cost], columns: str) -> list[tuple[Any, ...]]:
    """These columns of every point that an answer may rank, within its limits."""
    condition = evidence.ranked(library, evidence.read(answer.view))
    return library.fetch(f"SELECT {columns} FROM points WHERE {condition.sql}", condition.params)
