"""One endpoint measured by seven tools: what they call alike lands side by side, and what they do not is told apart.

The server takes 4 ms and 0.1 ms for each running request a step, 30 ms and 0.05 ms for each prompt token before the
first: at concurrency 4 a step of 4.4 ms, and with 100 prompt tokens 35 ms. What it saw itself in each run is beside the
tool; inference-perf asked for 32 tokens and llmperf for 64, the others for 128.
"""

from __future__ import annotations

import pandas as pd
import pytest

from bench.library.library import Library
from tests.formats.damage import SAMPLES
from tests.formats.reading_of import reading

AT_FOUR = {
    "aiperf": ("aiperf/concurrency-4/profile_export_aiperf.json", 4.4109, 35.16),
    "genai-bench": ("genai_bench/levels/D100_128_text-to-text_num_concurrency_4_time_4s.json", 4.4, 35.0),
    "guidellm": ("guidellm/concurrency-4/benchmarks.json", 4.3970, 34.44),
    "inference-perf": ("inference_perf/concurrency-4/stage_0_lifecycle_metrics.json", 4.3248, 34.72),
    "llmperf": ("llmperf/mock-model_100_64_summary.json", 4.3583, 35.44),
    "sglang-bench": ("sglang/rust-concurrency-4.jsonl", 4.4264, 32.58),
    "vllm-bench": ("vllm/concurrency-4.json", 4.3998, 34.50),
}
SEEN = {harness: (step, first) for harness, (_, step, first) in AT_FOUR.items()}


@pytest.fixture(scope="module")
def points(tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    """Every tool's point, by harness, of a library in which people stated what vLLM and SGLang leave open."""
    library = Library.open(tmp_path_factory.mktemp("one") / "library", shipped=False)
    facts = {
        "model": "mock-model",
        "checkpoint": "mock-model",
        "isl_requested": 100,
        "accelerator": "cpu",
        "engine": "mock",
    }
    report = library.add([SAMPLES / path for path, _, _ in AT_FOUR.values()], facts)
    assert [len(report.imported), report.refused] == [len(AT_FOUR), []]
    return library.query("SELECT * FROM points").set_index("harness")


def test_they_are_one_deployment_under_one_load(points: pd.DataFrame) -> None:
    assert set(points.index) == set(AT_FOUR)
    for column, value in {"model": "mock-model", "load_kind": "closed", "concurrency": 4, "isl": 100}.items():
        assert set(points[column]) == {value}, column
    assert points["deployment_id"].nunique() == 1
    assert points["osl"].drop(["inference-perf", "llmperf"]).unique() == pytest.approx([128])


@pytest.mark.parametrize("harness", AT_FOUR)
def test_tpot_is_the_server_s_step_whatever_the_tool_calls_it(points: pd.DataFrame, harness: str) -> None:
    """AIPerf and GuideLLM print it as inter-token latency; llmperf does not print it, its requests give it."""
    assert points.loc[harness, "tpot_ms_p50"] == pytest.approx(SEEN[harness][0], rel=0.005)
    interactivity = points.loc[harness, "interactivity_tokens_per_s_per_user_p50"]
    assert interactivity == pytest.approx(1000 / SEEN[harness][0], rel=0.005)


@pytest.mark.parametrize("harness", AT_FOUR)
def test_ttft_is_the_server_s_and_what_the_client_adds(points: pd.DataFrame, harness: str) -> None:
    """They shared two cores with the server, and some open a connection inside it: up to 4 ms."""
    assert 0 < points.loc[harness, "ttft_ms_p50"] - SEEN[harness][1] < 4


def test_normalised_tpot_stays_off_the_axis_of_tpot(points: pd.DataFrame) -> None:
    """It holds the wait for the first token: above TPOT by about TTFT over the tokens, 0.3 ms of 128 and 1 ms of 32."""
    wider = (points["ntpot_ms_p50"] - points["tpot_ms_p50"]).dropna()
    assert set(wider.index) == {"guidellm", "inference-perf", "llmperf"}
    assert wider["guidellm"] == pytest.approx(35 / 128, abs=0.05)
    assert wider["inference-perf"] == pytest.approx(35 / 32, abs=0.15)


def test_gaps_between_chunks_are_filed_only_by_those_that_time_chunks(points: pd.DataFrame) -> None:
    timed = points["itl_ms_p50"].dropna()
    assert set(timed.index) == {"aiperf", "inference-perf", "sglang-bench", "vllm-bench"}
    assert timed.max() - timed.min() < 0.1


def test_where_two_still_differ_the_passport_says_why() -> None:
    """llmperf reports a tenth of the others' throughput: its window holds its own pauses."""
    held = {harness: passports(harness) for harness in ("llmperf", "vllm-bench")}
    assert "pauses of the client" in held["llmperf"]["output_tokens_per_s"]["window"]
    assert "ramp and tail" in held["vllm-bench"]["output_tokens_per_s"]["window"]
    assert "opening its connection" in held["llmperf"]["ttft_ms_p50"]["definition"]
    assert "role-only" in held["vllm-bench"]["ttft_ms_p50"]["definition"]


def passports(harness: str) -> dict[str, dict[str, str]]:
    table = reading(SAMPLES / AT_FOUR[harness][0]).passports
    assert table is not None
    return {row["metric"]: row for row in table.to_pylist()}
