"""Files of prompts: ShareGPT's JSON and plain JSONL, read within limits since they come from anywhere.

A JSON file is a list of objects with `conversations`; the first human turn is the prompt. A line of JSONL has `prompt`
or `text`, or a chat's `messages`, and may have `osl` (also `output_len`, `max_tokens`), or is one of ShareGPT's.
"""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from bench.errors import InputError
from bench.sweep.planning.shapes import MOST_TOKENS

MAX_BYTES = 2**31
MAX_ENTRY = 8 * 2**20
MAX_KEPT = 2**29
MAX_ROWS = 1_000_000
CHUNK = 2**20
BLANKS = re.compile(r"[ \t\r\n]*")
MAX_MESSAGES = 1000
CHARACTERS_PER_TOKEN = 4
"""The usual rough figure for English; an answer of a ShareGPT file becomes so many tokens of osl."""

TEXTS = ("prompt", "text")
OSLS = ("osl", "output_len", "max_tokens")
ROLES = frozenset({"system", "user", "assistant", "developer", "tool"})
ASKING, ANSWERING = frozenset({"human", "user"}), frozenset({"gpt", "assistant", "chatgpt", "bard", "bing"})
EXAMPLE = 'write lines such as {"prompt": "…", "osl": 128}'


@dataclass(frozen=True)
class FilePrompt:
    """One prompt of a file: its text, or the messages of a chat with their texts joined; `osl` where it is known."""

    text: str
    osl: int | None = None
    messages: tuple[Mapping[str, str], ...] | None = None


def read_prompts(path: Path, *, osl_needed: bool = False) -> tuple[FilePrompt, ...]:
    """Every prompt of the file; conversations of a ShareGPT file that nobody begins are left out.

    InputError when the file is missing, too large, no JSON, or a row is no prompt or, when needed, has no osl.
    """
    rows: list[FilePrompt] = []
    kept = 0
    for place, entry in _entries(path):
        row = _row(path, place, entry)
        if row is None:
            continue
        if osl_needed and row.osl is None:
            _refuse(path, place, 'has no osl; write "osl": 128 into it, or state workloads.osl')
        rows.append(row)
        kept += len(row.text)
        if len(rows) > MAX_ROWS or kept > MAX_KEPT:
            raise InputError(
                f"{path.name} has more than {MAX_ROWS:,} prompts or {MAX_KEPT:,} characters of them; take fewer."
            )
    if not rows:
        raise InputError(f"{path.name} has no prompt; {EXAMPLE}.")
    return tuple(rows)


def lines(path: Path) -> Iterator[tuple[int, str]]:
    """The lines of a text file that are not blank, with their numbers from 1.

    InputError when the file cannot be read, is too large, has too long a line, or is no UTF-8 text.
    """
    number = 0
    try:
        with path.open("rb") as file:
            if not path.is_file() or path.stat().st_size > MAX_BYTES:
                raise InputError(f"{path.name} is no file of at most {MAX_BYTES:,} bytes.")
            while line := file.readline(MAX_ENTRY + 1):
                number += 1
                if len(line) > MAX_ENTRY:
                    _refuse(path, f"line {number}", f"is longer than {MAX_ENTRY:,} bytes")
                if line.strip():
                    yield number, line.decode("utf-8-sig" if number == 1 else "utf-8")
    except OSError as problem:
        raise InputError(f"{path} cannot be read: {problem.strerror or problem}.") from problem
    except UnicodeDecodeError as problem:
        raise InputError(f"{path.name}, line {number}, is not UTF-8 text.") from problem


def decoded(path: Path, place: str, text: str) -> Any:
    """The JSON value of a text; InputError when it is none, or one too deep to be what we read."""
    try:
        value = json.loads(text, parse_constant=_no_constant)
        text.encode("utf-8")
    except (ValueError, RecursionError) as problem:
        why = str(problem)[:80] if not isinstance(problem, RecursionError) else "it is too deep"
        raise InputError(f"{path.name}, {place}, is not valid JSON: {why}.") from problem
    return value


def _entries(path: Path) -> Iterator[tuple[str, Any]]:
    try:
        with path.open("rb") as file:
            listed = file.read(CHUNK).removeprefix(BOM_UTF8).lstrip().startswith(b"[")
        if listed:
            yield from _listed(path)
    except OSError as problem:
        raise InputError(f"{path} cannot be read: {problem.strerror or problem}.") from problem
    except UnicodeDecodeError as problem:
        raise InputError(f"{path.name} is not UTF-8 text.") from problem
    if not listed:
        for number, text in lines(path):
            yield f"line {number}", decoded(path, f"line {number}", text)


def _listed(path: Path) -> Iterator[tuple[str, Any]]:
    """The entries of a JSON list one by one: the whole of it may be larger than memory."""
    if path.stat().st_size > MAX_BYTES:
        raise InputError(f"{path.name} is no file of at most {MAX_BYTES:,} bytes.")
    decoder = json.JSONDecoder(parse_constant=_no_constant)
    place, before, text, at = 1, "[", "", 0
    with path.open(encoding="utf-8-sig") as file:
        while True:
            at = _after_blanks(text, at)
            if before and text.startswith(before, at):
                before, at = "", _after_blanks(text, at + 1)
            try:
                entry, end = (None, 0) if before else decoder.raw_decode(text, at)
            except (ValueError, RecursionError):
                end = 0
            if 0 < end < len(text):  # an entry, and not one that the chunk's end cut off
                yield f"entry {place}", entry
                place, before, at = place + 1, ",", end
                continue
            more = file.read(max(CHUNK, len(text) - at))
            if not more or len(text) - at > MAX_ENTRY:
                break
            text, at = text[at:] + more, 0
    _end_of_list(path, f"entry {place}", text[at:])


def _after_blanks(text: str, at: int) -> int:
    found = BLANKS.match(text, at)
    return found.end() if found else at


def _end_of_list(path: Path, where: str, rest: str) -> None:
    if len(rest) > MAX_ENTRY:
        _refuse(path, where, f"is longer than {MAX_ENTRY:,} characters, or is no JSON")
    if rest.strip() != "]":
        _refuse(path, where, "is not valid JSON, or the list has no end")


def _row(path: Path, place: str, entry: Any) -> FilePrompt | None:
    if not isinstance(entry, Mapping):
        _refuse(path, place, f"is no object; {EXAMPLE}")
    osl = _osl(path, place, entry)
    turns = entry.get("conversations")
    if turns is not None:
        return _shared_gpt(path, place, turns, osl)
    messages = entry.get("messages")
    if messages is not None:
        return _chat(path, place, messages, osl)
    text = next((entry[key] for key in TEXTS if entry.get(key) is not None), None)
    if not isinstance(text, str) or not text.strip():
        _refuse(path, place, f"has no text of a prompt; {EXAMPLE}")
    return FilePrompt(_checked(path, place, text), osl)


def _shared_gpt(path: Path, place: str, turns: Any, osl: int | None) -> FilePrompt | None:
    if not isinstance(turns, Sequence) or not all(isinstance(turn, Mapping) for turn in turns):
        _refuse(path, place, "has conversations that are no list of turns")
    said = [
        (str(turn.get("from", turn.get("role", ""))).lower(), turn.get("value", turn.get("content"))) for turn in turns
    ]
    begins = next(
        (n for n, (who, text) in enumerate(said) if who in ASKING and isinstance(text, str) and text.strip()), None
    )
    if begins is None:
        return None
    answer = next((text for who, text in said[begins + 1 :] if who in ANSWERING and isinstance(text, str)), None)
    if osl is None and answer:
        osl = max(1, min(MOST_TOKENS, round(len(answer) / CHARACTERS_PER_TOKEN)))
    return FilePrompt(_checked(path, place, str(said[begins][1])), osl)


def _chat(path: Path, place: str, messages: Any, osl: int | None) -> FilePrompt:
    wanted = f"1 to {MAX_MESSAGES} objects with a role and a content"
    if not isinstance(messages, list) or not 1 <= len(messages) <= MAX_MESSAGES:
        _refuse(path, place, f"has messages that are not {wanted}")
    said = []
    for message in messages:
        role, content = (message.get("role"), message.get("content")) if isinstance(message, Mapping) else (None, None)
        if role not in ROLES or not isinstance(content, str):
            _refuse(path, place, f"has messages that are not {wanted}")
        said.append({"role": role, "content": content})
    text = _checked(path, place, "\n".join(message["content"] for message in said))
    return FilePrompt(text, osl, tuple(said))


def _osl(path: Path, place: str, entry: Mapping[str, Any]) -> int | None:
    stated = next((entry[key] for key in OSLS if entry.get(key) is not None), None)
    if stated is None:
        return None
    if isinstance(stated, bool) or not isinstance(stated, int) or not 1 <= stated <= MOST_TOKENS:
        _refuse(path, place, f"has osl {str(stated)[:40]!r}; write a whole number from 1 to {MOST_TOKENS:,}")
    return stated


def _checked(path: Path, place: str, text: str) -> str:
    if any("\ud800" <= sign <= "\udfff" for sign in text):
        _refuse(path, place, "has half a surrogate pair, which is no text")
    return text


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _refuse(path: Path, place: str, what: str) -> NoReturn:
    raise InputError(f"{path.name}, {place}, {what}.")
