"""Crossover: where one side overtakes another."""

from pages.parts import crossover
from pages.shared import frame, result

with frame.opened("crossover") as page:
    result.headline(page)
    found = page.answer.result
    crossover.sides(page)
    crossover.figure(page, found)
    result.caveats(page, inked=("same", "unlike", "one_sided", "apart", "undated", "flags"))
    crossover.verdicts(found)
    crossover.slider(page, found)
    result.findings(page)
    crossover.rows(page, found)
    result.why(page)
