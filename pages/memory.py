"""Memory: what fits where."""

from pages.parts.memory import of_facts
from pages.shared import frame, options, result

with frame.opened("memory") as page:
    result.headline(page)
    drawn = ("chart",) if page.view.option("chart") == "chips" else ("chart", "on")
    folded = ("layout", "memory_used", "reserve")
    options.row(
        page, *drawn, "weights", "cache", "context", more=folded, label="Layout, models", further=lambda: of_facts(page)
    )
    result.figure(page)
    result.caveats(page)
    result.findings(page)
    ranged = tuple(column.key for column in page.question.COLUMNS if column.key.startswith("fewest_"))
    result.rows(page, first=("accelerator", "accelerators", "requests", "requests_reserved", "longest", *ranged))
    result.why(page)
