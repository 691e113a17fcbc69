"""Overview: what is loaded, what it says, and where to go next."""

from pages.shared import frame, result, signposts

with frame.opened("overview") as page:
    result.headline(page)
    signposts.sentences(page)
    signposts.onward(page)
    result.figure(page)
    result.caveats(page)
    result.rows(page)
    result.why(page)
