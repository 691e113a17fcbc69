"""Runs the measurements, prints them and keeps them in bench-results/."""

from __future__ import annotations

import dataclasses
import datetime
import importlib
import json
import os
import pkgutil
import platform
import subprocess
import sys
from pathlib import Path

from tests import benchmarks

ROOT = Path(__file__).resolve().parents[2]


def found() -> dict[str, object]:
    """Every module of this folder that measures something."""
    names = [module.name for module in pkgutil.iter_modules(benchmarks.__path__) if not module.name.startswith("_")]
    modules = {name: importlib.import_module(f"tests.benchmarks.{name}") for name in names}
    return {name: module for name, module in modules.items() if hasattr(module, "measure")}


def main(asked: list[str]) -> int:
    modules = found()
    unknown = [name for name in asked if name not in modules]
    if unknown:
        print(f"There is no measurement named {unknown[0]!r}; there are {', '.join(modules)}.", file=sys.stderr)
        return 2
    figures = []
    for name in asked or list(modules):
        print(f"{name}: {(modules[name].__doc__ or '').splitlines()[0]}", flush=True)
        for figure in modules[name].measure():
            print(f"  {figure}", flush=True)
            figures.append({"measurement": name, **dataclasses.asdict(figure), "met": figure.met})
    keep(figures)
    missed = [figure["what"] for figure in figures if figure["met"] is False]
    print(f"{len(figures)} figures, {len(missed)} goals missed" + (f": {'; '.join(missed)}" if missed else ""))
    return 1 if missed else 0


def keep(figures: list[dict[str, object]]) -> None:
    """Writes the figures with the machine they were taken on."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    now = datetime.datetime.now(datetime.UTC)
    machine = {"cores": os.cpu_count(), "python": platform.python_version(), "load": os.getloadavg()[0]}
    folder = ROOT / "bench-results"
    folder.mkdir(exist_ok=True)
    document = {"taken": now.isoformat(), "commit": commit.stdout.strip(), "machine": machine, "figures": figures}
    (folder / f"{now:%Y%m%dT%H%M%SZ}.json").write_text(json.dumps(document, indent=1))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
