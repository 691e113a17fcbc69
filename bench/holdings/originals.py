"""The files a source came in, to save as they were."""

from __future__ import annotations

import io
import zipfile

from bench.errors import NotFound
from bench.library import Library
from bench.library.store import read_manifest
from bench.plain_text import file_name


def original(library: Library, source_id: str) -> tuple[str, bytes]:
    """The name and the bytes of a source's file as it came; a zip where it has companions.

    The name is one that any disk takes. NotFound when the id is none, or its files are not kept.
    """
    place = library.folder_of(source_id)
    manifest = read_manifest(place)
    main = place / manifest.main
    if not manifest.companions:
        return file_name(main.name), main.read_bytes()
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in (manifest.main, *manifest.companions):
            archive.write(place / name, name)
    return file_name(f"{main.stem}.zip"), packed.getvalue()


def names(library: Library, source_id: str) -> tuple[str, ...]:
    """The names of a source's files, the main one first; none where they are not kept."""
    try:
        manifest = read_manifest(library.folder_of(source_id))
    except NotFound:
        return ()
    return (manifest.main, *manifest.companions)
