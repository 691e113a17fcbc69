"""What every `--help` ends with: commands to type, the first three for whoever asks for no command."""

from __future__ import annotations

from bench.names import DATA

EXAMPLES = (DATA / "command_examples.txt").read_text(encoding="utf-8").splitlines()


def of(command: str) -> list[str]:
    """The examples of a command, such as `ask pareto`."""
    return [one for one in EXAMPLES if f"{one} ".startswith(f"{command} ")] if command else EXAMPLES[:3]
