"""Memory: what fits where."""

from pages.shared import frame, options, result

with frame.opened("memory") as page:
    result.headline(page)
    options.row(page, "cache", "context")
    result.figure(page)
    result.caveats(page)
    result.findings(page)
    result.rows(page, first=("accelerator", "accelerators", "requests", "room_gib", "weights_gib"))
    result.why(page)
