"""Formats recognised by keys: each states the shapes that its files have, and the first that a file has decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from bench.formats.reading.outline import Outline, OutlineKind
from bench.formats.reading.source_file import SourceFile
from bench.formats.recognition import Recognition

SPOKEN: dict[OutlineKind, str] = {
    "object": "one object",
    "list": "a list",
    "lines": "JSON lines",
    "yaml": "YAML",
    "csv": "CSV",
}


@dataclass(frozen=True)
class KeyShape:
    """The keys that the first object of a file has, of a CSV its header, and the kinds of file they come in.

    specificity: the number of keys where it is not stated.
    """

    keys: tuple[str, ...]
    kinds: tuple[OutlineKind, ...] = ("object", "list", "lines", "yaml")
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


def by_keys(*shapes: KeyShape) -> Callable[[SourceFile], Recognition]:
    """What says of a file how surely it has one of these shapes, or how near it comes to the nearest of them."""
    return lambda file: _recognised(file.outline, shapes)


def _recognised(outline: Outline, shapes: Iterable[KeyShape]) -> Recognition:
    missed: list[tuple[KeyShape, list[str]]] = []
    for shape in shapes:
        lacking = shape.lacks(outline)
        if not lacking and outline.kind in shape.kinds:
            return Recognition(shape.specificity or len(shape.keys), f"it has {', '.join(shape.keys)}")
        missed.append((shape, lacking))
    nearest, lacking = min(missed, key=lambda one: len(one[1]) / len(one[0].keys))
    wanted, there = len(nearest.keys), len(nearest.keys) - len(lacking)
    said = f"lacks {', '.join(lacking)}" if lacking else _of_another_kind(outline, nearest)
    return Recognition(0, f"{there} of {wanted} keys, it {said}", there / wanted)


def _of_another_kind(outline: Outline, shape: KeyShape) -> str:
    wanted = " or ".join(SPOKEN[kind] for kind in shape.kinds)
    return f"begins as {SPOKEN[outline.kind]}, not as {wanted}"
