"""How long inputs are where the endpoint's streams do not say: counted otherwise, or left out, never guessed."""

from __future__ import annotations

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
from tests.endpoint.odd import Odd, one
from tests.endpoint.odd_kinds import COUNTS_WHAT_IS_NOT_STREAMED, FOUR_A_CHUNK_UNCOUNTED, IGNORES_MAX_TOKENS
from tests.sweep.sweeping import folder_for, plan_for

pytestmark = pytest.mark.long

UNCOUNTED = Odd(ttft_ms=5, itl_ms=1, usage="none")


def said(found: Preflight, name: str) -> str:
    return next(check.said for check in found.checks if check.name == name)


def swept(library: Path, odd: Odd, **fields: Any) -> tuple[Folder, PointLine]:
    with one(odd) as (url, _):
        folder = folder_for(library, url, endpoint__model="odd-model", loads__concurrency="2", **fields)
        assert run(folder).state == "done"
    return folder, folder.read.points[0][0]


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


def test_where_only_whole_answers_tell_they_are_asked(tmp_path: Path) -> None:
    """64 words are 316 tokens there, and no stream says so."""
    odd = COUNTS_WHAT_IS_NOT_STREAMED
    with one(odd) as (url, servers):
        plan = plan_for(url, endpoint__model="odd-model", workloads__isl="512")
        found = looked_at(plan)
        assert found.problem is None
        assert said(found, "isl") == "isl is met, counted by usage, which comes with answers in one piece."
        folder = folder_for(tmp_path, url, endpoint__model="odd-model", workloads__isl="512")
        assert run(folder).state == "done"
        lengths = {row.input_tokens for row in servers.log("odd")[-8:]}
    assert all(abs(length - 512) <= 0.02 * 512 for length in lengths)
    line = folder.read.points[0][0]
    assert line.workload.isl_requested == 512
    assert "isl_unknown" not in kinds(line)


def test_where_nobody_counts_the_isl_is_absent_and_flagged(tmp_path: Path) -> None:
    folder, line = swept(tmp_path, UNCOUNTED)
    assert (line.workload.isl_requested, line.workload.isl_actual) == (None, None)
    assert line.workload.dataset == "random, 32 words"
    assert "isl_unknown" in kinds(line)
    checks = {check["name"]: check["said"] for check in folder.status["checks"]}
    assert "Give --tokenizer" in checks["isl"]
    library = Library.open(tmp_path, shipped=False)
    assert library.fetch("SELECT isl, isl_requested, isl_actual FROM points") == [(None, None, None)]


def test_a_tokenizer_file_counts_where_the_endpoint_does_not(tmp_path: Path, tokenizer: Path) -> None:
    with one(UNCOUNTED) as (url, servers):
        folder = folder_for(
            tmp_path, url, endpoint__model="odd-model", endpoint__tokenizer=str(tokenizer), workloads__isl="40"
        )
        assert run(folder).state == "done"
        # The endpoint counts words; a word of ours is two tokens.
        assert {row.input_tokens for row in servers.log("odd")[-6:]} == {20}
    line = folder.read.points[0][0]
    assert line.workload.isl_requested == 40
    assert "isl_unknown" not in kinds(line)
    checks = {check["name"]: check["said"] for check in folder.status["checks"]}
    assert checks["isl"] == "isl is met, counted by the tokenizer file, without the chat template."


@pytest.mark.parametrize(
    ("content", "told"),
    [(None, "cannot be read: No such file"), (b"{}", "is no tokenizer.json"), (b"\xff\xfe", "is no text")],
)
def test_a_tokenizer_file_that_is_none_is_told(tmp_path: Path, content: bytes | None, told: str) -> None:
    path = tmp_path / "tokenizer.json"
    if content is not None:
        path.write_bytes(content)
    with one(UNCOUNTED) as (url, servers):
        with pytest.raises(InputError, match=r"^endpoint\.tokenizer ") as problem:
            looked_at(plan_for(url, endpoint__model="odd-model", endpoint__tokenizer=str(path)))
        assert servers.log("odd") == []
    assert told in str(problem.value)


@pytest.mark.parametrize(("rate", "burst"), [(50, 5), pytest.param(5, 3, marks=pytest.mark.exhaustive)])
def test_a_limiter_is_asked_ever_more_slowly_until_it_has_counted(rate: float, burst: int) -> None:
    with one(Odd(ttft_ms=5, itl_ms=1, rate_per_s=rate, burst=burst)) as (url, servers):
        pauses = Pauses(limited_first_s=4 / rate, limited_longest_s=25 / rate)
        found = looked_at(plan_for(url, endpoint__model="odd-model"), pauses=pauses)
        refused = [row for row in servers.log("odd") if row.status == 429]
    assert found.problem is None
    assert said(found, "isl") == "isl is met, counted by usage."
    assert len(refused) < 30


def test_an_answer_that_fills_its_length_has_as_many_tokens_as_were_asked_for(tmp_path: Path) -> None:
    _, line = swept(tmp_path, FOUR_A_CHUNK_UNCOUNTED, workloads__osl="64")
    assert (line.workload.osl_actual, line.token_source) == (64, "length")
    assert "tpot_ms_p50" in line.metrics
    assert "itl_ms_p50" not in line.metrics
    assert {"tokens_in_chunks"} <= kinds(line)
    assert not {"osl_off_target", "tokens_by_chunks"} & kinds(line)


def test_a_max_tokens_that_is_ignored_is_told_as_that(tmp_path: Path) -> None:
    """Every answer has 40 tokens, whatever is asked for."""
    folder, line = swept(tmp_path, IGNORES_MAX_TOKENS)
    (flag,) = [flag for flag in line.flags if flag.kind == "osl_off_target"]
    assert flag.seen == (
        "Outputs had 40 tokens on average, 5 times the 8 that were asked for: 100 % of the answers went beyond "
        "max_tokens, which the endpoint ignores."
    )
    assert "ignore_eos" not in flag.do
    checks = {check["name"]: check["said"] for check in folder.status["checks"]}
    assert checks["osl"] == "It was asked for 8 tokens and went on to 40: it ignores max_tokens, so no osl is met."
