"""The audit as a whole: what is news and what is not, at the command line and in its documents."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from bench import audit
from bench.audit.claims import claims
from bench.cli import main
from bench.library import Library
from bench.names import DATA
from data.recipes.articles import transcription
from data.recipes.articles.filing import value
from tests.library.files import published
from tests.questions.heatmap.results import library_of, point


@pytest.fixture(scope="module")
def shipped_audit(shipped: Library) -> audit.Audit:
    return audit.run(shipped)


ARTICLE = "inferencebench-gemma4-h100"


@pytest.mark.long
def test_what_is_wrong_in_the_articles_is_found(shipped_audit: audit.Audit) -> None:
    for source, words in (
        (ARTICLE, "a maximum of 1,996 tokens/s stated, but 2,355 is its own point"),
        (ARTICLE, "a maximum of 2,208 tokens/s stated, but 3,050 is its own point"),
        (ARTICLE, "1,260 output tokens/s are stated; 27 requests of 640 tokens fit at most"),
        (ARTICLE, "855 output tokens/s are stated; 16 requests of 2,560 tokens fit at most"),
        (ARTICLE, "55 USD per day stated, but 59.8 follows from 2.49 USD/h"),
        ("inference-hardware-overview", "1.20 USD per million output tokens stated, but 202 follows from 16 USD/h"),
        ("rvllm-tpu-v6e-vs-h100", "3.30 TB/s stated, but 6.55 is what 4 x TPU v6e have at 1.64 TB/s each"),
        ("rvllm-tpu-v6e-vs-h100", "vLLM 0.19, batch 512 has 8,243 and 3,788 tokens/s, 2.18 times apart"),
    ):
        found = [row.finding.source for row in shipped_audit.rows if words in row.finding.text]
        assert found == [source], words


@pytest.mark.long
def test_nothing_in_the_shipped_library_is_news(shipped_audit: audit.Audit) -> None:
    assert [row.finding.text for row in shipped_audit.rows if row.status == "new"] == []
    assert shipped_audit.many("flagged")
    assert all(row.reason for row in shipped_audit.rows if row.status == "known")


@pytest.mark.long
def test_every_shipped_acceptance_is_of_a_finding(shipped_audit: audit.Audit) -> None:
    listed = [json.loads(line)["id"] for line in (DATA / "accepted.jsonl").read_text().splitlines()]
    assert sorted(listed) == sorted(row.key for row in shipped_audit.rows if row.status == "known")


def test_every_shipped_claim_is_printed_in_its_article() -> None:
    printed = {
        (cell["article"], cell["section"], number) for cell in transcription() if (number := decimal(cell)) is not None
    }
    for claim in claims(Path("/nowhere")):
        assert (claim.source, claim.section, Decimal(str(claim.value)).normalize()) in printed, claim
        figures = (claim.output_tokens_per_s, claim.output_tokens_per_s_of_one, claim.usd_per_hour)
        own = {number for article, _, number in printed if article == claim.source}
        if "least" not in (claim.note or ""):
            assert {Decimal(str(figure)).normalize() for figure in figures if figure} <= own, claim


def decimal(cell: dict[str, str]) -> Decimal | None:
    try:
        return value(cell).normalize()
    except ArithmeticError:
        return None


@pytest.fixture
def doubtful(tmp_path: Path) -> Path:
    """A library whose one point is a batch of 8 every 20 ms, filed with 500 instead of 400 tokens/s."""
    row = {
        "model": "llama-3.1-70b",
        "accelerator": "h100-sxm",
        "accelerators": 1,
        "evidence": "measured",
        "load_kind": "batch",
        "batch": 8,
        "decode_step_ms_mean": 20,
        "output_tokens_per_s": 500,
    }
    folder = tmp_path / "library"
    assert not Library.open(folder, shipped=False).add([published(tmp_path / "made.csv", [row])]).refused
    return folder


def run(capsys: pytest.CaptureFixture[str], folder: Path, *more: str) -> tuple[int, str]:
    status = main(["audit", "--no-shipped", "--library", str(folder), *more])
    return status, capsys.readouterr().out


def test_the_command_ends_with_1_until_what_is_new_is_accepted_with_a_reason(
    doubtful: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, told = run(capsys, doubtful, "--json")
    found = json.loads(told)
    (finding,) = found["findings"]
    assert (status, found["new"]) == (1, 1)
    assert (finding["status"], finding["check"], finding["weight"]) == ("new", "decode_step", "warns")
    assert finding["values"] == {"stated": 500, "computed": 400}
    assert len(finding["point_ids"]) == 1
    assert {check["check"] for check in found["checks"]} == audit.checks().keys()
    assert run(capsys, doubtful, "--accept", "new")[0] == 2
    assert run(capsys, doubtful, "--accept", "0123456789abcdef", "--reason", "so")[0] == 1
    status, told = run(capsys, doubtful, "--accept", "new", "--reason", "a typing error upstream")
    assert status == 0
    assert "a typing error upstream" in told
    assert run(capsys, doubtful)[0] == 0
    changes = [json.loads(line) for line in (doubtful / "audit.jsonl").read_text().splitlines()]
    assert [entry["what"] for entry in changes][-1] == "accept"


def test_it_says_how_wrong_interpolation_has_been(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [point(128, 128, tp * load, tp=tp, concurrency=load) for tp in range(1, 21) for load in (1, 2, 4)]
    library_of(tmp_path, rows)
    (error,) = json.loads(run(capsys, tmp_path / "library", "--json")[1])["interpolation"][:1]
    assert (error["metric"], error["gap"], error["points"]) == ("output_tokens_per_s", 4, 20)
    assert error["p90"] == pytest.approx(0, abs=1e-9)
