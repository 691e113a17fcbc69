"""A View's filters as SQL, what the filters offer, and the selection in words; asked of the shipped library."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench import selection
from bench.errors import UsageError
from bench.library import Library
from bench.view import FILTERS, View
from tests.thorough import some


def selected(library: Library, **where: object) -> int:
    return selection.count(library, View.of({key: [value] for key, value in where.items()}))


def test_a_name_matches_by_slug_alias_and_family(shipped: Library) -> None:
    by_slug = selected(shipped, accelerator="h200-sxm")
    assert by_slug > 0
    assert selected(shipped, accelerator="H200 SXM") == by_slug
    assert selected(shipped, accelerator="h200") == by_slug + selected(shipped, accelerator="h200-nvl")
    llama = selected(shipped, model="llama-3.1-70b")
    assert selected(shipped, model="meta-llama/Llama-3.1-70B") == llama
    both = selection.count(shipped, View.of({"model": ["llama-3.1-70b", "llama-3.3-70b"]}))
    assert both == llama + selected(shipped, model="llama-3.3-70b")


def test_dates_bound_a_selection_on_both_sides(shipped: Library) -> None:
    inside = selected(shipped, source="inferencex", date_from="2026-01-01", date_to="2026-03-31")
    before = selected(shipped, source="inferencex", date_to="2025-12-31")
    after = selected(shipped, source="inferencex", date_from="2026-04-01")
    assert inside + before + after == 1667


@pytest.mark.parametrize("where", [{"isl": "many"}, {"date_from": "spring"}, {"date_to": "2026-13-01"}], ids=str)
def test_a_value_that_cannot_be_one_is_refused_with_an_example(shipped: Library, where: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="write it as in"):
        selected(shipped, **where)


def test_hostile_values_are_bound_and_find_nothing(shipped: Library) -> None:
    for value in ("' OR 1=1 --", "x'); DROP TABLE points; --", '"', "%", "\x00"):
        assert selected(shipped, variant=value) == 0
        assert selected(shipped, model=value) == 0


@pytest.mark.parametrize("key", some([row.key for row in FILTERS], 8))
def test_each_offer_leaves_as_many_points_as_it_says(shipped: Library, key: str) -> None:
    view = View.of({"source": ["inferencex", "mlperf"]})
    offers = selection.offers(shipped, view, key)
    if key == "concurrency":
        assert [offer.value for offer in offers] == sorted((offer.value for offer in offers), key=float)
    for offer in offers[:6]:
        assert selection.count(shipped, view.with_where(**{key: [offer.value]})) == offer.points
    for offer in offers[:1]:
        assert selection.offers(shipped, view.with_where(**{key: [offer.value]}), key) == offers


def test_what_is_not_loaded_is_said_by_name(shipped: Library) -> None:
    view = View.of({"model": ["deepseek-r1", "gpt-9"], "accelerator": ["abacus"]})
    model, accelerator = selection.not_loaded(shipped, view)
    assert "model gpt-9" in model
    assert "accelerator abacus" in accelerator


def test_few_names_are_named_and_many_are_counted(shipped: Library) -> None:
    words = selection.described(shipped, View.of({"model": ["llama-3.1-70b"], "accelerator": ["h200", "h100-sxm"]}))
    assert words.startswith("Llama 3.1 70B, H100 SXM and H200 SXM, ")
    assert " models, " in selection.described(shipped, View())
    assert selection.described(shipped, View.of({"model": ["gpt-9"]})) == "Nothing is selected"


def test_a_library_with_nothing_selects_nothing(tmp_path: Path) -> None:
    empty = Library.open(tmp_path / "own", shipped=False)
    assert selection.count(empty, View()) == 0
    assert selection.described(empty, View()) == "Nothing is selected"
    assert all(not selection.offers(empty, View(), row.key) for row in FILTERS)


def test_a_number_of_many_digits_is_offered_as_it_can_be_asked_for(tmp_path: Path) -> None:
    rates = ("3.3333333333", "1234567.25", "0.00001", "16", "2097152")
    table = tmp_path / "rates.csv"
    rows = [f"llama-3.1-8b,{rate},open,measured,made,100" for rate in rates]
    table.write_text("\n".join(["model,request_rate,load_kind,evidence,source,output_tokens_per_s", *rows]))
    library = Library.open(tmp_path / "own", shipped=False)
    assert not library.add([table]).refused
    offers = selection.offers(library, View(), "request_rate")
    assert [float(offer.value) for offer in offers] == sorted(float(rate) for rate in rates)
    assert all(selected(library, request_rate=offer.value) == 1 for offer in offers)
