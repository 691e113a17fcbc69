"""Formats recognised by keys: each states the shapes that its files have, and the first that a file has decides."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bench.formats import Recognition
from bench.formats.foreign.outline import Kind, Outline

SPOKEN: dict[Kind, str] = {
    "object": "one object", "list": "a list", "lines": "JSON lines", "yaml": "YAML", "csv": "CSV",
}  # fmt: skip


@dataclass(frozen=True)
class Shape:
    """The keys that the first object of a file has, of a CSV its header, and the kinds of file they come in.

    specificity: the number of keys where it is not stated.
    """

    keys: tuple[str, ...]
    kinds: tuple[Kind, ...] = ("object", "list", "lines", "yaml")
    specificity: int | None = None

    def lacks(self, outline: Outline) -> list[str]:
        """The keys that a file which begins so does not have."""
        if outline.kind == "csv" and "csv" in self.kinds:
            return [key for key in self.keys if key not in outline.value]
        return outline.lacks(*self.keys)

    def fits(self, outline: Outline) -> bool:
        """Whether a file that begins so has this shape."""
        if outline.kind not in self.kinds:
            return False
        if outline.kind == "csv":
            return not self.lacks(outline)
        return all(map(outline.has, self.keys))


def recognised_by(outline: Outline, shapes: Iterable[Shape]) -> Recognition:
    """How surely a file that begins so has one of these shapes, or how near it comes to the nearest of them."""
    missed: list[tuple[Shape, list[str]]] = []
    for shape in shapes:
        lacking = shape.lacks(outline)
        if not lacking and outline.kind in shape.kinds:
            return Recognition(shape.specificity or len(shape.keys), f"it has {', '.join(shape.keys)}")
        missed.append((shape, lacking))
    nearest, lacking = min(missed, key=lambda one: len(one[1]) / len(one[0].keys))
    wanted, there = len(nearest.keys), len(nearest.keys) - len(lacking)
    said = f"lacks {', '.join(lacking)}" if lacking else _of_another_kind(outline, nearest)
    return Recognition(0, f"{there} of {wanted} keys, it {said}", there / wanted)


def _of_another_kind(outline: Outline, shape: Shape) -> str:
    wanted = " or ".join(SPOKEN[kind] for kind in shape.kinds)
    return f"begins as {SPOKEN[outline.kind]}, not as {wanted}"
