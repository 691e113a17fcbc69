"""What a roofline answer says, by kind."""

from __future__ import annotations

WORDS = {
    "nothing_selected": "No point matches these filters; remove one.",
    "nothing": "None of {selected:count point} can be compared with a ceiling: {points} {points:verb is/are} {reason}.",
    "all_above": "{points:verb The only point lies/All {points} points lie} above {points:verb its/their} {ceiling}.",
    "reach": "Points reach {low:share} to {high:share} of their {ceiling}.",
    "closest": "{hardware} gets closest to the hardware: {share:share} of its {ceiling}.",
    "closest_bound": "{hardware} gets closest to the hardware: {share:share} of its {ceiling}, bound by {bound_by}.",
    "closest_least": "{hardware} gets closest to the hardware: at least {share:share} of its {ceiling}.",
    "closest_least_bound": "{hardware} gets closest: at least {share:share} of its {ceiling}, bound by {bound_by}.",
    "closest_models": "Closest to the hardware: {closest:each model}.",
    "model": "{model:model} on {hardware}, {share:share}",
    "used_both": "At {load} it uses {bandwidth:share} of the bandwidth and {compute:share} of the compute peak.",
    "used_bandwidth": "At {load} it uses {bandwidth:share} of the bandwidth.",
    "used_compute": "At {load} it uses {compute:share} of the compute peak.",
    "middle": "Half of {points:count point} reach at least {middle:share} of their ceiling.",
    "bound_by": "What binds the points: {bindings:each binding}.",
    "binding": "{by}, {points:count point}",
    "reached": "Nearest to its ceiling each: {rigs:each rig}.",
    "rig": "{name} {share:share}",
    "beyond": "{points:count point} {points:verb lies/lie} above what any engine can reach, on {hardware}.",
    "above": "{points:count point} {points:verb lies/lie} above the expected ceiling, but not above what an engine can"
    " reach.",
    "breakdown": "{profiler}, {hardware} {precision:precision} at batch {batch}: {parts:each part} of {step_ms} ms.",
    "part": "{name} {ms}",
    "projected": "Projected, not measured: {hardware} at the {low:share} to {high:share} of its ceiling that {lender}"
    " reached at the nearest measured batch.",
    "not_projected_measured": "Nothing is projected: {hardware} is measured at every batch.",
    "not_projected_room": "Nothing is projected: {hardware} has no room for it.",
    "at_least": "{points:count point} {points:verb does/do} not state batch, context or experts: the share is at least"
    " that.",
    "at_least_weights": "FP4 weights may be larger than counted: of {points:count point} the share is at least that.",
    "at_least_prefill": "Prompts may have waited for their first token: of {points:count point} the share is at least"
    " that.",
    "cache_supposed": "{points:count point} {points:verb does/do} not state the cache's precision: {bits} bit are"
    " supposed.",
    "no_peak": "No peak is known for {precisions:precision} on these chips: compute is left open for"
    " {points:count point}.",
    "no_batch": "{points:count point} without a number of requests {points:verb is/are} not drawn on this axis.",
    "flag_line": "The flag 'beyond the roofline' is of prompts and outputs together, not of this phase alone.",
}

CEILINGS = {"served": "ceiling", "decode": "decode ceiling", "prefill": "prefill ceiling"}
"""What a point is held against, by phase."""
