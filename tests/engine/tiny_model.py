"""Makes a Llama of any size with random weights and a tokenizer, in a folder for an engine; nothing is fetched.

Run by the engine's own Python: `python tests/engine/tiny_model.py FOLDER --layers 4 --hidden 128`. What it writes is
nonsense at the speed of a model of its size. The tokenizer is trained on this project's documents, so that most words
are one token and some are several.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import torch
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

TEXTS = sorted((Path(__file__).resolve().parents[2] / "docs").glob("*.md"))
VOCABULARY, CONTEXT, HEAD = 2048, 4096, 32
SPECIAL = ["<s>", "<unk>", "<|user|>", "<|assistant|>"]
TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}<|user|>{{ message['content'] }}{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


def tokenizer() -> PreTrainedTokenizerFast:
    """A BPE over whole characters: whatever the model says can be shown at once, token by token."""
    trained = Tokenizer(models.BPE(unk_token="<unk>"))
    trained.pre_tokenizer = pre_tokenizers.Metaspace()
    trained.decoder = decoders.Metaspace()
    trainer = trainers.BpeTrainer(vocab_size=VOCABULARY, special_tokens=SPECIAL, show_progress=False)
    trained.train([str(path) for path in TEXTS], trainer)
    assert trained.get_vocab_size() == VOCABULARY
    made = PreTrainedTokenizerFast(tokenizer_object=trained, bos_token="<s>", unk_token="<unk>")
    made.chat_template = TEMPLATE
    return made


def model(asked: argparse.Namespace) -> LlamaForCausalLM:
    """Random weights, the same for the same size. It never ends an answer by itself and says nothing but text."""
    torch.manual_seed(7)
    heads = asked.hidden // asked.head_size
    config = LlamaConfig(
        vocab_size=asked.vocabulary,
        hidden_size=asked.hidden,
        intermediate_size=asked.intermediate or asked.hidden * 8 // 3 // 8 * 8,
        num_hidden_layers=asked.layers,
        num_attention_heads=heads,
        num_key_value_heads=asked.kv_heads or max(1, heads // 4),
        head_dim=asked.head_size,
        max_position_embeddings=CONTEXT,
        bos_token_id=0,
        eos_token_id=None,
        tie_word_embeddings=not asked.untied,
        dtype=asked.dtype,
    )
    torch.set_default_dtype(getattr(torch, asked.dtype))
    with torch.device(asked.device):
        made = LlamaForCausalLM(config)
    with torch.no_grad():  # what is not text, or beyond the tokenizer, is never the likeliest
        made.get_output_embeddings().weight[: len(SPECIAL)] = 0
        made.get_output_embeddings().weight[VOCABULARY:] = 0
    made.generation_config = GenerationConfig(bos_token_id=0, do_sample=False)
    return made


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--hidden", type=int, default=128)
    parser.add_argument("--head-size", type=int, default=32)
    parser.add_argument("--kv-heads", type=int, help="default: a quarter of the heads")
    parser.add_argument("--intermediate", type=int, help="default: 8/3 of the hidden size")
    parser.add_argument(
        "--vocabulary", type=int, default=VOCABULARY, help="tokens beyond the tokenizer's are never said"
    )
    parser.add_argument("--untied", action="store_true", help="weights of its own for the output")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--device", default="cpu", help="where the weights are drawn")
    asked = parser.parse_args()
    made = model(asked)
    made.save_pretrained(asked.folder)
    tokenizer().save_pretrained(asked.folder)
    print(f"{asked.folder}: {sum(weight.numel() for weight in made.parameters()):,} parameters")


if __name__ == "__main__":
    main()
