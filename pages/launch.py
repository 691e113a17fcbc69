"""Launch: measure an endpoint."""

from pages.shared import frame, launching, plan_fields

with frame.bare("launch", "Launch", "What does this endpoint do under load? Measure it."):
    stated = plan_fields.stated()
    checked = launching.checked(stated)
    launching.headline(checked)
    launching.endpoint(stated, checked)
    launching.fields(stated, checked)
    if checked.plan is not None:
        launching.checks(checked.plan)
        launching.budget(checked.plan)
        launching.start(checked.plan)
        launching.elsewhere(stated, checked.plan)
