"""One View, one frame: filters, notices, what follows from page to page, and what a link says."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from bench.basis import story
from bench.library import Library
from bench.questions import question, questions
from bench.selection import count, described
from bench.view import View
from pages.shared import address, cached
from tests.pages import hostile, selectors
from tests.pages.drawn import Open, headline, query_of, text_of, view_of

OWN = {"model": "qwen3.5-397b-a17b", "accelerator": "mi355x"}
SELECTED = View.of({key: [value] for key, value in OWN.items()})


def test_a_link_is_shown_as_it_is_written_out_with_what_it_selects(opened: Open) -> None:
    at = opened("pareto", v="1", model="qwen3.5-397b-a17b", accelerator="MI355X")
    view = view_of(at, "pareto")
    assert view.whole
    assert view.values("precision") == ()
    assert {option for option, _ in view.options} >= {"x", "y", "group"}
    assert selectors.accelerators(at).value == ["mi355x"]
    said = [part.value.replace("\\", "") for part in at.caption]
    assert described(cached.library(), SELECTED) in said
    assert at.button(key="selected").label.replace("\\", "") == "Qwen3.5 397B-A17B · MI355X"
    assert not at.session_state["selectors_open"]
    assert at.button(key="selected").click().run().session_state["selectors_open"]


def test_a_filter_replaces_the_view_and_is_pushed_to_the_address(opened: Open) -> None:
    at = opened("pareto", v="1", model="qwen3.5-397b-a17b")
    before = headline(at)
    at = selectors.accelerators(at).set_value(["mi355x"]).run()
    assert view_of(at, "pareto").values("accelerator") == ("mi355x",)
    assert View.from_query(query_of(at)) == view_of(at, "pareto")
    assert headline(at) != before


def test_filters_follow_and_options_stay_with_their_page(opened: Open) -> None:
    at = opened("pareto", v="1", **OWN, group="engine")
    at = at.switch_page("heatmap.py")
    at.query_params.clear()
    at = at.run()
    heatmap = view_of(at, "heatmap")
    assert story.own_choice(heatmap).where == view_of(at, "pareto").where == SELECTED.where
    assert "group" not in dict(heatmap.options)
    at = at.switch_page("pareto.py")
    at.query_params.clear()
    at = at.run()
    assert view_of(at, "pareto").option("group") == "engine"


def test_what_a_page_filled_into_a_typed_link_stays(opened: Open) -> None:
    at = opened("scaling", model="gemma-4-31b")
    first = view_of(at, "scaling")
    assert len(first.where) > 1
    assert view_of(at.run(), "scaling") == first
    at = at.switch_page("heatmap.py").run()
    assert view_of(at, "heatmap").values("model") == ("gemma-4-31b",)
    at = at.switch_page("scaling.py").run()
    assert view_of(at, "scaling").where == first.where


def test_the_next_page_tells_the_story_that_it_opens_on(opened: Open) -> None:
    at = opened("pareto")
    told = view_of(at, "pareto")
    heatmap = view_of(at.switch_page("heatmap.py").run(), "heatmap")
    assert heatmap == address.first("heatmap", [], cached.library())
    assert all(heatmap.values(key) == told.values(key) for key in ("model", "precision"))
    assert all(heatmap.values(key) in ((), told.values(key)) for key in ("isl", "osl"))


def test_reset_goes_back_to_the_story(opened: Open) -> None:
    at = opened("pareto", v="1", **OWN, group="engine", slo="tpot_ms_p50<=50", runs="all")
    at = at.button(key="reset").click().run()
    assert view_of(at, "pareto") == address.first("pareto", [], cached.library())
    assert View.from_query(query_of(at)) == view_of(at, "pareto")


def test_a_selection_without_points_offers_the_filter_to_lift(opened: Open) -> None:
    at = opened("pareto", v="1", model="deepseek-r1", accelerator="tpu-v6e")
    assert "No point matches all of these filters" in text_of(at)
    at = at.button(key="lift.accelerator").click().run()
    assert "DeepSeek" in text_of(at)
    assert view_of(at, "pareto").values("accelerator") == ()


WRONG = {
    "isl": "many",
    "date_from": "yesterday",
    "modle": "x",
    "slo_x": "abc",
    "slo": ["ttft_ms_p99<=abc", "ttft_ms_p99<=1e999", "ttft_ms_p99<=-1"],
    "utilisation": "nan",
    "x_scale": "cubic",
    "y": "speed",
}


def test_each_thing_a_link_gets_wrong_is_a_sentence_and_the_rest_is_shown(opened: Open) -> None:
    at = opened("pareto", v="1", model=["qwen3.5-397b-a17b", "no-such-model"], group="engine", **WRONG)
    told = [line.replace("\\", "") for part in at.warning for line in part.value.split("  \n")]
    wrong = [one for values in WRONG.values() for one in (values if isinstance(values, list) else [values])]
    named = ["'modle'", "'slo_x'", *(f"'{value}'" for value in wrong if value not in ("x", "abc")), "no-such-model"]
    assert len(told) == len(wrong) + 1
    assert [name for name in named if not any(name.strip("'") in line for line in told)] == []
    assert not [line for line in told if "python" in line or "`" in line]
    view = view_of(at, "pareto")
    assert view.where == (("model", ("qwen3.5-397b-a17b", "no-such-model")),)
    assert (view.option("group"), view.slo) == ("engine", ())
    assert headline(at)


@pytest.mark.parametrize(
    ("name", "link", "files"),
    [
        ("heatmap", {}, ["retractions"]),
        ("memory", {}, ["retractions"]),
        ("data", {"tab": "changes"}, ["retractions", "audit"]),
    ],
)
def test_damaged_lines_of_a_ledger_are_told_above_what_a_page_shows(
    name: str, link: dict[str, str], files: list[str], opened: Open, own_library: Path
) -> None:
    own_library.mkdir()
    for ledger in ("retractions", "audit"):
        (own_library / f"{ledger}.jsonl").write_text('{"id": "cut off\n')
    told = [part.value.replace("\\", "") for part in opened(name, **link).warning]
    assert [f"Line 1 of {ledger}.jsonl is damaged" for ledger in files] == [one.partition(",")[0] for one in told]


def test_only_the_option_that_is_wrong_is_dropped(opened: Open) -> None:
    cost = "usd_per_million_output_tokens"
    at = opened(
        "pareto", v="1", model="qwen3.5-397b-a17b", y=cost, price_book="no-such-book", utilisation="0.5", slo_y="30"
    )
    told = [part.value.replace("\\", "") for part in at.warning]
    assert len(told) == 1
    assert "'no-such-book'" in told[0]
    view = view_of(at, "pareto")
    assert (view.option("y"), view.option("utilisation"), view.slo) == (cost, "0.5", (f"{cost}<=30",))
    assert view.option("price_book") not in ("", "no-such-book")
    assert [part.value.replace("\\", "") for part in at.run().run().warning] == told


def test_what_of_a_link_gives_way_is_told_until_something_is_chosen(opened: Open) -> None:
    at = opened("heatmap", x="isl", y="isl")
    (told,) = [part.value.replace("\\", "") for part in at.warning]
    asked = question("heatmap").answer(cached.library(), View.of({}, {"x": "isl", "y": "isl"}))
    assert told in asked.caveats
    at = at.button(key="selected").click().run()
    assert [part.value.replace("\\", "") for part in at.warning] == [told]
    at = at.selectbox(key="heatmap.scale").select_index(1).run()
    assert not at.warning


IMPOSSIBLE = ["abc", "-1", "nan", "1e999", "concurrency=1e999", "' OR 1=1 --", "9" * 399]
WITH_OPTIONS = [name for name in sorted(questions()) if question(name).OPTIONS]


@pytest.mark.long
@pytest.mark.parametrize(("first", "name"), list(enumerate(WITH_OPTIONS)))
def test_no_value_of_any_option_takes_the_answer_away(first: int, name: str) -> None:
    turned = IMPOSSIBLE[first:] + IMPOSSIBLE[:first]
    keys = [option.key for option in question(name).OPTIONS]
    library = cached.library()
    view = address.first(name, list(zip(keys, itertools.cycle(turned), strict=False)), library)
    assert cached.answer(name, view).headline


def test_a_link_longer_than_any_of_ours_shows_the_story() -> None:
    library = cached.library()
    long = [("model", "deepseek-r1")] * 300
    assert address.first("pareto", long, library) == address.first("pareto", [], library)


def test_what_another_process_imports_is_there_at_the_next_change(
    opened: Open, own_library: Path, tmp_path: Path
) -> None:
    at = opened("data")
    before = count(Library.open(own_library), View())
    assert f"{before:,} point" in headline(at).replace("\\", "")
    assert not Library.open(own_library).add([hostile.write(tmp_path)]).refused
    at = at.run()
    assert f"{before + len(hostile.POINTS):,} points" in headline(at).replace("\\", "")
