"""Golden values: what each question answers about thirty Views, and what sixty old links selected.

Of an answer `<question>.json` holds its View, a digest of its rows and a line for each statement: kind, values, points.
sentences.txt holds the sentences of a few answers, for people to read. `python -m tests.questions.golden` writes them
anew, with names of questions only theirs; links.json was written once and is never written again.
"""

from __future__ import annotations

import hashlib
import json
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.basis.document import records
from bench.basis.statement import Statement
from bench.cli.output import plain
from bench.errors import BenchError
from bench.library import Library
from bench.questions import Answer, question, questions
from bench.view import View

HERE = Path(__file__).parent
SENTENCES = HERE / "sentences.txt"
DIGITS = 6
"""Significant digits of a golden number: sums of floats differ behind them from machine to machine."""
FEW_POINTS = 3
OF_TODAY = ("price_age_days",)
"""Columns that hold something else tomorrow."""

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

COMPARED = "deepseek fp8 1k/1k"


def read_aloud() -> list[tuple[str, str]]:
    """The answers whose sentences are kept, by question and selection: at most twenty."""
    opening = [(name, "nothing chosen") for name in questions()]
    return opening + [(name, COMPARED) for name in ("heatmap", "pareto", "scaling", "crossover", "cost")]


def answer(library: Library, name: str, about: str) -> Answer[Any] | str:
    """A question's answer about one of VIEWS, or the sentence of its error."""
    try:
        return question(name).answer(library, View.of(VIEWS[about]))
    except BenchError as problem:
        return str(problem)


def values(answered: Answer[Any] | str) -> list[list[Any]]:
    """The lines of golden values: the View and the rows, then each statement; or the error."""
    if isinstance(answered, str):
        return [["error", answered]]
    rows = rounded(plain(records(answered.rows.drop(columns=list(OF_TODAY), errors="ignore"))))
    first = ["answer", answered.view.query(), len(rows), digest(json.dumps(rows, sort_keys=True))]
    return [first, *(statement(one) for one in answered.statements)]


def statement(one: Statement) -> list[Any]:
    """A statement's role, kind, values and points; of more than a few points their number and a digest of their ids."""
    ids = one.point_ids
    points = list(ids) if len(ids) <= FEW_POINTS else [len(ids), digest(" ".join(ids))]
    return [one.role, one.kind, rounded(plain(dict(one.values))), points]


def rounded(value: Any) -> Any:
    """The value with every float in it at DIGITS significant digits."""
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}")
    if isinstance(value, Mapping):
        return {str(key): rounded(entry) for key, entry in value.items()}
    return [rounded(entry) for entry in value] if isinstance(value, list | tuple) else value


def digest(text: str) -> str:
    """Sixteen hexadecimal digits that stand for a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def file(name: str) -> Path:
    """The file of a question's golden values."""
    return HERE / f"{name}.json"


def kept(name: str) -> dict[str, list[list[Any]]]:
    """A question's golden values by View."""
    lines: dict[str, list[list[Any]]] = json.loads(file(name).read_text())
    return lines


def write(library: Library, names: Sequence[str]) -> None:
    """Write the golden values of these questions, and the sentences of all."""
    for name in names:
        blocks = []
        for about in VIEWS:
            lines = ",\n".join(
                f"  {json.dumps(line, ensure_ascii=False)}" for line in values(answer(library, name, about))
            )
            blocks.append(f" {json.dumps(about)}: [\n{lines}\n ]")
        file(name).write_text("{\n" + ",\n".join(blocks) + "\n}\n")
    SENTENCES.write_text("\n".join(paragraph(library, name, about) for name, about in read_aloud()))


def paragraph(library: Library, name: str, about: str) -> str:
    """The sentences of an answer, as a paragraph of text."""
    answered = answer(library, name, about)
    sentences = [answered] if isinstance(answered, str) else [one.text for one in answered.statements]
    lines = [textwrap.fill(one, 116, initial_indent="- ", subsequent_indent="  ") for one in sentences]
    return "\n".join([f"{name}, {about}", *lines, ""])


def links() -> list[dict[str, Any]]:
    """The sixty links: page, query, how many points it selects and a digest of their ids."""
    kept_links: list[dict[str, Any]] = json.loads((HERE / "links.json").read_text())
    return kept_links
