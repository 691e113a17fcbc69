"""What a history says, by kind."""

from __future__ import annotations

WORDS = {
    "nothing_selected": "No point matches these filters; remove one.",
    "nothing_at_load": "None of {runs:count run} states this metric at this load; choose another load.",
    "nothing": "None of {selected:count point} has a history: {points} {points:verb is/are} {reason}.",
    "changed": "{hardware} at {at}: {metric:metric} {speed:speed} since {first}.",
    "same": "{hardware} at {at}: no change in {runs:count run} since {first}.",
    "untested": "{hardware} at {at} reads {speed:speed} since {first}, which may be noise.",
    "method": "{hardware} at {at} reads {ratio:times} since {first}: {method} changed, not speed.",
    "values": "{metric:metric} went from {first:in {metric}} to {last:in {metric}} over {runs:count run}.",
    "scatter": "About a level its runs scatter by {noise:share}.",
    "steps": "In steps: {steps:each step}.",
    "step": "{speed:speed} from {run}",
    "at_loads": "At other loads: {loads:each at_load}.",
    "at_load": "{speed:speed} at {at} from {run}",
    "unchanged": "No change at {loads}.",
    "came_with": "New engine versions with it: {versions:each version}.",
    "version": "{version} after {before} on {run}",
    "frontier": "{last} gives {mean} times the throughput per chip of {first} at equal speed per user ({low} to"
    " {high}).",
    "frontier_unlike": "The trade-offs of {first} and {last} differ in {method}: none is faster by them.",
    "frontier_apart": "The trade-offs of {first} and {last} do not overlap in speed per user.",
    "not_speed": "Not speed: from {first} to {last} {method} changed.",
    "doubt": "Its source's flag says: {text}.",
    "interpolated": "{values} of {of:count value} {values:verb is/are} interpolated; {error}.",
    "least": "Changes below {least:share} are not looked for.",
    "within_error": "{changes:count change} {changes:verb is/are} no larger than interpolation may be wrong, and left"
    " out.",
    "few_runs": "Fewer than {fewest} runs of one method at {loads}: noise cannot be told from change there.",
    "versions": "{runs} of {of:count run} {runs:verb states/state} no engine version.",
    "versions_unstated": "The versions around {changes:count change} are not stated on both sides.",
    "others": "{others:count other deployment} of this selection {others:verb has/have} a history too.",
}
