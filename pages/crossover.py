"""Crossover: where one side overtakes another."""

from pages.parts.crossover import choosing, prices, verdicts
from pages.shared import frame, result

with frame.opened("crossover") as page:
    result.headline(page)
    found = page.answer.result
    choosing.sides(page)
    choosing.figure(page, found)
    result.caveats(page, inked=("same", "unlike", "one_sided", "apart", "undated", "flags"))
    verdicts.table(found)
    prices.slider(page, found)
    result.findings(page)
    choosing.rows(page, found)
    result.why(page)
