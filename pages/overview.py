"""Overview: what is loaded, what stands out, what is new, and the way from there to anything."""

from pages.parts import overview
from pages.shared import frame, result

with frame.opened("overview") as page:
    result.headline(page)
    overview.box(page)
    overview.cards(page)
    overview.matrix(page)
    result.caveats(page, elsewhere=("loaded", "loaded_undated"))
    overview.lines(page)
    result.rows(page)
    result.why(page)
