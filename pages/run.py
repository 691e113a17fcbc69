"""Run: what one sweep measured, point by point and down to the single request."""

from pages.shared import frame, run_again, run_point, runs

with frame.bare("run", "Run", "What did this sweep measure?"):
    run = runs.named()
    runs.headline(run)
    runs.onward(run)
    run_again.offered(run)
    chosen = runs.curve(run)
    if chosen is not None:
        run_point.told(run, chosen)
    runs.points(run)
    runs.behind(run)
