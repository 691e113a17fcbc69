"""What every answer may say besides its own, by kind: what is left out, and whose prices it stands on."""

from __future__ import annotations

WORDS = {
    "left_out": "{used} of {selected:count point} {used:verb is/are} used; left out: {reasons:every reason}.",
    "left_out_all": "None of {selected:count point} is used: {reasons:every reason}.",
    "reason": "{points} {words}",
    "prices": "Priced per chip and hour, {terms}: {chips:each chip}.",
    "chip": "{accelerator:accelerator} {words}",
    "unpriced": "No {terms}price for {accelerators:accelerator}: left out.",
}
