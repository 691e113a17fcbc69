"""Texts that stand on a chart: where each stands, and which of several is shown on a page of what width."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import Any

PlotPlace = tuple[float, float]
"""A place on the plot as shares of its axes."""

FROM_PX = (0, 1100, 1400)
"""The widths of a page from which on each of the texts is shown; pages/server/look.css has them too."""

ON_PHONES_TOO = (0, 700, *FROM_PX[1:])
"""The same with a width more, below which a page is a phone's."""

HIDDEN_BELOW_PX = (700, 1100, 1400)
"""The widths of a page below which a text can be left out; pages/server/look.css has them too."""


def text_at(
    text: str,
    x: float,
    y: float,
    refs: str = "x y",
    corner: str = "left bottom",
    *,
    shift: tuple[float, float] = (0, 0),
    size: float = 12,
    colour: str | None = None,
    **more: Any,
) -> dict[str, Any]:
    """A text of plotly's markup with one of its corners at this place, moved by so many pixels across and up.

    refs: what x and y count in, `paper` or an axis each.
    """
    (xref, yref), (xanchor, yanchor) = refs.split("/") if "/" in refs else refs.split(), corner.split()
    font = {"size": size} | ({"color": colour} if colour else {})
    place = {"x": x, "y": y, "xref": xref, "yref": yref, "xanchor": xanchor, "yanchor": yanchor}
    return {"text": text, **place, "xshift": shift[0], "yshift": shift[1], "showarrow": False, "font": font, **more}


def from_width(text: str, page: int) -> str:
    """A text in plotly's pseudo-HTML that the browser leaves out on pages narrower than one of HIDDEN_BELOW_PX."""
    return f"<span style='--below:{page}'>{text}</span>"


def between_widths(text: str, start: int, end: int) -> str:
    """A text in plotly's pseudo-HTML that is shown on pages from the one width on and below the other alone."""
    return by_width(("", text, ""), (0, start, end))


def by_width(texts: Sequence[str], from_px: Sequence[int] = FROM_PX) -> str:
    """One of these texts in plotly's pseudo-HTML: the first, on pages as wide as `from_px` says one of the others.

    Which one, the browser decides by the style sheet: a chart does not know how wide it will be drawn. In a picture
    that is saved pages/shared/picture.js decides; where neither is, it is the first.
    """
    runs = [(next(own)[0], text) for text, own in groupby(zip(from_px, texts, strict=True), lambda one: one[1])]
    if len(runs) == 1:
        return texts[0]
    ends = [f"--until:{start}" for start, _ in runs[1:]] + [""]
    starts = ["", *(f"--from:{start};display:none" for start, _ in runs[1:])]
    return "".join(
        f"<span style='{';'.join(filter(None, (start, end)))}'>{text}</span>"
        for start, end, (_, text) in zip(starts, ends, runs, strict=True)
        if text
    )
