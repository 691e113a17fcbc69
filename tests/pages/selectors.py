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


def limited(at: AppTest, ttft: float | None = None, tpot: float | None = None) -> AppTest:
    """The page after limits on the medians of TTFT and TPOT were chosen."""
    for key, value in (("ttft_ms", ttft), ("tpot_ms", tpot)):
        at = at.number_input(key=f"limit.{key}").set_value(value).run()
    return at
