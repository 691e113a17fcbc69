"""Whether the figures of a result can be true together."""

from __future__ import annotations

from collections.abc import Mapping

from bench.errors import InputError


class Contradiction(InputError):
    """The error that a figure cannot be what it says: the metric in this place of the file, and why not."""

    def __init__(self, file: str, where: str, key: str, value: float, why: str) -> None:
        super().__init__(
            f"{file}: in {where} {key} is {value:g}, but {why}; correct the file or leave this result out."
        )
        self.key, self.why = key, why


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
