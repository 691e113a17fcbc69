"""Data: what is loaded, where it comes from, what was corrected and refused; and one source or point of it, opened."""

from pages.parts.data import adding, listing, opened, tabs
from pages.shared import frame

with frame.opened("data", "Data", "What is loaded, and where does it come from?") as page:
    if opened.is_opened(page):
        opened.result(page)
    else:
        tabs.headline(page)
        adding.section(page)
        tabs.tabs(
            page,
            {
                "sources": tabs.sources,
                "points": listing.points,
                "passports": tabs.passports,
                "scores": tabs.scores,
                "prices": tabs.prices,
                "refusals": tabs.refusals,
                "hidden": tabs.hidden,
                "changes": tabs.changes,
                "audit": tabs.audit,
            },
        )
