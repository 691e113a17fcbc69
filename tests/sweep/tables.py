"""The tables of docs/sweeps.md that list what a folder holds: profiles, arrivals and stop rules.

Written anew by `python -m tests.sweep.tables`.
"""

from __future__ import annotations

import re
from pathlib import Path

from bench.sweep.arrivals import described, processes
from bench.sweep.planning.profiles import profiles
from bench.sweep.planning.stop_rules import rules

DOCS = Path(__file__).resolve().parents[2] / "docs" / "sweeps.md"


def rows() -> dict[str, list[str]]:
    """The rows of each such table, by its head."""
    fields = [item for rule in rules() for item in rule.FIELDS.model_fields.items()]
    return {
        "| profile | what it measures |": [f"| `{one.name}` | {one.about} |" for one in profiles()],
        "| arrivals | how requests come |": [
            f"| `{name}` | {described(process)} |" for name, process in sorted(processes().items())
        ],
        "| stop rule | what it holds |": [
            f"| `{name}` | {field.description}" + (f" ({field.default:g}) |" if field.default else " |")
            for name, field in fields
        ],
    }


def written(text: str) -> str:
    """The page with these tables as they must be."""
    for head, lines in rows().items():
        body = "".join(f"{line}\n" for line in lines)
        text, times = re.subn(
            rf"({re.escape(head)}\n\|[-|]+\n)(?:\|.*\n)*", lambda kept, body=body: kept[1] + body, text
        )
        assert times == 1, head
    return text


if __name__ == "__main__":
    DOCS.write_text(written(DOCS.read_text(encoding="utf-8")), encoding="utf-8")
