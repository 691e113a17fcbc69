"""The machine that sends the load, as far as it bears on what is measured: processor, cores, system, Python.

Nothing that tells whose machine it is: no host name, no address, no user.
"""

from __future__ import annotations

import contextlib
import os
import platform
import re
from pathlib import Path

CPUINFO = Path("/proc/cpuinfo")
MODEL = re.compile(r"^(?:model name|Hardware|Model)\s*:\s*(\S.*)$", re.MULTILINE)
LONGEST = 200


def described() -> dict[str, str | int]:
    """What is known of this machine: `cpu`, `cores` this process may use, `os`, `kernel`, `python`."""
    facts: dict[str, str | int | None] = {
        "cpu": _cpu(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "kernel": f"{platform.system()} {platform.release()} {platform.machine()}".strip(),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }
    with contextlib.suppress(OSError):
        facts["os"] = platform.freedesktop_os_release().get("PRETTY_NAME")
    return {key: value[:LONGEST] if isinstance(value, str) else value for key, value in facts.items() if value}


def _cpu() -> str | None:
    try:
        found = MODEL.search(CPUINFO.read_text(encoding="utf-8", errors="replace"))
    except OSError:
        found = None
    return found[1].strip() if found else platform.processor() or None
