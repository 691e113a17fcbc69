"""Accelerators, models and engines: names that are unambiguous, facts with a source, colours that can be told apart."""

from __future__ import annotations

import csv
import math
from collections import Counter
from itertools import combinations, pairwise
from pathlib import Path

import pytest

from bench import names
from bench.maths.colour import contrast

DATA = Path(names.DATA)
WHITE, DARK = "#ffffff", "#14171b"
TABLES = ("accelerators", "models", "engines")


def table(name: str) -> list[dict[str, str]]:
    with (DATA / f"{name}.csv").open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


def linear(colour: str) -> list[float]:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    return [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]


# Machado, Oliveira, Fernandes 2009, severity 1.0, on linear RGB.
SEEN_BY = {
    "full colour vision": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": ((0.152286, 1.052583, -0.204868), (0.114503, 0.786281, 0.099216), (-0.003882, -0.048116, 1.051998)),
    "deuteranopia": ((0.367322, 0.860646, -0.227968), (0.280085, 0.672501, 0.047413), (-0.011820, 0.042940, 0.968881)),
}


def oklab(colour: str, eyes: tuple[tuple[float, ...], ...]) -> tuple[float, float, float]:
    """Oklab coordinates (Ottosson 2020) of a colour as these eyes see it."""
    rgb = [max(0.0, sum(w * part for w, part in zip(row, linear(colour), strict=True))) for row in eyes]
    to_lms = (
        (0.4122214708, 0.5363325363, 0.0514459929),
        (0.2119034982, 0.6806995451, 0.1073969566),
        (0.0883024619, 0.2817188376, 0.6299787005),
    )
    a, b, c = (sum(w * part for w, part in zip(row, rgb, strict=True)) ** (1 / 3) for row in to_lms)
    return (
        0.2104542553 * a + 0.7936177850 * b - 0.0040720468 * c,
        1.9779984951 * a - 2.4285922050 * b + 0.4505937099 * c,
        0.0259040371 * a + 0.7827717662 * b - 0.8086757660 * c,
    )


@pytest.mark.parametrize("name", TABLES)
def test_a_spelling_stands_for_one_thing_only(name: str) -> None:
    spelled: dict[str, str] = {}
    for row in table(name):
        for text in {row["slug"], row["name"], *row["aliases"].split("|"), row.get("checkpoint", "")} - {""}:
            folded = "".join(filter(str.isalnum, text.lower()))
            assert spelled.setdefault(folded, row["slug"]) == row["slug"], text
    assert len({row["slug"] for row in table(name)}) == len(table(name))
    assert all(row["slug"] == names.slugified(row["slug"]) and not names.is_machine(row["name"]) for row in table(name))


@pytest.mark.parametrize("name", ["accelerators", "models"])
def test_facts_have_a_source_and_nothing_from_memory_ships(name: str) -> None:
    words = "slug name family vendor checkpoint aliases colour_light colour_dark devices_per_chip source verified note"
    for row in table(name):
        facts = [key for key, cell in row.items() if cell and key not in words.split()]
        assert row["verified"] in ("yes", "partly", "")
        if row["verified"]:
            assert row["source"], row["slug"]
            assert facts, row["slug"]
        else:
            # What the name itself says, with a note that there is no more.
            assert set(facts) <= {"memory_gb", "memory_type"}, row["slug"]
            assert row["note"], row["slug"]


def test_a_family_is_found_by_its_name() -> None:
    assert names.matching("accelerator", "h100") == ("h100-nvl", "h100-pcie", "h100-sxm")
    assert names.matching("accelerator", "H100-SXM") == ("h100-sxm",)
    assert names.matching("accelerator", "Trillium") == ("tpu-v6e",)
    assert names.matching("accelerator", "GH200") == ("gh200-144gb", "gh200-96gb")
    assert {"v100-pcie-16gb", names.accelerator_slug("V100")} == set(names.matching("accelerator", "v100"))
    assert names.accelerator_slug("H100") == "h100-sxm"
    assert names.model_slug("RedHatAI/gemma-4-31B-it-FP8-Dynamic") == "gemma-4-31b"
    assert names.model_slug("Llama-3.1-70B") != names.model_slug("meta-llama/Llama-3.3-70B-Instruct")


@pytest.mark.parametrize("name", ["accelerators", "models"])
def test_no_name_of_one_row_is_a_family_of_several(name: str) -> None:
    several = {family for family, count in Counter(row["family"] for row in table(name)).items() if count > 1}
    assert not several & {row["slug"] for row in table(name)}


def test_a_name_that_no_row_has_is_found_beside_its_family() -> None:
    assert names.matching("model", "llama-3") == ("llama-3", "llama-3-70b", "llama-3-8b")
    assert names.matching("model", "My Own Model") == ("my-own-model",)


def test_what_a_name_leaves_open_is_not_filled_in() -> None:
    unknown = names.accelerator(names.accelerator_slug("NVIDIA A100"))
    assert unknown is not None
    assert (unknown.family, unknown.memory_gb, unknown.hbm_tb_s) == ("a100", None, None)
    spelled = {
        "NVIDIA A100-SXM4-80GB": "a100-sxm-80gb",
        "NVIDIA A100-SXM4-40GB": "a100-sxm-40gb",
        "NVIDIA A100 80GB PCIe": "a100-pcie-80gb",
        "NVIDIA A100-PCIE-40GB": "a100-pcie-40gb",
        "NVIDIA GH200 480GB": "gh200-96gb",
        "NVIDIA H100 80GB HBM3": "h100-sxm",
        "NVIDIA H100 PCIe": "h100-pcie",
        "NVIDIA H100 NVL": "h100-nvl",
    }
    assert {text: names.accelerator_slug(text) for text in spelled} == spelled


def test_tensor_cores_are_not_chips() -> None:
    devices = {row.slug: row.devices_per_chip for row in names.accelerators()}
    assert (devices["tpu-v7x"], devices["tpu-v6e"], devices["h100-sxm"]) == (2, 1, 1)


def test_facts_that_carry_a_roofline() -> None:
    h100, v6e = (next(row for row in names.accelerators() if row.slug == one) for one in ("h100-sxm", "tpu-v6e"))
    assert (h100.hbm_tb_s, h100.bf16_tflops, h100.fp8_tflops, h100.memory_gb, h100.tdp_w) == (3.35, 989, 1979, 80, 700)
    assert (v6e.hbm_tb_s, v6e.bf16_tflops, v6e.memory_gb, v6e.tdp_w) == (1.638, 918, 32, None)


def test_a_window_leaves_fewer_bytes_beyond_it() -> None:
    for row in names.models():
        assert (row.kv_window_tokens is None) == (row.kv_bytes_per_token_bf16_beyond_window is None)
        if row.kv_window_tokens:
            assert row.kv_bytes_per_token_bf16_beyond_window < row.kv_bytes_per_token_bf16


def test_every_engine_has_a_marker_of_its_own() -> None:
    symbols = Counter(row.marker for row in names.engines())
    assert max(symbols.values()) == 1
    assert None not in symbols


def test_colours_can_be_read_on_light_and_dark() -> None:
    for row in table("accelerators"):
        assert contrast(row["colour_light"], WHITE) >= 3, row["slug"]
        assert contrast(row["colour_dark"], DARK) >= 3, row["slug"]


def test_one_family_has_one_colour() -> None:
    colours = {(row["family"], row["colour_light"], row["colour_dark"]) for row in table("accelerators")}
    assert len(colours) == len({row["family"] for row in table("accelerators")})


@pytest.mark.parametrize("theme", ["colour_light", "colour_dark"])
@pytest.mark.parametrize("eyes", SEEN_BY)
def test_families_that_meet_in_a_chart_can_be_told_apart(theme: str, eyes: str) -> None:
    often_together = "h100 h200 b200 b300 gb200 gb300 mi300x mi325x mi355x tpu-v6e tpu-v7x".split()
    colours = {row["family"]: row[theme] for row in table("accelerators") if row["family"] in often_together}
    assert len(colours) == len(often_together)
    for one, other in combinations(colours, 2):
        far = sum(
            (a - b) ** 2
            for a, b in zip(oklab(colours[one], SEEN_BY[eyes]), oklab(colours[other], SEEN_BY[eyes]), strict=True)
        )
        assert far**0.5 >= 0.05, (one, other)


@pytest.mark.parametrize("theme", ["colour_light", "colour_dark"])
@pytest.mark.parametrize("eyes", SEEN_BY)
def test_shades_of_one_colour_that_stand_side_by_side_are_steps_and_not_hints(theme: str, eyes: str) -> None:
    of = {row["family"]: oklab(row[theme], SEEN_BY[eyes]) for row in table("accelerators")}
    for ramp in ("h100 h200 gh200", "b200 b300 gb200 gb300", "mi300x mi325x mi350x mi355x", "tpu-v6e tpu-v7x"):
        for one, other in pairwise(ramp.split()):
            assert math.dist(of[one], of[other]) >= (0.1 if "h200" in (one, other) else 0.07), (one, other)
