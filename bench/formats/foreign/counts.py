"""Whether the requests that a file counts in parts are no more than it says there were, and whether all ended well."""

from __future__ import annotations

from collections.abc import Mapping

from bench.errors import InputError


def no_more_than_all(file: str, parts: Mapping[str, float | None], whole: str, number: float | None) -> None:
    """Nothing when these parts, by the words of the file, fit into the whole; InputError that names them all.

    What is not stated is left out; a whole below 0 says "all there are".
    """
    known = {key: part for key, part in parts.items() if part is not None}
    if number is None or number < 0 or sum(known.values()) <= number:
        return
    counted = " and ".join(f"{key} of {part:,.10g}" for key, part in known.items())
    raise InputError(
        f"{file} counts {counted} requests where {whole} is {number:,.10g}; correct the file or leave this result out."
    )


def may_have_failed(metrics: Mapping[str, float]) -> bool:
    """Whether a request may have failed: some did, or the file does not say how many."""
    return metrics.get("requests_failed") != 0
