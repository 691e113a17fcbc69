"""The command `export`: the points of a View as a file that other programs read."""

from __future__ import annotations

import argparse
import os
import stat
import sys
import tempfile
from pathlib import Path

from bench.cli import output, progress
from bench.cli.arguments import Commands, add_where, command, opened, where
from bench.errors import InputError
from bench.view import View


def add_to(commands: Commands) -> None:
    """Describe the command to the parser."""
    parser = command(commands, "export", "write points to a file that other programs read", _export)
    parser.more = "Without a format, `export` lists the formats."
    parser.add_argument("format", nargs="?", metavar="FORMAT", help="a format that `export` alone lists")
    add_where(parser)
    parser.add_argument("-o", "--out", type=Path, metavar="FILE", help="the file to write (default: stdout)")


def _export(arguments: argparse.Namespace) -> int:
    from bench import export

    if arguments.format is None:
        rows = [{"format": one.name, "title": one.title, "about": one.about} for one in export.formats().values()]
        output.listing(rows, ("format", "title"), as_json=arguments.json)
        return 0
    chosen = export.format_named(arguments.format)
    view = View.of(where(arguments.where))
    library = opened(arguments)
    with progress.bar(f"Writing {chosen.name}"):
        content, left_out = chosen.write(library, view), chosen.left_out(library, view)
    if arguments.out is None:
        sys.stdout.buffer.write(content)
        output.remarks([*library.incomplete(), *map(str, left_out)])
        return 0
    try:
        _write(arguments.out, content)
    except OSError as problem:
        raise InputError(
            f"{arguments.out} cannot be written ({problem.strerror}): name a file in a folder that takes new files."
        ) from problem
    output.remarks(library.incomplete())
    if arguments.json:
        lacks = [{"points": one.points, "why": one.why} for one in left_out]
        output.document({"file": str(arguments.out), "bytes": len(content), "left_out": lacks})
    else:
        output.remarks([f"{arguments.out}: {len(content):,} bytes.", *map(str, left_out)])
    return 0


def _write(path: Path, content: bytes) -> None:
    """Write the file whole or not at all: what stood there before stays where the disk or its folder takes no more.

    A pipe, a device and what /dev/stdout is a name of are written as they are.
    """
    is_there = path.exists()
    parent = path.parent.resolve()
    if is_there and (not path.is_file() or parent == Path("/dev") or parent.is_relative_to("/proc")):
        path.write_bytes(content)
        return
    path = path.resolve()
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name[:100]}.", delete=False) as part:
        try:
            part.write(content)
            part.flush()
            os.fsync(part.fileno())
            os.chmod(part.name, stat.S_IMODE(path.stat().st_mode) if is_there else 0o644)
            os.replace(part.name, path)
        finally:
            Path(part.name).unlink(missing_ok=True)
