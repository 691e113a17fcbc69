"""What the sides of a pair and their deployments are called: "4 x TPU v6e", "column B, server defaults"."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from bench.basis import likeness
from bench.basis.likeness import fact_words, filter_words
from bench.basis.points import PointFacts
from bench.chart import value_label
from bench.questions.crossover.options import written
from bench.questions.crossover.result import Side
from bench.view import View
from bench.wording import counted, joined

UNNAMED = ("accelerator", "accelerators", "model", "series", "load_kind")
OF_SERIES = ("precision", "engine", "variant", "speculation")
"""What is told of a side that is chosen by its series, whose ids say nothing."""

SAID = ("precision", "engine", "speculation", "disaggregated")
"""What a side's words say where the other side is unlike in it throughout."""


def side(own: View, points: Collection[PointFacts]) -> Side:
    """A side with these filters in words, by what was measured of it: "4 x TPU v6e", "column B, server defaults".

    The hardware is "" where its filters leave more than two accelerators.
    """
    kinds = sorted({one.accelerator for one in points if one.accelerator})
    chips = sorted(filter_words("accelerator", one) for one in kinds or own.values("accelerator"))
    counts = tuple(sorted({one.accelerators for one in points if one.accelerators}))
    stated = own.values("accelerators")
    count = stated[0] if len(stated) == 1 else str(counts[0]) if len(counts) == 1 else "1"
    hardware = f"{'' if count == '1' else f'{count} x '}{chips[0]}" if len(chips) == 1 else ""
    hardware = " and ".join(chips) if len(chips) == 2 else hardware
    told = [(key, values) for key, values in own.where if key not in UNNAMED]
    parts = [joined([filter_words(key, value) for value in values], last="or") for key, values in told]
    for key in OF_SERIES if own.values("series") else ():
        found = {getattr(one, key) for one in points} - {None}
        parts += [fact_words(key, found.pop())] if len(found) == 1 else []
    only = kinds[0] if len(kinds) == 1 else None
    return Side(hardware, tuple(dict.fromkeys(parts)), written(own), only, counts, points=tuple(points))


def told_apart(a: Side, b: Side, knots: Sequence[tuple[PointFacts, PointFacts]]) -> tuple[Side, Side]:
    """Both sides with what they differ in at every compared knot in their words: "H200 SXM FP8", "A100 SXM FP16"."""
    counts = [{facts.accelerators for facts in side} for side in zip(*knots, strict=True)]
    if len(counts) == 2 and all(len(own) == 1 for own in counts) and counts[0] != counts[1]:
        a, b = _on_chips(a, counts[0].pop()), _on_chips(b, counts[1].pop())
    for one in likeness.everywhere(knots, SAID):
        if len(one.a) == len(one.b) == 1:
            a, b = _saying(a, one.fact.key, one.a[0]), _saying(b, one.fact.key, one.b[0])
    return a, b


def names(a: Side, b: Side) -> Mapping[str, str]:
    """What both are called: by the hardware where that tells them apart, else by what each alone has, else in full."""
    hardware = [side.name or side.hardware for side in (a, b)]
    if all(hardware) and hardware[0] != hardware[1]:
        return {"a": hardware[0], "b": hardware[1]}
    own = [part for part in a.parts if part not in b.parts], [part for part in b.parts if part not in a.parts]
    if a.name or not all((a.hardware, *own)) or a.hardware != b.hardware:
        return {"a": a.label, "b": b.label}
    return {"a": ", ".join(own[0]), "b": ", ".join(own[1])}


def member(facts: PointFacts) -> tuple[str, ...]:
    """What a deployment is: chips, layout, engine, speculation, variant and date."""
    words = [counted(facts.accelerators, "chip")] if facts.accelerators else []
    words += [f"{key} {getattr(facts, key)}" for key in likeness.LAYOUT if (getattr(facts, key) or 0) > 1]
    if facts.engine:
        words.append(" ".join(filter(None, (value_label("engine", facts.engine), facts.engine_version))))
    if facts.speculation and facts.speculation != "none":
        words.append(fact_words("speculation", facts.speculation))
    words += ["disaggregated"] if facts.disaggregated else []
    words += [facts.variant] if facts.variant else []
    return (*words, *([facts.date.isoformat()] if facts.date else []))


def _on_chips(side: Side, chips: int | None) -> Side:
    """The side with how many chips it ran on in its words, where its own filters do not say."""
    if chips in (None, 1) or side.accelerator is None or side.hardware != filter_words("accelerator", side.accelerator):
        return side
    return replace(side, hardware=f"{chips} x {side.hardware}")


def _saying(side: Side, key: str, word: str) -> Side:
    if word in side.parts:
        return side
    if key == "precision" and side.hardware:
        return replace(side, hardware=f"{side.hardware} {word}")
    return replace(side, parts=(word, *side.parts))
