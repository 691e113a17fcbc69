"""Files nobody should send: good tables, damaged in every way we could think of, the same ones for the same seed."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import pyarrow as pa
from pyarrow import parquet

COLUMNS = (
    "model,precision,engine,accelerator,accelerators,isl,osl,concurrency,output_tokens_per_s,"
    "ttft_ms_p50,ttft_ms_p99,e2el_ms_p50,evidence,date,source_url,variant,note"
).split(",")
SCORE_COLUMNS = "model,accelerator,benchmark,metric,value,direction,n,note".split(",")
HOSTILE = (
    '=HYPERLINK("https://example.org","x")',
    "+1+1",
    "-2+3",
    "@SUM(1)",
    "<img src=x onerror=alert(1)>",
    "**x** [y](z)",
    "\x1b[2J",
    "\x07",
    "\u202egnp.exe",
    "\u200b",
    "'; DROP TABLE points; --",
    "../../etc/passwd",
    "%s%n",
    "${x}",
    "🚀" * 9,
    "nan",
    "-inf",
    "1e309",
    "9" * 400,
    "0x10",
    "-1",
    "1,5",
    "٣",
    "null",
    "None",
    "true",
    "2026-02-30",
    "9999-12-31",
    "[" * 300,
    "{" * 300,
    "\ufeff",
    "\u2028",
    "a\x00b",
    '"',
    "\\",
    "x" * 5000,
)


@dataclass(frozen=True)
class MutatedFile:
    """A damaged file: its name, its bytes, and what was done to it."""

    name: str
    content: bytes
    story: str


def mutated_files(count: int, seed: int) -> Iterator[MutatedFile]:
    """So many damaged files; the same ones for the same count and seed."""
    chance = random.Random(seed)
    for number in range(count):
        ending, content = chance.choice(seeds())
        story = []
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            damage = chance.choice(DAMAGES if ending != "parquet" else BYTE_DAMAGES)
            content = damage(content, chance)
            story.append(damage.__name__.strip("_"))
        yield MutatedFile(f"{number:05}.{ending}", content, f"{ending}: {', then '.join(story)}")


@cache
def seeds() -> tuple[tuple[str, bytes], ...]:
    """The good tables that are damaged, with the ending of their names."""
    rows = [_row(number) for number in range(12)]
    scores = [
        ["deepseek-r1", "h200", "gsm8k", "exact_match", str(0.9 + n / 1000), "higher", "1319", ""] for n in range(6)
    ]
    table = pa.table({key: [row[key] for row in rows] for key in COLUMNS})
    packed, plain = io.BytesIO(), io.BytesIO()
    parquet.write_table(table, packed, compression="zstd", row_group_size=5)
    parquet.write_table(table, plain, compression="none", use_dictionary=False)
    return (
        ("csv", _csv([COLUMNS, *([str(row[key] or "") for key in COLUMNS] for row in rows)])),
        ("csv", _csv([SCORE_COLUMNS, *scores])),
        ("json", json.dumps(rows, indent=1).encode()),
        ("jsonl", "\n".join(json.dumps(row) for row in rows).encode()),
        ("parquet", packed.getvalue()),
        ("parquet", plain.getvalue()),
    )


def _row(number: int) -> dict[str, object]:
    return {
        "model": "Llama 3.1 70B",
        "precision": "fp8",
        "engine": "vllm",
        "accelerator": "H100",
        "accelerators": 4,
        "isl": 1024,
        "osl": 128,
        "concurrency": 2**number,
        "output_tokens_per_s": 71.5 * (number + 1),
        "ttft_ms_p50": 38.25 + number,
        "ttft_ms_p99": 80.5 + number,
        "e2el_ms_p50": 4000.125,
        "evidence": "measured",
        "date": "2026-03-02",
        "source_url": "https://example.org/a",
        "variant": f"run {number}",
        "note": 'said "fast", twice\nor so' if number == 5 else None,
    }


def _csv(lines: list[list[str]]) -> bytes:
    quoted = (
        '"' + cell.replace('"', '""') + '"' if set(cell) & set('",\n') else cell for line in lines for cell in line
    )
    return "\n".join(",".join(next(quoted) for _ in line) for line in lines).encode()


def _flip_bytes(content: bytes, chance: random.Random) -> bytes:
    changed = bytearray(content)
    for _ in range(chance.randint(1, 8)):
        changed[chance.randrange(len(changed))] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _truncate(content: bytes, chance: random.Random) -> bytes:
    return content[: chance.randrange(1, len(content) + 1)]


def _cut_out(content: bytes, chance: random.Random) -> bytes:
    start, length = chance.randrange(len(content)), chance.randint(1, 200)
    return content[:start] + content[start + length :] or b"\n"


def _repeat_piece(content: bytes, chance: random.Random) -> bytes:
    start, length = chance.randrange(len(content)), chance.randint(1, 400)
    return content[: start + length] + content[start:]


def _noise(content: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(content))
    return content[:start] + chance.randbytes(chance.randint(1, 40)) + content[start:]


def _nul_bytes(content: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(content))
    return content[:start] + b"\0" * chance.randint(1, 5) + content[start:]


def _swap_columns(content: bytes, chance: random.Random) -> bytes:
    """Two names change places in the whole file: header cells of a CSV, keys of JSON."""
    first, second = (name.encode() for name in chance.sample(COLUMNS, 2))
    return content.replace(first, b"\1").replace(second, first).replace(b"\1", second)


def _double_column(content: bytes, chance: random.Random) -> bytes:
    first, second = (name.encode() for name in chance.sample(COLUMNS, 2))
    return content.replace(first, second)


def _rename_column(content: bytes, chance: random.Random) -> bytes:
    name = chance.choice(COLUMNS)
    cut = chance.randrange(len(name))
    return content.replace(name.encode(), (name[:cut] + chance.choice("xyz_P ") + name[cut + 1 :]).encode())


def _hostile_cell(content: bytes, chance: random.Random) -> bytes:
    """A value of the file is replaced by a text that is markup, a formula, a command or no number."""
    value = chance.choice(
        (b"Llama 3.1 70B", b"fp8", b"H100", b"1024", b"71.5", b"measured", b"run 3", b"https://example.org/a")
    )
    return content.replace(value, chance.choice(HOSTILE).encode(), chance.choice((1, -1)))


def _another_encoding(content: bytes, chance: random.Random) -> bytes:
    encoding = chance.choice(("utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp037", "utf-8-sig", "utf-7"))
    text = content.decode("utf-8", errors="replace")
    return text.encode(encoding, errors="replace")


def _deep_json(content: bytes, chance: random.Random) -> bytes:
    depth = chance.choice((10, 63, 64, 65, 1000, 100_000))
    deep = chance.choice((b"[" * depth + b"]" * depth, b"[" * depth, b'{"a":' * depth + b"1" + b"}" * depth))
    return content.replace(b"1024", deep, 1) if chance.random() < 0.7 else deep


def _huge_digits(content: bytes, chance: random.Random) -> bytes:
    digits = chance.choice((b"9" * 40, b"9" * 5000, b"1e999999", b"0." + b"0" * 5000 + b"1", b"-" + b"7" * 400))
    return content.replace(chance.choice((b"1024", b"71.5", b"4000.125")), digits, chance.choice((1, -1)))


def _line_ends(content: bytes, chance: random.Random) -> bytes:
    return content.replace(b"\n", chance.choice((b"\r\n", b"\r", b"\n\n", b"\r\r\n", b"", b" ")))


def _quotes(content: bytes, chance: random.Random) -> bytes:
    start = chance.randrange(len(content))
    return content[:start] + b'"' * chance.randint(1, 3) + content[start:]


def _delimiters(content: bytes, chance: random.Random) -> bytes:
    return content.replace(b",", chance.choice((b";", b"\t", b"|", b",,", b"")))


def _shuffle_lines(content: bytes, chance: random.Random) -> bytes:
    lines = content.split(b"\n")
    chance.shuffle(lines)
    return b"\n".join(lines)


def _very_wide(content: bytes, chance: random.Random) -> bytes:
    return content.replace(b"\n", b",x" * chance.choice((1, 50, 2000)) + b"\n", chance.choice((1, -1)))


Damage = Callable[[bytes, random.Random], bytes]
BYTE_DAMAGES: tuple[Damage, ...] = (
    _flip_bytes,
    _truncate,
    _cut_out,
    _repeat_piece,
    _noise,
    _nul_bytes,
    _swap_columns,
    _rename_column,
    _double_column,
    _hostile_cell,
    _huge_digits,
)
DAMAGES: tuple[Damage, ...] = (
    *BYTE_DAMAGES,
    _another_encoding,
    _deep_json,
    _line_ends,
    _quotes,
    _delimiters,
    _shuffle_lines,
    _very_wide,
)
