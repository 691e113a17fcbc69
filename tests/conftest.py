"""What every test stands on."""

from __future__ import annotations

from hypothesis import settings

# A slow machine is no failure; all else as hypothesis chooses it, here and where CI is set.
settings.register_profile("patient", parent=settings.default, deadline=None)
settings.load_profile("patient")
