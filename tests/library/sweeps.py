"""Sweeps as they lie in a library: folders with a journal that grows line by line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.formats import journal
from bench.formats.journal import PointLine, Session, encode
from bench.records import Deployment, Load, Workload

ID = "20261121-120000-abcdef"
OTHER = "20261120-080000-123456"


def session(id: str = ID, **more: Any) -> Session:
    return Session(
        **{
            "sweep": id,
            "started": "2026-11-21T12:00:00.000+00:00",
            "deployment": Deployment(model="llama-3.1-8b", engine="vllm", accelerator="h100-sxm", accelerators=2),
            "title": "A night at the lab",
        }
        | more
    )


def point(number: int, **more: Any) -> PointLine:
    return PointLine(
        **{
            "number": number,
            "key": f"isl=128 osl=64 concurrency={number} repeat=1",
            "load": Load("closed", concurrency=number),
            "workload": Workload(isl_requested=128, osl_requested=64, dataset="random"),
            "metrics": {"output_tokens_per_s": 100.0 * number, "ttft_ms_p50": 20.0 + number},
            "requests_ok": 10,
            "started": "2026-11-21T12:00:01.000+00:00",
        }
        | more
    )


class Sweep:
    """A sweep's folder; `say` appends lines to its journal as a running sweep does."""

    def __init__(self, library: Path, id: str = ID, **more: Any) -> None:
        self.id = id
        self.folder = library / "sweeps" / id
        self.journal = self.folder / journal.FILE
        self.folder.mkdir(parents=True)
        self.whole = 0
        self.say(session(id, **more))

    def say(self, *lines: journal.JournalLine) -> None:
        with self.journal.open("ab") as stream:
            stream.truncate(self.whole)
            for line in lines:
                stream.write(encode(line))
            stream.flush()
            self.whole = stream.tell()

    def measure(self, *numbers: int) -> None:
        self.say(*(point(number) for number in numbers))

    def tear(self, line: journal.JournalLine, cut: int = 7) -> None:
        """A line that is being written: it has no end yet."""
        with self.journal.open("ab") as stream:
            stream.write(encode(line)[:-cut])
