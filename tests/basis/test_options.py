"""A number is read with and without separators between its thousands."""

from __future__ import annotations

import pytest

from bench.basis.options import Option, plain, separated
from bench.errors import UsageError
from bench.library import Library
from bench.questions import options, question, questions
from bench.view import View

VOLUME = Option("volume", "Tokens a day", "number", "How many.")


@pytest.mark.parametrize(
    ("held", "read"),
    [
        ("100000000", "100,000,000"),
        ("9216", "9,216"),
        ("1234.5", "1,234.5"),
        ("0.5", "0.5"),
        ("", ""),
        ("1e9", "1e9"),
        ("٣", "٣"),
    ],
)
def test_a_number_is_shown_with_separators_and_held_without(held, read):
    assert separated(held) == read
    assert plain(read) == held


@pytest.mark.parametrize("text", ["100000000", "100,000,000"])
def test_a_number_is_meant_either_way(text):
    assert VOLUME.number(View().with_options(volume=text)) == 1e8


@pytest.mark.parametrize("text", ["1,0", "10,00", ",100", "1000,000", "1,000,"])
def test_what_is_no_number_with_separators_is_refused(text):
    with pytest.raises(UsageError, match="is not a number"):
        VOLUME.number(View().with_options(volume=text))


@pytest.mark.parametrize("name", list(questions()))
def test_the_default_that_an_option_names_holds_where_nothing_is_chosen(name: str, shipped: Library) -> None:
    written = dict(question(name).answer(shipped, View()).view.options)
    named = {row.key: row.default for row in options(name) if row.default}
    assert named.keys() >= {"runs", "flagged", "price_terms"}
    assert {key: written[key] for key in named if key in written} == {
        key: named[key] for key in named if key in written
    }
    assert [row.key for row in options(name) if row.default and row.values and row.default not in row.values] == []
