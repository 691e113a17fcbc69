"""The error that every check of a result's figures raises."""

from __future__ import annotations

from bench.errors import InputError


def contradiction(file: str, where: str, seen: str, why: str) -> InputError:
    """The error that a figure cannot be what it says: what was seen in this place of the file, and why not."""
    return InputError(f"{file}: in {where} {seen}, but {why}; correct the file or leave this result out.")
