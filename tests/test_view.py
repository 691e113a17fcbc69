"""A link is a View written out whole, and reading it back gives the same View."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.errors import UnknownName, UsageError
from bench.view import FILTERS, MAX_LENGTH, MAX_VALUES, View, unlike_ours

filter_values = st.lists(st.text(min_size=1, max_size=40).map(str.strip).filter(bool), min_size=1, max_size=4)
wheres = st.dictionaries(st.sampled_from([row.key for row in FILTERS]), filter_values, max_size=5)
option_keys = st.text(string.ascii_lowercase, min_size=2, max_size=12).filter(
    lambda key: key not in {row.key for row in FILTERS}
)
options = st.dictionaries(option_keys, st.text(min_size=1, max_size=40).filter(lambda text: text.strip()), max_size=5)


@given(wheres, options, st.booleans())
def test_a_view_survives_its_query_string(where, chosen, whole):
    view = View.of(where, chosen, whole=whole)
    assert View.from_query(view.query()) == view
    assert View.from_query("?" + view.query()).query() == view.query()
    assert View.of(dict(reversed(where.items())), chosen, whole=whole) == view


def test_repeated_keys_are_alternatives_and_unknown_keys_are_options():
    view = View.from_query("model=llama-3.1-70b&accelerator=h100&accelerator=h200&metric=ttft_ms_p50&utm=x")
    assert view.values("accelerator") == ("h100", "h200")
    assert view.option("metric") == "ttft_ms_p50"
    assert view.option("nothing", "absent") == "absent"
    assert not view.whole


def test_replacing_and_lifting_a_filter():
    view = View.of({"model": ["a"], "isl": [1024]}, {"x": "isl"})
    assert view.with_where(isl=None) == View.of({"model": ["a"]}, {"x": "isl"})
    assert view.with_where(isl=[2048, 4096]).values("isl") == ("2048", "4096")
    assert view.with_options(x=None, y="osl") == View.of({"model": ["a"], "isl": [1024]}, {"y": "osl"})


def test_a_filter_that_does_not_exist_is_named_with_the_nearest():
    with pytest.raises(UnknownName, match=r"acelerator.*did you mean accelerator"):
        View.of({"acelerator": ["h100"]})


@pytest.mark.parametrize("mark", ["3", "99", "10"])
def test_a_newer_link_is_whole_and_told(mark):
    assert View.from_query(f"v={mark}&model=a") == View.from_query("v=1&model=a")
    assert mark in unlike_ours(mark)
    assert "newer" in unlike_ours(mark)


@pytest.mark.parametrize("mark", ["0", "-1", "abc", "1.0", "01", "٣", "9" * 300])
def test_what_is_no_version_leaves_the_link_open_and_is_told(mark):
    assert not View.from_query(f"v={mark}&model=a").whole
    assert "is not the version of a link" in unlike_ours(mark)
    assert len(unlike_ours(mark)) < 120
    assert unlike_ours("1") == unlike_ours("2") == ""


@pytest.mark.parametrize(
    "query",
    ["model=" + "x" * (MAX_LENGTH + 1), "&".join(f"isl={i}" for i in range(MAX_VALUES + 1))],
    ids=["a long value", "many values"],
)
def test_a_link_larger_than_any_page_writes_is_refused(query):
    with pytest.raises(UsageError, match="more than a link of ours"):
        View.from_query(query)


@given(st.text(max_size=200))
def test_any_short_query_string_gives_a_view(query):
    view = View.from_query(query)
    assert View.from_query(view.query()) == view


def test_limits_are_part_of_a_view_and_of_its_link_whatever_their_order_and_blanks():
    view = View.of({"model": ["a"]}, slo=["ttft_ms_p99 <= 2000", "tpot_ms_p50<=50", "tpot_ms_p50<=50"])
    assert view.slo == ("tpot_ms_p50<=50", "ttft_ms_p99<=2000")
    assert View.from_query(view.query()) == view
    assert "slo=tpot_ms_p50%3C%3D50" in view.query()
    assert view.with_slo(()).slo == ()
