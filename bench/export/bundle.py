"""A bundle: the sources of a selection as they came, with all that people said of them, for another Kneepoint.

bench/library/importing/bundles.py says what is in it and reads it. The points themselves go along as a published table
in Parquet for other programs; a Kneepoint reads them from the sources.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from bench.errors import UsageError
from bench.export import ExportFormat, published
from bench.formats import journal
from bench.holdings.listing import selected
from bench.library import Library, ids
from bench.library.importing.bundles import MOST_SAID, NAME, Bundle, Remark
from bench.library.importing.staging import source_id_of
from bench.library.ledger import Ledgers, read
from bench.library.store import Manifest, read_manifest, short
from bench.progress import steps
from bench.view import View

MOST_BYTES = 1 << 30
"""What an archive may unpack to where it is imported."""
POINTS = "points.parquet"


def written(library: Library, view: View) -> bytes:
    """The zip with every source that has a selected point; where all is selected with those of scores alone, and of
    what is hidden.

    Raises:
        UsageError: it would be too large to be read again.
    """
    demand(library, view)
    ledgers = read(library.roots)
    held = _folders(library, view, ledgers)
    manifests = {source_id: read_manifest(folder) for source_id, folder in held.items()}
    swept = {id: source_id_of(held[id] / manifests[id].main, ()) for id in held if journal.SWEEP_ID.fullmatch(id)}
    new = {id: swept.get(id, id) for id in held}
    bundle = Bundle(
        "",
        frozenset(f"sources/{new[id]}/{manifests[id].main}" for id in held),
        {new[id]: facts for id in held if (facts := ledgers.facts.get(id))},
        tuple(_said(library, ledgers, new)),
        {digest: new[id] for digest, id in ledgers.sums.items() if id in new},
    )
    target = io.BytesIO()  # its entries are dated 1980, so that the same library gives the same bundle
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo(NAME), bundle.encoded(), zipfile.ZIP_DEFLATED)
        archive.writestr(zipfile.ZipInfo(POINTS), published.as_parquet(published.points(library, view)))
        for id in steps(held, short):
            for file, name in _files(held[id], manifests[id]):
                archive.writestr(zipfile.ZipInfo(f"sources/{new[id]}/{name}"), file.read_bytes(), zipfile.ZIP_DEFLATED)
    return target.getvalue()


def demand(library: Library, view: View) -> None:
    """Raise UsageError where the sources, or what was said of them, are more than one import takes."""
    ledgers = read(library.roots)
    held = _folders(library, view, ledgers)
    said = sum(entry.get("source_id") in held for entry in (*ledgers.notes, *ledgers.tags.values()))
    said += sum(one.source_id in held for one in ledgers.retractions.values())
    if said > MOST_SAID:
        raise UsageError(
            f"The sources of these points have {said:,} notes, tags and retractions, and a bundle holds {MOST_SAID:,}:"
            " narrow the selection with the filters and take several bundles."
        )
    found = sum(_bytes(folder, library.version) for folder in held.values())
    if found > MOST_BYTES:
        raise UsageError(
            f"The sources of these points have {found / 1e9:,.1f} GB, and a bundle holds {MOST_BYTES / 1e9:.1f} GB, as"
            " much as one import takes: narrow the selection with the filters and take several bundles."
        )


def _folders(library: Library, view: View, ledgers: Ledgers) -> dict[str, Path]:
    """Each source of the bundle with the folder of its files; what others stand instead of is in them already."""
    condition = selected(view)
    if condition != selected(View()):
        rows = library.fetch(
            f"SELECT DISTINCT source_id FROM points WHERE {condition.sql} ORDER BY 1", condition.params
        )
        return {source_id: library.folder_of(source_id) for (source_id,) in rows}
    held = [source_id for (source_id,) in library.fetch("SELECT source_id FROM sources ORDER BY 1")]
    twice = {one.id for one in ledgers.retractions.values() if one.instead in held}
    return {source_id: library.folder_of(source_id) for source_id in held if source_id not in twice}


@lru_cache(maxsize=100_000)
def _bytes(folder: Path, version: str) -> int:
    """The bytes of a source's files in this state of the library."""
    return sum(file.stat().st_size for file, _ in _files(folder, read_manifest(folder)))


def _files(folder: Path, manifest: Manifest) -> Iterator[tuple[Path, str]]:
    """The files of a source, the main one first, and their names beside each other."""
    for name in (manifest.main, *manifest.companions):
        yield folder / name, name


def _said(library: Library, ledgers: Ledgers, new: dict[str, str]) -> Iterator[Remark]:
    """Notes, tags and retractions of these sources and what is in them, under the ids they have there."""
    made = [("annotate", note, note.get("text")) for note in ledgers.notes]
    made += [("tag", entry, entry.get("tag")) for entry in ledgers.tags.values()]
    said = [(action, str(entry.get("id")), str(entry.get("source_id")), str(text)) for action, entry, text in made]
    said += [("retract", one.id, one.source_id, one.reason) for one in ledgers.retractions.values() if not one.purged]
    moved = _moved(library, new)
    for action, id, source_id, text in said:
        if source_id in new and (id in moved or new[source_id] == source_id or id == source_id):
            there = new[source_id] if id == source_id else moved.get(id, id)
            yield Remark(action, there, new[source_id], text)


def _moved(library: Library, new: dict[str, str]) -> dict[str, str]:
    """The ids that points have there: those of sweeps, which are sources like any other, and of continued sources."""
    moved: dict[str, str] = {}
    for here, source_id in new.items():
        rows = library.fetch("SELECT point_id, locator FROM points WHERE source_id = ?", [here])
        there = ids.point_ids(source_id, [locator for _, locator in rows]).to_pylist()
        moved |= {point: id for (point, _), id in zip(rows, there, strict=True) if point != id}
    return moved


FORMATS = (
    ExportFormat(
        "bundle",
        "Bundle for another Kneepoint",
        ".zip",
        "application/zip",
        written,
        "The whole sources of these points as they came, with their facts, notes, tags and what was hidden, in one"
        " zip. Drop it on another Kneepoint's Data page and it is all there.",
        demand,
    ),
)
