"""What the questions said of thirty Views, and what sixty links selected: every later difference is seen in a diff.

`python -m tests.questions.recorded` writes answers.json anew, with names of questions only what those say; links.json
was written once, by the first build, and is never written again.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.cli.asking import document
from bench.cli.output import plain
from bench.errors import BenchError
from bench.library import Library
from bench.questions import question, questions
from bench.view import View

HERE = Path(__file__).parent
ANSWERS, LINKS = HERE / "answers.json", HERE / "links.json"

VIEWS: Mapping[str, Mapping[str, list[str]]] = {
    "nothing chosen": {},
    "deepseek fp8 1k/1k": {"model": ["deepseek-r1"], "precision": ["fp8"], "isl": ["1024"], "osl": ["1024"]},
    "deepseek fp8 1k/8k": {"model": ["deepseek-r1"], "precision": ["fp8"], "isl": ["1024"], "osl": ["8192"]},
    "deepseek fp4 8k/1k": {"model": ["deepseek-r1"], "precision": ["fp4"], "isl": ["8192"], "osl": ["1024"]},
    "deepseek without speculation": {
        "model": ["deepseek-r1"],
        "precision": ["fp4"],
        "isl": ["1024"],
        "osl": ["1024"],
        "speculation": ["none"],
    },
    "deepseek on h200": {"model": ["deepseek-r1"], "precision": ["fp8"], "accelerator": ["h200"]},
    "h200 and mi355x": {
        "model": ["deepseek-r1"],
        "precision": ["fp8"],
        "isl": ["1024"],
        "osl": ["8192"],
        "accelerator": ["h200-sxm", "mi355x"],
    },
    "gemma": {"model": ["gemma-4-31b"]},
    "the h100 article": {"source": ["inferencebench-gemma4-h100"]},
    "the tpu article": {"source": ["rvllm-tpu-v6e-vs-h100"]},
    "llama 3.1 70b": {"model": ["llama-3.1-70b"]},
    "llama 70b fp8 1000/1000": {"model": ["llama-3.1-70b"], "precision": ["fp8"], "isl": ["1000"], "osl": ["1000"]},
    "the same on h200": {
        "model": ["llama-3.1-70b"],
        "precision": ["fp8"],
        "isl": ["1000"],
        "osl": ["1000"],
        "accelerator": ["h200-sxm"],
    },
    "release 0.17 on h200": {"model": ["llama-3.1-70b"], "accelerator": ["h200"], "engine_version": ["0.17"]},
    "llama 3.3 70b": {"model": ["llama-3.3-70b"]},
    "llama 405b": {"model": ["llama-3.1-405b"], "precision": ["fp8"]},
    "llama 8b": {"model": ["llama-3.1-8b"]},
    "mixtral": {"model": ["mixtral-8x7b"]},
    "ibm's llama 13b": {"source": ["ibm-llm-pilot"], "model": ["llama-13b"]},
    "ibm's flan-t5-xl": {"source": ["ibm-llm-pilot"], "model": ["flan-t5-xl"]},
    "mlperf llama 2": {"source": ["mlperf"], "model": ["llama-2-70b"]},
    "mlperf offline": {"source": ["mlperf"], "model": ["llama-2-70b"], "scenario": ["offline"]},
    "tensorrt-llm": {"source": ["tensorrt-llm"]},
    "public tpu results": {"source": ["tpu-public"]},
    "qwen3 coder": {"model": ["qwen3-coder-480b-a35b"]},
    "glm-5": {"model": ["glm-5"]},
    "our own sweeps": {"origin": ["own"]},
    "tpu v6e": {"accelerator": ["tpu-v6e"]},
    "sglang on b200": {"engine": ["sglang"], "accelerator": ["b200"]},
    "gemma, every evidence": {"model": ["gemma-4-31b"], "evidence": ["measured", "projected", "unverified"]},
}
"""The selections every question is asked about, by what they are."""

LATER = ("sweep-20261126-124752-9483f1", "sweep-20261126-125112-461b26", "sweep-20261126-125348-f5d1a9")
"""The sources that ship since links.json was written; a link selects them too where it leaves the source open."""

KEPT = ("headline", "findings", "caveats", "view")


def said(library: Library, name: str, where: Mapping[str, list[str]]) -> dict[str, Any]:
    """What a question says of a selection, and the shape of its table; or the sentence of its error."""
    try:
        told = plain(document(question(name).answer(library, View.of(where))))
    except BenchError as problem:
        return {"error": str(problem)}
    found: dict[str, Any] = {key: told[key] for key in KEPT}
    return found | {"rows": len(told["rows"]), "columns": list(told["rows"][0]) if told["rows"] else []}


def every_answer(library: Library, names: Sequence[str] = ()) -> dict[str, dict[str, Any]]:
    """What every question, or each of these, says of each of the VIEWS, by question and view."""
    return {
        name: {about: said(library, name, where) for about, where in VIEWS.items()} for name in names or questions()
    }


def answers() -> dict[str, dict[str, Any]]:
    """What is recorded of them."""
    found: dict[str, dict[str, Any]] = json.loads(ANSWERS.read_text())
    return found


def links() -> list[dict[str, Any]]:
    """The sixty links: page, query, how many points it selects and a digest of their ids."""
    found: list[dict[str, Any]] = json.loads(LINKS.read_text())
    return found
