"""Price books: what is shipped reads whole, placeholders are absent, a bad row costs one row."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.errors import InputError
from bench.library.prices import PLACEHOLDERS, read_book
from bench.names import accelerator
from bench.records import Price

BOOKS = sorted((Path(__file__).resolve().parents[2] / "data" / "prices").glob("*.csv"))
HEADER = "provider,accelerator,accelerators,terms,usd_per_hour,usd_per_accelerator_hour,as_of,source_url\n"


def book(tmp_path: Path, *rows: str, header: str = HEADER) -> Path:
    path = tmp_path / "made.csv"
    path.write_text(header + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_every_shipped_book_reads_without_a_refusal(path: Path) -> None:
    prices, refusals = read_book(path)
    assert not refusals
    assert prices
    assert {price.book for price in prices} == {path.stem}
    assert not [price for price in prices if accelerator(price.accelerator) is None]
    assert not [price for price in prices if price.usd_per_hour is None or price.usd_per_hour in PLACEHOLDERS]


def test_the_shipped_books_hold_what_their_sources_hold() -> None:
    counts = {path.stem: len(read_book(path)[0]) for path in BOOKS}
    assert counts == {
        "articles": 8,
        "list-prices": 88,
        "provider-quotes-2026-07": 67,
        "semianalysis-tco-2026-07": 27,  # 9 accelerators x 3 kinds
        "semianalysis-tco-2026-08": 32,  # 11 x 3, less the RTX 5090 placeholder
    }


def test_the_price_of_four_chips_is_not_the_price_of_one() -> None:
    [article] = [price for price in prices_of("articles") if price.accelerator == "tpu-v6e"]
    assert (article.accelerators, article.usd_per_hour, article.usd_per_accelerator_hour) == (4, 5.20, 1.30)
    catalogue = [
        price for price in prices_of("list-prices") if (price.instance, price.region) == ("tpu-v6e-4", "us-east5-b")
    ]
    assert {price.terms: price.usd_per_hour for price in catalogue} == {"on_demand": 10.80, "spot": 5.40}
    pod = next(price for price in prices_of("list-prices") if price.instance == "tpu-v5p-11776")
    assert pod.usd_per_accelerator_hour == pytest.approx(4.20)


def prices_of(stem: str) -> list[Price]:
    return read_book(next(path for path in BOOKS if path.stem == stem))[0]


@pytest.mark.parametrize(
    ("row", "shown"),
    [
        ("GCP,TPU v6e,4,on_demand,700.0,175,,", "700.0"),
        ("SemiAnalysis model,RTX5090,1,modelled:hyperscaler,9.99,9.99,,", "9.99"),
        ("SemiAnalysis model,RTX5090,8,modelled:hyperscaler,79.92,9.99,,", "79.92"),
    ],
)
def test_a_placeholder_is_an_absent_price_and_a_refusal_with_its_reason(tmp_path: Path, row: str, shown: str) -> None:
    [price], [refusal] = read_book(book(tmp_path, row))
    assert price.usd_per_hour is None
    assert price.usd_per_accelerator_hour is None
    assert (refusal.file, refusal.row, refusal.column, refusal.value) == ("made.csv", 2, "usd_per_hour", shown)


@pytest.mark.parametrize(
    ("row", "column"),
    [
        ("GCP,TPU v6e,4,on_demand,ten,,,", "usd_per_hour"),
        ("GCP,TPU v6e,4,on_demand,0,,,", "usd_per_hour"),
        ("GCP,TPU v6e,4,on_demand,-5.2,,,", "usd_per_hour"),
        ("GCP,TPU v6e,4,on_demand,nan,,,", "usd_per_hour"),
        ("GCP,TPU v6e,4,on_demand,inf,,,", "usd_per_hour"),
        ("GCP,TPU v6e,4,on_demand,5.20,5.20,,", "usd_per_accelerator_hour"),
        ("GCP,TPU v6e,0,on_demand,5.20,,,", "accelerators"),
        ("GCP,TPU v6e,four,on_demand,5.20,,,", "accelerators"),
        ("GCP,TPU v6e,4,cheap,5.20,,,", "terms"),
        (",TPU v6e,4,spot,5.20,,,", "provider"),
        ("GCP,,4,spot,5.20,,,", "accelerator"),
        ("GCP,TPU v6e,4,spot,5.20,,yesterday,", "as_of"),
        ("GCP,TPU v6e,4,spot,5.20,,,javascript:alert(1)", "source_url"),
    ],
)
def test_a_bad_row_is_refused_by_column_and_the_others_load(tmp_path: Path, row: str, column: str) -> None:
    good = "GCP,Trillium,4,spot,5.40,1.35,2026-11-20,https://example.org"
    empty = "GCP,TPU v6e,4,on_demand,,,,"
    prices, [refusal] = read_book(book(tmp_path, row, good, empty))
    assert [price.usd_per_hour for price in prices] == [5.40, None]
    assert {(price.accelerator, price.book) for price in prices} == {("tpu-v6e", "made")}
    assert (refusal.row, refusal.column) == (2, column)
    assert refusal.expected


@pytest.mark.parametrize(
    "header", ["", "provider,accelerator\n", HEADER.replace("as_of", "when"), HEADER.replace("as_of", "terms")]
)
def test_a_file_without_the_columns_of_a_price_book_is_one_sentence(tmp_path: Path, header: str) -> None:
    with pytest.raises(InputError, match=r"^made\.csv "):
        read_book(book(tmp_path, "GCP,TPU v6e,4,spot,5.40,,,", header=header))
