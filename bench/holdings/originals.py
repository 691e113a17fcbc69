"""The files a source came in, to save as they were."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path

from bench.errors import NotFound
from bench.library import Library
from bench.library.store import Manifest, Root, read_manifest, short
from bench.plain_text import file_name


def original(library: Library, source_id: str) -> tuple[str, bytes]:
    """The name and the bytes of a source's file as it came; a zip where it has companions.

    The name is one that any disk takes. NotFound when the id is none, or its files are not kept.
    """
    place, manifest = _kept(library, source_id)
    main = place / manifest.main
    if not manifest.companions:
        return file_name(main.name), main.read_bytes()
    files = [place / name for name in (manifest.main, *manifest.companions)]
    return file_name(f"{main.stem}.zip"), _zipped(files, place)


def names(library: Library, source_id: str) -> tuple[str, ...]:
    """The names of a source's files, the main one first; none where they are not kept."""
    try:
        _, manifest = _kept(library, source_id)
    except NotFound:
        return ()
    return (manifest.main, *manifest.companions)


def _kept(library: Library, source_id: str) -> tuple[Path, Manifest]:
    for folder, _ in library.folders:
        place = Root(folder, writable=False).source(source_id)
        if place.is_dir():
            return place, read_manifest(place)
    raise NotFound(f"The files of the source {short(source_id)} are not in the library.")


def _zipped(files: Sequence[Path], base: Path) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files:
            archive.write(file, file.relative_to(base))
    return packed.getvalue()
