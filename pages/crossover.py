"""Crossover: where one side overtakes another."""

from pages.parts.crossover import versus
from pages.shared import frame, result

with frame.opened("crossover") as page:
    result.headline(page)
    found = page.answer.result
    versus.sides(page)
    versus.figure(page, found)
    result.caveats(page, inked=("same", "unlike", "one_sided", "apart", "undated", "flags"))
    versus.verdicts(found)
    versus.slider(page, found)
    result.findings(page)
    versus.rows(page, found)
    result.why(page)
