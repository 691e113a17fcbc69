"""What is said about rvLLM's page: its card, how each metric was made, and what is doubtful about its figures."""

from __future__ import annotations

from bench.records import Flag
from data.recipes.tables import Card

URL = "https://github.com/m0at/rvllm"
JAX_LOOP = "rvllm jax decode loop"
CUDA_LOOP = "rvllm cuda graph decode loop"
CLIENT = "rvllm concurrent requests"
UNKNOWN_CLIENT = "rvllm client not stated"

CARD = Card(
    slug="rvllm-tpu-v6e-vs-h100",
    title="rvLLM: Gemma 4 on TPU v6e-4 and H100, with vLLM on H100",
    licence="Apache-2.0 (repository); figures only, no text",
    licence_url="https://www.apache.org/licenses/LICENSE-2.0",
    url=URL,
    attribution="m0at/rvllm, benchmark page as updated 2026-06-10",
    metrics={
        "output_tokens_per_s": {
            "definition": "converted: rvLLM prints batch / step time of a decode loop, without requests, queue or "
            "prefill; vLLM prints tokens of concurrent requests to a server, all of that included",
            "unit_in_file": "tok/s, batch x rate of one sequence",
            "denominator": "decode loop; for vLLM the requests",
            "window": "after warm-up; from the first cached run on the TPU",
            "token_source": "batch x steps; for vLLM not stated",
        },
        "decode_step_ms_mean": {"definition": "as catalogue", "unit_in_file": "ms/step"},
        "ttft_cold_ms": {
            "definition": "as catalogue, XLA compilation included; one prompt token by its table, two by its method",
            "unit_in_file": "ms",
        },
        "ttft_cached_ms": {
            "definition": "as catalogue; one prompt token by its table, two by its method; on the H100 a short prompt",
            "unit_in_file": "ms",
        },
        "ttft_ms_mean": {
            "definition": "time of a 1,200-token prefill, token by token; statistic not stated",
            "unit_in_file": "s",
        },
    },
)

DECODE_ONLY = Flag(
    kind="decode-only",
    seen="Throughput of a decode loop: no requests, no queue, no prefill.",
    why="A server's figure has all of that inside, so this one reads higher than the same engine would serve.",
    do="Compare it with other decode loops; read a lead over a server with care.",
)
SERVER_FIGURE = Flag(
    kind="server-figure",
    seen="The page's batch column of a server: requests in flight, with scheduler and prefill inside.",
    why="The other columns of that table are decode loops of a static batch.",
    do="Compare it with other servers at the same concurrency.",
)
NOT_MONOTONIC = Flag(
    kind="implausible",
    seen="15 tok/s at 32K, 11 at 64K, 24.7 at 128K, though the page calls the path up to 32K the fastest.",
    why="A longer context cannot be read faster on the same path; the 128K figure is another path.",
    do="Do not draw one line through these contexts.",
)
ITERATIONS = Flag(
    kind="methodology",
    seen="100 iterations in April, 40 after 8 of warm-up in June; June reads 3 to 10 % lower from batch 64 on.",
    why="The page itself calls the difference noise of the method, not a regression.",
    do="Do not read a trend into April and June.",
)
STATISTIC = Flag(
    kind="unstated-statistic",
    seen="One time is printed, in a list of open items.",
    why="Nothing says how often it was measured; another line of the page calls it an earlier state.",
    do="Take it for the order of magnitude.",
)

EAGLE = "projected at tau 3.5 with 50,000 training examples; 2,000 had been used; context not stated"
PROFILED = "total step under the profiler; the context table of the same page prints 12.79 ms"
SHORT_PROMPT = "cached or short prompt; prompts beyond the 1,024-token window prefill token by token"
LONG_PROMPT = "20.5 s for 1,200 prompt tokens, named as an open item"
DOUBTED = "flagged by the page for re-verification: better than the BF16 reference"
LOWER_IS_ODD = "the page's lower-precision KV gives the better perplexity"
EARLIER_PATHS = {
    "25.51": ("bf16", "JAX, single scan, original baseline"),
    "22.8": ("int8", "JAX, single scan, per-head scales"),
    "19.24": ("int8", "JAX, split cache, circular buffer, blockwise"),
}
