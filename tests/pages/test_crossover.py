"""The Crossover page: a pair is chosen and left again, and the slider prices a chip of A."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from tests.pages.drawn import Open, headline, plain, text_of, view_of

PAIR = {"a": "accelerator=tpu-v6e", "b": "variant=column B, server defaults"}


def pair(opened: Open, **options: str) -> AppTest:
    asked = {"model": "gemma-4-31b", "along": "batch", "metric": "output_tokens_per_s"}
    return opened("crossover", v="1", **asked, **PAIR, **options)


def cell(at: AppTest, held: str, place: int) -> str:
    """A cell of the table of verdicts; the first after what is held equal is 1."""
    table = next(part.value for part in at.markdown if part.value.startswith("| |"))
    line = next(line for line in table.splitlines() if line.startswith(f"| {held} |"))
    return plain(line.split(" | ")[place].strip(" |"))


def test_a_pair_is_told_under_every_normalisation_with_the_charted_one_in_bold(opened: Open) -> None:
    at = pair(opened)
    assert "at batch 127.6, interpolated" in headline(at).replace("\\", "")
    assert cell(at, "Same batch", 1).replace("\\", "") == "**4 x TPU v6e INT8 from 127.6**"
    assert "H100 SXM FP8 is 1.16 to 4.90 times as fast" in cell(at, "Same batch", 3).replace("\\", "")
    assert "not known" in cell(at, "Same batch", 4)


def test_the_slider_prices_a_chip_of_a(opened: Open) -> None:
    at = pair(opened)
    (slider,) = at.slider
    assert slider.value == 2.97
    at = slider.set_value(2.4).run()
    assert not at.exception
    assert view_of(at, "crossover").option("price_a") == "2.4"
    assert "TPU v6e INT8 from" in cell(at, "Same batch", 3)


def test_at_the_prices_printed_with_the_points_the_slider_stands_at_the_articles(opened: Open) -> None:
    (slider,) = pair(opened, price_terms="with_points").slider
    assert slider.value == 1.3
    assert "breaks even at 1.255" in plain(slider.label).replace("\\", "")


def test_all_pairs_are_one_step_back(opened: Open) -> None:
    at = pair(opened).button(key="crossover.all").click().run()
    assert not at.exception
    assert view_of(at, "crossover").option("a") == ""
    assert "in 2 of 4 pairs" in headline(at)
    assert "Click a strip" in text_of(at)


def test_another_pair_has_no_price_of_the_last_one(opened: Open) -> None:
    at = pair(opened)
    at = at.slider[0].set_value(2.4).run().button(key="crossover.all").click().run()
    assert not at.exception
    assert view_of(at, "crossover").option("price_a") == ""


def test_what_the_sides_are_unlike_in_stands_on_its_own_line(opened: Open) -> None:
    at = pair(opened)
    unlike = [part.value for part in at.markdown if "differ" in part.value or "Unlike" in part.value]
    print([p.value for p in at.markdown])
    assert unlike
