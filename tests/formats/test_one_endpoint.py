"""One endpoint measured by seven tools: what they call alike lands side by side, and what they do not is told apart.

The server takes 4 ms and 0.1 ms for each running request a step, 30 ms and 0.05 ms for each prompt token before the
first: at concurrency 4 a step of 4.4 ms, and with 100 prompt tokens 35 ms. What it saw itself in each run is beside the
tool; inference-perf asked for 32 tokens and llmperf for 64, the others for 128.
"""

from __future__ import annotations

import pandas as pd
import pytest

from bench.library.library import Library
from bench.questions import question
from bench.view import View
from tests.formats.damage import SAMPLES
from tests.formats.reading_of import passports, read_points

AT_FOUR = {
    "aiperf": ("aiperf/concurrency-4/profile_export_aiperf.json", 4.4109, 35.16),
    "genai-bench": ("genai_bench/levels/D100_128_text-to-text_num_concurrency_4_time_4s.json", 4.4, 35.0),
    "guidellm": ("guidellm/concurrency-4/benchmarks.json", 4.3970, 34.44),
    "inference-perf": ("inference_perf/concurrency-4/stage_0_lifecycle_metrics.json", 4.3248, 34.72),
    "llmperf": ("llmperf/mock-model_100_64_summary.json", 4.3583, 35.44),
    "sglang-bench": ("sglang/rust-concurrency-4.jsonl", 4.4264, 32.58),
    "vllm-bench": ("vllm/concurrency-4.json", 4.3998, 34.50),
}
SERVED = {"aiperf": 814.5, "guidellm": 846.9, "inference-perf": 670.9, "sglang-bench": 848.3, "vllm-bench": 860.3}
"""Output tokens a second between the first byte and the last, as the server saw them; genai-bench was not logged."""
AT_SIXTEEN = {
    "aiperf": "aiperf/levels/concurrency_16/profile_export_aiperf.json",
    "genai-bench": "genai_bench/levels/D100_128_text-to-text_num_concurrency_16_time_2s.json",
    "guidellm": "guidellm/concurrency-16/benchmarks.json",
    "sglang-bench": "sglang/sglang-oai-chat_1120_levels.jsonl",
    "vllm-bench": "vllm/concurrency-16.json",
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    """Every tool's file, in a library in which people stated what vLLM and SGLang leave open."""
    library = Library.open(tmp_path_factory.mktemp("one") / "library", shipped=False)
    facts = {
        "model": "mock-model",
        "checkpoint": "mock-model",
        "isl_requested": 100,
        "accelerator": "cpu",
        "accelerators": 1,
        "engine": "mock",
    }
    report = library.add([SAMPLES / path for path, _, _ in AT_FOUR.values()], facts)
    assert [len(report.imported), report.refused] == [len(AT_FOUR), []]
    return library


@pytest.fixture(scope="module")
def points(library: Library) -> pd.DataFrame:
    """Every tool's point, by harness."""
    return library.query("SELECT * FROM points").set_index("harness")


def test_they_are_one_deployment_under_one_load(points: pd.DataFrame) -> None:
    assert set(points.index) == set(AT_FOUR)
    for column, value in {"model": "mock-model", "load_kind": "closed", "concurrency": 4, "isl": 100}.items():
        assert set(points[column]) == {value}, column
    assert points["deployment_id"].nunique() == 1
    assert points["osl"].drop(["inference-perf", "llmperf"]).unique() == pytest.approx([128])


def test_tpot_is_the_server_s_step_whatever_the_tool_calls_it(points: pd.DataFrame) -> None:
    """AIPerf and GuideLLM print it as inter-token latency; llmperf does not print it, its requests give it."""
    for harness, (_, step, _) in AT_FOUR.items():
        assert points.loc[harness, "tpot_ms_p50"] == pytest.approx(step, rel=0.005), harness
        interactivity = points.loc[harness, "interactivity_tokens_per_s_per_user_p50"]
        assert interactivity == pytest.approx(1000 / step, rel=0.005), harness


def test_ttft_is_the_server_s_and_what_the_client_adds(points: pd.DataFrame) -> None:
    """They shared two cores with the server, and some open a connection inside it: up to 4 ms."""
    for harness, (_, _, first) in AT_FOUR.items():
        assert 0 < points.loc[harness, "ttft_ms_p50"] - first < 4, harness


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


def test_throughput_is_what_was_served_less_the_client_s_start_and_end(points: pd.DataFrame) -> None:
    """The client's clock starts before the first byte and ends after the last: up to 0.5 % of a few seconds."""
    for harness, served in SERVED.items():
        assert 0.995 < points.loc[harness, "output_tokens_per_s"] / served <= 1, harness


def test_of_a_hundred_tokens_asked_for_each_counts_its_own(points: pd.DataFrame) -> None:
    """Each tool's prompts have 100 tokens by its own tokenizer; where the server counted others, the point says so."""
    counted = points["isl_actual"].to_dict()
    off = {harness for harness, isl in counted.items() if abs(isl - 100) > 5}
    assert off == {"aiperf", "genai-bench", "guidellm", "inference-perf", "vllm-bench"}
    assert all(46 < counted[harness] < 62 for harness in off)


@pytest.mark.parametrize("harness", AT_SIXTEEN)
def test_at_sixteen_they_agree_too(harness: str) -> None:
    """A step of 4 ms and 16 x 0.1 ms; on two cores shared with the client it takes up to 5 % more."""
    points = [point for point in read_points(SAMPLES / AT_SIXTEEN[harness])[0] if point["concurrency"] == 16]
    assert [point["tpot_ms_p50"] for point in points] == [pytest.approx(5.6, rel=0.05)]


def test_they_are_one_answer(library: Library) -> None:
    """A frontier of all seven where all are asked for, not of the one workload that five share."""
    view = View.of({"model": ["mock-model"]}, {"x": "tpot_ms_p50", "y": "output_tokens_per_s"}, whole=True)
    assert len(question("pareto").answer(library, view).rows) == 7


def test_where_two_still_differ_the_passport_says_why() -> None:
    """When TTFT begins and what ends E2EL, which gaps are ITL, how TPOT is weighted and who counted the tokens."""
    held = {harness: passports(SAMPLES / AT_FOUR[harness][0]) for harness in AT_FOUR}
    says = {
        ("aiperf", "ttft_ms_p50"): "opening a connection is not inside",
        ("guidellm", "ttft_ms_p50"): "the first request of a connection opens it",
        ("guidellm", "tpot_ms_p50"): "weighted by its output tokens - 1",
        ("guidellm", "ntpot_ms_p50"): "GuideLLM's TPOT",
        ("guidellm", "e2el_ms_p50"): "its trailing usage included",
        ("aiperf", "tpot_ms_p50"): "the tool's inter-token latency",
        ("aiperf", "itl_ms_p50"): "inter-chunk latency",
        ("inference-perf", "itl_ms_p50"): "pooled over the requests",
        ("llmperf", "ntpot_ms_p50"): "labelled inter-token latency",
        ("sglang-bench", "ttft_ms_p50"): "a pool of open connections",
        ("genai-bench", "tpot_ms_p50"): "under 1 ms are left out",
        ("genai-bench", "ttft_ms_p50"): "opening its connection included",
        ("genai-bench", "e2el_ms_p50"): "trailing usage chunk",
        ("inference-perf", "tpot_ms_p50"): "last token - first token",
    }
    for (harness, metric), words in says.items():
        assert words in held[harness][metric]["definition"], (harness, metric)
    counted = {harness: held[harness]["output_tokens_per_s"]["token_source"] for harness in AT_FOUR}
    assert counted["inference-perf"] == "the tool's tokenizer"
    assert counted["llmperf"] == "one LLaMA tokenizer, whatever the model"
    assert counted["genai-bench"] == "server's usage"
    assert counted["guidellm"] == "server's usage, else one token for each chunk"
    assert "pauses of the client" in held["llmperf"]["output_tokens_per_s"]["window"]
    assert "ramp and tail" in held["vllm-bench"]["output_tokens_per_s"]["window"]
    assert "opening its connection" in held["llmperf"]["ttft_ms_p50"]["definition"]
    assert "role-only" in held["vllm-bench"]["ttft_ms_p50"]["definition"]
