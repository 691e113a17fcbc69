"""What a memory answer says, to the letter: each kind of sentence once in every form it has."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from bench.library import Library
from bench.questions import memory
from bench.view import View
from tests.questions.saying import statements

CONFIGS = Path(__file__).parents[2] / "library" / "model_configs" / "files"

Filters = Mapping[str, list[str]]

LLAMA = {"model": ["llama-3.1-70b"], "precision": ["fp8"]}
DEEPSEEK = {"model": ["deepseek-r1"], "precision": ["fp8"]}

SAID: dict[str, tuple[Filters, dict[str, str]]] = {
    "one chip": (
        {**LLAMA, "accelerator": ["h100-sxm"]},
        {
            "fits": (
                "Llama 3.1 70B FP8 needs at least one chip: one H100 SXM holds 7 requests of 2,048 tokens at once."
            ),
            "fewest": "1 chip at least: H100 SXM.",
            "reserved": (
                "Beside the 6.2 GiB a device that vLLM was logged to reserve at most it needs at least 2 chips"
                " (H100 SXM)."
            ),
            "at_most": (
                "At most: 90 % of the memory is used; activations and buffers, 4.9 to 6.2 GiB a device in vLLM's logs,"
                " are not taken off."
            ),
        },
    ),
    "several chips": (
        {**DEEPSEEK, "accelerator": ["mi355x", "h200-sxm"]},
        {
            "fits": ("DeepSeek-R1 FP8 needs at least 4 chips: 4 MI355X hold 2,672 requests of 2,048 tokens at once."),
            "fewest": "4 chips at least: MI355X. 8 chips at least: H200 SXM.",
            "reserved": (
                "Beside the 7.9 GiB a device that vLLM was logged to reserve at most, 2,436 requests of 2,672 are left."
            ),
        },
    ),
    "a cache whose size nobody published": (
        {"model": ["kimi-k2.5"], "precision": ["fp4"], "accelerator": ["mi355x"]},
        {"fits": "Kimi K2.5 FP4 needs at least 2 MI355X."},
    ),
    "an accelerator whose memory nobody published": (
        {**LLAMA, "accelerator": ["h100-sxm", "groq-lpu"]},
        {"unknown": "Not known, for a fact that is not published: Groq LPU."},
    ),
    "that alone": (
        {**DEEPSEEK, "accelerator": ["groq-lpu"]},
        {"fits": "What DeepSeek-R1 FP8 needs is not known: no memory of Groq LPU is published."},
    ),
    "no number of chips": (
        {**DEEPSEEK, "precision": ["fp32"], "accelerator": ["tpu-v5e"]},
        {"fits": ("DeepSeek-R1 FP32 does not fit on up to 64 chips; choose other accelerators or a lower precision.")},
    ),
    "no model": ({"accelerator": ["h100-sxm"]}, {"fits": "No model is selected; choose one."}),
    "a model that nobody knows": (
        {"model": ["no-such-model"], "precision": ["fp8"]},
        {
            "fits": (
                "What no-such-model FP8 needs is not known: no parameter count of it is published here;"
                " choose another model."
            )
        },
    ),
    "no precision": (
        {"model": ["deepseek-r1"], "accelerator": ["h100-sxm"]},
        {"fits": "What DeepSeek-R1 needs is not known: the precision of its weights is not stated; choose one."},
    ),
    "a precision that nobody knows": (
        {**DEEPSEEK, "precision": ["fp3"]},
        {"fits": "What DeepSeek-R1 FP3 needs is not known: the size of FP3 weights is not known here."},
    ),
}

CHOSEN: dict[str, tuple[Filters, dict[str, str], dict[str, str]]] = {
    "a reserve of one's own": (
        {**LLAMA, "accelerator": ["h100-sxm"]},
        {"memory_used": "0.95", "reserve": "2"},
        {
            "reserved": (
                "Beside the 6.2 GiB a device that vLLM was logged to reserve at most, 4 requests of 10 are left."
            ),
            "at_most": "At most: 95 % of the memory is used, 2 GiB of each device reserved (GiB: 2^30 bytes).",
        },
    ),
    "chips too small for what is reserved": (
        {**DEEPSEEK, "accelerator": ["t4"]},
        {},
        {
            "reserved": (
                "Beside the 7.9 GiB a device that vLLM was logged to reserve at most it fits on no count up to 64"
                " chips."
            )
        },
    ),
    "a latent cache in tensor parallel": (
        {**DEEPSEEK, "accelerator": ["h200-sxm"]},
        {"layout": "tp"},
        {"latent": "In tensor parallel every device keeps the whole latent cache of every request."},
    ),
    "logs of an engine": (
        {**LLAMA, "model": ["llama-3.3-70b"], "accelerator": ["h100-sxm"]},
        {},
        {
            "allocated": (
                "vLLM logged on 2 H100 SXM 33.9 GiB of weights a device (predicted minus allocated -0.3) and 32 for"
                " cache (+0.2 to +1.5). vLLM logged on 1 H100 SXM 67.7 GiB of weights a device (predicted minus"
                " allocated -0.6) and -1.44 for cache (+0.1 to +1.4)."
            )
        },
    ),
    "a log without a cache": (
        {"model": ["gpt-oss-120b"], "precision": ["fp4"], "accelerator": ["h100-sxm"]},
        {},
        {"allocated": ("vLLM logged on 1 H100 SXM 64.4 GiB of weights a device (predicted minus allocated -3.2).")},
    ),
}

SIDE_BY_SIDE: dict[str, tuple[Filters, dict[str, str]]] = {
    "each of two": (
        {"model": ["llama-3.1-8b", "deepseek-r1"], "precision": ["fp8"], "accelerator": ["h200-sxm"]},
        {
            "fits": ("Llama 3.1 8B FP8 needs at least 1 chip (H200 SXM) and DeepSeek-R1 FP8 8 chips (H200 SXM)."),
            "fewest": (
                "For Llama 3.1 8B FP8, 1 chip at least: H200 SXM. For DeepSeek-R1 FP8, 8 chips at least: H200 SXM."
            ),
        },
    ),
    "one of two": (
        {"model": ["llama-3.3-70b", "flan-t5-xl"]},
        {
            "fits": "Llama 3.3 70B FP4 needs at least 1 chip (GB200).",
            "model_left_out": (
                "Left out: What Flan-T5 XL needs is not known: the precision of its weights is not stated; choose one."
            ),
        },
    ),
}


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Library:
    return Library.open(tmp_path_factory.mktemp("none") / "own", shipped=False)


@pytest.mark.parametrize(("where", "texts"), SAID.values(), ids=SAID)
def test_a_sentence_of_each_kind(where: Filters, texts: dict[str, str], empty: Library) -> None:
    answer = memory.answer(empty, View.of(where))
    assert {kind: " ".join(one.text for one in statements(answer, kind)) for kind in texts} == texts


@pytest.mark.parametrize(("where", "options", "texts"), CHOSEN.values(), ids=CHOSEN)
def test_what_is_said_where_more_is_chosen(
    where: Filters, options: dict[str, str], texts: dict[str, str], empty: Library
) -> None:
    answer = memory.answer(empty, View.of(where, options))
    assert {kind: " ".join(one.text for one in statements(answer, kind)) for kind in texts} == texts


def test_of_a_dropped_config(tmp_path: Path) -> None:
    own = Library.open(tmp_path / "own", shipped=False)
    own.add([CONFIGS / "granite-4.0-h-small.json"], {"model": "ibm-granite/Granite-4.0-H-Small"})
    answer = memory.answer(own, View.of({"model": ["granite-4.0-h-small"], "accelerator": ["mi355x"]}))
    (said,) = statements(answer, "fits")
    assert said.text == (
        "What Granite-4.0-H-Small needs is not known: the precision of its weights is not stated; choose one."
    )
    answer = memory.answer(own, answer.view.with_options(weights="bf16"))
    assert [one.text for kind in ("fits", "computed") for one in statements(answer, kind)] == [
        "Granite-4.0-H-Small BF16 needs at least one chip: one MI355X holds 1,147 requests of 2,048 tokens at once.",
        "32.2 B parameters, computed from the shapes in its config.json.",
    ]


@pytest.mark.parametrize(("where", "texts"), SIDE_BY_SIDE.values(), ids=SIDE_BY_SIDE)
def test_of_models_side_by_side(where: Filters, texts: dict[str, str], shipped: Library) -> None:
    answer = memory.answer(shipped, View.of(where))
    assert {kind: " ".join(one.text for one in statements(answer, kind)) for kind in texts} == texts
