"""The Dockerfile's steps, proven without a Docker engine.

Each RUN line's commands run in a fresh virtual environment and folder, CMD is started and HEALTHCHECK asks it, once
freely and once as an unprivileged user on a read-only root file system. What this cannot show: that the base image is
what its name says, and that the lines which change users work in it.
"""

from __future__ import annotations

import fnmatch
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.benchmarks._server import free_port

ROOT = Path(__file__).resolve().parents[1]
HERE = {"pip", "python"}
ONLY_IN_AN_IMAGE = {"useradd", "install"}
NOBODY = 65534

pytestmark = pytest.mark.setup


def instructions() -> list[tuple[str, str]]:
    """(instruction, rest) of the Dockerfile, continuation lines joined, comments left out."""
    lines = [line for line in (ROOT / "Dockerfile").read_text().splitlines() if line and line[0] != "#"]
    whole = "\n".join(lines).replace("\\\n", " ").splitlines()
    return [(word, " ".join(rest.split())) for word, _, rest in (line.partition(" ") for line in whole)]


def last(instruction: str) -> str:
    return [rest for word, rest in instructions() if word == instruction][-1]


def healthcheck() -> list[str]:
    return [str(word) for word in json.loads(last("HEALTHCHECK").split("CMD ", 1)[1])]


def sent_to_the_engine() -> list[Path]:
    """Files of the checkout that .dockerignore lets into the image: all is left out but what it names with `!`."""
    rules = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and line[0] != "#"]
    assert rules[0] == "*"
    wanted = [rule[1:] for rule in rules if rule[0] == "!"]
    unwanted = [rule.removeprefix("**/") for rule in rules[1:] if rule[0] != "!"]
    files = []
    for top in (path for path in sorted(ROOT.iterdir()) if any(fnmatch.fnmatch(path.name, w) for w in wanted)):
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            name = path.relative_to(ROOT).as_posix()
            if path.is_file() and not any(f"/{rule}/" in f"/{name}" for rule in unwanted):
                files.append(path.relative_to(ROOT))
    return files


@dataclass(frozen=True)
class Image:
    """A folder with what the image would hold: app/ (WORKDIR), library/ (VOLUME), tmp/, venv/."""

    root: Path

    def environment(self, port: int) -> dict[str, str]:
        """The image's ENV with its folders moved under this one; nothing of this process's environment but pip's."""
        variables = {}
        for word, rest in instructions():
            if word == "ENV":
                variables |= dict(pair.split("=", 1) for pair in shlex.split(rest))
        moved = {key: str(self.root) + value if value.startswith("/") else value for key, value in variables.items()}
        pip = {key: value for key, value in os.environ.items() if key.startswith("PIP_") or "proxy" in key.lower()}
        path = f"{self.root}/venv/bin:/usr/local/bin:/usr/bin:/bin"
        return pip | moved | {"PATH": path, "TMPDIR": moved["HOME"], "STREAMLIT_SERVER_PORT": str(port)}

    def run(self, command: list[str], port: int = 8501, home: str | None = None) -> subprocess.CompletedProcess[str]:
        variables = self.environment(port) | ({"HOME": home} if home else {})
        return subprocess.run(
            command, cwd=self.root / "app", env=variables, capture_output=True, text=True, timeout=300
        )


def base_python() -> str:
    """A Python that an unprivileged user may run too, where this machine has one of the image's version or newer."""
    candidates = ["/usr/bin/python3", sys.executable]
    works = "import ensurepip, sys; sys.exit(sys.version_info < (3, 11))"
    return next(c for c in candidates if subprocess.run([c, "-c", works], capture_output=True).returncode == 0)


@pytest.fixture(scope="module")
def image() -> Iterator[Image]:
    """The steps up to CMD, one after the other."""
    root = Path(tempfile.mkdtemp(prefix="kneepoint-image-"))
    root.chmod(0o755)
    try:
        for name in ("app", "library", "tmp"):
            (root / name).mkdir()
        subprocess.run([base_python(), "-m", "venv", root / "venv"], check=True)
        made = Image(root)
        for word, rest in instructions():
            if word == "COPY":
                copy(rest, root / "app")
            elif word == "RUN":
                perform(rest, made)
        yield made
    finally:
        shutil.rmtree(root)


def copy(names: str, app: Path) -> None:
    source, target = names.split()
    assert target == "./"
    for path in sent_to_the_engine() if source == "." else [Path(source)]:
        (app / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, app / path)


def perform(line: str, image: Image) -> None:
    for command in (shlex.split(part) for part in line.split("&&")):
        assert command[0] in HERE | ONLY_IN_AN_IMAGE
        if command[0] in HERE:
            result = image.run([word for word in command if word != "--no-cache-dir"], home=str(Path.home()))
            assert result.returncode == 0, result.stderr


@contextmanager
def started(image: Image, confinement: list[str]) -> Iterator[int]:
    """The image's CMD, started, until HEALTHCHECK is content; the port it listens on."""
    port = free_port()
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            [*confinement, *json.loads(last("CMD"))],
            cwd=image.root / "app",
            env=image.environment(port),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            deadline = time.monotonic() + 60
            while image.run(healthcheck(), port).returncode != 0:
                log.seek(0)
                assert process.poll() is None, log.read()
                assert time.monotonic() < deadline, log.read()
            yield port
        finally:
            process.terminate()
            process.wait(timeout=20)


READ_ONLY = """
mount --bind "$0" "$0" && mount --bind "$0/library" "$0/library" && mount -t tmpfs tmpfs "$0/tmp" -o mode=1777
mount -o remount,bind,ro "$0" && mount -o remount,bind,ro / && cd "$0/app"
exec "$@"
"""


def read_only(image: Image) -> list[str]:
    """Words before a command that give it a read-only root, as `docker run --read-only --tmpfs /tmp` does."""
    privilege = [] if os.geteuid() == 0 else ["--map-root-user"]
    return ["unshare", *privilege, "--mount", "sh", "-euc", READ_ONLY, str(image.root)]


def unprivileged() -> list[str]:
    """Words before a command that run it as nobody; none where the tests themselves run without privileges."""
    if os.geteuid() != 0:
        return []
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]


def test_the_image_is_small_unprivileged_and_read_only() -> None:
    words = instructions()
    assert re.fullmatch(r"python:3\.\d+-slim(-\w+)?", last("FROM"))
    assert last("USER") not in ("root", "0")
    assert words.index(("USER", last("USER"))) > max(i for i, (word, _) in enumerate(words) if word == "RUN")
    assert last("VOLUME") == "/library"
    assert "KNEEPOINT_ACCESS=off" in last("ENV")
    assert "STREAMLIT_SERVER_ADDRESS=0.0.0.0" in last("ENV")


def test_nothing_but_the_app_is_sent_to_the_engine() -> None:
    tops = {path.parts[0] for path in sent_to_the_engine()}
    assert {"app.py", "bench", "pages", "data", ".streamlit", "requirements.lock"} <= tops
    assert not {".git", ".venv", "tests", "library", "Makefile"} & tops


def test_the_app_starts_and_is_healthy(image: Image) -> None:
    with started(image, []) as port:
        assert image.run(healthcheck(), port).returncode == 0
    assert image.run(healthcheck(), port).returncode != 0


def test_the_app_runs_without_privileges_on_a_read_only_root(image: Image) -> None:
    (image.root / "library").chmod(0o777)
    confined = [*read_only(image), *unprivileged()]
    possible = image.run([*confined, "python", "-c", "open('../library/written', 'w').close()"])
    if possible.returncode != 0:
        pytest.skip(f"this machine gives a process no read-only root of its own: {possible.stderr.strip()}")
    assert "Read-only file system" in image.run([*read_only(image), "touch", "written"]).stderr
    assert "Read-only file system" in image.run([*read_only(image), "touch", "/usr/written"]).stderr
    with started(image, confined) as port:
        assert image.run(healthcheck(), port).returncode == 0
