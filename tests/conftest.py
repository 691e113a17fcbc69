"""What every test stands on."""

from __future__ import annotations

import gc

from hypothesis import settings

# A slow machine is no failure; all else as hypothesis chooses it, here and where CI is set.
settings.register_profile("patient", parent=settings.default, deadline=None)
settings.register_profile("quick", parent=settings.get_profile("patient"), max_examples=15)
settings.load_profile("patient")


def pytest_collection_finish() -> None:
    """What was imported and collected stays: Streamlit and every load look for garbage, and need not look there."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure() -> None:
    """What modules keep is given back as they end, as without it."""
    gc.unfreeze()
