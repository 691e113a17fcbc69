"""What an answer says, read from its bytes: tokens and when they came, usage, how it ended.

A stream is Server-Sent Events (WHATWG HTML, 9.2) whose data are the chunks of the OpenAI API. Reading may lag behind
arrival: every piece of text brings the time at which it came.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from typing import Any

import orjson

from bench.sweep.wire.redaction import kept
from bench.sweep.wire.usage import LONGEST_TOKENS, Usage, usage_of

CONTENT = ("content", "refusal", "text")
REASONING = ("reasoning_content", "reasoning", "thinking")
LINE_END = re.compile(rb"\r\n|\n|\r")
PLAIN = re.compile(rb'[^"\\\x00-\x1f\x7f-\xff]+').fullmatch
"""Text of a JSON string that stands for itself: ASCII without quotes, escapes and control characters."""
LONGEST_SHOWN = 60
UNLIKE = b"\xff"  # no UTF-8 text has this byte
LESSONS = 4
"""How often an answer is looked at for what its chunks have in common; one that changes them at each is parsed."""


class Stream:
    """A streamed answer, as far as it has been read.

    `wrong` is why it is no stream of chunks, `refused` the server's own error in it.
    """

    __slots__ = tuple(
        (
            "_alarmed _carried _carry _cr _data _data_at _lessons _limit _prefix _secrets _started _suffix "
            "concluded counts done finish first_content_ns first_ns lengths refused response_id stamps thought "
            "too_long usage wrong"
        ).split()
    )

    def __init__(self, line_limit: int, secrets: Sequence[str] = ()) -> None:
        self._secrets = secrets
        self._carry: list[bytes] = []
        self._carried = 0
        self._data: list[bytes] = []
        self._data_at = 0
        self._cr = False
        self._lessons = LESSONS
        self._alarmed = False  # the event's name is error
        self._limit = line_limit
        self._prefix, self._suffix = UNLIKE, UNLIKE
        self._started = False
        self.thought = False
        self.stamps = array("q")
        self.lengths = array("i")
        self.counts: dict[int, int] = {}  # position of a chunk -> its tokens, where the server says so
        self.first_ns: int | None = None
        self.first_content_ns: int | None = None
        self.usage = Usage()
        self.concluded = False  # usage came in a chunk without text, as it does behind the last one
        self.finish: str | None = None
        self.response_id: str | None = None
        self.done = False
        self.wrong = ""
        self.refused = ""
        self.too_long = False

    def read(self, pieces: Sequence[bytes], when: Sequence[int]) -> None:
        """Take in the next pieces of the body."""
        if self.too_long:
            return
        stamp, length = self.stamps.append, self.lengths.append
        prefix, suffix, between = self._prefix, self._suffix, self._between()
        before, around = len(prefix), len(prefix) + len(suffix)
        for piece, at in zip(pieces, when, strict=True):
            if between and piece.startswith(prefix) and piece.endswith(suffix):
                size = len(piece) - around
                if not PLAIN(piece, before, before + size):
                    size = _characters(piece[before : before + size])
                if size > 0:
                    stamp(at)
                    length(size)
                    continue
            if between and (size := self._one(piece)):
                stamp(at)
                length(size)
                if self._lessons <= 0:
                    continue
                self._learn(piece)
            else:
                self._lines(piece, at)
            prefix, suffix, between = self._prefix, self._suffix, self._between()
            before, around = len(prefix), len(prefix) + len(suffix)

    def _between(self) -> bool:
        """Whether content has come and nothing yet of the next event, so that a piece may be a whole one like it."""
        begun = self._carried or self._data or self._alarmed or self.done
        return self.first_ns is not None and not begun

    def _one(self, piece: bytes) -> int:
        """The length of the text in a piece that is one event like most are, with one choice; 0 for any other."""
        whole = piece.startswith(b"data: {") and piece.endswith(b"\n\n") and piece.find(b"\n") == len(piece) - 2
        if not whole or self.first_content_ns is None:
            return 0
        try:
            chunk = orjson.loads(piece[6:])
            (choice,) = chunk["choices"]
            delta = choice.get("delta")
            text = choice["text"] if delta is None else delta["content"]
            new = choice["finish_reason"] or choice.get("logprobs") or chunk.get("usage") or chunk.get("error")
        except (ValueError, KeyError, TypeError, AttributeError):
            return 0
        if new or not isinstance(text, str) or (delta is not None and len(delta) > 1):
            return 0
        return len(text)

    def close(self) -> None:
        """End the body. What its last line says counts if it is whole, though no line end shows it."""
        before = self.wrong
        if self._carried:
            self._line(self._taken(), self._data_at)
            self._event()
            self.wrong = before
        self._event()
        text = sum(self.lengths)
        self.usage = self.usage.of_text(text)
        if self.usage.output is None and sum(self.counts.values()) * LONGEST_TOKENS < text:
            self.counts.clear()

    def tokens(self, osl: int | None = None) -> array[int]:
        """How many tokens each chunk brought, as far as the server lets on; `osl` are the tokens it was asked for."""
        return self.usage.shared_out(self.lengths, self.counts, self.finish, self.thought, self.promised(osl))

    def promised(self, osl: int | None) -> int | None:
        """The tokens that an answer ending with `length` had, which are those it was asked for.

        None where the server counts them itself, or where the text proves it otherwise: more chunks than were asked
        for, or fewer characters, since a token of text has at least one.
        """
        if osl is None or self.finish != "length" or self.usage.output is not None:
            return None
        return osl if len(self.lengths) <= osl <= sum(self.lengths) else None

    def _lines(self, piece: bytes, at: int) -> None:
        """Take in a piece, whatever it begins or ends with."""
        if self._cr and piece.startswith(b"\n"):
            piece = piece[1:]
        if not self._started:
            piece = self._without_mark(piece)
        if not piece:
            return
        self._cr = piece.endswith(b"\r")
        whole = len(self._data) + self._carried == 0
        first = len(self.stamps)
        *lines, rest = LINE_END.split(piece) if b"\r" in piece else piece.split(b"\n")
        for line in lines:
            if self._carried:
                self._line(self._taken() + line, at if line else self._data_at)
            elif line:
                self._line(line, at)
            else:
                self._event()
        if rest:
            self._carry.append(rest)
            self._carried += len(rest)
            self._data_at = at
            self.too_long = self.too_long or self._carried > self._limit
        elif whole and len(self.stamps) == first + 1 and len(lines) == 2 and not self._data:
            self._learn(piece)

    def _without_mark(self, piece: bytes) -> bytes:
        """The piece without the byte-order mark a stream may begin with."""
        piece = self._taken() + piece
        if b"\xef\xbb\xbf".startswith(piece):
            self._carry, self._carried = [piece], len(piece)
            return b""
        self._started = True
        return piece.removeprefix(b"\xef\xbb\xbf")

    def _taken(self) -> bytes:
        carried = b"".join(self._carry)
        self._carry.clear()
        self._carried = 0
        return carried

    def _line(self, line: bytes, at: int) -> None:
        """Keep a line of data until its event ends. Comments and other fields say nothing here."""
        if len(line) > self._limit:
            self.too_long = True
        if line.startswith(b"data:"):
            self._data.append(line[6:] if line.startswith(b"data: ") else line[5:])
            self._data_at = at
        elif line.startswith(b"event:"):
            self._alarmed = line[6:].strip() == b"error"

    def _event(self) -> None:
        """End the event that has gathered, at an empty line."""
        alarmed, self._alarmed = self._alarmed, False
        if not self._data:
            return
        lines, self._data = self._data, []
        at = self._data_at
        text = lines[0] if len(lines) == 1 else b"\n".join(lines)
        if self.done or not text.strip():
            return
        if text.strip() == b"[DONE]":
            self.done = True
            return
        try:
            chunk = orjson.loads(text)
        except orjson.JSONDecodeError:
            if len(lines) > 1:  # a server that ends its events with one line end
                for line in lines:
                    self._data = [line]
                    self._data_at = at
                    self._event()
            elif not self.wrong:
                shown = kept(text.decode("utf-8", "replace"), self._secrets, LONGEST_SHOWN)
                self.wrong = f"an event is no JSON: {shown!r}"
            return
        self._chunk(chunk, at, alarmed)

    def _chunk(self, chunk: Any, at: int, alarmed: bool) -> None:
        """Count what a chunk brings."""
        if not isinstance(chunk, dict):
            self.wrong = self.wrong or "an event is no JSON object"
            return
        choices = chunk.get("choices") or ()
        if alarmed or chunk.get("error") or (not choices and chunk.get("object") == "error"):
            self.refused = self.refused or error_text(chunk) or "the server sent an error without words"
            return
        if not isinstance(choices, (list, tuple)) or not all(isinstance(choice, dict) for choice in choices):
            self.wrong = self.wrong or "a chunk's choices are no list of objects"
            return
        usage = usage_of(chunk.get("usage"))
        if not self.response_id and isinstance(chunk.get("id"), str):
            self.response_id = chunk["id"]
        length, content = 0, False
        for choice in choices:
            spoken, thought = text_lengths(choice)
            length += spoken + thought
            content = content or spoken > 0
            self.thought = self.thought or thought > 0
            if isinstance(choice.get("finish_reason"), str) and choice["finish_reason"]:
                self.finish = choice["finish_reason"]
        if length:
            self._token(chunk, usage, length, at)
            if self.first_ns is None:
                self.first_ns = at
            if content and self.first_content_ns is None:
                self.first_content_ns = at
        if usage is not None:
            self.usage = self.usage.updated(usage)
            self.concluded = not length

    def _token(self, chunk: dict[str, Any], usage: Usage | None, length: int, at: int) -> None:
        """Keep a chunk with text, and its tokens where the chunk says how many."""
        if usage is not None and usage.output is not None:
            # Usage in every chunk counts from the start; the first one that speaks may be far into the answer.
            before = self.usage.output
            if before is not None or not len(self.stamps):
                self.counts[len(self.stamps)] = max(0, usage.output - (before or 0))
        else:
            listed = sum(
                len(content)
                for choice in chunk["choices"]
                if isinstance(probabilities := choice.get("logprobs"), dict)
                and isinstance(content := probabilities.get("content", probabilities.get("tokens")), list)
            )
            if listed:
                self.counts[len(self.stamps)] = listed
        self.stamps.append(at)
        self.lengths.append(length)

    def _learn(self, piece: bytes) -> None:
        """Learn from a chunk with text what the next ones look like that differ from it in their text alone.

        Equal bytes around a plain text are an equal chunk, so those are counted without being parsed.
        """
        if piece.startswith(self._prefix) and piece.endswith(self._suffix):
            return
        self._prefix = self._suffix = UNLIKE
        self._lessons -= 1
        if self._lessons < 0 or not piece.startswith(b"data:") or len(self.stamps) - 1 in self.counts:
            return
        chunk = orjson.loads(piece[5:])
        choices = chunk["choices"]
        if len(choices) != 1 or choices[0].get("finish_reason") or chunk.get("usage"):
            return
        holder = _holder(choices[0])
        if holder.get("tool_calls"):
            return
        speaking = [key for key in (*CONTENT, *REASONING) if isinstance(holder.get(key), str) and holder[key]]
        if len(speaking) != 1 or (speaking[0] in CONTENT and self.first_content_ns is None):
            return
        key = b'"%s"' % speaking[0].encode()
        text = orjson.dumps(holder[speaking[0]])
        for colon in (b":", b": "):
            before, found, after = piece.partition(key + colon + text)
            if found and key not in before and key not in after:
                self._prefix = before + key + colon + b'"'
                self._suffix = b'"' + after


def _characters(text: bytes) -> int:
    """How many characters a JSON string has that stands for itself; 0 where it has escapes, or is none."""
    if b'"' in text or b"\\" in text:
        return 0
    try:
        written = text.decode()
    except UnicodeDecodeError:
        return 0
    return len(written) if written.isprintable() else 0


def text_lengths(choice: dict[str, Any]) -> tuple[int, int]:
    """The lengths of the content and of the reasoning that a choice brings, 0 for none."""
    holder = _holder(choice)
    spoken = thought = 0
    for key in CONTENT:
        value = holder.get(key)
        if isinstance(value, str):
            spoken += len(value)
        elif isinstance(value, list):
            spoken += _parts_length(value, ("text", "refusal"))
            thought += _parts_length(value, ("thinking", "reasoning"))
    for key in REASONING:
        value = holder.get(key)
        if isinstance(value, str):
            thought = max(thought, len(value))  # some servers say the same under two names
    details = holder.get("reasoning_details")
    if isinstance(details, list):
        thought = max(thought, _parts_length(details, ("text", "summary")))
    calls = holder.get("tool_calls")
    functions = [call.get("function") for call in calls if isinstance(call, dict)] if isinstance(calls, list) else []
    for function in (*functions, holder.get("function_call")):
        if isinstance(function, dict):
            spoken += sum(
                len(part) for part in (function.get("name"), function.get("arguments")) if isinstance(part, str)
            )
    return spoken, thought


def _parts_length(parts: list[Any], names: Sequence[str]) -> int:
    """The characters of a text that comes in parts, of those under these names."""
    return sum(
        len(part[name]) for part in parts if isinstance(part, dict) for name in names if isinstance(part.get(name), str)
    )


def _holder(choice: dict[str, Any]) -> dict[str, Any]:
    """The object that holds a choice's text: its delta in a chat, the choice itself in a completion."""
    delta = choice.get("delta")
    return delta if isinstance(delta, dict) else choice


def error_text(document: Any) -> str:
    """The server's own words about what went wrong, however long; empty when it says nothing."""
    error = document.get("error", document) if isinstance(document, dict) else document
    if isinstance(error, dict):
        error = next((error[key] for key in ("message", "detail", "msg", "error") if error.get(key)), "")
    return error if isinstance(error, str) else orjson.dumps(error).decode()
