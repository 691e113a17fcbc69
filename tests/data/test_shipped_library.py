"""The library made from the recipes, asked in SQL; and that the shipped one is that library."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from bench.catalogue import derivable
from bench.library import Library
from data.recipes.__main__ import SHIPPED, add_licences, rebuild, write_tables

POINTS = {
    "inferencex": 1667,
    "inferencex-token-position": 169,
    "inferencex-gaudi": 8,
    "tensorrt-llm": 373 + 328 + 130 + 72,
    "tpu-public": 13 + 21 + 15,
    "ibm-llm-pilot": 526,
    "mlperf": 1310,
    "sweep-20261121-234814-0fce4d": 60,
    "sweep-20261122-001447-ceed91": 60,
    "sweep-20261126-124752-9483f1": 9,
    "sweep-20261126-125348-f5d1a9": 7,
    "sweep-20261126-125112-461b26": 2,
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    place = tmp_path_factory.mktemp("shipped") / "library"
    rebuild(place)
    return Library.open(place, shipped=False)


def test_points_of_every_source(library: Library) -> None:
    counted = dict(library.fetch("SELECT source, count(*) FROM points GROUP BY source"))
    assert {source: counted.get(source) for source in POINTS} == POINTS


def test_scores_of_inferencex(library: Library) -> None:
    assert library.fetch("SELECT count(*), min(n) FROM scores WHERE source = 'inferencex'") == [(531, 1319)]


def test_nothing_was_refused(library: Library) -> None:
    assert library.refusals().empty


def test_releases_of_tensorrt_llm(library: Library) -> None:
    found = library.fetch(
        "SELECT engine_version, count(*) FROM points WHERE source = 'tensorrt-llm' GROUP BY ALL ORDER BY ALL NULLS LAST"
    )
    assert found == [("0.14", 72), ("0.17", 373), ("1.0", 328), (None, 130)]


def test_published_cells_of_llama_70b(library: Library) -> None:
    found = library.fetch(
        "SELECT accelerators, output_tokens_per_s, output_tokens_per_s_per_accelerator FROM points"
        " WHERE model = 'llama-3.1-70b' AND accelerator = 'h200-sxm' AND engine_version = '0.17'"
        " AND isl = 1000 AND osl = 1000 ORDER BY accelerators"
    )
    assert [row[:2] for row in found] == [(1, 2823.45), (2, 5164.76), (4, 8911.29), (8, 13181.24)]
    assert found[3][2] == pytest.approx(13181.24 / 8)


def test_figures_per_accelerator_are_those_inferencex_prints(library: Library) -> None:
    # tput_per_gpu, output_tput_per_gpu, input_tput_per_gpu of one aggregated and one disaggregated row
    columns = (
        "total_tokens_per_s_per_accelerator, output_tokens_per_s_per_decode_accelerator,"
        " input_tokens_per_s_per_prefill_accelerator, output_tokens_per_s_per_accelerator"
    )
    disaggregated = library.fetch(
        f"SELECT {columns} FROM points WHERE source = 'inferencex' AND accelerator = 'gb200' AND concurrency = 24"
        " AND decode_accelerators = 32 AND prefill_accelerators = 4 AND date = DATE '2026-03-23'"
    )
    assert disaggregated[0] == pytest.approx((169.071, 94.8916, 762.506, 94.8916 * 32 / 36))
    aggregated = library.fetch(
        f"SELECT {columns} FROM points WHERE source = 'inferencex' AND accelerator = 'mi355x' AND concurrency = 4"
        " AND tp = 4 AND date = DATE '2026-06-11' AND isl = 1024"
    )
    assert aggregated[0][0] == pytest.approx(198.945)
    assert aggregated[0][3] == pytest.approx(98.9884)


def test_interactivity_is_derived_and_its_p99_is_the_slow_tail(library: Library) -> None:
    found = library.fetch(
        "SELECT interactivity_tokens_per_s_per_user_p50, interactivity_tokens_per_s_per_user_p99 FROM points"
        " WHERE source = 'inferencex' AND accelerator = 'mi355x' AND concurrency = 4 AND tp = 4"
        " AND date = DATE '2026-06-11' AND isl = 1024"
    )
    assert found[0] == pytest.approx((103.648, 102.621), rel=1e-5)


def test_one_curve_for_each_deployment_ibm_loaded(library: Library) -> None:
    counted = library.fetch(
        "SELECT count(DISTINCT series_id), count(DISTINCT deployment_id) FROM points WHERE source = 'ibm-llm-pilot'"
    )
    assert counted == [(66, 66)]


def test_every_metric_of_every_source_has_a_passport(library: Library) -> None:
    columns = sorted(library.metric_columns())
    worked_out = derivable(library.metric_columns())  # from a figure that has a passport of its own
    held = {(source, metric) for source, metric in library.fetch("SELECT source_id, metric FROM passports")}
    counts = ", ".join(f"count({column})" for column in columns)
    for source, *numbers in library.fetch(f"SELECT source_id, {counts} FROM points GROUP BY source_id"):
        for column, number in zip(columns, numbers, strict=True):
            assert not number or (source, column) in held or column in worked_out


def test_the_licence_lies_in_the_library_with_the_data(tmp_path: Path) -> None:
    add_licences(tmp_path)
    assert "Permissive - Version 2.0" in (tmp_path / "licences" / "ibm-llm-pilot.md").read_text(encoding="utf-8")


def test_the_shipped_sources_are_what_the_recipes_write(tmp_path: Path) -> None:
    made = {path.name: _digest(path) for path in write_tables(tmp_path)}
    mains = [path for kind in ("csv", "jsonl") for path in SHIPPED.glob(f"sources/*/*.{kind}")]
    shipped = {path.name: _digest(path) for path in mains}
    assert shipped == made


@pytest.mark.parametrize("table", ["points", "scores", "passports"])
def test_the_shipped_packs_hold_what_rebuilding_them_gives(library: Library, table: str) -> None:
    shipped = Library.open(SHIPPED, shipped=False)
    everything = f"SELECT * FROM {table} ORDER BY ALL"
    assert shipped.query(everything).equals(library.query(everything))


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
