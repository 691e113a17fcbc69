"""Whether the figures of a result can be true together."""

from __future__ import annotations

from collections.abc import Mapping

from bench.errors import InputError


def contradiction(file: str, where: str, seen: str, why: str) -> InputError:
    """The error that a figure cannot be what it says: what was seen in this place of the file, and why not."""
    return InputError(f"{file}: in {where} {seen}, but {why}; correct the file or leave this result out.")


def no_more_than_all(file: str, parts: Mapping[str, float | None], whole: str, number: float | None) -> None:
    """Check that these parts, by the words of the file, fit into the whole; InputError names them all.

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
