"""Every spelling of a name leads to one slug, and different things never share one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import names

KINDS = {"accelerator": names.accelerators(), "model": names.models(), "engine": names.engines()}
SLUG_OF = {"accelerator": names.accelerator_slug, "model": names.model_slug, "engine": names.engine_slug}


@pytest.mark.parametrize("kind", KINDS)
def test_slug_and_name_lead_to_the_row(kind):
    for row in KINDS[kind]:
        assert {SLUG_OF[kind](said) for said in (row.slug, row.slug.upper(), row.name)} == {row.slug}
        assert names.display_name(kind, row.slug) == row.name
        assert row.slug in names.matching(kind, row.slug)


def test_siblings_are_never_merged_and_what_is_unknown_keeps_its_own_name():
    siblings = ("Llama-3.1-70B", "Llama-3.3-70B", "meta-llama/Meta-Llama-3-70B", "Llama-3.1-8B")
    assert len({names.model_slug(name) for name in siblings}) == 4
    assert names.accelerator_slug("H100 SXM") != names.accelerator_slug("H100 PCIe")
    assert {"h100-sxm", "h100-pcie"} <= set(names.matching("accelerator", "H100"))
    assert names.accelerator_slug("Abacus 9000") == "abacus-9000" == names.display_name("accelerator", "abacus-9000")
    assert names.accelerator("abacus-9000") is None
    assert names.matching("model", "nobody/some-model") == ("some-model",)


@given(st.text(max_size=60))
def test_any_text_gives_a_slug_that_stays_itself(text):
    for kind, slug_of in SLUG_OF.items():
        slug = slug_of(text)
        assert slug_of(slug) == slug
        assert slug == slug.lower()
        assert names.matching(kind, text)


@pytest.mark.parametrize(
    ("machine", "slug"),
    [
        ("tpu7x-standard-4t", "tpu-v7x"),
        ("tpu7x-standard-1t", "tpu-v7x"),
        ("ct6e-standard-8t", "tpu-v6e"),
        ("ct5lp-hightpu-4t", "tpu-v5e"),
        ("CT5P-hightpu-4t", "tpu-v5p"),
    ],
)
def test_a_machine_type_names_its_accelerator_and_is_no_chip(machine: str, slug: str) -> None:
    assert names.accelerator_slug(machine) == slug
    assert names.is_machine(machine)
    assert not names.is_machine(slug)


@pytest.mark.parametrize(
    ("slug", "known"), [("h100-sxm", True), ("tpu-v6e", True), ("tpu-v7x", False), ("tpu7", False), (None, False)]
)
def test_chips_are_counted_by_devices_only_where_the_chip_is_known(slug: str | None, known: bool) -> None:
    assert names.one_device_a_chip(slug) is known


def test_known_names_are_offered_by_what_people_read_and_an_unknown_one_has_its_consequence_told():
    for kind, rows in KINDS.items():
        assert dict(names.offered(kind)) == {row.slug: row.name for row in rows}
        shown = list(names.offered(kind).values())
        assert shown == sorted(shown, key=str.lower)
        assert names.unknown(kind, rows[0].name) == ""
        assert "own-make-7" in names.unknown(kind, "Own Make 7")
    assert names.offered("precision") == {}
