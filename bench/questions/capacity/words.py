"""What a capacity answer says, by kind; and the parts that sentences and table have in common."""

from __future__ import annotations

WORDS = {
    "nothing": "No point matches these filters; remove one.",
    "none_usable": "No point is usable: {many} of {points} {many:verb is/are} {why}.",
    "none_mixed": "No deployment of the mix was measured at {isl} in / {osl} out; leave that length out.",
    "none_keeps": "None of {deployments:count measured deployment} keeps the limits; ease one.",
    "none_states": "None of {deployments:count measured deployment} states the limited metrics; choose other limits.",
    "takes": "{chips} x {accelerator:accelerator} {chips:verb serves/serve} {demand} at lowest cost:"
    " {usd_per_month} USD a month.",
    "takes_alone": "{chips} x {accelerator:accelerator} {chips:verb serves/serve} {demand} for"
    " {usd_per_month} USD a month.",
    "takes_fewest": "{chips} x {accelerator:accelerator} {chips:verb serves/serve} {demand} with the fewest chips;"
    " no price is known.",
    "takes_unpriced": "{chips} x {accelerator:accelerator} {chips:verb serves/serve} {demand}; no price is known.",
    "of_models": "{demand} {amount:verb takes/take} {leads:each model}.",
    "model": "{chips} x {accelerator:accelerator} for {model:model}",
    "undecided": "Undecided, as {unlike} differ; the smallest takes {least:count chip}.",
    "undecided_unstated": "Undecided: only {accelerators} of {of_accelerators:count accelerator}"
    " {accelerators:verb states/state} the limited metrics.",
    "beyond_means": "No deployment is within your bounds: the cheapest takes {chips} x {accelerator:accelerator},"
    " {usd_per_month} USD a month.",
    "beyond_means_unpriced": "No deployment is within your bounds: the smallest takes"
    " {chips} x {accelerator:accelerator}; no price is known.",
    "requests": "{amount} {amount:verb request/requests}/s",
    "users": "{amount} {amount:verb user/users}",
    "output_tokens": "{amount} output {amount:verb token/tokens} a day",
    "tokens": "{amount} {amount:verb token/tokens} a day",
    "at_most": "At most {demand} {most:verb is/are} served within {bounds}, by instances of {hardware}.",
    "at_most_none": "Not one instance is within {bounds}.",
    "budget": "{budget} USD a month",
    "chips": "{chips_at_hand:count chip}",
    "instance": "{instances:count instance} of {hardware} {instances:verb serves/serve} {rate}"
    " {rate:verb request/requests}/s{instances:verb / each} at {at}; {stop}.",
    "instance_mix": "{instances:count instance} of {hardware} {instances:verb serves/serve} {rate}"
    " {rate:verb request/requests}/s of the mix{instances:verb / each}; those measured at {isl} in / {osl} out take"
    " most of the time.",
    "at_closed": "concurrency {load}",
    "at_open": "{load} {load:verb request/requests}/s sent",
    "at_batch": "batch {load}",
    "at_saturated": "full load",
    "stop_saturated": "that is all {instances:verb it/they} can serve, whatever the latency",
    "stop_largest": "no larger load was measured",
    "stop_slower": "more load serves less",
    "stop_limit": "more load breaks the limit on {metric:metric}",
    "random": "Random arrivals stay within limits at peak: {estimates:each estimate}.",
    "random_broken": "Random arrivals break limits at peak: {estimates:each estimate}; {remedy}.",
    "random_endless": "Random arrivals queue without end at peak; {remedy}.",
    "estimate": "{metric:metric} {value} ms ({low} to {high})",
    "remedy": "{instances:count instance} {instances:verb suffices/suffice}",
    "no_remedy": "no number suffices",
    "first_at_random": "With what random arrivals need, {chips} x {accelerator:accelerator}"
    " {chips:verb comes/come} first.",
    "change": "Another would come first at a price per chip and hour of: {prices:each price}.",
    "price": "{accelerator:accelerator} below {usd:below} USD",
    "uses": "Within other limits the same demand takes {uses:each use}.",
    "use": "{chips} x {accelerator:accelerator} ({title})",
    "ruled_out_unstated": "{many} of {deployments:count deployment} {many:verb lacks/lack} a limited metric.",
    "ruled_out_beyond": "{many} of {deployments:count deployment} {many:verb keeps/keep} the limits at no load.",
    "ruled_out_budget": "{many} of {deployments:count deployment} {many:verb is/are} over the budget.",
    "ruled_out_chips": "{many} of {deployments:count deployment} {many:verb takes/take} more chips than there are.",
    "dropped": "Left out, as no deployment states that: the limit on {metrics}.",
    "dropped_mix": "Left out, as no deployment states that at every length: the limit on {metrics}.",
    "unlimited": "No limit on a latency is set: each serves the most it was measured to serve.",
    "mix": "An instance gives each length of the mix ({lengths}) its own time, within the limits at each; that they"
    " share steps is not looked at, nor random arrivals.",
    "sized": "Sized for a peak of {peak} x the mean, with {headroom:share} left free then.",
    "sized_spare": "Sized for a peak of {peak} x the mean, with {headroom:share} left free then and"
    " {spare:count instance} spare.",
    "error": "The load lies between the measured {low} and {high}: {wrong}.",
    "open_loop": "At the open-loop points of this deployment the model of random arrivals was {wrong:share} off, median"
    " of {figures:count figure}.",
    "random_model": "In an open loop on Kneepoint's own fake endpoint, no real engine, such values were off by (median,"
    " and too low at worst): {off:each off}.",
    "off": "{metric:metric} {middle:share} and {least:share}",
    "unpriced": "Behind the others, by chips, as no price is known: {accelerators:accelerator}.",
    "unpriced_all": "Ranked by chips, as no price is known: {accelerators:accelerator}.",
    "utilisation": "The chosen utilisation is not used here: it follows from the demand.",
    "saturated": "{deployments:count deployment} {deployments:verb is/are} measured at full load alone, without"
    " latencies.",
    "power": "Power is that of the chips alone, without hosts and cooling; where none was measured it is their rating.",
    "uses_none": "No deployment is left within the limits for {uses}.",
    "uses_unstated": "No deployment states what is limited for {uses}.",
    "cost_limit": "The limit on a cost per token is not looked at here: state a budget instead.",
    "costs_least": "{name} costs least",
    "fewest_chips": "{name} takes the fewest chips",
}
