"""Values read by name: what is absent is None, what is of the wrong kind is refused by its place, the rest is told."""

from __future__ import annotations

import contextlib
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import InputError
from bench.formats.reading.fields import Fields

ANY = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.lists(st.integers(), max_size=2)
)


@given(ANY)
def test_a_value_is_what_is_asked_for_or_absent_or_refused(value: object) -> None:
    fields = Fields("f.json", {"a": value})
    for read, kinds in [
        (fields.number, (int, float)),
        (fields.whole, int),
        (fields.count, int),
        (fields.text, str),
        (fields.truth, bool),
    ]:
        with contextlib.suppress(InputError):
            found = read("a")
            assert found is None or isinstance(found, kinds)
            assert read != fields.count or found is None or found >= 1


def test_absent_null_nan_and_infinity_are_none() -> None:
    fields = Fields("f.json", {"a": None, "b": math.nan, "c": math.inf})
    assert [fields.number(key) for key in "abcd"] == [None] * 4
    assert fields.number("c", infinite=True) == math.inf


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("12.5", "config.load.a in f.json is '12.5'"),
        (True, "config.load.a in f.json is True"),
        ([1], "config.load.a in f.json is a list"),
        (10**400, "config.load.a in f.json is a very large number"),
    ],
)
def test_a_wrong_value_is_told_with_its_place(value: object, said: str) -> None:
    load = Fields("f.json", {"config": {"load": {"a": value}}}).fields("config").fields("load")
    with pytest.raises(InputError, match=said):
        load.number("a")


def test_what_nobody_read_is_told_once_with_its_place() -> None:
    fields = Fields("f.json", {"a": 1, "b": {"c": 1, "d": 2}, "e": [{"f": 1, "g": 2}, {"f": 1}], "h": None, "i": 1})
    fields.number("a")
    fields.fields("b").number("c")
    for one in fields.each("e"):
        one.number("f")
    fields.passed_over("i")
    assert fields.not_understood() == ("b.d", "e[].g")


def test_values_of_any_kind_are_taken_as_they_are_and_texts_checked() -> None:
    fields = Fields("f.json", {"a": " x\0 ", "b": [1], "c": None, "d": "y" * 4097, "e": True})
    assert fields.values(["a", "b", "c", "e"]) == {"a": "x", "b": [1], "c": None, "e": True}
    assert fields.not_understood() == ("d",)
    with pytest.raises(InputError, match="a text of at most 4,096 characters"):
        fields.values(["d"])


def test_lists_of_numbers() -> None:
    fields = Fields("f.json", {"a": [1, 2.5, None], "b": [1, "2"], "c": [1, True], "d": {}, "e": [10**400]})
    found = fields.numbers("a")
    assert found is not None
    np.testing.assert_array_equal(found, [1, 2.5, math.nan])
    assert fields.numbers("x") is None
    for key in "bcde":
        with pytest.raises(InputError, match=f"^{key} in f.json"):
            fields.numbers(key)


def test_what_is_no_object_is_refused() -> None:
    with pytest.raises(InputError, match=r"The document in f\.json is a list; expected an object"):
        Fields("f.json", [])
    with pytest.raises(InputError, match=r"a in f\.json is 1; expected an object"):
        Fields("f.json", {"a": 1}).fields("a")
