"""How many GPUs each figure of an InferenceX result was divided by, and the layout they are in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bench import names
from bench.formats.reading import MOST_WHOLE, Fields

OF_ROLES = (
    "prefill_tp prefill_ep prefill_dp_attention prefill_num_workers decode_num_workers num_prefill_gpu num_decode_gpu "
    "is_multinode".split()
)
"""What a dump has of each role, which repeats one node's."""


@dataclass(frozen=True)
class Layout:
    """The divisors of a result's three throughputs (None where they are not known), and the deployment's fields."""

    all: int | None
    decode: int | None
    prefill: int | None
    deployment: dict[str, Any]


def layout_of(stated: Fields, accelerator: str | None) -> Layout:
    """The layout that a result or a configuration states, on this accelerator."""
    roles = _flag(stated, "disagg")
    layout = _roles(stated) if roles or _by_node(stated) else _together(stated)
    facts = layout.deployment | {"accelerator": accelerator, "disaggregated": roles, "devices": layout.all}
    if names.one_device_a_chip(accelerator):
        facts["accelerators"] = layout.all
    else:
        facts |= {"prefill_accelerators": None, "decode_accelerators": None}
    return Layout(layout.all, layout.decode, layout.prefill, {k: v for k, v in facts.items() if v is not None})


def _by_node(stated: Fields) -> bool:
    """Whether the counts by role are of several nodes; the dump repeats one node's count under both roles."""
    return bool(_flag(stated, "is_multinode")) and "hw" in stated


def _roles(stated: Fields) -> Layout:
    prefill, decode = stated.count("num_prefill_gpu") or 0, stated.count("num_decode_gpu") or 0
    total = prefill + decode
    fields = {
        "tp": stated.count("decode_tp") or stated.count("prefill_tp"),
        "ep": stated.count("decode_ep") or stated.count("prefill_ep"),
        "pp": stated.count("decode_pp"),
        "dp_attention": _flag(stated, "decode_dp_attention"),
        "prefill_accelerators": prefill or None,
        "decode_accelerators": decode or None,
        "prefill_tp": stated.count("prefill_tp"),
        "prefill_ep": stated.count("prefill_ep"),
        "prefill_dp_attention": _flag(stated, "prefill_dp_attention"),
        "prefill_workers": stated.count("prefill_num_workers"),
        "decode_workers": stated.count("decode_num_workers"),
    }
    stated.passed_over("prefill_pp", "prefill_pcp_size", "decode_pcp_size", "is_multinode")
    # As process_result.py divides them: output by all GPUs where none only decodes.
    return Layout(total or None, decode or total or None, prefill or total or None, fields)


def _together(stated: Fields) -> Layout:
    """One group of GPUs does both: tp x pp x pcp of them. The dump has its layout under decode_, and no pp or pcp."""
    tp = stated.count("tp") or stated.count("decode_tp")
    pp, pcp = stated.count("pp"), stated.count("pcp_size")
    count = tp * (pp or 1) * (pcp or 1) if tp else None
    if count is not None and count > MOST_WHOLE:
        raise stated.unfit("tp", count, "a number of GPUs that exist")
    fields = {
        "tp": tp,
        "pp": pp,
        "ep": stated.count("ep") or stated.count("decode_ep"),
        "dp_attention": _flag(stated, "dp_attention" if "dp_attention" in stated else "decode_dp_attention"),
    }
    stated.passed_over(*OF_ROLES)
    return Layout(count, count, count, fields)


def _flag(stated: Fields, key: str) -> bool | None:
    """True or false, which the tool also writes as a text."""
    value = stated.raw(key)
    if isinstance(value, str):
        return {"true": True, "1": True, "false": False, "0": False}.get(value.lower())
    return stated.truth(key)
