"""Files of tools that hold no result to import, each with what it is and what to import instead.

They lie beside results or are another print of them, so people drop them. Known by content, as results are, and looked
for only where no format knows a file. Each is a table of data/not_results.toml; the first that a file is decides.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

from bench.formats.reading import KeyShape, SourceFile
from bench.formats.reading.outline import OutlineKind
from bench.names import DATA


@dataclass(frozen=True)
class NotAResult:
    """A kind of file without a result: the shapes it has, or how its text begins, and what a refusal says of it.

    says: what follows the file's name, and says what to import instead.
    beside: the formats whose results it comes with; where one of those is imported there is nothing to say of it.
    """

    says: str
    beside: tuple[str, ...] = ()
    shapes: tuple[KeyShape, ...] = ()
    begins: re.Pattern[bytes] | None = field(default=None, compare=False)

    def is_this(self, file: SourceFile) -> bool:
        """Whether the file is of this kind."""
        if self.begins is not None and self.begins.match(file.head.removeprefix(b"\xef\xbb\xbf")):
            return True
        return any(shape.fits(file.outline) for shape in self.shapes)


def not_a_result(file: SourceFile) -> NotAResult | None:
    """The kind of file without a result that this is; None where nobody knows it."""
    return next((kind for kind in kinds() if kind.is_this(file)), None)


@cache
def kinds() -> tuple[NotAResult, ...]:
    """Every kind of file without a result, in the order in which they are looked for."""
    tables = tomllib.loads((DATA / "not_results.toml").read_text(encoding="utf-8"))["kind"]
    return tuple(_kind(table) for table in tables)


def _kind(table: Mapping[str, Any]) -> NotAResult:
    begins = re.compile(table["begins"].encode("ascii")) if "begins" in table else None
    shapes = tuple(_shape(*shape.split(": ", 1)) for shape in table.get("shapes", ()))
    return NotAResult(table["says"], tuple(table.get("beside", ())), shapes, begins)


def _shape(files: str, keys: str) -> KeyShape:
    """The shape of `csv: Method|Name|Error`: keys stand between bars or, where none has a blank, between blanks."""
    return KeyShape(
        tuple(keys.split("|" if "|" in keys else None)), tuple(cast(OutlineKind, kind) for kind in files.split(","))
    )
