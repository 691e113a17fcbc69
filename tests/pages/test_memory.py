"""The Memory page: models that nobody measured, under the name they were dropped in with, and heatmaps."""

from __future__ import annotations

from pathlib import Path

from bench.library import Library
from tests.pages.drawn import Open, headline, text_of, view_of

GRANITE = Path(__file__).parents[1] / "library" / "model_configs" / "files" / "granite-4.0-h-small.json"


def test_a_dropped_model_stands_there_by_its_name_and_without_a_warning(opened: Open, own_library: Path) -> None:
    Library.open(own_library).add([GRANITE], {"model": "ibm-granite/Granite-4.0-H-Small"})
    at = opened("memory", v="1", model="granite-4.0-h-small", weights="bf16", accelerator="h100-sxm")
    assert "Granite-4.0-H-Small · BF16" in text_of(at).replace("\\", "")
    assert headline(at).startswith("It takes one H100 SXM, which holds")
    assert not at.warning
    boxes = {box.label: box for box in at.selectbox}
    assert [boxes[label].format_func(boxes[label].value) for label in ("Model", "Any model")] == [
        "Granite-4.0-H-Small (0)",  # with the points that there are
        "Granite-4.0-H-Small",
    ]


def test_the_box_of_a_heatmap_says_which_accelerator_it_is_of(opened: Open) -> None:
    at = opened("memory", model="deepseek-r1", chart="longest")
    shown = at.selectbox(key="memory.on").value
    assert shown == view_of(at, "memory").option("on") != ""
    assert {"fewest_bf16", "fewest_fp8", "fewest_fp4"} == {*[*at.dataframe[0].value][5:8]}
    at = at.selectbox(key="memory.on").select("h200-sxm").run()
    assert at.selectbox(key="memory.on").value == "h200-sxm" != shown
