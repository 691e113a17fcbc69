"""A small library to correct: two tables of one's own, nothing shipped."""

from __future__ import annotations

from pathlib import Path

from bench.library import Library

HEAD = (
    "model,precision,engine,engine_version,accelerator,accelerators,isl,osl,load_kind,concurrency,"
    "output_tokens_per_s,ttft_ms_p50,tpot_ms_p50,evidence,date,source,variant\n"
)
LLAMA = "Llama 3.1 70B,fp8,vllm,0.10.1,H100,4,1024,256,closed,{},{},{},{},measured,2026-03-02,mine,{}\n"
QWEN = "Qwen3 32B,bf16,sglang,0.5.1,MI300X,8,512,128,closed,{},{},{},,measured,2026-04-01,theirs,{}\n"
CARD = 'title = "Their table"\nlicence = "CC-BY-4.0"\nurl = "https://example.org/theirs"\n'


def tables(folder: Path) -> list[Path]:
    """The two files: three points and a refused row of Llama, two points of Qwen with a card."""
    mine, theirs = folder / "mine.csv", folder / "theirs.csv"
    rows = [(1, 70, 38, 14), (16, 840, 96, 18), (64, 2400, 180, 24), (128, -3, 180, 24)]
    mine.write_text(HEAD + "".join(LLAMA.format(*row, "=1+1") for row in rows), encoding="utf-8")
    qwen = [(1, 100, 20), (2, 190, 22)]
    theirs.write_text(HEAD + "".join(QWEN.format(*row, "plain") for row in qwen), encoding="utf-8")
    theirs.with_suffix(".source.toml").write_text(CARD, encoding="utf-8")
    return [mine, theirs]


def made(folder: Path) -> Library:
    """The library in a folder `library` below this one."""
    library = Library.open(folder / "library", shipped=False)
    report = library.add(tables(folder), who="importer")
    assert len(report.imported) == 2, report
    return library


def source_of(library: Library, file: str) -> str:
    """The id of the source that this file became."""
    return str(library.fetch("SELECT source_id FROM sources WHERE file LIKE '%' || ?", (file,))[0][0])


def point_of(library: Library, concurrency: int, source: str = "mine") -> str:
    """The id of the point at this concurrency."""
    rows = library.fetch("SELECT point_id FROM points WHERE source = ? AND concurrency = ?", (source, concurrency))
    return str(rows[0][0])
