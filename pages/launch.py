"""Launch: measure an endpoint."""

from pages.shared import frame, launch_endpoint, launching, plan_fields

with frame.bare("launch", "Launch", "What does this endpoint do under load? Measure it."):
    stated = plan_fields.stated()
    checked = launching.checked(stated)
    launching.headline(stated, checked)
    launch_endpoint.section(stated, checked)
    if launch_endpoint.is_given(stated):
        launching.runs_on(stated, checked)
    launching.fields(stated, checked)
    if checked.plan is not None:
        launching.start(stated, checked.plan)
        launching.elsewhere(stated, checked.plan)
    launch_endpoint.instead(stated)
