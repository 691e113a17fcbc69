"""How long inputs are where the endpoint's streams do not say: counted otherwise, or left out, never guessed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from bench.errors import InputError
from bench.formats.journal import PointLine
from bench.library import Library
from bench.sweep.checks.preflight import Preflight
from bench.sweep.folder import Folder
from bench.sweep.generator.calibration import WORDS
from bench.sweep.pauses import Pauses
from bench.sweep.session.runner import run
from bench.sweep.session.setup import looked_at
from tests.endpoint.odd import COUNTS_WHAT_IS_NOT_STREAMED, IGNORES_MAX_TOKENS, Odd, Servers, serving
from tests.sweep.sweeping import folder_for, plan_for
from tests.thorough import some

pytestmark = pytest.mark.long

RATE = 100
QUICK: dict[str, Any] = {"ttft_ms": 5, "itl_ms": 1}
ODDS = {
    "uncounted": Odd(**QUICK, usage="none"),
    "counted as 0": Odd(**QUICK, prompt_factor=0),
    "counted alike": Odd(**QUICK, prompt_factor=0, prompt_more=7),
    "counted alike, one output": Odd(**QUICK, prompt_factor=0, prompt_more=7, says_output=1),
    "counted alike, much output": Odd(**QUICK, prompt_factor=0, prompt_more=7, says_output=100),
    "one output, in every chunk": Odd(**QUICK, usage="every", says_output=1),
    "no output": Odd(**QUICK, says_output=0),
    "four a chunk": Odd(**QUICK, tokens_per_chunk=4),
    "two chunks a token": Odd(**QUICK, halves=True),
    "two chunks a token, counted in each": Odd(**QUICK, halves=True, usage="every", finish="stop", length=6),
    "counted whole": replace(COUNTS_WHAT_IS_NOT_STREAMED, **QUICK),
    "ignores max_tokens": replace(IGNORES_MAX_TOKENS, **QUICK),
    "limiter": Odd(**QUICK, rate_per_s=RATE, burst=5),
}


@pytest.fixture(scope="module")
def servers() -> Iterator[Servers]:
    with serving(ODDS) as all_of_them:
        yield all_of_them


def said(found: Preflight, name: str) -> str:
    return next(check.said for check in found.checks if check.name == name)


def swept(library: Path, url: str, **fields: Any) -> tuple[Folder, PointLine, dict[str, str]]:
    """The sweep, its point and what was found out before it."""
    folder = folder_for(library, url, endpoint__model="odd-model", loads__concurrency="2", **fields)
    assert run(folder).state == "done"
    return folder, folder.read.points[0][0], {check["name"]: check["said"] for check in folder.status["checks"]}


def kinds(line: PointLine) -> set[str]:
    return {flag.kind for flag in line.flags}


@pytest.fixture
def tokenizer(tmp_path: Path) -> Path:
    """A model's tokenizer: it halves each word of calibration, so that a word is two tokens."""
    halves = {half for word in WORDS for half in (word[:2], word[2:])}
    vocabulary = {name: place for place, name in enumerate(["[UNK]", *sorted(halves)])}
    made = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", continuing_subword_prefix=""))
    made.pre_tokenizer = pre_tokenizers.Whitespace()
    path = tmp_path / "tokenizer.json"
    made.save(str(path))
    return path


def test_where_only_whole_answers_tell_they_are_asked(tmp_path: Path, servers: Servers) -> None:
    """64 words are 316 tokens there, and no stream says so."""
    _, line, checks = swept(tmp_path, servers.url("counted whole"), workloads__isl="512")
    lengths = [row.input_tokens for row in servers.log("counted whole")[-7:]]
    assert all(abs(length - 512) <= 0.02 * 512 for length in lengths)
    assert checks["isl"] == "isl is met, counted by usage, which comes with answers in one piece."
    assert line.workload.isl_requested == 512
    assert "isl_unknown" not in kinds(line)


@pytest.mark.parametrize("name", some(["uncounted", "counted as 0", "counted alike"], 1))
def test_where_nobody_counts_the_isl_is_absent_and_flagged(name: str, tmp_path: Path, servers: Servers) -> None:
    _, line, checks = swept(tmp_path, servers.url(name))
    assert (line.workload.isl_requested, line.workload.isl_actual) == (None, None)
    assert line.workload.dataset == "random, 32 words"
    assert "isl_unknown" in kinds(line)
    assert "Give --tokenizer" in checks["isl"]
    library = Library.open(tmp_path, shipped=False)
    assert library.fetch("SELECT isl, isl_requested, isl_actual FROM points") == [(None, None, None)]


@pytest.mark.parametrize("name", some(["counted alike", "uncounted"], 1))
def test_a_tokenizer_file_counts_where_the_endpoint_does_not(
    name: str, tmp_path: Path, tokenizer: Path, servers: Servers
) -> None:
    url = servers.url(name)
    _, line, checks = swept(tmp_path, url, endpoint__tokenizer=str(tokenizer), workloads__isl="40")
    # The endpoint counts words; a word of ours is two tokens.
    assert {row.input_tokens for row in servers.log(name)[-6:]} == {7 if name == "counted alike" else 20}
    assert line.workload.isl_requested == 40
    assert "isl_unknown" not in kinds(line)
    assert checks["isl"] == "isl is met, counted by the tokenizer file, without the chat template."


@pytest.mark.parametrize(
    ("content", "told"),
    [(None, "cannot be read: No such file"), (b"{}", "is no tokenizer.json"), (b"\xff\xfe", "is no text")],
)
def test_a_tokenizer_file_that_is_none_is_told_before_anything_is_asked(
    tmp_path: Path, content: bytes | None, told: str
) -> None:
    path = tmp_path / "tokenizer.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(InputError, match=rf"^endpoint\.tokenizer .*{told}"):
        looked_at(plan_for("http://127.0.0.1:9", endpoint__tokenizer=str(path)))


def test_a_limiter_is_asked_ever_more_slowly_until_it_has_counted(servers: Servers) -> None:
    pauses = Pauses(limited_first_s=4 / RATE, limited_longest_s=25 / RATE)
    found = looked_at(plan_for(servers.url("limiter"), endpoint__model="odd-model"), pauses=pauses)
    refused = [row for row in servers.log("limiter") if row.status == 429]
    assert found.problem is None
    assert said(found, "isl") == "isl is met, counted by usage."
    assert len(refused) < 30


def test_a_max_tokens_that_is_ignored_is_told_as_that(tmp_path: Path, servers: Servers) -> None:
    """Every answer has 40 tokens, whatever is asked for."""
    _, line, checks = swept(tmp_path, servers.url("ignores max_tokens"))
    (flag,) = [flag for flag in line.flags if flag.kind == "osl_off_target"]
    assert "5 times the 8" in flag.seen
    assert "max_tokens" in flag.seen
    assert "ignore_eos" not in flag.do
    assert "went on to 40" in checks["osl"]


UNCOUNTED = ["counted alike, one output", "counted alike, much output", "one output, in every chunk", "no output"]


@pytest.mark.parametrize("name", some(UNCOUNTED, 1))
def test_a_usage_that_cannot_be_the_count_of_its_answers_counts_none(
    name: str, tmp_path: Path, servers: Servers
) -> None:
    """Answers end with `length`, so that they have the 8 tokens that were asked for."""
    _, line, _ = swept(tmp_path, servers.url(name))
    assert (line.token_source, line.workload.osl_actual) == ("length", 8)
    assert line.metrics["output_tokens_per_s"] == pytest.approx(8 * line.metrics["requests_per_s"])
    assert line.metrics["tpot_ms_p50"] > 0
    assert "osl_off_target" not in kinds(line)


@pytest.mark.parametrize("name", some(["four a chunk", "counted alike"], 1))
def test_a_usage_of_as_many_tokens_in_every_answer_is_their_count(name: str, tmp_path: Path, servers: Servers) -> None:
    """Prompts and answers are all of one length; there are as many chunks as tokens, or fewer."""
    _, line, _ = swept(tmp_path, servers.url(name))
    assert (line.token_source, line.workload.osl_actual) == ("usage", 8)
    assert "osl_off_target" not in kinds(line)


@pytest.mark.parametrize(
    ("name", "output"), some([("two chunks a token", 8), ("two chunks a token, counted in each", 6)], 1)
)
def test_a_usage_of_fewer_tokens_than_chunks_is_their_count(
    name: str, output: int, tmp_path: Path, servers: Servers
) -> None:
    _, line, _ = swept(tmp_path, servers.url(name))
    assert (line.token_source, line.workload.osl_actual) == ("usage", output)
    assert line.metrics["output_tokens_per_s"] == pytest.approx(output * line.metrics["requests_per_s"])
    assert "tokens_in_chunks" in kinds(line)
    assert "itl_ms_p50" not in line.metrics
