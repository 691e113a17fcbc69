"""A plan that goes from one endpoint to another: what was said of the one before does not hold for the next."""

from __future__ import annotations

from collections.abc import Mapping

from bench.sweep.planning.address import spelled_out

ABOUT = ("endpoint.", "facts.")
PLAN = ("profile",)
"""What stays when an endpoint to practise on is left: all else was filled in to try things out."""


def place(stated: Mapping[str, str]) -> str:
    """Where the fields of a plan go: an endpoint's name, or its URL without /v1; empty where they do not say."""
    url = stated.get("endpoint.url", "")
    return stated.get("endpoint.name") or spelled_out(url).rstrip("/").removesuffix("/v1")


def at_another(
    stated: Mapping[str, str], to: Mapping[str, str | None], *, practised: bool = False
) -> dict[str, str]:
    """The fields of a plan for another endpoint: the model and the facts of the one before are gone.

    `practised` says that the one before was there to practise on; then only the profile stays. The same endpoint in
    another spelling is none other.
    """
    there = {key: text for key, text in to.items() if text}
    if place(there) == place(stated):
        return {**stated, **there}
    kept = {key: text for key, text in stated.items() if not key.startswith(ABOUT)}
    if practised:
        kept = {key: text for key, text in kept.items() if key in PLAN}
    return {**kept, **there}
