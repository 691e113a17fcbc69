"""What an answer is about, printed once above its verdict: "DeepSeek-R1 0528 · FP8 · 8,192 in / 1,024 out"."""

from __future__ import annotations

from dataclasses import dataclass

from bench.basis import limits
from bench.basis.limits import Limit
from bench.chart import value_label
from bench.view import View
from bench.wording import counted, inline, joined, lowered, number, quantity

NAMED = 3
"""So many models are named; of more their number."""


@dataclass(frozen=True)
class Subject:
    """The models, precision, lengths in tokens and limits that an answer is about, as its complete View has them.

    Of what is open, or has several values, there is none. `coverage` is how few of the selected points decide: "only 2
    of 106 points state median TPOT"; "" where enough do. `compared` is a metric that the verdict does not name: "output
    throughput per chip".
    """

    models: tuple[str, ...]
    precision: str | None
    isl: float | None
    osl: float | None
    limits: tuple[Limit, ...]
    coverage: str = ""
    compared: str = ""

    @property
    def text(self) -> str:
        """It in one line; "" where nothing is chosen."""
        parts = (
            self._models,
            (self.precision or "").upper(),
            self._lengths,
            self.compared,
            *self._limits,
            self.coverage,
        )
        return " · ".join(filter(None, parts))

    @property
    def _models(self) -> str:
        if len(self.models) > NAMED:
            return counted(len(self.models), "model")
        return joined([value_label("model", one) for one in self.models])

    @property
    def _lengths(self) -> str:
        parts = ((self.isl, "in"), (self.osl, "out"))
        return " / ".join(f"{number(value)} {way}" for value, way in parts if value is not None)

    @property
    def _limits(self) -> list[str]:
        return [
            f"{inline(one.metric)} at {'most' if one.at_most else 'least'} {quantity(one.value, one.metric.key)}"
            for one in self.limits
        ]


def of(view: View, coverage: str = "", compared: str = "") -> Subject:
    """What an answer about this complete View is about."""
    alone = {key: one[0] for key in ("precision", "isl", "osl") if len(one := view.values(key)) == 1}
    isl, osl = (_length(alone.get(key)) for key in ("isl", "osl"))
    return Subject(
        view.values("model"), alone.get("precision"), isl, osl, limits.read(view), lowered(coverage), compared
    )


def _length(text: str | None) -> float | None:
    """A length in tokens; None for a filter that is none, such as a range."""
    try:
        return float(text) if text is not None else None
    except ValueError:
        return None
