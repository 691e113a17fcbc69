"""What an overview says, by kind."""

from __future__ import annotations

WORDS = {
    "counts": "{points:count point} {points:verb is/are} loaded: {models:count model} on"
    " {accelerators:count accelerator} from {sources:count source}.",
    "counts_unstated": "{points:count point} {points:verb is/are} loaded: {models:count model} from"
    " {sources:count source}; no accelerator stated.",
    "counts_selected": "{points} of {loaded:count point} {points:verb is/are} selected: {models:count model} on"
    " {accelerators:count accelerator} from {sources:count source}.",
    "counts_selected_unstated": "{points} of {loaded:count point} {points:verb is/are} selected: {models:count model}"
    " from {sources:count source}; no accelerator stated.",
    "none_selected": "None of the {loaded:count loaded point} is selected.",
    "none_loaded": "Nothing is loaded.",
    "loaded": "{series:count series/series}, the last measured on {newest}.",
    "loaded_undated": "{series:count series/series}, none with a date.",
    "newest": "Last measured: {points:count point} of {models:model} ({accelerators:accelerator}) from {source}, by"
    " {day}.",
    "newest_published": "Last measured and published: {points:count point} of {models:model}"
    " ({accelerators:accelerator}) from {source}, by {day}.",
    "newest_imported": "Loaded last: {points:count point} of {models:model} ({accelerators:accelerator}) from"
    " {source}.",
    "per_chip": "Most output per chip for {about}: {value} tokens/s on {on}.",
    "stream": "Fastest stream for one user of {about}: {value} tokens/s on {on}.",
    "gap": "Largest gap at equal conditions, for {about}: {first:accelerator} puts out {ratio} times as much per chip"
    " as {last:accelerator}.",
    "scores": "{scores:count quality score} {scores:verb is/are} loaded besides.",
    "scores_apart": "{scores:count quality score} {scores:verb is/are} loaded besides, from"
    " {sources:count more source}.",
    "refused": "{refused:count file or row/files and rows} {refused:verb was/were} refused; the Data page says why.",
    "limits": "Only points within the limits are ranked; the counts are of all.",
    "not_measured": "{points:count point} {points:verb was/were} not measured: in brackets in the chart, ranked in no"
    " sentence.",
    "not_measured_ranked": "{points:count point} {points:verb was/were} not measured: in brackets in the chart.",
    "hidden": "The chart shows the {shown} models with the most measured points; {models:count other/others}"
    " {models:verb is/are} loaded.",
    "hidden_chips": "The chart shows the {shown} models with the most measured points; {models:count other/others}"
    " {models:verb is/are} loaded, and {models:verb it/they} alone ran on {accelerators:accelerator}.",
}
