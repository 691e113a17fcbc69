"""Data: what is loaded, where it comes from, under which licence, and what was refused."""

from pages.shared import adding, frame, held

with frame.opened("data", "Data", "What is loaded, and where does it come from?") as page:
    held.headline(page)
    adding.section(page)
    held.tabs(
        page,
        {
            "Sources": held.sources,
            "Points": held.points,
            "Passports": held.passports,
            "Scores": held.scores,
            "Prices": held.prices,
            "Refusals": held.refusals,
        },
    )
