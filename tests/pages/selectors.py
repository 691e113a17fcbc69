"""Choosing in the selector row of a drawn page."""

from __future__ import annotations

from typing import Any

from streamlit.testing.v1 import AppTest


def accelerators(at: AppTest) -> Any:
    """The pills of the accelerators."""
    return next(box for box in at.get("button_group") if box.key == "filter.accelerator")


def modelled(at: AppTest, model: str) -> AppTest:
    """The page after a model was chosen."""
    return at.selectbox(key="select.model").set_value(model).run()


def more_filters(at: AppTest) -> AppTest:
    """The page with its further filters open."""
    at.session_state["more_filters"] = True
    return at.run()


def limits(at: AppTest) -> list[str]:
    """The limits that the boxes show, as a link writes them."""
    times = [
        f"{stem}_{at.selectbox(key=f'limit.{stem}.of').value}<={value:g}"
        for stem in ("ttft_ms", "tpot_ms")
        if (value := at.number_input(key=f"limit.{stem}").value) is not None
    ]
    return [*times, *next(box for box in at.multiselect if box.label == "Other limits").value]


def unlimited(at: AppTest) -> AppTest:
    """The page after every limit was taken away."""
    return at.button(key="limits.none").click().run()
