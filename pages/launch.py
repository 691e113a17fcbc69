"""Launch: measure an endpoint."""

from pages.parts.launch import endpoint, fields, plan
from pages.shared import frame

with frame.bare("launch", "Launch", "What does this endpoint do under load? Measure it."):
    stated = fields.stated()
    checked = plan.checked(stated)
    plan.headline(stated, checked)
    endpoint.section(stated, checked)
    if endpoint.is_given(stated):
        plan.runs_on(stated, checked)
    plan.fields(stated, checked)
    if checked.plan is not None:
        plan.start(stated, checked.plan)
        plan.elsewhere(stated, checked.plan)
    endpoint.instead(stated)
