"""The commands of the Makefile keep what they promise on a machine that has never seen the project."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.benchmarks._server import free_port, wait_for_first_byte
from tests.test_layers import named

pytestmark = pytest.mark.long

ROOT = Path(__file__).resolve().parents[1]
BARE = ("Makefile", "requirements.txt", "requirements.lock", "requirements-tokenizer.txt", "requirements-dev.txt")


def environment(**extra: str) -> dict[str, str]:
    """This process's environment without what an outer make or a virtual environment left in it."""
    ours = {"MAKEFLAGS", "MAKELEVEL", "MFLAGS", "MAKEOVERRIDES", "PORT", "PYTHON", "VIRTUAL_ENV"}
    return {key: value for key, value in os.environ.items() if key not in ours} | extra


def make(folder: Path, *arguments: str, **extra: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["make", *arguments], cwd=folder, env=environment(**extra), capture_output=True, text=True, timeout=60
    )


def sentences(text: str) -> list[str]:
    """What a command said on stderr, without make's own closing line."""
    return [line for line in text.splitlines() if not line.startswith("make")]


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A folder in which nothing is installed yet."""
    for name in BARE:
        shutil.copy(ROOT / name, tmp_path / name)
    return tmp_path


def test_help_lists_every_command() -> None:
    text = (ROOT / "Makefile").read_text()
    targets = set(re.findall(r"^\.PHONY: (.*)$", text, re.MULTILINE)[0].split()) - {"port", "chromium"}
    listed = {line.split()[1] for line in make(ROOT, "help").stdout.splitlines()}
    assert listed == targets


def refused(folder: Path, *arguments: str, **extra: str) -> str:
    """The one sentence in which make says why it does nothing."""
    result = make(folder, *arguments, **extra)
    assert result.returncode != 0
    (sentence,) = sentences(result.stderr)
    return sentence


def test_what_is_no_port_or_is_busy_is_one_sentence(bare: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        assert refused(bare, "run", f"PORT={port}").startswith(f"Port {port} is busy")
    for port in ("65536", "http"):
        assert refused(bare, "run", f"PORT={port}").startswith(f"PORT={port} is not a port")
    assert not (bare / ".venv").exists()


def test_a_python_that_is_missing_or_old_or_makes_no_venv_is_one_sentence(bare: Path) -> None:
    port = f"PORT={free_port()}"
    assert refused(bare, "run", "PYTHON=python-of-nowhere", port).startswith("python-of-nowhere was not found")
    old = bare / "python3.9"
    old.write_text(
        "#!/bin/sh\n"
        '[ "$1" = -V ] && { echo Python 3.9.2; exit; }\n'
        f'exec {sys.executable} -c "import sys; sys.version_info = (3, 9, 2); exec(sys.argv[1])" "$2"\n'
    )
    old.chmod(0o755)
    assert f"{old} is Python 3.9.2" in refused(bare, "run", f"PYTHON={old}", port)
    # Debian's python3 without python3-venv can import venv but has no ensurepip.
    (bare / "ensurepip.py").write_text("raise ModuleNotFoundError(name='ensurepip')\n")
    assert "has no venv module" in refused(bare, "run", f"PYTHON={sys.executable}", port, PYTHONPATH=str(bare))


def test_a_missing_chromium_is_installed_for_root_and_told_to_others(bare: Path) -> None:
    """PATH is a folder without Chromium, whose apt-get writes down what it was asked."""
    tools, log = bare / "bin", bare / "asked"
    tools.mkdir()
    for name in ("cat", "cksum", "make"):
        (tools / name).symlink_to(str(shutil.which(name)))
    for name, line in {"id": "echo ${USER_ID}", "apt-get": f"echo $* >> {log}"}.items():
        (tools / name).write_text(f"#!/bin/sh\n{line}\n")
        (tools / name).chmod(0o755)
    assert "apt install chromium fonts-dejavu" in refused(bare, "chromium", PATH=str(tools), USER_ID="1000")
    assert not log.exists()
    assert make(bare, "chromium", PATH=str(tools), USER_ID="0").returncode == 0
    wanted = "install -y -qq --no-install-recommends chromium-headless-shell fonts-dejavu"
    assert log.read_text().splitlines() == ["update -qq", wanted]


def test_only_a_change_of_the_requirements_installs_again(bare: Path) -> None:
    """A stamp as `make run` leaves it; `make -n` says what would be done."""
    python = bare / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.touch()
    stamp = re.search(r"touch (\S+)", make(bare, "-n", "run", f"PORT={free_port()}").stdout)
    assert stamp
    (bare / stamp[1]).touch()
    (bare / "requirements.txt").touch()
    assert "pip install" not in make(bare, "-n", "run", f"PORT={free_port()}").stdout
    with (bare / "requirements.txt").open("a") as file:
        file.write("one-more==1.0\n")
    assert "pip install" in make(bare, "-n", "run", f"PORT={free_port()}").stdout


def pins(name: str) -> dict[str, str]:
    """Distribution name -> version, of a requirements file that may hold nothing but exact pins."""
    lines = [line for line in (ROOT / name).read_text().splitlines() if line and line[0] not in "#-"]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", line) for line in lines)
    return {canonicalize_name(line.split("==")[0]): line.split("==")[1] for line in lines}


def needed(names: Iterable[str]) -> set[str]:
    """Those distributions and all that they require here."""
    found: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            requirements = map(Requirement, distribution(name).requires or [])
            waiting += [
                canonicalize_name(requirement.name)
                for requirement in requirements
                if not requirement.marker or requirement.marker.evaluate({"extra": ""})
            ]
    return found


@pytest.mark.parametrize(
    "files", [["requirements.txt"], ["requirements.txt", "requirements-tokenizer.txt", "requirements-dev.txt"]]
)
def test_all_that_is_needed_is_pinned_and_nothing_else(files: list[str]) -> None:
    pinned = {name: version for file in files for name, version in pins(file).items()}
    assert {name: distribution(name).version for name in pinned} == pinned
    assert needed({name for file in files for name in named(file)}) == set(pinned)


def test_the_lock_has_a_hash_for_every_pin_and_names_no_place() -> None:
    text = (ROOT / "requirements.lock").read_text()
    entries = [part.split() for part in re.sub(r"\\\n|#.*", "", text).splitlines() if part.strip()]
    assert all(len(hashes) > 1 for hashes in entries)
    assert all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", one) for _, *hashes in entries for one in hashes)
    assert {canonicalize_name(pin.split("==")[0]): pin.split("==")[1] for pin, *_ in entries} == pins(
        "requirements.txt"
    )
    assert "//" not in text


@contextmanager
def running(command: list[str], folder: Path, port: int, log: Path, **extra: str) -> Iterator[None]:
    """A command that serves on a port, from its first answer on; the whole group is ended afterwards."""
    with log.open("w") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment(**extra),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        wait_for_first_byte(f"http://127.0.0.1:{port}/_stcore/health", 300)
        yield
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=20)


@pytest.mark.setup
def test_make_run_on_a_new_machine_and_again(tmp_path: Path) -> None:
    project = tmp_path / "kneepoint"
    project.mkdir()
    for name in (*BARE, "app.py"):
        shutil.copy(ROOT / name, project / name)
    for name in ("bench", "pages", "data", ".streamlit"):
        shutil.copytree(ROOT / name, project / name)
    log, port = tmp_path / "log", free_port()
    command = ["make", "run", f"PORT={port}", f"PYTHON={sys.executable}"]
    with running(command, project, port, log):
        assert "Installing" in log.read_text()
        assert "not a valid config option" not in log.read_text()
        for path in ("/", "/healthz"):
            with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=10) as answer:
                assert answer.status == 200

    nowhere = {"PIP_NO_INDEX": "1", "PIP_CONFIG_FILE": os.devnull, "PIP_FIND_LINKS": "", "PIP_NO_CACHE_DIR": "1"}
    with running(command, project, port, log, **nowhere):
        assert "Installing" not in log.read_text()
