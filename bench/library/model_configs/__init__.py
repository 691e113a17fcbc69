"""A Hugging Face config.json: the shape of the model it describes, which becomes a model of the library.

Read are the model types of families.py; the parameters are worked out from the shapes, since no config.json states how
many there are. Towers for images and sound are left out: what is told of is the text model.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from bench import names
from bench.errors import InputError
from bench.formats.reading import SourceFile
from bench.library.model_configs.families import FAMILIES, GEMMA_3, TIED
from bench.library.model_configs.values import ModelConfig
from bench.library.store import Root, publish, staging_folder
from bench.maths.model_shape import ModelShape
from bench.plain_text import visible

__all__ = ["FoundModel", "config_shape", "found_model", "is_config", "keep", "named", "read_config", "slug_of"]

LONGEST_NAME = 100
UNWRITTEN = re.compile(r"[^A-Za-z0-9.]+")
"""What a slug has a hyphen for."""

PER_TOKEN = ("num_experts_per_tok", "num_experts_per_token", "top_k_experts")
EXPERTS = ("n_routed_experts", "num_local_experts", "num_experts")
NESTED = ("text_config", "llm_config", "language_config")


def is_config(file: SourceFile) -> bool:
    """Whether a file looks like a model's config.json, by its keys."""
    outline = file.outline
    typed = outline.has("model_type") or outline.has("architectures")
    return outline.kind == "object" and typed and any(map(outline.has, ("num_hidden_layers", *NESTED)))


def named(path: Path) -> str | None:
    """The model a config.json is of, as the hub's own folder or the file says it; None where neither does.

    A file's own name counts where it is not just "config".
    """
    cached = next((part for part in path.parts if part.startswith("models--")), "")
    if cached.count("--") >= 2:
        return cached.split("--", 2)[2]
    stated = ModelConfig.load(path).text("_name_or_path") or ""
    owner, _, model = stated.partition("/")
    if owner and model and "/" not in model and not stated.startswith((".", "~")):
        return model
    return path.stem if path.stem.lower() not in ("config", "configuration", "params") else None


def read_config(path: Path, slug: str) -> ModelShape:
    """The shape of the model that a config.json describes, under this slug.

    InputError where it is of a type that is not read, or says something that cannot be.
    """
    whole = ModelConfig.load(path)
    config = next((part for key in NESTED if (part := whole.part(key)) is not None), whole)
    kind = config.text("model_type") or whole.text("model_type") or ""
    family = FAMILIES.get(kind)
    if family is None:
        raise InputError(
            f"{path.name} is of a model of the type {_type(whole, kind)}, whose layers are not known here; of others "
            f"{', '.join(sorted(FAMILIES))} are."
        )
    made = family(config)
    if kind.startswith("gemma3"):
        config = ModelConfig({**GEMMA_3, **config.values}, config.file)
    counted = Counter(cache for mixer, _ in made for cache in (mixer.cache, *mixer.beside) if cache is not None)
    table, tables = config.whole("vocab_size") * config.whole("hidden_size"), 1 if _is_tied(config, whole, kind) else 2
    embeddings = tables * table
    rest = sum(mixer.params + feed.params for mixer, feed in made) + embeddings + _per_layer_inputs(config)
    routed = sum(feed.routed for _, feed in made)
    experts = _first(config, EXPERTS) if routed else None
    per_token = _first(config, PER_TOKEN) if routed else None
    if routed and not (experts and per_token and per_token <= experts):
        raise InputError(f"{path.name} does not state how many of its experts a token passes; state {PER_TOKEN[0]}.")
    share = per_token / experts if experts and per_token else 0.0
    return ModelShape(
        name=slug,
        total_params=float(rest + routed),
        active_params=rest + routed * share,
        groups=tuple(replace(group, layers=many) for group, many in counted.items()),
        hidden=config.whole("hidden_size"),
        vocabulary=config.whole("vocab_size"),
        context=config.optional("max_position_embeddings") or None,
        experts=experts,
        experts_per_token=per_token,
        moe_layers=sum(feed.routed > 0 for _, feed in made) if routed else None,
        routed_params=float(routed),
        sixteen_bit_params=float(rest if kind == "gpt_oss" else embeddings),
        lookup_params=float(table if tables == 2 else 0),
        has_computed_params=True,
        source=f"{path.name} ({kind})",
    )


def _is_tied(config: ModelConfig, whole: ModelConfig, kind: str) -> bool:
    """Whether the head is the same table as the embeddings."""
    stated = config if "tie_word_embeddings" in config.values else whole
    return stated.is_set("tie_word_embeddings", default=kind.split("_")[0] in TIED)


def _per_layer_inputs(config: ModelConfig) -> int:
    """What Gemma's small models have beside: an embedding of each token for each layer, and its projections."""
    size = config.optional("hidden_size_per_layer_input") or 0
    layers, hidden = config.whole("num_hidden_layers"), config.whole("hidden_size")
    table = config.whole("vocab_size_per_layer_input", "vocab_size")
    return size * layers * (table + 3 * hidden)


def _first(config: ModelConfig, keys: tuple[str, ...]) -> int | None:
    return next((found for key in keys if (found := config.optional(key))), None)


def _type(whole: ModelConfig, kind: str) -> str:
    """How a file names what it is of: its type, else its architecture."""
    listed = whole.values.get("architectures")
    stated = kind or (listed[0] if isinstance(listed, list) and listed and isinstance(listed[0], str) else "")
    return visible(stated[:60]) or "that it does not state"


@lru_cache(maxsize=256)
def config_shape(file: tuple[str, int, int]) -> ModelShape | str:
    """The shape that a config.json of the library describes, by path, size and time; a text says why there is none."""
    path = Path(file[0])
    try:
        return read_config(path, slug_of(path))
    except InputError as problem:
        return str(problem)
    except OSError as problem:
        return f"{path.name} cannot be read: {problem.strerror or problem}."


@dataclass(frozen=True)
class FoundModel:
    """A config.json among the files of an import, and the model that it describes; `file` is how it is shown.

    `written` is the model's name as whoever named it wrote it, where the slug is no more than that in lower case.
    """

    path: Path
    file: str
    shape: ModelShape
    written: str


def found_model(path: Path, shown: str, stated: str | None) -> FoundModel:
    """The model of a config.json, under the name that is stated for it or that it has itself."""
    name = stated or named(path)
    slug = names.model_slug(name) if name else ""
    if not slug or len(slug) > LONGEST_NAME:
        raise InputError(
            f"{path.name} does not say which model it is of: name the file as the model, such as Example-9B.json, or "
            "state it with --set model=Example-9B."
        )
    written = UNWRITTEN.sub("-", (name or "").strip().rsplit("/", 1)[-1]).strip("-.")
    return FoundModel(path, shown, read_config(path, slug), written if written.lower() == slug else slug)


def slug_of(path: Path) -> str:
    """The slug of the model that a config.json of the library is of: its name there, which keeps capitals."""
    return path.stem.lower()


def keep(root: Root, model: FoundModel) -> None:
    """Write a config.json into the library, where it stands for its model from now on."""
    root.models.mkdir(parents=True, exist_ok=True)
    with staging_folder(root) as folder:
        staged = folder / f"{model.written}.json"
        staged.write_bytes(model.path.read_bytes())
        kept = root.models / staged.name
        publish([(staged, kept)])
    for path in root.models.glob("*.json"):
        if slug_of(path) == model.shape.name and not path.samefile(kept):
            path.unlink(missing_ok=True)
