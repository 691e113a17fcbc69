"""What a GuideLLM run was asked to send (its `data` is an object, or a text that is JSON, `key=value,…` or a name), and
what it is called.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from bench.formats.reading.outline import Outline
from bench.records import Workload

SYNTHETIC = "synthetic"
LONGEST = 200
MOST_TOKENS = 100_000_000
PAIRS = re.compile(r"\s*[A-Za-z_]\w*\s*=[^=,]*(,\s*[A-Za-z_]\w*\s*=[^=,]*)*,?\s*")


def workload(data: object) -> Workload:
    """The requested lengths and where the prompts come from; a length that is not stated, or several, is absent.

    A shared prefix comes before the prompt, so its tokens are added to the input's. Where turns follow each other the
    later ones hold what was said before, so the length of one turn is nobody's ISL.
    """
    stated = _stated(data)
    if "prompt_tokens" not in stated and "output_tokens" not in stated:
        return Workload(dataset=_named(stated, data))
    isl, osl = _tokens(stated.get("prompt_tokens")), _tokens(stated.get("output_tokens"))
    prefix, turns = _prefix(stated), _tokens(stated.get("turns"))
    several = (turns or 1) > 1
    return Workload(
        isl_requested=None if several or isl is None or prefix is None else isl + prefix,
        osl_requested=None if several else osl,
        dataset=SYNTHETIC,
        shared_prefix_share=prefix / (prefix + isl) if prefix and isl else None,
        turns=turns if several else None,
    )


def _stated(data: object) -> Mapping[str, Any]:
    if isinstance(data, Mapping):
        return data
    text = data.strip() if isinstance(data, str) and len(data) <= 10_000 else ""
    if text.startswith("{"):
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return {}
        return value if isinstance(value, dict) else {}
    if PAIRS.fullmatch(text):
        pairs = (pair.split("=", 1) for pair in text.split(",") if "=" in pair)
        return {key.strip(): value.strip() for key, value in pairs}
    return {}


def _tokens(value: object) -> int | None:
    if isinstance(value, str) and re.fullmatch(r"[0-9]{1,9}", value):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MOST_TOKENS:
        return None
    return value


def _prefix(stated: Mapping[str, Any]) -> int | None:
    """The tokens that all prompts begin with; 0 where none do, None where there are several such beginnings."""
    if stated.get("prefix_buckets"):
        return None
    return _tokens(stated.get("prefix_tokens")) or 0


def _named(stated: Mapping[str, Any], data: object) -> str | None:
    """The data set's name, of a path its last part."""
    name = next((stated[key] for key in ("source", "path", "name", "dataset", "kind") if stated.get(key)), data)
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST or "{" in name or "\0" in name:
        return None
    is_path = name.startswith(("/", ".", "~")) or "\\" in name
    return re.split(r"[/\\]", name.strip().rstrip("/\\"))[-1] if is_path else name.strip()


def run_of(outline: Outline) -> str | None:
    """What GuideLLM calls the run of a report; None where its beginning does not say it."""
    run = outline.at("benchmarks[].config.run_id")
    return run if isinstance(run, str) else None
