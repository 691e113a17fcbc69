"""Archives as the tests make them, sound and hostile."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

Content = Mapping[str, bytes]


def zipped(path: Path, content: Content) -> Path:
    """A zip of these files; a name that ends with / is a folder."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in content.items():
            archive.writestr(name, text)
    return path


def tarred(path: Path, content: Content, mode: Literal["w", "w:gz", "w:bz2", "w:xz"] = "w:gz") -> Path:
    """A tar of these files."""
    with tarfile.open(path, mode) as archive:
        for name, text in content.items():
            add(archive, name, text)
    return path


def add(archive: tarfile.TarFile, name: str, text: bytes = b"", kind: bytes = tarfile.REGTYPE, link: str = "") -> None:
    """Puts one entry of any kind into a tar."""
    entry = tarfile.TarInfo(name)
    entry.type, entry.linkname = kind, link
    entry.size = len(text) if kind == tarfile.REGTYPE else 0
    archive.addfile(entry, io.BytesIO(text))


def zip_of_links(path: Path, target: str = "/etc/passwd") -> Path:
    """A zip whose entry is a symbolic link."""
    entry = zipfile.ZipInfo("results.csv")
    entry.create_system, entry.external_attr = 3, 0o120777 << 16
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(entry, target)
    return path
