"""Price terms in the words of people."""

from __future__ import annotations

from pathlib import Path

from bench.library import Library
from bench.pricing import terms_in_words


def test_terms_read_as_people_write_them() -> None:
    assert terms_in_words("modelled:neocloud") == "modelled, neocloud"
    assert terms_in_words("on_demand") == "on demand"


def test_every_shipped_term_keeps_a_wording_of_its_own(tmp_path: Path) -> None:
    terms = [row[0] for row in Library.open(tmp_path / "own").fetch("SELECT DISTINCT terms FROM prices")]
    words = [terms_in_words(one) for one in terms]
    assert len(set(words)) == len(terms) > 4
    assert not [one for one in words if "_" in one or ":" in one]
