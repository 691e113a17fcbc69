"""Compare: is B better than A."""

from pages.parts import compare
from pages.shared import frame, options, result

with frame.opened("compare") as page:
    result.headline(page)
    options.row(page, "a", "b", "metric", "margin", "show")
    result.figure(page)
    result.caveats(page, inked=("definitions", "once", "differing_pairs", "no_repeats", "unlike", "one_sided"))
    result.findings(page)
    compare.table(page)
    result.rows(
        page,
        first=("isl", "osl", "concurrency", "a_value", "b_value", "b_over_a", "verdict"),
        without=("baseline_point",),
    )
    result.why(page)
