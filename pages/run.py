"""Run: what one sweep measured, point by point and down to the single request."""

from pages.parts.run import point, remeasure
from pages.shared import frame, runs

with frame.bare("run", "Run", "What did this sweep measure?"):
    run = runs.named()
    runs.headline(run)
    runs.onward(run)
    remeasure.offered(run)
    chosen = runs.curve(run)
    if chosen is not None:
        point.show(run, chosen)
    runs.points(run)
    runs.behind(run)
