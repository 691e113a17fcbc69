"""Who started a sweep, and from where: what came from a page is held to stricter rules than what came from a shell."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

from bench.library.store import document
from bench.sweep.folder import Folder, now, writing

FILE = "origin.json"


@dataclass(frozen=True)
class SweepOrigin:
    """Who asked for a sweep and when; `from_page` holds for everybody who is not at this machine's shell."""

    by: str
    at: str
    from_page: bool

    @classmethod
    def now(cls, by: str, from_page: bool) -> SweepOrigin:
        """An origin of this moment."""
        return cls(by, now(), from_page)


def keep(folder: Folder, origin: SweepOrigin) -> None:
    """Say in the folder of a new sweep where it came from."""
    with writing(folder.path / FILE):
        (folder.path / FILE).write_text(json.dumps(asdict(origin), ensure_ascii=False) + "\n", encoding="utf-8")


def hold_to_page(folder: Folder) -> None:
    """Hold a sweep that goes on from a page to a page's rules from now on, wherever it was started."""
    known = origin_of(folder)
    if known is None or not known.from_page:
        keep(folder, SweepOrigin(known.by, known.at, True) if known else SweepOrigin.now("the shell", from_page=True))


def origin_of(folder: Folder) -> SweepOrigin | None:
    """Where the sweep came from; None for one that was started at the shell."""
    try:
        stated = document((folder.path / FILE).read_bytes())
        return SweepOrigin(str(stated["by"]), str(stated["at"]), stated["from_page"] is not False)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, LookupError):
        return SweepOrigin("unknown", "", from_page=True)
