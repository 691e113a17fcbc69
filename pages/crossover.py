"""Crossover: where one side overtakes another."""

from pages.shared import frame, result, versus

with frame.opened("crossover") as page:
    result.headline(page, inked="banner")
    versus.sides(page)
    versus.figure(page)
    versus.verdicts(page)
    versus.slider(page)
    result.findings(page)
    versus.rows(page)
    result.why(page)
