"""Jobs: every sweep of the library, and one of them while it runs."""

from pages.parts import jobs
from pages.shared import frame

with frame.bare("jobs", "Jobs", "What is being measured, and what was?"):
    sweep = jobs.named()
    if sweep is None:
        jobs.every()
    else:
        jobs.one(sweep)
