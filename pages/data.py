"""Data: what is loaded, where it comes from, under which licence, and what was refused."""

from pages.shared import frame, holdings

with frame.opened("data", "Data", "What is loaded, and where does it come from?") as page:
    holdings.headline(page)
    holdings.tabs(
        page,
        {
            "Sources": holdings.sources,
            "Points": holdings.points,
            "Passports": holdings.passports,
            "Scores": holdings.scores,
            "Prices": holdings.prices,
            "Refusals": holdings.refusals,
        },
    )
    holdings.adding(page)
