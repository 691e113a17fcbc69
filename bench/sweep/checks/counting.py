"""How many tokens a text has: as the endpoint counts it, or by a model's own tokenizer.json where it counts none."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.errors import BenchError, InputError, UsageError
from bench.sweep.checks.endpoint_probe import EndpointProbe, NotReached
from bench.sweep.wire.bodies import RequestStyle

PROBES = ("The sea is far.", "The sea is far, and the road that leads there is long and has no shade.")
"""Two lengths: what a chat template adds is the same for both. Who counts both alike counts nothing."""


MOST_BYTES = 256 * 2**20
"""The largest tokenizers there are take some 35 MB."""


class Counter:
    """Counts texts; `by` says how, None when the endpoint counts nothing.

    `usage` gives the input tokens of texts as whole requests are counted, with streamed answers or, where these do not
    tell, with `whole` ones. /tokenize is used when it differs from that by the same number for two texts, which is what
    stands around every prompt, and where there is no usage at all.
    """

    def __init__(
        self,
        site: EndpointProbe,
        manner: RequestStyle,
        usage: Callable[[Sequence[str]], Sequence[int | None]],
        whole: Callable[[Sequence[str]], Sequence[int | None]] | None = None,
    ) -> None:
        self._site, self._manner, self._usage, self._whole = site, manner, usage, whole
        self._around = 0
        self.by: str | None = None
        self.usage_is_constant = False

    def works(self) -> bool:
        """Whether the endpoint counts at all; found out by counting two texts."""
        self.by = "usage"
        billed = self._billed()
        if len(billed) < len(PROBES) and self._whole is not None:
            streams_alike = self.usage_is_constant
            self.by, self._usage = "usage, which comes with answers in one piece", self._whole
            billed = self._billed()
            self.usage_is_constant |= streams_alike  # the load is of streams, whose usage is no count then
        counts = [self._tokenized(text) for text in PROBES]
        if len(billed) < len(PROBES):
            self.by = None if None in counts else "/tokenize, without the chat template"
            return self.by is not None
        around = {bill - count for bill, count in zip(billed, counts, strict=True) if count is not None}
        if None not in counts and len(around) == 1:
            self.by, self._around = "/tokenize", around.pop()
        return True

    def _billed(self) -> list[int]:
        """The counts of the two texts in usage; none where both are the same, whatever the text."""
        billed = [count for count in self._usage(PROBES) if count is not None]
        self.usage_is_constant = len(billed) == len(PROBES) and len(set(billed)) == 1
        return [] if self.usage_is_constant else billed

    def __call__(self, texts: Sequence[str]) -> list[int]:
        """The input tokens the endpoint counts for a request of each text; BenchError when it stopped counting."""
        if self.by is not None and self.by.startswith("/tokenize"):
            told = [self._tokenized(text) for text in texts]
            counts: list[int | None] = [None if count is None else count + self._around for count in told]
        else:
            counts = list(self._usage(texts))
        known = [count for count in counts if count is not None]
        if len(known) < len(texts):
            raise BenchError(
                f"The endpoint counted {len(known)} of {len(texts)} texts: isl cannot be calibrated, look at its log."
            )
        return known

    def _tokenized(self, text: str) -> int | None:
        """The tokens of a text by the tokenizer's route; None where there is none."""
        given = {"model": self._manner.model, "prompt": text, "content": text, "inputs": text}
        try:
            reply = self._site.post("/tokenize", json.dumps(given).encode())
        except NotReached:
            return None
        return _count(reply.document) if reply.status == 200 else None


def _count(document: Any) -> int | None:
    """The number of tokens in an answer of vLLM and SGLang (count), llama.cpp (tokens) or TGI (a list)."""
    if isinstance(document, Mapping):
        count = document.get("count")
        if isinstance(count, int):
            return count
        document = document.get("tokens")
    return len(document) if isinstance(document, list) else None


class TokenizerFile:
    """Counts texts by a tokenizer.json; what a chat template puts around them is not known and not counted.

    Needs the `tokenizers` library of requirements-tokenizer.txt, which the app itself does without.
    """

    by = "the tokenizer file, without the chat template"

    def __init__(self, path: Path) -> None:
        self._tokenizer = _tokenizer(path)

    def __call__(self, texts: Sequence[str]) -> list[int]:
        """The tokens of each text."""
        found = self._tokenizer.encode_batch(list(texts), add_special_tokens=False)
        return [len(one.ids) for one in found]


def _tokenizer(path: Path) -> Any:
    try:
        from tokenizers import Tokenizer
    except ImportError:
        raise UsageError(
            "endpoint.tokenizer needs the tokenizers library: pip install -r requirements-tokenizer.txt."
        ) from None
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            raise InputError(f"{path} has {size:,} bytes, and no tokenizer.json has: give the model's own.")
        text = path.read_text(encoding="utf-8")
    except OSError as problem:
        raise InputError(f"endpoint.tokenizer {path} cannot be read: {problem.strerror}.") from problem
    except UnicodeDecodeError:
        raise InputError(f"endpoint.tokenizer {path} is no text: give the model's tokenizer.json.") from None
    try:
        return Tokenizer.from_str(text)
    except Exception as problem:  # the library raises bare Exceptions for a file that it cannot read
        raise InputError(f"endpoint.tokenizer {path} is no tokenizer.json: {str(problem)[:200]}.") from problem
