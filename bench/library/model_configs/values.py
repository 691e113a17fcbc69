"""The values of a config.json of unknown origin: each is what its key must be, within limits, or a plain sentence."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bench.errors import InputError
from bench.plain_text import visible

MAX_BYTES = 10_000_000
SHOWN = 40

MOST: Mapping[str, int] = {
    "num_hidden_layers": 1_000,
    "hidden_size": 1_000_000,
    "vocab_size": 100_000_000,
    "max_position_embeddings": 1_000_000_000,
    "sliding_window": 1_000_000_000,
}
ELSE_MOST = 10_000_000
"""No published model has a size near these; what is larger is a slip or a joke."""

BYTES_OF = {"float32": 4, "bfloat16": 2, "float16": 2}


class ModelConfig:
    """One model's part of a config.json; a value that is not what its key must be is an InputError."""

    def __init__(self, values: Mapping[str, Any], file: str) -> None:
        self.values, self.file = values, file

    @classmethod
    def load(cls, path: Path) -> ModelConfig:
        """The whole file."""
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path.name} has more than {MAX_BYTES:,} bytes, as no config.json of a model does.")
        try:
            document = json.loads(path.read_text(encoding="utf-8-sig"))
        except (ValueError, RecursionError) as problem:
            raise InputError(
                f"{path.name} is no JSON document that can be read; save it as the hub has it."
            ) from problem
        if not isinstance(document, dict):
            raise InputError(f"{path.name} holds no JSON object; a model's config.json is one.")
        return cls(document, path.name)

    def text(self, key: str) -> str | None:
        """A text; None where the key is absent or no text."""
        found = self.values.get(key)
        return found if isinstance(found, str) else None

    def whole(self, key: str, *others: str, default: int | None = None, least: int = 1) -> int:
        """The whole number under the first of these keys that has a value."""
        for one in (key, *others):
            found = self.values.get(one)
            if found is not None:
                return self._checked(one, found, least)
        if default is not None:
            return default
        raise InputError(f"{self.file} does not state {key}, which the size of its model needs.")

    def optional(self, key: str) -> int | None:
        """The whole number under this key, or None where it is absent."""
        found = self.values.get(key)
        return None if found is None else self._checked(key, found, 0)

    def is_set(self, key: str, default: bool = False) -> bool:
        """Whether this switch is on."""
        value = self.values.get(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise InputError(f"{self.file}: {key} is {_short(value)}, and must be true or false.")
        return value

    def kinds(self, key: str, known: Mapping[str, str], layers: int) -> list[str] | None:
        """The kind of each layer as a list under this key has it; None where there is none."""
        names = self.values.get(key)
        if names is None:
            return None
        if not isinstance(names, list) or len(names) != layers:
            raise InputError(f"{self.file}: {key} must have one entry for each of the {layers} layers.")
        for one in names:
            if not isinstance(one, str) or one not in known:
                raise InputError(f"{self.file}: {key} has a layer {_short(one)}, which is not known here.")
        return [known[one] for one in names]

    def listed(self, key: str) -> list[int]:
        """The layers' numbers in a list under this key."""
        found = self.values.get(key) or []
        if not isinstance(found, list):
            raise InputError(f"{self.file}: {key} is {_short(found)}, and must be a list of layers.")
        return [self._checked(key, one, 0) for one in found]

    def part(self, key: str) -> ModelConfig | None:
        """The object under this key; None where there is none."""
        found = self.values.get(key)
        return ModelConfig(found, self.file) if isinstance(found, dict) else None

    def state_bytes(self, default: int = 4) -> int:
        """Bytes of a value of a recurrent state: FP32 unless the file says otherwise."""
        return BYTES_OF.get(self.text("mamba_ssm_dtype") or self.text("mamba_ssm_cache_dtype") or "", default)

    def _checked(self, key: str, value: object, least: int) -> int:
        most = MOST.get(key, ELSE_MOST)
        number = int(value) if isinstance(value, float) and value.is_integer() and abs(value) <= most else value
        if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= most:
            raise InputError(
                f"{self.file}: {key} is {_short(value)}, and must be a whole number from {least} to {most:,}."
            )
        return number


def _short(value: object) -> str:
    """A value as a sentence shows it."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (ValueError, RecursionError):
        return f"a {type(value).__name__}"
    shown = visible(text)
    return shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}…"
