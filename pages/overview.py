"""Overview: what is loaded, what stands out, what is new, and the way from there to anything."""

from pages.parts.overview import doors
from pages.shared import frame, result, signposts

with frame.opened("overview") as page:
    result.headline(page)
    doors.box(page)
    signposts.cards(page)
    doors.matrix(page)
    result.caveats(page, elsewhere=("loaded", "loaded_undated"))
    signposts.lines(page)
    result.rows(page)
    result.why(page)
