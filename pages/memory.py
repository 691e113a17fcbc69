"""Memory: what fits where."""

from pages.shared import frame, options, result, signposts

with frame.opened("memory") as page:
    result.headline(page)
    options.row(page, "cache", "context")
    result.figure(page)
    result.caveats(page)
    result.findings(page)
    if page.answer.rows.empty:
        signposts.out_of_nothing(page)
    else:
        result.rows(page, first=("accelerator", "accelerators", "requests", "room_gib", "weights_gib"))
    result.why(page)
