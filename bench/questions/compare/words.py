"""What a comparison says, by kind."""

from __future__ import annotations

WORDS = {
    "faster": "{b} is faster than {a}: {metric:metric} {ratio:times} ({pairs:count pair}).",
    "slower": "{b} is slower than {a}: {metric:metric} {ratio:times} ({pairs:count pair}).",
    "same": "{b} is as fast as {a} within {margin:share}: {metric:metric}.",
    "unknown": "Whether {b} is faster than {a} is undecided: {metric:metric} {ratio:times}.",
    "nothing_selected": "No point matches these filters; remove one.",
    "nothing_compared": "None of {points:count point} can be compared; lift a filter or a limit.",
    "no_sides": "No two sides share a load among {points:count point}; choose A and B.",
    "no_pairs": "No point of A and B is at one workload and load: A has {a_points:count point}, B {b_points}.",
    "interval": "The ratio is {low} to {high} (95 %), by {basis}.",
    "repeats": "About {repeats:count more run} of each side would decide.",
    "many_repeats": "More than 50 runs of each side would be needed to decide.",
    "no_interval": "Repeats would tell how sure that is.",
    "pairs": "Of {pairs:count pair} B is faster in {pairs_faster}, slower in {pairs_slower}, the same in {pairs_same}"
    " and undecided in {pairs_unknown}.",
    "others": "B against A: {others:each other}.",
    "other": "{metric:metric} {ratio:times}, {verdict}",
    "spread": "Over the pairs B / A goes from {low} to {high}.",
    "definitions": "The tools of the two sides define {metrics} unlike: what differs may be the definition.",
    "once": "Each side ran once: its interval is of these two runs, so nothing is known of the next one.",
    "differing_pairs": "Nothing was repeated: the interval is from how these pairs differ, not from further runs.",
    "no_repeats": "Nothing was repeated, here or elsewhere in the library: there is no interval.",
    "scatter": "Each side ran once at some loads: there the interval is from {groups:count group} of comparable repeats"
    " in the library.",
    "flags": "Some matched points are flagged: {flags}.",
    "together": "Pairs are tested together (Benjamini and Hochberg): at most 5 % of those called faster or slower are"
    " not.",
    "no_partner": "Left out without a partner: {alone_a:count point} of {a} and {alone_b} of {b}.",
}

BASIS_WORDS = {
    "repeats": "repeats of both sides",
    "requests": "the requests of both runs",
    "library": "how other repeats in the library scatter",
    "pairs": "how the pairs differ among each other",
    "none": "nothing: no repeats",
}
"""Where an interval comes from."""

VERDICTS = {
    "faster": "B is faster",
    "slower": "B is slower",
    "same": "both are the same",
    "unknown": "neither is known to be faster",
}
