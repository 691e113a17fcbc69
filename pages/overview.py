"""Overview: what is loaded, what it says, and where to go next."""

from pages.shared import frame, options, result

with frame.opened("overview") as page:
    result.headline(page)
    result.findings(page)
    options.row(page)
    result.figure(page)
    result.rows(page)
    result.why(page)
