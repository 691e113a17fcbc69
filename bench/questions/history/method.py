"""In what two runs were measured unlike: a change of these is no change of speed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from bench import catalogue
from bench.library import Library
from bench.questions.history.result import Measurement, MethodChange
from bench.wording import joined

WORDS = {
    "source": "source",
    "harness": "harness",
    "harness_version": "harness version",
    "variant": "variant",
    "evidence": "evidence",
    "image": "image",
    "window": "window",
    "token_source": "token count",
    "requests": "requests counted",
    "doubt": "method in doubt",
}
"""What each kind of change is called."""

RELEASE = re.compile(r"\d+(?:\.[0-9a-z]+)+")
"""The release in the name of an image: 0.5.9 of "0.5.9-rocm700-mi30x"."""

MANY_MORE = 1.5
"""A run that counts so many times as many requests, or as few, was measured otherwise."""

Passports = Mapping[str, Mapping[str, str | None]]
"""By source id, the window and the token source of a metric."""


def named(changes: Iterable[MethodChange]) -> str:
    """In what something was measured unlike: "harness and window"."""
    return joined([WORDS[one.kind] for one in changes], at_most=4)


def passports(library: Library, metric: str) -> Passports:
    """How each source came by a metric."""
    row = catalogue.metric(metric)
    keys = [metric, *row.inputs]
    rows = library.fetch(
        'SELECT source_id, any_value("window"), any_value(token_source) FROM passports'
        f" WHERE metric IN ({', '.join('?' for _ in keys)}) GROUP BY source_id",
        tuple(keys),
    )
    return {source: {"window": window, "token_source": tokens} for source, window, tokens in rows}


def changes(before: Measurement, after: Measurement, known: Passports) -> tuple[MethodChange, ...]:
    """In what two measurements were made unlike; what one alone states is unlike too, but for counts and windows."""
    return tuple(_changes(before, after, known))


def _changes(before: Measurement, after: Measurement, known: Passports) -> Iterator[MethodChange]:
    for kind in ("source", "harness", "variant", "evidence"):
        one, other = getattr(before.facts, kind), getattr(after.facts, kind)
        if one != other:
            yield MethodChange(kind, one or "not stated", other or "not stated")
    if before.harness_version != after.harness_version:
        yield MethodChange(
            "harness_version", before.harness_version or "not stated", after.harness_version or "not stated"
        )
    if image := _image(before.facts.engine_version, after.facts.engine_version):
        yield image
    for kind in ("window", "token_source"):
        one, other = (known.get(point.facts.source_id or "", {}).get(kind) for point in (before, after))
        if one and other and one != other:
            yield MethodChange(kind, one, other)
    if before.requests and after.requests and not 1 / MANY_MORE < after.requests / before.requests < MANY_MORE:
        yield MethodChange("requests", f"{before.requests:,.0f}", f"{after.requests:,.0f}")
    if before.doubts or after.doubts:
        yield MethodChange("doubt", "; ".join(before.doubts), "; ".join(after.doubts))


def _image(before: str | None, after: str | None) -> MethodChange | None:
    """That one release of an engine came in two images."""
    if not before or not after or before == after:
        return None
    one, other = (found.group() if (found := RELEASE.search(text)) else None for text in (before, after))
    return MethodChange("image", before, after) if one is not None and one == other else None
