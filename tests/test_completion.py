"""What Tab completes in real shells, once the script that `completion` prints is read."""

from __future__ import annotations

import contextlib
import io
import shutil
from collections.abc import Iterator

import pytest

from bench.cli import main
from bench.library import Library
from tests.library.files import sweep
from tests.terminal import Terminal, started
from tests.thorough import some

pytestmark = pytest.mark.long

SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"], "source {script}"),
    "zsh": (["zsh", "-f", "-i"], "autoload -U compinit; compinit -D -u; source {script}"),
}


@pytest.fixture(scope="module", params=some(sorted(SHELLS), 1))
def shell(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Terminal]:
    """A shell that has read its script, in a folder with one file."""
    if shutil.which(request.param) is None:
        pytest.skip(f"{request.param} is not installed")
    folder = tmp_path_factory.mktemp("shell")
    (folder / "gemma.csv").touch()
    small, script = Library.open(folder / "library", shipped=False), io.StringIO()
    small.add([sweep(folder / "files", 1)])
    with pytest.MonkeyPatch.context() as patched, contextlib.redirect_stdout(script):
        patched.setattr(Library, "open", lambda: small)  # the choices of all that ships take long to be found
        assert main(["completion", request.param]) == 0
    (folder / "script").write_text(script.getvalue())
    argv, read = SHELLS[request.param]
    with started(argv, folder, HOME=str(folder), PS1="> ") as terminal:
        terminal.type(read.format(script=folder / "script") + "; echo re''ady\n")
        terminal.wait_for("ready")
        yield terminal


@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("python -m bench impo", "import "),
        ("python3 -m bench ask heatm", "heatmap "),
        ("python -m bench ask heatmap --met", "--metric "),
        ("python -m bench ask capacity --use traf", "traffic "),
        ("python -m bench ask roofline --project mi355", "mi355x "),
        ("python -m bench ask roofline --price-terms on_d", "on_demand "),
        ("python -m bench ask pareto --where model=llama --slo ttft_ms_p50", "ttft_ms_p50 "),
        ("python -m bench ask cost --where speculat", "speculation="),
        ("python -m bench export published-p", "published-parquet "),
        ("python -m bench import --dry-run gem", "gemma.csv "),
        ("python -m bench sweep --profile qui", "quick "),
        ("python -m bench endpoint --jitter logn", "lognormal "),
        ("python gem", "gemma.csv "),
    ],
)
def test_tab_completes(shell: Terminal, typed: str, completed: str) -> None:
    shell.type(f"\x15{typed}\t")
    shell.wait_for(typed + completed.removeprefix(typed.split()[-1]))
