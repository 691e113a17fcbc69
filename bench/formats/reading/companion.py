"""A file beside a result that tells how it was made: where it is broken the result stands without it, which is told."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from bench.errors import InputError
from bench.formats.reading import document
from bench.formats.reading.fields import Fields
from bench.records import Refusal

if TYPE_CHECKING:
    from pathlib import Path

    from bench.formats.reading.source_file import SourceFile

CompanionValue = TypeVar("CompanionValue")
Row = tuple[str, dict[str, object]]


class Companion(Fields):
    """An object of a file beside a result. A value of the wrong kind is absent, and one of the refusals tells so."""

    def __init__(self, file: str, value: object, path: str = "", *, refusals: list[Refusal]) -> None:
        super().__init__(file, value, path)
        self._refusals = refusals

    def number(self, key: str, *, infinite: bool = False) -> float | None:
        """A finite number; None where it is absent or none."""
        return self._or_none(lambda: super(Companion, self).number(key, infinite=infinite))

    def whole(self, key: str) -> int | None:
        """A whole number; None where it is absent or none."""
        return self._or_none(lambda: super(Companion, self).whole(key))

    def count(self, key: str) -> int | None:
        """How many of something; None where it is absent, 0 or no such number."""
        return self._or_none(lambda: super(Companion, self).count(key))

    def text(self, key: str) -> str | None:
        """A text; None where it is absent or none."""
        return self._or_none(lambda: super(Companion, self).text(key))

    def truth(self, key: str) -> bool | None:
        """True or false; None where it is absent or neither."""
        return self._or_none(lambda: super(Companion, self).truth(key))

    def list(self, key: str) -> Sequence[Any]:
        """The list under this key; an empty one where it is absent or none."""
        return self._or_none(lambda: super(Companion, self).list(key)) or ()

    def fields(self, key: str) -> Fields:
        """The object under this key; an empty one where it is absent or none."""
        if key not in self._opened:
            value = self.raw(key)
            found = self._or_none(lambda: self._inside({} if value is None else value, self.place(key)))
            self._opened[key] = found or self._inside({}, self.place(key))
        return self._opened[key]

    def each(self, key: str) -> Iterator[Fields]:
        """The objects of the list under this key."""
        for place, value in enumerate(self.list(key)):
            found = self._or_none(partial(self._inside, value, f"{self.place(key)}[{place}]"))
            if found is not None:
                self._opened.setdefault(key, found)
                yield found

    def _inside(self, value: object, path: str) -> Companion:
        return Companion(self.file, value, path, refusals=self._refusals)

    def _or_none(self, read: Callable[[], CompanionValue]) -> CompanionValue | None:
        try:
            return read()
        except InputError as problem:
            left_out(self._refusals, self.file, problem)
            return None


def companion(file: SourceFile, name: str, refusals: list[Refusal]) -> Companion:
    """What the companion of this name says; nothing where there is none or it cannot be read, which is then told."""
    path = next((one for one in file.companions if one.name == name), None)
    found = (
        _read(path, lambda one: Companion(name, document.loaded(one), refusals=refusals), refusals) if path else None
    )
    return Companion(name, {}, refusals=refusals) if found is None else found


def companion_rows(
    file: SourceFile, ending: str, rows: Callable[[SourceFile], Iterable[Row]], refusals: list[Refusal]
) -> list[Companion]:
    """The rows of the table beside whose name ends so, as `rows` reads them: where each stands and its cells.

    None where there is no such table or it cannot be read, which is then told.
    """

    def opened(table: SourceFile) -> list[Companion]:
        return [Companion(table.name, cells, where, refusals=refusals) for where, cells in rows(table)]

    path = next((one for one in file.companions if one.name.endswith(ending)), None)
    return (_read(path, opened, refusals) if path else None) or []


def _read(path: Path, load: Callable[[SourceFile], CompanionValue], refusals: list[Refusal]) -> CompanionValue | None:
    from bench.formats.reading.source_file import SourceFile

    try:
        return load(SourceFile(path))
    except InputError as problem:
        left_out(refusals, path.name, problem)
    except OSError as problem:
        left_out(refusals, path.name, InputError(f"{path.name} cannot be read: {problem.strerror or problem}."))
    return None


def left_out(refusals: list[Refusal], name: str, problem: InputError) -> None:
    """Tell in the refusals, once, why the companion of this name or a value of it was left out."""
    told = Refusal(name, f"{str(problem).rstrip('.')}; the result was imported without it.")
    if told not in refusals:
        refusals.append(told)
