"""What a memory answer says, by kind."""

from __future__ import annotations

WORDS = {
    "fits": "At least {accelerators} {accelerator:accelerator} {accelerators:verb holds/hold} it and"
    " {requests:count request} at once.",
    "fits_weights": "At least {accelerators} {accelerator:accelerator} {accelerators:verb holds/hold} its weights.",
    "fits_models": "At least {models:each model}.",
    "model": "{accelerators} {accelerator:accelerator} for {model:model}",
    "no_model": "Choose a model to see what holds it.",
    "does_not_fit": "It fits on no more than {most} chips of any accelerator here.",
    "no_params": "Not known: no parameter count of {model:model} is published here.",
    "no_precision": "Not known: the precision of its weights is not stated; choose one.",
    "no_weight_size": "Not known: the size of {precision:precision} weights is not known here.",
    "no_memory": "Not known: no memory of {accelerators:accelerator} is published.",
    "of_model": "{model:model}: {verdict}",
    "fewest": "Fewest chips: {fewest:each count}.",
    "count": "{chips} of {on:accelerator}",
    "precisions": "By precision: {precisions:each precision}.",
    "precision": "{precision:precision} {chips:count chip}",
    "reserved": "Beside the {reserve_gib} GiB a device that vLLM was logged to reserve at most,"
    " {requests:count request} {requests:verb is/are} left.",
    "reserved_more": "Beside the {reserve_gib} GiB a device that vLLM was logged to reserve at most it takes at least"
    " {accelerators} {accelerator:accelerator}.",
    "reserved_nowhere": "It fits nowhere beside the {reserve_gib} GiB a device that vLLM was logged to reserve.",
    "allocated": "{engine:engine} logged on {accelerators} {accelerator:accelerator} {weights_gib} GiB of weights a"
    " device; {weights_predicted_gib} are predicted.",
    "allocated_cache": "{engine:engine} logged on {accelerators} {accelerator:accelerator} {weights_gib} GiB of weights"
    " and {cache_gib} of cache a device; {weights_predicted_gib} and {cache_least_gib} to {cache_most_gib} are"
    " predicted.",
    "unknown": "No memory is published of {accelerators:accelerator}.",
    "drawn": "The chart has the {drawn} accelerators that need the fewest chips, the table all {accelerators}.",
    "at_most": "An upper bound: {utilisation:share} of the memory is used, less {reserve_gib} GiB of each device.",
    "at_most_logged": "An upper bound: {utilisation:share} of the memory is used; activations and buffers, {least_gib}"
    " to {most_gib} GiB a device in vLLM's logs, are not taken off.",
    "at_most_unknown": "An upper bound: {utilisation:share} of the memory is used; activations and buffers take more.",
    "latent": "In tensor parallel every device keeps the whole latent cache of every request.",
    "computed": "{total_params} billion parameters, computed from the shapes in its config.json.",
}
