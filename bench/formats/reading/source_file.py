"""One file on its way in: where its bytes lie, what it begins with, and what belongs to it."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bench.formats.reading.outline import Outline, ends_early, outline_of
from bench.formats.reading.whole_value import outline_of_whole


@dataclass(frozen=True)
class SourceFile:
    """One result file as a format sees it: where its bytes lie, and the files that belong to it.

    whole: its outline is of its first value to the end, lists cut after their first entry, however long that is.
    """

    path: Path
    companions: tuple[Path, ...] = ()
    whole: bool = False

    @property
    def name(self) -> str:
        """The file's own name, without folders."""
        return self.path.name

    @cached_property
    def head(self) -> bytes:
        """The first 64 KiB: enough to recognise a format without reading the file."""
        with self.path.open("rb") as stream:
            return stream.read(65536)

    @cached_property
    def outline(self) -> Outline:
        """What the file begins with, as JSON, YAML or CSV, as far as the first 64 KiB tell, or its first value whole.

        InputError, of its first value, where that is too large or cannot be read.
        """
        return outline_of_whole(self.path) if self.whole else outline_of(self.head)

    @property
    def is_cut_off(self) -> bool:
        """Whether the file is JSON and ends before its first value does, as far as its first 64 KiB tell."""
        whole = self.path.stat().st_size <= len(self.head)
        return whole and self.outline.kind in ("object", "list") and ends_early(self.head)

    @cached_property
    def further(self) -> SourceFile | None:
        """The same file with its first value whole; None where its beginning tells as much.

        Keys that tell a format may stand behind long lists: sorted by name they do.
        """
        more = not self.whole and self.path.stat().st_size > len(self.head)
        return dataclasses.replace(self, whole=True) if more and ends_early(self.head) else None
