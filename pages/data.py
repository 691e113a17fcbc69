"""Data: what is loaded, where it comes from, what was corrected and refused; and one source or point of it, opened."""

from pages.shared import adding, audited, frame, held, listed, opened

with frame.opened("data", "Data", "What is loaded, and where does it come from?") as page:
    if opened.is_opened(page):
        opened.result(page)
    else:
        held.headline(page)
        adding.section(page)
        held.tabs(
            page,
            {
                "sources": held.sources,
                "points": listed.points,
                "passports": held.passports,
                "scores": held.scores,
                "prices": held.prices,
                "refusals": held.refusals,
                "hidden": held.hidden,
                "changes": held.changes,
                "audit": audited.section,
            },
        )
