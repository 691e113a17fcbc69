"""What a cost answer says, by kind."""

from __future__ import annotations

WORDS = {
    "cheapest": "{who} is cheapest: {usd_per_million} USD per million {tokens}; {second} costs {ratio} times that.",
    "cheapest_of_like": "{who} is cheapest: {usd_per_million} USD per million {tokens}, the next {ratio} times that.",
    "even": "{who} and {second} cost the same: {usd_per_million} USD per million {tokens}.",
    "one": "{who} costs {usd_per_million} USD per million {tokens}.",
    "undecided": "Undecided: few accelerators can be judged; {lowest} to {highest} USD per million {tokens}.",
    "undecided_unlike": "Undecided, as {unlike} differ: {lowest} to {highest} USD per million {tokens}.",
    "nothing": "No point matches these filters; remove one.",
    "other_evidence": "No point was measured (0 of {points}).",
    "no_chips": "No point states its chips (0 of {points}); state them on the Data page.",
    "no_rate": "No point has a throughput of {tokens} (0 of {points}).",
    "unknown_limit": "No usable point states {metrics} (0 of {points}); lift the {limits:verb limit/limits}.",
    "beyond_limit": "No usable point is known to keep the {limits:verb limit/limits} (0 of {points}).",
    "none_enters": "No point can be priced (0 of {points}); why is told below.",
    "none_priced": "No {terms}price for {accelerators:accelerator}{whose:each of}.",
    "of": " of {one}",
    "priced_as": "There are other prices: {terms:each one_of}.",
    "one_of": "{one}",
    "speeds": "At that cost {who} runs at {speeds:each speed}.",
    "speed": "{metric:metric} {value:in {metric}}",
    "api": "{who}, rented around the clock, is cheaper than the API from {millions} million {tokens} a day on,"
    " {used:share} of one instance.",
    "api_never": "{who} is cheaper than the API at no volume: {usd_per_million} USD per million {tokens} at best.",
    "limits_cost": "Within the limits {who} costs {times} times as much as at peak throughput.",
    "limits_free": "The limits cost nothing on {who}: its peak throughput keeps them.",
    "volume": "{millions} million {tokens} a day cost at least {usd_per_day} USD a day: {instances:count instance} of"
    " {who}, {used:share} used.",
    "volume_on_cheapest": "{who}, cheapest per token, would be {used:share} used by that volume and cost {usd_per_day}"
    " USD a day.",
    "latency": "Limited in {metric:metric} alone, {who} costs at least {rungs:each rung} (USD per million).",
    "rung": "{usd_per_million} at {limit:in {metric}}",
    "quotes": "{who} costs {lowest} to {highest} USD per million {tokens} by its {quotes} quotes.",
    "bargain": "Cheapest quote: {who} at {quote}, {usd_per_million} USD per million {tokens}.",
    "api_price": "The API costs {usd_per_million} USD per million {tokens}.",
    "api_price_with": "The API costs {usd_per_million} USD per million {tokens}, the {with_each} {others} that come"
    " with each included.",
    "api_price_alone": "The API costs {usd_per_million} USD per million {tokens}, its {others} not counted.",
    "api_again": "Just after each further instance is added the API is cheaper again, up to {millions} million {tokens}"
    " a day on {instances} instances.",
    "api_unknown": "The API is not compared: one of its prices or of the workload's lengths is not stated.",
    "limits": "No limit is set: priced at peak throughput, whatever the latency.",
    "ages": "{quotes:count quote}, the oldest as of {oldest}, {undated} undated.",
    "undated": "{quotes:count quote}, undated.",
    "larger_quotes": "{quotes:count quote} {quotes:verb is/are} for more chips than the deployment has; the price per"
    " chip is used.",
    "unlike": "The deployments differ: {unlike:each one_of}.",
    "derived": "Input tokens are worked out for {deployments:count deployment}: output x input length / output length.",
    "not_measured": "Not measured, drawn hollow: {points:count deployment}.",
    "flags": "{flagged} of {deployments:count deployment} {flagged:verb is/are} flagged.",
    "apart": "Measured between {first} and {last}.",
    "unknown": "Left out, without {metrics}: {groups}.",
    "beyond": "Never within the limits: {groups}.",
    "most": "Only the {deployments} cheapest of {groups} deployments are shown.",
}
