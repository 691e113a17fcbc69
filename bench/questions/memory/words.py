"""What a memory answer says, by kind."""

from __future__ import annotations

WORDS = {
    "fits": "It takes {accelerators:verb one/{accelerators} x} {accelerator:accelerator}, which"
    " {accelerators:verb holds/hold} {requests:count request} of {tokens} tokens at once.",
    "fits_weights": "Its weights take {accelerators:verb one/{accelerators} x} {accelerator:accelerator}; the size of"
    " its cache is not known here.",
    "fits_least": "It takes at least {accelerators:verb one/{accelerators} x} {accelerator:accelerator}, with at most"
    " {requests:count request} of {tokens} tokens.",
    "fits_weights_least": "Its weights take at least {accelerators:verb one/{accelerators} x}"
    " {accelerator:accelerator}; its cache is not known here.",
    "fits_reserved": "It takes {reserved} x {reserved_on:accelerator} beside an engine's reserve,"
    " {accelerators:verb one/{accelerators} x} {accelerator:accelerator} without.",
    "fits_reserved_least": "It takes at least {reserved} x {reserved_on:accelerator} beside an engine's reserve,"
    " {accelerators:verb one/{accelerators} x} {accelerator:accelerator} without.",
    "fits_bare": "{accelerators:verb One/At least {accelerators} x} {accelerator:accelerator}"
    " {accelerators:verb holds/hold} it; no count leaves room for an engine's reserve.",
    "fits_bare_least": "It takes at least {accelerators:verb one/{accelerators} x} {accelerator:accelerator}, and no"
    " count leaves room for an engine's reserve.",
    "fits_models": "At least {models:each model}.",
    "model": "{accelerators} x {accelerator:accelerator} for {model:model}",
    "fits_precisions": "At least {models:each model_precision}.",
    "model_precision": "{accelerators} x {accelerator:accelerator} for {model:model} {precision:precision}",
    "no_model": "Choose a model to see what holds it.",
    "does_not_fit": "It does not fit on up to {most} chips of any accelerator here.",
    "no_params": "No parameter count of it is published here; choose another model.",
    "no_precision": "The precision of its weights is not stated; choose one.",
    "no_weight_size": "The size of {precision:precision} weights is not known here; choose another precision.",
    "no_memory": "No memory of {accelerators:accelerator} is published here.",
    "model_left_out": "{model:model} is left out: {reason}",
    "of_model": "{model:model}: {said}",
    "fewest": "Fewest chips: {fewest:each count}.",
    "fewest_more": "Fewest chips: {fewest:each count}; {others:count other} {others:verb takes/take} more.",
    "fewest_least": "Fewest chips, at least: {fewest:each count}.",
    "fewest_more_least": "Fewest chips, at least: {fewest:each count}; {others:count other} {others:verb takes/take}"
    " more.",
    "count": "{chips} of {on:accelerator}",
    "precisions": "Fewest chips by precision, at least: {precisions:each precision}.",
    "precisions_alike": "In every precision, {names:precision}, it takes at least {chips:count chip}.",
    "precision": "{chips} x {accelerator:accelerator} in {precision:precision}",
    "reserved": "If vLLM reserves {reserve_gib} GiB a device, the most it logged, {requests:count request}"
    " {requests:verb fits/fit}.",
    "reserved_least": "If vLLM reserves {reserve_gib} GiB a device, the most it logged, at most"
    " {requests:count request} {requests:verb fits/fit}.",
    "reserved_more": "If vLLM reserves {reserve_gib} GiB a device, the most it logged, it takes at least"
    " {accelerators} x {accelerator:accelerator}.",
    "reserved_nowhere": "If vLLM reserves {reserve_gib} GiB a device, the most it logged, it does not fit"
    " on up to {most} chips.",
    "allocated": "{engine:engine} logged {weights_gib} GiB of weights a device on {accelerators} x"
    " {accelerator:accelerator}; {weights_predicted_gib} are predicted.",
    "allocated_cache": "{engine:engine} logged {weights_gib} GiB of weights and {cache_gib} of room for cache a device"
    " on {accelerators} x {accelerator:accelerator}; {weights_predicted_gib} and {cache_least_gib} to {cache_most_gib}"
    " are predicted.",
    "allocated_least": "{engine:engine} logged {weights_gib} GiB of weights a device on {accelerators} x"
    " {accelerator:accelerator}; at least {weights_predicted_gib} are predicted.",
    "allocated_cache_least": "{engine:engine} logged {weights_gib} GiB of weights and {cache_gib} of room for cache a"
    " device on {accelerators} x {accelerator:accelerator}; at least {weights_predicted_gib} and at most"
    " {cache_most_gib} are predicted.",
    "unknown": "Left out, with no memory published here: {accelerators:accelerator all}.",
    "drawn": "The chart has the {drawn} accelerators that need the fewest chips, the table all {accelerators}.",
    "at_most": "An upper bound: {utilisation:share} of the memory is used, less {reserve_gib} GiB of each device.",
    "at_most_logged": "An upper bound: {utilisation:share} of the memory is used; activations and buffers, {least_gib}"
    " to {most_gib} GiB a device in vLLM's logs, are not taken off.",
    "at_most_unknown": "An upper bound: {utilisation:share} of the memory is used; activations and buffers take more.",
    "lower_bound": "{precision:precision} weights are counted at least: more of them may stay at 16 bit than is"
    " published here.",
    "lower_bound_scales": "FP4 weights are counted at least: with the scales of MXFP4, the smaller of its two formats,"
    " and more of them may stay at 16 bit than is published here.",
    "latent": "In tensor parallel every device keeps the whole latent cache of every request.",
    "computed": "It has {billions} billion parameters, computed from the shapes in its config.json.",
}
