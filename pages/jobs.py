"""Jobs: every sweep of the library, and one of them while it runs."""

from pages.parts.jobs import sweeps
from pages.shared import frame

with frame.bare("jobs", "Jobs", "What is being measured, and what was?"):
    sweep = sweeps.named()
    if sweep is None:
        sweeps.every()
    else:
        sweeps.one(sweep)
