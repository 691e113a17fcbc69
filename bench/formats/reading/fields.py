"""The values of a document read by name: each is checked for what it must be, and what nobody read is told."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from bench.errors import InputError

SampleArray = np.ndarray[Any, np.dtype[np.float64]]

LONGEST_TEXT = 4096
"""As in a cell of a published table, so that what comes from one can be read from any other export too."""

MOST_WHOLE = 2**31 - 1
"""No count of chips, requests or tokens of one request comes near it."""


class Fields:
    """One object of a document. Absent, null and NaN are all None; a value of the wrong kind is an InputError.

    `file` and `path` are what an error calls it: `path` is dotted from the root of the document, empty there.
    """

    def __init__(self, file: str, value: object, path: str = "") -> None:
        if not isinstance(value, Mapping):
            raise InputError(f"{path or 'The document'} in {file} is {_shown(value)}; expected an object.")
        self.file, self.path = file, path
        self._value = value
        self._read: set[str] = set()
        self._opened: dict[str, Fields] = {}

    def __contains__(self, key: str) -> bool:
        """Whether the key is there with a value."""
        return self._value.get(key) is not None

    @property
    def where(self) -> str:
        """The place of the object in its file, in words."""
        return self.path or "the document"

    def keys(self) -> tuple[str, ...]:
        """The names of all that is there."""
        return tuple(str(key) for key in self._value)

    def raw(self, key: str) -> Any:
        """The value as it is; the caller checks it."""
        self._read.add(key)
        return self._value.get(key)

    def number(self, key: str, *, infinite: bool = False) -> float | None:
        """A finite number; None where it is absent or NaN, and where it is infinite unless that is asked for."""
        value = self.raw(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self.unfit(key, value, "a number")
        try:
            number = float(value)
        except OverflowError:
            raise self.unfit(key, value, "a number of this world") from None
        if math.isnan(number) or (math.isinf(number) and not infinite):
            return None
        return number

    def whole(self, key: str) -> int | None:
        """A whole number, which may be written 16.0."""
        number = self.number(key)
        if number is None:
            return None
        if number != int(number) or abs(number) > MOST_WHOLE:
            raise self.unfit(key, self._value[key], "a whole number")
        return int(number)

    def count(self, key: str) -> int | None:
        """How many chips, requests at a time or tokens; None where it is absent or 0, as tools write for none."""
        counted = self.whole(key)
        if counted is not None and counted < 0:
            raise self.unfit(key, counted, "a number of at least 0")
        return counted or None

    def text(self, key: str) -> str | None:
        """A text without blanks around it; None where it is empty."""
        value = self.raw(key)
        if value is None:
            return None
        if not isinstance(value, str):
            raise self.unfit(key, value, "a text")
        if len(value) > LONGEST_TEXT:
            raise self.unfit(key, value, f"a text of at most {LONGEST_TEXT:,} characters")
        try:
            value.encode()
        except UnicodeEncodeError:
            raise self.unfit(key, ascii(value), "a text of whole characters") from None
        return value.replace("\0", "").strip() or None

    def truth(self, key: str) -> bool | None:
        """True or false."""
        value = self.raw(key)
        if value is not None and not isinstance(value, bool):
            raise self.unfit(key, value, "true or false")
        return value

    def fields(self, key: str) -> Fields:
        """The object under this key, the same one each time; an empty one where it is absent."""
        if key not in self._opened:
            value = self.raw(key)
            self._opened[key] = Fields(self.file, {} if value is None else value, self.place(key))
        return self._opened[key]

    def list(self, key: str) -> Sequence[Any]:
        """The list under this key; an empty one where it is absent."""
        value = self.raw(key)
        if value is not None and not isinstance(value, list):
            raise self.unfit(key, value, "a list")
        return value or []

    def each(self, key: str) -> Iterator[Fields]:
        """The objects of the list under this key."""
        for place, value in enumerate(self.list(key)):
            found = Fields(self.file, value, f"{self.place(key)}[{place}]")
            if place == 0:
                self._opened[key] = found
            yield found

    def values(self, keys: Iterable[str]) -> dict[str, object]:
        """What is under these keys: texts as `text` gives them, all else as it is."""
        return {key: self.text(key) if isinstance(self.raw(key), str) else self.raw(key) for key in keys}

    def numbers(self, key: str) -> SampleArray | None:
        """The numbers of a list, NaN where it has null; None where the list is absent."""
        value = self.raw(key)
        if value is None:
            return None
        return numbers_of(value, f"{self.place(key)} in {self.file}")

    def passed_over(self, *keys: str) -> None:
        """Note that these are known and say nothing that is kept."""
        self._read.update(keys)

    def not_understood(self) -> tuple[str, ...]:
        """The keys that nobody read here and in the objects opened from here, dotted; indexes left out."""
        here = [
            self.place(str(key)) for key, value in self._value.items() if key not in self._read and value is not None
        ]
        below = [key for one in self._opened.values() for key in one.not_understood()]
        return tuple(dict.fromkeys(_without_index(key) for key in (*here, *below)))

    def place(self, key: str) -> str:
        """Where the value of this key is, dotted from the root."""
        return f"{self.path}.{key}" if self.path else key

    def unfit(self, key: str, value: object, expected: str) -> InputError:
        """The error that names file, key, value and what was expected."""
        return InputError(f"{self.place(key)} in {self.file} is {_shown(value)}; expected {expected}.")


def numbers_of(value: object, where: str) -> SampleArray:
    """The numbers of a list, NaN where it has null; InputError when it is no list of numbers."""
    if not isinstance(value, list):
        raise InputError(f"{where} is {_shown(value)}; expected a list of numbers.")
    if not set(map(type, value)) <= {int, float, type(None)}:
        wrong = next(one for one in value if type(one) not in (int, float, type(None)))
        raise InputError(f"{where} holds {_shown(wrong)}; expected numbers only.")
    try:
        return np.array(value, dtype=np.float64)
    except OverflowError:
        raise InputError(f"{where} holds a number beyond any measurement.") from None


def _shown(value: object) -> str:
    if isinstance(value, list | dict):
        return "a list" if isinstance(value, list) else "an object"
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < 1e15 else "a very large number"
    text = ascii(value)
    return text if len(text) <= 80 else f"{text[:77]}..."


def _without_index(path: str) -> str:
    return path.replace("[0]", "[]")
